"""The experiment ``calibration``: predictions and stated values compared with what happens.

A sampling bot notes what it predicts of its opponents, which is compared by context with what they do, and
which values it states, which are compared with the chips that come, by betting round, strength of the hand
and action.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import attrs
import click
import numpy as np
from numpy.typing import NDArray

from clients.bots.hand_strength import HandStrengthBot
from clients.bots.sampling.agent import Sampling
from clients.core.registry import make_bot
from clients.lab.experiments import command, harness
from clients.lab.experiments.command import Options, bots, check_bots, experiment_command, option, whole
from clients.lab.experiments.regression import clustered_mean, fit_line
from clients.lab.experiments.selective_sampling.duels import NotedSampling, Table, play_duel
from clients.reports.plots import Plot
from engine.players.action_context import context_of
from engine.players.learning import predicted_triple
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView, load_game
from engine.support.intervals import Estimate, wilson_interval

OPPONENTS: Final = ("always-call", "random", "formula", "simple", "hand-strength", "heuristic")
"""The opponents if none are named."""
GAMES: Final = ("limit-2p", "limit-6p", "limit-10p", "nolimit-2p", "nolimit-6p")
ROUNDS: Final = ("before the flop", "flop", "turn", "river")
STRENGTHS: Final = ((0.0, 0.4, "weak"), (0.4, 0.7, "middling"), (0.7, np.inf, "strong"))
"""Classes of hand strength against random cards: from, to, name."""
ACTIONS: Final = ("fold", "call", "raise")
STAGES: Final = ((0, 100), (100, 200), (200, 1_000_000))
"""Hands that the bot had learnt from when it decided: from, to."""
_LEAST_CASES: Final = 30
"""The number of cases from which a context has a row."""
_BINS: Final = 10


@attrs.frozen
class CalibrationSettings(Options):
    """The players that are predicted, and the number of hands."""

    game: str = option("limit-2p", "The game.", type=click.Choice(GAMES))
    opponents: tuple[str, ...] = bots(
        "--opponent",
        OPPONENTS,
        "Opponent to predict, BOT[:KEY=VALUE,...], in all other seats; may be repeated.",
    )
    hands: int = whole(2_000, 2, "Hands against each opponent.")
    match_hands: int = command.hands_of_a_match(1_000, 2, "the bot learns")
    trials: int = whole(300, 1, "Trials per decision.", most=100_000)
    seed: int = 1

    def check(self) -> None:
        """Refuse opponents that cannot play."""
        check_bots("--opponent", self.opponents, self.game)


@experiment_command(CalibrationSettings, "what each match found", seeded="cards")
def calibration(settings: CalibrationSettings, work: harness.Work) -> Iterator[harness.Findings]:
    """Compare what a sampling bot predicts and states with what happens.

    It compares predicted and actual folds, calls and raises of each opponent by context, and the values
    stated for decisions with the chips won, by betting round, strength of the hand and action.
    """
    yield findings(settings, work.groups(all_matches(settings)))


# --- matches ---------------------------------------------------------------------------------------------


def all_matches(settings: CalibrationSettings) -> list[harness.Task]:
    """Against each opponent, in matches on the same cards for all; the bot begins each pass with nothing."""
    cut = list(harness.matches(max(1, settings.hands // 2), max(1, settings.match_hands // 2), settings.seed))
    return [
        harness.Task(
            f"{settings.game} against {opponent}, match {number}",
            f"{settings.game}-{harness.file_name(opponent)}-{number}.json",
            {"opponent": opponent, "seed": seed, "deals": deals, "trials": settings.trials},
            functools.partial(play, settings.game, opponent, seed, deals, settings.trials),
            opponent,
        )
        for opponent, (number, (seed, deals)) in product(settings.opponents, enumerate(cut, 1))
    ]


class _Predicting(NotedSampling):
    """Notes the strength of its hand, and what it predicts of its opponents before it learns what came."""

    def __init__(self, trials: int) -> None:
        super().__init__(trials=trials, blueprint=False)
        self.strengths: list[float] = []
        """Of our hands in the decisions stated, as those of `take_stated`, of the whole match."""
        self.answers: list[dict[str, Any]] = []
        self._hand = HandStrengthBot()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Looks the starting hands up besides."""
        super().match_started(game, seat)
        self._hand.match_started(game, seat)

    def choose_action(self, view: HandView) -> Action:
        """The agent's action, noted with what it predicts."""
        self.strengths.append(self._hand.strength(view))
        return super().choose_action(view)

    def hand_finished(self, view: HandView) -> None:
        """Sets what was predicted beside what was done, and learns."""
        reader = self.book.follow(view)
        for decision, action in reader.reading.decisions():
            situation, context = decision.situation, attrs.asdict(context_of(decision.situation))
            if situation.position != view.position and (situation.can_fold or situation.can_raise):
                model = reader.reading.models[situation.position]
                predicted = [float(chance) for chance in predicted_triple(model, decision)]
                context["last_action"] = int(context["last_action"])
                self.answers.append({"context": context, "predicted": predicted, "action": action})
        Sampling.hand_finished(self, view)


def play(game_name: str, opponent: str, seed: int, deals: int, trials: int) -> dict[str, Any]:
    """Play a match against bots of one kind, who sit in all other seats.

    Returns:
        ``answers``: of the opponents, each a context, the triple predicted, the action that came.
        ``decisions``: of the bot that are no folds: betting round, strength of the hand, whether it raised,
        value stated, chips that came, deal.
    """
    game = load_game(game_name)
    ours = [_Predicting(trials) for _ in range(2)]
    seated: list[Table] = [(bot, *(make_bot(opponent) for _ in range(game.num_players - 1))) for bot in ours]
    _, judged = play_duel(game, seated, seed, deals)
    strengths = [strength for bot in ours for strength in bot.strengths]
    decisions = [
        [
            each.stated.spot.betting.betting_round, strength, each.stated.action.kind is ActionKind.RAISE,
            each.stated.value, each.realised, each.deal,
        ]
        for each, strength in zip(judged, strengths, strict=True)
        if not each.stated.is_fold
    ]  # fmt: skip
    return {"answers": [answer for bot in ours for answer in bot.answers], "decisions": decisions}


# --- predictions -----------------------------------------------------------------------------------------


def _log_loss(answers: Sequence[Mapping[str, Any]]) -> float:
    chances = [max(answer["predicted"][answer["action"]], 1e-3) for answer in answers]
    return float(-np.log(chances).mean()) if chances else 0.0


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
        predicted = np.mean([answer["predicted"] for answer in here], axis=0).tolist()
        row: dict[str, Any] = {"context": context, "cases": len(here)}
        for index, name in enumerate(ACTIONS):
            count = sum(answer["action"] == index for answer in here)
            low, high = wilson_interval(count, len(here))
            shares = {"predicted": predicted[index], "seen": count / len(here)}
            row[name] = {**shares, "low": low, "high": high}
        rows.append(row)
    return sorted(rows, key=lambda row: -row["cases"])


def _reliability(answers: Sequence[Mapping[str, Any]], action: int) -> list[list[float]]:
    """A row for each tenth of the predicted probability: its mean, the observed share, half its interval."""
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

_Decisions = NDArray[np.float64]
"""Rows: betting round, strength, whether it raised, stated, realised, deal of all, deal of the match."""


def _stated(decisions: _Decisions) -> dict[str, Any]:
    """Stated values and chips won: overall, the line through them, and by betting round and strength."""
    result: dict[str, Any] = {"decisions": len(decisions), "stages": [], "parts": [], "curve": []}
    result |= _agreement(decisions)
    if "slope" not in result:
        return result
    betting_round, strength, raised, stated = decisions[:, :4].T
    for begun, end in STAGES:
        here = decisions[(decisions[:, 6] >= begun) & (decisions[:, 6] < end)]
        result["stages"].append({"from": begun, "decisions": len(here), **_agreement(here)})
    classes = product(enumerate(ROUNDS), STRENGTHS, enumerate(("calls and checks", "bets and raises")))
    for (number, name), (low, high, word), (raises, action) in classes:
        inside = (betting_round == number) & (strength >= low) & (strength < high) & (raised == raises)
        if inside.any():
            here = decisions[inside]
            result["parts"].append(
                {
                    "round": name, "strength": word, "action": action, "decisions": len(here),
                    "stated": float(here[:, 3].mean()), "realised": float(here[:, 4].mean()),
                    "realised_less_stated": _difference(here),
                }
            )  # fmt: skip
    for part in np.array_split(decisions[np.argsort(stated, kind="stable")], _BINS):
        if len(part):
            half = _difference(part).ci95 or 0.0
            result["curve"].append([float(part[:, 3].mean()), float(part[:, 4].mean()), half])
    return result


def _agreement(decisions: _Decisions) -> dict[str, Any]:
    """Realised less stated, and the line through both; nothing where there are too few deals for one."""
    if len(set(decisions[:, 5].tolist())) < 3 or len(set(decisions[:, 3].tolist())) < 2:
        return {}
    line = fit_line(decisions[:, 3].tolist(), decisions[:, 4].tolist(), decisions[:, 5].astype(int).tolist())
    return {"realised_less_stated": _difference(decisions), "slope": line.slope, "intercept": line.intercept}


def _difference(decisions: _Decisions) -> Estimate:
    differences = (decisions[:, 4] - decisions[:, 3]).tolist()
    return clustered_mean(differences, decisions[:, 5].astype(int).tolist())


# --- findings --------------------------------------------------------------------------------------------


def findings(
    settings: CalibrationSettings, found: Mapping[str, Sequence[Mapping[str, Any]]]
) -> harness.Findings:
    """What was predicted and stated, and what came, for each opponent.

    Args:
        settings: the experiment's settings.
        found: the results of the matches against each opponent.
    """
    opponents: dict[str, Any] = {}
    for opponent, played in found.items():
        answers = [answer for match in played for answer in match["answers"]]
        rows = [
            [*row[:5], row[5] + number * max(1, settings.match_hands // 2), row[5]]
            for number, match in enumerate(played)
            for row in match["decisions"]
        ]
        reliability = {name: _reliability(answers, index) for index, name in enumerate(ACTIONS)}
        found_here = {"log_loss": _log_loss(answers), "contexts": _by_context(answers)}
        stated = _stated(np.array(rows).reshape(-1, 7))
        opponents[opponent] = {**found_here, "reliability": reliability, **stated}
    unit = "sb" if load_game(settings.game).is_limit else "bb"
    numbers = {"settings": settings, "unit": unit, "opponents": opponents}
    return harness.Findings(numbers, _report(settings, unit, opponents), _plots(unit, opponents))


def _report(settings: CalibrationSettings, unit: str, opponents: Mapping[str, Any]) -> str:
    rows = [
        [opponent, f"{each['log_loss']:.3f}", f"{each['decisions']:,}", each["realised_less_stated"].text(2),
         each["slope"].text(2)]
        for opponent, each in opponents.items()
        if "slope" in each
    ]  # fmt: skip
    stages = [f"{begun} to {end - 1}" for begun, end in STAGES[:-1]] + [f"from {STAGES[-1][0]} on"]
    by_stage = [
        [opponent, *map(_agreed, each["stages"])] for opponent, each in opponents.items() if each["stages"]
    ]
    by_opponent = ["against", "log loss", "decisions", f"realised less stated, {unit}", "slope"]
    texts = [
        f"# Calibration: {settings.game}\n",
        f"riverboat {harness.VERSION}; `sampling:trials={settings.trials}`, {settings.hands:,} hands against "
        f"each, in matches of {settings.match_hands:,}; intervals are 95 %, decisions about one deal "
        "depending on each other.\n",
        harness.markdown_table(by_opponent, rows),
        f"Realised less stated, {unit}, and the slope, by the hands that the bot had learnt from:\n",
        harness.markdown_table(["against", *stages], by_stage),
    ]
    for opponent, each in opponents.items():
        texts += [
            f"## {opponent}\n",
            f"What they do, predicted and seen, where there are {_LEAST_CASES} cases:\n",
            harness.columns(_CONTEXTS, each["contexts"]),
            f"What the bot states and what comes, {unit}:\n",
            harness.columns(_PARTS, each["parts"]),
        ]
    return "\n".join(texts)


def _agreed(stage: Mapping[str, Any]) -> str:
    if "slope" not in stage:
        return "–"
    return f"{stage['realised_less_stated'].text(2)}, slope {stage['slope'].text(2)}"


def _shares(name: str) -> harness.Column:
    return lambda row: f"{100 * row[name]['predicted']:.0f} and {100 * row[name]['seen']:.0f} %"


_CONTEXTS: Final[dict[str, harness.Column]] = {
    "context": "context", "cases": "cases", **{f"{name}s": _shares(name) for name in ACTIONS}
}  # fmt: skip
_PARTS: Final[dict[str, harness.Column]] = {
    "round": "round", "hand": "strength", "action": "action", "decisions": "decisions",
    "stated": lambda part: f"{part['stated']:+z.2f}", "realised": lambda part: f"{part['realised']:+z.2f}",
    "realised less stated": lambda part: part["realised_less_stated"].text(2),
}  # fmt: skip


def _reliable(name: str) -> Callable[[Any], Sequence[Any]]:
    return lambda each: each["reliability"][name]


def _plots(unit: str, opponents: Mapping[str, Any]) -> list[Plot]:
    """How reliable predictions are, a picture for each action; stated against realised values."""

    def picture(name: str, title: str, x: str, y: str, of: Callable[[Any], Sequence[Any]]) -> Plot:
        curves = {
            opponent: {at: Estimate(mean, half, 0) for at, mean, half in of(each)}
            for opponent, each in opponents.items()
        }
        return harness.plot(name, title, x, y, curves)

    predicted, seen = "chance predicted", "share seen (95 %)"
    pictures = [
        picture(f"reliability-{name}", f"{name}s, all opponents' contexts", predicted, seen, _reliable(name))
        for name in ACTIONS
    ]
    stated, realised = f"stated, {unit}", f"realised, {unit} (95 %)"
    title = "values stated and chips that came"
    pictures.append(picture("stated", title, stated, realised, lambda each: each["curve"]))
    return [each for each in pictures if each.curves]
