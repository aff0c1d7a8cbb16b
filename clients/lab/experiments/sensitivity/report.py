"""How much each constant matters: paired differences to the unchanged formula, by table and together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import attrs
import numpy as np

from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.sensitivity.tasks import Settings, Variation, varied
from clients.reports.plots import Curve
from engine.support.intervals import Estimate, estimate

__all__ = ["plots", "report", "summary"]

_GAMES: Final = {"limit": "limit hold'em", "nolimit": "no-limit hold'em"}
_UNITS: Final = {"sb": "Small bets", "bb": "Big blinds"}


def summary(
    settings: Settings, variations: Sequence[Variation], found: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The summary of all results, for ``results.json``."""
    base = {table: np.array(won) for table, won in found[0]["won"].items()}
    rows = []
    for variation, result in zip(variations[1:], found[1:], strict=True):
        gains = {table: estimate((np.array(result["won"][table]) - base[table]).tolist()) for table in base}
        rows.append(
            {
                "constant": variation.constant,
                "factor": variation.factor,
                "gains": {table: gain.as_json() for table, gain in gains.items()},
                "together": _together(list(gains.values())).as_json(),
            }
        )
    return {
        "experiment": "sensitivity",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "unit": settings.unit,
        "won": {table: estimate(won.tolist()).as_json() for table, won in base.items()},
        "variations": rows,
        "matter": [name for name in (*settings.constants, *settings.instead) if _matters(name, rows)],
    }


def _together(gains: Sequence[Estimate]) -> Estimate:
    """The mean over some tables, each with its own cards; samples are deals of one table."""
    halves = [gain.ci95 or 0.0 for gain in gains]
    mean = float(np.mean([gain.mean for gain in gains]))
    return Estimate(mean, float(np.sqrt(np.square(halves).sum())) / len(gains), gains[0].samples)


def _matters(constant: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a change of a constant is significant, at a table or in the mean."""
    estimates = [
        each
        for row in rows
        if row["constant"] == constant
        for each in (row["together"], *row["gains"].values())
    ]
    return any(abs(each["mean"]) > each["ci95"] for each in estimates if each["ci95"] is not None)


def report(results: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    settings = results["settings"]
    tables = settings["tables"]
    rows = [
        ["as it is", "", *(_shown(results["won"][table]) for table in tables), ""],
        *(
            [
                row["constant"].replace(",", ", "), _value(row["constant"], row["factor"]),
                *(_shown(row["gains"][table]) for table in tables), f"**{_shown(row['together'])}**",
            ]
            for row in results["variations"]
        ),
    ]  # fmt: skip
    return "\n".join(
        [
            "# How much the formula's constants matter\n",
            f"riverboat {results['version']}; each constant {100 * settings['by']:g} % greater and smaller, "
            f"{settings['hands']:,} hands of {_GAMES[settings['betting']]} at each table, every deal in each "
            f"rotation of the seats; players start again after {settings['match_deals']} deals.  "
            f"{_UNITS[results['unit']]} per hand: what the unchanged formula wins, then how much more each "
            "variation wins on the same deals, with 95 % intervals.\n",
            markdown_table(["constant", "value", *tables, "mean of the tables"], rows),
            f"Significant at a table or in the mean: {len(results['matter'])} of "
            f"{len(settings['constants']) + len(settings['instead'])}: "
            f"{', '.join(results['matter']) or 'none'}.\n",
        ]
    )


def _value(constant: str, factor: float) -> str:
    if "=" in constant:
        return ""
    parameters = varied(constant, factor)
    holder = parameters if hasattr(parameters, constant) else parameters.constants
    return f"{getattr(holder, constant):.3g}"


def _shown(found: Mapping[str, Any]) -> str:
    return str(Estimate(found["mean"], found["ci95"], found["samples"]))


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """What a greater and a smaller value of each constant wins, in the order of the table."""
    varied_one = [each for each in results["variations"] if "=" not in each["constant"]]
    if not varied_one:
        return []
    names = tuple(dict.fromkeys(each["constant"] for each in varied_one))
    curves = []
    for label, is_greater in (("greater", True), ("less", False)):
        gains = [each["together"] for each in varied_one if (each["factor"] > 1) is is_greater]
        numbers = [float(number) for number in range(1, len(gains) + 1)]
        halves = [gain["ci95"] or 0.0 for gain in gains]
        curves.append(Curve(label, numbers, [gain["mean"] for gain in gains], halves))
    title = "the formula with one constant changed, less the unchanged formula"
    y_label = f"{results['unit']} a hand (95 %)"
    return [Plot("gains", title, "", y_label, tuple(curves), levels=(("", 0.0),), names=names)]
