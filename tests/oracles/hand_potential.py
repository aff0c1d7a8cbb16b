"""Hand strength and potential as Poki prints them (Fig. 3.3 and 3.4): loops over hands and boards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.combos import combo_index
from engine.evaluation.hand_rank import hand_ranks


def _outcomes(ours: NDArray[np.uint16], theirs: NDArray[np.uint16]) -> NDArray[np.int64]:
    """0 ahead, 1 tied, 2 behind."""
    return np.where(ours > theirs, 0, np.where(ours == theirs, 1, 2)).astype(np.int64)


def transitions(
    hole: Sequence[int], board: Sequence[int], look_ahead: int, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The transition table [before, after] of a hand, by ranking every hand on every board anew."""
    table = np.zeros((3, 3))
    left = [card for card in range(52) if card not in hole and card not in board]
    ours_now = hand_ranks(np.array([[*hole, *board]], np.uint8))
    for opponent in combinations(left, 2):
        weight = 1.0 if weights is None else float(weights[combo_index(*opponent)])
        now = _outcomes(ours_now, hand_ranks(np.array([[*opponent, *board]], np.uint8)))[0]
        rest = [card for card in left if card not in opponent]
        run_outs = np.array(list(combinations(rest, look_ahead)), np.uint8)
        boards = np.column_stack([np.tile(np.array(board, np.uint8), (len(run_outs), 1)), run_outs])

        def ranks(cards: Sequence[int], boards: NDArray[np.uint8] = boards) -> NDArray[np.uint16]:
            return hand_ranks(np.column_stack([np.tile(np.array(cards, np.uint8), (len(boards), 1)), boards]))

        table[now] += weight * np.bincount(_outcomes(ranks(hole), ranks(opponent)), minlength=3)
    return table


def strength(
    hole: Sequence[int], board: Sequence[int], weights: NDArray[np.float64] | None = None
) -> tuple[float, float, float]:
    """Ahead, tied and behind, weighted, by ranking every opponent's hand."""
    counts = [0.0, 0.0, 0.0]
    left = [card for card in range(52) if card not in hole and card not in board]
    ours = hand_ranks(np.array([[*hole, *board]], np.uint8))
    for opponent in combinations(left, 2):
        weight = 1.0 if weights is None else float(weights[combo_index(*opponent)])
        counts[_outcomes(ours, hand_ranks(np.array([[*opponent, *board]], np.uint8)))[0]] += weight
    return counts[0], counts[1], counts[2]


def joint_strength(
    hole: Sequence[int], board: Sequence[int], num_opponents: int, rng: np.random.Generator, deals: int
) -> float:
    """The chance that no opponent is better, ties by half for each, all dealt from one deck."""
    left = np.array([card for card in range(52) if card not in hole and card not in board], np.uint8)
    dealt = rng.permuted(np.tile(left, (deals, 1)), axis=1)
    ours = hand_ranks(np.array([[*hole, *board]], np.uint8))[0]
    product = np.ones(deals)
    for opponent in range(num_opponents):
        cards = dealt[:, 2 * opponent : 2 * opponent + 2]
        theirs = hand_ranks(np.column_stack([cards, np.tile(np.array(board, np.uint8), (deals, 1))]))
        product *= np.where(ours > theirs, 1.0, np.where(ours == theirs, 0.5, 0.0))
    return float(product.mean())
