"""A match over sockets, in-process, and shared out among processes; and what it takes to go on with one.

``python -m tests.benchmarks.bench_in_process``

CPU time is that of the house and of all players, from start to end, less that of a match of one hand.
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support.benchmarks import BenchmarkParser, child_seconds
from tests.support.dealer_process import program, run_to_end

MATCHES = (
    ("limit-2p", "always-call", "always-call"),
    ("limit-2p", "hand-strength", "random"),
    ("limit-2p", "formula:model=generic", "hand-strength"),
)
WAYS = {"sockets": "", "in-process": "--in-process", "2 processes": "--in-process --jobs 2"}


def played(folder: Path, *words: str) -> tuple[float, float]:
    """CPU seconds of a match and its hands a second by the clock, once everybody sits."""
    before = child_seconds()
    done = run_to_end(program("match", *words, "--json"), folder, timeout=None, check=True)
    return child_seconds() - before, json.loads(done.stdout)["hands_per_second"]


def row(folder: Path, words: Sequence[str], hands: int, way: Sequence[str]) -> tuple[float, float]:
    """CPU milliseconds a hand, and hands a second by the clock."""
    fixed = (*words, "--seed", "1", "--luck", "off", *way)
    alone, _ = played(folder, *fixed, "--hands", "1")
    cpu, speed = played(folder, *fixed, "--hands", str(hands))
    return (cpu - alone) / hands * 1e3, speed


def taken_over(folder: Path, hands: int) -> float:
    """CPU microseconds for each finished hand of a match that is resumed when all have been played."""
    words = ("limit-2p", "hand-strength", "random", "--seed", "1", "--luck", "off", "--in-process", "--out")
    costs = []
    for number in (1, hands):
        out = folder / str(number)
        played(folder, *words, out.name, "--hands", str(number))
        (out / "result.json").unlink()
        costs.append(played(folder, "--resume", out.name)[0])
    return (costs[1] - costs[0]) / (hands - 1) * 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print; over sockets it is so many hands, in-process ten times as many."""
    options = BenchmarkParser("bench_in_process", __doc__, hands=2000).parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words in MATCHES:
            least = options.hands // 4 if "formula" in words[1] else options.hands
            for label, way in WAYS.items():
                cpu, speed = row(folder, words, least * 10 if way else least, way.split())
                title = f"{' '.join(words):<42} {label:<12}"
                print(f"{title} {cpu:8.3f} ms CPU a hand {speed:8.0f} hands/s", flush=True)
        again = taken_over(folder, options.hands * 5)
    print(f"a finished hand taken over when a match is resumed: {again:.0f} µs CPU")


if __name__ == "__main__":
    main()
