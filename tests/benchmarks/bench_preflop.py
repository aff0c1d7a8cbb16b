"""Roll-outs, odds and the commands' start: ``python -m tests.benchmarks.bench_preflop``.

One thread, CPU time; commands by the clock too.  Medians of some repetitions after a first call that loads or
compiles.
"""

import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from engine.hands.hand_odds import joint_hand_odds, raw_hand_odds
from engine.hands.preflop.game import call_or_fold_game, exact_matchups, limit_game, solve
from engine.hands.preflop.roll_outs import iterated_income_rates, roll_out_income_rates
from engine.hands.reflective_odds import playable_before_flop, reflective_hand_odds
from engine.poker.cards import parse_cards
from tests.support.benchmarks import BenchmarkParser, Task, child_seconds, rate, seconds, show
from tests.support.dealer_process import program


def command_seconds(words: Sequence[str], clock: Callable[[], float]) -> float:
    """What a command takes, on a clock."""
    start = clock()
    subprocess.run(program(*words), check=True, stdout=subprocess.DEVNULL)
    return clock() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = BenchmarkParser("bench_preflop", __doc__, runs=5).parse_args(arguments)
    hole, flop = parse_cards("7h9h"), parse_cards("8h6c4h")
    weights, matchups = playable_before_flop(0.25), exact_matchups()
    rng = np.random.default_rng(1)
    joint = rate(lambda: joint_hand_odds(hole, flop, rng=rng), 200_000)
    plain = rate(lambda: roll_out_income_rates(10, 500_000, rng), 500_000)
    reflective = seconds(lambda: reflective_hand_odds(hole, flop, weights, 3))
    limit = seconds(lambda: solve(limit_game(), matchups, max_exploitability=0.1))
    iterated = seconds(lambda: iterated_income_rates(10, rng))
    tasks = [
        Task("raw hand odds on a flop, 1 to 9 opponents", seconds(lambda: raw_hand_odds(hole, flop)), "ms"),
        Task("reflective hand odds on a flop, 3 opponents", reflective, "ms"),
        Task("hand odds dealt together on a flop, 1 to 9", joint, "deals/s"),
        Task("plain roll-out, ten players", plain, "deals/s"),
        Task("iterated roll-outs, ten players, the paper's size", iterated, "s", "30 s"),
        Task("call or fold, to 0.01 mbb/h", seconds(lambda: solve(call_or_fold_game(), matchups)), "s"),
        Task("two-player limit game, to 0.1 mbb/h", limit, "s"),
    ]
    for words, goal in ((("odds", "7h9h", "8h6c4h"), "1.0 s"), (("preflop",), "")):
        command = partial(command_seconds, words)
        tasks.append(Task(f"riverboat {' '.join(words)}", partial(command, time.perf_counter), "s", goal))
        tasks.append(Task("  of that CPU", partial(command, child_seconds), "s"))
    show("Before the flop", tasks, options.runs)


if __name__ == "__main__":
    main()
