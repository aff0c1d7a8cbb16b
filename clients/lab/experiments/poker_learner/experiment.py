"""The experiment ``poker-learner``, and what comes out of it, compared with chapter 5 of the thesis.

*Meet*: heads-up with learning on, the rates of a learner and of the thesis's differ by no more than their
95 % intervals: ours over trainings, the thesis's by the luck of its one match of 100,000 hands, as great as
ours.  *Size*: they are the same within a quarter.  *Place*: it takes the same place in a competition as the
thesis's.  *Row*: in a state of Tables 5.5 to 5.8 the same action has the greatest share.  Frozen play has no
counterpart in the thesis, and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clients.lab.experiments.command import experiment_command
from clients.lab.experiments.harness import VERSION, Findings, Work, markdown_table, plot
from clients.lab.experiments.poker_learner import training
from clients.reports.plots import Plot
from engine.hands.preflop.tables import shipped_tables
from engine.poker.combos import COMBOS_PER_STARTING_HAND
from engine.support.intervals import Estimate, Winnings, estimate_of_few

TOLERANCE: Final = 0.25
"""The share of the thesis's figure by which ours may differ to count as the same size."""
_CHECKPOINTS: Final = (0.05, 0.5, 1.0)
"""The shares of a match after which bankrolls are compared: 5,000, 50,000 and 100,000 hands in the thesis."""

_Runs = Sequence[Mapping[str, Any]]
"""The results of the runs of a task, or of a part of it."""


@experiment_command(training.ThesisSettings, "the knowledge files", seeded="figures")
def poker_learner(settings: training.ThesisSettings, work: Work) -> Iterator[Findings]:
    """Play four learners against the bots of the Poker Learner thesis (chapter 5).

    The full size, which is the default, takes a minute or two of one core for each run.
    """
    yield findings(settings, work.groups(training.all_tasks(settings, work.folder)))


def findings(settings: training.ThesisSettings, found: Mapping[tuple[str, str, str], _Runs]) -> Findings:
    """Everything that the thesis reports, by learner.

    Args:
        settings: the experiment's settings.
        found: the results of the runs by kind, learner and bot.
    """
    optimum = optimum_against_all_in()
    heads_up: dict[str, Any] = {bot: {} for bot in settings.bots}
    is_whole = set(settings.bots) == set(training.BOTS)
    competition: dict[str, Any] = {name: {} for name in training.TABLES} if is_whole else {}
    learned = {}
    for learner in settings.learners:
        for bot in settings.bots:
            runs = found["heads-up", learner, bot]
            entry = {"training": _rate([run["training"][-1] for run in runs])}
            entry |= {mode: _series([run[mode] for run in runs]) for mode in settings.modes}
            if bot == "always-all-in":
                for mode in settings.modes:
                    entry[mode]["share_of_optimum"] = entry[mode]["bb_per_hand"]["mean"] / optimum
            heads_up[bot][learner] = entry
        for name in competition:
            runs = [run["tables"][name] for run in found["competition", learner, ""]]
            competition[name][learner] = _competition(runs, settings.match_hands)
        if is_whole:
            learned[learner] = found["learned", learner, ""][0]["rows"]
    results = {"heads_up": heads_up, "competition": competition, "learned": learned}
    numbers = {
        "settings": settings, "optimum_bb_per_hand": optimum,
        "checkpoints": [max(1, round(settings.match_hands * share)) for share in _CHECKPOINTS],
        "noted_at": training.noted_at(settings.match_hands), **results, "score": score(results),
    }  # fmt: skip
    return Findings(numbers, _report(settings, numbers), _plots(settings, numbers))


# --- numbers ---------------------------------------------------------------------------------------------


def optimum_against_all_in() -> float:
    """Big blinds per hand that the best strategy wins heads-up against a player who is always all in.

    It can only fold or play for all chips, and knows that its opponent's hand is random.  By folding it loses
    the small blind in half of the hands and the big blind in the other half.
    """
    share = shipped_tables().raw_odds[:, 0]  # of the pot, against one random hand
    playing = 2 * training.STACK * share - training.STACK
    weights = COMBOS_PER_STARTING_HAND / COMBOS_PER_STARTING_HAND.sum()
    won = 0.0
    for blind in (training.BIG_BLIND / 2, training.BIG_BLIND):
        won += 0.5 * float((weights * playing.clip(min=-blind)).sum())
    return won / training.BIG_BLIND


def _rate(runs: _Runs) -> dict[str, Any]:
    """Big blinds per hand of several runs, with the intervals over hands and over runs."""
    winnings = [Winnings(run["hands"], run["chips"], run["chips_squared"]) for run in runs]
    rate = sum(winnings, Winnings()).rate(training.BIG_BLIND).scaled(1 / 1000)
    by_run = [each.chips / each.hands / training.BIG_BLIND for each in winnings]
    ci95_runs = estimate_of_few(by_run).ci95
    of_hands = {"by_run": by_run, "hands": rate.samples}
    return {"mean": rate.mean, "ci95": rate.ci95, "ci95_runs": ci95_runs, **of_hands}


def _bankroll(series: Iterable[Sequence[float]]) -> list[Estimate]:
    """The bankroll at each point, over runs."""
    return [estimate_of_few(at) for at in zip(*series, strict=True)]


def _series(runs: _Runs) -> dict[str, Any]:
    """A heads-up match: the rate, and the bankroll as it goes."""
    bankroll = _bankroll([chips[0] for chips in run["bankrolls"]] for run in runs)
    at = [round(share * training.POINTS) - 1 for share in _CHECKPOINTS]
    dollars = [bankroll[k].mean / training.CHIPS_PER_DOLLAR for k in at]
    return {"bb_per_hand": _rate(runs), "bankroll": bankroll, "dollars_at_checkpoints": dollars}


def _competition(runs: _Runs, match_hands: int) -> dict[str, Any]:
    """A table of several: everybody's bankroll, and the learner's places."""
    labels = _labels(runs[0]["players"][:1] + sorted(runs[0]["players"][1:]))
    by_label: dict[str, list[list[float]]] = {label: [] for label in labels}
    for run in runs:
        order = sorted(range(1, len(run["players"])), key=lambda seat: (run["players"][seat], seat))
        for label, seat in zip(labels, [0, *order], strict=True):
            by_label[label].append([bankrolls[seat] for bankrolls in run["bankrolls"]])
    players: dict[str, Any] = {}
    for label, series in by_label.items():
        rate = estimate_of_few([bankrolls[-1] / match_hands / training.BIG_BLIND for bankrolls in series])
        players[label] = {"bb_per_hand": rate, "bankroll": _bankroll(series)}
    places = [_place(run["bankrolls"][-1]) for run in runs]
    place = _place([each["bb_per_hand"].mean for each in players.values()])
    return {"places": places, "place": place, "bb_per_hand": _rate(runs), "players": players}


def _place(won: Sequence[float]) -> int:
    """The place of the first player."""
    return 1 + sum(each > won[0] for each in won[1:])


def _labels(players: Sequence[str]) -> list[str]:
    """The players' names, repeats numbered."""
    labels: list[str] = []
    for player in players:
        repeats = sum(label.partition(" (")[0] == player for label in labels)
        labels.append(f"{player} ({repeats + 1})" if repeats else player)
    return labels


def score(results: Mapping[str, Any]) -> dict[str, Any]:
    """The score for ``results.json``: for each kind how many agree, of how many, and which do not.

    Args:
        results: ``heads_up``, ``competition`` and ``learned`` of the experiment.
    """
    meet: dict[str, bool] = {}
    sizes: dict[str, bool] = {}
    for bot, entries in results["heads_up"].items():
        for learner, entry in entries.items():
            rate, printed = entry["learning"]["bb_per_hand"], training.thesis_rate(bot, learner)
            name, ours = f"{learner} against {bot}", rate["mean"]
            of_one_match = math.sqrt(rate["hands"] / training.THESIS_CHECKPOINTS[-1])
            luck = rate["ci95"] * of_one_match
            meet[name] = abs(ours - printed) <= (rate["ci95_runs"] or rate["ci95"]) + luck
            sizes[name] = abs(ours - printed) <= TOLERANCE * abs(printed)
    places = {
        f"{learner} at {table}": entry["place"] == training.THESIS_PLACES[learner]
        for table, entries in results["competition"].items()
        for learner, entry in entries.items()
    }
    rows = {
        f"{learner}: {' '.join(_state(row))}": _agrees(row)
        for learner, learnt in results["learned"].items()
        for row in learnt
    }
    kinds = {"meet": meet, "sizes": sizes, "places": places, "rows": rows}
    scored = {}
    for kind, found in kinds.items():
        missing = [name for name, comes_out in found.items() if not comes_out]
        scored[kind] = {"come_out": sum(found.values()), "of": len(found), "not": missing}
    return scored


def _state(row: Mapping[str, Any]) -> list[str]:
    return [row["hand"], row["position"], row["last_player"], row["last_action"]]


def _agrees(row: Mapping[str, Any]) -> bool:
    ours, printed = row["percent"], row["thesis"]
    return ours is not None and ours[printed.index(max(printed))] == max(ours)


# --- report ----------------------------------------------------------------------------------------------


def _report(settings: training.ThesisSettings, results: Mapping[str, Any]) -> str:
    lines = [
        "# Poker Learner, chapter 5, reproduced\n",
        f"{settings.training_hands:,} hands of training against each bot at six seats, then "
        f"{settings.match_hands:,} hands heads-up; {settings.seeds} runs, seed {settings.seed}; "
        f"riverboat {VERSION}.",
        "Blinds 1/2, 200 chips; rates in big blinds per hand with 95 % intervals over trainings, in brackets "
        "over hands.",
        f"Readings of the thesis: {', '.join(settings.readings) or 'the defaults'}.",
        "Frozen play, with learning off, has no counterpart in the thesis.",
        "A dollar of the thesis is read as 100 chips; its rates are those after its last hand.\n",
        *score_lines(results["score"]),
    ]
    for bot, entries in results["heads_up"].items():
        heading = f"## Against {bot} (Table 5.{1 + training.BOTS.index(bot)})\n"
        rows = _heads_up_rows(settings, results, bot, entries)
        lines += [heading, markdown_table(["", *settings.learners], rows)]
    for name, entries in results["competition"].items():
        if name == next(iter(results["competition"])):
            lines.append("## Competition (5.2.5)\n")
        told = f"At {name}: bb/hand of everybody (intervals over runs), the learner's place by them.\n"
        lines += [told, _competition_table(entries)]
    if results["learned"]:
        lines += [
            "## What was learnt (Tables 5.5 to 5.8)\n",
            "Classifier as printed, first run; per cent of fold, call, raise.\n",
            _learned_table(results["learned"]),
        ]
    return "\n".join(lines)


def score_lines(found: Mapping[str, Any]) -> list[str]:
    """The score as lines of Markdown."""
    labels = {
        "meet": "rates heads-up agree within 95 % intervals, the thesis's by the luck of its hands",
        "sizes": f"within {TOLERANCE:.0%} of it",
        "places": "the same place in a competition",
        "rows": "the same action in a state of Tables 5.5 to 5.8",
    }
    lines = ["## What comes out\n"]
    for kind, label in labels.items():
        part = found[kind]
        if part["of"]:
            missing = f"; not {', '.join(part['not'])}" if part["not"] else ""
            lines.append(f"* {part['come_out']} of {part['of']} {label}{missing}.")
    return [*lines, ""]


def _heads_up_rows(
    settings: training.ThesisSettings, results: Mapping[str, Any], bot: str, entries: Mapping[str, Any]
) -> list[list[str]]:
    learners, modes, rows = settings.learners, settings.modes, []
    points = zip(results["checkpoints"], training.THESIS_CHECKPOINTS, strict=True)
    for index, (hands, printed) in enumerate(points):
        ours = [entries[name]["learning"]["dollars_at_checkpoints"][index] for name in learners]
        theirs = [training.THESIS_BANKROLLS[bot][name][index] for name in learners]
        rows.append([f"bankroll after {hands:,} hands, $", *(f"{dollars:+z.2f}" for dollars in ours)])
        rows.append([f"the thesis's after {printed:,}", *(f"{dollars:+z.2f}" for dollars in theirs)])
    rates = {name: training.thesis_rate(bot, name) for name in learners}
    of = {mode: [_text(entries[name][mode]["bb_per_hand"]) for name in learners] for mode in modes}
    rows += [[f"bb/hand, {mode}", *cells] for mode, cells in of.items()]
    rows.append(["the thesis's bb/hand", *(f"{rate:+z.2f}" for rate in rates.values())])
    if bot == "always-all-in":
        optimum = results["optimum_bb_per_hand"]
        for mode in modes:
            shares = [f"{entries[name][mode]['share_of_optimum']:.0%}" for name in learners]
            rows.append([f"share of the optimum {optimum:.2f}, {mode}", *shares])
        rows.append(["the thesis's share", *(f"{rate / optimum:.0%}" for rate in rates.values())])
    rows.append(["bb/hand in training", *(_text(entries[name]["training"]) for name in learners)])
    return rows


def _competition_table(entries: Mapping[str, Any]) -> str:
    labels = list(next(iter(entries.values()))["players"])[1:]
    rows = []
    for learner, entry in entries.items():
        cells = [entry["players"][label]["bb_per_hand"].text(2) for label in labels]
        places = ", ".join(map(str, entry["places"]))
        rows.append([learner, _text(entry["bb_per_hand"]), *cells, f"{entry['place']} (runs: {places})"])
    return markdown_table(["learner", "its own", *labels, "place"], rows)


def _learned_table(learned: Mapping[str, Any]) -> str:
    rows = []
    for learner, learnt in learned.items():
        for row in learnt:
            ours = "not met" if row["percent"] is None else " / ".join(map(str, row["percent"]))
            rows.append([learner, *_state(row), ours, row["updates"], " / ".join(map(str, row["thesis"]))])
    header = ["learner", "hand", "position", "last player", "action", "ours", "updates", "the thesis's"]
    return markdown_table(header, rows)


def _text(rate: Mapping[str, Any]) -> str:
    over_hands = "none" if rate["ci95"] is None else f"{rate['ci95']:.2f}"  # of a single hand
    return f"{Estimate(rate['mean'], rate['ci95_runs'], 0).text(2)} (± {over_hands})"


def _plots(settings: training.ThesisSettings, results: Mapping[str, Any]) -> list[Plot]:
    """The bankrolls over the hands, as in Figures 5.1 to 5.5."""
    x = [0, *results["noted_at"]]
    y = "big blinds won (mean of runs, 95 % band)"

    def bankrolls(name: str, title: str, of: Mapping[str, Sequence[Estimate]]) -> Plot:
        """The bankrolls by label in big blinds; without a band where there was one run."""
        curves: dict[str, dict[int, Estimate | float]] = {}
        for label, bankroll in of.items():
            points = [Estimate(0.0, 0.0, 0), *(each.scaled(1 / training.BIG_BLIND) for each in bankroll)]
            has_band = points[1].ci95 is not None
            shown = [each if has_band else each.mean for each in points]
            curves[label] = dict(zip(x, shown, strict=True))
        return plot(name, title, "hands", y, curves)

    plots = []
    for bot, entries in results["heads_up"].items():
        for mode in settings.modes:
            of = {learner: entry[mode]["bankroll"] for learner, entry in entries.items()}
            name = f"against-{training.file_name(bot)}-{mode}"
            plots.append(bankrolls(name, f"Heads-up against {bot}, {mode}", of))
    for table, entries in results["competition"].items():
        for learner, entry in entries.items():
            of = {label: player["bankroll"] for label, player in entry["players"].items()}
            name = f"competition-{table.replace(' ', '-')}-{learner}"
            plots.append(bankrolls(name, f"Competition at {table} with {learner}", of))
    return plots
