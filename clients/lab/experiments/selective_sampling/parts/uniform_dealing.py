"""(d) Selective against uniform sampling: the gain from dealing by weight tables, at equal numbers of trials.

The opponents' play in the trials is the same; only their cards are dealt differently.  Uniform dealing
converges to other values, since it assumes that a player who has raised may hold any cards.  If its trials
are weighted by the likelihood of their cards, it converges to the same values, but few of its trials count.
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
    """The three ways of dealing."""
    spots = measured_spots(settings, work)
    steps = ladder(settings.reference)
    ways = {
        "selective": [spot.deviations for spot in spots],
        "uniform": [spot.uniform for spot in spots],
        "uniform, weighted": [spot.weighted for spot in spots],
    }
    rows, curves, numbers = [], [], {}
    for name, deviations in ways.items():
        difference = [estimate([each[n].difference for each in deviations]) for n in steps]
        changed = [estimate([each[n].changed for each in deviations]) for n in steps]
        regret = [estimate([each[n].regret for each in deviations]) for n in steps]
        for n, d, c, r in zip(steps, difference, changed, regret, strict=True):
            rows.append(
                [
                    name,
                    f"{n:,}",
                    f"{d.mean:.3f} ± {d.ci95 or 0:.3f}",
                    f"{100 * c.mean:.1f} ± {100 * (c.ci95 or 0):.1f} %",
                    f"{r.mean:.4f} ± {r.ci95 or 0:.4f}",
                ]
            )
        curves.append(
            Curve(name, list(steps), [d.mean for d in difference], [d.ci95 or 0.0 for d in difference])
        )
        numbers[name] = {
            str(n): {"difference_sb": d.as_json(), "changed": c.as_json(), "regret_sb": r.as_json()}
            for n, d, c, r in zip(steps, difference, changed, regret, strict=True)
        }
    effective = float(np.mean([spot.effective_trials for spot in spots]))
    header = [
        "dealt",
        "trials",
        "mean absolute difference of a value, sb",
        "decisions changed",
        "lost by that, sb",
    ]
    report = (
        f"{len(spots)} decisions, equally many from each betting round, compared with the values of "
        f"{settings.reference:,} selective trials.\n\n"
        + markdown_table(header, rows)
        + f"\nWeighted by likelihood, a uniform trial is worth {100 * effective:.2f} % of a selective one "
        "(Kish's effective sample size).\n"
    )
    plot = Plot(
        "uniform-dealing",
        "Selective against uniform sampling",
        "trials",
        "mean absolute difference, small bets",
        tuple(curves),
        log_x=True,
    )
    numbers_all = {"decisions": len(spots), "effective_share": effective, "ways": numbers}
    return Findings(numbers_all, report, [plot])
