"""How well the models predicted, as numbers for ``results.json`` and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import attrs
import numpy as np

from clients.bots.opponent_book import MODELS
from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.next_action.scores import gain
from clients.lab.experiments.next_action.tasks import PARTS, Match, Settings
from clients.reports.plots import Curve
from engine.support.intervals import Z95, Estimate

__all__ = ["plots", "report", "summary"]

_DEFAULT: Final = "specific"
"""The model with which the others are compared: the bots' default."""


def summary(
    settings: Settings, matches: Sequence[Match], found: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The summary of all results, for ``results.json``."""
    players: dict[str, Any] = {}
    for player in settings.players:
        here = [result for match, result in zip(matches, found, strict=True) if match.player == player]
        held_out = {model: np.concatenate([result[model]["held_out"] for result in here]) for model in MODELS}
        cases = float(held_out[_DEFAULT][:, 1].sum())
        players[player] = {"cases": int(cases), "models": {}}
        for model in MODELS:
            gained, error = gain(held_out[_DEFAULT], held_out[model]) if cases else (0.0, 0.0)
            parts = np.sum([result[model]["learning"] for result in here], axis=0)
            losses, actions = parts.sum(axis=0).tolist()
            players[player]["models"][model] = {
                "learning": losses / max(actions, 1.0),
                "parts": (parts[:, 0] / np.maximum(parts[:, 1], 1.0)).tolist(),
                "held_out": float(held_out[model][:, 0].sum()) / max(cases, 1.0),
                "gained": Estimate(gained, Z95 * error, len(held_out[model])).as_json(),
            }
    return {
        "experiment": "next-action",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "players": players,
    }


def report(results: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    settings, players = results["settings"], results["players"]
    others = [model for model in MODELS if model != _DEFAULT]

    def table(what: str) -> str:
        numbers = {
            player: [found["models"][model][what] for model in MODELS] for player, found in players.items()
        }
        rows = [[player, *(f"{number:.4f}" for number in row)] for player, row in numbers.items()]
        means = [f"{mean:.4f}" for mean in np.mean(list(numbers.values()), axis=0).tolist()]
        return markdown_table(["player", *MODELS], [*rows, ["mean", *means]])

    gained = [
        [player, *(Estimate(**found["models"][model]["gained"]).text(4) for model in others)]
        for player, found in players.items()
    ]
    return "\n".join(
        [
            f"# The next action: {settings['game']}\n",
            f"riverboat {results['version']}; against `{settings['others']}`, {settings['matches']} matches "
            f"of each player, of which {settings['hands']} hands are learnt and the next "
            f"{settings['held_out']} predicted; seed {settings['seed']}.\n",
            "Log loss of an action of the hands held out:\n",
            table("held_out"),
            f"How much smaller that is than with `{_DEFAULT}` on the same hands, with 95 % intervals:\n",
            markdown_table(["player", *others], gained),
            "Log loss on the hands that are learnt, each predicted first:\n",
            table("learning"),
        ]
    )


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """How the models learn: the mean log loss over all players."""
    hands = results["settings"]["hands"]
    ends = [hands * (part + 1) / PARTS for part in range(PARTS)]
    curves = []
    for model in MODELS:
        losses = np.mean([found["models"][model]["parts"] for found in results["players"].values()], axis=0)
        curves.append(Curve(model, ends, losses.tolist(), [0.0] * PARTS))
    return [
        Plot(
            "learning",
            f"the next action, mean of {len(results['players'])} players",
            "hands learnt from",
            "log loss of an action of the last tenth",
            tuple(curves),
        )
    ]
