"""(f) Equal time: few trials on the whole formula against many on the quick triple.

Loki's better result came from trials that used the old betting strategy, the faster one from a short routine
for probability triples; the paper does not say which is better in the same time.  Here both play heads-up
against the formula bot, the costly one with fewer trials by a fixed factor, so that results do not depend on
the machine.  The factor on the present machine is measured as well.

The trials of ``engine.players.trials`` use a quick probability triple, with approximate strengths, and
ranges by classes of strength.  In costly trials, exact to the card, every action follows from the player's
model after all that has happened in the trial: everybody's tables are re-weighted by every action, on the
actual board of the trial, and the triple is that of the hand that was dealt.  Their cards are those of the
quick trials with the same seed.  As there, the k-th action of a player in a betting round is drawn with the
same number after every first action.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clients.core.registry import make_bot
from clients.lab.experiments.harness import Findings, Work, markdown_table, plot
from clients.lab.experiments.selective_sampling.duels import NotedSampling, duel, make_sampling, play_duel
from clients.lab.experiments.selective_sampling.settings import SamplingSettings
from engine.players.models.formula import DEFAULT_PARAMETERS, formula_triples
from engine.players.models.generic import GenericModel
from engine.players.models.model import Decision
from engine.players.table_reader import Reading, TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import Estimates, selective_sampling
from engine.players.trials.trials import Deals, Spot, Trials, first_actions
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, BettingState, HandView, load_game, parse_betting
from engine.poker.rules.showdown import chips_won
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed

Floats = NDArray[np.float64]

GAME: Final = "limit-2p"
COST_RATIO: Final = 600
"""The number of quick trials that take as long as a costly one, as measured when this was written."""
COSTLY_TRIALS: Final = (1, 4, 16)
_TIMED_BETTING: Final = "rc/"
_TIMED_CARDS: Final = (50, 37), (9, 22, 35)
_TIMED_TRIALS: Final = 20
_UNIT: Final = 2.0**-32


def equal_time(settings: SamplingSettings, work: Work) -> Findings:
    """Both kinds with several budgets."""
    quick = {few * COST_RATIO: _won("quick", few * COST_RATIO, settings, work) for few in COSTLY_TRIALS}
    costly = {few: _won("costly", few, settings, work) for few in COSTLY_TRIALS}
    timing = _measured_cost()
    rows = [
        [f"{few * COST_RATIO:,}", quick[few * COST_RATIO], f"{few:,}", costly[few]] for few in COSTLY_TRIALS
    ]
    header = ["quick trials", "won per hand, sb", "costly trials", "won per hand, sb"]
    report = (
        f"Heads-up at {GAME} against `{settings.formula}`, {settings.duel_hands:,} hands each, the same "
        f"deals from both seats; a costly trial counts as {COST_RATIO} quick ones.\n\n"
        + markdown_table(header, rows)
        + f"\nMeasured on a flop: a quick trial takes {timing['quick_us']:.0f} µs, a costly one "
        f"{timing['costly_us']:.0f} µs, a factor of {timing['costly_us'] / timing['quick_us']:.0f}.\n"
    )
    title, x = "Quick and costly trials in the same time", "time of a decision, in quick trials"
    y = "won per hand against the formula bot, small bets"
    curves = {"quick triple": quick, "whole formula": dict(zip(quick, costly.values(), strict=True))}
    picture = plot("equal-time", title, x, y, curves, log_x=True)
    numbers = {"game": GAME, "cost_ratio": COST_RATIO, "quick": quick, "costly": costly, "timing": timing}
    return Findings(numbers, report, [picture])


def _won(kind: str, trials: int, settings: SamplingSettings, work: Work) -> Estimate:
    """The small bets per hand that a kind of trials wins against the formula bot."""
    label, part = f"equal time, {trials} {kind} trials", "equal-time"
    won, _ = duel(part, label, _play_duel, 0xF, settings, work, costly=kind == "costly", trials=trials)
    found = estimate(won)
    work.progress(f"equal time: {trials} {kind} trials, {found} sb/h")
    return found


def _play_duel(
    costly: bool, trials: int, seed: int, deals: int, settings: SamplingSettings
) -> dict[str, list[float]]:
    """``won``: small bets per hand, on each deal."""
    kind = _FormulaSampling if costly else NotedSampling
    agents = [(make_sampling(kind, settings, trials), make_bot(settings.formula)) for _ in range(2)]
    won, _ = play_duel(load_game(GAME), agents, seed, deals)
    return {"won": won.tolist()}


class _FormulaSampling(NotedSampling):
    """A sampling bot whose trials use the whole formula."""

    def _estimates(self, view: HandView) -> Iterator[Estimates[Action]]:
        spot = self.spot(view)
        quick = Trials(spot, self.rng.getrandbits(60), self._tree)
        trials = FormulaTrials(spot, self.book.follow(view).reading, quick)
        return selective_sampling(
            trials.sample, first_actions(spot.betting, self.shares), trials.value,
            max_samples=self.max_trials, criterion=self.criterion,
            known=0.0 if spot.betting.legal_actions().can_fold else None,
        )  # fmt: skip


class FormulaTrials:
    """The trials of one spot, for ``selective_sampling``.  Limit games only.

    Args:
        spot: the decision.
        reading: the reading of the actions up to the spot, from a ``TableReader``.
        quick: the quick trials, which deal the cards.

    Raises:
        ValueError: a no-limit game.
    """

    def __init__(self, spot: Spot, reading: Reading, quick: Trials) -> None:
        if not spot.betting.game.is_limit:
            raise ValueError("formula trials are for limit games: nobody chooses a size in them")
        self._spot, self._reading, self._quick = spot, reading, quick
        self._after: dict[tuple[int, BettingState], Reading] = {}
        self._kept: list[Reading] = []  # what the keys of `_after` stand for

    def sample(self, trials: int) -> Deals:
        """Deal a number of trials."""
        return self._quick.sample(trials)

    def value(self, deals: Deals, action: Action) -> Floats:
        """The value of an action in each trial, in small bets, shape (trials,)."""
        return np.array([self._play(deals, trial, action) for trial in range(len(deals.boards))])

    def _play(self, deals: Deals, trial: int, action: Action) -> float:
        spot = self._spot
        position, players = spot.position, spot.betting.game.num_players
        board = tuple(int(card) for card in deals.boards[trial])
        holes = [tuple(int(card) for card in deals.holes[trial, p]) for p in range(players)]
        seed = int(deals.seeds[trial])
        betting = spot.betting.apply(action)
        reading = self._reading
        made: Counter[tuple[int, int]] = Counter()
        while True:
            reading = self._read(reading, betting, board)
            to_act = betting.position_to_act
            if to_act is None:
                break
            decision = reading.decision(betting)
            fold, _, raise_ = self._triple(reading, decision, combo_index(*holes[to_act]))
            place = to_act, betting.betting_round
            drawn = derive_seed(seed, (place[0] * 4 + place[1]) * 64 + made[place]) * _UNIT
            made[place] += 1
            if drawn < fold:
                betting = betting.apply(FOLD)
            elif drawn >= 1 - raise_ and decision.situation.can_raise:
                betting = betting.apply(betting.legal_actions().raising_to())
            else:
                betting = betting.apply(CALL)
        won = chips_won(betting, holes, board)[position]
        return (won + spot.betting.spent[position]) / spot.unit

    def _read(self, reading: Reading, betting: BettingState, board: Sequence[int]) -> Reading:
        """The reading after one more action; computed only once if no card of the trial has been dealt."""
        seen = tuple(board[: betting.num_board_cards])
        if betting.position_to_act is None:
            return reading
        if len(seen) > len(self._spot.board):
            return reading.after(betting, seen)
        key = id(reading), betting
        found = self._after.get(key)
        if found is None:
            found = self._after[key] = reading.after(betting, seen)
            self._kept.append(reading)
        return found

    def _triple(self, reading: Reading, decision: Decision, combo: int) -> tuple[float, float, float]:
        situation, models = decision.situation, reading.models
        if situation.position == self._spot.position:
            values, weights = decision.values, decision.weights
            rows = formula_triples(situation, values, weights, reading.traits, DEFAULT_PARAMETERS)
        else:
            rows = models[situation.position].triples(decision)
        fold, call, raise_ = (float(chance) for chance in rows[combo])
        total = fold + call + raise_
        return fold / total, call / total, raise_ / total


def _measured_cost() -> dict[str, float]:
    """Processor time of a trial with two branches on a flop, in microseconds; medians of a few batches."""
    betting = parse_betting(load_game(GAME), _TIMED_BETTING)
    own_cards, board = _TIMED_CARDS
    models = [GenericModel(), GenericModel()]
    reader = TableReader(models)
    reader.follow(betting, board)
    position = betting.actor()
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
