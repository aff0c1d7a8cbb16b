"""``riverboat counter`` for heads-up limit hold'em: answers on buckets of hands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from clients.core.one_line import CommandError

if TYPE_CHECKING:
    from clients.core.agent import Agent
    from engine.poker.rules import BettingState, GameDefinition, HandState
    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.holdem.deal_solver import Watched
    from engine.solving.strategy_file import SavedStrategy

__all__ = ["CounterPlan", "counter_on_buckets", "print_report"]

_BOARDS: Final = 2000
"""On which it is measured what an answer wins."""
_ENOUGH: Final = 4
"""Flops, turns: of the curve's exploitability; few, since there are many points."""


@attrs.frozen
class CounterPlan:
    """What is asked for."""

    player: str
    game: str
    kind: str
    part: float
    hands: int
    iterations: int
    seed: int
    save: Path


def counter_on_buckets(
    plan: CounterPlan, saved: SavedStrategy | None, game: GameDefinition, parts: Sequence[float]
) -> dict[str, Any]:
    """Compute, measure and save an answer to a bot or a strategy file.

    Args:
        plan: what is asked for.
        saved: the opponent's strategy; None for a bot.
        game: heads-up limit hold'em.
        parts: restricted Nash responses that are measured as well, for a curve.

    Returns:
        The report: as for small games, but what is won of the opponent has a standard error, and what may be
        lost is found for the points of the curve alone, as a lower bound.

    Raises:
        OptionError: the bot cannot be loaded, or says too little.
    """
    from engine.solving.strategy_file import StrategyFileError, write_strategy

    model, trust = _model(plan, saved, game)
    part = {"best": 1.0, "fbr": 1.0, "rnr": plan.part, "dbr": 0.0}[plan.kind]
    answer = _answer(plan, model, part, trust)
    notes = {"game": plan.game, "kind": plan.kind, "against": plan.player}
    try:
        write_strategy(plan.save, answer, notes)
    except StrategyFileError as error:
        raise CommandError(str(error)) from error
    report = {
        "game": plan.game,
        "against": plan.player,
        "kind": plan.kind,
        "part": plan.part,
        "hands": plan.hands,
        "iterations": plan.iterations,
        "seed": plan.seed,
        "save": str(plan.save),
        **_measured(plan, answer, model, may_lose=bool(parts)),
    }
    if parts:
        report["curve"] = [
            {"part": each, **_measured(plan, _answer(plan, model, each, None), model, may_lose=True)}
            for each in parts
        ]
    return report


def print_report(report: dict[str, Any], as_json: bool) -> None:
    """For people in one line, or as JSON."""
    if as_json:
        click.echo(json.dumps(report))
        return
    whom = f"what was seen of {report['against']}" if report["kind"] in ("fbr", "dbr") else report["against"]
    lost = report["exploitability"]
    risk = "" if lost is None else f", may lose {lost:.0f} ({report['exploitability_se']:.0f}) or more"
    click.echo(
        f"{report['kind']} against {whom} in {report['game']}: wins {report['exploitation']:.1f} mbb/h "
        f"(standard error {report['exploitation_se']:.1f}){risk}, saved in {report['save']}"
    )


def _answer(plan: CounterPlan, model: BucketedStrategy, part: float, trust: Any) -> BucketedStrategy:
    from engine.solving.holdem.deal_solver import CounterSolver

    solver = CounterSolver(model, part=part, trust=trust, seed=plan.seed)
    solver.run(plan.iterations)
    return solver.answer()


def _measured(
    plan: CounterPlan, answer: BucketedStrategy, model: BucketedStrategy, *, may_lose: bool
) -> dict[str, Any]:
    """What it wins of the model, and what somebody wins of it, in mbb/h."""
    import numpy as np

    from engine.solving.bounds.estimate import best_response_on_flops
    from engine.solving.bounds.players import BucketedPlayer
    from engine.solving.bounds.sample import draw_flops
    from engine.solving.holdem.deal_solver import won_of

    scale = 1000 / answer.game.big_blind
    won = won_of(answer, model, _BOARDS, np.random.default_rng((plan.seed, 1)))
    found: dict[str, Any] = {"exploitation": won.mean * scale, "exploitation_se": won.se * scale}
    if not may_lose:
        return found | {"exploitability": None, "exploitability_se": None}
    flops = draw_flops(_ENOUGH, _ENOUGH, np.random.default_rng((plan.seed, 2)))
    bound = best_response_on_flops(answer.game, BucketedPlayer(answer), flops).lower
    return found | {"exploitability": bound.value * scale, "exploitability_se": bound.se * scale}


def _model(
    plan: CounterPlan, saved: SavedStrategy | None, game: GameDefinition
) -> tuple[BucketedStrategy, Any]:
    """The opponent by bucket, and how far its information sets are known: None for kinds that do not ask."""
    from clients.core.agent import may_be_asked_once
    from clients.lab.exploitability.measures import make_agent
    from engine.solving.holdem.bucketed import BucketedStrategy

    if plan.kind in ("fbr", "dbr"):
        watched = _watched(plan, make_agent(plan.player, saved), game, saved)
        return watched.model(), watched.trust(plan.part) if plan.kind == "dbr" else None
    if saved is not None and isinstance(saved.strategy, BucketedStrategy):
        return saved.strategy, None
    agent = make_agent(plan.player, saved)
    if may_be_asked_once(agent):
        return _by_betting(plan.player, agent, game), None
    raise CommandError(
        f"--kind {plan.kind}: expected a strategy file or a bot whose betting alone decides, such as "
        f"always-call; --kind fbr and dbr watch {plan.player} play"
    )


def _by_betting(name: str, agent: Agent, game: GameDefinition) -> BucketedStrategy:
    """Somebody whose cards do not matter."""
    from clients.lab.exploitability.asking import AskedAgent
    from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action
    from engine.poker.rules.betting import parse_betting
    from engine.solving.holdem.betting import holdem_betting
    from engine.solving.holdem.deal_solver import strategy_by_betting
    from engine.solving.holdem.kinds import KINDS, make_abstraction

    abstraction = make_abstraction("distributions", KINDS["distributions"])
    asked = AskedAgent(name, agent, game)
    agent.game, agent.seat, agent.names, agent.seeded = game, 0, None, True
    agent.prepare(game)
    agent.match_started(game, 0)

    def chances(betting: BettingState) -> dict[Action, float]:
        rows = asked.rows(betting, tuple(range(betting.num_board_cards)), 0)
        assert rows is not None  # it discloses what it does
        return dict(zip((FOLD, CALL, LIMIT_RAISE), rows[0].tolist(), strict=True))

    betting = holdem_betting(game, abstraction.num_buckets)
    return strategy_by_betting(betting, abstraction, chances, lambda text: parse_betting(game, text))


def _watched(plan: CounterPlan, agent: Agent, game: GameDefinition, saved: SavedStrategy | None) -> Watched:
    """An agent seen in hands against somebody who calls and raises evenly, in each seat."""
    from clients.bots.baselines import Random
    from clients.core.arena import Arena
    from engine.solving.holdem.betting import holdem_betting
    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.holdem.deal_solver import Watched
    from engine.solving.holdem.kinds import KINDS, make_abstraction

    if saved is not None and isinstance(saved.strategy, BucketedStrategy):
        abstraction = saved.strategy.abstraction
    else:
        abstraction = make_abstraction("distributions", KINDS["distributions"])
    watched = Watched(holdem_betting(game, abstraction.num_buckets), abstraction)

    def played(state: HandState, chips: tuple[float, ...]) -> None:
        watched.add(state, (0 - state.hand_number) % 2)

    arena = Arena(game, [agent, Random(0.0, 0.5, 0.5)], plan.seed, names=("watched", "probe"))
    arena.play(2 * plan.hands, on_hand=played)
    return watched
