"""The results of the tasks, as numbers for ``results.json``, tables and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs

from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.street_learner.tasks import FIRST_STOP, Run, Settings, bots_in
from clients.reports.plots import Curve
from engine.poker.rules import load_game
from engine.support.intervals import Winnings, estimate_of_few

__all__ = ["plots", "report", "summary"]

Won = Mapping[str, float]
"""The result at a stop: hands ``trained``, and the ``hands``, ``chips`` and ``squares`` of a match."""


def summary(
    settings: Settings, runs: Sequence[Run], found: Sequence[Mapping[str, Sequence[Won]]]
) -> dict[str, Any]:
    """The summary of the results, for ``results.json``.

    Args:
        settings: the experiment's settings.
        runs: all runs.
        found: for each run and bot, the result at each stop.
    """
    curves: dict[str, Any] = {}
    for game in settings.games:
        results = [result for run, result in zip(runs, found, strict=True) if run.game == game]
        curves[game] = {
            bot: [
                _point(game, [result[bot][stop] for result in results])
                for stop in range(len(results[0][bot]))
            ]
            for bot in bots_in(game)
        }
    return {
        "experiment": "street-learner",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "curves": curves,
    }


def _point(game: str, runs: Sequence[Won]) -> dict[str, Any]:
    """All runs at one stop, in mbb/h."""
    big_blind = load_game(game).big_blind
    winnings = [Winnings(int(run["hands"]), run["chips"], run["squares"]) for run in runs]
    rate = sum(winnings, Winnings()).rate(big_blind)
    by_run = [1000 * each.chips / each.hands / big_blind for each in winnings]
    return {
        "trained": int(runs[0]["trained"]),
        "hands": rate.samples,
        "mbb_per_hand": rate.mean,
        "ci95": rate.ci95,
        "ci95_runs": estimate_of_few(by_run).ci95,
        "runs": by_run,
    }


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    settings = results["settings"]
    lines = [
        "# The street-learner, from nothing to what it knows\n",
        f"{settings['seeds']} runs, seed {settings['seed']}, riverboat {results['version']}.",
        f"Matches of {settings['stop_hands']:,} hands per run; {settings['match_hands']:,} at the end.",
        "Learning is off; mbb/h with 95 % intervals over all hands, in brackets over runs.\n",
    ]
    for game, curves in results["curves"].items():
        lines.append(f"## {game}\n")
        stops = [point["trained"] for point in next(iter(curves.values()))]
        rows = [
            [f"{hands:,}", *(_text(points[stop]) for points in curves.values())]
            for stop, hands in enumerate(stops)
        ]
        lines.append(markdown_table(["hands trained", *curves], rows))
    return "\n".join(lines)


def _text(point: Mapping[str, Any]) -> str:
    runs = "" if point["ci95_runs"] is None else f" (± {point['ci95_runs']:.0f})"
    return f"{point['mbb_per_hand']:+z.0f} ± {point['ci95']:.0f}{runs}"


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """The learning curves, a picture for each game."""
    found = []
    for game, curves in results["curves"].items():
        lines = []
        for bot, points in curves.items():
            bands = [point["ci95"] if point["ci95_runs"] is None else point["ci95_runs"] for point in points]
            # A logarithmic axis has no zero: the untrained learner is drawn a decade before the first stop.
            x = [point["trained"] or FIRST_STOP / 10 for point in points]
            lines.append(Curve(f"against {bot}", x, [point["mbb_per_hand"] for point in points], bands))
        found.append(
            Plot(
                f"learning-curve-{Path(game).stem}",
                f"street-learner in {game}",
                f"hands trained (at {FIRST_STOP // 10:,}: none)",
                "mbb/h (mean of runs, 95 % band)",
                tuple(lines),
                log_x=True,
                levels=(("", 0.0),),
            )
        )
    return found
