"""Cards: from a seed, bit for bit as the ACPC dealer draws them, or from a secret key.

**From a seed** (`CardDealer`; docs/acpc-dealer.md section 4).  The generator is MT19937 with the classic
single-integer seeding, which CPython's `random.seed` does not use; the state words are therefore built here
and handed to the standard library's generator.  One stream serves a whole match and only dealing draws from
it, so that the same seed gives the same cards to each position no matter what the players do.  Such a seed
has 32 bits: a player who has seen six hands of their own cards finds it in minutes.

**From a key** (`KeyedDealer`), for players you do not trust.  The cards of hand h are drawn from the words
of ``HMAC-SHA256(key, "riverboat cards" || h || block)`` for block 0, 1, ..., with h and block as 8 bytes,
big-endian; a block is eight words of 32 bits, big-endian.  A card is chosen from the n that are left by
the first word below the greatest multiple of n, modulo n, so that every order of the deck is equally
likely.  A hand follows from the key and its number alone.

If each hand has a key of its own, its cards are those of hand 0 of that key.
"""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import attrs

from engine.poker.rules.game_definition import GameDefinition

_NUM_WORDS: Final = 624
_NUMBERS: Final = struct.Struct(">QQ")
_WORDS: Final = struct.Struct(">8I")


@attrs.frozen
class Deal:
    """All the cards of one hand, whether or not they are needed."""

    hole_cards: tuple[tuple[int, ...], ...]
    """By position, in the order dealt."""
    board: tuple[int, ...]
    """All board cards of all betting rounds, in the order dealt."""


def acpc_generator(seed: int) -> random.Random:
    """MT19937 in the state the ACPC programs give it: `getrandbits(32)` draws their numbers.

    Args:
        seed: any non-negative integer; only its lowest 32 bits count.
    """
    word = seed & 0xFFFFFFFF
    words = [word]
    for i in range(1, _NUM_WORDS):
        word = (1812433253 * (word ^ word >> 30) + i) & 0xFFFFFFFF
        words.append(word)
    generator = random.Random()
    generator.setstate((3, (*words, _NUM_WORDS), None))
    return generator


def _cards_left(game: GameDefinition) -> range:
    """How many cards each card of a hand is drawn from."""
    size = len(game.deck)
    return range(size, size - game.cards_per_hand, -1)


def _deal(game: GameDefinition, indices: Iterable[int]) -> Deal:
    """All hole cards by position, then the whole board (docs/acpc-dealer.md 4.3, 4.4).

    Args:
        game: what is being dealt.
        indices: of each card among those left (`_cards_left`).
    """
    deck = list(game.deck)
    left = len(deck)
    cards: list[int] = []
    for index in indices:
        left -= 1
        cards.append(deck[index])
        deck[index] = deck[left]
    hole = game.num_hole_cards
    end = hole * game.num_players
    return Deal(
        tuple([tuple(cards[first : first + hole]) for first in range(0, end, hole)]), tuple(cards[end:])
    )


class CardDealer:
    """Deals the hands of a match one after another, from a seed."""

    def __init__(self, game: GameDefinition, seed: int) -> None:
        self._game = game
        self._cards_left = _cards_left(game)
        self._draw = acpc_generator(seed).getrandbits

    def deal(self) -> Deal:
        """The next hand."""
        draw = self._draw
        return _deal(self._game, [draw(32) % left for left in self._cards_left])

    def skip(self, hands: int) -> None:
        """Pass over some hands without dealing them."""
        for _ in range(hands * len(self._cards_left)):
            self._draw(32)


class KeyedDealer:
    """Deals the hands of a match one after another, from a key that nobody can guess, or from a key for each.

    Args:
        game: what is being dealt.
        key: of all hands; or a function that gives the key of a hand, by its number.
    """

    def __init__(self, game: GameDefinition, key: bytes | Callable[[int], bytes]) -> None:
        self._game = game
        self._key = key
        self._hand = 0

    def deal(self) -> Deal:
        """The next hand."""
        key, hand = self._key, self._hand
        self._hand += 1
        words = _keyed_words(key, hand) if isinstance(key, bytes) else _keyed_words(key(hand), 0)

        def index_below(left: int) -> int:
            unbiased = 2**32 - 2**32 % left
            return next(word for word in words if word < unbiased) % left

        return _deal(self._game, map(index_below, _cards_left(self._game)))

    def skip(self, hands: int) -> None:
        """Pass over some hands without dealing them."""
        self._hand += hands


def _keyed_words(key: bytes, hand: int) -> Iterator[int]:
    """The random words of one hand, without end."""
    from hmac import digest  # loads OpenSSL: only matches with a key wait for it

    for block in itertools.count():
        yield from _WORDS.unpack(digest(key, b"riverboat cards" + _NUMBERS.pack(hand, block), "sha256"))


class StackedDealer:
    """Deals given hands in order: for tests, for replaying, for the same cards in other seats."""

    def __init__(self, deals: Sequence[Deal]) -> None:
        self._deals = iter(deals)

    def deal(self) -> Deal:
        """The next of the given hands.

        Raises:
            LookupError: there are no more.
        """
        deal = next(self._deals, None)
        if deal is None:  # not StopIteration, which a generator that plays hands may not let pass
            raise LookupError("no more hands have been stacked")
        return deal

    def skip(self, hands: int) -> None:
        """Skip some hands; fewer, if there are no more."""
        for _ in itertools.islice(self._deals, hands):
            pass
