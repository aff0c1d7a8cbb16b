"""(e) What a wrong model costs, and (g) stated values compared with the chips that are won.

Poki 3.5 has two warnings:

*Folds.*  The opponent folds to a bet one time in five, with any hand; the simulation expects more folds.  It
then overestimates raises, and raises too much.

*Slow-playing.*  The opponent only checks and calls with the best hands until the river.  A table that
believes every action has almost no weight on those hands by then; re-weighting with a noise factor keeps
some.

*Robustness.*  Every decision is a point: the stated value of the chosen action, and the chips won from there
to the end of the hand.  If the simulation were right about everything, the line through the points would have
slope 1 and intercept 0.  Folds, which are worth 0 by definition, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs
import numpy as np

from clients.bots.formula.agent import Formula
from clients.bots.opponent_book import OpponentBook
from clients.core.registry import make_bot
from clients.lab.experiments.harness import Column, Findings, Work, columns, per_cent, plot
from clients.lab.experiments.regression import clustered_mean, fit_line
from clients.lab.experiments.selective_sampling.duels import (
    JudgedDecision,
    NotedSampling,
    Table,
    duel,
    make_sampling,
    play_duel,
)
from clients.lab.experiments.selective_sampling.settings import SamplingSettings
from engine.hands.hand_strength import hand_strength
from engine.players.action_context import ActionContext
from engine.players.models.frequencies import FrequencyModel
from engine.poker.combos import combo_index, combos_without
from engine.poker.rules import CALL, Action, ActionKind, HandView, load_game
from engine.support.intervals import Estimate, estimate

GAME: Final = "limit-2p"
FOLDS: Final = 0.2
PREDICTED: Final = (0.2, 0.3, 0.4)
NOISES: Final = (0.0, 0.2)
GREAT: Final = 0.85
"""The hand strength from which a hand is very strong (Poki 3.4)."""
_RIVER: Final = 3

OPPONENTS: Final = {
    "limit-2p": ("always-call", "random", "always-raise"),
    "nolimit-2p": ("always-call", "random", "always-all-in"),
}
"""Whose matches with the bot are judged, by game."""
WANTED_SLOPE: Final = (0.8, 1.2)
_BINS: Final = 8


class FoldModelSampling(NotedSampling):
    """A sampling bot that expects opponents to fold to a share of bets with any hand, and never to raise."""

    def expect_folds(self, share: float) -> None:
        """Expect this share of folds from now on, from all opponents."""

        def frequencies(context: ActionContext) -> tuple[float, float, float]:
            return (share, 1 - share, 0.0) if context.bets_to_call else (0.0, 1.0, 0.0)

        self.book = OpponentBook(lambda: FrequencyModel(frequencies), self.book.noise)


class SlowPlayer(Formula):
    """Plays by formula, but checks and calls very strong hands until the river, and raises them there."""

    def choose_action(self, view: HandView) -> Action:
        """The formula's action, or the slow-play."""
        if view.board and hand_strength(view.own_cards, view.board).value >= GREAT:
            return view.legal_actions().raising_to() if view.betting_round == _RIVER else CALL
        return super().choose_action(view)


def _play(
    predicted_folds: float | None, noise: float, seed: int, deals: int, settings: SamplingSettings
) -> dict[str, Any]:
    """Play deals against one of the two opponents, from both seats.

    Args:
        predicted_folds: the share of folds that the simulation expects; None for a match against the
            slow-player.
        noise: of the re-weighting, in that match.
        seed: of the cards.
        deals: their number.
        settings: the experiment's settings.

    Returns:
        ``won``: small bets per hand, on each deal; and pairs of a deal and a number of one of its decisions:
        ``raising``, the stated value of a raise that was legal, and ``raised``, 1 if it was chosen;
        ``overstated``, stated less realised value of the chosen action, without folds; ``table``, the weight
        of the hand held, relative to a table of an unknown player.  Against the slow-player the last two are
        of turn and river only, when it holds a hand that has been very strong since the flop.
    """
    agents: list[Table] = []
    for _ in range(2):
        if predicted_folds is not None:
            knowing = make_sampling(FoldModelSampling, settings, settings.trials, model="generic")
            knowing.expect_folds(predicted_folds)
            agents.append((knowing, make_bot(f"random:fold={FOLDS},call={1 - FOLDS},raise=0")))
        else:
            ours = make_sampling(NotedSampling, settings, settings.trials, model="generic", noise=str(noise))
            agents.append((ours, SlowPlayer(model="generic")))
    won, decisions = play_duel(load_game(GAME), agents, seed, deals)
    with_raise = [each for each in decisions if each.stated.raising is not None]
    trapped = [each for each in decisions if _is_trapped(each)] if predicted_folds is None else []
    judged = decisions if predicted_folds is not None else trapped
    overstated = [
        (each.deal, each.stated.value - each.realised) for each in judged if not each.stated.is_fold
    ]
    return {
        "won": won.tolist(), "raising": [(each.deal, each.stated.raising or 0.0) for each in with_raise],
        "raised": [(each.deal, float(each.stated.action.kind is ActionKind.RAISE)) for each in with_raise],
        "overstated": overstated, "table": [(each.deal, _relative_weight(each)) for each in trapped],
    }  # fmt: skip


def _is_trapped(decision: JudgedDecision) -> bool:
    """Whether on turn or river the opponent holds a hand that has been very strong since the flop."""
    board = decision.stated.spot.board
    return len(board) >= 4 and all(
        hand_strength(decision.opponent_cards, seen).value >= GREAT for seen in (board[:3], board)
    )


def _relative_weight(decision: JudgedDecision) -> float:
    spot = decision.stated.spot
    possible = combos_without((*spot.own_cards, *spot.board))
    weights = np.where(possible, spot.weights[1 - spot.position], 0.0)
    return float(weights[combo_index(*decision.opponent_cards)] / weights[possible].mean())


@attrs.frozen(eq=False)
class _Found:
    """The result with a model."""

    won: list[float]
    """Small bets per hand, on each deal."""
    means: dict[str, Estimate | None]
    """Of the numbers of decisions, with intervals over deals; None if there are no such decisions."""

    @property
    def gain(self) -> Estimate:
        """Small bets per hand."""
        return estimate(self.won)

    def more_than(self, other: _Found) -> Estimate:
        """How much more was won than with another model, deal by deal."""
        return estimate([mine - theirs for mine, theirs in zip(self.won, other.won, strict=True)])


def _play_all(
    predicted: float | None, noise: float, place: int, settings: SamplingSettings, work: Work
) -> _Found:
    """Play all duels with a model, on the same deals for every model, and say what was won."""
    name = f"{100 * (predicted or 0):.0f} % folds predicted"
    if predicted is None:
        name = f"slow-player, noise {noise:g}"
    won, pairs = duel(
        "wrong-models", f"wrong models, {name}", _play, place, settings, work,
        predicted_folds=predicted, noise=noise,
    )  # fmt: skip
    means = {
        number: clustered_mean([value for _, value in found], [deal for deal, _ in found]) if found else None
        for number, found in pairs.items()
    }
    whole = _Found(won, means)
    work.progress(f"wrong models: {name}, {whole.gain} sb/h")
    return whole


def wrong_models(settings: SamplingSettings, work: Work) -> Findings:
    """Both warnings, on the same deals for every model."""
    folds = {predicted: _play_all(predicted, 0.0, 0xE1, settings, work) for predicted in PREDICTED}
    slow = {noise: _play_all(None, noise, 0xE2, settings, work) for noise in NOISES}
    right, believing = folds[PREDICTED[0]], slow[NOISES[0]]
    folds_numbers = [
        {
            "predicted_folds": predicted, "actual_folds": FOLDS,
            "stated_value_of_raising": found.means["raising"], "raised": found.means["raised"],
            "stated_less_realised": found.means["overstated"], "won_sb_per_hand": found.gain,
            "won_more_than_with_the_right_model": found.more_than(right),
        }
        for predicted, found in folds.items()
    ]  # fmt: skip
    slow_numbers = [
        {
            "noise": noise, "won_sb_per_hand": found.gain,
            "won_more_than_without_noise": found.more_than(believing),
            "stated_less_realised": found.means["overstated"], "weight_of_what_he_held": found.means["table"],
        }
        for noise, found in slow.items()
    ]  # fmt: skip
    folds_shown: dict[str, Column] = {
        "folds predicted": lambda row: f"{100 * row['predicted_folds']:.0f} %",
        "stated value of a raise, sb": "stated_value_of_raising",
        "raised": lambda row: per_cent(row["raised"]), "stated less realised, sb": "stated_less_realised",
        "won per hand, sb": "won_sb_per_hand",
        "more than with the right model, sb": lambda row: (
            None if row is folds_numbers[0] else row["won_more_than_with_the_right_model"]
        ),
    }  # fmt: skip
    slow_shown: dict[str, Column] = {
        "noise": lambda row: f"{row['noise']:g}", "won per hand, sb": "won_sb_per_hand",
        "more than without noise, sb": lambda row: (
            None if row is slow_numbers[0] else row["won_more_than_without_noise"]
        ),
        "stated less realised, sb": "stated_less_realised",
        "weight of the hand held": "weight_of_what_he_held",
    }  # fmt: skip
    report = (
        f"*Folds.*  The opponent folds to {100 * FOLDS:.0f} % of the bets and calls the others; {GAME}, "
        f"{settings.duel_hands:,} hands each, the same deals.\n\n{columns(folds_shown, folds_numbers)}\n"
        f"*Slow-playing.*  The opponent checks and calls with hands of strength {GREAT} and more until the "
        f"river; {settings.duel_hands:,} hands each, the same deals.  The last two columns are of turn and "
        "river decisions against a hand that was so strong on the flop: how much more than realised was "
        "stated, and the weight of the hand held (1: as if nothing were known).\n\n"
        + columns(slow_shown, slow_numbers)
    )
    return Findings({"game": GAME, "folds": folds_numbers, "slow_play": slow_numbers}, report)


# --- robustness ------------------------------------------------------------------------------------------


def _play_match(
    game: str, opponent: str, seed: int, deals: int, settings: SamplingSettings
) -> dict[str, Any]:
    """Play a match and record every decision except folds.

    Returns:
        ``decisions``: deal, stated value and realised value of each; ``won``: per hand, on each deal.
    """
    agents = [(make_sampling(NotedSampling, settings, settings.trials), make_bot(opponent)) for _ in range(2)]
    won, decisions = play_duel(load_game(game), agents, seed, deals)
    points = [[each.deal, each.stated.value, each.realised] for each in decisions if not each.stated.is_fold]
    return {"decisions": points, "won": won.tolist()}


def _match_up(
    game: str, opponent: str, place: int, settings: SamplingSettings, work: Work
) -> tuple[dict[str, Any], dict[float, Estimate]]:
    """The result against one opponent; and a curve, means of equal parts of the decisions by stated value."""
    won, rows = duel(
        "robustness", f"robustness, {game} against {opponent}", _play_match, place, settings, work,
        game=game, opponent=opponent,
    )  # fmt: skip
    deal, stated, realised = np.array(rows["decisions"], np.float64).reshape(-1, 3).T
    line = fit_line(stated.tolist(), realised.tolist(), deal.astype(int).tolist())
    unit = "sb" if load_game(game).is_limit else "bb"
    work.progress(f"robustness: {game}, {opponent}: slope {line.slope}, intercept {line.intercept} {unit}")
    numbers = {
        "game": game, "opponent": opponent, "unit": unit, "decisions": len(stated), "slope": line.slope,
        "intercept": line.intercept, "mean_stated": float(stated.mean()),
        "mean_realised": float(realised.mean()), "won_per_hand": estimate(won),
    }  # fmt: skip
    parts = [part for part in np.array_split(np.argsort(stated, kind="stable"), _BINS) if len(part)]
    return numbers, {float(stated[part].mean()): estimate(realised[part].tolist()) for part in parts}


def robustness(settings: SamplingSettings, work: Work) -> Findings:
    """Each opponent of each game."""
    match_ups, plots = [], []
    for game, opponents in OPPONENTS.items():
        curves: dict[str, Mapping[float, Estimate | float]] = {}
        for number, opponent in enumerate(opponents):
            place = 16 * len(game) + number
            match_up, curves[opponent] = _match_up(game, opponent, place, settings, work)
            match_ups.append(match_up)
        stated = [value for each in curves.values() for value in each]
        curves["as stated"] = {end: end for end in (min(stated), max(stated))}
        title, unit = f"Stated values and what was won, {game}", match_up["unit"]
        x, y = f"stated value of the chosen action, {unit}", f"won from there on, {unit}"
        plots.append(plot(f"robustness-{game}", title, x, y, curves))
    low, high = WANTED_SLOPE
    shown: dict[str, Column] = {
        "game": "game", "against": "opponent", "decisions": lambda row: f"{row['decisions']:,}",
        "slope": "slope", "intercept": lambda row: f"{row['intercept']} {row['unit']}",
        "mean stated": lambda row: f"{row['mean_stated']:+z.3f}",
        "mean realised": lambda row: f"{row['mean_realised']:+z.3f}",
        "won per hand": lambda row: f"{row['won_per_hand']} {row['unit']}",
        f"slope within {low} to {high}": lambda row: "yes" if low <= row["slope"].mean <= high else "no",
    }  # fmt: skip
    report = (
        f"`{settings.sampling_bot()}` heads-up, {settings.duel_hands:,} hands against each opponent, every "
        "deal from both seats; the errors allow for the dependence of decisions on the same deal.\n\n"
        + columns(shown, match_ups)
    )
    return Findings({"match_ups": match_ups}, report, plots)
