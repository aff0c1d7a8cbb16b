"""The numbers that chapter 5 of the Poker Learner thesis prints: who played, Tables 5.1 to 5.8.

The thesis does not print its stakes.  By default its testbed has blinds of $0.01 and $0.02 and gives $2 to
everybody, and the bankrolls fit: a dollar of the thesis is 100 of our chips, with blinds 1/2 and 200 chips.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = [
    "BIG_BLIND", "BOTS", "CHIPS_PER_DOLLAR", "LEARNERS", "MODES", "POINTS", "SIMPLE_BOT", "STACK", "TABLES",
    "THESIS_BANKROLLS", "THESIS_CHECKPOINTS", "THESIS_LEARNED", "THESIS_PLACES", "LearnedRow", "file_name",
    "noted_at", "thesis_rate",
]  # fmt: skip

LEARNERS: Final = ("hole-cards-learner", "winning-hand-learner", "name-learner", "poker-learner")
SIMPLE_BOT: Final = "simple:preflop-only"
BOTS: Final = ("always-all-in", "always-call", "hand-strength:plain", SIMPLE_BOT)

TABLES: Final = {"five seats": BOTS, "six seats": (*BOTS, SIMPLE_BOT)}
"""The bots of the competition: the thesis mentions five opponents, and has four."""
MODES: Final = ("learning", "frozen")
"""How a learner plays heads-up: the first as in the thesis, the second without a counterpart there."""
POINTS: Final = 100
"""How often a bankroll is recorded in a match."""

BIG_BLIND: Final = 2
STACK: Final = 200
CHIPS_PER_DOLLAR: Final = 100
THESIS_CHECKPOINTS: Final = (5_000, 50_000, 100_000)
"""The numbers of hands after which the thesis prints bankrolls."""

THESIS_BANKROLLS: Final[Mapping[str, Mapping[str, tuple[float, float, float]]]] = {
    "always-all-in": {
        "hole-cards-learner": (606.97, 6285.92, 12669.82),
        "winning-hand-learner": (324.76, 2246.17, 4187.45),
        "name-learner": (605.48, 6488.91, 13158.19),
        "poker-learner": (292.09, 2831.04, 5801.28),
    },
    "always-call": {
        "hole-cards-learner": (588.68, 6325.80, 12782.77),
        "winning-hand-learner": (324.76, 2246.17, 4187.45),
        "name-learner": (640.52, 6290.70, 12944.63),
        "poker-learner": (373.76, 3178.86, 6856.90),
    },
    "hand-strength:plain": {
        "hole-cards-learner": (411.58, 3160.99, 6657.04),
        "winning-hand-learner": (130.46, 770.21, 1015.85),
        "name-learner": (313.57, 2932.19, 6029.68),
        "poker-learner": (-18.23, 354.98, 982.55),
    },
    SIMPLE_BOT: {
        "hole-cards-learner": (47.89, 37.68, 404.57),
        "winning-hand-learner": (60.53, 397.10, 812.05),
        "name-learner": (40.39, -299.80, -309.21),
        "poker-learner": (-29.18, -915.64, -1858.30),
    },
}
"""Dollars after 5,000, 50,000 and 100,000 hands: Tables 5.1 to 5.4.

The last two numbers of 5.3 (1015.85 and 982.55) may be the other way round, since the copy at hand has them
out of order.  Winning Hand Learner's columns of 5.1 and 5.2 are equal to the cent, which cannot be right.
"""

THESIS_PLACES: Final[Mapping[str, int]] = {
    "hole-cards-learner": 1,
    "winning-hand-learner": 2,
    "name-learner": 1,
    "poker-learner": 1,
}
"""Each learner's place in its competition (5.2.5)."""

LearnedRow = tuple[str, str, str, str, tuple[int, int, int]]
"""Starting hand, position, last player and what they did; fold, call, raise in per cent."""

THESIS_LEARNED: Final[Mapping[str, Sequence[LearnedRow]]] = {
    "hole-cards-learner": (
        ("72o", "late", "tight passive", "raise", (82, 0, 18)),
        ("53o", "late", "tight aggressive", "raise", (94, 0, 6)),
        ("A7s", "late", "tight passive", "call", (0, 2, 98)),
        ("88", "late", "tight aggressive", "raise", (4, 0, 96)),
    ),
    "winning-hand-learner": (
        ("32s", "middle", "tight passive", "call", (98, 2, 0)),
        ("62o", "early", "tight aggressive", "raise", (90, 10, 0)),
        ("AQs", "late", "tight aggressive", "raise", (91, 9, 0)),
        ("AA", "middle", "tight passive", "raise", (0, 1, 99)),
    ),
    "name-learner": (
        ("62s", "late", "hand-strength", "raise", (98, 1, 1)),
        ("52o", "late", "simple", "call", (100, 0, 0)),
        ("KK", "late", "simple", "raise", (26, 31, 43)),
        ("TT", "late", "simple", "call", (0, 4, 96)),
    ),
    "poker-learner": (
        ("TT", "early", "tight passive", "call", (0, 0, 100)),
        ("KK", "early", "tight aggressive", "raise", (0, 0, 100)),
    ),
}
"""Tables 5.5 to 5.8.  The hands of the first two rows of 5.8, both 100 % fold, are illegible."""


def thesis_rate(bot: str, learner: str) -> float:
    """Big blinds per hand over the thesis's 100,000 hands."""
    return THESIS_BANKROLLS[bot][learner][-1] * CHIPS_PER_DOLLAR / BIG_BLIND / THESIS_CHECKPOINTS[-1]


def noted_at(match_hands: int) -> list[int]:
    """The numbers of hands of a match after which bankrolls are recorded."""
    return [max(1, round(match_hands * point / POINTS)) for point in range(1, POINTS + 1)]


def file_name(bot: str) -> str:
    """A bot with its options, as part of the name of a file."""
    return re.sub("[:,=]", "-", bot)
