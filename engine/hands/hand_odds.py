"""Raw hand odds: our share of the pot against 1 to 9 opponents with random hands if nobody folds.

The odds against several opponents are *not* a power of the odds against one.  A draw to the nuts that comes
in a quarter of the time beats any number of opponents a quarter of the time.  So `raw_hand_odds` takes the
power on every final board by itself and then the average.  That is exact for one opponent; for several it
ignores only that opponents cannot hold each other's cards.  `joint_hand_odds`, which deals the opponents'
hands together, shows how much that matters.

Ties count as shares of the pot.  If ``w`` and ``t`` are the probabilities of beating and tying with a random
hand on a board, the share against ``n`` independent opponents is
``((w + t)^(n+1) - w^(n+1)) / ((n + 1) t)``: ``w^n`` without ties, ``w + t/2`` against one opponent,
``1/(n+1)`` if all play the board.  (Counting a tie as half a win and taking the power would be too little.)

Source: *Hold'em Killer*, "Raw Hand Odds", sections 2 to 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from engine.hands.hand_rank import ANY_BOARD, NUM_HAND_RANKS, check_hand_and_board, check_hole_cards
from engine.kernels.hands import rollouts
from engine.kernels.poker.cards import list_run_outs
from engine.kernels.poker.tables import ranking_table
from engine.poker.cards import NUM_CARDS
from engine.poker.combos import NUM_COMBOS, combos_without, starting_hand
from engine.support.arrays import Bytes, Floats

MAX_OPPONENTS: Final = 9
"""The opponents at a full table of ten."""

SAMPLED_BOARDS: Final = 20_000
"""The number of final boards sampled, out of 2,118,760, if there is no board yet."""


def _check_opponents(opponents: int) -> None:
    if not 1 <= opponents <= MAX_OPPONENTS:
        raise ValueError(f"{opponents} opponents: expected 1 to {MAX_OPPONENTS}")


def all_final_boards(board: Sequence[int], dead: Sequence[int] = ()) -> Bytes:
    """All boards of five cards that begin with a board: shape (N, 5), uint8.

    Args:
        board: the cards so far; with fewer than three there are more boards than fit.
        dead: further cards that cannot come.
    """
    to_come = 5 - len(board)
    number = math.comb(NUM_CARDS - len(board) - len(dead), to_come)
    run_outs = np.empty((number, to_come), np.uint8)
    list_run_outs(sum(1 << int(card) for card in (*board, *dead)), to_come, run_outs)
    if to_come == 2:  # by the lower card first, so that sums over boards keep their last digit
        run_outs = run_outs[np.lexsort(run_outs.T)]
    boards = np.empty((number, 5), np.uint8)  # row by row, which kernels are compiled for
    boards[:, : len(board)], boards[:, len(board) :] = board, run_outs
    return boards


def final_boards(
    hole_cards: Sequence[int],
    board: Sequence[int],
    *,
    rng: np.random.Generator | None = None,
    samples: int = SAMPLED_BOARDS,
) -> Bytes:
    """The final boards of five cards: all of them after the flop, a sample before it.

    Args:
        hole_cards: our two cards, which cannot come.
        board: the 0, 3, 4 or 5 board cards so far.
        rng: draws the sample; needed only without a board.
        samples: the size of the sample.

    Returns:
        Shape (1081 | 46 | 1 | samples, 5), uint8, in each row the board so far first.

    Raises:
        ValueError: wrong cards, or no board and no generator.
    """
    ours, known = check_hand_and_board(hole_cards, board, ANY_BOARD)
    if known:
        return all_final_boards(known, ours)
    if rng is None:
        raise ValueError("without a board the final boards are sampled: a generator is needed")
    deck = np.array([card for card in range(NUM_CARDS) if card not in ours], np.uint8)
    order = rng.random((samples, len(deck))).argpartition(5, axis=1)[:, :5]
    return np.ascontiguousarray(deck[order])


@attrs.frozen(eq=False)
class BoardResults:
    """The weights of opponents' hands that we beat, tie with and lose to, on each final board."""

    won: Floats
    """The weight of the hands we beat, shape (num_opponents, num_boards)."""
    tied: Floats
    """The weight of the hands that tie with ours, same shape."""
    lost: Floats
    """The weight of the hands that beat ours, same shape; exactly 0 if no hand with weight does."""

    @property
    def total(self) -> Floats:
        """The weight of all hands that are possible on the board, shape (num_opponents, num_boards)."""
        return self.won + self.tied + self.lost


def _check_tables(hole_cards: Sequence[int], boards: Bytes, weights: Floats) -> tuple[Bytes, Floats]:
    """Our cards as an array, and the weights without the combos that hold one of them."""
    ours = check_hole_cards(hole_cards)
    if boards.ndim != 2 or boards.shape[1] != 5 or boards.dtype != np.uint8:
        raise ValueError(f"boards: expected shape (N, 5) and uint8, got {boards.shape} and {boards.dtype}")
    if weights.ndim != 2 or weights.shape[1] != NUM_COMBOS:
        raise ValueError(f"weights: expected shape (N, {NUM_COMBOS}), got {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("weights: expected finite numbers of at least 0")
    return np.array(ours, np.uint8), np.ascontiguousarray(weights.astype(np.float64) * combos_without(ours))


def results_by_board(hole_cards: Sequence[int], boards: Bytes, weights: Floats) -> BoardResults:
    """Compare our hand with every combo of every opponent on each of the given final boards.

    Args:
        hole_cards: our two cards.
        boards: shape (num_boards, 5), uint8, as from `final_boards`.
        weights: shape (num_opponents, 1326), at least 0, by combo index.  Combos with our cards are ignored.

    Raises:
        ValueError: wrong cards, a wrong shape, or a weight that is negative or not finite.
    """
    ours, possible = _check_tables(hole_cards, boards, weights)
    results = np.empty((3, len(weights), len(boards)))
    rollouts.results_by_board(ranking_table(), ours, boards, possible, results)
    return BoardResults(*results)


def power_of_share(won: Floats, tied: Floats, max_opponents: int = MAX_OPPONENTS) -> Floats:
    """The share of the pot against 1, 2, ... independent opponents, from the probabilities against one.

    Args:
        won: the probability of beating one opponent, any shape.
        tied: the probability of tying with one, same shape.
        max_opponents: how many shares to return.

    Returns:
        Shape (max_opponents, ...): ``((won + tied)^(n+1) - won^(n+1)) / ((n+1) tied)`` for n = 1, 2, ...

    Source: *Hold'em Killer*, "Raw Hand Odds", section 5, with ties as shares.
    """
    shares = np.empty((max_opponents, *won.shape))
    # The quotient, expanded: a sum of (won + tied)^k won^(n-k), so that tied may be 0.
    total = np.ones_like(won)
    power = np.ones_like(won)
    for index in range(max_opponents):
        power = power * won
        total = total * (won + tied) + power
        shares[index] = total / (index + 2)
    return shares


def raw_hand_odds(
    hole_cards: Sequence[int], board: Sequence[int], max_opponents: int = MAX_OPPONENTS
) -> Floats:
    """Our share of the pot against 1, 2, ... random hands, with the power taken on each final board.

    After the flop all boards are enumerated.  Before it the starting hand is looked up in the packaged
    table, which was computed over all boards (``engine.hands.preflop.roll_outs``), so nothing is
    sampled, and the first value is the exact equity against one random hand.

    Args:
        hole_cards: our two cards.
        board: 0, 3, 4 or 5 cards.
        max_opponents: 1 to 9.

    Returns:
        Shape (max_opponents,), float64, between 0 and 1.

    Raises:
        ValueError: wrong cards, or not 1 to 9 opponents.

    Source: *Hold'em Killer*, "Raw Hand Odds", sections 4 and 5.
    """
    _check_opponents(max_opponents)
    ours, known = check_hand_and_board(hole_cards, board, ANY_BOARD)
    if not known:
        from engine.hands.preflop.tables import shipped_tables

        return shipped_tables().raw_odds[starting_hand(*ours), :max_opponents].copy()
    results = results_by_board(ours, final_boards(ours, known), np.ones((1, NUM_COMBOS)))
    total = results.total[0]
    shares = power_of_share(results.won[0] / total, results.tied[0] / total, max_opponents)
    return shares.mean(axis=1)


@attrs.frozen(eq=False)
class JointOdds:
    """Sampled shares of the pot against 1, 2, ... opponents whose hands are dealt together."""

    shares: Floats
    """The mean share against k opponents at k - 1, shape (max_opponents,)."""
    standard_errors: Floats
    """The standard error of each mean, same shape."""
    trials: int
    """The number of deals.  All numbers of opponents use the same deals, so their errors are correlated."""


def joint_hand_odds(
    hole_cards: Sequence[int],
    board: Sequence[int],
    max_opponents: int = MAX_OPPONENTS,
    *,
    rng: np.random.Generator,
    trials: int = 200_000,
) -> JointOdds:
    """Our share of the pot against 1, 2, ... random hands dealt from one deck, by sampling.

    Args:
        hole_cards: our two cards.
        board: 0, 3, 4 or 5 cards.
        max_opponents: 1 to 9.
        rng: its next number seeds the sample.
        trials: the number of deals.

    Raises:
        ValueError: wrong cards, not 1 to 9 opponents, or fewer than 2 trials.
    """
    _check_opponents(max_opponents)
    if trials < 2:
        raise ValueError(f"{trials} trials: expected at least 2")
    ours, known = check_hand_and_board(hole_cards, board, ANY_BOARD)
    sums = np.zeros((max_opponents, 2))
    rollouts.joint_pot_shares(
        ranking_table(),
        int(rng.integers(1 << 62)),
        trials,
        np.array(ours, np.uint8),
        np.array(known, np.uint8),
        sums,
    )
    means = sums[:, 0] / trials
    variances = np.maximum(sums[:, 1] / trials - means**2, 0.0)
    return JointOdds(means, np.sqrt(variances) / math.sqrt(trials - 1), trials)


def final_rank_counts(hole_cards: Sequence[int], boards: Bytes, weights: Floats) -> tuple[Floats, Floats]:
    """Killer's spectrum of final hands: how often we, and each opponent, end with each hand rank.

    Args:
        hole_cards: our two cards.
        boards: shape (num_boards, 5), uint8, as from `final_boards`.
        weights: shape (num_tables, 1326), one row for each spectrum wanted.

    Returns:
        Ours, shape (7462,), boards by final hand rank; and theirs, shape (num_tables, 7462), weight times
        boards.

    Raises:
        ValueError: wrong cards, a wrong shape, or a weight that is negative or not finite.

    Source: *Hold'em Killer*, "Raw Hand Odds", section 3.
    """
    ours, possible = _check_tables(hole_cards, boards, weights)
    our_counts = np.zeros(NUM_HAND_RANKS)
    their_counts = np.zeros((len(weights), NUM_HAND_RANKS))
    rollouts.count_final_ranks(ranking_table(), ours, boards, possible, our_counts, their_counts)
    return our_counts, their_counts
