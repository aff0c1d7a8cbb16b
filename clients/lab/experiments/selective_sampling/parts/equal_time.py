"""(f) Equal time: few trials on the whole formula against many on the quick triple.

Loki's better result came from trials that used the old betting strategy, the faster one from a short routine
for probability triples; the paper does not say which is better in the same time.  Here both play heads-up
against the formula bot, the costly one with fewer trials by a fixed factor, so that results do not depend on
the machine.  The factor on the present machine is measured as well.
"""

from __future__ import annotations

import time
from typing import Any, Final

import attrs
import numpy as np

from clients.core.registry import make_bot
from clients.lab.experiments.findings import Findings, Plot, markdown_table
from clients.lab.experiments.resuming import Work, keep
from clients.lab.experiments.selective_sampling.bots import FormulaSampling, NotedSampling, make_sampling
from clients.lab.experiments.selective_sampling.duels import cut_into_matches, play_duel
from clients.lab.experiments.selective_sampling.formula_trials import FormulaTrials
from clients.lab.experiments.selective_sampling.settings import Settings
from clients.lab.experiments.selective_sampling.tasks import PartTask
from clients.reports.plots import Curve
from engine.players.models.generic import GenericModel
from engine.players.table_reader import TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.trials import Spot, Trials
from engine.poker.rules import CALL, load_game, parse_betting
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed

GAME: Final = "limit-2p"
COST_RATIO: Final = 600
"""The number of quick trials that take as long as a costly one, as measured when this was written."""
COSTLY_TRIALS: Final = (1, 4, 16)
_TIMED_BETTING: Final = "rc/"
_TIMED_CARDS: Final = (50, 37), (9, 22, 35)
_TIMED_TRIALS: Final = 20


@attrs.frozen
class Duel(PartTask):
    """Deals of one of the two against the formula bot, from both seats."""

    costly: bool
    trials: int
    seed: int
    deals: int
    settings: Settings

    def __str__(self) -> str:
        return f"equal time, {self.trials} {'costly' if self.costly else 'quick'} trials"


def play(duel: Duel) -> dict[str, list[float]]:
    """``won``: small bets per hand, on each deal."""
    kind = FormulaSampling if duel.costly else NotedSampling
    agents = [
        (make_sampling(kind, duel.settings, duel.trials), make_bot(duel.settings.formula)) for _ in range(2)
    ]
    won, _ = play_duel(load_game(GAME), agents, duel.seed, duel.deals)
    found: dict[str, list[float]] = {"won": won.tolist()}
    keep(duel, found)
    return found


def run(settings: Settings, work: Work) -> Findings:
    """Both kinds with several budgets."""
    gains: dict[bool, list[Estimate]] = {False: [], True: []}
    seed = derive_seed(settings.seed, 0xF)
    for costly, found in gains.items():
        for budget in COSTLY_TRIALS:
            number = budget if costly else budget * COST_RATIO
            duels = [
                Duel(work.folder, costly, number, match_seed, deals, settings)
                for match_seed, deals in cut_into_matches(settings.duel_hands, seed)
            ]
            found.append(estimate([won for part in work.each(play, duels) for won in part["won"]]))
            work.progress(f"equal time: {number} {'costly' if costly else 'quick'} trials, {found[-1]} sb/h")
    timing = measured_cost()
    rows = [
        [f"{budget * COST_RATIO:,}", quick, f"{budget:,}", costly]
        for budget, quick, costly in zip(COSTLY_TRIALS, gains[False], gains[True], strict=True)
    ]
    header = ["quick trials", "won per hand, sb", "costly trials", "won per hand, sb"]
    report = (
        f"Heads-up at {GAME} against `{settings.formula}`, {settings.duel_hands:,} hands each, the same "
        f"deals from both seats; a costly trial counts as {COST_RATIO} quick ones.\n\n"
        + markdown_table(header, rows)
        + f"\nMeasured on a flop: a quick trial takes {timing['quick_us']:.0f} µs, a costly one "
        f"{timing['costly_us']:.0f} µs, a factor of {timing['costly_us'] / timing['quick_us']:.0f}.\n"
    )
    budgets = [float(budget * COST_RATIO) for budget in COSTLY_TRIALS]
    plot = Plot(
        "equal-time",
        "Quick and costly trials in the same time",
        "time of a decision, in quick trials",
        "won per hand against the formula bot, small bets",
        tuple(
            Curve(
                "whole formula" if costly else "quick triple",
                budgets,
                [each.mean for each in found],
                [each.ci95 or 0.0 for each in found],
            )
            for costly, found in gains.items()
        ),
        log_x=True,
    )
    numbers: dict[str, Any] = {
        "game": GAME,
        "cost_ratio": COST_RATIO,
        "quick": {
            str(budget * COST_RATIO): gain.as_json()
            for budget, gain in zip(COSTLY_TRIALS, gains[False], strict=True)
        },
        "costly": {
            str(budget): gain.as_json() for budget, gain in zip(COSTLY_TRIALS, gains[True], strict=True)
        },
        "timing": timing,
    }
    return Findings(numbers, report, [plot])


def measured_cost() -> dict[str, float]:
    """Processor time of a trial with two branches on a flop, in microseconds; medians of a few batches."""
    game = load_game(GAME)
    betting = parse_betting(game, _TIMED_BETTING)
    own_cards, board = _TIMED_CARDS
    models = [GenericModel(), GenericModel()]
    reader = TableReader(models)
    reader.follow(betting, board)
    position = betting.position_to_act
    assert position is not None
    players = simulated_players([OwnStrategy() if p == position else m for p, m in enumerate(models)])
    spot = Spot(betting, board, own_cards, reader.reading.weights, players)
    moves = CALL, betting.legal_actions().raising_to()

    def microseconds(trials: Trials | FormulaTrials, number: int) -> float:
        taken = []
        for _ in range(5):
            start = time.process_time()
            deals = trials.sample(number)
            for move in moves:
                trials.value(deals, move)
            taken.append((time.process_time() - start) / number)
        return float(np.median(taken)) * 1e6

    quick = microseconds(Trials(spot, 1), _TIMED_TRIALS * COST_RATIO)
    costly = microseconds(FormulaTrials(spot, reader.reading, Trials(spot, 2)), _TIMED_TRIALS)
    return {"quick_us": quick, "costly_us": costly}
