"""The plain way to rank a hand: name every five cards by their groups, take the best of all fives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

Value = tuple[int, tuple[int, ...]]


def five_card_value(cards: Iterable[int]) -> Value:
    """Category 0..8 and the ranks that break ties, compared as tuples."""
    five = list(cards)
    groups = sorted(
        Counter(card >> 2 for card in five).items(), key=lambda item: (item[1], item[0]), reverse=True
    )
    ranks = tuple(rank for rank, _ in groups)
    shape = tuple(count for _, count in groups)
    flush = len({card & 3 for card in five}) == 1
    top = None
    if len(ranks) == 5:
        if ranks[0] - ranks[4] == 4:
            top = ranks[0]
        elif ranks == (12, 3, 2, 1, 0):
            top = 3
    if flush and top is not None:
        return 8, (top,)
    if shape[0] == 4:
        return 7, ranks
    if shape == (3, 2):
        return 6, ranks
    if flush:
        return 5, ranks
    if top is not None:
        return 4, (top,)
    if shape[0] == 3:
        return 3, ranks
    if shape[:2] == (2, 2):
        return 2, ranks
    if shape[0] == 2:
        return 1, ranks
    return 0, ranks


def hand_value(cards: Iterable[int]) -> Value:
    """The best value of any five of the cards."""
    return max(five_card_value(five) for five in combinations(cards, 5))
