"""How what is known of a player grows with a decision that has been read: the predictions are weighed by it.

Source: Killer, "from a neutral model to a stereotype to a more accurate one".
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.players.bars import no_bars_known, weigh_bars
from engine.kernels.players.predictions import fill_chances_by_loan, fill_chances_by_steepness, prediction_of
from engine.kernels.players.records import (
    FOLDS_SHAPE,
    NUM_BAR_PLACES,
    NUM_BARS,
    NUM_CORRECTIONS,
    NUM_LOANS,
    NUM_STEEPNESSES,
    STEEPNESSES,
    Correction,
    Counts,
    Evidence,
    Folds,
)
from engine.kernels.players.triples import neutral_triple
from engine.poker import records as plain
from engine.poker.records import (
    NUM_COMPANIES,
    NUM_CONTEXTS,
    NUM_DETAILS,
    NUM_GROUPS,
    ContextNumbers,
    ProbabilityTriple,
    TripleIndex,
)

_half_of_group = kernel(allocates=False, inlined=True)(plain.half_of_group)

NEUTRAL_PRIOR: Final = -2.0
"""Log odds at first of the neutral model against the generic one: about one player in eight."""
LOANS_PRIOR: Final = (-3.0, -1.0, 0.0)
"""Log odds at first of each of the `LOANS`: details matter little until they have shown that they do."""
COMPANY_MATTERS: Final = -1.0
"""Log odds at first that what company changes predicts better."""
STEEPNESSES_PRIOR: Final = (0.0, -2.0, -2.3, -2.8, -3.4)
"""Log odds at first of each of the `STEEPNESSES`: prices matter as they do to anybody until a player
shows that they matter more."""
_EVIDENCE_FADES: Final = 0.998
"""What one comparison of the two predictions counts after the next."""
_MOST_EVIDENCE: Final = 8.0
"""Log odds at which a comparison stops, so that it can turn."""
_OFFSET_STEP: Final = 0.02
"""How far one surprise moves the log odds of its context.  What was predicted and what came are thus never
farther apart, summed over a context, than its offset over the step."""
_LEAST_CHANCE: Final = 1e-3
"""Least chance of an action where predictions are compared."""


NUM_SCRATCH: Final = max(NUM_LOANS, NUM_STEEPNESSES)
"""Numbers of scratch that `observe_decision` takes."""


def nothing_counted() -> tuple[Counts, Evidence]:
    """The knowledge of a player before the first action; arrays of its own."""
    counts = Counts(
        contexts=np.zeros((NUM_CONTEXTS, 3)),
        groups=np.zeros((NUM_GROUPS, 3)),
        details=np.zeros((NUM_DETAILS, 3)),
        corrections=np.zeros((NUM_CONTEXTS, NUM_CORRECTIONS, 3)),
        detail_corrections=np.zeros((NUM_DETAILS, NUM_CORRECTIONS, 3)),
        folds=np.zeros(FOLDS_SHAPE),
        company=np.zeros((NUM_GROUPS, NUM_COMPANIES, 2, 3)),
        company_weight=np.zeros(1),
        counts_weight=np.zeros(NUM_GROUPS),
        borrowing=np.zeros((NUM_GROUPS, NUM_LOANS)),
        neutral_share=np.zeros(1),
        pot_odds=np.zeros((NUM_CONTEXTS, 2)),
        steepness=np.zeros(1),
        bars=np.zeros((NUM_BAR_PLACES, NUM_BARS)),
        bars_weight=np.zeros(NUM_BAR_PLACES),
        bars_moved=np.zeros(2 * NUM_CONTEXTS),
    )
    bars, bars_weight = no_bars_known()
    evidence = Evidence(
        offsets=np.zeros((NUM_CONTEXTS, 3)),
        counts=np.zeros(NUM_GROUPS),
        borrowing=np.tile(LOANS_PRIOR, (NUM_GROUPS, 1)),
        neutral=np.full(1, NEUTRAL_PRIOR),
        company=np.full(1, COMPANY_MATTERS),
        steepness=np.array(STEEPNESSES_PRIOR),
        bars=bars,
        bars_weight=bars_weight,
        bars_seen=np.zeros(NUM_BAR_PLACES),
        bars_offsets=np.zeros(2 * NUM_CONTEXTS),
    )
    weigh_evidence(counts, evidence)
    return counts, evidence


@kernel(allocates=False)
def observe_decision(
    counts: Counts,
    evidence: Evidence,
    numbers: ContextNumbers,
    usual: ProbabilityTriple,
    can_fold: bool,
    can_raise: bool,
    action: int,
    chances: NDArray[np.float64],
) -> None:
    """Weighs the predictions of a decision by the action that came, a `TripleIndex`.

    counts, evidence: brought up to date in place.  chances: scratch, shape (NUM_SCRATCH,).  The rest as in
    ``predictions.prediction_of``.
    """
    group, context, detail = numbers.group, numbers.context, numbers.detail
    prediction = prediction_of(counts, numbers, usual, can_fold, can_raise)
    fill_chances_by_loan(counts, numbers, usual, can_fold, can_raise, action, chances)
    best = -np.inf
    for loan in range(NUM_LOANS):
        evidence.borrowing[group, loan] = _EVIDENCE_FADES * evidence.borrowing[group, loan] + _log(
            chances[loan]
        )
        best = max(best, evidence.borrowing[group, loan])
    for loan in range(NUM_LOANS):
        evidence.borrowing[group, loan] = max(evidence.borrowing[group, loan] - best, -_MOST_EVIDENCE)
    if can_fold:
        _observe_steepness(counts, evidence, numbers, prediction.overall.fold, action, chances)
    moved = evidence.counts[group] * _EVIDENCE_FADES
    moved += _log(prediction.by_counts[action]) - _log(prediction.by_correction[action])
    evidence.counts[group] = min(max(moved, -_MOST_EVIDENCE), _MOST_EVIDENCE)
    moved = evidence.company[0] + _log(prediction.in_company[action]) - _log(prediction.overall[action])
    evidence.company[0] = min(max(moved, -_MOST_EVIDENCE), _MOST_EVIDENCE)
    neutral = neutral_triple(can_fold, can_raise)
    moved = evidence.neutral[0] + np.log(neutral[action]) - _log(usual[action])
    evidence.neutral[0] = min(max(moved, -_MOST_EVIDENCE), _MOST_EVIDENCE)
    if can_fold:
        folds = counts.folds[_half_of_group(group)]
        folds[Folds.SEEN] += 1.0 if action == TripleIndex.FOLD else 0.0
        folds[Folds.GENERIC] += usual.fold
        folds[Folds.NEUTRAL] += neutral.fold
    for other in range(3):
        came = 1.0 if other == action else 0.0
        evidence.offsets[context, other] += _OFFSET_STEP * (came - prediction.together[other])
        counts.corrections[context, Correction.OBSERVED, other] += came
        counts.corrections[context, Correction.EXPECTED, other] += usual[other]
        counts.detail_corrections[detail, Correction.OBSERVED, other] += came
        counts.detail_corrections[detail, Correction.EXPECTED, other] += usual[other]
        counts.company[group, numbers.company, Correction.OBSERVED, other] += came
        counts.company[group, numbers.company, Correction.EXPECTED, other] += prediction.overall[other]
    _weigh(counts, evidence, context, group)


@kernel(allocates=False, inlined=True)
def _observe_steepness(
    counts: Counts,
    evidence: Evidence,
    numbers: ContextNumbers,
    fold: float,
    action: int,
    chances: NDArray[np.float64],
) -> None:
    """Weighs by a decision how fast folds become fewer with better pot odds; arguments of `observe_decision`.

    fold: its chance that was predicted.
    """
    fill_chances_by_steepness(counts, numbers, fold, action == TripleIndex.FOLD, chances)
    best = -np.inf
    for each in range(NUM_STEEPNESSES):
        evidence.steepness[each] += _log(chances[each])
        best = max(best, evidence.steepness[each])
    for each in range(NUM_STEEPNESSES):
        evidence.steepness[each] = max(evidence.steepness[each] - best, -_MOST_EVIDENCE)
    counts.pot_odds[numbers.context, 0] += 1.0
    counts.pot_odds[numbers.context, 1] += numbers.log_pot_odds


@kernel(allocates=False, inlined=True)
def _log(chance: float) -> float:
    return float(np.log(max(chance, _LEAST_CHANCE)))


@kernel(allocates=False, inlined=True)
def _weigh(counts: Counts, evidence: Evidence, context: int, group: int) -> None:
    """The weights that follow from the evidence, of a context and of a group."""
    for action in range(3):
        factor = np.exp(evidence.offsets[context, action])
        counts.corrections[context, Correction.FACTOR, action] = factor
    counts.counts_weight[group] = 1.0 / (1.0 + np.exp(-evidence.counts[group]))
    total = 0.0
    for loan in range(NUM_LOANS):
        total += np.exp(evidence.borrowing[group, loan])
    for loan in range(NUM_LOANS):
        counts.borrowing[group, loan] = np.exp(evidence.borrowing[group, loan]) / total
    total = 0.0
    mean = 0.0
    for each in range(NUM_STEEPNESSES):
        chance = np.exp(evidence.steepness[each])
        total += chance
        mean += chance * STEEPNESSES[each]
    counts.steepness[0] = mean / total
    counts.company_weight[0] = 1.0 / (1.0 + np.exp(-evidence.company[0]))
    counts.neutral_share[0] = max(0.0, 1.0 - np.exp(-evidence.neutral[0]))


@kernel(allocates=False)
def weigh_evidence(counts: Counts, evidence: Evidence) -> None:
    """The weights of all contexts, groups and bars that follow from the evidence; changes `counts`."""
    for context in range(evidence.offsets.shape[0]):
        _weigh(counts, evidence, context, 0)
    for entry in range(evidence.bars_offsets.shape[0]):
        weigh_bars(counts, evidence, 0, entry)
    for group in range(evidence.counts.shape[0]):
        _weigh(counts, evidence, 0, group)
    for place in range(evidence.bars_weight.shape[0]):
        weigh_bars(counts, evidence, place, 0)
