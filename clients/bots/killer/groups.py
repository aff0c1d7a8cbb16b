"""Sklansky's groups of starting hands, as an alternative before the flop.

Group 1 is the best.  Hands in none of the eight groups are played only for free.  The paper uses the groups
where it has no method of its own, and says how to scale them ("Opponent Model for the preflop itself"):

* A *made* hand (a pair or high cards) wants few opponents.  Bets already made count against it; the bet of a
  player who sees twice the ideal number of flops counts half.
* A *drawing* hand wants to be paid.  Each player who has bet is a caller, and each player still to act counts
  as the share of flops that this player sees.  The hand is played if as many callers as it needs are
  expected, with some room for error.

Source: D. Sklansky and M. Malmuth, *Hold'em Poker for Advanced Players*; *Hold'em Killer*, "Opponent
Modeling".
"""

from __future__ import annotations

from typing import Final

from engine.poker.combos import STARTING_HAND_NAMES, parse_starting_hand

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
"""The last group that is played if nobody has raised, by position."""
_WANTED: Final = 3.0
"""Callers that a drawing hand needs, not counting us."""
_ROOM: Final = 1.0
"""How many of these callers may be missing from the estimate."""


def group_of(hand: int) -> int:
    """The group of a starting hand, 1 to 8, or `NO_GROUP`."""
    return _NUMBERS[hand]


def is_drawing(hand: int) -> bool:
    """Whether a starting hand plays for a straight or flush.

    It is suited, or its ranks are adjacent below a queen; it is not a pair, nor two cards of jack or higher.
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
        scaled_bets: raises already made, each scaled by how tight its bettor is.
        expected_callers: the expected number of opponents who will see the flop.
        opponents: the number of opponents who could.
    """
    last = _LEAST_GROUP[position]
    group = group_of(hand)
    if position != "heads-up" and is_drawing(hand) and group > 3:
        return group <= last and expected_callers + _ROOM >= min(_WANTED, opponents)
    # Every full raise already made requires a hand two groups better; heads-up one group is enough.
    stricter = (1.0 if position == "heads-up" else 2.0) * scaled_bets
    return group <= last - stricter


def raises(hand: int, position: str, scaled_bets: float) -> bool:
    """Whether a hand is worth a raise: a made hand, two groups better than for a call."""
    last = _LEAST_GROUP[position] - 2
    return not is_drawing(hand) and group_of(hand) <= max(1.0, last - 2.0 * scaled_bets)
