"""(b), (c) and (d): decisions from self-play, each simulated many times; trials, stopping early, dealing.

The tables have equal numbers of sampling bots and formula bots.  Of the sampling bots' decisions in which a
raise is allowed, the same number is kept from every betting round.  For each decision there are

* the *reference*: the values after very many trials,
* a *run*: a smaller number of other trials, kept one by one, which is cut into separate simulations of 100,
  200 ... trials, at most five of each length;
* another run whose hands are dealt without the weight tables.

A *change* is a decision that differs from the reference's; its *regret* is what it loses by the reference's
values.

*Stability*: how many trials it takes until values and decisions are stable.  Loki used 500 trials: from there
to 2,000 the values moved little and decisions hardly ever, whereas with 100 trials their variance was far too
high.

*Obvious moves*: how often a simulation may stop early by each criterion, and what that costs.  By the paper's
criterion, the sum of the standard deviations of the values, fewer than 5 % of its decisions were obvious; it
suggests more liberal criteria with an acceptable margin of error.

*Uniform dealing*: the gain from dealing by weight tables, at equal numbers of trials.  The opponents' play in
the trials is the same; only their cards are dealt differently.  Uniform dealing converges to other values,
since it assumes that a player who has raised may hold any cards.  If its trials are weighted by the
likelihood of their cards, it converges to the same values, but few of its trials count.
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
from clients.lab.experiments import harness
from clients.lab.experiments.harness import Column, Findings, LineUp, Work, columns, per_cent, plot
from clients.lab.experiments.selective_sampling.duels import make_sampling
from clients.lab.experiments.selective_sampling.settings import SamplingSettings, part_task
from engine.players.trials.sampler import JointSampler
from engine.players.trials.selective_sampling import Criterion, Estimates, best_move
from engine.players.trials.trials import Spot, Trials, first_actions
from engine.poker.combos import NUM_COMBOS
from engine.poker.rules import FOLD, Action, ActionKind, HandView, load_game
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed
from engine.support.text import rate

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
            harness.chips_by_seat(game, agents, derive_seed(seed, -1), 1 << 20)
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


# --- what the decisions say ------------------------------------------------------------------------------

_CRITERIA: Final = {
    Criterion.STANDARD_DEVIATION: "sum of the standard deviations (the paper's)",
    Criterion.STANDARD_ERROR: "sum of the standard errors",
    Criterion.PAIRED_ERROR: "standard error of the paired difference",
    Criterion.NEVER: "none: all trials are played",
}
_DIFFERENCE: Final = "mean absolute difference, small bets"
_ROUND_NAMES: Final = ("before the flop", "flop", "turn", "river")


def _mean_of(found: Sequence[Deviation] | Sequence[Stop], **names: str) -> dict[str, Estimate]:
    """The means over all decisions of some of the numbers, each by its name in the results."""
    return {name: estimate([getattr(each, field) for each in found]) for name, field in names.items()}


def _positive(each: Estimate, digits: int) -> str:
    return rate(each.mean, each.ci95 or 0, digits, signed=False)


_CHANGED: Final[dict[str, Column]] = {
    "decisions changed": lambda row: per_cent(row["changed"]),
    "lost by that, sb": lambda row: _positive(row["regret_sb"], 4),
}
_LADDER: Final[dict[str, Column]] = {
    "trials": lambda row: f"{row['trials']:,}",
    "mean absolute difference of a value, sb": lambda row: _positive(row["difference_sb"], 3),
    **_CHANGED,
}


def _on_the_ladder(
    deviations: Sequence[Mapping[int, Deviation]], reference: int
) -> dict[int, dict[str, Estimate]]:
    """The mean deviations by the number of trials."""
    names = {"difference_sb": "difference", "changed": "changed", "regret_sb": "regret"}
    return {n: _mean_of([each[n] for each in deviations], **names) for n in ladder(reference)}


def _rows(means: Mapping[int, Mapping[str, Estimate]], dealt: str = "") -> list[dict[str, Any]]:
    return [{"dealt": dealt, "trials": n, **each} for n, each in means.items()]


def stability(settings: SamplingSettings, work: Work) -> Findings:
    """Each number of trials against the reference."""
    spots = measured_spots(settings, work)
    means = _on_the_ladder([spot.deviations for spot in spots], settings.reference)
    by_round = [
        [name, len(chosen)] + [f"{np.mean([s.deviations[n].difference for s in chosen]):.3f}" for n in means]
        for number, name in enumerate(_ROUND_NAMES)
        if (chosen := [spot for spot in spots if spot.betting_round == number])
    ]
    report = (
        f"{len(spots)} decisions, equally many from each betting round, compared with the values of "
        f"{settings.reference:,} other trials.\n\n"
        + columns(_LADDER, _rows(means))
        + "\nThe paper: after 500 trials the values are quite stable; up to 2,000 they differ little, "
        "and that rarely changes a decision; between 100 and 500 the difference is much larger, the variance "
        "of 100 trials far too high.\n\nMean absolute difference by betting round, sb:\n\n"
        + harness.markdown_table(["betting round", "decisions", *(f"{n:,} trials" for n in means)], by_round)
    )
    of_reference, x = f"against those of {settings.reference:,} trials", "trials"
    difference = {"difference": {n: each["difference_sb"] for n, each in means.items()}}
    changed = {"changed": {n: each["changed"].scaled(100) for n, each in means.items()}}
    title, y = f"Decisions {of_reference}", "decisions changed, per cent"
    plots = [
        plot("stability", f"Values {of_reference}", x, _DIFFERENCE, difference, log_x=True),
        plot("stability-decisions", title, x, y, changed, log_x=True),
    ]
    numbers = {"decisions": len(spots), "reference_trials": settings.reference, "by_trials": means}
    return Findings(numbers, report, plots)


def obvious_moves(settings: SamplingSettings, work: Work) -> Findings:
    """Each criterion on the same trials."""
    spots = measured_spots(settings, work)
    means = {
        criterion: _mean_of(
            [spot.stops[criterion.value] for spot in spots],
            obvious="obvious", trials_used="trials", changed="changed", regret_sb="regret",
        )
        for criterion in _CRITERIA
    }  # fmt: skip
    shown: dict[str, Column] = {
        "obvious if the lead exceeds": "name", "obvious": lambda row: per_cent(row["obvious"]),
        "trials used": lambda row: f"{row['trials_used'].mean:.0f}",
        "not the reference's decision": _CHANGED["decisions changed"],
        "lost by that, sb": _CHANGED["lost by that, sb"],
    }  # fmt: skip
    rows = [{"name": _CRITERIA[criterion], **each} for criterion, each in means.items()]
    report = (
        f"{len(spots)} decisions, equally many from each betting round; at most {settings.trials} trials, "
        "checked after every hundred; folding, "
        "worth zero, is a move like the others.\n\n"
        + columns(shown, rows)
        + "\nThe paper: fewer than 5 % of the decisions are obvious by its criterion at 500 trials.\n"
    )
    criteria = {criterion.value: each for criterion, each in means.items()}
    return Findings({"decisions": len(spots), "max_trials": settings.trials, "criteria": criteria}, report)


def uniform_dealing(settings: SamplingSettings, work: Work) -> Findings:
    """The three ways of dealing."""
    spots = measured_spots(settings, work)
    deviations = {
        "selective": [spot.deviations for spot in spots],
        "uniform": [spot.uniform for spot in spots],
        "uniform, weighted": [spot.weighted for spot in spots],
    }
    ways = {name: _on_the_ladder(each, settings.reference) for name, each in deviations.items()}
    effective = float(np.mean([spot.effective_trials for spot in spots]))
    report = (
        f"{len(spots)} decisions, equally many from each betting round, compared with the values of "
        f"{settings.reference:,} selective trials.\n\n"
        + columns({"dealt": "dealt", **_LADDER}, [row for name in ways for row in _rows(ways[name], name)])
        + f"\nWeighted by likelihood, a uniform trial is worth {100 * effective:.2f} % of a selective one "
        "(Kish's effective sample size).\n"
    )
    curves = {name: {n: each["difference_sb"] for n, each in means.items()} for name, means in ways.items()}
    title = "Selective against uniform sampling"
    picture = plot("uniform-dealing", title, "trials", _DIFFERENCE, curves, log_x=True)
    numbers = {"decisions": len(spots), "effective_share": effective, "ways": ways}
    return Findings(numbers, report, [picture])
