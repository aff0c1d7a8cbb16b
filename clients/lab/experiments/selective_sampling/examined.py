"""Parts (b), (c) and (d): what the measured decisions say of trials, of stopping early, and of dealing.

*Stability*: how many trials it takes until values and decisions are stable.  Loki used 500 trials: from there
to 2,000 the values moved little and decisions hardly ever, whereas with 100 trials their variance was far too
high.

*Obvious moves*: how often a simulation may stop early by each criterion, and what that costs.  By the paper's
criterion, the sum of the standard deviations of the values, fewer than 5 % of its decisions were obvious; it
suggests more liberal criteria with an acceptable margin of error.

*Uniform dealing*: the gain from dealing by weight tables, at equal numbers of trials.  The opponents' play in
the trials is the same; only their cards are dealt differently.  Uniform dealing converges to other values,
since it assumes that a player who has raised may hold any cards.  If its trials are weighted by the
likelihood of their cards, it converges to the same values, but few of its trials count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from clients.lab.experiments.harness import Column, Findings, Work, columns, markdown_table, per_cent, plot
from clients.lab.experiments.selective_sampling.settings import SamplingSettings
from clients.lab.experiments.selective_sampling.spots import Deviation, Stop, ladder, measured_spots
from engine.players.trials.selective_sampling import Criterion
from engine.support.intervals import Estimate, estimate
from engine.support.text import rate

_CRITERIA: Final = {
    Criterion.STANDARD_DEVIATION: "sum of the standard deviations (the paper's)",
    Criterion.STANDARD_ERROR: "sum of the standard errors",
    Criterion.PAIRED_ERROR: "standard error of the paired difference",
    Criterion.NEVER: "none: all trials are played",
}
_DIFFERENCE: Final = "mean absolute difference, small bets"
_ROUNDS: Final = ("before the flop", "flop", "turn", "river")


def _means(found: Sequence[Deviation] | Sequence[Stop], **names: str) -> dict[str, Estimate]:
    """The means over all decisions of some of the numbers, each by its name in the results."""
    return {name: estimate([getattr(each, field) for each in found]) for name, field in names.items()}


def _positive(each: Estimate, digits: int) -> str:
    return rate(each.mean, each.ci95 or 0, digits, signed=False)


_CHANGED: Final[dict[str, Column]] = {
    "decisions changed": lambda row: per_cent(row["changed"]),
    "lost by that, sb": lambda row: _positive(row["regret_sb"], 4),
}
_LADDER: Final[dict[str, Column]] = {
    "trials": lambda row: f"{row['trials']:,}",
    "mean absolute difference of a value, sb": lambda row: _positive(row["difference_sb"], 3),
    **_CHANGED,
}


def _on_the_ladder(
    deviations: Sequence[Mapping[int, Deviation]], reference: int
) -> dict[int, dict[str, Estimate]]:
    """The mean deviations by the number of trials."""
    names = {"difference_sb": "difference", "changed": "changed", "regret_sb": "regret"}
    return {n: _means([each[n] for each in deviations], **names) for n in ladder(reference)}


def _rows(means: Mapping[int, Mapping[str, Estimate]], dealt: str = "") -> list[dict[str, Any]]:
    return [{"dealt": dealt, "trials": n, **each} for n, each in means.items()]


def stability(settings: SamplingSettings, work: Work) -> Findings:
    """Each number of trials against the reference."""
    spots = measured_spots(settings, work)
    means = _on_the_ladder([spot.deviations for spot in spots], settings.reference)
    by_round = [
        [name, len(chosen)] + [f"{np.mean([s.deviations[n].difference for s in chosen]):.3f}" for n in means]
        for number, name in enumerate(_ROUNDS)
        if (chosen := [spot for spot in spots if spot.betting_round == number])
    ]
    report = (
        f"{len(spots)} decisions, equally many from each betting round, compared with the values of "
        f"{settings.reference:,} other trials.\n\n"
        + columns(_LADDER, _rows(means))
        + "\nThe paper: after 500 trials the values are quite stable; up to 2,000 they differ little, "
        "and that rarely changes a decision; between 100 and 500 the difference is much larger, the variance "
        "of 100 trials far too high.\n\nMean absolute difference by betting round, sb:\n\n"
        + markdown_table(["betting round", "decisions", *(f"{n:,} trials" for n in means)], by_round)
    )
    of_reference, x = f"against those of {settings.reference:,} trials", "trials"
    difference = {"difference": {n: each["difference_sb"] for n, each in means.items()}}
    changed = {"changed": {n: each["changed"].scaled(100) for n, each in means.items()}}
    title, y = f"Decisions {of_reference}", "decisions changed, per cent"
    plots = [
        plot("stability", f"Values {of_reference}", x, _DIFFERENCE, difference, log_x=True),
        plot("stability-decisions", title, x, y, changed, log_x=True),
    ]
    numbers = {"decisions": len(spots), "reference_trials": settings.reference, "by_trials": means}
    return Findings(numbers, report, plots)


def obvious_moves(settings: SamplingSettings, work: Work) -> Findings:
    """Each criterion on the same trials."""
    spots = measured_spots(settings, work)
    means = {
        criterion: _means(
            [spot.stops[criterion.value] for spot in spots],
            obvious="obvious", trials_used="trials", changed="changed", regret_sb="regret",
        )
        for criterion in _CRITERIA
    }  # fmt: skip
    shown: dict[str, Column] = {
        "obvious if the lead exceeds": "name", "obvious": lambda row: per_cent(row["obvious"]),
        "trials used": lambda row: f"{row['trials_used'].mean:.0f}",
        "not the reference's decision": _CHANGED["decisions changed"],
        "lost by that, sb": _CHANGED["lost by that, sb"],
    }  # fmt: skip
    rows = [{"name": _CRITERIA[criterion], **each} for criterion, each in means.items()]
    report = (
        f"{len(spots)} decisions, equally many from each betting round; at most {settings.trials} trials, "
        "checked after every hundred; folding, "
        "worth zero, is a move like the others.\n\n"
        + columns(shown, rows)
        + "\nThe paper: fewer than 5 % of the decisions are obvious by its criterion at 500 trials.\n"
    )
    criteria = {criterion.value: each for criterion, each in means.items()}
    return Findings({"decisions": len(spots), "max_trials": settings.trials, "criteria": criteria}, report)


def uniform_dealing(settings: SamplingSettings, work: Work) -> Findings:
    """The three ways of dealing."""
    spots = measured_spots(settings, work)
    deviations = {
        "selective": [spot.deviations for spot in spots],
        "uniform": [spot.uniform for spot in spots],
        "uniform, weighted": [spot.weighted for spot in spots],
    }
    ways = {name: _on_the_ladder(each, settings.reference) for name, each in deviations.items()}
    effective = float(np.mean([spot.effective_trials for spot in spots]))
    report = (
        f"{len(spots)} decisions, equally many from each betting round, compared with the values of "
        f"{settings.reference:,} selective trials.\n\n"
        + columns({"dealt": "dealt", **_LADDER}, [row for name in ways for row in _rows(ways[name], name)])
        + f"\nWeighted by likelihood, a uniform trial is worth {100 * effective:.2f} % of a selective one "
        "(Kish's effective sample size).\n"
    )
    curves = {name: {n: each["difference_sb"] for n, each in means.items()} for name, means in ways.items()}
    title = "Selective against uniform sampling"
    picture = plot("uniform-dealing", title, "trials", _DIFFERENCE, curves, log_x=True)
    numbers = {"decisions": len(spots), "effective_share": effective, "ways": ways}
    return Findings(numbers, report, [picture])
