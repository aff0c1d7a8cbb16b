"""The sampling bot: trials a second, and the time of a decision.

``python -m tests.benchmarks.bench_sampling speed``
``python -m tests.benchmarks.bench_sampling time limit-10p formula --hands 100``

What it wins is measured by `bench_reading`, and whether it keeps its promises by `riverboat experiment
calibration`.
"""

import argparse
import time
from collections.abc import Awaitable, Sequence

import attrs

from clients.bots.opponent_book import DEFAULT_NOISE
from clients.bots.sampling.agent import Sampling
from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.players.models.model import OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import Estimates
from engine.players.trials.trials import Spot, new_tree, simulate
from engine.poker.rules import Action, HandView, load_game, parse_betting
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
    """Notes how long each decision takes."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self._start = 0.0

    def choose_action(self, view: HandView) -> Action | Awaitable[Action]:
        """As usual."""
        self._start = time.perf_counter()
        return super().choose_action(view)

    def _decide(self, view: HandView, estimates: Estimates[Action]) -> Action:
        action = super()._decide(view, estimates)
        self.seconds.append(time.perf_counter() - self._start)
        return action


def decision_times(game_name: str, against: str, hands: int, seed: int) -> dict[str, float]:
    """The times of decisions of one sampling bot without a seed, in milliseconds by the clock."""
    game = load_game(game_name)
    agent = Watched()
    arena = Arena(game, [agent, *(make_bot(against) for _ in range(game.num_players - 1))], seed)
    agent.seeded = False
    arena.play(hands)
    return in_milliseconds(agent.seconds)


def _check(parser: BenchmarkParser, options: argparse.Namespace) -> None:
    """Say what is wrong with the words behind the first."""
    usage = {"speed": "", "time": "GAME OPPONENT"}[options.what]
    if len(options.rest) not in (0, len(usage.split())):
        parser.error(f"{options.what}: expected {usage or 'nothing'}, got {' '.join(options.rest)}")
    try:
        for place, word in enumerate(options.rest):
            (known_bot if place else known_game)(word)
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_sampling", __doc__, hands=100)
    parser.add_argument("what", choices=["speed", "time"])
    parser.add_argument("rest", nargs="*", help="GAME OPPONENT")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    _check(parser, options)
    if options.what == "speed":
        speed()
    else:
        game_name, against = options.rest or ("limit-10p", "formula")
        times = decision_times(game_name, against, options.hands, options.seed)
        print(" ".join(f"{key} {value:.1f}" for key, value in times.items()))


if __name__ == "__main__":
    main()
