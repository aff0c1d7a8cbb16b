"""(b) Stability: how many trials it takes until values and decisions are stable.

Loki used 500 trials: from there to 2,000 the values moved little and decisions hardly ever, whereas with 100
trials their variance was far too high.
"""

from __future__ import annotations

import numpy as np

from clients.lab.experiments.findings import Findings, Plot, markdown_table
from clients.lab.experiments.resuming import Work
from clients.lab.experiments.selective_sampling.settings import Settings
from clients.lab.experiments.selective_sampling.spots import ladder, measured_spots
from clients.reports.plots import Curve
from engine.support.intervals import estimate


def run(settings: Settings, work: Work) -> Findings:
    """Each number of trials against the reference."""
    spots = measured_spots(settings, work)
    steps = ladder(settings.reference)
    difference = {n: estimate([spot.deviations[n].difference for spot in spots]) for n in steps}
    changed = {n: estimate([spot.deviations[n].changed for spot in spots]) for n in steps}
    regret = {n: estimate([spot.deviations[n].regret for spot in spots]) for n in steps}
    rows = [
        [
            f"{n:,}",
            f"{difference[n].mean:.3f} ± {difference[n].ci95 or 0:.3f}",
            f"{100 * changed[n].mean:.1f} ± {100 * (changed[n].ci95 or 0):.1f} %",
            f"{regret[n].mean:.4f} ± {regret[n].ci95 or 0:.4f}",
        ]
        for n in steps
    ]
    header = ["trials", "mean absolute difference of a value, sb", "decisions changed", "lost by that, sb"]
    by_round = [
        [name, len(chosen)] + [f"{np.mean([s.deviations[n].difference for s in chosen]):.3f}" for n in steps]
        for number, name in enumerate(("before the flop", "flop", "turn", "river"))
        if (chosen := [spot for spot in spots if spot.betting_round == number])
    ]
    report = (
        f"{len(spots)} decisions, equally many from each betting round, compared with the values of "
        f"{settings.reference:,} other trials.\n\n"
        + markdown_table(header, rows)
        + "\nThe paper: after 500 trials the values are quite stable; up to 2,000 they differ little, "
        "and that rarely changes a decision; between 100 and 500 the difference is much larger, the variance "
        "of 100 trials far too high.\n\nMean absolute difference by betting round, sb:\n\n"
        + markdown_table(["betting round", "decisions", *(f"{n:,} trials" for n in steps)], by_round)
    )
    plots = [
        Plot(
            "stability",
            f"Values against those of {settings.reference:,} trials",
            "trials",
            "mean absolute difference, small bets",
            (
                Curve(
                    "difference",
                    list(steps),
                    [difference[n].mean for n in steps],
                    [difference[n].ci95 or 0.0 for n in steps],
                ),
            ),
            log_x=True,
        ),
        Plot(
            "stability-decisions",
            f"Decisions against those of {settings.reference:,} trials",
            "trials",
            "decisions changed, per cent",
            (
                Curve(
                    "changed",
                    list(steps),
                    [100 * changed[n].mean for n in steps],
                    [100 * (changed[n].ci95 or 0.0) for n in steps],
                ),
            ),
            log_x=True,
        ),
    ]
    numbers = {
        "decisions": len(spots),
        "reference_trials": settings.reference,
        "by_trials": {
            str(n): {
                "difference_sb": difference[n].as_json(),
                "changed": changed[n].as_json(),
                "regret_sb": regret[n].as_json(),
            }
            for n in steps
        },
    }
    return Findings(numbers, report, plots)
