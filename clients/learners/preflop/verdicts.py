"""Whether an action was right: two ways to judge it by the cards of a showdown (Poker Learner 4.2.1.3).

*By hole cards*: ours against those of each opponent who showed, one verdict for each.  *By the winning hand*:
the best five of our cards and the board against the best hand that anybody showed, one verdict; in one
reading (`clients.learners.preflop.readings`) against each opponent's hand.

A verdict is 1 if we were ahead, 0 if tied, -1 if behind.  Verdict and action together choose a rule:

==========  ==================  =============  ==================
action      ahead               tied           behind
==========  ==================  =============  ==================
fold        decrement fold      none           increment fold
call        increment call      none           decrement call
raise       increment raise     none           decrement raise
==========  ==================  =============  ==================

Folding the better hand was wrong, folding the worse one right; a tie says neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clients.learners.preflop.action_values import (
    CALL,
    DECREMENT_CALL,
    DECREMENT_FOLD,
    DECREMENT_RAISE,
    FOLD,
    INCREMENT_CALL,
    INCREMENT_FOLD,
    INCREMENT_RAISE,
    RAISE,
    Rule,
)
from clients.learners.preflop.readings import WinnerReading
from engine.poker.cards import NUM_CARDS, NUM_RANKS
from engine.poker.rules import hand_rank

__all__ = [
    "HOLE_CARDS_VALUE",
    "RULES",
    "compare_hole_cards",
    "hole_cards_verdicts",
    "winning_hand_verdict",
    "winning_hand_verdicts",
]

RULES: Final[tuple[tuple[Rule | None, Rule | None, Rule | None], ...]] = (
    (None, DECREMENT_FOLD, INCREMENT_FOLD),
    (None, INCREMENT_CALL, DECREMENT_CALL),
    (None, INCREMENT_RAISE, DECREMENT_RAISE),
)
"""The rule for each action and verdict; verdict -1 is the last entry, by Python's indexing."""
assert (FOLD, CALL, RAISE) == (0, 1, 2)


def _hole_cards_value(card: int, other: int) -> int:
    high, low = max(card, other) >> 2, min(card, other) >> 2
    return NUM_RANKS * NUM_RANKS + high if high == low else NUM_RANKS * high + low


HOLE_CARDS_VALUE: Final = tuple(
    _hole_cards_value(card, other) for card in range(NUM_CARDS) for other in range(NUM_CARDS)
)
"""The rank of hole cards a and b at ``52 * a + b``: greater is better, equal is a tie.

A pair beats all other hands; then the higher card counts, then the lower one.  Suits do not count.
"""


def compare_hole_cards(own: Sequence[int], other: Sequence[int]) -> int:
    """1 if our hole cards are better, -1 if the other's are, 0 for a tie.

    It follows the text of 4.2.1.3; the listing of Fig. 4.4 reverses the second card and has a branch that
    cannot be reached.
    """
    ours = HOLE_CARDS_VALUE[NUM_CARDS * own[0] + own[1]]
    theirs = HOLE_CARDS_VALUE[NUM_CARDS * other[0] + other[1]]
    return (ours > theirs) - (ours < theirs)


def hole_cards_verdicts(own: Sequence[int], shown: Sequence[Sequence[int]]) -> list[int]:
    """The verdicts of our hole cards against each opponent's."""
    return [compare_hole_cards(own, other) for other in shown]


def winning_hand_verdict(own: Sequence[int], shown: Sequence[Sequence[int]], board: Sequence[int]) -> int:
    """The verdict of our best five cards against the best shown: 1 if they win, 0 if they split, -1 if not.

    Args:
        own: our hole cards, whether or not we folded them.
        shown: the hole cards of the opponents at the showdown, at least one.
        board: all five cards.
    """
    ours = hand_rank((*own, *board))
    theirs = max([hand_rank((*other, *board)) for other in shown])
    return (ours > theirs) - (ours < theirs)


def winning_hand_verdicts(
    own: Sequence[int], shown: Sequence[Sequence[int]], board: Sequence[int], reading: WinnerReading
) -> list[int]:
    """The verdicts of the best five cards in a reading of the thesis; cards as in `winning_hand_verdict`."""
    if reading == "each":
        return [winning_hand_verdict(own, [other], board) for other in shown]
    verdict = winning_hand_verdict(own, shown, board)
    return [1 if reading == "ties-win" and verdict == 0 else verdict]
