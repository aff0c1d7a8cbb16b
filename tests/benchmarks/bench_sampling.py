"""The sampling bot: trials a second, the time of a decision, what it wins and whether it keeps its promises.

``python -m tests.benchmarks.bench_sampling speed``
``python -m tests.benchmarks.bench_sampling time limit-10p formula --hands 100``
``python -m tests.benchmarks.bench_sampling match limit-2p sampling:trials=1000 formula --deals 10000``
``python -m tests.benchmarks.bench_sampling match limit-2p sampling always-raise --than formula``

A match seats two kinds of bots in turn, plays every deal twice with the kinds in each other's seats, and
sets the stated values of the first kind's decisions against the chips that came of them.
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import time
from collections.abc import Awaitable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clients.bots.opponent_book import DEFAULT_NOISE
from clients.bots.sampling.agent import Sampling
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import make_agent, parse_settings
from clients.core.registry import make_bot
from engine.players.models.model import OpponentModel
from engine.players.models.specific import SpecificModel
from engine.players.table_reader import TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import Estimates
from engine.players.trials.trials import Spot, new_tree, simulate
from engine.poker.card_text import parse_written_cards
from engine.poker.rules import Action, GameDefinition, HandState, HandView, load_game, parse_betting
from engine.support.intervals import Estimate, estimate
from tests.engine.players.trials.spots import experienced_model
from tests.support.benchmarks import BenchmarkParser, how_many, known_bot, known_game

SPOTS = {
    "heads-up, flop": ("limit-2p", "rc/", "Js8c4s", "AhJd"),
    "heads-up, before the flop": ("limit-2p", "", "", "AhJd"),
    "no-limit heads-up, flop": ("nolimit-2p", "cc/", "Js8c4s", "AhJd"),
    "ten seats, first to act before the flop": ("limit-10p", "", "", "AhJd"),
    "ten seats, flop, two opponents left": ("limit-10p", "fffrffcffc/", "Js8c4s", "AhJd"),
    "ten seats, flop, four opponents left": ("limit-10p", "fcfcfcffcc/", "Js8c4s", "AhJd"),
    "ten seats, turn, four opponents left": ("limit-10p", "fcfcfcffcc/ccccc/", "Js8c4s2h", "AhJd"),
    "ten seats, flop, nine opponents left": ("limit-10p", "cccccccccc/", "Js8c4s", "AhJd"),
}
"""Game, betting, board, hole cards."""


def spot_of(game_name: str, betting: str, board: str, own: str, models: Sequence[OpponentModel]) -> Spot:
    """A decision with tables as they are read with some models."""
    state = parse_betting(load_game(game_name), betting)
    cards = parse_written_cards(board) if board else ()
    reader = TableReader(models, DEFAULT_NOISE)
    reader.follow(state, cards)
    first, second = parse_written_cards(own)
    players: list[OpponentModel | OwnStrategy] = list(models)
    assert state.position_to_act is not None
    players[state.position_to_act] = OwnStrategy()
    return Spot(
        state,
        tuple(cards),
        (first, second),
        reader.reading.weights,
        simulated_players(players, DEFAULT_NOISE),
    )


def trials_per_second(spot: Spot, seconds: float = 1.0) -> tuple[float, int]:
    """Two-branch trials per second of CPU time in a simulation of 50 ms, and nodes of its tree."""
    tree = new_tree()
    done, spent, seed = 0, 0.0, 0
    while spent < seconds:
        seed += 1
        samples, start = 0, time.process_time()
        for estimates in simulate(spot, seed, max_trials=20_000, tree=tree):
            samples = estimates.samples
            if time.process_time() - start > 0.05:
                break
        spent += time.process_time() - start
        done += samples
    return done / spent, int(tree.used[0] + tree.used[2])


def speed() -> dict[str, dict[str, float]]:
    """Trials a second in every spot, with models that know nothing yet and with models of random players."""
    results: dict[str, dict[str, float]] = {}
    for name, (game_name, betting, board, own) in SPOTS.items():
        seats = load_game(game_name).num_players
        fresh: list[OpponentModel] = [SpecificModel() for _ in range(seats)]
        known: list[OpponentModel] = [experienced_model(seat) for seat in range(seats)]
        results[name] = {}
        for kind, models in (("fresh", fresh), ("known", known)):
            rate, nodes = trials_per_second(spot_of(game_name, betting, board, own, models))
            results[name] |= {f"{kind}_trials_per_second": rate, f"{kind}_nodes": nodes}
    return results


class Watched(Sampling):
    """Notes what it expects of each decision, and how long it takes."""

    __signature__ = inspect.signature(Sampling, eval_str=True)  # for its options

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.stated: list[tuple[int, int, int, float]] = []  # hand, position, spent before, value
        self.seconds: list[float] = []
        self._start = 0.0

    def choose_action(self, view: HandView) -> Action | Awaitable[Action]:
        """As usual."""
        self._start = time.perf_counter()
        return super().choose_action(view)

    def _decide(self, view: HandView, estimates: Estimates[Action]) -> Action:
        action = super()._decide(view, estimates)
        self.seconds.append(time.perf_counter() - self._start)
        values = dict(zip(estimates.moves, estimates.values.tolist(), strict=True))
        spent = view.betting.spent[view.position]
        self.stated.append((view.hand_number, view.position, spent, values.get(action, 0.0)))
        return action


def make(spec: str) -> Agent:
    """A bot by its name; a sampling bot is watched."""
    name, colon, settings = spec.partition(":")
    if name != "sampling":
        return make_bot(spec)
    return make_agent(name, Watched, parse_settings(settings.split(",")) if colon else {})


def decision_times(game_name: str, against: str, hands: int, seed: int) -> dict[str, float]:
    """The times of decisions of one sampling bot without a seed, in milliseconds by the clock."""
    game = load_game(game_name)
    agent = Watched()
    arena = Arena(game, [agent, *(make_bot(against) for _ in range(game.num_players - 1))], seed)
    agent.seeded = False
    arena.play(hands)
    milliseconds = 1000 * np.array(agent.seconds)
    return {
        "decisions": float(len(milliseconds)),
        "median_ms": float(np.median(milliseconds)),
        "p99_ms": float(np.quantile(milliseconds, 0.99)),
        "max_ms": float(milliseconds.max()),
    }


def play_deals(
    game: GameDefinition, first: str, second: str, deals: int, seed: int
) -> tuple[NDArray[np.float64], list[tuple[float, float]]]:
    """Two kinds in turn, every deal twice.

    Returns:
        What a player of the first kind wins per hand on each deal, shape (deals,), and of each of their
        decisions that is watched the value stated and the one realised; in small bets or big blinds.
    """
    unit, players = game.small_bet or game.big_blind, game.num_players
    won = np.zeros(deals)
    promises: list[tuple[float, float]] = []
    for shift in range(2):
        agents = [make(second if (seat + shift) % 2 else first) for seat in range(players)]
        chips_of: dict[tuple[int, int], float] = {}

        def keep(
            state: HandState,
            chips: tuple[float, ...],
            shift: int = shift,
            into: dict[tuple[int, int], float] = chips_of,
        ) -> None:
            for position, each in enumerate(chips):
                into[state.hand_number, position] = each / unit
                if ((position + state.hand_number) % players + shift) % 2 == 0:
                    won[state.hand_number] += each / unit / players

        Arena(game, agents, seed).play(deals, on_hand=keep)
        for seat, agent in enumerate(agents):
            if isinstance(agent, Watched) and (seat + shift) % 2 == 0:
                promises += [
                    (value, chips_of[hand, position] + spent / unit)
                    for hand, position, spent, value in agent.stated
                ]
    return won, promises


def play_match(
    game_name: str, first: str, second: str, deals: int, seed: int, than: str | None = None
) -> dict[str, Any]:
    """What the first kind wins of the second; with `than` also how much more it is than what that kind wins
    of the second on the same deals.
    """
    game = load_game(game_name)
    won, promises = play_deals(game, first, second, deals, seed)
    report: dict[str, Any] = {
        "game": game_name,
        "players": [first, second],
        "hands": 2 * deals,
        "seed": seed,
        "unit": "sb/h" if game.is_limit else "bb/h",
        "won": estimate(won.tolist()).as_json(),
    }
    if than is not None:
        others, _ = play_deals(game, than, second, deals, seed)
        report["than"] = {
            "player": than,
            "won": estimate(others.tolist()).as_json(),
            "more": estimate((won - others).tolist()).as_json(),
        }
    if len(promises) > 2:
        report["promises"] = regression(np.array(promises))
    return report


def regression(pairs: NDArray[np.float64]) -> dict[str, float]:
    """Realised on stated values, shape (n, 2): slope with its 95 % half width, intercept, means."""
    stated, realised = pairs.T
    centred = stated - stated.mean()
    slope = float(centred @ realised / (centred @ centred))
    intercept = float(realised.mean() - slope * stated.mean())
    rest = realised - intercept - slope * stated
    half = 1.96 * math.sqrt(float(rest @ rest) / (len(rest) - 2) / float(centred @ centred))
    return {
        "decisions": float(len(stated)),
        "stated": float(stated.mean()),
        "realised": float(realised.mean()),
        "slope": slope,
        "slope_ci95": half,
        "intercept": intercept,
    }


def _check(parser: BenchmarkParser, options: argparse.Namespace) -> None:
    """Say what is wrong with the words behind the first."""
    most = {"speed": 0, "time": 2, "match": 3}[options.what]
    if len(options.rest) not in (0, most):
        usage = {"speed": "nothing", "time": "GAME OPPONENT", "match": "GAME FIRST SECOND"}[options.what]
        parser.error(f"{options.what}: expected {usage}, got {' '.join(options.rest)}")
    try:
        for place, word in enumerate(options.rest):
            (known_bot if place else known_game)(word)
        if options.than is not None:
            known_bot(options.than)
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_sampling", __doc__)
    parser.add_argument("what", choices=["speed", "time", "match"])
    parser.add_argument("rest", nargs="*", help="GAME OPPONENT, or GAME FIRST SECOND")
    parser.add_argument("--hands", type=how_many, default=100)
    parser.add_argument("--deals", type=how_many, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--than", help="of a match: a bot to play the same deals against SECOND")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    _check(parser, options)
    report: dict[str, Any]
    if options.what == "speed":
        report = speed()
        rates = ("fresh_trials_per_second", "known_trials_per_second")
        lines = [
            f"{name:<42} " + " ".join([f"{numbers[rate]:>9,.0f}" for rate in rates])
            for name, numbers in report.items()
        ]
        lines.insert(0, f"{'two-branch trials a second, models:':<42} {'fresh':>9} {'known':>9}")
    elif options.what == "time":
        game_name, against = options.rest or ("limit-10p", "formula")
        report = decision_times(game_name, against, options.hands, options.seed)
        lines = [" ".join(f"{key} {value:.1f}" for key, value in report.items())]
    else:
        game_name, first, second = options.rest or ("limit-2p", "sampling:trials=1000", "formula")
        report = play_match(game_name, first, second, options.deals, options.seed, options.than)
        lines = [
            f"{game_name}: {first} against {second}: {Estimate(**report['won'])} "
            f"{report['unit']}, {report['hands']} hands"
        ]
        if "than" in report:
            other = report["than"]
            lines.append(
                f"{other['player']} wins {Estimate(**other['won'])} on the same deals; {first} wins "
                f"{Estimate(**other['more'])} more"
            )
        if "promises" in report:
            found = report["promises"]
            lines.append(
                f"stated {found['stated']:+.3f}, realised {found['realised']:+.3f}, slope "
                f"{found['slope']:.3f} +- {found['slope_ci95']:.3f}, intercept {found['intercept']:+.3f}, "
                f"{found['decisions']:.0f} decisions"
            )
    print(json.dumps(report) if options.json else "\n".join(lines))


if __name__ == "__main__":
    main()
