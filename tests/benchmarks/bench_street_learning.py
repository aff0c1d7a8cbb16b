"""Hands a second of the street-learner's training loop; the target is 100,000 heads-up in limit.

``python -m tests.benchmarks.bench_street_learning``

One thread, CPU time, kernels compiled and deals at hand: what a long training runs at.  The opponents are
those of a training; against always-call alone hands are short and the values stay in the cache.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.learning.deal_pool import DealPool, PoolSize, make_pool
from engine.learning.street import ActionValues, population, train
from engine.rules import load_game
from tests.engine.learning.pools import CALLER
from tests.support.benchmarks import BenchmarkParser, how_many

TARGET = 100_000

GAMES = ("limit-2p", "nolimit-2p-100bb", "nolimit-2p", "limit-6p", "nolimit-6p")


def hands_per_second(
    game_name: str, pool: DealPool, hands: int, opponents: NDArray[np.float64] | None
) -> float:
    """After as many hands that are not timed."""
    learnt = ActionValues.unlearnt(load_game(game_name))
    for _ in train(learnt, pool, hands, 1, opponents=opponents):
        pass
    start = time.thread_time()
    for _ in train(learnt, pool, hands, 1, opponents=opponents):
        pass
    return hands / (time.thread_time() - start)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = BenchmarkParser("bench_street_learning", __doc__)
    parser.add_argument("--hands", type=how_many, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    start = time.thread_time()
    pools = {2: make_pool(2, 1)}
    dealing = time.thread_time() - start
    pools[6] = make_pool(6, 1, PoolSize(flops=128))
    rows = []
    for name in GAMES:
        game = load_game(name)
        pool = pools[game.num_players]
        everybody = population(1000, game.is_limit, np.random.default_rng(1))
        for label, opponents in (("population", everybody), ("always-call", CALLER)):
            speed = hands_per_second(name, pool, options.hands, opponents)
            rows.append({"game": name, "opponents": label, "hands_per_second": speed})
    if options.json:
        print(json.dumps({"target": TARGET, "seconds_dealing": dealing, "cases": rows}))
        return
    print(f"a pool of {len(pools[2])} deals for two players: {dealing:.1f} s")
    print(f"hands/s of CPU time, target {TARGET} (limit-2p)")
    for row in rows:
        print(f"{row['game']:<18} {row['opponents']:<12} {row['hands_per_second']:>9.0f}")


if __name__ == "__main__":
    main()
