"""Hands a second of the sparring partners, hand-strength and simple, heads-up in the arena.

``python -m tests.benchmarks.bench_rule_bots``

Millions of hands are trained against them: the target is 8000 hands a second.  Always-call against itself is
the table alone; against always-call every hand has its showdown, the most work there can be.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.poker.rules import load_game
from tests.support.benchmarks import BenchmarkParser, how_many

TARGET = 8_000

GAMES = ("nolimit-2p-100bb", "limit-2p")
PAIRS = (
    ("always-call", "always-call"),
    ("hand-strength", "always-call"),
    ("simple", "always-call"),
    ("simple:preflop-only", "always-call"),
    ("hand-strength", "simple"),
    ("hand-strength", "always-all-in"),
    ("simple", "always-all-in"),
    ("simple:preflop-only", "always-all-in"),
)


def hands_per_second(game: str, players: Sequence[str], hands: int, repeats: int) -> float:
    """The best of some runs, in CPU time of this process."""
    arena = Arena(load_game(game), [make_bot(player) for player in players], 7)
    arena.play(hands)
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        arena.play(hands)
        best = min(best, time.process_time() - start)
    return hands / best


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = BenchmarkParser("bench_rule_bots", __doc__)
    parser.add_argument("--hands", type=how_many, default=5_000)
    parser.add_argument("--repeats", type=how_many, default=5)
    options = parser.parse_args(arguments)
    print(f"hands/s, target {TARGET}")
    for game in GAMES:
        for players in PAIRS:
            speed = hands_per_second(game, players, options.hands, options.repeats)
            print(f"{game:<18} {' against '.join(players):<40} {speed:>8.0f}")


if __name__ == "__main__":
    main()
