"""Playing cards as small integers, with the text forms of the field.

A card is ``rank * 4 + suit``::

    rank   0 1 2 3 4 5 6 7 8 9 10 11 12        suit   0 1 2 3
           2 3 4 5 6 7 8 9 T J Q  K  A                c d h s

so 2c is 0, 2d is 1, ... As is 51.  This is the order of the ACPC programs' own deck sorted by rank;
the integer *is* the public type, text is made beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
NUM_RANKS: Final = 13
NUM_SUITS: Final = 4
NUM_CARDS: Final = 52

CARD_TEXTS: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The text of each card, ``CARD_TEXTS[51] == "As"``."""

_CARD_BY_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}
_WRITTEN_SUITS: Final = f"{SUITS}♣♦♥♠♧♢♡♤"

# Ignored between cards; the last two only select how a suit's sign is drawn.
_IGNORED: Final = dict.fromkeys(map(ord, " \t\r\n,;.-_/|[](){}\ufe0e\ufe0f"))


class InvalidCardError(ValueError):
    """Text that is not a card, or a card named twice."""


def make_card(rank: int, suit: int) -> int:
    """The card of a rank index (0 = deuce .. 12 = ace) and a suit index (0 = clubs .. 3 = spades)."""
    return rank * NUM_SUITS + suit


def rank_of(card: int) -> int:
    """Rank index of a card, 0 for a deuce to 12 for an ace."""
    return card >> 2


def suit_of(card: int) -> int:
    """Suit index of a card: clubs 0, diamonds 1, hearts 2, spades 3."""
    return card & 3


def parse_card(text: str) -> int:
    """The card of its ACPC text, such as ``"Td"``.

    Raises:
        InvalidCardError: the text is not a rank of ``23456789TJQKA`` followed by a suit of ``cdhs``.
    """
    try:
        return _CARD_BY_TEXT[text]
    except KeyError:
        raise InvalidCardError(
            f"{text!r} is not a card: expected a rank of {RANKS} and a suit of {SUITS}"
        ) from None


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards of concatenated ACPC texts, such as ``"AcQd2h"``, in the order written.

    Raises:
        InvalidCardError: an odd number of characters, or a pair of them that is not a card.
    """
    if len(text) % 2:
        raise InvalidCardError(f"{text!r} is not a list of two-character cards: its length is odd")
    texts = [text[i : i + 2] for i in range(0, len(text), 2)]
    try:
        return tuple([_CARD_BY_TEXT[card] for card in texts])
    except KeyError:
        return tuple(map(parse_card, texts))  # says which of them is no card


def format_cards(cards: Iterable[int]) -> str:
    """The concatenated ACPC texts of some cards, in the order given: ``"AcQd2h"``."""
    return "".join([CARD_TEXTS[card] for card in cards])


def parse_written_cards(text: str) -> tuple[int, ...]:
    """The cards of a text in any common spelling, in the order written: ``7H 9h``, ``10h``, ``[7♥, 9♥]``.

    The wire has one spelling (`parse_cards`); a command line accepts all common ones.  Ranks and suits may be
    upper or lower case, a ten ``T`` or ``10``, suits letters or signs; blanks, commas, dashes and brackets
    between cards are ignored.

    Raises:
        InvalidCardError: something that is not a card, or a card twice.
    """
    plain = text.translate(_IGNORED).replace("10", "T")
    cards: list[int] = []
    at = 0
    while at < len(plain):
        rank = RANKS.find(plain[at].upper())
        if rank < 0:
            raise InvalidCardError(
                f"{text!r}: {plain[at]!r} is not a rank; "
                "a card is a rank (2..9, T or 10, J, Q, K, A) and a suit"
            )
        suit = _WRITTEN_SUITS.find(plain[at + 1].lower()) if at + 1 < len(plain) else -1
        if suit < 0:
            found = "nothing follows" if at + 1 == len(plain) else f"{plain[at + 1]!r} follows"
            raise InvalidCardError(
                f"{text!r}: after the rank {plain[at]!r} {found}; a suit is one of c d h s or ♣ ♦ ♥ ♠"
            )
        card = make_card(rank, suit % NUM_SUITS)
        if card in cards:
            raise InvalidCardError(f"{text!r}: {CARD_TEXTS[card]} is there twice")
        cards.append(card)
        at += 2
    return tuple(cards)
