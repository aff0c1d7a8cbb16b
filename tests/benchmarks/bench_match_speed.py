"""What a match costs its house, in this tree and in others: CPU time an action, in interleaved runs.

    git worktree add /tmp/before d3626d7
    python -m tests.benchmarks.bench_match_speed /tmp/before

Two of the cheapest clients that there are call heads-up limit hold'em through; nobody makes a report.  What a
match of one hand takes is taken off.  Trees take turns, so that whatever else the machine does hits all.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.support.benchmarks import BenchmarkParser, in_turns, known_tree

_ACTIONS: Final = 8
# Of a hand that is called through.
_HERE: Final = Path(__file__).parents[2]
_CLIENT: Final = _HERE / "tests" / "support" / "cheap_client.py"


def house_seconds(tree: Path, hands: int) -> float:
    """CPU seconds of the house of one match, its players left out."""
    luck = ["--luck", "off"] if (tree / "engine" / "evidence").is_dir() else []
    words = ["limit-2p", "A=wait", "B=wait", "--hands", str(hands), "--seed", "1", "--json", *luck]
    with tempfile.TemporaryDirectory() as folder:
        match = subprocess.Popen(
            [sys.executable, "-m", "server", "match", *words, "--out", folder],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert match.stderr is not None
        clients: list[subprocess.Popen[bytes]] = []
        while len(clients) < 2:
            said = match.stderr.readline()
            if not said:
                raise SystemExit(f"the match of {tree} did not open its ports")
            if "waiting for a player on" in said:
                clients.append(
                    subprocess.Popen([sys.executable, str(_CLIENT), "127.0.0.1", said.split()[-1]])
                )
        _, status, usage = os.wait4(match.pid, 0)
        for client in clients:
            client.wait()
    if status:
        raise SystemExit(f"the match of {tree} failed")
    return usage.ru_utime + usage.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_match_speed", __doc__, hands=4000, rounds=9)
    parser.add_argument("trees", nargs="*", type=known_tree, metavar="FOLDER", help="trees to compare with")
    options = parser.parse_args(arguments)
    if options.hands < 2:
        parser.error("--hands: expected 2 or more, since what a match of one takes is taken off")
    hands: int = options.hands

    def action_us(tree: Path) -> float:
        return (house_seconds(tree, hands) - house_seconds(tree, 1)) / (hands * _ACTIONS) * 1e6

    spent = in_turns({tree: partial(action_us, tree) for tree in (_HERE, *options.trees)}, options.rounds)
    table = Table(
        "tree", "CPU an action, median", "least", title=f"{options.rounds} × {hands} hands of limit-2p"
    )
    for tree, costs in spent.items():
        table.add_row(str(tree), f"{statistics.median(costs):.1f} µs", f"{min(costs):.1f} µs")
    Console().print(table)
    if len(spent) > 1:
        pairs = [ours / other for ours, other in zip(*list(spent.values())[:2], strict=True)]
        print(f"this tree takes {statistics.median(pairs):.3f} of the other's time (median of pairs)")


if __name__ == "__main__":
    main()
