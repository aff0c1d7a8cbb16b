"""Hand rank: the class, of 7462, of the best five of 5, 6 or 7 cards.

A rank is an integer, 0 (7-5-4-3-2 of mixed suits) to 7461 (a royal flush); greater is better, equal ranks
split the pot, and 5, 6 and 7 cards are on the same scale.  Cards are the integers of ``engine.poker.cards``.
`engine.poker.rules.hand_rank` is the plain form, for any deck and number of cards, on a scale of its own.

===========================  =============================================================
``hand_rank(cards)``         one hand, checked
``rank_seven_cards(a..g)``   one hand of seven, unchecked: for inner loops written in Python
``hand_ranks(hands)``        many hands, ``(N, 5|6|7)`` uint8
``board_ranks(board)``       every combo on a board, ``(1326,)``
===========================  =============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from engine.kernels.poker import ranking
from engine.kernels.poker.tables import CATEGORY_SHIFT, NUM_CLASSES, class_scores, ranking_table
from engine.poker.cards import NUM_CARDS, format_cards
from engine.poker.combos import NUM_COMBOS
from engine.poker.rules.hand_rank import HandCategory
from engine.support.arrays import Bytes, Words16

NUM_HAND_RANKS: Final = NUM_CLASSES
"""7462: hand ranks are 0..7461."""

DEAD_COMBO: Final = ranking.DEAD
"""0xFFFF, in place of the rank of a combo that shares a card with the board."""

rank_five_cards = ranking.rank_five
"""The rank of five different cards, five ints.  Unchecked: wrong cards give a wrong rank or a crash."""

rank_six_cards = ranking.rank_six
"""The rank of the best five of six different cards, six ints.  Unchecked, as `rank_five_cards`."""

rank_seven_cards = ranking.rank_seven
"""The rank of the best five of seven different cards, seven ints.  Unchecked, as `rank_five_cards`."""


def check_cards(cards: Sequence[int], what: str = "cards") -> tuple[int, ...]:
    """The cards as a tuple of ints, after checking that they are different cards of 0..51.

    Args:
        cards: a sequence or array of integers.
        what: what the error message calls them.

    Raises:
        ValueError: a number outside 0..51, or a card twice.
    """
    checked = tuple(map(int, cards))
    if not checked or (len(set(checked)) == len(checked) and min(checked) >= 0 and max(checked) < NUM_CARDS):
        return checked
    for card in checked:
        if not 0 <= card < NUM_CARDS:
            raise ValueError(f"{what}: expected cards of 0..51, got {card}")
    raise ValueError(f"{what}: expected different cards, got {format_cards(checked)}")


ANY_BOARD: Final = (0, 3, 4, 5)
"""The sizes of a board in every betting round, for `check_board`."""


def check_board(board: Sequence[int], sizes: tuple[int, ...] = (3, 4, 5)) -> tuple[int, ...]:
    """The board as a tuple of ints, after checking its cards and its size.

    Raises:
        ValueError: a number outside 0..51, a card twice, or a size that is not one of `sizes`.
    """
    checked = check_cards(board, "board")
    if len(checked) not in sizes:
        *others, last = map(str, sizes)
        expected = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"board: expected {expected} cards, got {len(checked)}: {format_cards(checked)!r}")
    return checked


def check_hole_cards(hole_cards: Sequence[int]) -> tuple[int, int]:
    """Two hole cards as ints, after checking that they are two different cards of 0..51.

    Raises:
        ValueError: another number of cards, a number outside 0..51, or a card twice.
    """
    if len(hole_cards) != 2:
        raise ValueError(f"hole cards: expected 2 cards, got {len(hole_cards)}")
    first, second = check_cards(hole_cards, "hole cards")
    return first, second


def check_hand_and_board(
    hole_cards: Sequence[int], board: Sequence[int], sizes: tuple[int, ...] = (3, 4, 5)
) -> tuple[tuple[int, int], tuple[int, ...]]:
    """Hole cards and board as ints, after checking the cards and how many there are.

    Raises:
        ValueError: a wrong number of cards, a number outside 0..51, or a card twice.
    """
    cards = (*hole_cards, *board)
    if (
        len(hole_cards) == 2
        and len(board) in sizes
        and len(set(cards)) == len(cards)
        and min(cards) >= 0
        and max(cards) < NUM_CARDS
    ):
        # The common case, several times faster than the checks below.
        first, second = hole_cards
        return (first, second), tuple(board)
    hole = check_hole_cards(hole_cards)
    checked_board = check_board(board, sizes)
    check_cards(hole + checked_board, "hole cards and board")
    return hole, checked_board


_RANK_BY_SIZE: Final[dict[int, Callable[..., int]]] = {
    5: rank_five_cards,
    6: rank_six_cards,
    7: rank_seven_cards,
}


def hand_rank(cards: Sequence[int]) -> int:
    """The rank 0..7461 of the best five of 5, 6 or 7 cards.

    Raises:
        ValueError: not 5, 6 or 7 cards, a number outside 0..51, or a card twice.
    """
    checked = check_cards(cards)
    rank = _RANK_BY_SIZE.get(len(checked))
    if rank is None:
        raise ValueError(f"a hand: expected 5, 6 or 7 cards, got {len(checked)}: {format_cards(checked)!r}")
    return rank(*checked)


def hand_ranks(hands: Bytes) -> Words16:
    """The rank of every row of `hands`.

    That the cards of a row differ is not checked; that they are cards is.

    Args:
        hands: shape (N, 5|6|7), uint8.

    Returns:
        Shape (N,), uint16.

    Raises:
        ValueError: another shape or type, or a number above 51.
    """
    if hands.ndim != 2 or hands.shape[1] not in (5, 6, 7) or hands.dtype != np.uint8:
        raise ValueError(f"hands: expected shape (N, 5|6|7) and uint8, got {hands.shape} and {hands.dtype}")
    hands = np.ascontiguousarray(hands)
    ranks = np.empty(len(hands), np.uint16)
    if hands.shape[1] == 7:
        are_cards = ranking.rank_seven_card_hands(ranking_table(), hands.ravel(), ranks) < ranking.NOT_A_CARD
    elif are_cards := not hands.size or int(hands.max()) < NUM_CARDS:
        ranking.rank_hands(ranking_table(), hands, ranks)
    if not are_cards:
        raise ValueError(f"hands: expected cards of 0..51, got {int(hands.max())}")
    return ranks


def board_ranks(board: Sequence[int]) -> Words16:
    """The rank of every combo with a board of 3, 4 or 5 cards.

    Returns:
        Shape (1326,), uint16, by combo index; `DEAD_COMBO` (0xFFFF) where a combo shares a card with the
        board.

    Raises:
        ValueError: another number of cards, a number outside 0..51, or a card twice.
    """
    ranks = np.empty(NUM_COMBOS, np.uint16)
    ranking.fill_board_ranks(ranking_table(), np.array(check_board(board), np.uint8), ranks)
    return ranks


def hand_category(rank: int) -> HandCategory:
    """The category of a hand rank.

    Raises:
        ValueError: a number outside 0..7461.
    """
    if not 0 <= rank < NUM_CLASSES:
        raise ValueError(f"a hand rank is 0..{NUM_CLASSES - 1}, got {rank}")
    return HandCategory(int(class_scores()[rank]) >> CATEGORY_SHIFT)
