"""The betting of heads-up hold'em that strategies know: its decisions, and the slots of their chances.

In limit games that is all betting.  In no-limit games it is a *betting abstraction*: fold, call, and raises
by a few parts of the pot, of which all-in is one.  `engine.solving.holdem.translation` finds the bettings
that stand for one with other raises.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import attrs

from engine.poker.rules import CALL, FOLD, Action, ActionKind, BettingState, GameDefinition, initial_betting
from engine.solving.sizes import TooLarge, actions_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "USUAL_SIZES",
    "Decision",
    "HoldemBetting",
    "holdem_betting",
    "is_heads_up_limit_holdem",
    "is_heads_up_no_limit",
    "is_heads_up_no_limit_holdem",
    "raise_by",
    "raises_of",
]

USUAL_SIZES: Final = (0.5, 1.0, math.inf)
"""The usual raises of no-limit games, as parts of the pot; infinity is all-in."""
MOST_DECISIONS: Final = 300_000
"""The most decisions a betting abstraction may have; making so many takes a minute."""


def is_heads_up_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game is heads-up limit hold'em with stacks that no hand can use up."""
    return (
        game.is_holdem
        and game.is_limit
        and game.num_players == 2
        and max(game.max_raises) <= 8
        and min(game.stacks) >= 1000 * game.big_blind
    )


def is_heads_up_no_limit(game: GameDefinition) -> bool:
    """Whether a game is no-limit, for two players, and zero-sum: without antes and rake."""
    return not game.is_limit and game.num_players == 2 and not game.has_antes and not game.has_rake


def is_heads_up_no_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game is heads-up no-limit hold'em that can be solved on buckets and sizes of raises."""
    return game.is_holdem and is_heads_up_no_limit(game)


def raise_by(betting: BettingState, size: float) -> Action:
    """The raise by a part of the pot, where infinity is all-in; a call if no raise is legal."""
    if math.isinf(size):
        legal = betting.legal_actions()
        return legal.raising_to(legal.max_raise_to)
    return betting.raise_of_pots(size)


def raises_of(betting: BettingState, sizes: Sequence[float]) -> dict[Action, float]:
    """The no-limit raises by parts of the pot, each with its part.

    If several parts lead to the same raise, it has the largest of them.
    """
    if not betting.legal_actions().can_raise:
        return {}
    return {raise_by(betting, size): size for size in sorted(sizes)}


@attrs.frozen
class Decision:
    """A decision of the betting: a public node at which somebody is to act."""

    position: int
    betting_round: int
    actions: tuple[Action, ...]
    first_slot: int
    """Its first slot.  Slots are ordered by bucket, then by action."""
    sizes: tuple[float, ...] = ()
    """The part of the pot that each action raises by, 0 for a fold or call; empty in limit games."""

    def slots(self, bucket: int) -> slice:
        """The place of a bucket's actions in arrays by slot."""
        first = self.first_slot + bucket * len(self.actions)
        return slice(first, first + len(self.actions))

    def actions_at(self, betting: BettingState) -> tuple[Action, ...]:
        """The actions, in the same order, where this decision stands for another betting with other chips."""
        if not self.sizes:
            return self.actions
        legal = betting.legal_actions()
        return tuple(
            raise_by(betting, size) if action.kind is ActionKind.RAISE else legal.nearest(action)
            for action, size in zip(self.actions, self.sizes, strict=True)
        )


class HoldemBetting:
    """All bettings of a game that a strategy knows.

    Args:
        game: heads-up limit hold'em, or a no-limit game for two players.
        num_buckets: the number of buckets in each betting round.
        sizes: the raises of a no-limit game, as parts of the pot; none in a limit game.

    Raises:
        ValueError: the game is another one, or sizes are missing, not allowed or not above 0.
        TooLarge: with so many chips and sizes there are too many decisions.
    """

    def __init__(
        self, game: GameDefinition, num_buckets: tuple[int, ...], sizes: Sequence[float] = ()
    ) -> None:
        if not is_heads_up_limit_holdem(game) and not is_heads_up_no_limit(game):
            raise ValueError("expected limit hold'em for two, or no-limit hold'em for two without antes")
        if bool(sizes) == game.is_limit or not all(size > 0 for size in sizes):
            raise ValueError(f"expected sizes of raises above 0, in no-limit games only, got {list(sizes)}")
        self.game = game
        self.num_buckets = num_buckets
        self.sizes = tuple(sorted(set(sizes)))
        self.decisions: dict[str, Decision] = {}
        """All decisions, by the text of their betting."""
        self.num_slots = 0
        self._add(initial_betting(game))

    def decision(self, betting: BettingState) -> Decision:
        """The decision at a betting of the abstraction.

        Raises:
            ValueError: nobody is to act, or the betting is of another game or has another raise.
        """
        found = self.decisions.get(betting.text)
        if found is None or betting.game != self.game:
            raise ValueError(f"after {betting.text!r} nobody is to act in this game")
        return found

    def rows(self, decision: Decision, by_slot: NDArray[np.float64]) -> NDArray[np.float64]:
        """The part of an array by slot that belongs to a decision, shape (buckets, actions); not a copy."""
        actions = len(decision.actions)
        end = decision.first_slot + self.num_buckets[decision.betting_round] * actions
        return by_slot[decision.first_slot : end].reshape(-1, actions)

    @property
    def num_information_sets(self) -> int:
        """The number of information sets: buckets, added up over all decisions."""
        return sum(self.num_buckets[decision.betting_round] for decision in self.decisions.values())

    def _add(self, betting: BettingState) -> None:
        """Add a decision and all decisions below it."""
        player = betting.position_to_act
        if player is None:
            return
        if len(self.decisions) == MOST_DECISIONS:
            raise TooLarge(
                f"with raises of {len(self.sizes)} sizes there are more than {MOST_DECISIONS:,} places to "
                "act: expected fewer sizes or fewer chips"
            )
        sized = dict(self._actions(betting))
        actions = tuple(sized)
        sizes = () if self.game.is_limit else tuple(sized.values())
        self.decisions[betting.text] = Decision(player, betting.betting_round, actions, self.num_slots, sizes)
        self.num_slots += self.num_buckets[betting.betting_round] * len(actions)
        for action in actions:
            self._add(betting.apply(action))

    def _actions(self, betting: BettingState) -> Iterator[tuple[Action, float]]:
        """Fold, call, then raises in ascending order, each with its part of the pot."""
        if self.game.is_limit:
            yield from ((action, 0.0) for action in actions_of(betting))
            return
        legal = betting.legal_actions()
        yield from ((action, 0.0) for action in (FOLD, CALL) if action in legal)
        yield from raises_of(betting, self.sizes).items()


@functools.lru_cache(maxsize=4)
def holdem_betting(
    game: GameDefinition, num_buckets: tuple[int, ...], sizes: tuple[float, ...] = ()
) -> HoldemBetting:
    """A `HoldemBetting`, remembered."""
    return HoldemBetting(game, num_buckets, sizes)
