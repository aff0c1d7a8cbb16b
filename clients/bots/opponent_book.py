"""What an agent knows of the players at its table: a model and statistics of each, and their weight tables.

The tables follow from the state of the hand and from the models as they stood when it began, so an agent that
reconnects in mid-hand computes the same ones; the models learn when a hand is over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Literal, cast, get_args

import attrs

from clients.bots.memory_file import KnownPlayers, Parts
from clients.core.options import require_one_of
from engine.players.bet_sizes import BetSizes
from engine.players.learning import learn_from_hand
from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel, OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.models.saved import saved_numbers
from engine.players.statistics import PlayerStatistics, numbers_of
from engine.players.table_reader import PotentialName, TableReader
from engine.players.weight_table import WeightTable
from engine.poker.rules import GameDefinition, HandView

ModelName = Literal["none", "generic", "player"]

MODELS: Final[tuple[ModelName, ...]] = get_args(ModelName)
"""How opponents may be modelled."""

DEFAULT_NOISE: Final = 0.02
"""The noise factor of the re-weighting."""

DEFAULT_POTENTIAL: Final[PotentialName] = "plain"
"""The hands against which hand potential is computed."""

NewModel = Callable[[], OpponentModel]
"""Makes the model of a player about whom nothing is known."""

_OTHER_PRIOR: Final = "made with another prior of players, whose curves are taken over"


@attrs.define(eq=False)
class Known:
    """Knowledge of a player."""

    model: OpponentModel
    statistics: PlayerStatistics = attrs.field(factory=PlayerStatistics)
    sizes: BetSizes = attrs.field(factory=BetSizes)
    """Of raises in no-limit games."""


_NEW_MODELS: Final[dict[str, NewModel]] = {"none": NoModel, "generic": GenericModel, "player": PlayerModel}


def checked_model(name: str) -> ModelName:
    """The name of a model; that of one that there was in earlier versions means the one there is.

    Raises:
        ValueError: it is none.
    """
    if name == "specific":
        return "player"
    if name in ("tree", "network"):
        raise ValueError(f"model: {name} is no more; use model=player")
    require_one_of("model", name, MODELS)
    return cast("ModelName", name)


def model_of(name: ModelName) -> OpponentModel:
    """A model of a player about whom nothing is known."""
    return _NEW_MODELS[name]()


class OpponentBook(KnownPlayers[Known]):
    """What one agent knows of the players at its table; the agent says when a match begins and a hand ends.

    Args:
        model: how players are modelled: a name, or a function that makes a model.
        noise: noise factor of the re-weighting, 0 to 1.
        potential: the hands against which hand potential is computed.
    """

    def __init__(
        self, model: ModelName | NewModel, noise: float, potential: PotentialName = DEFAULT_POTENTIAL
    ) -> None:
        super().__init__()
        self._new_model = model if callable(model) else _NEW_MODELS[model]
        self.learns = model == "player"
        self.noise, self._potential = noise, potential
        self._reader: TableReader | None = None
        self._reading: tuple[int, int] | None = None  # hand number and position the reader is for

    # --- the players ---------------------------------------------------------------------------------------

    def stranger(self) -> Known:
        """A new model, and no statistics."""
        return Known(self._new_model())

    def read(self, parts: Parts) -> Known:
        """The model if this book has models that learn, statistics, and sizes of raises."""
        known = self.stranger()
        if "model" in parts:
            model = PlayerModel.from_dict(parts["model"])
            known.model = model if self.learns else known.model
            if parts["model"].get("prior") != model.prior.digest:
                self.said.add(_OTHER_PRIOR)
        if "statistics" in parts:
            known.statistics = numbers_of(PlayerStatistics, parts["statistics"])
        if "sizes" in parts:
            known.sizes = BetSizes(saved_numbers(parts, "sizes", known.sizes.counts.shape))
        return known

    def written(self, known: Known) -> Parts:
        """The numbers of `read`."""
        parts = {"statistics": attrs.asdict(known.statistics), "sizes": known.sizes.counts.tolist()}
        return parts | ({"model": known.model.as_dict()} if isinstance(known.model, PlayerModel) else {})

    def match_started(self, game: GameDefinition, seat: int, names: tuple[str, ...] | None) -> None:
        """Make models for new players of Texas hold'em; other parameters are those of `sit_down`."""
        self.sit_down(seat, game.num_players, names)
        self._reader = None

    # --- a hand --------------------------------------------------------------------------------------------

    def follow(self, view: HandView) -> TableReader:
        """The reader of this hand, after it has read the betting so far."""
        reader = self._reader_of(view)
        reader.follow(view.betting, view.board)
        return reader

    def weight_table(self, view: HandView, position: int) -> WeightTable:
        """The weight table of the player in a position; for our own position, the others' view of us."""
        table = self.follow(view).table(position)
        return table if position == view.position else table.without(view.own_cards)

    def _reader_of(self, view: HandView) -> TableReader:
        reading = (view.hand_number, view.position)
        if self._reader is None or self._reading != reading:
            self._reader = TableReader(self._models_by_position(view), self.noise, self._potential)
            self._reading = reading
        return self._reader

    def _models_by_position(self, view: HandView) -> list[OpponentModel]:
        return [self.of(view, p).model for p in range(view.game.num_players)]

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Count what everybody did and learn from the hands that were shown; each hand is reported once."""
        betting = view.betting
        if self.learns:
            reader = self._reader_of(view)
            models = self._models_by_position(view)
            learn_from_hand(models, reader, betting, view.board, view.hole_cards)
        self._reader = None
        won = view.chips_won()
        for position in range(view.game.num_players):
            chips = won[position] if math.isfinite(won[position]) else None
            self.of(view, position).statistics.observe_hand(betting, position, chips)
        for before, position, action in () if view.game.is_limit else betting.steps():
            if action.raise_to is not None:
                self.of(view, position).sizes.observe(before, action.raise_to)
        self.hands += 1
