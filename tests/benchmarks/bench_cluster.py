"""How many hands the workers of a Dask cluster play: one worker beside two, in turns.

    python -m tests.benchmarks.bench_cluster
    python -m tests.benchmarks.bench_cluster --in-process -p formula:model=generic -p hand-strength

A cluster of two workers of one thread each is started on this machine, and stays: neither its start nor a
client's is in any figure.  Then a tournament of two players is played by one worker, by two, by two, by one,
and so on, so that whatever else the machine does hits both.  A match is a task; its start, and that of its
players, is in the figures, as it is in every tournament.  CPU time is that of the workers' processes with all
their children, the house's own left out.  Needs dask and distributed (`pip install 'riverboat[cluster]'`).
"""

import itertools
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import trio
from rich.console import Console
from rich.table import Table

from server.commands.league.tournament import cluster_runner
from server.league.house import Folder, play
from server.league.plan_file import parse_plan
from tests.support.benchmarks import BenchmarkParser, how_many, in_turns, known_bot, known_game

TASK_S: Final = 8.0
PLAYERS: Final = ("formula:model=generic", "hand-strength")
_TRIAL_HANDS: Final = 100


@attrs.frozen
class Spent:
    """What a tournament took."""

    hands: int
    seconds: float
    """By the clock."""
    cpu: float
    """Of the workers and all that they started."""
    task_s: float
    """A match, on average, from its first hand to its last."""
    load: float
    """How many processes wanted to run in the minute before."""


@attrs.frozen
class Bench:
    """Tournaments that differ in the number of workers alone."""

    client: Any
    """A ``distributed.Client``."""
    game: str
    players: Sequence[str]
    in_process: bool
    folder: Path

    def run(self, name: str, hands: int, matches: int, workers: int) -> Spent:
        """Play one."""
        file = self._file(name, hands, matches)
        plan = parse_plan(file, Path("bench.toml"))
        load = os.getloadavg()[0]
        folder = Folder.open(self.folder / name, plan, file, print, resume=False)
        try:
            runner = cluster_runner(folder, self.client, "here")
            before, began = self._cpu(), time.monotonic()
            trio.run(play, folder, runner, workers)
            seconds, cpu = time.monotonic() - began, self._cpu() - before
            played = folder.played.values()
            task_s = statistics.mean(each.seconds for each in played)
            return Spent(sum(each.hands for each in played), seconds, cpu, task_s, load)
        finally:
            folder.close()

    def find_hands(self) -> int:
        """As many as make a match take `TASK_S`."""
        hands = _TRIAL_HANDS
        while True:
            task_s = self.run(f"trial-{hands}", hands, 2, 2).task_s
            if task_s > TASK_S / 4:
                return max(1, round(hands * TASK_S / task_s))
            hands = round(hands * min(10.0, TASK_S / max(task_s, 1e-3)))

    def _file(self, name: str, hands: int, matches: int) -> str:
        head = (
            f'[tournament]\nname = "{name}"\nformat = "round-robin"\nseed = 7\n'
            f"in_process = {str(self.in_process).lower()}\n"
            f'[game]\ngame = "{self.game}"\nhands = {hands}\nduplicate = false\nmatches = {matches}\n'
        )
        return head + "".join(
            [f'[[players]]\nname = "p{k}"\nplayer = "{each}"\n' for k, each in enumerate(self.players)]
        )

    def _cpu(self) -> float:
        """Seconds that the workers have used so far, with all their children that have ended."""
        return sum(sum(times[:4]) for times in self.client.run(_times).values())


def _times() -> tuple[float, ...]:
    return tuple(os.times())


def show(spent: Sequence[tuple[Spent, Spent]]) -> None:
    """Print what one worker and two have come to."""
    table = Table("workers", "hands/s", "hands/CPU s", "hands a core-hour", "s of play a match", "load")
    for number, runs in enumerate(zip(*spent, strict=True), 1):
        by_cpu = statistics.median(each.hands / each.cpu for each in runs)
        table.add_row(
            str(number),
            f"{statistics.median(each.hands / each.seconds for each in runs):,.0f}",
            f"{by_cpu:,.0f}",
            f"{3600 * by_cpu:,.0f}",
            f"{statistics.median(each.task_s for each in runs):.1f}",
            f"{statistics.median(each.load for each in runs):.1f}",
        )
    Console().print(table)
    by_clock = [two.hands / two.seconds / (one.hands / one.seconds) for one, two in spent]
    by_cpu_time = [two.hands / two.cpu / (one.hands / one.cpu) for one, two in spent]
    busy = [one.cpu / one.seconds for one, _ in spent]
    print(f"two workers play {statistics.median(by_clock):.2f} times the hands of one by the clock")
    print(f"  in turns: {', '.join(f'{each:.2f}' for each in by_clock)}; expected at least 1.7")
    print(f"  and {statistics.median(by_cpu_time):.2f} times the hands of one by CPU time")
    print(f"one worker keeps {statistics.median(busy):.2f} of {os.cpu_count()} processors busy")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_cluster", __doc__, matches=6, rounds=3)
    parser.add_argument("--game", type=known_game, default="limit-2p", help="of two players (%(default)s)")
    parser.add_argument(
        "--player", "-p", action="append", type=known_bot, help=f"twice ({' and '.join(PLAYERS)})"
    )
    parser.add_argument("--in-process", action="store_true", help="matches without sockets")
    parser.add_argument("--hands", type=how_many, help=f"of a match (as many as take {TASK_S:g} s)")
    options = parser.parse_args(arguments)
    players = options.player or PLAYERS
    if len(players) != 2:
        parser.error("--player: expected two players")
    try:
        import distributed
    except ImportError:
        parser.error("needs dask and distributed: pip install 'riverboat[cluster]'")
    warnings.filterwarnings("ignore", module="distributed")
    dask: Any = distributed  # it has no types
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        dask.Client(cluster, set_as_default=False) as client,
    ):
        bench = Bench(client, options.game, players, options.in_process, Path(folder))
        hands = options.hands or bench.find_hands()
        print(f"{options.game}, {' v '.join(players)}: {options.matches} matches of {hands:,} hands a turn")
        names = (f"turn-{turn}" for turn in itertools.count())

        def played(workers: int) -> Callable[[], Spent]:
            return lambda: bench.run(next(names), hands, options.matches, workers)

        spent = in_turns({workers: played(workers) for workers in (1, 2)}, options.rounds)
    show(list(zip(spent[1], spent[2], strict=True)))


if __name__ == "__main__":
    main()
