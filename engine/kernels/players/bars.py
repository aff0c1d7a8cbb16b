"""How folds and raises depend on the range: hands below one bar are folded, those above another raised with.

A context knows how often a player folded and raised in it, not what the player could hold then.  Who acts by
the hand, with the same hands whatever came before, folds less and raises more often with a range that has
been raised with, and the other way round with one that has only checked.  How high the bars lie is learnt of
each player, after the flop and for each betting round: that below which hands are folded, apart for one bet
to call and for more, and that above which they are bet or raised with, apart for none, one and more.  The
part of the range below the one, or above the other, is one prediction of folds or of raises, what has been
counted in the context the other, and each has the weight that it has earned.  What is left between
predictions and actions in a context moves the log odds there.  The same is asked of the folds to a raise that
is only thought of (`fold_of_range`).

*Bars* are strengths, the share of all hands that a hand beats, whose squares are equally far apart: the edges
of the strata in which ranges lie (``engine.kernels.players.trials.strata``).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.players.records import (
    FOLDS_MOVED,
    FOLDS_OF_RANGE,
    NUM_BARS,
    NUM_FOLD_PLACES,
    NUM_RAISE_PLACES,
    Counts,
    Evidence,
)
from engine.poker import records as plain
from engine.poker.records import NUM_CONTEXTS, ProbabilityTriple, PublicSituation, TripleIndex

_bets_to_call = kernel(allocates=False, inlined=True)(plain.bets_to_call)

_STRENGTHS: Final = np.sqrt(np.arange(NUM_BARS) / (NUM_BARS - 1))
FOLDS_PRIOR: Final = -0.5 * ((_STRENGTHS - 0.45) / 0.25) ** 2
"""Log odds at first of each bar: the strengths at which players fold, roughly."""
RAISES_PRIOR: Final = -0.5 * ((_STRENGTHS - 0.75) / 0.2) ** 2
"""The same of those at which they bet or raise."""
WEIGHT_PRIOR: Final = -1.0
"""Log odds at first of the prediction by bars against the other one."""
SEEN_PRIOR: Final = 10.0
"""Decisions in a place after which the bars have half of the weight that they have earned."""
_BY_HABIT: Final = 0.1
"""The part of the folds or raises that no bar decides."""
_LEAST_CALLS: Final = 0.01
"""The part of what is not folded that is called where the bars say more raises than were predicted."""
_EVIDENCE_FADES: Final = 0.998
"""What one comparison of the two predictions counts after the next."""
_MOST_EVIDENCE: Final = 8.0
"""Log odds at which a comparison stops, so that it can turn."""
_OFFSET_STEP: Final = 0.02
"""How far one surprise moves the log odds of a fold or raise in its context."""
_LEAST_CHANCE: Final = 1e-2
"""Least chance of what came where bars are compared."""


@kernel(allocates=False, inlined=True)
def _fold_place(betting_round: int, bets: int) -> int:
    return 2 * (betting_round - 1) + (1 if bets > 1 else 0)


@kernel(allocates=False)
def bars_place(situation: PublicSituation, action: int) -> int:
    """Where the bar of a decision is learnt, 0 to NUM_BAR_PLACES - 1; -1 where none is.

    action: `TripleIndex.FOLD` for the bar below which hands are folded, `RAISE` for that above which they are
    raised with.
    """
    if situation.betting_round == 0:
        return -1
    betting_round, bets = situation.betting_round, integer(_bets_to_call(situation))
    if action == TripleIndex.FOLD:
        return integer(_fold_place(betting_round, bets)) if situation.can_fold else -1
    return integer(NUM_FOLD_PLACES + 3 * (betting_round - 1) + bets) if situation.can_raise else -1


@kernel(allocates=False, inlined=True)
def _part(below: float, place: int) -> float:
    """The part of a range that is folded, in a place of folds, or raised with."""
    return below if place < NUM_FOLD_PLACES else 1.0 - below


@kernel(allocates=False, inlined=True)
def _with_habit(chance: float, part: float) -> float:
    """How often a range is folded or raised with of which a bar sets a part apart.

    chance: by the other prediction.
    """
    return part + _BY_HABIT * (chance - part)


@kernel(allocates=False, inlined=True)
def _part_of_range(counts: Counts, place: int, below: NDArray[np.float64]) -> float:
    """The part of a range that is folded or raised with, each bar as likely as it is."""
    lower = 0.0
    for bar in range(NUM_BARS):
        lower += counts.bars[place, bar] * below[bar]
    return _part(lower, place)


@kernel(allocates=False, inlined=True)
def _by_bars(chance: float, counts: Counts, place: int, below: NDArray[np.float64]) -> float:
    """The prediction by bars; arguments as in `_drawn`."""
    return _with_habit(chance, _part_of_range(counts, place, below))


@kernel(allocates=False, inlined=True)
def _moved_place(place: int, context: int) -> int:
    """The entry of `Counts.bars_moved`."""
    return context if place < NUM_FOLD_PLACES else NUM_CONTEXTS + context


@kernel(allocates=False, inlined=True)
def _together(chance: float, by_bars: float, weight: float, moved: float) -> float:
    """Both predictions of a fold or raise by the weight of the bars, and the odds moved by what is left."""
    mixed = chance + weight * (by_bars - chance)
    more = mixed * (1.0 + moved)
    return float(more / (more + 1.0 - mixed))


@kernel(allocates=False, inlined=True)
def _drawn(chance: float, counts: Counts, place: int, context: int, below: NDArray[np.float64]) -> float:
    """The chance of a fold or raise, by the other prediction, drawn towards what the bars of a place say."""
    moved = counts.bars_moved[_moved_place(place, context)]
    return _together(chance, _by_bars(chance, counts, place, below), counts.bars_weight[place], moved)


@kernel(allocates=False, inlined=True)
def with_bars(
    triple: ProbabilityTriple,
    counts: Counts,
    situation: PublicSituation,
    context: int,
    below: NDArray[np.float64],
) -> ProbabilityTriple:
    """What has been predicted, drawn towards what the bars say: first folds, then raises instead of calls.

    context: of ``ContextNumbers``.  below: the part of the player's range below each bar, shape (NUM_BARS,).
    """
    fold, call, raising = triple
    place = bars_place(situation, TripleIndex.FOLD)
    if place >= 0 and 0.0 < fold < 1.0:
        drawn = _drawn(fold, counts, place, context, below)
        left = (1.0 - drawn) / (1.0 - fold)
        fold, call, raising = drawn, left * call, left * raising
    place = bars_place(situation, TripleIndex.RAISE)
    if place >= 0 and 0.0 < raising < 1.0:
        drawn = _drawn(raising, counts, place, context, below)
        raising = min(drawn, max(raising, (1.0 - _LEAST_CALLS) * (1.0 - fold)))
        call = 1.0 - fold - raising
    return ProbabilityTriple(fold, call, raising)


@kernel(allocates=False)
def fill_folds_of_range(
    counts: Counts, betting_round: int, below: NDArray[np.float64], row: NDArray[np.float64]
) -> None:
    """What a range says of folds to a bet, for `fold_of_range`.

    betting_round: 1 to 3.  below: as in `with_bars`.  row: of an array of traits, changed in place.
    """
    for more in range(2):
        place = _fold_place(betting_round, 1 + more)
        row[FOLDS_OF_RANGE + 2 * more] = _part_of_range(counts, place, below)
        row[FOLDS_OF_RANGE + 2 * more + 1] = counts.bars_weight[place]
    for context in range(NUM_CONTEXTS):
        row[FOLDS_MOVED + context] = counts.bars_moved[context]


@kernel(allocates=False, inlined=True)
def fold_of_range(fold: float, row: NDArray[np.float64], bets: int, context: int) -> float:
    """The chance of a fold after the flop, drawn towards what the range says.

    fold: the other prediction.  row: of `fill_folds_of_range`.  bets: to call.  context: of the decision.
    """
    column = FOLDS_OF_RANGE + (2 if bets > 1 else 0)
    weight = float(row[column + 1])
    if weight == 0.0 or not 0.0 < fold < 1.0:
        return fold
    return _together(fold, _with_habit(fold, float(row[column])), weight, float(row[FOLDS_MOVED + context]))


@kernel(allocates=False)
def observe_bars(
    counts: Counts,
    evidence: Evidence,
    situation: PublicSituation,
    context: int,
    triple: ProbabilityTriple,
    below: NDArray[np.float64],
    action: int,
) -> None:
    """Weighs the bars, and what they say against the other prediction, by the action that came.

    counts, evidence: brought up to date in place.  triple: the other prediction.  The rest as in `with_bars`.
    """
    place = bars_place(situation, TripleIndex.FOLD)
    if place >= 0:
        _observe(counts, evidence, place, context, triple.fold, below, action == TripleIndex.FOLD)
    place = bars_place(situation, TripleIndex.RAISE)
    if place >= 0:
        _observe(counts, evidence, place, context, triple.raise_, below, action == TripleIndex.RAISE)


@kernel(allocates=False)
def _observe(
    counts: Counts,
    evidence: Evidence,
    place: int,
    context: int,
    chance: float,
    below: NDArray[np.float64],
    came: bool,
) -> None:
    """The same of folds or of raises, by the place; `chance` is theirs by the other prediction."""
    by_bars = _by_bars(chance, counts, place, below)
    entry = _moved_place(place, context)
    together = _together(chance, by_bars, counts.bars_weight[place], counts.bars_moved[entry])
    evidence.bars_offsets[entry] += _OFFSET_STEP * ((1.0 if came else 0.0) - together)
    moved = _EVIDENCE_FADES * evidence.bars_weight[place] + _log(by_bars, came) - _log(chance, came)
    evidence.bars_weight[place] = min(max(moved, -_MOST_EVIDENCE), _MOST_EVIDENCE)
    evidence.bars_seen[place] += 1.0
    known = evidence.bars[place]
    best = -np.inf
    for bar in range(NUM_BARS):
        known[bar] += _log(_with_habit(chance, _part(below[bar], place)), came)
        best = max(best, known[bar])
    for bar in range(NUM_BARS):
        known[bar] -= best
    weigh_bars(counts, evidence, place, entry)


@kernel(allocates=False, inlined=True)
def _log(chance: float, came: bool) -> float:
    return float(np.log(max(chance if came else 1.0 - chance, _LEAST_CHANCE)))


@kernel(allocates=False)
def weigh_bars(counts: Counts, evidence: Evidence, place: int, entry: int) -> None:
    """Update `counts` by the evidence of a place and by an entry of the offsets."""
    counts.bars_moved[entry] = np.exp(evidence.bars_offsets[entry]) - 1.0
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
    bars = np.array([FOLDS_PRIOR] * NUM_FOLD_PLACES + [RAISES_PRIOR] * NUM_RAISE_PLACES)
    return bars, np.full(len(bars), WEIGHT_PRIOR)
