"""Reflective hand odds: the odds against hands that the opponents would have played as they did.

This computes what players call "putting an opponent on a hand".  The combos that some heuristic finds
playable in every betting round so far remain, or keep a part of their weight.  The odds are then computed
like the raw ones, on each final board by itself.

A filter is an array of 1326 weights between 0 and 1.  The two made here keep the top fraction of the hands in
some order: `playable_before_flop` in the order of the preflop income rates, `playable_on_board` in the order
of the hands' strength on the board of that round.  An opponent's *looseness* is how many times the ideal
share of hands they play; it scales the fraction, so that the top 25 % at looseness 2 is the top 50 %.
The filters of several rounds are multiplied; any weight table can replace them, such as that of an opponent
model.

Source: *Hold'em Killer*, "Computing Actual Hand Odds", and "Opponent Modeling", "Applying preflop modeling to
RHO".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.hands.hand_odds import MAX_OPPONENTS, BoardResults, final_boards, results_by_board
from engine.hands.hand_rank import ANY_BOARD, DEAD_COMBO, board_ranks, check_hand_and_board
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combos_without
from engine.support.arrays import Floats


def keep_top(values: Floats, fraction: float, looseness: float = 1.0, *, softness: float = 0.0) -> Floats:
    """A filter that keeps the best ``fraction * looseness`` of some hands.

    Hands of equal value are treated alike, and keep a part of their weight if the boundary falls among them,
    so the weight kept is exactly the fraction asked for (at most all).

    Args:
        values: shape (1326,); greater is better, nan for a hand that is impossible and gets weight 0.
        fraction: the share of hands that should be played, between 0 and 1.
        looseness: scales the fraction; 1 is a player who plays the ideal share.
        softness: the width of the boundary to either side, as a share of all hands: a hand at the boundary
            keeps half its weight, and weights fall linearly from 1 to 0.  A rigid filter (0) is easily
            deceived.

    Returns:
        shape (1326,), float64, weights between 0 and 1.

    Raises:
        ValueError: a wrong shape, a fraction outside 0..1, a negative looseness or softness.

    Source: *Hold'em Killer*, "Opponent Modeling"; "the heuristic needs to be fuzzy", "Computing Actual Hand
    Odds".
    """
    if values.shape != (NUM_COMBOS,):
        raise ValueError(f"values: expected shape ({NUM_COMBOS},), got {values.shape}")
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction is {fraction!r}: expected a number between 0 and 1")
    if not looseness >= 0:
        raise ValueError(f"looseness is {looseness!r}: expected at least 0")
    if not softness >= 0:
        raise ValueError(f"softness is {softness!r}: expected at least 0")
    weights = np.zeros(NUM_COMBOS)
    possible = np.flatnonzero(~np.isnan(values))
    if not len(possible):
        return weights
    boundary = min(1.0, fraction * looseness)
    # Each group of equal hands spans an interval of 0..1, the best first; its weight is the mean over that.
    _, group, sizes = np.unique(-values[possible], return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes) / len(possible)
    starts = ends - sizes / len(possible)
    kept = (_kept_up_to(ends, boundary, softness) - _kept_up_to(starts, boundary, softness)) / (ends - starts)
    weights[possible] = np.clip(kept, 0.0, 1.0)[group]
    return weights


def _kept_up_to(share: Floats, boundary: float, softness: float) -> Floats:
    """The weight kept of the best ``share`` of hands: the integral of the filter from 0."""
    # The filter must not start to fall before the best hand, nor end after the worst.
    softness = min(softness, boundary, 1 - boundary)
    if softness == 0:
        return np.minimum(share, boundary)
    into_slope = np.clip(share - (boundary - softness), 0.0, 2 * softness)
    falling = into_slope - into_slope**2 / (4 * softness)
    return np.minimum(share, boundary - softness) + falling


def playable_before_flop(
    fraction: float, looseness: float = 1.0, *, players: int = 10, softness: float = 0.0
) -> Floats:
    """The combos worth playing before the flop: the top ``fraction * looseness`` of the starting hands.

    Args:
        fraction: the share of hands that a sound player would play in that place, between 0 and 1.
        looseness: scales the fraction.
        players: the number of players, 2 to 10; selects the packaged table of iterated income rates.
        softness: see `keep_top`.

    Returns:
        shape (1326,), float64, weights between 0 and 1.

    Raises:
        ValueError: a number out of range.

    Source: *Hold'em Killer*, "Opponent Modeling", with Poki's income rates (section 3.2) for Sklansky's
    groups.
    """
    from engine.hands.preflop.tables import shipped_tables

    values = shipped_tables().table(players).iterated[STARTING_HAND_OF_COMBO]
    return keep_top(values, fraction, looseness, softness=softness)


def playable_on_board(board: Sequence[int], fraction: float, looseness: float = 1.0) -> Floats:
    """The combos worth playing on a board of 3, 4 or 5 cards: the best by their rank on it.

    It stands in for a better heuristic and ignores draws; `keep_top` takes any values, such as the effective
    strengths of all hands.

    Raises:
        ValueError: a wrong board, or a number out of range.

    Source: *Hold'em Killer*, "Computing Actual Hand Odds", section 1 (the boolean heuristic is left open).
    """
    ranks = board_ranks(board)
    values = np.where(ranks == DEAD_COMBO, np.nan, ranks.astype(np.float64))
    return keep_top(values, fraction, looseness)


def playable_in_rounds(board: Sequence[int], fractions: Sequence[float], looseness: float = 1.0) -> Floats:
    """The combos worth playing in each round so far: the filters of the rounds multiplied.

    Args:
        board: 0, 3, 4 or 5 cards.
        fractions: the shares of hands that are played before the flop, on the flop, on the turn and on the
            river, or the first of these; each is a share of all hands, not of those left by then.
        looseness: scales all fractions.

    Returns:
        shape (1326,), float64, weights between 0 and 1.

    Raises:
        ValueError: no fraction, more of them than rounds, a number out of range, or a wrong board.

    Source: *Hold'em Killer*, "Computing Actual Hand Odds", section 1.
    """
    rounds = max(1, len(board) - 1)
    if not 1 <= len(fractions) <= rounds:
        raise ValueError(
            f"{len(fractions)} filters: with {len(board)} cards on the board expected 1 to {rounds}"
        )
    weights = playable_before_flop(fractions[0], looseness)
    for betting_round, fraction in enumerate(fractions[1:], 1):
        weights = weights * playable_on_board(board[: 2 + betting_round], fraction, looseness)
    return weights


def _as_tables(weights: Floats, opponents: int | None) -> Floats:
    if weights.ndim == 1:
        weights = np.broadcast_to(weights, (1 if opponents is None else opponents, len(weights)))
    elif opponents is not None and opponents != len(weights):
        raise ValueError(
            f"{opponents} opponents with {len(weights)} weight tables: expected one table or one each"
        )
    if weights.ndim != 2 or weights.shape[1] != NUM_COMBOS or not 1 <= len(weights) <= MAX_OPPONENTS:
        raise ValueError(f"weights: expected shape (1..{MAX_OPPONENTS}, {NUM_COMBOS}), got {weights.shape}")
    return weights


def _results(
    hole_cards: Sequence[int], board: Sequence[int], weights: Floats, rng: np.random.Generator | None
) -> BoardResults:
    ours, known = check_hand_and_board(hole_cards, board, ANY_BOARD)
    return results_by_board(ours, final_boards(ours, known, rng=rng), weights)


def reflective_hand_odds(
    hole_cards: Sequence[int],
    board: Sequence[int],
    weights: Floats,
    opponents: int | None = None,
    *,
    rng: np.random.Generator | None = None,
) -> float:
    """Our share of the pot against opponents whose possible hands are weighted, if nobody folds any more.

    On each final board the opponents are independent of each other; a board is weighted by how many of their
    hands are possible with it.  This is exact for one opponent after the flop.

    Args:
        hole_cards: our two cards.
        board: 0, 3, 4 or 5 cards.
        weights: shape (1326,), one filter for all, or (opponents, 1326).
        opponents: 1 to 9; may be omitted if each has a table.
        rng: draws final boards; needed only without a board.

    Raises:
        ValueError: wrong cards or shapes, or an opponent without any possible hand.

    Source: *Hold'em Killer*, "Computing Actual Hand Odds", section 3.
    """
    tables = _as_tables(weights, opponents)
    one_filter = weights.ndim == 1
    results = _results(hole_cards, board, tables[:1] if one_filter else tables, rng)
    total = results.total
    if (total.sum(axis=1) <= 0).any():
        raise ValueError("weights: an opponent has no possible hand left beside the known cards")
    safe = np.where(total > 0, total, 1.0)
    won, tied = results.won / safe, results.tied / safe
    if one_filter:
        won, tied, safe, total = (np.repeat(array, len(tables), axis=0) for array in (won, tied, safe, total))
    # Share of the pot with ties: the integral over x in 0..1 of the product of (won + tied x).
    coefficients = np.zeros((len(tables) + 1, won.shape[1]))
    coefficients[0] = 1.0
    for opponent in range(len(tables)):
        coefficients[1:] = coefficients[1:] * won[opponent] + coefficients[:-1] * tied[opponent]
        coefficients[0] *= won[opponent]
    shares = (coefficients / np.arange(1, len(tables) + 2)[:, None]).sum(axis=0)
    # Scaled first: a product of nine small totals must not underflow.
    frequency = np.prod(total / total.max(axis=1, keepdims=True), axis=0)
    if frequency.sum() <= 0:
        raise ValueError("the opponents' possible hands leave no final board")
    return float((shares * frequency).sum() / frequency.sum())


def has_reflective_nuts(
    hole_cards: Sequence[int],
    board: Sequence[int],
    weights: Floats,
    *,
    rng: np.random.Generator | None = None,
) -> bool:
    """Whether no hand that an opponent may reasonably hold beats ours on any board to come.

    Ties are allowed.  Against several opponents it is true if it is true against each.

    Args:
        hole_cards: our two cards.
        board: 0, 3, 4 or 5 cards; without a board a sample of final boards is tried.
        weights: shape (1326,) or (opponents, 1326); a weight of 0 means that the hand was filtered out.
        rng: draws final boards; needed only without a board.

    Raises:
        ValueError: wrong cards or shapes.

    Source: *Hold'em Killer*, "Computing Actual Hand Odds", section 3.
    """
    return not _results(hole_cards, board, np.atleast_2d(weights), rng).lost.any()


def has_nuts(hole_cards: Sequence[int], board: Sequence[int]) -> bool:
    """Whether no hand at all beats ours on any board to come; on the river, the nuts as usually meant.

    Raises:
        ValueError: wrong cards, or no board.

    Source: *Hold'em Killer*, "Raw Hand Odds", section 3.
    """
    if not len(board):
        raise ValueError("board: expected 3, 4 or 5 cards; no hand has the nuts without a board")
    return has_reflective_nuts(hole_cards, board, combos_without(hole_cards).astype(np.float64))
