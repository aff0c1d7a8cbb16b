"""What an agent reads at a table: a model and statistics of each player, weight tables of the hand.

The tables follow from the state of the hand and from the models as they stood when it began, so that an
agent that comes back in mid-hand thinks the same of it; the models learn when a hand is over.
"""

from __future__ import annotations

import math
from typing import Final, Literal

from clients.agent import Agent
from engine.opponents.learning import learn_from_hand
from engine.opponents.models.generic import GenericModel
from engine.opponents.models.model import NoModel, OpponentModel
from engine.opponents.models.specific import SpecificModel
from engine.opponents.statistics import PlayerStatistics
from engine.opponents.table_reader import TableReader
from engine.opponents.weight_table import WeightTable
from engine.rules import GameDefinition, HandView

ModelName = Literal["none", "generic", "specific"]

DEFAULT_NOISE: Final = 0.02
"""The noise factor of the re-weighting."""


class ReadingAgent(Agent):
    """An agent that reads its opponents; for sub-classes, which call `begin_reading` first of all."""

    models: dict[int, OpponentModel]
    """By seat, our own included: ours is what the others may think of us."""
    statistics: dict[int, PlayerStatistics]
    """By seat."""
    hands_read: int
    """Hands counted to their end."""

    def begin_reading(self, model: ModelName, noise: float) -> None:
        """Nothing is known of anybody.

        Args:
            model: how opponents are modelled.
            noise: noise factor of the re-weighting, 0 to 1.
        """
        self._model_name: ModelName = model
        self._noise = noise
        self.models = {}
        self.statistics = {}
        self.hands_read = 0
        self._reader: TableReader | None = None
        self._reading: tuple[int, int] | None = None  # hand number and position the reader is for
        self._finished = -1  # the last hand that has been counted

    # --- the match -----------------------------------------------------------------------------------------

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Models for the players who are new."""
        if not game.is_holdem:
            raise ValueError(
                f"{type(self).__name__.lower()} plays Texas hold'em only: 52 cards, two hole cards, boards "
                "of 3, 4 and 5"
            )
        for other in range(game.num_players):
            if other not in self.models:
                self.models[other], self.statistics[other] = self.first_impression(other)
        self._reader = None

    def first_impression(self, seat: int) -> tuple[OpponentModel, PlayerStatistics]:
        """The model and the statistics to begin with."""
        return self.new_model(), PlayerStatistics()

    def new_model(self) -> OpponentModel:
        """A model of a player about whom nothing is known."""
        if self._model_name == "none":
            return NoModel()
        return GenericModel() if self._model_name == "generic" else SpecificModel()

    def name_of(self, seat: int) -> str:
        """The name of the player in a seat, as far as it is known."""
        return self.names[seat] if self.names is not None and seat < len(self.names) else f"seat {seat}"

    # --- a hand --------------------------------------------------------------------------------------------

    def model_at(self, view: HandView, position: int) -> OpponentModel:
        """The model of the player in a position."""
        return self.models[self.seat_of(view, position)]

    def follow(self, view: HandView) -> TableReader:
        """The reader of this hand, having read up to the state."""
        reader = self._reader_of(view)
        reader.follow(view.betting, view.board)
        return reader

    def weight_table(self, view: HandView, position: int) -> WeightTable:
        """What we think the player in a position holds; with our own position, what the others may think of
        us.
        """
        table = self.follow(view).table(position)
        return table if position == view.position else table.without(view.own_cards)

    def _reader_of(self, view: HandView) -> TableReader:
        reading = (view.hand_number, view.position)
        if self._reader is None or self._reading != reading:
            models = [self.model_at(view, p) for p in range(view.game.num_players)]
            self._reader = TableReader(models, self._noise)
            self._reading = reading
        return self._reader

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Count what everybody did and learn from the hands that were shown."""
        if view.hand_number == self._finished:
            return
        self._finished = view.hand_number
        betting = view.betting
        if self._model_name == "specific":
            reader = self._reader_of(view)
            models = [self.model_at(view, p) for p in range(view.game.num_players)]
            learn_from_hand(models, reader, betting, view.board, view.hole_cards)
        self._reader = None
        won = view.chips_won()
        for position in range(view.game.num_players):
            chips = won[position] if math.isfinite(won[position]) else None
            self.statistics[self.seat_of(view, position)].observe_hand(betting, position, chips)
        self.hands_read += 1
