"""Sklansky's groups of starting hands, as an alternative before the flop.

Group 1 is the best.  Hands in none of the eight are not played but for nothing.  The paper builds on the
groups where it builds on nothing of its own, and says what is to be scaled in them ("Opponent Model for the
preflop itself"):

* a *made* hand (pair or high cards) wants few opponents: the bets behind count against it, each as much as
its
  bettor is tight, half where that one sees twice the ideal number of flops;
* a *drawing* hand wants to be paid: each bet behind is a caller, and of those ahead each as many as their
share
  of flops seen.  It is played where as many as it needs are expected, with room around the estimate.

Source: D. Sklansky and M. Malmuth, *Hold'em Poker for Advanced Players*; *Hold'em Killer*, "Opponent
Modeling".
"""

from __future__ import annotations

from typing import Final

from engine.combos import STARTING_HAND_NAMES, parse_starting_hand

__all__ = ["NO_GROUP", "group_of", "is_drawing", "plays", "raises"]

_GROUPS: Final = (
    "AA KK QQ JJ AKs",
    "TT AQs AJs KQs AKo",
    "99 JTs QJs KJs ATs AQo",
    "T9s KQo 88 QTs 98s J9s AJo KTs",
    "77 87s Q9s T8s KJo QJo JTo 76s 97s A9s A8s A7s A6s A5s A4s A3s A2s 65s",
    "66 ATo 55 86s KTo QTo 54s K9s J8s 75s",
    "44 J9o 64s T9o 53s 33 98o 43s 22 K8s K7s K6s K5s K4s K3s K2s T7s Q8s",
    "87o A9o Q9o 76o 42s 32s 96s 85s J8o J7s 65o 54o 74s K9o T8o",
)

NO_GROUP: Final = len(_GROUPS) + 1


def _numbers() -> tuple[int, ...]:
    numbers = [NO_GROUP] * len(STARTING_HAND_NAMES)
    for number, names in enumerate(_GROUPS, 1):
        for name in names.split():
            numbers[parse_starting_hand(name)] = number
    return tuple(numbers)


_NUMBERS: Final = _numbers()

_LEAST_GROUP: Final = {"early": 4, "middle": 5, "late": 7, "heads-up": 8}
"""The last group that is played where nobody has raised, by position."""
_WANTED: Final = 3.0
"""Callers that a drawing hand needs, us not counted."""
_ROOM: Final = 1.0
"""By how much the estimate of callers may be wrong."""


def group_of(hand: int) -> int:
    """The group of a starting hand, 1 to 8, or `NO_GROUP`."""
    return _NUMBERS[hand]


def is_drawing(hand: int) -> bool:
    """Whether a starting hand plays for a straight or flush: suited, or connected below a queen; no pair, and
    not two cards of jack or more.
    """
    name = STARTING_HAND_NAMES[hand]
    high, low = (("23456789TJQKA").index(rank) for rank in name[:2])
    if high == low or low >= 9:
        return False
    return name.endswith("s") or (high - low == 1 and high < 10)


def plays(hand: int, position: str, scaled_bets: float, expected_callers: float, opponents: int) -> bool:
    """Whether a hand is worth a call.

    Args:
        hand: 0 to 168.
        position: early, middle, late or heads-up.
        scaled_bets: raises behind, each as much as its bettor is tight.
        expected_callers: who will see the flop with us.
        opponents: who could.
    """
    last = _LEAST_GROUP[position]
    group = group_of(hand)
    if position != "heads-up" and is_drawing(hand) and group > 3:
        return group <= last and expected_callers + _ROOM >= min(_WANTED, opponents)
    # Every whole raise behind asks for a hand two groups better; heads-up one group is enough.
    stricter = (1.0 if position == "heads-up" else 2.0) * scaled_bets
    return group <= last - stricter


def raises(hand: int, position: str, scaled_bets: float) -> bool:
    """Whether a hand is worth a raise: two groups better than a call, and made."""
    last = _LEAST_GROUP[position] - 2
    return not is_drawing(hand) and group_of(hand) <= max(1.0, last - 2.0 * scaled_bets)
