"""How folds depend on the range: a player who folds all hands below a bar folds as often as such are held.

A context knows how often a player folded in it, not what the player could hold then.  Who folds by the
hand, the same hands whatever came before, folds less often with a range that has been raised with and more
often with one that has only checked.  How high the bar lies is learnt of each player: after the flop, for
each betting round, apart for one bet to call and for more.  The part of the range below it is one prediction
of folds, what has been counted in the context the other, and each has the weight that it has earned.  What is
left between predictions and folds in a context moves the log odds of a fold there.

*Bars* are strengths, the share of all hands that a hand beats, whose squares are equally far apart: the edges
of the strata in which ranges lie (``engine.kernels.trials.strata``).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import records as plain
from engine.kernels._jit import integer, kernel
from engine.kernels.opponents.records import NUM_BAR_PLACES, NUM_BARS, Counts, Evidence
from engine.records import ProbabilityTriple, PublicSituation

_bets_to_call = kernel(allocates=False, inlined=True)(plain.bets_to_call)

BARS_PRIOR: Final = -0.5 * ((np.sqrt(np.arange(NUM_BARS) / (NUM_BARS - 1)) - 0.45) / 0.25) ** 2
"""Log odds at first of each bar: the strengths at which players fold, roughly."""
WEIGHT_PRIOR: Final = -1.0
"""Log odds at first of the prediction by bars against the other one."""
SEEN_PRIOR: Final = 10.0
"""Decisions in a place after which the bars have half of the weight that they have earned."""
_BY_HABIT: Final = 0.1
"""The part of the folds that no bar decides."""
_EVIDENCE_FADES: Final = 0.998
"""What one comparison of the two predictions counts after the next."""
_MOST_EVIDENCE: Final = 8.0
"""Log odds at which a comparison stops, so that it can turn."""
_OFFSET_STEP: Final = 0.02
"""How far one surprise moves the log odds of a fold in its context."""
_LEAST_CHANCE: Final = 1e-2
"""Least chance of what came where bars are compared."""


@kernel(allocates=False)
def bars_place(situation: PublicSituation) -> int:
    """Where the bar of a decision is learnt, 0 to NUM_BAR_PLACES - 1; -1 where none is."""
    if situation.betting_round == 0 or not situation.can_fold:
        return -1
    return integer(2 * (situation.betting_round - 1) + (1 if _bets_to_call(situation) > 1 else 0))


@kernel(allocates=False, inlined=True)
def _fold_by_bars(fold: float, bars: NDArray[np.float64], below: NDArray[np.float64]) -> float:
    """How often the range is folded.

    fold: the other prediction.  bars: how likely each is, shape (NUM_BARS,).  below: as in `with_bars`.
    """
    folding = 0.0
    for bar in range(NUM_BARS):
        folding += bars[bar] * below[bar]
    return float(folding + _BY_HABIT * (fold - folding))


@kernel(allocates=False, inlined=True)
def with_bars(
    triple: ProbabilityTriple, counts: Counts, place: int, context: int, below: NDArray[np.float64]
) -> ProbabilityTriple:
    """What has been predicted, drawn towards what the bars say of folds; the rest keeps its proportions.

    place: of `bars_place`, not -1.  context: of ``ContextNumbers``.
    below: the part of the player's range below each bar, shape (NUM_BARS,).
    """
    if not 0.0 < triple.fold < 1.0:
        return triple
    by_bars = _fold_by_bars(triple.fold, counts.bars[place], below)
    fold = _fold_together(triple.fold, by_bars, counts, place, context)
    left = (1.0 - fold) / (1.0 - triple.fold)
    return ProbabilityTriple(fold, left * triple.call, left * triple.raise_)


@kernel(allocates=False, inlined=True)
def _fold_together(fold: float, by_bars: float, counts: Counts, place: int, context: int) -> float:
    """Both predictions by their weights, the log odds moved by what is left in the context."""
    mixed = fold + counts.bars_weight[place] * (by_bars - fold)
    moved = mixed * (1.0 + counts.bars_moved[context])
    return float(moved / (moved + 1.0 - mixed))


@kernel(allocates=False)
def observe_bars(
    counts: Counts,
    evidence: Evidence,
    place: int,
    context: int,
    fold: float,
    below: NDArray[np.float64],
    folded: bool,
) -> None:
    """Weighs the bars of a place, and what they say against the other prediction, by what came.

    counts, evidence: brought up to date in place.  fold: the other prediction.  The rest as in `with_bars`.
    """
    known = evidence.bars[place]
    by_bars = _fold_by_bars(fold, counts.bars[place], below)
    together = _fold_together(fold, by_bars, counts, place, context)
    evidence.bars_offsets[context] += _OFFSET_STEP * ((1.0 if folded else 0.0) - together)
    moved = _EVIDENCE_FADES * evidence.bars_weight[place]
    moved += _log(by_bars, folded) - _log(fold, folded)
    evidence.bars_seen[place] += 1.0
    evidence.bars_weight[place] = min(max(moved, -_MOST_EVIDENCE), _MOST_EVIDENCE)
    best = -np.inf
    for bar in range(NUM_BARS):
        known[bar] += _log(below[bar] + _BY_HABIT * (fold - below[bar]), folded)
        best = max(best, known[bar])
    for bar in range(NUM_BARS):
        known[bar] -= best
    weigh_bars(counts, evidence, place, context)


@kernel(allocates=False, inlined=True)
def _log(fold: float, folded: bool) -> float:
    return float(np.log(max(fold if folded else 1.0 - fold, _LEAST_CHANCE)))


@kernel(allocates=False)
def weigh_bars(counts: Counts, evidence: Evidence, place: int, context: int) -> None:
    """What follows from the evidence of a place and of a context; `counts` is changed in place."""
    counts.bars_moved[context] = np.exp(evidence.bars_offsets[context]) - 1.0
    total = 0.0
    for bar in range(NUM_BARS):
        chance = np.exp(evidence.bars[place, bar])
        counts.bars[place, bar] = chance
        total += chance
    for bar in range(NUM_BARS):
        counts.bars[place, bar] /= total
    seen = evidence.bars_seen[place]
    counts.bars_weight[place] = seen / (seen + SEEN_PRIOR) / (1.0 + np.exp(-evidence.bars_weight[place]))


def no_bars_known() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`Evidence.bars` and `bars_weight` before the first action; arrays of their own."""
    return np.tile(BARS_PRIOR, (NUM_BAR_PLACES, 1)), np.full(NUM_BAR_PLACES, WEIGHT_PRIOR)
