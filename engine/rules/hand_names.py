"""Hands in words: "two pair, kings and tens", of any number of cards, in any game.

The words are those of `engine.evaluation`.  They are worked out here from the rules' plain hand rank
because naming must not wait for numba at the first showdown, and because Kuhn and Leduc have hands of
one and two cards; a test holds the two to the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.rules import hand_rank

_NAMES: Final = (
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
_MAIN_RANKS: Final = (0, 1, 2, 1, 1, 0, 2, 1, 1)
"""By category: how many ranks name the hand; the others are kickers."""


def name_hand(cards: Sequence[int], *, kickers: bool = False) -> str:
    """The best hand among 1 to 10 cards, in words.

    Args:
        cards: hole cards and board.
        kickers: name also the cards that only break ties.

    >>> from engine.cards import parse_cards
    >>> name_hand(parse_cards("KsTd" "KhTc2s3d5c"))
    'two pair, kings and tens'
    """
    value = hand_rank(cards)
    category = value >> 20
    ranks = [(value >> shift & 15) - 1 for shift in (16, 12, 8, 4, 0) if value >> shift & 15]
    main, rest = ranks[: _MAIN_RANKS[category]], ranks[_MAIN_RANKS[category] :]
    plurals = " and ".join(map(_plural, main))
    text = _name(category, main, rest, plurals)
    if kickers and rest and category in (1, 2, 3, 7):
        text += f", {_listed(rest)} kicker{'s' if len(rest) > 1 else ''}"
    return text


def _name(category: int, main: list[int], rest: list[int], plurals: str) -> str:
    match category:
        case 0:
            return f"high card, {_listed(rest)}"
        case 1:
            return f"pair of {plurals}"
        case 2:
            return f"two pair, {plurals}"
        case 3:
            return f"three of a kind, {plurals}"
        case 4:
            return f"straight, {_NAMES[main[0]]} high"
        case 5:
            return f"flush, {_listed(rest)}"
        case 6:
            return f"full house, {_plural(main[0])} over {_plural(main[1])}"
        case 7:
            return f"four of a kind, {plurals}"
        case _:
            return "royal flush" if main[0] == 12 else f"straight flush, {_NAMES[main[0]]} high"


def _plural(rank: int) -> str:
    return _NAMES[rank] + ("es" if _NAMES[rank] == "six" else "s")


def _listed(ranks: Sequence[int]) -> str:
    *names, last = [_NAMES[rank] for rank in ranks]
    return f"{', '.join(names)} and {last}" if names else last
