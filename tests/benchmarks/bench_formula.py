"""What the formula bot wins in the arena, every deal played in each rotation of the seats; and its speed.

``python -m tests.benchmarks.bench_formula limit-2p formula always-call --deals 10000 --seed 1``

Names are installed bots, or ``formula:model=none,noise=0.1``.  The first has one seat and the second all
others; ``--groups`` seats the two kinds in turn instead.
"""

import math
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clients.bots.formula.agent import Formula
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.harness import LineUp, chips_by_seat
from engine.poker.rules import Action, GameDefinition, HandView, load_game
from tests.support.benchmarks import BenchmarkParser, known_bot, known_game


def play_rotations(
    game: GameDefinition, specs: Sequence[str], deals: int, seed: int, shifts: Sequence[int]
) -> NDArray[np.float64]:
    """Chips per hand won by each player on each deal, averaged over the passes.

    Args:
        game: what is played.
        specs: a player for each seat.
        deals: hands of a pass.
        seed: of every pass.
        shifts: in a pass with shift k player i sits at seat (i + k) mod n.

    Returns:
        Shape (num_players, deals), by player.
    """
    players = game.num_players
    won = np.zeros((deals, players))
    for shift in shifts:
        agents = [make_bot(specs[(seat - shift) % players]) for seat in range(players)]
        won += np.roll(chips_by_seat(game, agents, seed, deals), -shift, axis=1) / len(shifts)
    return won.T


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and half width of the 95 % interval."""
    return float(values.mean()), 1.96 * float(values.std(ddof=1)) / math.sqrt(len(values))


class Timed(Formula):
    """Measures its own CPU time, hooks included, per decision."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self.other = 0.0

    def choose_action(self, view: HandView) -> Action:
        """As usual."""
        start = time.process_time()
        action = super().choose_action(view)
        self.seconds.append(time.process_time() - start)
        return action

    def hand_finished(self, view: HandView) -> None:
        """As usual."""
        start = time.process_time()
        super().hand_finished(view)
        self.other += time.process_time() - start


def in_milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """What the times of decisions come to."""
    milliseconds = 1000 * np.array(seconds)
    return {
        "decisions": float(len(milliseconds)), "median_ms": float(np.median(milliseconds)),
        "p99_ms": float(np.quantile(milliseconds, 0.99)), "max_ms": float(milliseconds.max()),
    }  # fmt: skip


def time_decisions(game_name: str, against: str, hands: int, seed: int) -> dict[str, float]:
    """CPU time of one formula bot's decisions, in milliseconds."""
    game = load_game(game_name)
    agent = Timed()
    Arena(game, [agent, *(make_bot(against) for _ in range(game.num_players - 1))], seed).play(hands)
    return in_milliseconds(agent.seconds) | {"learning_ms_per_hand": 1000 * agent.other / hands}


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    parser = BenchmarkParser("bench_formula", __doc__, deals=500)
    parser.add_argument("game", nargs="?", type=known_game, default="limit-2p")
    parser.add_argument("first", nargs="?", type=known_bot, default="formula")
    parser.add_argument("other", nargs="?", type=known_bot, default="always-call")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", action="store_true", help="two kinds in turn, two passes")
    parser.add_argument(
        "--time", action="store_true", help="the time of formula's decisions against the other"
    )
    options = parser.parse_args(arguments)
    game, deals, seed = load_game(options.game), options.deals, options.seed
    if options.time:
        timed = time_decisions(options.game, options.other, deals, seed)
        print(" ".join(f"{name} {value:.2f}" for name, value in timed.items()))
        return

    def seated(rotation: Sequence[bool]) -> list[Agent]:
        return [make_bot(options.first if is_first else options.other) for is_first in rotation]

    line_up = LineUp(game.num_players // 2 if options.groups else 1, game.num_players)
    mean, half = interval(line_up.play(game, seated, seed, deals))
    unit = "sb/h" if game.small_bet else "bb/h"
    print(f"{options.game}: {options.first} against {options.other}: {mean:+.3f} +- {half:.3f} {unit}")


if __name__ == "__main__":
    main()
