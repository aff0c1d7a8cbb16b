"""The results of the matches, as numbers for ``results.json``, tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np

from clients.core.figure import new_figure, save_figure
from clients.lab.experiments.circle.tasks import BLOCKS, GAME, Match, Settings
from clients.lab.experiments.findings import Plot, markdown_table
from clients.reports.plots import Curve
from engine.support.intervals import Estimate, Winnings, estimate_of_few

__all__ = ["circles", "draw_matrix", "plots", "report", "summary"]

_MATCHES: Final = 4
"""From this number of matches on, intervals are computed from the matches' results."""
_PARTS: Final = 5
"""The number of points of a learning curve."""

_Blocks = list[list[Winnings]]
"""The blocks of each match of two players."""


def summary(
    settings: Settings, matches: Sequence[Match], found: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The summary of the results, for ``results.json``.

    Args:
        settings: the experiment's settings.
        matches: all matches.
        found: their results.
    """
    pairs: dict[tuple[str, str], _Blocks] = {}
    deals = 0
    for match, result in zip(matches, found, strict=True):
        pairs.setdefault(match.players, []).append([Winnings(**block) for block in result["blocks"]])
        deals = match.deals
    players: dict[str, Any] = {}
    for player in settings.players:
        against = {}
        for (first, second), blocks in pairs.items():
            if player in (first, second):
                sign = 1 if player == first else -1
                against[second if player == first else first] = _of_pair(blocks, sign, deals)
        means = [entry["all"]["mean"] for entry in against.values()]
        players[player] = {"against": against, "mean": sum(means) / len(means)}
    results = {
        "experiment": "circle",
        "version": version("riverboat"),
        "game": GAME,
        "settings": attrs.asdict(settings),
        "players": players,
    }
    return {**results, "circles": [list(circle) for circle in circles(results)]}


def _rate(matches: Sequence[Sequence[Winnings]], sign: int) -> Estimate:
    """Small bets per hand, with an interval over matches if there are enough, since players learn in them."""
    won = [sum(blocks, Winnings()) for blocks in matches]
    everything = sum(won, Winnings())
    mean = sign * everything.chips / everything.hands
    half_width = everything.half_width()
    if len(won) >= _MATCHES:
        half_width = estimate_of_few([each.chips / each.hands for each in won]).ci95
    return Estimate(mean, half_width, 2 * everything.hands)


def _of_pair(matches: _Blocks, sign: int, deals: int) -> dict[str, Any]:
    """The result of two players: overall, and for consecutive parts of the matches."""
    curve = []
    for part in range(_PARTS):
        first, last = part * BLOCKS // _PARTS, (part + 1) * BLOCKS // _PARTS
        rate = _rate([match[first:last] for match in matches], sign)
        curve.append({"hand": last * deals // BLOCKS, **rate.as_json()})
    return {"all": _rate(matches, sign).as_json(), "curve": curve}


def circles(results: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The circles of three players, each of whom significantly beats the next: rock, paper, scissors."""
    players = list(results["players"])
    beats = {
        (player, other)
        for player, entry in results["players"].items()
        for other, found in entry["against"].items()
        if found["all"]["ci95"] is not None and found["all"]["mean"] > found["all"]["ci95"]
    }
    for first, second, third in permutations(players, 3):
        begins = players.index(first) < min(players.index(second), players.index(third))
        if begins and {(first, second), (second, third), (third, first)} <= beats:
            yield first, second, third


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    settings, players = results["settings"], results["players"]
    ranked = sorted(players, key=lambda player: -players[player]["mean"])
    lines = [
        "# Each against each\n",
        f"{results['game']}, seed {settings['seed']}, riverboat {results['version']}; {settings['hands']:,} "
        f"hands of each pair in matches of {settings['match_hands']:,}, each deal played from both seats; "
        "small bets per hand that the row wins from the column, with 95 % intervals.\n",
        markdown_table(
            ["", *ranked, "mean"],
            [
                [player, *(_cell(players[player]["against"].get(other)) for other in ranked),
                 f"{players[player]['mean']:+z.3f}"]
                for player in ranked
            ],
        ),
    ]  # fmt: skip
    if results["circles"]:
        lines.append("Circles, in which each player beats the next:\n")
        lines += [
            f"- {first} beats {second} beats {third} beats {first}"
            for first, second, third in results["circles"]
        ]
        lines.append("")
    else:
        lines.append("There is no significant circle of three players, each of whom beats the next.\n")
    lines.append("## As they learn\n")
    rows = []
    for player in ranked:
        for other, found in players[player]["against"].items():
            if ranked.index(player) < ranked.index(other):
                points = found["curve"]
                rows.append([player, other, *(f"{point['mean']:+z.3f}" for point in points)])
    ends = [str(point["hand"]) for point in points]
    lines.append(markdown_table(["", "against", *(f"to hand {end}" for end in ends)], rows))
    return "\n".join(lines)


def _cell(found: Mapping[str, Any] | None) -> str:
    return "" if found is None else Estimate(**found["all"]).text(2)


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """Learning curves, a picture for each player."""
    pictures = []
    for player, entry in results["players"].items():
        curves = tuple(
            Curve(
                other,
                [point["hand"] for point in found["curve"]],
                [point["mean"] for point in found["curve"]],
                [point["ci95"] or 0.0 for point in found["curve"]],
            )
            for other, found in entry["against"].items()
        )
        name = "".join(letter if letter.isalnum() else "-" for letter in player)
        pictures.append(
            Plot(
                f"learning-{name}",
                f"{player} against each",
                "hand of the match",
                "small bets per hand in this part of the match (95 % band)",
                curves,
                levels=(("", 0.0),),
            )
        )
    return pictures


def draw_matrix(folder: Path, results: Mapping[str, Any]) -> list[Path]:
    """Draw who wins how much from whom, as ``circle.png`` and ``circle.svg``.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    players = results["players"]
    ranked = sorted(players, key=lambda player: -players[player]["mean"])
    number = len(ranked)
    values = np.full((number, number), np.nan)
    for row, player in enumerate(ranked):
        for column, other in enumerate(ranked):
            found = players[player]["against"].get(other)
            if found is not None:
                values[row, column] = found["all"]["mean"]
    figure = new_figure(2.5 + 0.95 * number, 1.8 + 0.75 * number)
    axes = figure.add_subplot()
    limit = float(np.nanmax(np.abs(values))) or 1.0
    axes.imshow(np.sign(values) * np.sqrt(np.abs(values) / limit), cmap="RdYlGn", vmin=-1, vmax=1)
    for row in range(number):
        for column in range(number):
            if row != column:
                axes.text(column, row, f"{values[row, column]:+z.2f}", ha="center", va="center", fontsize=9)
    axes.set_xticks(range(number), ranked, rotation=35, ha="right")
    axes.set_yticks(range(number), ranked)
    axes.set_title("small bets per hand that the row wins from the column")
    files = [folder / f"circle{kind}" for kind in (".png", ".svg")]
    for file in files:
        save_figure(figure, str(file))
    return files
