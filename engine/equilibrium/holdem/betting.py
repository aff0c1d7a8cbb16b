"""The betting of heads-up hold'em that strategies know: its decisions, and where their chances stand.

In limit games that is all there is.  In no-limit games it is a *betting abstraction*: fold, call, and raises
by some parts of the pot, all in being one of them; `engine.equilibrium.holdem.translation` says which of its
bettings stand for one that has other raises.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from engine.equilibrium.sizes import TooLarge, actions_of
from engine.rules import CALL, FOLD, Action, ActionKind, BettingState, GameDefinition, initial_betting

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
"""Raises of no-limit games, parts of the pot; infinity is all in."""
MOST_DECISIONS: Final = 300_000
"""Public nodes at which somebody is to act that a betting abstraction may have: a minute, to make it."""


def is_heads_up_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game can be solved on buckets: Texas hold'em for two, limit, with stacks beyond reach."""
    return (
        game.is_holdem
        and game.is_limit
        and game.num_players == 2
        and max(game.max_raises) <= 8
        and min(game.stacks) >= 1000 * game.big_blind
    )


def is_heads_up_no_limit(game: GameDefinition) -> bool:
    """Whether a game is no-limit and for two, and what one wins the other loses."""
    return not game.is_limit and game.num_players == 2 and not game.has_antes and not game.has_rake


def is_heads_up_no_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game can be solved on buckets of hands and sizes of raises."""
    return game.is_holdem and is_heads_up_no_limit(game)


def raise_by(betting: BettingState, size: float) -> Action:
    """The raise by a part of the pot, infinity being all in; a call where no raise is legal."""
    if math.isinf(size):
        legal = betting.legal_actions()
        return legal.raising_to(legal.max_raise_to)
    return betting.raise_of_pots(size)


def raises_of(betting: BettingState, sizes: Sequence[float]) -> dict[Action, float]:
    """No-limit raises by parts of the pot, and the part of each; of those that are the same, the larger."""
    if not betting.legal_actions().can_raise:
        return {}
    return {raise_by(betting, size): size for size in sorted(sizes)}


@attrs.frozen
class Decision:
    """A public node at which somebody is to act."""

    position: int
    betting_round: int
    actions: tuple[Action, ...]
    first_slot: int
    """A bucket's slots, one for each action, follow those of the bucket before it."""
    sizes: tuple[float, ...] = ()
    """No-limit: the part of the pot that each action raises by, 0 for those that do not."""

    def slots(self, bucket: int) -> slice:
        """A bucket's actions in arrays by slot."""
        first = self.first_slot + bucket * len(self.actions)
        return slice(first, first + len(self.actions))

    def actions_at(self, betting: BettingState) -> tuple[Action, ...]:
        """What the actions are where this decision stands for another betting, with other chips."""
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
        game: heads-up limit hold'em, or no-limit for two.
        num_buckets: by betting round.
        sizes: of the raises, in no-limit games.

    Raises:
        ValueError: another game, or sizes where there are none, or none where there are.
        TooLarge: with so many chips and sizes there are too many.
    """

    def __init__(
        self, game: GameDefinition, num_buckets: tuple[int, ...], sizes: Sequence[float] = ()
    ) -> None:
        if not is_heads_up_limit_holdem(game) and not is_heads_up_no_limit(game):
            raise ValueError("expected limit hold'em for two, or no-limit hold'em for two without antes")
        if bool(sizes) == game.is_limit or not all(size > 0 for size in sizes):
            raise ValueError(f"expected sizes of raises above 0, in no-limit games alone, got {list(sizes)}")
        self.game = game
        self.num_buckets = num_buckets
        self.sizes = tuple(sorted(set(sizes)))
        self.decisions: dict[str, Decision] = {}
        """By the betting's text."""
        self.num_slots = 0
        self._add(initial_betting(game))

    def decision(self, betting: BettingState) -> Decision:
        """Where a betting of the abstraction stands.

        Raises:
            ValueError: nobody is to act, or it is another game, or has another raise.
        """
        found = self.decisions.get(betting.text)
        if found is None or betting.game != self.game:
            raise ValueError(f"after {betting.text!r} nobody is to act in this game")
        return found

    @property
    def num_information_sets(self) -> int:
        """Buckets, at all decisions."""
        return sum(self.num_buckets[decision.betting_round] for decision in self.decisions.values())

    def _add(self, betting: BettingState) -> None:
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
        """Fold, call, raises in ascending order, each with its part of the pot."""
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
    """A game's betting, remembered."""
    return HoldemBetting(game, num_buckets, sizes)
