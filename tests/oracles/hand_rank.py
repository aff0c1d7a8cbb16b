"""Hand values as a rule book states them: the best of all five-card subsets, compared as tuples.

For 1 to 10 cards of any deck (docs/acpc-dealer.md 3.7).  Slow and obvious on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from engine.poker.cards import rank_of, suit_of

ACE, FIVE = 12, 3

Value = tuple[int, ...]


def hand_value(cards: Sequence[int]) -> Value:
    """Category (8 straight flush .. 0 high card), then the ranks that break ties; greater wins."""
    return max(five_card_value(hand) for hand in combinations(cards, min(len(cards), 5)))


def five_card_value(hand: Sequence[int]) -> Value:
    """The value of at most five cards."""
    ranks = sorted(map(rank_of, hand), reverse=True)
    # Ranks by how often they come and then by height: 7-7-K-K-7 is [7, K], its pattern (3, 2).
    counts = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    by_count = [rank for rank, _ in counts]
    pattern = tuple(count for _, count in counts)

    is_flush = len(hand) == 5 and len(set(map(suit_of, hand))) == 1
    straight_high = None
    if len(set(ranks)) == 5:
        if ranks[0] - ranks[4] == 4:
            straight_high = ranks[0]
        elif ranks == [ACE, 3, 2, 1, 0]:
            straight_high = FIVE

    if is_flush and straight_high is not None:
        return (8, straight_high)
    if pattern[0] == 4:
        return (7, *by_count)
    if pattern == (3, 2):
        return (6, *by_count)
    if is_flush:
        return (5, *ranks)
    if straight_high is not None:
        return (4, straight_high)
    if pattern[0] == 3:
        return (3, *by_count)
    if pattern[:2] == (2, 2):
        return (2, *by_count)
    if pattern[0] == 2:
        return (1, *by_count)
    return (0, *ranks)
