"""Cards as people write them: ``7h9h``, ``7H 9h``, ``10h``, ``7♥9♥``, ``[7h, 9h]``.

The wire has one spelling (``engine.poker.cards.parse_cards``); a command line should accept all common ones.
"""

from __future__ import annotations

from typing import Final

from engine.poker.cards import CARD_TEXTS, RANKS, SUITS, InvalidCardError

__all__ = ["parse_written_cards"]

_SUITS: Final = {
    **{suit: index for index, suit in enumerate(SUITS)},
    **dict(zip("♣♦♥♠", range(4), strict=True)),
    **dict(zip("♧♢♡♤", range(4), strict=True)),
}
_RANKS: Final = {rank: index for index, rank in enumerate(RANKS)}

# Ignored between cards; the last two only select how a suit's sign is drawn.
_IGNORED: Final = dict.fromkeys(map(ord, " \t\r\n,;.-_/|[](){}\ufe0e\ufe0f"))


def parse_written_cards(text: str) -> tuple[int, ...]:
    """The cards of a text in any common spelling, in the order written.

    Ranks and suits may be upper or lower case, a ten ``T`` or ``10``, suits letters or signs; blanks, commas,
    dashes and brackets between cards are ignored.

    Raises:
        InvalidCardError: something that is not a card, or a card twice.
    """
    plain = text.translate(_IGNORED).replace("10", "T")
    cards: list[int] = []
    at = 0
    while at < len(plain):
        rank = _RANKS.get(plain[at].upper())
        if rank is None:
            raise InvalidCardError(
                f"{text!r}: {plain[at]!r} is not a rank; "
                "a card is a rank (2..9, T or 10, J, Q, K, A) and a suit"
            )
        suit = _SUITS.get(plain[at + 1].lower()) if at + 1 < len(plain) else None
        if suit is None:
            found = "nothing follows" if at + 1 == len(plain) else f"{plain[at + 1]!r} follows"
            raise InvalidCardError(
                f"{text!r}: after the rank {plain[at]!r} {found}; a suit is one of c d h s or ♣ ♦ ♥ ♠"
            )
        card = rank * 4 + suit
        if card in cards:
            raise InvalidCardError(f"{text!r}: {CARD_TEXTS[card]} is there twice")
        cards.append(card)
        at += 2
    return tuple(cards)
