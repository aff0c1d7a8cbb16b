"""The numbers of the experiment for ``results.json``: rates, bankrolls, places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import attrs

from clients.lab.experiments.poker_learner.score import score
from clients.lab.experiments.poker_learner.tasks import MODES, POINTS, TABLES, Settings, Task, noted_at
from clients.lab.experiments.poker_learner.thesis import BIG_BLIND, BOTS, CHIPS_PER_DOLLAR, STACK
from engine.hands.preflop.tables import shipped_tables
from engine.poker.combos import COMBOS_PER_STARTING_HAND
from engine.support.intervals import Winnings, estimate_of_few

__all__ = ["optimum_against_all_in", "summary"]

_CHECKPOINTS: Final = (0.05, 0.5, 1.0)
"""The shares of a match after which bankrolls are compared: 5,000, 50,000 and 100,000 hands in the thesis."""


def optimum_against_all_in() -> float:
    """Big blinds per hand that the best strategy wins heads-up against a player who is always all in.

    It can only fold or play for all chips, and knows that its opponent's hand is random.  By folding it loses
    the small blind in half of the hands and the big blind in the other half.
    """
    share = shipped_tables().raw_odds[:, 0]  # of the pot, against one random hand
    playing = 2 * STACK * share - STACK
    weights = COMBOS_PER_STARTING_HAND / COMBOS_PER_STARTING_HAND.sum()
    won = 0.0
    for blind in (BIG_BLIND / 2, BIG_BLIND):
        won += 0.5 * float((weights * playing.clip(min=-blind)).sum())
    return won / BIG_BLIND


def summary(settings: Settings, tasks: Sequence[Task], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The results of all tasks together."""
    done = list(zip(tasks, results, strict=True))
    optimum = optimum_against_all_in()
    heads_up: dict[str, Any] = {bot: {} for bot in settings.bots}
    is_whole = set(settings.bots) == set(BOTS)
    competition: dict[str, Any] = {name: {} for name in TABLES} if is_whole else {}
    learned = {}
    for learner in settings.learners:
        for bot in settings.bots:
            runs = [r for t, r in done if (t.kind, t.learner, t.bot) == ("heads-up", learner, bot)]
            modes = MODES if settings.frozen else MODES[:1]
            entry = {"training": _rate([run["training"][-1] for run in runs])}
            entry |= {mode: _series([run[mode] for run in runs], settings) for mode in modes}
            if bot == "always-all-in":
                for mode in modes:
                    entry[mode]["share_of_optimum"] = entry[mode]["bb_per_hand"]["mean"] / optimum
            heads_up[bot][learner] = entry
        if not is_whole:
            continue
        runs = [r for t, r in done if (t.kind, t.learner) == ("competition", learner)]
        for name in TABLES:
            competition[name][learner] = _competition([run["tables"][name] for run in runs], settings)
        learned[learner] = next(r["rows"] for t, r in done if (t.kind, t.learner) == ("learned", learner))
    found = {"heads_up": heads_up, "competition": competition, "learned": learned}
    return {
        "experiment": "poker-learner",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "optimum_bb_per_hand": optimum,
        "checkpoints": [max(1, round(settings.match_hands * share)) for share in _CHECKPOINTS],
        "noted_at": noted_at(settings.match_hands),
        **found,
        "score": score(found),
    }


def _rate(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Big blinds per hand of several runs, with the intervals over hands and over runs."""
    winnings = [Winnings(run["hands"], run["chips"], run["chips_squared"]) for run in runs]
    rate = sum(winnings, Winnings()).rate(BIG_BLIND).scaled(1 / 1000)
    by_run = [each.chips / each.hands / BIG_BLIND for each in winnings]
    return {
        "mean": rate.mean,
        "ci95": rate.ci95,
        "ci95_runs": estimate_of_few(by_run).ci95,
        "by_run": by_run,
        "hands": rate.samples,
    }


def _series(runs: Sequence[Mapping[str, Any]], settings: Settings) -> dict[str, Any]:
    """A heads-up match: the rate, and the bankroll as it goes."""
    bankroll = [estimate_of_few([run["bankrolls"][k][0] for run in runs]) for k in range(POINTS)]
    at = [round(share * POINTS) - 1 for share in _CHECKPOINTS]
    return {
        "bb_per_hand": _rate(runs),
        "bankroll": [point.as_json() for point in bankroll],
        "dollars_at_checkpoints": [bankroll[k].mean / CHIPS_PER_DOLLAR for k in at],
    }


def _competition(runs: Sequence[Mapping[str, Any]], settings: Settings) -> dict[str, Any]:
    """A table of several: everybody's bankroll, and the learner's places."""
    labels = _labels(runs[0]["players"][:1] + sorted(runs[0]["players"][1:]))
    by_label: dict[str, list[list[float]]] = {label: [] for label in labels}
    places = []
    for run in runs:
        order = sorted(range(1, len(run["players"])), key=lambda seat: (run["players"][seat], seat))
        for label, seat in zip(labels, [0, *order], strict=True):
            by_label[label].append([bankrolls[seat] for bankrolls in run["bankrolls"]])
        final = run["bankrolls"][-1]
        places.append(1 + sum(chips > final[0] for chips in final[1:]))
    players: dict[str, dict[str, Any]] = {}
    for label, series in by_label.items():
        rate = estimate_of_few([bankrolls[-1] / settings.match_hands / BIG_BLIND for bankrolls in series])
        bankroll = [estimate_of_few([bankrolls[k] for bankrolls in series]).as_json() for k in range(POINTS)]
        players[label] = {"bb_per_hand": rate.as_json(), "bankroll": bankroll}
    means = {label: player["bb_per_hand"]["mean"] for label, player in players.items()}
    ours = means[labels[0]]
    return {
        "places": places,
        "place": 1 + sum(mean > ours for label, mean in means.items() if label != labels[0]),
        "bb_per_hand": _rate(runs),
        "players": players,
    }


def _labels(players: Sequence[str]) -> list[str]:
    """The players' names, repeats numbered."""
    labels: list[str] = []
    for player in players:
        repeats = sum(label.partition(" (")[0] == player for label in labels)
        labels.append(f"{player} ({repeats + 1})" if repeats else player)
    return labels
