"""What it costs to take luck out of results: CPU time a hand, once everything is compiled and computed.

    python -m tests.benchmarks.bench_evidence [--quick]

Hands are played in the arena and taken as they come, without reading a log; the shares of all their pots and
the regression are counted.  The pairs of hands before the flop are those of the user's cache.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence import pair_equities
from engine.evidence.columns.hands import HandColumns
from engine.evidence.estimates import Evidence
from engine.poker.rules import HandState, load_game
from tests.support.benchmarks import BenchmarkParser

HANDS: Final = 20_000
QUICK_HANDS: Final = 2_000


def per_hand(name: str, hands: int) -> float:
    """CPU seconds for one hand of a game between a player that calls and others that do anything."""
    game = load_game(name)
    n = game.num_players
    played: list[tuple[HandState, tuple[float, ...]]] = []
    arena = Arena(game, [make_bot("always-call"), *[make_bot("random") for _ in range(n - 1)]], 1)
    arena.play(hands, on_hand=lambda end, chips: played.append((end, chips)))

    def take_luck_out() -> float:
        start = time.process_time()
        evidence = Evidence(game)
        hands = HandColumns.of(game, [end for end, _ in played])
        players = (hands.numbers[:, None] + np.arange(n)) % n
        evidence.add(hands, np.array([chips for _, chips in played], float), players, hands.numbers)
        evidence.estimates()
        return time.process_time() - start

    return sorted(take_luck_out() for _ in range(3))[1] / hands


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_evidence", __doc__)
    parser.add_argument("--quick", action="store_true", help="fewer hands")
    hands = QUICK_HANDS if parser.parse_args(arguments).quick else HANDS
    pair_equities.pair_points()
    table = Table("luck taken out of a hand", "CPU", title=f"{hands} hands")
    for name in ("limit-2p", "nolimit-2p-100bb", "limit-3p", "limit-6p", "leduc"):
        table.add_row(name, f"{per_hand(name, hands) * 1e6:.0f} µs")
    start = time.process_time()
    pair_equities._compute_points()
    table.add_row("all pairs before the flop, once", f"{time.process_time() - start:.1f} s")
    Console().print(table)


if __name__ == "__main__":
    main()
