"""What the formula bot wins in the arena, every deal played in each rotation of the seats; and its speed.

``python -m tests.benchmarks.bench_formula limit-2p formula always-call --deals 10000 --seed 1``

Names are installed bots, or ``formula:model=none,noise=0.1``.  With fewer names than seats the last one fills
the table; ``--groups`` seats two kinds in turn instead and swaps them.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clients.bots.formula.agent import Formula
from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.poker.rules import Action, GameDefinition, HandState, HandView, load_game
from tests.support.benchmarks import BenchmarkParser, how_many, known_bot, known_game


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
    won = np.zeros((players, deals))
    for shift in shifts:
        agents = [make_bot(specs[(seat - shift) % players]) for seat in range(players)]
        results: list[tuple[float, ...]] = []

        def keep(_: HandState, chips: tuple[float, ...], into: list[tuple[float, ...]] = results) -> None:
            into.append(chips)

        Arena(game, agents, seed).play(deals, on_hand=keep)
        for hand, chips in enumerate(results):
            for player in range(players):
                position = (player + shift - hand) % players
                won[player, hand] += chips[position] / len(shifts)
    return won


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


def time_decisions(game_name: str, against: str, hands: int, seed: int) -> dict[str, float]:
    """CPU time of one formula bot's decisions, in milliseconds."""
    game = load_game(game_name)
    agent = Timed()
    Arena(game, [agent, *(make_bot(against) for _ in range(game.num_players - 1))], seed).play(hands)
    milliseconds = 1000 * np.array(agent.seconds)
    return {
        "decisions": float(len(milliseconds)),
        "median_ms": float(np.median(milliseconds)),
        "p99_ms": float(np.quantile(milliseconds, 0.99)),
        "learning_ms_per_hand": 1000 * agent.other / hands,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    parser = BenchmarkParser("bench_formula", __doc__)
    parser.add_argument("game", nargs="?", type=known_game, default="limit-2p")
    parser.add_argument("players", nargs="*", type=known_bot, default=["formula", "always-call"])
    parser.add_argument("--deals", type=how_many, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passes", type=how_many, help="rotations, at most one for each seat (the default)")
    parser.add_argument("--groups", action="store_true", help="two kinds in turn, two passes")
    parser.add_argument("--time", action="store_true", help="the time of decisions against the last player")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    game = load_game(options.game)
    specs: list[str] = options.players or ["formula", "always-call"]
    if options.time:
        timed = time_decisions(options.game, specs[-1], options.deals, options.seed)
        print(json.dumps(timed) if options.json else " ".join(f"{k} {v:.2f}" for k, v in timed.items()))
        return
    unit, name = (game.small_bet, "sb/h") if game.small_bet else (game.big_blind, "bb/h")
    if options.groups:
        seats = [specs[seat % 2] for seat in range(game.num_players)]
        won = play_rotations(game, seats, options.deals, options.seed, (0, 1))
        mean, half = interval(won[::2].mean(axis=0) / unit)
    else:
        seats = [*specs, *[specs[-1]] * (game.num_players - len(specs))]
        passes = range(options.passes or game.num_players)
        won = play_rotations(game, seats, options.deals, options.seed, passes)
        mean, half = interval(won[0] / unit)
    report = {
        "game": options.game,
        "players": specs,
        "deals": options.deals,
        "seed": options.seed,
        "unit": name,
        "won": mean,
        "ci95": half,
    }
    if options.json:
        print(json.dumps(report))
    else:
        print(f"{options.game}: {specs[0]} against {specs[-1]}: {mean:+.3f} +- {half:.3f} {name}")


if __name__ == "__main__":
    main()
