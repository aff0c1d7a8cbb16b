"""The results of the matches, as numbers for ``results.json``, tables and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import attrs

from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.heuristic.paper import COUNTERPARTS, GAME
from clients.lab.experiments.heuristic.tasks import Duel, Settings
from clients.reports.plots import Curve
from engine.support.intervals import Estimate, Winnings, estimate_of_few

__all__ = ["plots", "report", "summary"]

LEARNT: Final = 1_000
"""The hand from about which the paper's learner had learnt."""


def summary(
    settings: Settings,
    duels: Sequence[Duel],
    found: Sequence[Mapping[str, Any]],
    paper: Mapping[str, str],
) -> dict[str, Any]:
    """The summary of the results, for ``results.json``.

    Args:
        settings: the experiment's settings.
        duels: all matches.
        found: their results.
        paper: for each opponent, the name of the paper's opponent for which it stands in.
    """
    pairs: dict[tuple[str, str], list[list[Winnings]]] = {}
    deals: dict[tuple[str, str], int] = {}
    for duel, result in zip(duels, found, strict=True):
        key = (duel.opponent, duel.name)
        pairs.setdefault(key, []).append([Winnings(**block) for block in result["blocks"]])
        deals[key] = duel.deals
    return {
        "experiment": "heuristic",
        "version": version("riverboat"),
        "game": GAME,
        "settings": attrs.asdict(settings),
        "opponents": {
            opponent: {
                "paper": paper.get(opponent),
                "variants": {
                    name: _of_pair(matches, deals[against, name])
                    for (against, name), matches in pairs.items()
                    if against == opponent
                },
            }
            for opponent in settings.opponents
        },
    }


def _rate(blocks: Sequence[Winnings]) -> Estimate | None:
    """Small bets per hand, with an interval over deals, each of which was played twice."""
    won = sum(blocks, Winnings())
    return None if not won.hands else Estimate(won.chips / won.hands, won.half_width(), 2 * won.hands)


def _of_pair(matches: Sequence[Sequence[Winnings]], deals: int) -> dict[str, Any]:
    """The result of two players: overall, before and after the learner has learnt, and the running sum."""
    number = len(matches[0])
    ends = [(block + 1) * deals // number for block in range(number)]
    everything = [block for match in matches for block in match]
    early = [block for match in matches for block, end in zip(match, ends, strict=True) if end <= LEARNT]
    late = [block for match in matches for block, end in zip(match, ends, strict=True) if end > LEARNT]
    running = []
    for block, end in enumerate(ends, 1):
        sums = [sum(part.chips for part in match[:block]) for match in matches]
        estimate = estimate_of_few(sums)
        running.append({"hand": end, "sb": estimate.mean, "ci95": estimate.ci95})
    parts = {"all": _rate(everything), "early": _rate(early), "late": _rate(late)}
    return {
        **{name: None if rate is None else rate.as_json() for name, rate in parts.items()},
        "running": running,
    }


def _shown(rate: Mapping[str, Any] | None) -> str:
    return "" if rate is None else Estimate(**rate).text()


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    settings = results["settings"]
    known = {counterpart.name: counterpart for counterpart in COUNTERPARTS}
    lines = [
        "# The heuristic bot against its opponents\n",
        f"{results['game']}, seed {settings['seed']}, riverboat {results['version']}; matches of "
        f"{settings['match_hands']:,} hands, each deal played from both seats; small bets per hand with 95 % "
        "intervals from per-deal means.\n",
    ]
    rows = []
    for opponent, entry in results["opponents"].items():
        paper = known.get(entry["paper"] or "")
        printed = "" if paper is None else f"{paper.name} {paper.sb_per_hand:+z.3f}"
        for name, found in entry["variants"].items():
            rows.append(
                [opponent, name, f"{found['all']['samples']:,}", _shown(found["all"]), _shown(found["early"]),
                 _shown(found["late"]), printed]
            )  # fmt: skip
    header = ["against", "variant", "hands", "sb/h", f"to hand {LEARNT:,}", "from there on", "Table 1"]
    lines.append(markdown_table(header, rows))
    lines.append(
        "Table 1 of the report: about level with Sparbot and Pokibrat; Vexbot wins once it has learnt, from "
        "about the thousandth hand on."
    )
    return "\n".join(lines) + "\n"


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """The running result, a picture for each opponent."""
    found = []
    for number, (opponent, entry) in enumerate(results["opponents"].items(), 1):
        curves = [
            Curve(
                name,
                [point["hand"] for point in variant["running"]],
                [point["sb"] for point in variant["running"]],
                [point["ci95"] or 0.0 for point in variant["running"]],
            )
            for name, variant in entry["variants"].items()
        ]
        name = opponent.partition(":")[0]
        found.append(
            Plot(
                f"bankroll-{number}-{name}",
                f"heuristic against {opponent}" + (f" (for {entry['paper']})" if entry["paper"] else ""),
                "hand of the match",
                "small bets won (mean of matches, 95 % band)",
                tuple(curves),
                levels=(("", 0.0),),
            )
        )
    return found
