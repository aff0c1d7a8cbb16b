"""Hands a second of the street-learner's training loop; the target is 100,000 heads-up in limit.

``python -m tests.benchmarks.bench_street_learning``

One thread, CPU time, kernels compiled and deals at hand: what a long training runs at.  The opponents are
those of a training; against always-call alone hands are short and the values stay in the cache.

``python -m tests.benchmarks.bench_street_learning --at-a-table street.npz --hands 4000``

What a trained learner wins more at a table where it goes on learning than where it does not, on equal deals,
each played in both seats: in all, and in each quarter of the match.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from clients.core.registry import make_bot
from clients.lab.experiments.tasks import chips_by_seat
from clients.learners.training import make_learner, release
from engine.learning.deal_pool import DealPool, PoolSize, make_pool
from engine.learning.street import ActionValues, population, train
from engine.poker.rules import load_game
from tests.benchmarks.bench_formula import interval
from tests.engine.learning.pools import CALLER
from tests.support.benchmarks import BenchmarkParser, how_many
from tests.support.strangers import STRANGERS

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


def won_at_a_table(file: Path, other: str, learns: bool, hands: int, seed: int) -> NDArray[np.float64]:
    """What a trained learner wins of another player a hand on each deal, in small bets, shape (deals,)."""
    game = load_game("limit-2p")
    won = np.zeros(hands // 2)
    for seat in (0, 1):
        with TemporaryDirectory() as folder:
            copy = shutil.copy(file, Path(folder) / "knowledge.npz")
            learner = make_learner("street-learner", Path(copy), learn=learns)
            opponent = STRANGERS[other]() if other in STRANGERS else make_bot(other)
            agents = [learner, opponent] if seat == 0 else [opponent, learner]
            won += chips_by_seat(game, agents, seed, len(won))[:, seat]
            release(learner)
    return won / (2 * (game.small_bet or 1))


def print_gains(file: Path, hands: int) -> None:
    """What learning on is worth, against each of some players."""
    print(f"small bets a hand, {hands} hands against each: learning off, on, on less off; by quarter")
    for other in ("simple", "hand-strength", "random", "always-call", "limper", "folds-by-size"):
        frozen, learning = (won_at_a_table(file, other, learns, hands, 5) for learns in (False, True))
        gain = learning - frozen
        parts = [interval(each) for each in (frozen, learning, gain, *np.array_split(gain, 4))]
        print(other.ljust(16), "  ".join(f"{mean:+.3f} +- {half:.3f}" for mean, half in parts), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = BenchmarkParser("bench_street_learning", __doc__)
    parser.add_argument("--hands", type=how_many, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--at-a-table", type=Path, metavar="FILE", help="of a learner trained in limit-2p")
    options = parser.parse_args(arguments)
    if options.at_a_table is not None:
        if not options.at_a_table.is_file():
            parser.error(f"expected a knowledge file, got {options.at_a_table}")
        print_gains(options.at_a_table, max(8, options.hands))
        return
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
