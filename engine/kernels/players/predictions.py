"""How often a counted player acts: predictions from what has been seen, each level borrowing from a coarser.

What is counted and why stands in ``engine.players.models.specific``; how counts grow in ``counting``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from numpy import float64
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.players.pot_odds import fold_at_odds, odds_distance
from engine.kernels.players.records import (
    LOANS,
    NUM_LOANS,
    NUM_STEEPNESSES,
    STEEPNESSES,
    Correction,
    Counts,
    Folds,
    Prediction,
)
from engine.kernels.players.triples import blended, legal_triple, neutral_triple, triple_at
from engine.poker import records as plain
from engine.poker.records import NUM_COMPANIES, NUM_GROUPS, ContextNumbers, ProbabilityTriple, TripleIndex

_half_of_group = kernel(allocates=False, inlined=True)(plain.half_of_group)

FOLDS_PRIOR: Final = 4.0
"""Folds that were expected after which half of a player's deviation from them is believed everywhere."""
GROUP_PRIOR: Final = 12.0
"""Actions in a group that weigh as much as what is expected."""
CONTEXT_PRIOR: Final = 10.0
"""Actions in a context that weigh as much as its group."""
CORRECTION_PRIOR: Final = 40.0
"""Actions in a context after which half of a deviation from the generic model is believed."""
COMPANY_PRIOR: Final = 4.0
"""Actions of a kind that were predicted after which half of what company changes in them is believed."""


class _InContext(NamedTuple):
    """The expected chances in a context, before its details."""

    by_counts: ProbabilityTriple
    by_correction: ProbabilityTriple
    ratios: ProbabilityTriple
    """What was observed over what was expected, each beside the prior's."""


@kernel(allocates=False)
def _in_context(
    counts: Counts, numbers: ContextNumbers, usual: ProbabilityTriple, can_fold: bool, can_raise: bool
) -> _InContext:
    """The expected chances of a counted player in a context."""
    neutral, neutral_share = neutral_triple(can_fold, can_raise), float(counts.neutral_share[0])
    of_folds = ProbabilityTriple(_ratio_of_folds(counts, numbers.group, neutral_share), 1.0, 1.0)
    expected = _times(blended(usual, neutral, neutral_share), of_folds)
    expected = legal_triple(expected, can_fold, can_raise)

    # By counts: what is expected, then the group's actions, then the context's.
    seen = triple_at(counts.groups[numbers.group])
    fold = seen.fold + GROUP_PRIOR * expected.fold
    call = seen.call + GROUP_PRIOR * expected.call
    raising = seen.raise_ + GROUP_PRIOR * expected.raise_
    in_group = fold + call + raising
    seen = triple_at(counts.contexts[numbers.context])
    by_counts = ProbabilityTriple(
        seen.fold + CONTEXT_PRIOR * fold / in_group,
        seen.call + CONTEXT_PRIOR * call / in_group,
        seen.raise_ + CONTEXT_PRIOR * raising / in_group,
    )

    # By correction: what is expected here, times what was observed over what was expected.
    seen, foreseen = _corrections(counts.corrections[numbers.context], neutral, neutral_share)
    foreseen = _times(foreseen, of_folds)
    ratios = ProbabilityTriple(
        _ratio(CORRECTION_PRIOR * expected.fold, seen.fold, foreseen.fold),
        _ratio(CORRECTION_PRIOR * expected.call, seen.call, foreseen.call),
        _ratio(CORRECTION_PRIOR * expected.raise_, seen.raise_, foreseen.raise_),
    )
    return _InContext(
        legal_triple(by_counts, can_fold, can_raise), _times(expected, ratios), _times(of_folds, ratios)
    )


@kernel(allocates=False, inlined=True)
def _ratio_of_folds(counts: Counts, group: int, neutral_share: float) -> float:
    """The folds seen over those expected, in all contexts of a half of the hand.

    Whoever never folds is not expected to fold where they have hardly been seen.
    """
    folds = counts.folds[_half_of_group(group)]
    foreseen = folds[Folds.GENERIC] + neutral_share * (folds[Folds.NEUTRAL] - folds[Folds.GENERIC])
    return float((folds[Folds.SEEN] + FOLDS_PRIOR) / (foreseen + FOLDS_PRIOR))


@kernel(allocates=False, inlined=True)
def _corrections(
    rows: NDArray[float64], neutral: ProbabilityTriple, neutral_share: float
) -> tuple[ProbabilityTriple, ProbabilityTriple]:
    """The actions seen, and those that were expected, the neutral model having its share of that."""
    seen, foreseen = triple_at(rows[Correction.OBSERVED]), triple_at(rows[Correction.EXPECTED])
    if neutral_share > 0.0:
        # The neutral triple is the same in all situations of a context.
        cases = seen.fold + seen.call + seen.raise_
        all_neutral = ProbabilityTriple(cases * neutral.fold, cases * neutral.call, cases * neutral.raise_)
        foreseen = blended(foreseen, all_neutral, neutral_share)
    return seen, foreseen


@kernel(allocates=False, inlined=True)
def _ratio(prior: float, observed: float, foreseen: float) -> float:
    return (observed + prior + 1e-9) / (foreseen + prior + 1e-9)


@kernel(allocates=False, inlined=True)
def _times(first: ProbabilityTriple, second: ProbabilityTriple) -> ProbabilityTriple:
    return ProbabilityTriple(first.fold * second.fold, first.call * second.call, first.raise_ * second.raise_)


@kernel(allocates=False)
def _with_details(
    counts: Counts, numbers: ContextNumbers, context: _InContext, loan: float, can_fold: bool, can_raise: bool
) -> tuple[ProbabilityTriple, ProbabilityTriple]:
    """Both predictions with what was seen in the details of a context, which borrow so much from it."""
    seen, lent = triple_at(counts.details[numbers.detail]), context.by_counts
    by_counts = ProbabilityTriple(
        seen.fold + loan * lent.fold, seen.call + loan * lent.call, seen.raise_ + loan * lent.raise_
    )
    neutral, neutral_share = neutral_triple(can_fold, can_raise), float(counts.neutral_share[0])
    lent, prior = context.by_correction, CORRECTION_PRIOR / CONTEXT_PRIOR * loan
    seen, foreseen = _corrections(counts.detail_corrections[numbers.detail], neutral, neutral_share)
    foreseen = _times(foreseen, context.ratios)
    ratios = ProbabilityTriple(
        _ratio(prior * lent.fold, seen.fold, foreseen.fold),
        _ratio(prior * lent.call, seen.call, foreseen.call),
        _ratio(prior * lent.raise_, seen.raise_, foreseen.raise_),
    )
    return (
        legal_triple(by_counts, can_fold, can_raise),
        legal_triple(_times(lent, ratios), can_fold, can_raise),
    )


@kernel(allocates=False, inlined=True)
def distance_in_context(counts: Counts, numbers: ContextNumbers) -> float:
    """How far pot odds are from the usual ones of their context, as far as these are known."""
    if numbers.log_pot_odds == 0.0:
        return 0.0  # nothing to fold to, or nothing that is told apart
    decisions, odds = counts.pot_odds[numbers.context, 0], counts.pot_odds[numbers.context, 1]
    if decisions == 0.0:
        return 0.0
    known = decisions / (decisions + CONTEXT_PRIOR)
    return float(known * odds_distance(numbers.log_pot_odds, odds / decisions))


@kernel(allocates=False)
def prediction_of(
    counts: Counts, numbers: ContextNumbers, usual: ProbabilityTriple, can_fold: bool, can_raise: bool
) -> Prediction:
    """How often a counted player folds, calls and raises in a situation.

    numbers: where the action is counted.  usual: the generic model's frequencies.
    """
    context = _in_context(counts, numbers, usual, can_fold, can_raise)
    by_counts = ProbabilityTriple(0.0, 0.0, 0.0)
    by_correction = ProbabilityTriple(0.0, 0.0, 0.0)
    for loan in range(NUM_LOANS):
        chance = counts.borrowing[numbers.group, loan]
        counted, corrected = _with_details(counts, numbers, context, LOANS[loan], can_fold, can_raise)
        by_counts = _added(by_counts, counted, chance)
        by_correction = _added(by_correction, corrected, chance)
    weight = counts.counts_weight[numbers.group]
    factors = triple_at(counts.corrections[numbers.context, Correction.FACTOR])
    together = _times(blended(by_correction, by_counts, weight), factors)
    together = legal_triple(together, can_fold, can_raise)
    distance = distance_in_context(counts, numbers)
    overall = _at_odds(together, float(counts.steepness[0]), distance)
    in_company = _in_company(counts, numbers, overall)
    together = blended(overall, in_company, float(counts.company_weight[0]))
    return Prediction(by_counts, by_correction, overall, in_company, together)


@kernel(allocates=False, inlined=True)
def _in_company(counts: Counts, numbers: ContextNumbers, overall: ProbabilityTriple) -> ProbabilityTriple:
    """A triple with the number of opponents that are left."""
    rows, company = counts.company[numbers.group], numbers.company
    fold = _ratio_in_company(rows, company, TripleIndex.FOLD, TripleIndex.FOLD)
    call = _ratio_in_company(rows, company, TripleIndex.CALL, TripleIndex.CALL)
    raising = _ratio_in_company(rows, company, TripleIndex.RAISE, TripleIndex.RAISE)
    if fold == 1.0 and call == 1.0 and raising == 1.0:
        return overall
    here = _times(overall, ProbabilityTriple(fold, call, raising))
    total = here.fold + here.call + here.raise_
    return ProbabilityTriple(here.fold / total, here.call / total, here.raise_ / total)


@kernel(allocates=False, inlined=True)
def _ratio_in_company(rows: NDArray[float64], company: int, first: int, last: int) -> float:
    """How much likelier actions are in a company than in all: their kinds from first to last taken together.

    What was seen over what was predicted there, against the same in all companies together: that is exactly
    1 where there is but one company, as heads-up.

    rows: of `Counts.company`, of a group.
    """
    seen = 0.0
    predicted = 0.0
    seen_elsewhere = 0.0
    predicted_elsewhere = 0.0
    for action in range(first, last + 1):
        for each in range(NUM_COMPANIES):
            if each == company:
                seen += rows[each, Correction.OBSERVED, action]
                predicted += rows[each, Correction.EXPECTED, action]
            else:
                seen_elsewhere += rows[each, Correction.OBSERVED, action]
                predicted_elsewhere += rows[each, Correction.EXPECTED, action]
    if predicted_elsewhere == 0.0:
        return 1.0
    overall = (1.0 + seen + seen_elsewhere) / (1.0 + predicted + predicted_elsewhere)
    return float((seen + COMPANY_PRIOR * overall) / ((predicted + COMPANY_PRIOR) * overall))


@kernel(allocates=False)
def fill_odds_in_company(counts: Counts, odds: NDArray[float64]) -> None:
    """Fill the factors of the odds of a fold, shape (NUM_GROUPS, NUM_COMPANIES)."""
    for group in range(NUM_GROUPS):
        rows = counts.company[group]
        for company in range(NUM_COMPANIES):
            fold = _ratio_in_company(rows, company, TripleIndex.FOLD, TripleIndex.FOLD)
            going_on = _ratio_in_company(rows, company, TripleIndex.CALL, TripleIndex.RAISE)
            odds[group, company] = 1.0 + counts.company_weight[0] * (fold / going_on - 1.0)


@kernel(allocates=False, inlined=True)
def _at_odds(triple: ProbabilityTriple, steepness: float, distance: float) -> ProbabilityTriple:
    """A triple whose folds are as `fold_at_odds` has them; call and raise keep their proportion."""
    if distance == 0.0 or not 0.0 < triple.fold < 1.0:
        return triple
    fold = fold_at_odds(triple.fold, steepness, distance)
    left = (1.0 - fold) / (1.0 - triple.fold)
    return ProbabilityTriple(fold, left * triple.call, left * triple.raise_)


@kernel(allocates=False)
def fill_chances_by_steepness(
    counts: Counts, numbers: ContextNumbers, fold: float, folded: bool, chances: NDArray[float64]
) -> None:
    """How likely a fold, or none, is with each of the `STEEPNESSES`.

    fold: its chance as `prediction_of` has it.  chances: shape (NUM_STEEPNESSES,), filled in place.
    """
    distance = distance_in_context(counts, numbers)
    for each in range(NUM_STEEPNESSES):
        steeper = STEEPNESSES[each] - counts.steepness[0]
        chance = fold_at_odds(fold, steeper, distance)
        chances[each] = chance if folded else 1.0 - chance


@kernel(allocates=False, inlined=True)
def _added(total: ProbabilityTriple, triple: ProbabilityTriple, weight: float) -> ProbabilityTriple:
    return ProbabilityTriple(
        total.fold + weight * triple.fold,
        total.call + weight * triple.call,
        total.raise_ + weight * triple.raise_,
    )


@kernel(allocates=False)
def fill_chances_by_loan(
    counts: Counts,
    numbers: ContextNumbers,
    usual: ProbabilityTriple,
    can_fold: bool,
    can_raise: bool,
    action: int,
    chances: NDArray[float64],
) -> None:
    """How likely an action is with each of the `LOANS`; the rest as in `prediction_of`.

    chances: shape (NUM_LOANS,), filled in place.
    """
    context = _in_context(counts, numbers, usual, can_fold, can_raise)
    weight = counts.counts_weight[numbers.group]
    for loan in range(NUM_LOANS):
        counted, corrected = _with_details(counts, numbers, context, LOANS[loan], can_fold, can_raise)
        chances[loan] = blended(corrected, counted, weight)[action]
