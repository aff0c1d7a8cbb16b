"""What the stress scripts share: seed and time on the command line, findings, and a look at processes.

Every script ends by itself, leaves nothing behind outside its temporary folder, talks to this machine only,
and exits with 1 where it has found something.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from clients.learners.knowledge_file import read_knowledge
from engine.poker.rules import load_game
from protocol.records import parse_hand
from tests.support.benchmarks import memory_kib, process_seconds
from tests.support.dealer_process import environment, program, sit_down
from tests.support.tables import state_determined

# --- common -------------------------------------------------------------------------------------------------

_SHOWN: Final = 2
"""Findings of one kind that are told in full."""


@attrs.define(eq=False)
class Stress:
    """One run of a script: how it is seeded, how long it may take, what it has found."""

    name: str
    seed: int
    minutes: float
    arguments: argparse.Namespace
    findings: Counter[str] = attrs.Factory(Counter)
    """How often something was found, by what kind of thing it is."""
    _started: float = attrs.Factory(time.monotonic)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    @property
    def is_over(self) -> bool:
        """The time that was given is used up."""
        return self.seconds > 60 * self.minutes

    def generator(self, *words: object) -> random.Random:
        """A generator of its own for each part of a run, whatever the others draw."""
        return random.Random(" ".join(map(str, (self.name, self.seed, *words))))

    def say(self, text: str) -> None:
        """A line for whoever watches."""
        print(f"{self.name}: {text}", flush=True)

    def find(self, kind: str, detail: str = "") -> None:
        """Something is not as it has to be."""
        self.findings[kind] += 1
        if self.findings[kind] <= _SHOWN:
            self.say(f"FOUND {kind}" + "".join(f"\n    {line}" for line in detail.splitlines()[:40]))

    def end(self, figures: str) -> int:
        """Say what came of it; returns the exit status."""
        self.say(f"{figures}; {self.seconds:.0f} s")
        for kind, number in self.findings.most_common():
            self.say(f"FOUND {number} x {kind}")
        self.say("nothing was found" if not self.findings else f"found with --seed {self.seed}")
        return 1 if self.findings else 0


def begin(name: str, what: str, minutes: float, *options: tuple[str, type, object, str]) -> Stress:
    """Read a script's command line and say what begins.

    Args:
        name: of the script.
        what: it does, for ``--help``.
        minutes: that it takes by default, at most.
        options: more of them, as (name, type, default, help).
    """
    parser = argparse.ArgumentParser(prog=f"python -m tests.stress.{name}", description=what)
    parser.add_argument("--seed", type=int, default=None, help="of whatever is random; default: drawn, said")
    parser.add_argument(
        "--minutes", type=float, default=minutes, help=f"at most so long; default {minutes:g}"
    )
    for option, kind, default, about in options:
        parser.add_argument(f"--{option}", type=kind, default=default, help=f"{about}; default {default}")
    arguments = parser.parse_args()
    seed = int.from_bytes(os.urandom(4), "big") if arguments.seed is None else arguments.seed
    stress = Stress(name, seed, arguments.minutes, arguments)
    if not getattr(arguments, "role", ""):
        stress.say(f"seed {seed}, at most {arguments.minutes:g} minutes")
    return stress


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="riverboat-stress-") as name:
        yield Path(name)


# --- processes -------------------------------------------------------------------------------------------


@attrs.frozen
class Usage:
    """What a process takes."""

    memory_kib: int
    """Resident."""
    descriptors: int
    cpu_s: float
    """Used so far, in user and kernel mode."""


def usage(pid: int) -> Usage | None:
    """What a process takes now; None when it has ended."""
    try:
        return Usage(memory_kib(pid), len(os.listdir(f"/proc/{pid}/fd")), process_seconds(pid))
    except (OSError, IndexError):
        return None


def children(pid: int) -> list[int]:
    """The processes that a process has started and that are there still."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue
    return found


def processes_in(place: Path) -> dict[int, str]:
    """Processes whose working folder is a folder or below it, with their command lines, zombies left out."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            where = os.readlink(entry / "cwd")
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if where == str(place) or where.startswith(f"{place}/"):
            found[int(entry.name)] = words
    return found


def start(
    words: Sequence[str], place: Path, *, stdout: int | None = None, stderr: int | None = None
) -> subprocess.Popen[bytes]:
    """`riverboat` in a folder and a session of its own."""
    return subprocess.Popen(
        program(*words),
        cwd=place,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that we have started, and its group."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
    process.wait()


@contextmanager
def playing(process: subprocess.Popen[bytes], game: str) -> Iterator[Callable[[bytes], None]]:
    """Let people play at a dealer that we have started, given its line of ports; ends all of them."""
    players: list[threading.Thread] = []

    def seat(ports: bytes) -> None:
        players.extend(sit_down(tuple(map(int, ports.split())), state_determined(load_game(game))))

    try:
        yield seat
    finally:
        end(process)
        for player in players:
            player.join()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def role(script: str, *words: object, **options: Any) -> subprocess.Popen[str]:
    """A process of a script's that plays another role, and talks to us over its stdin and stdout."""
    command = [sys.executable, "-m", f"tests.stress.{script}", *map(str, words)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)


def main(run: Callable[[], int]) -> None:
    """Run a script's `run`; its result is the exit status."""
    sys.exit(run())


# --- leavings -----------------------------------------------------------------------------------------------

_END_S: Final = 8.0
"""For children to notice that nobody is left."""


def broken_files(place: Path) -> list[str]:
    """What is wrong with the files below a folder."""
    found = []
    for path in place.rglob("*"):
        try:
            if path.name.endswith((".new", ".partial")):
                found.append(f"left {path.suffix}")
            elif path.suffix in (".log", ".tlog"):
                text = path.read_text()
                if text and not text.endswith("\n"):
                    found.append(f"half a line in {path.name}")
                for line in text.splitlines():
                    parse_hand(line)
            elif path.suffix == ".json":
                json.loads(path.read_text())
            elif path.suffix == ".npz":
                read_knowledge(path)
        except ValueError as error:
            found.append(f"{path.name}: {error}")
    return found


def find_leavings(stress: Stress, program: str, when: str, place: Path, detail: str) -> None:
    """Find what a program has left in a folder."""
    for words in processes_left(place):
        stress.find(f"{program}: left a process{when}", f"{detail}\n{words}")
    for fault in broken_files(place):
        stress.find(f"{program}: {fault}", detail)


def processes_left(place: Path, *, at_once: bool = False) -> list[str]:
    """The command lines of processes that go on below a folder, after some patience; they are then ended."""
    deadline = time.monotonic() + (0 if at_once else _END_S)
    while (left := processes_in(place)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return [words for words in left.values() if words.strip()]
