"""The contexts in which actions and shown hands are counted, from the exact betting to the coarsest.

Those of no-limit games tell bettings apart by letters instead of chips: a raise of half the pot, of the pot,
all in.  So what has been counted with some stacks is known with others.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Final

import attrs

from engine.poker.rules import BettingState

__all__ = [
    "LEVELS",
    "SIZED_LEVELS",
    "Line",
    "action_contexts",
    "showdown_contexts",
    "sized_action_contexts",
    "sized_showdown_contexts",
]

LEVELS: Final = 5
"""Of contexts, the exact betting among them."""
SIZED_LEVELS: Final = 6
"""Where raises have sizes: the last is of those who do the same everywhere, and counts for them alone."""

_MOST_POTS: Final = 6
_Raises = tuple[tuple[int, int], ...]


@attrs.frozen
class Line:
    """What has been done in a hand, as far as contexts tell it apart."""

    raises: _Raises
    """By betting round: how often each position raised."""
    letters: str = ""
    """A letter for each action of a no-limit hand, rounds separated by ``/``."""
    facing: int = 0
    """The column of the last raise in this round; 0 where nobody has raised."""
    raiser: int = -1
    """The position that raised last in the hand; -1 where nobody did."""

    def after(self, betting_round: int, player: int, column: int, letter: str, is_raise: bool) -> Line:
        """The line after an action; a new betting round is not begun yet."""
        if not is_raise:
            return attrs.evolve(self, letters=self.letters + letter)
        first, second = self.raises[betting_round]
        changed = (first + 1, second) if player == 0 else (first, second + 1)
        raises = (*self.raises[:betting_round], changed, *self.raises[betting_round + 1 :])
        return Line(raises, self.letters + letter, column, player)

    def in_next_round(self) -> Line:
        """The line with the next board cards."""
        return attrs.evolve(self, letters=self.letters + "/", facing=0)


def action_contexts(betting: BettingState, line: Line, player: int) -> tuple[Hashable, ...]:
    """What the action of a player is counted as, the finest first."""
    raises = line.raises
    other, betting_round = 1 - player, betting.betting_round
    legal = betting.legal_actions()
    now = (betting_round, legal.can_fold, legal.can_raise)
    in_round = raises[betting_round]
    before = raises[:betting_round]
    ours, theirs = (sum(counts[who] for counts in before) for who in (player, other))
    last = before[-1] if before else (0, 0)
    return (
        betting.text,
        (player, now, *((counts[player], counts[other]) for counts in raises[: betting_round + 1])),
        (player, now, sum(in_round), min(ours, 3), min(theirs, 3)),
        (now, min(sum(in_round), 2), last[player] > 0, last[other] > 0),
        (min(betting_round, 1), legal.can_fold, legal.can_raise),
    )


def showdown_contexts(text: str, line: Line, player: int) -> tuple[Hashable, ...]:
    """What a player's hand at a showdown is counted as, the finest first."""
    raises = line.raises
    other = 1 - player
    ours, theirs = (sum(counts[who] for counts in raises) for who in (player, other))
    last_ours, last_theirs = raises[-1][player], raises[-1][other]
    return (
        (player, text),
        (player, *((counts[player], counts[other]) for counts in raises)),
        (min(ours, 6), min(theirs, 6), last_ours, last_theirs),
        (min(ours, 4), min(last_ours, 2), min(last_theirs, 2)),
        min(ours, 1),
    )


def sized_action_contexts(
    betting: BettingState, line: Line, player: int, allowed: str
) -> tuple[Hashable, ...]:
    """The same where raises have sizes: beside how often somebody raised, the last raise counts by its size.

    Args:
        betting: in which the player is to act.
        line: that led there.
        player: who is to act.
        allowed: the letters of the actions there are.
    """
    other, betting_round = 1 - player, betting.betting_round
    raises, facing = line.raises, line.facing
    in_round, before = raises[betting_round], raises[:betting_round]
    ours, theirs = (sum(counts[who] for counts in before) for who in (player, other))
    last = before[-1] if before else (0, 0)
    now = (betting_round, allowed, facing)
    return (
        line.letters,
        (player, now, *((counts[player], counts[other]) for counts in raises[: betting_round + 1])),
        (player, now, min(sum(in_round), 3), min(ours, 2), min(theirs, 2)),
        (now, min(sum(in_round), 2), last[player] > 0, last[other] > 0),
        (min(betting_round, 1), allowed[0], len(allowed) > 2, facing),
        (allowed[0], len(allowed) > 2),
    )


def sized_showdown_contexts(line: Line, player: int, amount: float) -> tuple[Hashable, ...]:
    """The same where raises have sizes: the size of the pot counts, each class twice the one before.

    Args:
        line: the whole hand.
        player: whose hand is shown.
        amount: what the loser has put in, in big blinds.
    """
    raises, other = line.raises, 1 - player
    ours, theirs = (sum(counts[who] for counts in raises) for who in (player, other))
    last_ours, last_theirs = raises[-1][player], raises[-1][other]
    size = min(_MOST_POTS, round(math.log2(max(amount, 1.0))))
    raised_last = line.raiser == player
    return (
        (player, line.letters),
        (player, *((counts[player], counts[other]) for counts in raises), size),
        (min(ours, 4), min(theirs, 4), min(last_ours, 2), min(last_theirs, 2), size),
        (min(ours, 2), raised_last, size // 2),
        (min(ours, 1), size // 3),
        "any",
    )
