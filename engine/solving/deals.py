"""All deals of a small game, round by round, and what each player sees of them.

A deal of a round is everybody's hole cards and the board so far.  Deals that continue the same deal of the
round before are adjacent, and all deals have equally many continuations.  A *view* is what one player sees:
the own hole cards and the board cards of each round, each as a set.  Views are numbered alike for all
players.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from engine.poker.cards import format_cards
from engine.poker.rules import GameDefinition
from engine.support.arrays import Floats, Ints, Ints32


class GameDeals:
    """All deals of a game.

    Args:
        game: a game whose deals fit into memory.
    """

    def __init__(self, game: GameDefinition) -> None:
        self.game = game
        hole = _sets(len(game.deck), game.num_hole_cards)
        used = np.zeros(1, np.int64)
        codes: list[Ints] = []
        for _ in range(game.num_players):
            used, rows, chosen = _dealt(used, hole)
            codes = [*(code[rows] for code in codes), chosen]
        self.sizes: list[int] = []
        """The number of deals by round."""
        self.views: list[Ints32] = []
        """By round, the view of each position in each deal, shape (positions, deals)."""
        self._codes: list[Ints] = []
        self._sets: list[tuple[Ints, ...]] = []
        parts: tuple[Ints, ...] = (hole,)
        for cards in game.num_board_cards:
            if cards:
                board = _sets(len(game.deck), cards)
                used, rows, chosen = _dealt(used, board)
                codes = [code[rows] * board.size + chosen for code in codes]
                parts = (*parts, board)
            self.sizes.append(used.size)
            known, numbers = np.unique(np.stack(codes), return_inverse=True)
            self._codes.append(known)
            self.views.append(numbers.reshape(game.num_players, -1).astype(np.int32))
            self._sets.append(parts)
        self.chances: Floats = np.full(self.sizes[0], 1.0 / self.sizes[0])
        """The chance of each deal of the first round, shape (deals,); they add up to 1."""

    def num_views(self, betting_round: int, position: int) -> int:
        """The number of views that a position may have in a round."""
        return self._codes[betting_round].size

    def cards_of(self, betting_round: int, view: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The own cards and the board of a view; cards of one round are in the order of the deck."""
        code = int(self._codes[betting_round][view])
        parts: list[tuple[int, ...]] = []
        for masks in reversed(self._sets[betting_round]):
            code, index = divmod(code, masks.size)
            mask = int(masks[index])
            parts.append(tuple(card for place, card in enumerate(self.game.deck) if mask >> place & 1))
        parts.reverse()
        return parts[0], tuple(itertools.chain.from_iterable(parts[1:]))

    def view_of(self, betting_round: int, own_cards: Sequence[int], board: Sequence[int]) -> int:
        """The number of a view.

        Args:
            betting_round: the round, from 0.
            own_cards: the hole cards, in any order.
            board: the board as dealt: all cards up to the round and no more.

        Raises:
            ValueError: these are not cards that a player can see in this round.
        """
        ends = (0, *self.game.board_ends[: betting_round + 1])
        groups = [own_cards, *(board[start:end] for start, end in itertools.pairwise(ends) if end > start)]
        code = 0
        try:
            if len(board) != ends[-1]:
                raise KeyError
            for masks, cards_of_part in zip(self._sets[betting_round], groups, strict=True):
                code = code * masks.size + self._indices[self._mask(cards_of_part)]
            return self._numbers[betting_round][code]
        except KeyError:
            raise ValueError(
                f"expected a player's cards and the board of round {betting_round}, got "
                f"{format_cards(own_cards)!r} and {format_cards(board)!r}"
            ) from None

    def _mask(self, cards: Sequence[int]) -> int:
        """A set of cards as a bit mask of places in the deck; KeyError if a card is foreign or repeated."""
        mask = sum(1 << self._places[card] for card in set(cards))
        if mask.bit_count() != len(cards):
            raise KeyError(mask)
        return mask

    @functools.cached_property
    def _places(self) -> dict[int, int]:
        """The place of each card in the deck."""
        return {card: place for place, card in enumerate(self.game.deck)}

    @functools.cached_property
    def _indices(self) -> dict[int, int]:
        """The index of each set, as a bit mask, among the sets of its size."""
        return {int(mask): index for part in self._sets[-1] for index, mask in enumerate(part)}

    @functools.cached_property
    def _numbers(self) -> list[dict[int, int]]:
        """The view of each code, by round."""
        return [{int(code): view for view, code in enumerate(codes)} for codes in self._codes]


class TwofoldDeals(GameDeals):
    """Every deal in two kinds: chance picks the kind once per hand, and only one position sees it.

    GameDeals of the first kind come before those of the second; so do that position's views.

    Args:
        deals: the deals to double.
        position: the position that sees the kind.
        part: the chance of the second kind, 0 to 1.
    """

    def __init__(self, deals: GameDeals, position: int, part: float) -> None:
        self.game = deals.game
        self._codes, self._sets = deals._codes, deals._sets
        self._position = position
        self.sizes = [2 * size for size in deals.sizes]
        self.chances = np.concatenate([(1 - part) * deals.chances, part * deals.chances])
        self.views = [np.concatenate([views, views], axis=1) for views in deals.views]
        for betting_round, views in enumerate(self.views):
            views[position, deals.sizes[betting_round] :] += deals.num_views(betting_round, position)

    def num_views(self, betting_round: int, position: int) -> int:
        """The number of views: twice as many for the position that sees the kind."""
        return super().num_views(betting_round, position) * (2 if position == self._position else 1)

    def cards_of(self, betting_round: int, view: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The own cards and the board of a view, of either kind."""
        return super().cards_of(betting_round, view % self._codes[betting_round].size)


def num_views(game: GameDefinition, betting_round: int) -> int:
    """The number of views in a round: ways to see own cards and the board cards of each round so far."""
    return _ways(game, 1, betting_round)


def num_deals(game: GameDefinition, betting_round: int) -> int:
    """The number of deals up to a round: all players' hole cards and the board so far."""
    return _ways(game, game.num_players, betting_round)


def _ways(game: GameDefinition, players: int, betting_round: int) -> int:
    """The number of ways to deal hole cards to some players, and the board up to a round."""
    left, number = len(game.deck), 1
    for cards in (*(game.num_hole_cards,) * players, *game.num_board_cards[: betting_round + 1]):
        number *= math.comb(left, cards)
        left -= cards
    return number


def _sets(num_cards: int, size: int) -> Ints:
    """All sets of `size` cards, as bit masks of places in the deck."""
    return np.array(
        [sum(1 << place for place in places) for places in itertools.combinations(range(num_cards), size)],
        np.int64,
    )


def _dealt(used: Ints, sets: Ints) -> tuple[Ints, Ints, Ints]:
    """Each deal continued by each set of cards that is still in the deck.

    Returns:
        For each new deal: the cards used, the index of the deal it continues, and the index of the set.
    """
    rows, chosen = np.nonzero((used[:, None] & sets[None, :]) == 0)
    return used[rows] | sets[chosen], rows, chosen
