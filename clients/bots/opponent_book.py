"""What an agent knows of the players at its table: a model and statistics of each, and their weight tables.

The tables follow from the state of the hand and from the models as they stood when it began, so an agent that
reconnects in mid-hand computes the same ones; the models learn when a hand is over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

import attrs

from clients.bots.memory_file import KnownPlayers, Parts
from clients.bots.strategy_files import shipped_strategy
from clients.core.options import require_one_of
from engine.players.bet_sizes import BetSizes
from engine.players.learning import learn_from_hand, predicted_triple
from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel, OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.models.saved import saved_numbers
from engine.players.probability_triple import TRIPLE_INDEX
from engine.players.statistics import PlayerStatistics, numbers_of
from engine.players.table_reader import PotentialName, Reading, TableReader
from engine.poker.rules import Action, BettingState, GameDefinition, HandView
from engine.support.arrays import Floats

if TYPE_CHECKING:
    from engine.solving.holdem.bucketed import BucketedStrategy

ModelName = Literal["none", "generic", "player"]

MODELS: Final[tuple[ModelName, ...]] = get_args(ModelName)
"""How opponents may be modelled."""

DEFAULT_NOISE: Final = 0.02
"""The noise factor of the re-weighting."""

DEFAULT_POTENTIAL: Final[PotentialName] = "plain"
"""The hands against which hand potential is computed."""

_SUSPECTED: Final = 3.0
"""Evidence, 20 to 1, at which it is as likely as not that a player departs from the strategy."""
_LEAST_SHARE: Final = 1e-3
"""The part of our decisions below which it makes none."""
_SURE: Final = 50.0
"""The most evidence that is kept: one who becomes another is found out soon."""

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
    evidence: float = 0.0
    """That the player departs from the strategy which we begin with, as the model foretells."""


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
        blueprint: whether to begin with the strategy that comes with the program, where there is one.
    """

    def __init__(
        self,
        model: ModelName | NewModel,
        noise: float,
        potential: PotentialName = DEFAULT_POTENTIAL,
        blueprint: bool = False,
    ) -> None:
        super().__init__()
        self._new_model = model if callable(model) else _NEW_MODELS[model]
        self.learns = model == "player"
        self.noise, self._potential = noise, potential
        self._begins = blueprint and self.learns
        self._usual: BucketedStrategy | None = None
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
        if "evidence" in parts:
            known.evidence = float(saved_numbers(parts, "evidence", (), -math.inf))
        if "sizes" in parts:
            known.sizes = BetSizes(saved_numbers(parts, "sizes", known.sizes.counts.shape))
        return known

    def written(self, known: Known) -> Parts:
        """The numbers of `read`."""
        statistics, sizes = attrs.asdict(known.statistics), known.sizes.counts.tolist()
        parts = {"statistics": statistics, "sizes": sizes, "evidence": known.evidence}
        return parts | ({"model": known.model.as_dict()} if isinstance(known.model, PlayerModel) else {})

    def match_started(self, game: GameDefinition, seat: int, names: tuple[str, ...] | None) -> None:
        """Make models for new players of Texas hold'em; other parameters are those of `sit_down`."""
        self.sit_down(seat, game.num_players, names)
        self._reader = None
        self.prepare(game)

    # --- a hand --------------------------------------------------------------------------------------------

    def follow(self, view: HandView) -> TableReader:
        """The reader of this hand, after it has read the betting so far."""
        reader = self._reader_of(view)
        reader.follow(view.betting, view.board)
        return reader

    def _reader_of(self, view: HandView) -> TableReader:
        reading = (view.hand_number, view.position)
        if self._reader is None or self._reading != reading:
            self._reader = TableReader(self._models_by_position(view), self.noise, self._potential)
            self._reading = reading
        return self._reader

    def _models_by_position(self, view: HandView) -> list[OpponentModel]:
        return [self.of(view, p).model for p in range(view.game.num_players)]

    # --- the strategy that we begin with -------------------------------------------------------------------

    def prepare(self, game: GameDefinition | None) -> None:
        """Load the strategy, if there is one for the game."""
        self._usual = None
        if self._begins and game is not None and game.is_limit:
            self._usual = shipped_strategy(game)

    def strategy_share(self, view: HandView) -> float:
        """How likely it is that the opponent plays as the strategy does, which decides so often for us."""
        if self._usual is None:
            return 0.0
        share = 1.0 / (1.0 + math.exp(self.of(view, 1 - view.position).evidence - _SUSPECTED))
        return share if share > _LEAST_SHARE else 0.0

    def strategy_said(self, view: HandView) -> dict[str, str]:
        """The strategy's share in words; nothing where it has none."""
        share = self.strategy_share(view)
        return {"blueprint": f"{share:.3f} of the answer is the strategy we begin with"} if share else {}

    def usual(self, view: HandView) -> Mapping[Action, float]:
        """The strategy's chance of each action; of none where there is no strategy."""
        return {} if self._usual is None else self._usual.chances(view)

    def begun(self, view: HandView, own: Floats) -> Floats:
        """Triples of all combos: our own and, for its share, those of the strategy."""
        share = self.strategy_share(view)
        if self._usual is None or share == 0.0:
            return own
        return (1.0 - share) * own + share * self._usual.triples(view.betting, view.board)

    def _weigh(self, view: HandView, reading: Reading) -> None:
        """Count for and against the strategy what the opponent did in a hand, before models learn of it."""
        from engine.solving.miximax.departure import Departure

        assert self._usual is not None  # nobody asks otherwise
        position = 1 - view.position
        steps = zip(view.betting.steps(), reading.decisions(), strict=True)
        decisions = {before.text: decision for (before, _, _), (decision, _) in steps}

        def told(before: BettingState, action: Action, actions: Sequence[Action]) -> tuple[float, list[bool]]:
            chances = predicted_triple(reading.models[position], decisions[before.text])
            return chances[TRIPLE_INDEX[action.kind]], [each.kind is action.kind for each in actions]

        departure, known = Departure(self._usual), self.of(view, position)
        departure.follow(told, view.betting, position, view.own_cards, view.board)
        known.evidence = min(max(known.evidence + departure.evidence, -_SURE), _SURE)

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Count what everybody did and learn from the hands that were shown; each hand is reported once."""
        betting = view.betting
        if self.learns:
            reader = self._reader_of(view)
            models = self._models_by_position(view)
            if self._usual is not None:
                reader.follow(betting, view.board)
                self._weigh(view, reader.reading)
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
