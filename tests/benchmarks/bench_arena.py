"""Hands a second in the arena; the target is 50 000 with two always-call agents in heads-up limit.

``python -m tests.benchmarks.bench_arena``
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from engine.poker.rules import Action, HandView, load_game
from tests.support.benchmarks import BenchmarkParser, how_many

TARGET = 50_000


class Watcher(AlwaysCall):
    """Calls, and has every hook."""

    def hand_started(self, view: HandView) -> None:
        """Looks at it."""

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Looks at it."""

    def hand_finished(self, view: HandView) -> None:
        """Asks what was won."""
        view.chips_won()


CASES: tuple[tuple[str, str, Callable[[], Agent]], ...] = (
    ("always-call", "limit-2p", AlwaysCall),
    ("always-raise", "limit-2p", AlwaysRaise),
    ("random", "limit-2p", Random),
    ("all hooks", "limit-2p", Watcher),
    ("random", "nolimit-6p", Random),
)


def hands_per_second(game_name: str, factory: Callable[[], Agent], hands: int, repeats: int) -> float:
    """The best of some runs, in CPU time of this process."""
    game = load_game(game_name)
    best = float("inf")
    for _ in range(repeats):
        arena = Arena(game, [factory() for _ in range(game.num_players)], 7)
        start = time.process_time()
        arena.play(hands)
        best = min(best, time.process_time() - start)
    return hands / best


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = BenchmarkParser("bench_arena", __doc__)
    parser.add_argument("--hands", type=how_many, default=5000)
    parser.add_argument("--repeats", type=how_many, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows = [
        {"agents": name, "game": game, "hands_per_second": hands_per_second(
            game, factory, options.hands, options.repeats)}
        for name, game, factory in CASES
    ]  # fmt: skip
    if options.json:
        print(json.dumps({"target": TARGET, "cases": rows}))
        return
    print(f"hands/s of CPU time, target {TARGET} (always-call)")
    for row in rows:
        print(f"{row['agents']:<14} {row['game']:<12} {row['hands_per_second']:>8.0f}")


if __name__ == "__main__":
    main()
