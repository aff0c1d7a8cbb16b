"""The lengths of the lists, and what each strategy gains: numbers, tables, pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import attrs

from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.range_of_skill.tasks import List, Settings
from clients.reports.plots import Curve

__all__ = ["plots", "report", "summary"]


def summary(settings: Settings, lists: Sequence[List], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The summary of all results, for ``results.json``."""
    games = {}
    for task, result in zip(lists, found, strict=True):
        steps = result["steps"]
        lengths = {
            f"{epsilon:g}": sum(step["gain"] >= epsilon for step in steps)
            for epsilon in settings.of(task.game)
        }
        games[task.game] = {"steps": steps, "lengths": lengths}
    return {
        "experiment": "range-of-skill",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "games": games,
    }


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        "# Range of skill\n",
        f"riverboat {results['version']}; antes per hand, the mean of both seats.  Each step adds a strategy "
        "that beats all before it by its gain.  Nobody can win more than that from the right mixture of "
        "those before.\n",
    ]
    for game, found in results["games"].items():
        rows = [[epsilon, steps, steps + 1] for epsilon, steps in found["lengths"].items()]
        steps = [
            [step["step"], *(f"{step[name]:.4f}" for name in ("gain", "exploitability", "mixture"))]
            for step in found["steps"]
        ]
        lines += [
            f"## {game}\n",
            markdown_table(["ε", "steps", "strategies, the first among them"], rows),
            markdown_table(["step", "gain", "exploitability", "of the mixture of those before"], steps),
        ]
    return "\n".join(lines)


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """What each step gains, a picture for each game."""
    return [_of_game(game, found["steps"]) for game, found in results["games"].items()]


def _of_game(game: str, steps: Sequence[Mapping[str, Any]]) -> Plot:
    numbers = [step["step"] for step in steps]
    curves = tuple(
        Curve(label, numbers, [step[name] for step in steps])
        for label, name in (
            ("beats all before it by", "gain"),
            ("its own exploitability", "exploitability"),
        )
    )
    title = f"range of skill: {game}"
    return Plot(f"range-of-skill-{game}", title, "step", "antes a hand", curves, log_y=True)
