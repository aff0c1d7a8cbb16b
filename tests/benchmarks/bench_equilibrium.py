"""Solving Leduc: iterations a second beside OpenSpiel's C++ in the same run, one thread, CPU time.

python -m tests.benchmarks.bench_equilibrium
"""

from collections.abc import Sequence
from functools import partial

import pyspiel

from engine.poker.rules import load_game
from engine.solving.game_tree import game_tree
from engine.solving.solver import Solver
from engine.solving.strategies import exploitability
from tests.support.benchmarks import BenchmarkParser, Task, rate, repeated, seconds, show


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = BenchmarkParser("bench_equilibrium", __doc__, runs=3).parse_args(arguments)
    tree = game_tree(load_game("leduc"))
    sampling = Solver(tree, "mcfr", seed=1)
    theirs = pyspiel.ExternalSamplingMCCFRSolver(
        pyspiel.load_game("leduc_poker"), 1, pyspiel.MCCFRAverageType.SIMPLE
    )
    peer = repeated(theirs.run_iteration, 3000)
    plus = Solver(tree)
    plus.run(1000)
    found = 1000 * exploitability(tree, plus.average().policy).mean
    tasks = [
        Task(
            f"CFR+, 1000 iterations, to {found:.4f} mA", seconds(lambda: Solver(tree).run(1000)), "s", "2 s"
        ),
        Task(
            "external sampling",
            rate(partial(sampling.run, 200_000), 200_000),
            "iterations/s",
            "30 x OpenSpiel",
            {"OpenSpiel": lambda: 1 / peer()},
        ),
    ]
    show("Leduc hold'em, CPU time", tasks, options.runs)


if __name__ == "__main__":
    main()
