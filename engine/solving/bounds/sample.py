"""Flops and turns to evaluate on, and boards that differ only in the names of suits."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import attrs
import numpy as np

from engine.hands.flop_configs import different_flops
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import suit_renamings
from engine.solving.holdem.abstraction import SUIT_NAMES, renamed_card
from engine.support.arrays import Bytes, Ints

Board = tuple[int, ...]


@attrs.frozen
class Flop:
    """A flop to evaluate on."""

    board: Board
    weight: float
    """The part of all flops that it stands for; the weights of the flops evaluated add up to 1."""
    turns: tuple[Board, Board]
    """Two sets of turn cards, drawn independently of each other; the same object twice if all are used."""
    half: int
    """0 or 1, for halves drawn independently of each other; -1 if all flops are used."""

    @property
    def is_whole(self) -> bool:
        """Whether all turn cards are used."""
        return self.turns[0] is self.turns[1]


def all_flops() -> list[Flop]:
    """The 1755 flops that differ in more than the names of suits, with all their turn cards."""
    flops, chances = different_flops()
    return [
        Flop(board, float(chance), _all_turns(board), -1)
        for board, chance in zip(map(_board, flops), chances, strict=True)
    ]


def draw_flops(number: int, turns: int, generator: np.random.Generator) -> list[Flop]:
    """Flops drawn in two independent halves, each spread evenly over all classes of boards.

    Args:
        number: the number of flops, even.
        turns: the number of turn cards on each flop, even; 49 for all.
        generator: the source of random numbers.

    Raises:
        ValueError: a number is odd (except 49 turns) or out of range.
    """
    if number < 2 or number % 2:
        raise ValueError(f"expected 2, 4, 6 ... flops, got {number}")
    if turns != NUM_CARDS - 3 and (turns < 2 or turns % 2 or turns > NUM_CARDS - 4):
        raise ValueError(f"expected 2, 4 ... 48 turns, or 49, which are all, got {turns}")
    flops, chances = different_flops()
    order = sorted(range(len(flops)), key=lambda index: _look(_board(flops[index])))
    limits = np.cumsum(chances[order])
    drawn = []
    for half in (0, 1):
        points = (generator.random() + np.arange(number // 2)) / (number // 2)
        for place in np.searchsorted(limits, points * limits[-1], side="right").tolist():
            board = _board(flops[order[min(place, len(order) - 1)]])
            drawn.append(Flop(board, 1.0 / number, _draw_turns(board, turns, generator), half))
    return drawn


def next_cards(board: Board, parts: Sequence[Board]) -> list[tuple[int, Ints, tuple[int, ...]]]:
    """The cards that may come next, grouped: one entry for cards that a renaming of suits makes equal.

    Args:
        board: all cards on the board.
        parts: the same cards as sets in which the order does not matter: the flop, the turn.

    Returns:
        For each group: its first card; the combo that each combo becomes on the board with each card of the
        group, shape (cards, 1326); the cards of the group in the same order.
    """
    keeping = [
        (suits, combos)
        for suits, combos in zip(SUIT_NAMES, suit_renamings(), strict=True)
        if all({renamed_card(card, suits) for card in part} == set(part) for part in parts)
    ]
    found: list[tuple[int, Ints, tuple[int, ...]]] = []
    seen: set[int] = set(board)
    for card in range(NUM_CARDS):
        if card in seen:
            continue
        renamed = {renamed_card(card, suits): names for suits, names in reversed(keeping)}
        cards = (card, *sorted(set(renamed) - {card}))
        seen.update(cards)
        found.append((card, np.array([renamed[each] for each in cards]), cards))
    return found


def _board(cards: Bytes) -> Board:
    return tuple(sorted(int(card) for card in cards))


@functools.cache
def _look(board: Board) -> tuple[int, ...]:
    """A sort key by suits, pairs and ranks, so that similar flops follow each other."""
    ranks = sorted((card >> 2 for card in board), reverse=True)
    return (len({card & 3 for card in board}), len(set(ranks)), *ranks)


def _all_turns(board: Board) -> tuple[Board, Board]:
    """All turn cards, twice the same object."""
    turns = tuple(card for card in range(NUM_CARDS) if card not in board)
    return turns, turns


def _draw_turns(board: Board, number: int, generator: np.random.Generator) -> tuple[Board, Board]:
    """Two sets of turn cards, half of `number` each, drawn independently; all of them if `number` is 49."""
    everything, _ = _all_turns(board)
    if number == len(everything):
        return everything, everything
    first, second = (
        tuple(int(card) for card in sorted(generator.choice(everything, number // 2, replace=False)))
        for _ in (0, 1)
    )
    return first, second
