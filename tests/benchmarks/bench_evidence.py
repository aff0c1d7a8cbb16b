"""What it costs to take luck out of results: CPU time a hand, once everything is compiled and computed.

    python -m tests.benchmarks.bench_evidence [--hands N]

Hands are played in the arena and taken as they come, without reading a log; the shares of all their pots and
the regression are counted.  The pairs of hands before the flop are those of the user's cache.
"""

from collections.abc import Sequence

import numpy as np

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence import pair_equities
from engine.evidence.columns.hands import HandColumns
from engine.evidence.estimates import Evidence
from engine.poker.rules import HandState, load_game
from tests.support.benchmarks import BenchmarkParser, Task, seconds, show


def hand_task(name: str, hands: int) -> Task:
    """One hand of a game between a player that calls and others that do anything."""
    game = load_game(name)
    n = game.num_players
    played: list[tuple[HandState, tuple[float, ...]]] = []
    arena = Arena(game, [make_bot("always-call"), *[make_bot("random") for _ in range(n - 1)]], 1)
    arena.play(hands, on_hand=lambda end, chips: played.append((end, chips)))

    def take_luck_out() -> None:
        evidence = Evidence(game)
        columns = HandColumns.of(game, [end for end, _ in played])
        players = (columns.numbers[:, None] + np.arange(n)) % n
        evidence.add(columns, np.array([chips for _, chips in played], float), players, columns.numbers)
        evidence.estimates()

    return Task(name, seconds(take_luck_out, hands), "µs", "500 µs" if name == "limit-2p" else "")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = BenchmarkParser("bench_evidence", __doc__, hands=20_000, runs=3).parse_args(arguments)
    pair_equities.pair_points()
    games = ("limit-2p", "nolimit-2p-100bb", "limit-3p", "limit-6p", "leduc")
    tasks = [hand_task(name, options.hands) for name in games]
    tasks.append(Task("all pairs before the flop, once", seconds(pair_equities._compute_points), "s"))
    show("luck taken out of a hand, CPU time", tasks, options.runs)


if __name__ == "__main__":
    main()
