"""The weight tables of all players in a hand, from public information alone.

A reader follows a hand action by action.  After each action it asks the player's model what the player would
have done with every combo, and re-weights the player's table by what they did (Fig. 3.5).  There is a table
for each position, including our own, which is what the others think of us if they read like us.  The table of
a player who folded includes the fold and stays.

Nobody's hole cards are used.  The strength of our hand against a table ignores combos with our cards anyway.

Everything follows from the state of the hand, so a reader can begin in the middle of a hand with the same
result.  Two readers whose models know the same have the same result, too: what one of them has computed is
kept for a while (`Reading`), so at a table of ten agents that watch each other the work is done once instead
of ten times.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import Final, Literal, get_args

import attrs
import numpy as np

from engine.kernels.players.player import Answer
from engine.kernels.players.raises import raises_in_company
from engine.kernels.players.records import Trait
from engine.kernels.players.reweighting import reweight
from engine.players.action_context import positions_in, situation_of
from engine.players.board_values import BoardValues, Potentials, board_values
from engine.players.hand_values import HandValues, postflop_values, preflop_values
from engine.players.models.explanation import Explanation, explained
from engine.players.models.formula import traits_array
from engine.players.models.model import Decision, OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.probability_triple import TRIPLE_INDEX
from engine.players.weight_table import WeightTable
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import PublicSituation, asked
from engine.poker.rules.betting import BettingState
from engine.support.arrays import Floats

PotentialName = Literal["plain", "weighted"]
"""The hands against which hand potential is computed: a random hand, or the opponents' weight tables."""

_RIVER: Final = 5
"""The number of board cards on the river."""


@attrs.frozen
class ReadingStyle:
    """How actions are read.

    Raises:
        ValueError: a noise factor outside 0..1, or an unknown word.
    """

    noise: float = 0.0
    """The noise factor of the re-weighting: 0 believes actions as the model reads them, 1 ignores them."""
    potential: PotentialName = "plain"
    """The hands against which hand potential is computed: a random hand, or the opponents' weight tables."""

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.noise <= 1:
            raise ValueError(f"a noise factor lies between 0 and 1, got {self.noise}")
        if self.potential not in get_args(PotentialName):
            raise ValueError(f"potential: expected plain or weighted, got {self.potential!r}")


@attrs.define(eq=False)
class Reading:
    """The evidence of all actions up to one point of a hand; shared by all readers that have come to it."""

    models: tuple[OpponentModel, ...]
    """The models by position, as they stood when the hand began."""
    traits: Floats
    """The players' traits by position, as in ``traits_array``."""
    style: ReadingStyle
    weights: tuple[Floats, ...]
    """The weights by position, shape (1326,) each; do not change them."""
    board: tuple[int, ...] = ()
    values: BoardValues | None = None
    """The values of all combos on the board; None before the flop."""
    last: tuple[Reading, Decision, int] | None = None
    """The reading before, its decision, and the action taken, a `TripleIndex`; None at the beginning."""
    _strengths: dict[int, Floats] = attrs.field(factory=dict)
    # By position, of all combos against the table there; filled as they are asked for.
    _potentials: dict[tuple[int, ...], Potentials] = attrs.field(factory=dict)
    _decision: tuple[BettingState, Decision] | None = None
    _traits_here: tuple[BettingState, Floats] | None = None

    def decision(self, node: BettingState) -> Decision:
        """The decision of the player to act in `node`, the state that has been read."""
        if self._decision is None or self._decision[0] is not node:
            situation = situation_of(node)
            decision = Decision(situation, self._hand_values(situation), self.weights[situation.position])
            self._decision = node, decision
        return self._decision[1]

    def after(self, node: BettingState, board: tuple[int, ...]) -> Reading:
        """The reading after one more action, the last of `node`, and the cards dealt then."""
        step = node.last_step
        assert step is not None  # there is an action
        before, position, done = step
        decision, action = self.decision(before), int(TRIPLE_INDEX[done.kind])
        changed = decision.weights.copy()
        reweight(changed, self.models[position].triples(decision), action, self.style.noise)
        weights = (*self.weights[:position], changed, *self.weights[position + 1 :])
        values, strengths = self.values, dict[int, Floats]()
        if board == self.board:
            strengths = {p: array for p, array in self._strengths.items() if p != position}
        else:
            values = board_values(board)
            left = [array * values.free for array in weights]
            weights = tuple(array if array.any() else values.free.copy() for array in left)
        last = self, decision, action
        return Reading(self.models, self.traits, self.style, weights, board, values, last, strengths)

    def decisions(self) -> list[tuple[Decision, int]]:
        """All decisions until now, as their players saw them, each with its action, a `TripleIndex`."""
        decisions = []
        last = self.last
        while last is not None:
            before, decision, action = last
            decisions.append((decision, action))
            last = before.last
        decisions.reverse()
        return decisions

    def _hand_values(self, situation: PublicSituation) -> HandValues:
        if self.values is None:
            return preflop_values(situation, self.weights, self.traits)
        strengths = self._strengths
        opponents = positions_in(situation.opponents)
        for position in opponents:
            if position not in strengths:
                strengths[position] = self.values.strengths(self.weights[position])
        potentials = self.potentials(opponents)
        return postflop_values(situation, strengths, potentials, self.values.share)

    def answer(self, node: BettingState, position: int, bet: float | None) -> Answer | None:
        """What an opponent of the player to act in `node` does, if that player raises, or calls.

        Args:
            node: the state that has been read.
            position: the opponent's.
            bet: the chips that the raise adds to the call; None for a call.

        Returns:
            None if no model says it.
        """
        model = self.models[position]
        if not isinstance(model, PlayerModel):
            return None
        situation = asked(situation_of(node), position, -1.0 if bet is None else bet)
        return model.answer(situation, self._hand_values(situation).hands, self.weights[position])

    def explained(self, node: BettingState) -> dict[int, Explanation]:
        """The reasons of each modelled opponent's folding to a raise now, by position."""
        found = {}
        here = situation_of(node)
        for position in positions_in(here.opponents):
            model = self.models[position]
            if isinstance(model, PlayerModel) and here.can_raise:
                situation = asked(here, position, here.bet)
                folds, _ = explained(
                    model, situation, self._hand_values(situation).hands, self.weights[position]
                )
                if folds is not None:
                    found[position] = folds
        return found

    def traits_here(self, node: BettingState) -> Floats:
        """`traits` with what models say that the others do if who is to act in `node` raises, or calls."""
        if self._traits_here is None or self._traits_here[0] is not node:
            situation, traits = situation_of(node), self.traits.copy()
            opponents = positions_in(situation.opponents)
            in_company = len(opponents) > 1 and raises_in_company(situation)
            for position in opponents:
                raised = self.answer(node, position, situation.bet) if situation.can_raise else None
                if raised is not None:
                    called = self.answer(node, position, None) if in_company else None
                    traits[position, Trait.KNOWN] = 1.0
                    traits[position, Trait.FOLD] = raised.fold
                    traits[position, Trait.FOLD_TO_CALL] = called.fold if called else 0.0
                    traits[position, Trait.BLIND_FOLD] = raised.blind_fold
            self._traits_here = node, traits
        return self._traits_here[1]

    def potentials(self, opponents: tuple[int, ...]) -> Potentials:
        """The potentials of all combos against some players; for several, against the mean of their tables.

        Args:
            opponents: the players' positions.

        Raises:
            ValueError: before the flop.
        """
        if self.values is None:
            raise ValueError("before the flop no card can change how two hands compare")
        if self.style.potential == "plain" or len(self.board) == _RIVER:
            return self.values.plain
        known = self._potentials.get(opponents)
        if known is None:
            tables = [self.weights[position] for position in opponents]
            mean = (
                tables[0] if len(tables) == 1 else np.mean([table / table.sum() for table in tables], axis=0)
            )
            known = self._potentials[opponents] = self.values.potentials(mean)
        return known

    def potentials_by_position(self, node: BettingState) -> dict[int, Potentials] | None:
        """The potentials of each player who has not folded against the others; None before the flop."""
        if self.values is None:
            return None
        live = [position for position, folded in enumerate(node.folded) if not folded]
        return {p: self.potentials(tuple(other for other in live if other != p)) for p in live}


@attrs.frozen
class _Table:
    """The players at a table; two tables are equal if their models know the same."""

    states: tuple[Hashable, ...]
    models: tuple[OpponentModel, ...] = attrs.field(eq=False)


@functools.lru_cache(maxsize=16)
def _beginning(table: _Table, style: ReadingStyle) -> Reading:
    models = tuple(model.snapshot() for model in table.models)
    traits = traits_array({position: model.traits for position, model in enumerate(models)})
    return Reading(models, traits, style, tuple(np.ones(NUM_COMBOS) for _ in models))


@functools.lru_cache(maxsize=128)
def _after(reading: Reading, node: BettingState, board: tuple[int, ...]) -> Reading:
    """`Reading.after`, computed once.  Betting states and readings are distinguished by identity."""
    return reading.after(node, board)


class TableReader:
    """Follows one hand.

    Args:
        models: the players' models by position; what they learn later does not affect the reader.
        noise: the noise factor of the re-weighting, 0 to 1.
        potential: the hands against which hand potential is computed.

    Raises:
        ValueError: a noise factor outside 0..1, or an unknown word.
    """

    def __init__(
        self, models: Sequence[OpponentModel], noise: float = 0.0, potential: PotentialName = "plain"
    ) -> None:
        table = _Table(tuple(model.state for model in models), tuple(models))
        self._beginning = _beginning(table, ReadingStyle(noise, potential))
        self._node: BettingState | None = None
        self.reading = self._beginning
        """The reading of the state read last."""

    def follow(self, betting: BettingState, board: Sequence[int]) -> None:
        """Read all actions up to a state; start again if it does not continue what was read.

        Args:
            betting: the state.
            board: its board cards.

        Raises:
            ValueError: fewer board cards than the state has, or cards of another hand than before.
        """
        cards = tuple(board)[: betting.num_board_cards]
        if len(cards) < betting.num_board_cards:
            raise ValueError(f"expected {betting.num_board_cards} board cards, got {len(cards)}")
        path = [*(before for before, _, _ in betting.steps()), betting]
        reading, read = self.reading, 0
        if self._node in path and cards[: len(reading.board)] == reading.board:
            read = path.index(self._node)
        else:
            reading = self._beginning
        for node in path[read + 1 :]:
            reading = _after(reading, node, cards[: node.num_board_cards])
        self._node, self.reading = betting, reading

    def decision(self, betting: BettingState) -> Decision:
        """The decision of the player to act in the state read last.

        Raises:
            ValueError: another state, or nobody is to act.
        """
        if betting is not self._node:
            raise ValueError("follow the hand to this state first")
        return self.reading.decision(betting)

    def table(self, position: int) -> WeightTable:
        """The table of a position, from public information."""
        return WeightTable(self.reading.weights[position])
