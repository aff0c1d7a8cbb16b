"""Solving Leduc: iterations a second beside OpenSpiel's C++ in the same run, one thread, CPU time.

python -m tests.benchmarks.bench_equilibrium
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import pyspiel

from engine.poker.rules import load_game
from engine.solving.game_tree import game_tree
from engine.solving.solver import Solver
from engine.solving.strategies import exploitability
from tests.support.benchmarks import BenchmarkParser


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _iterate(solver: pyspiel.ExternalSamplingMCCFRSolver, times: int) -> None:
    for _ in range(times):
        solver.run_iteration()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    BenchmarkParser("bench_equilibrium", __doc__).parse_args(arguments)
    tree = game_tree(load_game("leduc"))
    for algorithm in ("cfr+", "mcfr"):
        Solver(tree, algorithm).run(1)  # compiles
    for _ in range(3):
        plus, ours = Solver(tree), Solver(tree, "mcfr", seed=1)
        theirs = pyspiel.ExternalSamplingMCCFRSolver(
            pyspiel.load_game("leduc_poker"), 1, pyspiel.MCCFRAverageType.SIMPLE
        )
        took = seconds(partial(plus.run, 1000))
        rate = 200_000 / seconds(partial(ours.run, 200_000))
        peer = 3000 / seconds(partial(_iterate, theirs, 3000))
        found = 1000 * exploitability(tree, plus.average().policy).mean
        print(
            f"CFR+: 1000 iterations in {took:.3f} s, {found:.4f} mA; external sampling: {rate:,.0f} "
            f"a second, OpenSpiel {peer:,.0f}, ratio {rate / peer:.1f}"
        )


if __name__ == "__main__":
    main()
