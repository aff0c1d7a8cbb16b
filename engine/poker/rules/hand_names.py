"""Hands in words: "two pair, kings and tens", for any number of cards, in any game.

They are computed from the rules' plain hand rank: naming must not wait for numba at the first showdown,
and Kuhn and Leduc have hands of one and two cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.poker.rules.hand_rank import HandCategory, hand_category, hand_rank, ranks_in_order

_NAMES: Final = (
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
_MAIN_RANKS: Final = (0, 1, 2, 1, 1, 0, 2, 1, 1)
"""By category: how many ranks name the hand; the others are kickers."""
_HAVE_KICKERS: Final = (
    HandCategory.PAIR,
    HandCategory.TWO_PAIR,
    HandCategory.THREE_OF_A_KIND,
    HandCategory.FOUR_OF_A_KIND,
)


def name_hand(cards: Sequence[int], *, kickers: bool = False) -> str:
    """The best hand among 1 to 10 cards, in words.

    Args:
        cards: hole cards and board.
        kickers: name also the cards that only break ties.

    >>> from engine.poker.cards import parse_cards
    >>> name_hand(parse_cards("KsTd" "KhTc2s3d5c"))
    'two pair, kings and tens'
    """
    value = hand_rank(cards)
    category, ranks = hand_category(value), ranks_in_order(value)
    main, rest = ranks[: _MAIN_RANKS[category]], ranks[_MAIN_RANKS[category] :]
    plurals = " and ".join(map(_plural, main))
    text = _name(category, main, rest, plurals)
    if kickers and rest and category in _HAVE_KICKERS:
        text += f", {_listed(rest)} kicker{'s' if len(rest) > 1 else ''}"
    return text


def _name(category: HandCategory, main: list[int], rest: list[int], plurals: str) -> str:
    match category:
        case HandCategory.HIGH_CARD:
            return f"high card, {_listed(rest)}"
        case HandCategory.PAIR:
            return f"pair of {plurals}"
        case HandCategory.TWO_PAIR:
            return f"two pair, {plurals}"
        case HandCategory.THREE_OF_A_KIND:
            return f"three of a kind, {plurals}"
        case HandCategory.STRAIGHT:
            return f"straight, {_NAMES[main[0]]} high"
        case HandCategory.FLUSH:
            return f"flush, {_listed(rest)}"
        case HandCategory.FULL_HOUSE:
            return f"full house, {_plural(main[0])} over {_plural(main[1])}"
        case HandCategory.FOUR_OF_A_KIND:
            return f"four of a kind, {plurals}"
        case HandCategory.STRAIGHT_FLUSH:
            return "royal flush" if main[0] == 12 else f"straight flush, {_NAMES[main[0]]} high"


def _plural(rank: int) -> str:
    return _NAMES[rank] + ("es" if _NAMES[rank] == "six" else "s")


def _listed(ranks: Sequence[int]) -> str:
    *names, last = [_NAMES[rank] for rank in ranks]
    return f"{', '.join(names)} and {last}" if names else last
