"""Hands a second of long trainings: the street-learner's, and the thesis's learners' in the compiled loop.

``python -m tests.benchmarks.bench_learners``

One thread, CPU time, kernels compiled and deals at hand.  The street-learner's opponents are those of a
training; against always-call alone hands are short and the values stay in the cache.  The peer of the
compiled loop is the arena, which plays the same hands of a learner in one seat and the bot in five others.

``python -m tests.benchmarks.bench_learners --at-a-table street.npz --hands 4000``

What a trained learner wins more at a table where it goes on learning than where it does not, on equal deals,
each played in both seats: in all, and in each quarter of the match.
"""

import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clients.lab.experiments.harness import LineUp
from clients.learners.training import Table, make_learner, release
from engine.learning.deal_pool import DealPool, PoolSize, make_pool
from engine.learning.street import ActionValues, population, train
from engine.poker.rules import load_game
from tests.benchmarks.bench_formula import interval
from tests.engine.learning.pools import CALLER
from tests.support.benchmarks import BenchmarkParser, Task, known_file, make_player, rate, show

GOALS: Final = {
    "limit-2p": "100,000", "nolimit-2p-100bb": "", "nolimit-2p": "", "limit-6p": "", "nolimit-6p": "",
}  # fmt: skip
"""By game, of the street-learner."""
TRAININGS: Final = (
    ("hole-cards-learner", "always-all-in"), ("hole-cards-learner", "hand-strength:plain"),
    ("poker-learner", "always-call"), ("poker-learner", "simple:preflop-only"),
)  # fmt: skip
"""The learner, and the bot in the five other seats."""
_MANY: Final = 10_000_000
"""Hands that are announced to have the compiled loop play."""


def street_tasks(hands: int) -> Iterator[Task]:
    """The street-learner's lines."""
    pools = {2: make_pool(2, 1), 6: make_pool(6, 1, PoolSize(flops=128))}
    for name, goal in GOALS.items():
        game = load_game(name)
        everybody = population(1000, game.is_limit, np.random.default_rng(1))
        for label, opponents in (("population", everybody), ("always-call", CALLER)):
            learnt = ActionValues.unlearnt(game)
            play = partial(_train, learnt, pools[game.num_players], hands, opponents)
            yield Task(f"{name}: street-learner against {label}", rate(play, hands), "hands/s", goal)


def _train(learnt: ActionValues, pool: DealPool, hands: int, opponents: NDArray[np.float64]) -> None:
    for _ in train(learnt, pool, hands, 1, opponents=opponents):
        pass


def loop_tasks(hands: int) -> Iterator[Task]:
    """The compiled loop's lines."""
    game = load_game("nolimit-6p-100bb")
    for learner, bot in TRAININGS:
        arena, loop = (Table(make_learner(learner, None), game, (bot,) * 5, 7, many) for many in (0, _MANY))
        speeds = [rate(partial(table.play, hands), hands) for table in (loop, arena)]
        yield Task(f"six seats: {learner} against {bot}", speeds[0], "hands/s", "", {"arena": speeds[1]})
        assert arena.winnings == loop.winnings


def print_gains(file: Path, hands: int) -> None:
    """What learning on is worth, against each of some players."""
    game = load_game("limit-2p")

    def won(other: str, learns: bool) -> NDArray[np.float64]:
        with TemporaryDirectory() as folder:
            copies = [shutil.copy(file, Path(folder) / f"{number}.npz") for number in (0, 1)]
            learners = [make_learner("street-learner", Path(copy), learn=learns) for copy in copies]
            left = iter(learners)
            found = LineUp(1, 2).play(
                game,
                lambda seats: [next(left) if is_first else make_player(other) for is_first in seats],
                5,
                hands // 2,
            )
            for learner in learners:
                release(learner)
            return found

    print(f"small bets a hand, {hands} hands against each: learning off, on, on less off; by quarter")
    for other in ("simple", "hand-strength", "random", "always-call", "limper", "folds-by-size"):
        frozen, learning = won(other, learns=False), won(other, learns=True)
        gain = learning - frozen
        parts = [interval(each) for each in (frozen, learning, gain, *np.array_split(gain, 4))]
        print(other.ljust(16), "  ".join(f"{mean:+.3f} +- {half:.3f}" for mean, half in parts), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_learners", __doc__, hands=1_000_000, repeats=3)
    parser.add_argument(
        "--at-a-table", type=known_file, metavar="FILE", help="of a learner trained in limit-2p"
    )
    options = parser.parse_args(arguments)
    if options.at_a_table is not None:
        print_gains(options.at_a_table, max(8, options.hands))
        return
    show("street-learner, CPU time", street_tasks(options.hands), options.repeats)
    show("compiled loop, CPU time", loop_tasks(max(1, options.hands // 200)), options.repeats)


if __name__ == "__main__":
    main()
