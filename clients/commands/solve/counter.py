"""``riverboat counter``: an answer to an opponent, computed and saved as a strategy that plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from clients.core import one_line
from clients.lab.exploitability.asking import policy_of_player, strategy_or_bot
from server.support.options import FILE, FiniteRange, flag, option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clients.core.agent import Agent
    from engine.poker.rules import BettingState, GameDefinition, HandState
    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.holdem.deal_solver import Watched
    from engine.solving.strategies import Strategy
    from engine.solving.strategy_file import SavedStrategy

_KINDS: Final = ("best", "rnr", "fbr", "dbr")
_WATCHING: Final = ("fbr", "dbr")
"""Those which watch the opponent play."""
_KINDS_OF: Final = {"part": ("rnr", "dbr"), "hands": _WATCHING}
"""By option, the kinds that take it."""
_BOARDS: Final = 2000
"""In hold'em: the boards on which it is measured what an answer wins."""
_ENOUGH: Final = 4
"""In hold'em: flops, and turns, of the curve's exploitability; few, since there are many points."""


@attrs.frozen(kw_only=True)
class CounterPlan:
    """The request."""

    game: str
    against: str
    kind: str
    part: float
    hands: int
    iterations: int
    seed: int


# Many parameters: each is an option.
@click.command(cls=one_line.ComputingCommand)
@click.argument("player", metavar="BOT|FILE")
@option("--game GAME", "A small game for two, or limit hold'em for two; a strategy file knows its own.")
@option(
    "--kind",
    "best: the best response; rnr: restricted Nash response; fbr, dbr: frequentist and data-biased response, "
    "from hands that are watched.",
    click.Choice(_KINDS),
    default="rnr",
)
@option(
    "--part P",
    "rnr: the part of all hands in which the opponent is assumed to play as BOT does; dbr: the most that it "
    "is trusted to do so where it has been seen.",
    FiniteRange(0, 1),
    default=0.75,
)
@option(
    "--hands N",
    "fbr, dbr: hands watched, with BOT in each seat.",
    click.IntRange(1, 10_000_000),
    default=10_000,
)
@option(
    "--iterations N",
    "rnr, dbr: iterations of CFR+; in hold'em: boards, for all kinds.",
    click.IntRange(1, 1_000_000),
    default=2000,
)
@one_line.seed_option("hands", default=1)
@option("--save FILE", "Where to save the strategy.", FILE, required=True)
@flag("--force", "Replace FILE if it exists.")
@one_line.plot_option(
    "what restricted Nash responses with P from 0 to 1 win and what they may lose, and this answer"
)
@one_line.json_option()
def counter(
    player: str, game: str | None, save: Path, force: bool, plot: str | None, as_json: bool, **asked: Any
) -> None:
    """Compute what wins from BOT, or from a strategy file, and save it as a strategy.

    It plays as `equilibrium:strategy=FILE`.  The best response wins the most and may lose anything to
    other players; a restricted Nash response gives up a little of that and most of the risk.  In limit
    hold'em counter-strategies know hands by buckets, and what they win from BOT is estimated.
    """
    from engine.solving.holdem.betting import is_heads_up_limit_holdem
    from engine.solving.strategy_file import write_strategy

    for name, kinds in _KINDS_OF.items():
        if asked["kind"] not in kinds:
            purpose = f"for --kind {' and '.join(kinds)}, not for {asked['kind']}"
            one_line.refuse_options(click.get_current_context(), (name,), purpose)
    if save.exists() and not force:
        raise one_line.CommandError(f"{save} is there already: --force, or choose another file")
    saved, definition, name = strategy_or_bot(player, game)
    plan = CounterPlan(game=name, against=player, **asked)
    on_buckets = is_heads_up_limit_holdem(definition)
    work = CounterOnBuckets(plan, saved, definition) if on_buckets else SmallCounter(plan, game)
    answer, measured = work.answer(may_lose=plot is not None)
    write_strategy(save, answer, {"game": name, "kind": plan.kind, "against": player})
    report = {**attrs.asdict(plan), "save": str(save), **measured}
    if plot is not None:
        report["curve"] = [{"part": each, **work.restricted(each)} for each in work.parts]
        _draw(plot, report)
    click.echo(json.dumps(report) if as_json else _text(report))


def _text(report: dict[str, Any]) -> str:
    """The report in one line."""
    whom, lost = report["against"], report["exploitability"]
    if "exploitation_se" not in report:
        wins, risk = f"{report['exploitation']:.1f} mbb/h", f", loses at most {lost:.1f} to anybody"
    else:
        wins = f"{report['exploitation']:.1f} mbb/h (standard error {report['exploitation_se']:.1f})"
        risk = "" if lost is None else f", may lose {lost:.0f} ({report['exploitability_se']:.0f}) or more"
        whom = f"what was seen of {whom}" if report["kind"] in _WATCHING else whom
    return (
        f"{report['kind']} against {whom} in {report['game']}: wins {wins}{risk}, saved in {report['save']}"
    )


def _draw(path: str, report: dict[str, Any]) -> None:
    from clients.reports.plots import draw_exploitation

    points = [
        (f"{point['part']:g}", point["exploitability"], point["exploitation"]) for point in report["curve"]
    ]
    chosen = (f"{report['kind']}, as saved", report["exploitability"], report["exploitation"])
    title = f"answers to {report['against']} in {report['game']}"
    draw_exploitation(path, points, chosen, title, is_bound="exploitability_se" in report)


class SmallCounter:
    """Answers in a small game, where everything is computed exactly.

    Args:
        plan: what is asked for.
        game: what is played, as users type it; None for a file, which knows it.

    Raises:
        OptionError: the bot or the game cannot be found, or the bot says too little.
        CommandError: the game is not for two.
    """

    parts = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
    """Of the curve; as in Johanson, Zinkevich and Bowling (2007), from an equilibrium to a best response."""

    def __init__(self, plan: CounterPlan, game: str | None) -> None:
        self._plan = plan
        self._tree, self._opponent, name = policy_of_player(plan.against, game)
        if self._tree.game.num_players != 2:
            raise one_line.CommandError(
                f"{name} is for {self._tree.game.num_players} players: expected a game for two"
            )

    def answer(self, *, may_lose: bool) -> tuple[Strategy, dict[str, Any]]:
        """The answer that is asked for; what it wins, and may lose to anybody, in mbb/h."""
        import numpy as np

        from engine.solving import responses

        plan, tree = self._plan, self._tree
        if plan.kind == "rnr":
            return self._restricted(plan.part)
        if plan.kind == "best":
            return self._measured(responses.full_response(tree, self._opponent))
        probe, generator = responses.probe_policy(tree), np.random.default_rng(plan.seed)
        counts = responses.counts_of_hands(tree, self._opponent, probe, plan.hands, generator)
        model = responses.frequentist_model(tree, counts)
        if plan.kind == "fbr":
            return self._measured(responses.full_response(tree, model))
        trust = responses.confidence(tree, counts, plan.part)
        return self._measured(responses.data_biased(tree, model, trust, plan.iterations))

    def restricted(self, part: float) -> dict[str, Any]:
        """The winnings and the risk of the restricted Nash response with some part."""
        return self._restricted(part)[1]

    def _restricted(self, part: float) -> tuple[Strategy, dict[str, Any]]:
        from engine.solving.responses import restricted_nash

        return self._measured(restricted_nash(self._tree, self._opponent, part, self._plan.iterations))

    def _measured(self, policy: NDArray[np.float64]) -> tuple[Strategy, dict[str, Any]]:
        from engine.solving.responses import evaluate
        from engine.solving.strategies import Strategy

        scale = 1000 / self._tree.game.big_blind
        found = evaluate(self._tree, policy, self._opponent)
        return Strategy(self._tree, policy), {
            "exploitation": found.exploitation * scale, "exploitability": found.exploitability * scale
        }  # fmt: skip


class CounterOnBuckets:
    """Answers in heads-up limit hold'em, on buckets of hands.

    What is won from the opponent has a standard error.  What may be lost is found for a curve alone, as a
    lower bound.

    Args:
        plan: what is asked for.
        saved: the opponent's strategy; None for a bot.
        game: what is played.

    Raises:
        OptionError: the bot cannot be loaded, or says too little.
    """

    parts = (0.25, 0.5, 0.75, 0.9, 1.0)
    """Of the curve, where a point takes a minute or two."""

    def __init__(self, plan: CounterPlan, saved: SavedStrategy | None, game: GameDefinition) -> None:
        self._plan = plan
        self._model, self._trust = _model(plan, saved, game)

    def answer(self, *, may_lose: bool) -> tuple[BucketedStrategy, dict[str, Any]]:
        """The answer that is asked for; what it wins from the model, and may lose to somebody, in mbb/h."""
        part = {"best": 1.0, "fbr": 1.0, "rnr": self._plan.part, "dbr": 0.0}[self._plan.kind]
        answer = self._solved(part, self._trust)
        return answer, self._measured(answer, may_lose=may_lose)

    def restricted(self, part: float) -> dict[str, Any]:
        """The winnings and the risk of the restricted Nash response with some part."""
        return self._measured(self._solved(part, None), may_lose=True)

    def _solved(self, part: float, trust: Any) -> BucketedStrategy:
        from engine.solving.holdem.deal_solver import CounterSolver

        solver = CounterSolver(self._model, part=part, trust=trust, seed=self._plan.seed)
        solver.run(self._plan.iterations)
        return solver.average()

    def _measured(self, answer: BucketedStrategy, *, may_lose: bool) -> dict[str, Any]:
        import numpy as np

        from engine.solving.bounds.estimate import best_response_on_flops
        from engine.solving.bounds.players import BucketedPlayer
        from engine.solving.bounds.sample import draw_flops
        from engine.solving.holdem.deal_solver import won_of

        scale = 1000 / answer.game.big_blind
        won = won_of(answer, self._model, _BOARDS, np.random.default_rng((self._plan.seed, 1)))
        found: dict[str, Any] = {"exploitation": won.mean * scale, "exploitation_se": won.se * scale}
        if not may_lose:
            return found | {"exploitability": None, "exploitability_se": None}
        flops = draw_flops(_ENOUGH, _ENOUGH, np.random.default_rng((self._plan.seed, 2)))
        bound = best_response_on_flops(answer.game, BucketedPlayer(answer), flops).lower
        return found | {"exploitability": bound.value * scale, "exploitability_se": bound.se * scale}


def _model(
    plan: CounterPlan, saved: SavedStrategy | None, game: GameDefinition
) -> tuple[BucketedStrategy, Any]:
    """The opponent by bucket, and how far its information sets are known: None for kinds that do not ask."""
    from clients.core.agent import may_be_asked_once
    from clients.lab.exploitability.measures import make_agent
    from engine.solving.holdem.bucketed import BucketedStrategy

    if plan.kind in _WATCHING:
        watched = _watched(plan, make_agent(plan.against, saved), game, saved)
        return watched.model(), watched.trust(plan.part) if plan.kind == "dbr" else None
    if saved is not None and isinstance(saved.strategy, BucketedStrategy):
        return saved.strategy, None
    agent = make_agent(plan.against, saved)
    if may_be_asked_once(agent):
        return _by_betting(plan.against, agent, game), None
    raise one_line.CommandError(
        f"--kind {plan.kind}: expected a strategy file or a bot whose betting alone decides, such as "
        f"always-call; --kind fbr and dbr watch {plan.against} play"
    )


def _by_betting(name: str, agent: Agent, game: GameDefinition) -> BucketedStrategy:
    """Somebody whose cards do not matter."""
    from clients.lab.exploitability.asking import AskedAgent, sit_down
    from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action
    from engine.poker.rules.betting import parse_betting
    from engine.solving.holdem.betting import holdem_betting
    from engine.solving.holdem.deal_solver import strategy_by_betting
    from engine.solving.holdem.kinds import KINDS, make_abstraction

    abstraction = make_abstraction("distributions", KINDS["distributions"])
    asked = AskedAgent(name, agent, game)
    sit_down(agent, game)
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
