"""Roll-outs, odds and the commands' start: ``python -m tests.benchmarks.bench_preflop``.

One thread; medians of some repetitions after a first call that loads or compiles.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from engine.hands.hand_odds import joint_hand_odds, raw_hand_odds
from engine.hands.preflop.game import call_or_fold_game, exact_matchups, limit_game, solve
from engine.hands.preflop.roll_outs import iterated_income_rates, roll_out_income_rates
from engine.hands.reflective_odds import playable_before_flop, reflective_hand_odds
from engine.poker.cards import parse_cards
from tests.support.benchmarks import BenchmarkParser


def seconds(run: Callable[[], object], repetitions: int = 5) -> float:
    """The median time of a call, the first one not counted."""
    run()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def command_seconds(*arguments: str) -> tuple[float, float]:
    """Median wall and CPU time of a command that has run before."""
    program = [sys.executable, "-m", "server", *arguments]
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    walls, cpus = [], []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(walls), statistics.median(cpus)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    BenchmarkParser("bench_preflop", __doc__).parse_args(arguments)
    hole, flop = parse_cards("7h9h"), parse_cards("8h6c4h")
    weights = playable_before_flop(0.25)
    rng = np.random.default_rng(1)
    matchups = exact_matchups()
    deals = 500_000
    rows = [
        (
            "raw hand odds on a flop, 1 to 9 opponents",
            seconds(lambda: raw_hand_odds(hole, flop)) * 1e3,
            "ms",
            "",
        ),
        (
            "reflective hand odds on a flop, 3 opponents",
            seconds(lambda: reflective_hand_odds(hole, flop, weights, 3)) * 1e3,
            "ms",
            "",
        ),
        (
            "hand odds dealt together on a flop, 1 to 9",
            200_000 / seconds(lambda: joint_hand_odds(hole, flop, rng=rng)) / 1e6,
            "M deals/s",
            "",
        ),
        (
            "plain roll-out, ten players",
            deals / seconds(lambda: roll_out_income_rates(10, deals, rng)) / 1e6,
            "M deals/s",
            "",
        ),
        (
            "iterated roll-outs, ten players, the paper's size",
            seconds(lambda: iterated_income_rates(10, rng), 3),
            "s",
            "<= 30",
        ),
        (
            "two-player call or fold, to 0.01 mbb/h",
            seconds(lambda: solve(call_or_fold_game(), matchups), 3),
            "s",
            "",
        ),
        (
            "two-player limit game, to 0.1 mbb/h",
            seconds(lambda: solve(limit_game(), matchups, max_exploitability=0.1), 3),
            "s",
            "",
        ),
    ]
    for words, target in ((("odds", "7h9h", "8h6c4h"), "<= 1.0"), (("preflop",), "")):
        wall, cpu = command_seconds(*words)
        rows.append((f"riverboat {' '.join(words)}", wall, "s", target))
        rows.append(("  of that CPU", cpu, "s", ""))
    for name, value, unit, target in rows:
        print(f"{name:<52} {value:>9.3f} {unit:<10} {target}")


if __name__ == "__main__":
    main()
