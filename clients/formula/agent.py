"""The formula bot: a triple from the formula, a die, and a bet size (Poki 3.2-3.4).

It keeps a weight table for each player of a hand and a model of each player of the match.  The tables
follow from the state of the hand and from the models as they stood when it began, so that a bot that comes
back in mid-hand thinks the same of it; the models learn when a hand is over.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import weakref
from pathlib import Path
from typing import Literal

import numpy as np

from clients.agent import Agent, ProbabilityTriple
from clients.formula import memory as memory_file
from clients.formula.betting import bet_size
from clients.formula.config import DEFAULT_NOISE, FormulaConfig
from engine.combos import combo_index
from engine.opponents.action_context import is_holdem
from engine.opponents.formula import continue_chance, formula_triples
from engine.opponents.generic import GenericModel
from engine.opponents.learning import learn_from_hand
from engine.opponents.model import NoModel, OpponentModel
from engine.opponents.probability_triple import legal_triple, sample
from engine.opponents.specific import SpecificModel
from engine.opponents.statistics import PlayerStatistics
from engine.opponents.table_reader import TableReader
from engine.opponents.warm_up import warm_up
from engine.opponents.weight_table import WeightTable
from engine.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView

_SAVE_EVERY = 100
"""Hands between two writings of the memory file."""


def _save_at_exit(reference: weakref.ref[Formula]) -> None:
    agent = reference()
    if agent is not None and agent.models:
        with contextlib.suppress(OSError):  # nobody is left to be told
            agent.save_memory()


class Formula(Agent):
    """Plays Texas hold'em by formula, limit and no-limit, two to ten players.

    Args:
        tightness: 0 loose to 1 tight.
        aggression: 0 passive to 1 aggressive.
        deception: 0 straightforward to 1 deceptive.
        model: of the opponents: none, generic or specific.
        noise: noise factor of the re-weighting, 0 to 1.
        memory: file that keeps the models between matches, by the players' names.

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read.
    """

    def __init__(
        self,
        tightness: float = 0.5,
        aggression: float = 0.5,
        deception: float = 0.5,
        model: Literal["none", "generic", "specific"] = "specific",
        noise: float = DEFAULT_NOISE,
        memory: Path | None = None,
    ) -> None:
        self.config = FormulaConfig(tightness, aggression, deception, model, noise, memory)
        self.parameters = self.config.parameters()
        warm_up()
        self.models: dict[int, OpponentModel] = {}
        """By seat, our own included: ours is what the others may think of us."""
        self.statistics: dict[int, PlayerStatistics] = {}
        """By seat."""
        self._remembered = memory_file.load(memory) if memory is not None else {}
        self._reader: TableReader | None = None
        self._reading: tuple[int, int] | None = None  # hand number and position the reader is for
        self._finished = -1  # the last hand that has been counted
        self._hands = 0
        if memory is not None:
            atexit.register(_save_at_exit, weakref.ref(self))

    # --- the match -----------------------------------------------------------------------------------------

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Models for whoever is new."""
        if not is_holdem(game):
            raise ValueError(
                "formula plays Texas hold'em only: 52 cards, two hole cards, boards of 3, 4 and 5"
            )
        for other in range(game.num_players):
            if other in self.models:
                continue
            self.statistics[other] = PlayerStatistics()
            self.models[other] = self._new_model()
            name = self._name(other)
            if self.config.model == "specific" and name in self._remembered:
                self.models[other], self.statistics[other] = self._remembered.pop(name)
        self._reader = None

    def _new_model(self) -> OpponentModel:
        if self.config.model == "none":
            return NoModel()
        return GenericModel() if self.config.model == "generic" else SpecificModel()

    def _name(self, seat: int) -> str:
        return self.names[seat] if self.names is not None and seat < len(self.names) else f"seat {seat}"

    # --- playing -------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """Drawn from the triple of our hand."""
        triple = self.probability_triple(view)
        kind = sample(triple, self.rng)
        if kind is ActionKind.FOLD:
            return FOLD
        if kind is ActionKind.CALL:
            return CALL
        decision = self._follow(view).decision(view.betting)
        situation = decision.situation
        value = float(decision.values.value[combo_index(*view.own_cards)])
        folding = max(
            1 - continue_chance(situation, self._model_at(view, p).traits, p) for p in situation.opponents
        )
        return bet_size(view.betting, situation, value, folding, self.rng)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The chances of folding, calling and raising in this state: our row of `triples`."""
        row = self.triples(view)[combo_index(*view.own_cards)]
        fold, call, raise_ = (float(chance) for chance in row)
        legal = view.legal_actions()
        total = fold + call + raise_
        return legal_triple((fold / total, call / total, raise_ / total), legal.can_fold, legal.can_raise)

    def triples(self, view: HandView) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """What we would do with each combo in this state, shape (1326, 3); nothing in it depends on ours."""
        decision = self._follow(view).decision(view.betting)
        traits = {p: self._model_at(view, p).traits for p in decision.situation.opponents}
        return formula_triples(decision.situation, decision.values, decision.weights, traits, self.parameters)

    def weight_table(self, view: HandView, position: int) -> WeightTable:
        """What we think the player in a position holds; with our own position, what the others may think of
        us.
        """
        table = self._follow(view).table(position)
        return table if position == view.position else table.without(view.own_cards)

    def _model_at(self, view: HandView, position: int) -> OpponentModel:
        return self.models[self.seat_of(view, position)]

    def _reader_of(self, view: HandView) -> TableReader:
        reading = (view.hand_number, view.position)
        if self._reader is None or self._reading != reading:
            models = [self._model_at(view, p) for p in range(view.game.num_players)]
            self._reader = TableReader(models, self.config.noise)
            self._reading = reading
        return self._reader

    def _follow(self, view: HandView) -> TableReader:
        reader = self._reader_of(view)
        reader.follow(view.betting, view.board)
        return reader

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Count what everybody did and learn from the hands that were shown."""
        if view.hand_number == self._finished:
            return
        self._finished = view.hand_number
        betting = view.betting
        if self.config.model == "specific":
            reader = self._reader_of(view)
            models = [self._model_at(view, p) for p in range(view.game.num_players)]
            learn_from_hand(models, reader, betting, view.board, view.hole_cards)
        self._reader = None
        won = view.chips_won()
        for position in range(view.game.num_players):
            chips = won[position] if math.isfinite(won[position]) else None
            self.statistics[self.seat_of(view, position)].observe_hand(betting, position, chips)
        self._hands += 1
        if self.config.memory is not None and self._hands % _SAVE_EVERY == 0:
            self.save_memory()

    def save_memory(self) -> None:
        """Write the memory file, if there is one to keep."""
        path = self.config.memory
        if path is None or self.config.model != "specific":
            return
        models = {
            self._name(seat): model
            for seat, model in self.models.items()
            if seat != self.seat and isinstance(model, SpecificModel)
        }
        statistics = {self._name(seat): self.statistics[seat] for seat in self.models if seat != self.seat}
        others = {name: entry for name, entry in self._remembered.items() if name not in models}
        memory_file.save(
            path,
            models | {name: model for name, (model, _) in others.items()},
            statistics | {name: counts for name, (_, counts) in others.items()},
        )
