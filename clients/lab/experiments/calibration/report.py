"""Predictions compared with what happened: by context, and by strength of the hand and betting round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.lab.experiments.calibration.tasks import Match, Settings
from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.regression import clustered_mean, fit_line
from clients.reports.plots import Curve
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, wilson_interval

__all__ = ["plots", "report", "summary"]

ROUNDS: Final = ("before the flop", "flop", "turn", "river")
STRENGTHS: Final = ((0.0, 0.4, "weak"), (0.4, 0.7, "middling"), (0.7, 1.0, "strong"))
"""Classes of hand strength against random cards: from, to, name."""
ACTIONS: Final = ("fold", "call", "raise")
STAGES: Final = ((0, 100), (100, 200), (200, 1_000_000))
"""Hands that the bot had learnt from when it decided: from, to."""
_LEAST_CASES: Final = 30
"""The number of cases from which a context has a row."""
_BINS: Final = 10


def summary(
    settings: Settings, matches: Sequence[Match], found: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The summary of all results, for ``results.json``."""
    opponents: dict[str, Any] = {}
    for opponent in settings.opponents:
        here = [
            (match, result)
            for match, result in zip(matches, found, strict=True)
            if match.opponent == opponent
        ]
        answers = [answer for _, result in here for answer in result["answers"]]
        decisions = np.array(
            [
                [*row[:5], row[5] + match.number * match.deals, row[5]]
                for match, result in here
                for row in result["decisions"]
            ]
        ).reshape(-1, 7)
        opponents[opponent] = {
            "log_loss": _log_loss(answers),
            "contexts": _by_context(answers),
            "reliability": {name: _reliability(answers, index) for index, name in enumerate(ACTIONS)},
            **_stated(decisions),
        }
    return {
        "experiment": "calibration",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "unit": "sb" if load_game(settings.game).is_limit else "bb",
        "opponents": opponents,
    }


def _log_loss(answers: Sequence[Mapping[str, Any]]) -> float:
    chances = [max(answer["predicted"][answer["action"]], 1e-3) for answer in answers]
    return float(-np.log(chances).mean()) if chances else 0.0


# --- answers ---------------------------------------------------------------------------------------------


def _described(context: Mapping[str, Any]) -> str:
    """``flop, a bet to call, has checked or called, acts again``."""
    words = [ROUNDS[context["betting_round"]]]
    words.append(("nothing to call", "a bet to call", "two bets to call")[context["bets_to_call"]])
    if context["betting_round"] == 0:
        words.append(f"raised {context['raises']} times")
    words.append({0: "not acted", 1: "called or checked last", 2: "raised last"}[context["last_action"]])
    if context["betting_round"] > 0 and context["is_in"]:
        words.append("again in this round")
    if context["is_capped"]:
        words.append("no raise left")
    return ", ".join(words)


def _by_context(answers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Predicted and observed shares of folds, calls and raises, for contexts with enough cases."""
    cases: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for answer in answers:
        cases[_described(answer["context"])].append(answer)
    rows = []
    for context, here in cases.items():
        if len(here) < _LEAST_CASES:
            continue
        predicted = np.mean([answer["predicted"] for answer in here], axis=0)
        row: dict[str, Any] = {"context": context, "cases": len(here)}
        for index, name in enumerate(ACTIONS):
            count = sum(answer["action"] == index for answer in here)
            low, high = wilson_interval(count, len(here))
            row[name] = {
                "predicted": float(predicted[index]),
                "seen": count / len(here),
                "low": low,
                "high": high,
            }
        rows.append(row)
    return sorted(rows, key=lambda row: -row["cases"])


def _reliability(answers: Sequence[Mapping[str, Any]], action: int) -> list[list[float]]:
    """By tenths of the predicted probability: its mean, the observed share, and half of its interval."""
    chances = np.array([answer["predicted"][action] for answer in answers])
    came = np.array([answer["action"] == action for answer in answers])
    points = []
    for tenth in range(_BINS):
        here = np.minimum((chances * _BINS).astype(int), _BINS - 1) == tenth if len(chances) else came
        if int(here.sum()) >= _LEAST_CASES:
            low, high = wilson_interval(int(came[here].sum()), int(here.sum()))
            points.append([float(chances[here].mean()), float(came[here].mean()), (high - low) / 2])
    return points


# --- stated values ---------------------------------------------------------------------------------------


def _stated(decisions: NDArray[np.float64]) -> dict[str, Any]:
    """Stated values and chips won: overall, the line through them, and by betting round and strength."""
    result: dict[str, Any] = {"decisions": len(decisions), "stages": [], "parts": [], "curve": []}
    result |= _agreement(decisions)
    if "slope" not in result:
        return result
    for begun, end in STAGES:
        here = decisions[(decisions[:, 6] >= begun) & (decisions[:, 6] < end)]
        result["stages"].append({"from": begun, "decisions": len(here), **_agreement(here)})
    for betting_round, name in enumerate(ROUNDS):
        for low, high, word in STRENGTHS:
            for raised, action in enumerate(("calls and checks", "bets and raises")):
                strength = decisions[:, 1]
                here = decisions[
                    (decisions[:, 0] == betting_round)
                    & (strength >= low)
                    & ((strength < high) | (high == 1.0))
                    & (decisions[:, 2] == raised)
                ]
                if len(here):
                    result["parts"].append(
                        {
                            "round": name,
                            "strength": word,
                            "action": action,
                            "decisions": len(here),
                            "stated": float(here[:, 3].mean()),
                            "realised": float(here[:, 4].mean()),
                            "realised_less_stated": _difference(here).as_json(),
                        }
                    )
    for part in np.array_split(decisions[np.argsort(decisions[:, 3], kind="stable")], _BINS):
        if len(part):
            half = _difference(part).ci95 or 0.0
            result["curve"].append([float(part[:, 3].mean()), float(part[:, 4].mean()), half])
    return result


def _agreement(decisions: NDArray[np.float64]) -> dict[str, Any]:
    """Realised less stated, and the line through both; nothing where there are too few deals for one."""
    if len(set(decisions[:, 5].tolist())) < 3 or len(set(decisions[:, 3].tolist())) < 2:
        return {}
    line = fit_line(decisions[:, 3].tolist(), decisions[:, 4].tolist(), decisions[:, 5].astype(int).tolist())
    return {
        "realised_less_stated": _difference(decisions).as_json(),
        "slope": line.slope.as_json(),
        "intercept": line.intercept.as_json(),
    }


def _difference(decisions: NDArray[np.float64]) -> Estimate:
    differences = (decisions[:, 4] - decisions[:, 3]).tolist()
    return clustered_mean(differences, decisions[:, 5].astype(int).tolist())


# --- for people ------------------------------------------------------------------------------------------


def report(results: Mapping[str, Any]) -> str:
    """Markdown."""
    settings, unit = results["settings"], results["unit"]
    texts = [
        f"# Calibration: {settings['game']}\n",
        f"riverboat {results['version']}; `sampling:trials={settings['trials']}`, {settings['hands']:,} "
        f"hands against each, in matches of {settings['match_hands']:,}; intervals are 95 %, "
        "decisions about one deal depending on each other.\n",
    ]
    rows = []
    for opponent, found in results["opponents"].items():
        if "slope" in found:
            less, slope = found["realised_less_stated"], found["slope"]
            rows.append(
                [opponent, f"{found['log_loss']:.3f}", f"{found['decisions']:,}", _shown(less), _shown(slope)]
            )
    header = ["against", "log loss", "decisions", f"realised less stated, {unit}", "slope"]
    texts.append(markdown_table(header, rows))
    texts.append(f"Realised less stated, {unit}, and the slope, by the hands that the bot had learnt from:\n")
    stages = [f"{begun} to {end - 1}" for begun, end in STAGES[:-1]] + [f"from {STAGES[-1][0]} on"]
    texts.append(
        markdown_table(
            ["against", *stages],
            [
                [opponent, *(_agreed(stage) for stage in found["stages"])]
                for opponent, found in results["opponents"].items()
                if found["stages"]
            ],
        )
    )
    for opponent, found in results["opponents"].items():
        texts.append(f"## {opponent}\n")
        texts.append(f"What they do, predicted and seen, where there are {_LEAST_CASES} cases:\n")
        texts.append(
            markdown_table(
                ["context", "cases", *(f"{name}s" for name in ACTIONS)],
                [
                    [row["context"], row["cases"], *(_pair(row[name]) for name in ACTIONS)]
                    for row in found["contexts"]
                ],
            )
        )
        texts.append(f"What the bot states and what comes, {unit}:\n")
        texts.append(
            markdown_table(
                ["round", "hand", "action", "decisions", "stated", "realised", "realised less stated"],
                [
                    [
                        part["round"], part["strength"], part["action"], part["decisions"],
                        f"{part['stated']:+z.2f}", f"{part['realised']:+z.2f}",
                        _shown(part["realised_less_stated"]),
                    ]
                    for part in found["parts"]
                ],
            )
        )  # fmt: skip
    return "\n".join(texts)


def _agreed(stage: Mapping[str, Any]) -> str:
    if "slope" not in stage:
        return "–"
    return f"{_shown(stage['realised_less_stated'])}, slope {_shown(stage['slope'])}"


def _shown(estimate: Mapping[str, Any]) -> str:
    half = estimate.get("ci95")
    return f"{estimate['mean']:+z.2f}" + (f" ± {half:.2f}" if half is not None else "")


def _pair(share: Mapping[str, float]) -> str:
    return f"{100 * share['predicted']:.0f} and {100 * share['seen']:.0f} %"


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """How reliable predictions are, a picture for each action; stated against realised values."""
    opponents = results["opponents"]
    pictures = [
        Plot(
            f"reliability-{name}",
            f"{name}s, all opponents' contexts",
            "chance predicted",
            "share seen (95 %)",
            tuple(
                _curve(opponent, found["reliability"][name])
                for opponent, found in opponents.items()
                if found["reliability"][name]
            ),
        )
        for name in ACTIONS
    ]
    pictures.append(
        Plot(
            "stated",
            "values stated and chips that came",
            f"stated, {results['unit']}",
            f"realised, {results['unit']} (95 %)",
            tuple(
                _curve(opponent, found["curve"]) for opponent, found in opponents.items() if found["curve"]
            ),
        )
    )
    return [picture for picture in pictures if picture.curves]


def _curve(label: str, points: Sequence[Sequence[float]]) -> Curve:
    x, y, half = zip(*points, strict=True)
    return Curve(label, x, y, half)
