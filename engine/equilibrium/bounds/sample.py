"""Flops and turns to look at, and boards that differ in the names of suits alone."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.cards import NUM_CARDS
from engine.combos import suit_renamings
from engine.evaluation.preflop.flop_configs import different_flops

__all__ = ["Board", "Flop", "all_flops", "draw_flops", "next_cards"]

Board = tuple[int, ...]


@attrs.frozen
class Flop:
    """A flop to look at."""

    board: Board
    weight: float
    """What it stands for; those of all that are looked at add up to 1."""
    turns: tuple[Board, Board]
    """Turn cards, drawn twice independently of each other; the same where they are all there are."""
    half: int
    """Flops of one half were drawn independently of those of the other; -1 where they are all there are."""

    @property
    def is_whole(self) -> bool:
        """Whether all turns are looked at."""
        return self.turns[0] is self.turns[1]


def all_flops() -> list[Flop]:
    """Every flop that differs, with all its turns."""
    flops, chances = different_flops()
    return [
        Flop(board, float(chance), _all_turns(board), -1)
        for board, chance in zip(map(_board, flops), chances, strict=True)
    ]


def draw_flops(number: int, turns: int, generator: np.random.Generator) -> list[Flop]:
    """Flops, in halves drawn independently of each other, each half evenly over all textures.

    Args:
        number: of flops, even.
        turns: looked at on each, even; 49 for all.
        generator: draws.

    Raises:
        ValueError: an odd number, or none.
    """
    if number < 2 or number % 2:
        raise ValueError(f"expected 2, 4, 6 ... flops, got {number}")
    if turns != NUM_CARDS - 3 and (turns < 2 or turns % 2 or turns > NUM_CARDS - 4):
        raise ValueError(f"expected 2, 4 ... 48 turns, or 49, which are all, got {turns}")
    flops, chances = different_flops()
    order = sorted(range(len(flops)), key=lambda index: _texture(_board(flops[index])))
    limits = np.cumsum(chances[order])
    drawn = []
    for half in (0, 1):
        points = (generator.random() + np.arange(number // 2)) / (number // 2)
        for place in np.searchsorted(limits, points * limits[-1], side="right").tolist():
            board = _board(flops[order[min(place, len(order) - 1)]])
            drawn.append(Flop(board, 1.0 / number, _draw_turns(board, turns, generator), half))
    return drawn


def next_cards(board: Board, parts: Sequence[Board]) -> list[tuple[int, NDArray[np.int64], tuple[int, ...]]]:
    """The cards that may come next, those as one that other names of the suits turn into each other.

    Args:
        board: all cards on it.
        parts: the same, in sets whose order means nothing: the flop, the turn.

    Returns:
        A card of each kind; what the combos are called on the boards of its kind, shape (cards, 1326); the
        cards themselves, in the same order, the first being the card.
    """
    renamings = suit_renamings()
    keeping = [
        (suits, renamings[number])
        for number, suits in enumerate(itertools.permutations(range(4)))
        if all({_renamed(card, suits) for card in part} == set(part) for part in parts)
    ]
    found: list[tuple[int, NDArray[np.int64], tuple[int, ...]]] = []
    seen: set[int] = set(board)
    for card in range(NUM_CARDS):
        if card in seen:
            continue
        kind = {_renamed(card, suits): names for suits, names in reversed(keeping)}
        cards = (card, *sorted(set(kind) - {card}))
        seen.update(cards)
        found.append((card, np.array([kind[each] for each in cards]), cards))
    return found


def _renamed(card: int, suits: tuple[int, ...]) -> int:
    return card - (card & 3) + suits[card & 3]


def _board(cards: NDArray[np.uint8]) -> Board:
    return tuple(sorted(int(card) for card in cards))


@functools.cache
def _texture(board: Board) -> tuple[int, ...]:
    """Similar flops follow each other: by suits, pairs, ranks."""
    ranks = sorted((card >> 2 for card in board), reverse=True)
    return (len({card & 3 for card in board}), len(set(ranks)), *ranks)


def _all_turns(board: Board) -> tuple[Board, Board]:
    turns = tuple(card for card in range(NUM_CARDS) if card not in board)
    return turns, turns


def _draw_turns(board: Board, number: int, generator: np.random.Generator) -> tuple[Board, Board]:
    everything, _ = _all_turns(board)
    if number == len(everything):
        return everything, everything
    first, second = (
        tuple(int(card) for card in sorted(generator.choice(everything, number // 2, replace=False)))
        for _ in (0, 1)
    )
    return first, second
