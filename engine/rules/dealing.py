"""Cards from a seed, bit for bit as the ACPC dealer draws them (acpc-spec section 4).

The generator is MT19937 with the classic single-integer seeding, which CPython's `random.seed` does
not use; the state words are therefore built here and handed to the standard library's generator.
One stream serves a whole match and only dealing draws from it, so that the same seed gives the same
cards to each position whatever the players do.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Final

import attrs

from engine.rules.game_definition import GameDefinition

_NUM_WORDS: Final = 624


@attrs.frozen
class Deal:
    """The cards of one hand, all of them, whatever happens in it."""

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


class CardDealer:
    """Deals the hands of a match one after the other."""

    def __init__(self, game: GameDefinition, seed: int) -> None:
        self._game = game
        self._draw = acpc_generator(seed).getrandbits
        hole = game.num_hole_cards
        self._hole_ends = range(hole, hole * game.num_players + 1, hole)

    def deal(self) -> Deal:
        """The next hand: all hole cards by position, then the whole board (acpc-spec 4.3, 4.4)."""
        deck = list(self._game.deck)
        draw = self._draw
        left = len(deck)
        cards: list[int] = []
        for _ in range(self._game.cards_per_hand):
            index = draw(32) % left
            left -= 1
            cards.append(deck[index])
            deck[index] = deck[left]
        hole = self._game.num_hole_cards
        return Deal(
            tuple([tuple(cards[end - hole : end]) for end in self._hole_ends]),
            tuple(cards[self._hole_ends[-1] :]),
        )

    def skip(self, hands: int) -> None:
        """Pass over some hands without dealing them."""
        for _ in range(hands * self._game.cards_per_hand):
            self._draw(32)


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
        """Pass over some hands; fewer, should there be no more."""
        for _ in itertools.islice(self._deals, hands):
            pass
