"""(e) Sensitivity: what a wrong model costs (Poki 3.5's two warnings).

*Folds.*  The opponent folds to a bet one time in five, with any hand; the simulation expects more folds.  It
then overestimates raises, and raises too much.

*Slow-playing.*  The opponent only checks and calls with the best hands until the river.  A table that
believes every action has almost no weight on those hands by then; re-weighting with a noise factor keeps
some.
"""

from __future__ import annotations

from typing import Any, Final

import attrs
import numpy as np

from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.lab.experiments.findings import Findings, markdown_table
from clients.lab.experiments.regression import clustered_mean
from clients.lab.experiments.resuming import Work, keep
from clients.lab.experiments.selective_sampling.bots import FoldModelSampling, NotedSampling, make_sampling
from clients.lab.experiments.selective_sampling.duels import (
    JudgedDecision,
    Table,
    cut_into_matches,
    play_duel,
)
from clients.lab.experiments.selective_sampling.settings import Settings
from clients.lab.experiments.selective_sampling.slow_player import GREAT, SlowPlayer
from clients.lab.experiments.selective_sampling.tasks import PartTask
from engine.hands.hand_strength import hand_strength
from engine.poker.combos import combo_index, combos_without
from engine.poker.rules import ActionKind, load_game
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed

GAME: Final = "limit-2p"
FOLDS: Final = 0.2
PREDICTED: Final = (0.2, 0.3, 0.4)
NOISES: Final = (0.0, 0.2)


@attrs.frozen
class Duel(PartTask):
    """Deals against one of the two opponents, from both seats."""

    predicted_folds: float | None
    """The share of folds that the simulation expects; None for a match against the slow-player."""
    noise: float
    seed: int
    deals: int
    settings: Settings

    def __str__(self) -> str:
        if self.predicted_folds is None:
            return f"wrong models, slow-player, noise {self.noise:g}"
        return f"wrong models, {100 * self.predicted_folds:.0f} % folds predicted"


Numbers = list[tuple[int, float]]
"""Pairs of a deal and a number that belongs to one of its decisions."""


@attrs.frozen(eq=False)
class Found:
    """The result of a duel."""

    won: list[float]
    """Small bets per hand, on each deal."""
    raising: Numbers
    """The stated value of a raise, for each decision in which it was legal."""
    raised: Numbers
    """1 if the raise was chosen, otherwise 0."""
    overstated: Numbers
    """Stated less realised value of the chosen action, without folds; against the slow-player only on turn
    and river, when it holds a hand that has been very strong since the flop."""
    table: Numbers
    """In these decisions, the weight of the hand held, relative to a table of an unknown player."""


def play(duel: Duel) -> dict[str, Any]:
    """Play both passes of a duel; returns the fields of `Found`."""
    game, settings = load_game(GAME), duel.settings
    agents: list[Table] = []
    for _ in range(2):
        if duel.predicted_folds is not None:
            knowing = make_sampling(FoldModelSampling, settings, settings.trials, model="generic")
            knowing.expect_folds(duel.predicted_folds)
            ours: NotedSampling = knowing
            other: Agent = make_bot(f"random:fold={FOLDS},call={1 - FOLDS},raise=0")
        else:
            ours = make_sampling(
                NotedSampling, settings, settings.trials, model="generic", noise=str(duel.noise)
            )
            other = SlowPlayer(model="generic")
        agents.append((ours, other))
    won, decisions = play_duel(game, agents, duel.seed, duel.deals)
    with_raise = [each for each in decisions if each.stated.raising is not None]
    trapped = [each for each in decisions if _is_trapped(each)] if duel.predicted_folds is None else []
    judged = decisions if duel.predicted_folds is not None else trapped
    found = Found(
        won.tolist(),
        [(each.deal, each.stated.raising or 0.0) for each in with_raise],
        [(each.deal, float(each.stated.action.kind is ActionKind.RAISE)) for each in with_raise],
        [(each.deal, each.stated.value - each.realised) for each in judged if not each.stated.is_fold],
        [(each.deal, _relative_weight(each)) for each in trapped],
    )
    result = attrs.asdict(found)
    keep(duel, result)
    return result


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


def _gather(predicted: float | None, noise: float, seed: int, settings: Settings, work: Work) -> Found:
    duels = [
        Duel(work.folder, predicted, noise, match_seed, deals, settings)
        for match_seed, deals in cut_into_matches(settings.duel_hands, seed)
    ]
    whole = Found([], [], [], [], [])
    for result in work.each(play, duels):
        found = Found(**result)
        before = len(whole.won)  # deals are numbered from 0 in each match
        whole.won.extend(found.won)
        for numbers, more in (
            (whole.raising, found.raising),
            (whole.raised, found.raised),
            (whole.overstated, found.overstated),
            (whole.table, found.table),
        ):
            numbers.extend((before + deal, number) for deal, number in more)
    return whole


def _mean(numbers: Numbers) -> Estimate | None:
    """The mean, with an interval over deals; None if there are no decisions of the kind."""
    if not numbers:
        return None
    return clustered_mean([number for _, number in numbers], [deal for deal, _ in numbers])


def _json(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else found.as_json()


def run(settings: Settings, work: Work) -> Findings:
    """Both warnings, on the same deals for every model."""
    folds_table, folds_numbers = _folds(settings, work)
    slow_table, slow_numbers = _slow_play(settings, work)
    report = (
        f"*Folds.*  The opponent folds to {100 * FOLDS:.0f} % of the bets and calls the others; {GAME}, "
        f"{settings.duel_hands:,} hands each, the same deals.\n\n{folds_table}\n"
        f"*Slow-playing.*  The opponent checks and calls with hands of strength {GREAT} and more until the "
        f"river; {settings.duel_hands:,} hands each, the same deals.  The last two columns are of turn and "
        "river decisions against a hand that was so strong on the flop: how much more than realised was "
        f"stated, and the weight of the hand held (1: as if nothing were known).\n\n{slow_table}"
    )
    return Findings({"game": GAME, "folds": folds_numbers, "slow_play": slow_numbers}, report)


def _folds(settings: Settings, work: Work) -> tuple[str, list[dict[str, Any]]]:
    seed = derive_seed(settings.seed, 0xE1)
    rows, numbers = [], []
    right: list[float] = []
    for predicted in PREDICTED:
        found = _gather(predicted, 0.0, seed, settings, work)
        gain = estimate(found.won)
        right = right or found.won
        more = estimate([won - with_right for won, with_right in zip(found.won, right, strict=True)])
        raising, raised, overstated = _mean(found.raising), _mean(found.raised), _mean(found.overstated)
        work.progress(f"wrong models: {100 * predicted:.0f} % folds predicted, {gain} sb/h")
        rows.append(
            [
                f"{100 * predicted:.0f} %", raising or "",
                "" if raised is None else f"{100 * raised.mean:.1f} ± {100 * (raised.ci95 or 0):.1f} %",
                overstated or "", gain, "" if predicted == PREDICTED[0] else more,
            ]
        )  # fmt: skip
        numbers.append(
            {
                "predicted_folds": predicted,
                "actual_folds": FOLDS,
                "stated_value_of_raising": _json(raising),
                "raised": _json(raised),
                "stated_less_realised": _json(overstated),
                "won_sb_per_hand": gain.as_json(),
                "won_more_than_with_the_right_model": more.as_json(),
            }
        )
    header = [
        "folds predicted", "stated value of a raise, sb", "raised", "stated less realised, sb",
        "won per hand, sb", "more than with the right model, sb",
    ]  # fmt: skip
    return markdown_table(header, rows), numbers


def _slow_play(settings: Settings, work: Work) -> tuple[str, list[dict[str, Any]]]:
    seed = derive_seed(settings.seed, 0xE2)
    rows, numbers = [], []
    believing: list[float] = []
    for noise in NOISES:
        found = _gather(None, noise, seed, settings, work)
        gain = estimate(found.won)
        believing = believing or found.won
        more = estimate([won - without for won, without in zip(found.won, believing, strict=True)])
        work.progress(f"wrong models: slow-player, noise {noise:g}, {gain} sb/h")
        overstated, table = _mean(found.overstated), _mean(found.table)
        rows.append([f"{noise:g}", gain, "" if noise == NOISES[0] else more, overstated or "", table or ""])
        numbers.append(
            {
                "noise": noise,
                "won_sb_per_hand": gain.as_json(),
                "won_more_than_without_noise": more.as_json(),
                "stated_less_realised": _json(overstated),
                "weight_of_what_he_held": _json(table),
            }
        )
    header = [
        "noise", "won per hand, sb", "more than without noise, sb", "stated less realised, sb",
        "weight of the hand held",
    ]  # fmt: skip
    return markdown_table(header, rows), numbers
