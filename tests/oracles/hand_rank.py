"""Hand values as a rule book states them, by the best five cards, for 1 to 10 cards of any deck
(docs/acpc-dealer.md 3.7); strength and potential as Poki prints them (Fig. 3.3 and 3.4), by loops.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.hands.hand_rank import hand_ranks
from engine.poker.cards import rank_of, suit_of
from engine.poker.combos import combo_index
from engine.support.arrays import Bytes, Floats, Ints, Words16

# --- hand rank ----------------------------------------------------------------------------------------------

ACE, FIVE = 12, 3

Value = tuple[int, ...]


def hand_value(cards: Sequence[int]) -> Value:
    """Category (8 straight flush .. 0 high card), then the ranks that break ties; greater wins."""
    return max(five_card_value(hand) for hand in combinations(cards, min(len(cards), 5)))


def five_card_value(hand: Sequence[int]) -> Value:
    """The value of at most five cards."""
    ranks = sorted(map(rank_of, hand), reverse=True)
    # Ranks by how often they come and then by height: 7-7-K-K-7 is [7, K], its pattern (3, 2).
    counts = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    by_count = [rank for rank, _ in counts]
    pattern = tuple(count for _, count in counts)

    is_flush = len(hand) == 5 and len(set(map(suit_of, hand))) == 1
    straight_high = None
    if len(set(ranks)) == 5:
        if ranks[0] - ranks[4] == 4:
            straight_high = ranks[0]
        elif ranks == [ACE, 3, 2, 1, 0]:
            straight_high = FIVE

    if is_flush and straight_high is not None:
        return (8, straight_high)
    if pattern[0] == 4:
        return (7, *by_count)
    if pattern == (3, 2):
        return (6, *by_count)
    if is_flush:
        return (5, *ranks)
    if straight_high is not None:
        return (4, straight_high)
    if pattern[0] == 3:
        return (3, *by_count)
    if pattern[:2] == (2, 2):
        return (2, *by_count)
    if pattern[0] == 2:
        return (1, *by_count)
    return (0, *ranks)


# --- hand potential -----------------------------------------------------------------------------------------


def _outcomes(ours: Words16, theirs: Words16) -> Ints:
    """0 ahead, 1 tied, 2 behind."""
    return np.where(ours > theirs, 0, np.where(ours == theirs, 1, 2)).astype(np.int64)


def transitions(
    hole: Sequence[int], board: Sequence[int], look_ahead: int, weights: Floats | None = None
) -> Floats:
    """The transition table [before, after] of a hand, by ranking every hand on every board each time."""
    left = [card for card in range(52) if card not in hole and card not in board]
    opponents = np.array(list(combinations(left, 2)), np.uint8)
    run_outs = np.array(list(combinations(left, look_ahead)), np.uint8)
    clashes = (opponents[:, None, :, None] == run_outs[None, :, None, :]).any(axis=(2, 3))
    which, run_out = np.nonzero(~clashes)

    now = _outcomes(_ranks(np.array([hole]), np.array([board])), _ranks(opponents, np.array([board])))
    boards = np.column_stack([np.tile(board, (len(run_outs), 1)), run_outs])
    after = _outcomes(_ranks(np.array([hole]), boards)[run_out], _ranks(opponents[which], boards[run_out]))
    weight = _weights_of(opponents, weights)
    return (
        np.bincount(3 * now[which] + after, weights=weight[which], minlength=9)
        .reshape(3, 3)
        .astype(np.float64)
    )


def _weights_of(holes: Bytes, weights: Floats | None) -> Floats:
    if weights is None:
        return np.ones(len(holes))
    return weights[[combo_index(low, high) for low, high in holes.tolist()]]


def _ranks(holes: NDArray[np.integer], boards: NDArray[np.integer]) -> Words16:
    """The ranks of hands on boards, row by row; one hand or one board stands for as many as needed."""
    rows = max(len(holes), len(boards))
    cards = [np.broadcast_to(part, (rows, part.shape[1])) for part in (holes, boards)]
    return hand_ranks(np.column_stack(cards).astype(np.uint8))


def strength(
    hole: Sequence[int], board: Sequence[int], weights: Floats | None = None
) -> tuple[float, float, float]:
    """Ahead, tied and behind, weighted, by ranking every opponent's hand."""
    left = [card for card in range(52) if card not in hole and card not in board]
    opponents = np.array(list(combinations(left, 2)), np.uint8)
    found = _outcomes(_ranks(np.array([hole]), np.array([board])), _ranks(opponents, np.array([board])))
    weight = _weights_of(opponents, weights)
    ahead, tied, behind = np.bincount(found, weights=weight, minlength=3).tolist()
    return ahead, tied, behind


def joint_strength(
    hole: Sequence[int], board: Sequence[int], num_opponents: int, rng: np.random.Generator, deals: int
) -> float:
    """The chance that no opponent is better, ties by half for each, all dealt from one deck."""
    left = np.array([card for card in range(52) if card not in hole and card not in board], np.uint8)
    drawn = rng.integers(len(left), size=(deals, 2 * num_opponents))
    in_order = np.sort(drawn, axis=1)
    dealt = left[drawn[(in_order[:, 1:] != in_order[:, :-1]).all(axis=1)]]  # no card twice: a quarter goes
    ours = _ranks(np.array([hole]), np.array([board]))
    product = np.ones(len(dealt))
    for opponent in range(num_opponents):
        theirs = _ranks(dealt[:, 2 * opponent : 2 * opponent + 2], np.array([board]))
        product *= np.where(ours > theirs, 1.0, np.where(ours == theirs, 0.5, 0.0))
    return float(product.mean())
