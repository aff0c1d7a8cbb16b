"""(c) Obvious moves: how often a simulation may stop early by each criterion, and what that costs.

By the paper's criterion, the sum of the standard deviations of the values, fewer than 5 % of its decisions
were obvious; it suggests more liberal criteria with an acceptable margin of error.
"""

from __future__ import annotations

from typing import Final

from clients.lab.experiments.findings import Findings, markdown_table
from clients.lab.experiments.resuming import Work
from clients.lab.experiments.selective_sampling.settings import Settings
from clients.lab.experiments.selective_sampling.spots import measured_spots
from engine.players.trials.selective_sampling import Criterion
from engine.support.intervals import estimate

_NAMES: Final = {
    Criterion.STANDARD_DEVIATION: "sum of the standard deviations (the paper's)",
    Criterion.STANDARD_ERROR: "sum of the standard errors",
    Criterion.PAIRED_ERROR: "standard error of the paired difference",
    Criterion.NEVER: "none: all trials are played",
}


def run(settings: Settings, work: Work) -> Findings:
    """Each criterion on the same trials."""
    spots = measured_spots(settings, work)
    rows, numbers = [], {}
    for criterion, name in _NAMES.items():
        stops = [spot.stops[criterion.value] for spot in spots]
        obvious = estimate([stop.obvious for stop in stops])
        trials = estimate([stop.trials for stop in stops])
        changed = estimate([stop.changed for stop in stops])
        regret = estimate([stop.regret for stop in stops])
        rows.append(
            [
                name,
                f"{100 * obvious.mean:.1f} ± {100 * (obvious.ci95 or 0):.1f} %",
                f"{trials.mean:.0f}",
                f"{100 * changed.mean:.1f} ± {100 * (changed.ci95 or 0):.1f} %",
                f"{regret.mean:.4f} ± {regret.ci95 or 0:.4f}",
            ]
        )
        numbers[criterion.value] = {
            "obvious": obvious.as_json(),
            "trials_used": trials.as_json(),
            "changed": changed.as_json(),
            "regret_sb": regret.as_json(),
        }
    header = [
        "obvious if the lead exceeds",
        "obvious",
        "trials used",
        "not the reference's decision",
        "lost by that, sb",
    ]
    report = (
        f"{len(spots)} decisions, equally many from each betting round; at most {settings.trials} trials, "
        "checked after every hundred; folding, "
        "worth zero, is a move like the others.\n\n"
        + markdown_table(header, rows)
        + "\nThe paper: fewer than 5 % of the decisions are obvious by its criterion at 500 trials.\n"
    )
    return Findings({"decisions": len(spots), "max_trials": settings.trials, "criteria": numbers}, report)
