"""The report of ``riverboat experiment poker-learner``: tables and plots, compared with the thesis's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.poker_learner.score import score_lines
from clients.lab.experiments.poker_learner.tasks import MODES, file_name
from clients.lab.experiments.poker_learner.thesis import (
    BIG_BLIND,
    BOTS,
    THESIS_BANKROLLS,
    THESIS_CHECKPOINTS,
    thesis_rate,
)
from clients.reports.plots import Curve

__all__ = ["plots", "report"]

_Y_LABEL: Final = "big blinds won (mean of runs, 95 % band)"


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown, compared with the thesis's."""
    settings = results["settings"]
    learners = settings["learners"]
    games = results["checkpoints"]
    lines = [
        "# Poker Learner, chapter 5, reproduced\n",
        f"{settings['training_hands']:,} hands of training against each bot at six seats, then "
        f"{settings['match_hands']:,} hands heads-up; {settings['seeds']} runs, seed {settings['seed']}; "
        f"riverboat {results['version']}.",
        "Blinds 1/2, 200 chips; rates in big blinds per hand with 95 % intervals over trainings, in brackets "
        "over hands.",
        f"Readings of the thesis: {', '.join(settings['readings']) or 'the defaults'}.",
        "Frozen play, with learning off, has no counterpart in the thesis.",
        "A dollar of the thesis is read as 100 chips; its rates are those after its last hand.\n",
    ]
    lines += score_lines(results["score"])
    modes = [mode for mode in MODES if mode == "learning" or settings["frozen"]]
    for bot in settings["bots"]:
        number = 1 + BOTS.index(bot)
        entries = results["heads_up"][bot]
        lines.append(f"## Against {bot} (Table 5.{number})\n")
        header = ["", *learners]
        rows: list[list[str]] = []
        for index, hands in enumerate(games):
            rows.append(
                [f"bankroll after {hands:,} hands, $"]
                + [f"{entries[name]['learning']['dollars_at_checkpoints'][index]:+z.2f}" for name in learners]
            )
            rows.append(
                [f"the thesis's after {THESIS_CHECKPOINTS[index]:,}"]
                + [f"{THESIS_BANKROLLS[bot][name][index]:+z.2f}" for name in learners]
            )
        for mode in modes:
            cells = [_text(entries[name][mode]["bb_per_hand"]) for name in learners]
            rows.append([f"bb/hand, {mode}", *cells])
        rows.append(["the thesis's bb/hand"] + [f"{thesis_rate(bot, name):+z.2f}" for name in learners])
        if bot == "always-all-in":
            optimum = results["optimum_bb_per_hand"]
            for mode in modes:
                cells = [f"{entries[name][mode]['share_of_optimum']:.0%}" for name in learners]
                rows.append([f"share of the optimum {optimum:.2f}, {mode}", *cells])
            rows.append(
                ["the thesis's share"] + [f"{thesis_rate(bot, name) / optimum:.0%}" for name in learners]
            )
        rows.append(["bb/hand in training"] + [_text(entries[name]["training"]) for name in learners])
        lines.append(markdown_table(header, rows))
    if results["competition"]:
        lines += _rest(results)
    return "\n".join(lines)


def _rest(results: Mapping[str, Any]) -> list[str]:
    """The competition and what was learnt."""
    lines = ["## Competition (5.2.5)\n"]
    learners = results["settings"]["learners"]
    for name, entries in results["competition"].items():
        lines.append(f"At {name}: bb/hand of everybody (intervals over runs), the learner's place by them.\n")
        labels = list(next(iter(entries.values()))["players"])[1:]
        rows = []
        for learner in learners:
            entry = entries[learner]
            cells = [_short(entry["players"][label]["bb_per_hand"]) for label in labels]
            places = ", ".join(map(str, entry["places"]))
            rows.append([learner, _text(entry["bb_per_hand"]), *cells, f"{entry['place']} (runs: {places})"])
        lines.append(markdown_table(["learner", "its own", *labels, "place"], rows))
    lines.append("## What was learnt (Tables 5.5 to 5.8)\n")
    lines.append("Classifier as printed, first run; per cent of fold, call, raise.\n")
    rows = []
    for learner in learners:
        for row in results["learned"][learner]:
            ours = "not met" if row["percent"] is None else " / ".join(map(str, row["percent"]))
            thesis = " / ".join(map(str, row["thesis"]))
            state = [row["hand"], row["position"], row["last_player"], row["last_action"]]
            rows.append([learner, *state, ours, str(row["updates"]), thesis])
    header = ["learner", "hand", "position", "last player", "action", "ours", "updates", "the thesis's"]
    return [*lines, markdown_table(header, rows)]


def _text(rate: Mapping[str, Any]) -> str:
    over_hands = f"(± {rate['ci95']:.2f})"
    if rate["ci95_runs"] is None:
        return f"{rate['mean']:+z.2f} {over_hands}"
    return f"{rate['mean']:+z.2f} ± {rate['ci95_runs']:.2f} {over_hands}"


def _short(rate: Mapping[str, Any]) -> str:
    return f"{rate['mean']:+z.2f}" + ("" if rate["ci95"] is None else f" ± {rate['ci95']:.2f}")


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """The bankrolls over the hands, as in Figures 5.1 to 5.5."""
    x = [0, *results["noted_at"]]
    learners = results["settings"]["learners"]

    def curve(label: str, bankroll: Sequence[Mapping[str, Any]]) -> Curve:
        y = [0.0, *(point["mean"] / BIG_BLIND for point in bankroll)]
        halves = None
        if bankroll[0]["ci95"] is not None:
            halves = [0.0, *(point["ci95"] / BIG_BLIND for point in bankroll)]
        return Curve(label, x, y, halves)

    found = []
    for bot, entries in results["heads_up"].items():
        for mode in (mode for mode in MODES if all(mode in entry for entry in entries.values())):
            curves = tuple(curve(learner, entries[learner][mode]["bankroll"]) for learner in learners)
            name = f"against-{file_name(bot)}-{mode}"
            found.append(Plot(name, f"Heads-up against {bot}, {mode}", "hands", _Y_LABEL, curves))
    for table, entries in results["competition"].items():
        for learner in learners:
            players = entries[learner]["players"]
            curves = tuple(curve(label, player["bankroll"]) for label, player in players.items())
            name = f"competition-{table.replace(' ', '-')}-{learner}"
            found.append(Plot(name, f"Competition at {table} with {learner}", "hands", _Y_LABEL, curves))
    return found
