"""Decisions from self-play, each simulated many times: the material of parts b, c and d.

The tables have equal numbers of sampling bots and formula bots.  Of the sampling bots' decisions in which a
raise is allowed, the same number is kept from every betting round.  For each decision there are

* the *reference*: the values after very many trials,
* a *run*: a smaller number of other trials, kept one by one, which is cut into separate simulations of 100,
  200 ... trials, at most five of each length;
* another run whose hands are dealt without the weight tables.

A *change* is a decision that differs from the reference's; its *regret* is what it loses by the reference's
values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.bots.sampling.agent import Sampling
from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.lab.experiments.harness import LineUp, Work, chips_by_seat
from clients.lab.experiments.selective_sampling.duels import make_sampling
from clients.lab.experiments.selective_sampling.settings import SamplingSettings, part_task
from engine.players.trials.sampler import JointSampler
from engine.players.trials.selective_sampling import Criterion, Estimates, best_move
from engine.players.trials.trials import Spot, Trials, first_actions
from engine.poker.combos import NUM_COMBOS
from engine.poker.rules import FOLD, Action, ActionKind, HandView, load_game
from engine.support.seeds import derive_seed

Floats = NDArray[np.float64]

LADDER: Final = (100, 200, 500, 2_000, 10_000)
REPEATS: Final = 5
BATCH: Final = 100
_TRIALS_AT_THE_TABLE: Final = 100
_SPOTS_OF_A_TABLE: Final = 8
_REFERENCE_BATCH: Final = 2_000
_ROUNDS: Final = 4


@attrs.frozen
class Deviation:
    """The mean difference of simulations of some length from the reference."""

    difference: float
    """The mean absolute difference of the values of call and raises, in small bets."""
    changed: float
    """The share of simulations with another decision."""
    regret: float
    """What these lose, in small bets."""


@attrs.frozen
class Stop:
    """The results of simulations that stop at an obvious move."""

    obvious: float
    """The share of simulations that stopped early."""
    trials: float
    """The mean number of trials used."""
    changed: float
    """The share of simulations whose decision differs from the reference's."""
    regret: float


@attrs.frozen
class MeasuredSpot:
    """One decision."""

    betting_round: int
    opponents: int
    """The number of opponents still in the hand."""
    deviations: dict[int, Deviation]
    """The deviations by number of trials, dealt from the weight tables."""
    uniform: dict[int, Deviation]
    """The same with uniformly dealt cards."""
    weighted: dict[int, Deviation]
    """The same with uniformly dealt trials weighted by the likelihood of their cards."""
    effective_trials: float
    """How many trials of equal weight one weighted trial is worth."""
    stops: dict[str, Stop]
    """The results of stopping early, by criterion."""

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> MeasuredSpot:
        """The spot with these fields, as they are kept in a file."""

        read: dict[str, Any] = {
            name: {int(trials): Deviation(**each) for trials, each in fields[name].items()}
            for name in ("deviations", "uniform", "weighted")
        }
        read["stops"] = {criterion: Stop(**each) for criterion, each in fields["stops"].items()}
        return cls(**{**fields, **read})


def ladder(reference: int) -> tuple[int, ...]:
    """The numbers of trials that are compared with a reference: at most a tenth of it."""
    return tuple(trials for trials in LADDER if 10 * trials <= reference) or (LADDER[0],)


class _WatchedSampling(Sampling):
    """A sampling bot that shows every decision to a function before it is made."""

    watch: Callable[[Spot], None]

    def choose_action(self, view: HandView) -> Action:
        """Show the decision, then choose as usual."""
        self.watch(self.spot(view))
        action = super().choose_action(view)
        assert isinstance(action, Action)
        return action


@functools.lru_cache(maxsize=1)
def measured_spots(settings: SamplingSettings, work: Work) -> tuple[MeasuredSpot, ...]:
    """The decisions of all tables; measured once for the three parts that need them."""
    tasks = []
    for number, first in enumerate(range(0, settings.spots, _SPOTS_OF_A_TABLE)):
        seed = derive_seed(settings.seed ^ 0x5B07, number)
        spots = min(settings.spots - first, _SPOTS_OF_A_TABLE)
        label = f"decisions, {spots} of a table"
        tasks.append(part_task("spots", label, _measure_table, seed=seed, spots=spots, settings=settings))
    return tuple(MeasuredSpot.of(fields) for found in work.each(tasks) for fields in found["spots"])


class _AllMeasured(Exception):
    """Raised when a table has all the decisions that it needs."""


def _measure_table(seed: int, spots: int, settings: SamplingSettings) -> dict[str, Any]:
    """Play until there are enough decisions, and measure each as it occurs."""
    game = load_game(settings.game)
    line_up = LineUp(game.num_players // 2, game.num_players)
    quota = [(spots + _ROUNDS - 1 - r) // _ROUNDS for r in range(_ROUNDS)]
    found: list[MeasuredSpot] = []

    def watch(spot: Spot) -> None:
        if quota[spot.betting.betting_round] == 0 or not spot.betting.legal_actions().can_raise:
            return
        quota[spot.betting.betting_round] -= 1
        found.append(measure(spot, derive_seed(seed, len(found)), settings.reference, settings.trials))
        if not any(quota):
            raise _AllMeasured

    agents: list[Agent] = []
    for is_first in line_up.passes()[0]:
        if is_first:
            agent = make_sampling(_WatchedSampling, settings, _TRIALS_AT_THE_TABLE)
            agent.watch = watch
            agents.append(agent)
        else:
            agents.append(make_bot(settings.formula))
    try:
        while True:  # some decision of every round comes sooner or later
            chips_by_seat(game, agents, derive_seed(seed, -1), 1 << 20)
    except _AllMeasured:
        return {"spots": [attrs.asdict(spot) for spot in found]}


# --- one decision --------------------------------------------------------------------------------------


def measure(spot: Spot, seed: int, reference: int, limit: int) -> MeasuredSpot:
    """Simulate a decision many times, and compare the simulations with the reference.

    Args:
        spot: the decision.
        seed: the same seed gives the same numbers.
        reference: the number of trials of the reference.
        limit: the number of trials after which a simulation without an obvious move ends.
    """
    moves = possible_moves(spot)
    steps = ladder(reference)
    truth = _reference_values(spot, moves, derive_seed(seed, 0), reference)
    length = max(steps[-1], limit)
    run, _ = dealt_run(spot, moves, derive_seed(seed, 1), length)
    uniform, weights = dealt_run(spot, moves, derive_seed(seed, 2), length, uniform=True)
    return MeasuredSpot(
        spot.betting.betting_round,
        spot.betting.num_in_hand - 1,
        {step: _deviation(moves, truth, _means(run, step)) for step in steps},
        {step: _deviation(moves, truth, _means(uniform, step)) for step in steps},
        {step: _deviation(moves, truth, _means(uniform, step, weights)) for step in steps},
        float(weights.sum() ** 2 / (weights @ weights) / len(weights)) if weights.any() else 0.0,
        {criterion.value: _stop(moves, truth, run, limit, criterion) for criterion in Criterion},
    )


def possible_moves(spot: Spot) -> tuple[Action, ...]:
    """The legal moves from the least to the most aggressive: fold, call, raises."""
    actions = first_actions(spot.betting)
    return (FOLD, *actions) if spot.betting.legal_actions().can_fold else actions


def _values(moves: Sequence[Action], trials: Trials, number: int) -> tuple[Floats, NDArray[np.uint8]]:
    """The value of each move in each trial, shape (moves, number), and the cards dealt."""
    deals = trials.sample(number)
    values = [np.zeros(number) if move == FOLD else trials.value(deals, move) for move in moves]
    return np.array(values), deals.holes


def _reference_values(spot: Spot, moves: Sequence[Action], seed: int, number: int) -> Floats:
    trials = Trials(spot, seed)
    total = np.zeros(len(moves))
    for start in range(0, number, _REFERENCE_BATCH):
        values, _ = _values(moves, trials, min(_REFERENCE_BATCH, number - start))
        total += values.sum(axis=1)
    return total / number


def dealt_run(
    spot: Spot, moves: Sequence[Action], seed: int, number: int, *, uniform: bool = False
) -> tuple[Floats, Floats]:
    """Values of moves in single trials.

    Args:
        spot: the decision.
        moves: the moves to value.
        seed: the same seed gives the same trials.
        number: the number of trials.
        uniform: deal cards uniformly instead of by the weight tables.

    Returns:
        The values, shape (moves, number), and the likelihood of each trial's cards by the tables, shape
        (number,).
    """
    trials = Trials(spot, seed)
    if uniform:
        trials.sampler = _uniform_sampler(spot)
    values, weights = [], []
    others = [p for p in range(spot.betting.game.num_players) if p != spot.position]
    for start in range(0, number, _REFERENCE_BATCH):
        batch, holes = _values(moves, trials, min(_REFERENCE_BATCH, number - start))
        values.append(batch)
        weight = np.ones(len(holes))
        for position in others:
            cards = holes[:, position].astype(np.int64)
            high, low = cards.max(axis=1), cards.min(axis=1)
            weight *= spot.weights[position][high * (high - 1) // 2 + low]
        weights.append(weight)
    return np.concatenate(values, axis=1), np.concatenate(weights)


def _uniform_sampler(spot: Spot) -> JointSampler:
    """A sampler that deals cards uniformly, also to folded players, so that every trial can be weighted."""
    tables = {p: np.ones(NUM_COMBOS) for p in range(spot.betting.game.num_players) if p != spot.position}
    return JointSampler(spot.own_cards, spot.position, spot.board, tables)


def _means(run: Floats, step: int, weights: Floats | None = None) -> Floats:
    """The values of separate simulations of a length, shape (repeats, moves)."""
    means = []
    for start in range(0, min(run.shape[1], REPEATS * step) - step + 1, step):
        part = slice(start, start + step)
        if weights is None or not weights[part].any():
            means.append(run[:, part].mean(axis=1))
        else:
            means.append(np.average(run[:, part], axis=1, weights=weights[part]))
    return np.array(means)


def _choice(moves: Sequence[Action], values: Floats) -> int:
    return best_move(values.tolist(), list(range(len(moves))))


def _regret(moves: Sequence[Action], truth: Floats, simulated: Iterable[Floats]) -> tuple[float, float]:
    """The share of simulations with another decision than the reference's, and what they lose."""
    best = _choice(moves, truth)
    chosen = [_choice(moves, values) for values in simulated]
    changed = float(np.mean([choice != best for choice in chosen]))
    return changed, float(np.mean([truth[best] - truth[choice] for choice in chosen]))


def _deviation(moves: Sequence[Action], truth: Floats, means: Floats) -> Deviation:
    counted = [index for index, move in enumerate(moves) if move.kind is not ActionKind.FOLD]
    return Deviation(float(np.abs(means - truth)[:, counted].mean()), *_regret(moves, truth, means))


def _stop(moves: Sequence[Action], truth: Floats, run: Floats, limit: int, criterion: Criterion) -> Stop:
    """The results of simulations that check after every hundred trials whether a move is obvious."""
    obvious, used, simulated = [], [], []
    for start in range(0, min(run.shape[1], REPEATS * limit) - limit + 1, limit):
        part = run[:, start : start + limit]
        end, found = limit, False
        for samples in range(min(BATCH, limit), limit + 1, BATCH):
            seen = part[:, :samples]
            estimates = Estimates(tuple(moves), samples, seen.sum(axis=1), seen @ seen.T)
            if estimates.is_obvious(criterion):
                end, found = samples, True
                break
        obvious.append(found)
        used.append(end)
        simulated.append(part[:, :end].mean(axis=1))
    return Stop(float(np.mean(obvious)), float(np.mean(used)), *_regret(moves, truth, simulated))
