"""The sampling bot: trials a second, the time of a decision, what it wins and whether it keeps its promises.

``python -m tests.benchmarks.bench_sampling speed``
``python -m tests.benchmarks.bench_sampling time limit-10p formula --hands 100``
``python -m tests.benchmarks.bench_sampling match limit-2p sampling:trials=1000 formula --deals 10000``

A match seats two kinds of bots in turn, plays every deal twice with the kinds in each other's seats, and
sets the stated values of the first kind's decisions against the chips that came of them.
"""

import argparse
import inspect
import math
import time
from collections.abc import Awaitable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.bots.opponent_book import DEFAULT_NOISE
from clients.bots.sampling.agent import Sampling
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import make_agent, parse_settings
from clients.core.registry import make_bot
from clients.lab.experiments.harness import chips_by_seat
from engine.players.models.model import OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import Estimates
from engine.players.trials.trials import Spot, new_tree, simulate
from engine.poker.rules import Action, HandView, load_game, parse_betting
from engine.support.intervals import estimate
from tests.benchmarks.bench_formula import in_milliseconds
from tests.engine.players.hands import cards, reader_after
from tests.engine.players.trials.spots import experienced_model, make_spot
from tests.support.benchmarks import BenchmarkParser, known_bot, known_game

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
    reading = reader_after(betting, board, game_name, models, DEFAULT_NOISE).reading
    state = parse_betting(load_game(game_name), betting)
    spot = make_spot(state, cards(board), cards(own), models, reading.weights)
    players: list[OpponentModel | OwnStrategy] = list(models)
    players[spot.position] = OwnStrategy()
    return attrs.evolve(spot, players=simulated_players(players, DEFAULT_NOISE))


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


def speed() -> None:
    """Print trials a second in every spot, with models that know nothing and with those of random players."""
    print(f"{'two-branch trials a second (nodes), models:':<42} {'fresh':>19} {'known':>19}")
    for name, (game_name, betting, board, own) in SPOTS.items():
        seats = load_game(game_name).num_players
        fresh: list[OpponentModel] = [PlayerModel() for _ in range(seats)]
        known: list[OpponentModel] = [experienced_model(seat) for seat in range(seats)]
        spots = [spot_of(game_name, betting, board, own, models) for models in (fresh, known)]
        cells = ["{:,.0f} ({})".format(*trials_per_second(spot)) for spot in spots]
        print(f"{name:<42}", *[f"{cell:>19}" for cell in cells], flush=True)


class Watched(Sampling):
    """Notes what it expects of each decision, and how long it takes."""

    __signature__ = inspect.signature(Sampling, eval_str=True)  # for its options

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.stated: list[tuple[int, int, float]] = []  # hand, spent before, value
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
        self.stated.append((view.hand_number, spent, values.get(action, 0.0)))
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
    return in_milliseconds(agent.seconds)


def play_match(game_name: str, first: str, second: str, deals: int, seed: int) -> str:
    """What the first kind wins of the second, and whether its stated values are realised."""
    game = load_game(game_name)
    unit, players = game.small_bet or game.big_blind, game.num_players
    won = np.zeros(deals)
    promises: list[tuple[float, float]] = []
    for shift in range(2):
        agents = [make(second if (seat + shift) % 2 else first) for seat in range(players)]
        chips = chips_by_seat(game, agents, seed, deals) / unit
        won += chips[:, shift::2].sum(axis=1) / players
        for seat in range(shift, players, 2):
            promises += [
                (value, chips[hand, seat] + spent / unit)
                for hand, spent, value in getattr(agents[seat], "stated", ())
            ]
    name = "sb/h" if game.is_limit else "bb/h"
    line = f"{game_name}: {first} against {second}: {estimate(won.tolist())} {name}, {2 * deals} hands"
    return f"{line}\n{regression(np.array(promises))}" if len(promises) > 2 else line


def regression(pairs: NDArray[np.float64]) -> str:
    """Realised on stated values, shape (n, 2): means, slope with its 95 % half width, intercept."""
    stated, realised = pairs.T
    centred = stated - stated.mean()
    slope = float(centred @ realised / (centred @ centred))
    intercept = float(realised.mean() - slope * stated.mean())
    rest = realised - intercept - slope * stated
    half = 1.96 * math.sqrt(float(rest @ rest) / (len(rest) - 2) / float(centred @ centred))
    return (
        f"stated {stated.mean():+.3f}, realised {realised.mean():+.3f}, slope {slope:.3f} +- {half:.3f}, "
        f"intercept {intercept:+.3f}, {len(stated)} decisions"
    )


def _check(parser: BenchmarkParser, options: argparse.Namespace) -> None:
    """Say what is wrong with the words behind the first."""
    most = {"speed": 0, "time": 2, "match": 3}[options.what]
    if len(options.rest) not in (0, most):
        usage = {"speed": "nothing", "time": "GAME OPPONENT", "match": "GAME FIRST SECOND"}[options.what]
        parser.error(f"{options.what}: expected {usage}, got {' '.join(options.rest)}")
    try:
        for place, word in enumerate(options.rest):
            (known_bot if place else known_game)(word)
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_sampling", __doc__, hands=100, deals=500)
    parser.add_argument("what", choices=["speed", "time", "match"])
    parser.add_argument("rest", nargs="*", help="GAME OPPONENT, or GAME FIRST SECOND")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    _check(parser, options)
    if options.what == "speed":
        speed()
    elif options.what == "time":
        game_name, against = options.rest or ("limit-10p", "formula")
        times = decision_times(game_name, against, options.hands, options.seed)
        print(" ".join(f"{key} {value:.1f}" for key, value in times.items()))
    else:
        game_name, first, second = options.rest or ("limit-2p", "sampling:trials=1000", "formula")
        print(play_match(game_name, first, second, options.deals, options.seed))


if __name__ == "__main__":
    main()
