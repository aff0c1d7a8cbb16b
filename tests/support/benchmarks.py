"""What benchmarks share: tables of tasks and their peers, measured in turns, and their command lines.

A *figure* is a function that measures once.  Figures take turns, so that whatever else the machine does hits
all of them, and medians are shown.
"""

import argparse
import os
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn, TypeVar

import attrs
from rich.console import Console
from rich.table import Table

from clients.core.agent import Agent
from engine.poker.rules import GameDefinitionError, load_game, no_such_game

MOST: Final = 1_000_000_000
"""The greatest number on a command line."""
LONG_S: Final = 1.0
"""What takes longer than this is measured three times at the most."""
_SCALES: Final = {"ns": 1e9, "µs": 1e6, "ms": 1e3, "s": 1.0}

Figure = Callable[[], float]
Key = TypeVar("Key")
Result = TypeVar("Result")


def quartered(values: Sequence[float]) -> tuple[Sequence[int], Sequence[int]]:
    """The places of those in the middle, one or two, and of the lowest quarter, rounded up."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    return order[(len(order) - 1) // 2 : len(order) // 2 + 1], order[: -(-len(order) // 4)]


def seconds(work: Callable[[], object], items: int = 1) -> Figure:
    """The CPU time of this thread for one of the items of which `work` does so many."""

    def measure() -> float:
        start = time.thread_time()
        work()
        return (time.thread_time() - start) / items

    return measure


def repeated(work: Callable[[], object], calls: int) -> Figure:
    """The CPU time of this thread for one of many calls."""

    def run() -> None:
        for _ in range(calls):
            work()

    return seconds(run, calls)


def rate(work: Callable[[], object], items: float) -> Figure:
    """Items a second of CPU time, of which `work` does so many."""
    measure = seconds(work)
    return lambda: items / measure()


def in_turns(measures: Mapping[Key, Callable[[], Result]], runs: int) -> dict[Key, list[Result]]:
    """The results of functions that take turns, to and fro; by what they are called."""
    results: dict[Key, list[Result]] = {key: [] for key in measures}
    for run in range(runs):
        for key in list(measures)[:: -1 if run % 2 else 1]:
            results[key].append(measures[key]())
    return results


def child_seconds() -> float:
    """The CPU time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def process_times(pid: int) -> tuple[float, float]:
    """The CPU time of a running process so far, user and system; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # all but Linux
        return 0.0, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks


def process_seconds(pid: int) -> float:
    """The sum of both."""
    return sum(process_times(pid))


def riverboat() -> list[str]:
    """The installed program, else the same module of this tree."""
    script = shutil.which("riverboat", path=str(Path(sys.executable).parent))
    return [script] if script else [sys.executable, "-m", "server"]


def memory_kib(pid: int) -> int:
    """The resident memory of a running process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


@attrs.frozen
class Task:
    """A line of a table."""

    name: str
    figure: Figure
    """Seconds for something, or a rate."""
    unit: str
    """In which seconds are shown; what a rate counts."""
    goal: str = ""
    """What the project set itself, on a quiet machine."""
    peers: Mapping[str, Figure] = attrs.field(factory=dict)
    """By name, the same of others."""

    def cells(self, runs: int) -> tuple[str, ...]:
        """Measured: the cells of the line.  A ratio is how many times as fast we are."""
        figures = {"": self.figure, **self.peers}
        start = time.perf_counter()
        in_turns(figures, 1)  # compiles and loads
        is_long = time.perf_counter() - start > LONG_S
        medians = {
            name: statistics.median(found)
            for name, found in in_turns(figures, min(runs, 3) if is_long else runs).items()
        }
        ours = medians.pop("")
        scale, is_time = _SCALES.get(self.unit, 1.0), self.unit in _SCALES

        def text(figure: float) -> str:
            shown = figure * scale
            return f"{shown:.3g}" if shown < 1000 else f"{shown:,.0f}"

        return (
            self.name, f"{text(ours)} {self.unit}", self.goal,
            ", ".join(f"{name} {text(peer)}" for name, peer in medians.items()),
            ", ".join(f"{peer / ours if is_time else ours / peer:.1f}" for peer in medians.values()),
        )  # fmt: skip


def show(title: str, tasks: Iterable[Task], runs: int) -> None:
    """Measure tasks and print their table."""
    table = Table("task", title=title)
    for column in ("ours", "goal", "peers", "ratio"):
        table.add_column(column, justify="right")
    for task in tasks:
        table.add_row(*task.cells(runs))
    Console(width=130).print(table)


class BenchmarkParser(argparse.ArgumentParser):
    """Reads the command line of a benchmark.

    Args:
        module: the name of its ``__spec__``, or another name.
        words: its docstring, which is shown unchanged.
        counts: options with a number of 1 or more, and their defaults.
    """

    def __init__(self, module: str, words: str | None, **counts: int) -> None:
        super().__init__(
            prog=f"python -m tests.benchmarks.{module}",
            description=words,
            formatter_class=argparse.RawTextHelpFormatter,
            allow_abbrev=False,
        )
        for name, default in counts.items():
            self.add_argument(f"--{name}", type=how_many, default=default, help="(%(default)s)")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and exit with status 2."""
        line = " ".join(message.split())
        self.exit(2, f"{self.prog.rpartition('.')[2]}: {line}; see --help\n")


def how_many(text: str) -> int:
    """The whole number of a text, 1 or more."""
    if not (text.isascii() and text.isdecimal() and 0 < len(text) < 20 and 1 <= int(text) <= MOST):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MOST}, got {text!r}")
    return int(text)


def known_game(text: str) -> str:
    """The name of a game that exists."""
    try:
        load_game(text)
    except GameDefinitionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except OSError as error:
        raise argparse.ArgumentTypeError(no_such_game(text, error.strerror or "no such file")) from None
    return text


def known_bot(text: str) -> str:
    """The text of an installed bot with its options, as in `riverboat match`."""
    from clients.core.registry import make_bot

    try:
        make_bot(text)
    except (LookupError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def known_player(text: str) -> str:
    """The name of one of ``tests.support.strangers``, or the text of an installed bot."""
    from tests.support.strangers import STRANGERS

    return text if text in STRANGERS else known_bot(text)


def make_player(text: str) -> Agent:
    """One of ``tests.support.strangers``, or an installed bot with its options."""
    from clients.core.registry import make_bot
    from tests.support.strangers import STRANGERS

    return STRANGERS[text]() if text in STRANGERS else make_bot(text)


def known_file(text: str) -> Path:
    """The path of a file that is there."""
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path


def known_tree(text: str) -> Path:
    """A folder with the sources of a version."""
    tree = Path(text).resolve()
    if not (tree / "server" / "__main__.py").is_file():
        raise argparse.ArgumentTypeError(f"expected a folder with a tree of Riverboat, got {text!r}")
    return tree
