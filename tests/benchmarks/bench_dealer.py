"""How fast the dealer deals: ``python -m tests.benchmarks.bench_dealer [--against DEALER]``.

Heads-up limit hold'em on loopback with the log on and without a trace, against the cheapest clients: a
blocking Python process per seat that knows no rules (`tests.support.cheap_client`; one for all tables
where there are many), or the program named in ``ACPC_PLAYER``, called as ``PLAYER GAME HOST PORT``.  Another
dealer, such as the ACPC's, is measured in the same run if ``--against`` or ``ACPC_DEALER`` names its program.
CPU time is the dealer's own, from its line with the ports on.  Medians of several runs, taken in turn; the
clients and the kernel share the machine with the dealer, as they do in matches.  Instructions are those
outside the kernel, as Valgrind counts them where it is installed: what more hands cost than a few.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.poker.match_key import MatchSeed
from engine.poker.rules import game_path, load_game
from server.support.console import Console
from server.table.config import MatchConfig
from server.table.match import MatchServer
from tests.support.benchmarks import BenchmarkParser, how_many, in_turns, process_times, riverboat
from tests.support.dealer_process import environment, program

GAME: Final = "holdem.limit.2p.reverse_blinds"
NAMES: Final = ("a", "b")
CLIENT: Final = Path(__file__).parent.parent / "support" / "cheap_client.py"
STARTS: Final = 11
COUNTING: Final = (
    "valgrind", "--trace-children=yes", "--tool=cachegrind", "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
)  # fmt: skip
COUNTED_HANDS: Final = (50, 250)


@attrs.frozen
class Measurement:
    """One match, or several at once."""

    hands_per_second: float
    actions: int
    user_us: float
    """Of an action."""
    system_us: float
    """Of an action."""
    said: str
    """On stderr."""


def client_commands(ports: Sequence[Sequence[int]], game_file: str, player: str | None) -> list[list[str]]:
    """The processes that play at tables with these ports: one per seat, or one for each of the two seats."""
    if player is not None:
        return [[player, game_file, "127.0.0.1", str(port)] for table in ports for port in table]
    python = [sys.executable, "-S", "-E", str(CLIENT), "127.0.0.1"]
    return [[*python, *(str(table[seat]) for table in ports)] for seat in range(len(NAMES))]


def measure(dealer: Sequence[str], tables: int, hands: int, player: str | None, folder: Path) -> Measurement:
    """Run a dealer program that prints a line of ports for each table, and then plays them all."""
    game_file = str(game_path(GAME))
    errors = folder / "stderr"
    with errors.open("wb") as said:
        process = subprocess.Popen(dealer, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=said)
    assert process.stdout is not None
    ports = [[int(port) for port in process.stdout.readline().split()] for _ in range(tables)]
    user, system = process_times(process.pid)
    start = time.perf_counter()
    clients = [
        subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for command in client_commands(ports, game_file, player)
    ]
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    for client in clients:
        client.wait()
    assert process.returncode == 0, f"{dealer} ended with {process.returncode}"
    logs = [path.read_text() for path in folder.glob("*.log")]
    bettings = [line.split(":")[2] for log in logs for line in log.splitlines() if line.startswith("STATE:")]
    assert len(bettings) == tables * hands
    actions = sum(len(re.findall("[fcr]", betting)) for betting in bettings)
    return Measurement(
        len(bettings) / seconds,
        actions,
        (usage.ru_utime - user) / actions * 1e6,
        (usage.ru_stime - system) / actions * 1e6,
        errors.read_text(errors="replace"),
    )


def instructions(measured: Callable[[list[str], int], Measurement], dealer: Sequence[str]) -> float:
    """Those of an action, outside the kernel: what many hands take more than a few."""
    few, many = [measured([*COUNTING, *dealer], hands) for hands in COUNTED_HANDS]

    def counted(run: Measurement) -> int:
        found = re.findall(r"I +refs: +([0-9,]+)", run.said)
        assert found, run.said
        return max(int(number.replace(",", "")) for number in found)  # the others only started the dealer

    return (counted(many) - counted(few)) / (many.actions - few.actions)


def start_up_seconds(command: Sequence[str], folder: Path) -> float:
    """From starting a dealer to the line with its ports."""
    words = [*command, "m", str(game_path(GAME)), "1", "0", *NAMES, "-l"]
    start = time.perf_counter()
    with subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        seconds = time.perf_counter() - start
        process.kill()
    return seconds


def known_dealer(text: str) -> str:
    """The path of a program, from any folder."""
    path = shutil.which(text)
    if path is None:
        raise argparse.ArgumentTypeError(
            f"expected a program, the ACPC's `dealer` or one like it, got {text!r}"
        )
    return os.path.abspath(path)


async def serve(tables: int, hands: int) -> None:
    """Many tables in this process; their ports on stdout, a line each."""
    game = load_game(GAME)
    async with trio.open_nursery() as nursery:
        for number in range(tables):
            path = Path(f"m{number}.log")
            config = MatchConfig(
                f"m{number}", game, GAME, hands, MatchSeed(number), NAMES, log_path=path, quiet=True
            )
            server = MatchServer(config, Console())
            server.open()
            nursery.start_soon(server.run)
            print(*server.ports, flush=True)


def benchmark(hands: int, runs: int, acpc_dealer: str | None) -> None:
    """Measure everything, and print a table."""
    acpc_player = os.environ.get("ACPC_PLAYER")
    dealers = {"riverboat dealer": program("dealer")}
    if acpc_dealer is not None:
        dealers["the other dealer"] = [acpc_dealer]
    cases: dict[tuple[str, str, int], Callable[[], Measurement]] = {}

    def case(clients: str, tables: int, command: Sequence[str], hands: int) -> Measurement:
        player = acpc_player if clients == "acpc" else None
        with tempfile.TemporaryDirectory() as folder:
            return measure(command, tables, hands, player, Path(folder))

    def alone(clients: str, words: Sequence[str], hands: int) -> Measurement:
        command = [*words, "m", str(game_path(GAME)), str(hands), "0", *NAMES, "-q"]
        return case(clients, 1, command, hands)

    for clients in ("python", "acpc") if acpc_player else ("python",):
        for name, words in dealers.items():
            cases[name, clients, 1] = partial(alone, clients, words, hands)
        for tables in (1, 10, 100):
            each = max(10, hands // tables)
            command = [sys.executable, "-m", __spec__.name, "--serve", str(tables), "--hands", str(each)]
            cases["tables in one process", clients, tables] = partial(case, clients, tables, command, each)
    print(f"{GAME}, {hands} hands in all, medians of {runs} runs; CPU time of an action")
    print(f"{'dealer':24}{'clients':>9}{'tables':>8}{'hands/s':>10}{'user':>9}{'system':>9}{'both':>12}")
    for (name, clients, tables), measured in in_turns(cases, runs).items():
        speed = statistics.median(m.hands_per_second for m in measured)
        user = statistics.median(m.user_us for m in measured)
        system = statistics.median(m.system_us for m in measured)
        both = statistics.median(m.user_us + m.system_us for m in measured)
        print(f"{name:24}{clients:>9}{tables:>8}{speed:>10.0f}{user:>9.1f}{system:>9.1f}{both:>9.1f} us")
    if shutil.which(COUNTING[0]):
        print("\ninstructions of an action outside the kernel, one table, python clients")
        for name, words in dealers.items():
            print(f"{name:24}{instructions(partial(alone, 'python'), words):>10,.0f}")
    starts = {"python -m server dealer": program("dealer"), "riverboat dealer": [*riverboat(), "dealer"]}
    if acpc_dealer is not None:
        starts["the other dealer"] = [acpc_dealer]
    print(f"\nfrom start to the line with the ports, median of {STARTS}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = {name: partial(start_up_seconds, command, folder) for name, command in starts.items()}
        for name, seconds in in_turns(start, STARTS).items():
            print(f"{name:24}{statistics.median(seconds) * 1000:>8.0f} ms")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line; the hands are those of all tables together."""
    parser = BenchmarkParser("bench_dealer", __doc__, hands=4000, runs=5)
    parser.add_argument(
        "--against",
        type=known_dealer,
        metavar="DEALER",
        default=os.environ.get("ACPC_DEALER"),
        help="a dealer with the ACPC's command line: its `dealer`, as its Makefile builds it ($ACPC_DEALER)",
    )
    parser.add_argument("--serve", type=how_many, metavar="TABLES", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        trio.run(serve, options.serve, options.hands)
    else:
        benchmark(options.hands, options.runs, options.against)


if __name__ == "__main__":
    main()
