"""A disk that is full, read-only or out of descriptors at every write: one line, status 1, whole files.

``python -m tests.stress.disk``: each program is run again and again, with a fault at another place each time.
*Full*: no file may grow beyond some bytes (RLIMIT_FSIZE).  *Read-only*: the n-th opening, making, renaming or
removal below its folder fails (an audit hook in the process).  *Out of descriptors*: RLIMIT_NOFILE.
Neither needs any privilege.
"""

import contextlib
import errno
import functools
import random
import re
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

from tests.stress.common import Stress, begin, find_leavings, folder, main, playing
from tests.support.dealer_process import environment

_PATIENCE_S: Final = 120.0
_STATUSES: Final = (0, 1, 2, 3)
"""Of a program with a fault: it went round it, or 1; 2 where a folder cannot be made, 3 where players have
failed, who share the fault."""
_MOST_LINES: Final = 3
_PROGRESS: Final = re.compile(r"\d+ of \d+ hands.*")
"""On a slow machine a match says how far it is."""
_LONGEST_FILE: Final = 60_000
_DESCRIPTORS: Final = range(4, 40)
_FAULTS: Final = (errno.EROFS, errno.ENOSPC, errno.EACCES, errno.EIO)

_HOOKED: Final = """
import os, sys
place, count, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
EVENTS = {"os.mkdir", "os.rename", "os.remove", "os.truncate", "os.link", "os.symlink"}
left = count
def hook(event, arguments):
    global left
    if event == "open":
        path, _, flags = arguments
        if not isinstance(path, str | bytes) or not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
    elif event not in EVENTS:
        return
    path = os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else ""
    if not os.path.abspath(path).startswith(place):
        return
    left -= 1
    if left == 0:
        raise OSError(number, os.strerror(number), path)
sys.addaudithook(hook)
sys.argv = ["riverboat", *sys.argv[4:]]
from server.cli import main
status = main()
if left > 0:
    os.write(2, b"# the fault did not come\\n")
sys.exit(status)
"""


@attrs.frozen
class Fault:
    """What goes wrong, and where."""

    kind: str
    where: int
    """Bytes, descriptors, or which of the calls."""
    number: int = 0
    """Of the error, for calls."""

    def __str__(self) -> str:
        return f"{self.kind} {self.where} {errno.errorcode.get(self.number, '')}".strip()

    def command(self, words: Sequence[str], place: Path) -> list[str]:
        """The command line of `riverboat` with this fault."""
        if self.kind == "call":
            hooked = [sys.executable, "-P", "-c", _HOOKED, str(place), str(self.where), str(self.number)]
            return [*hooked, *words]
        return [sys.executable, "-P", "-m", "server", *words]

    def limit(self) -> Callable[[], None] | None:
        """What to do in the process before it becomes `riverboat`."""
        what = {"full": resource.RLIMIT_FSIZE, "descriptors": resource.RLIMIT_NOFILE}.get(self.kind)
        if what is None:
            return None
        return functools.partial(resource.setrlimit, what, (self.where, self.where))


@attrs.frozen
class Program:
    """What is run."""

    name: str
    line: str
    typed: bytes = b""

    @property
    def is_dealer(self) -> bool:
        """Players have to sit down there."""
        return self.line.startswith("dealer")


PROGRAMS: Final = (
    Program("match", "match leduc random always-call --hands 60 --seed 1 --out m"),
    Program("duplicate", "match leduc random always-call --hands 9 --duplicate --out m"),
    Program("dealer", "dealer d leduc 60 1 a b -T -a -q"),
    Program(
        "train",
        "train poker-learner --against random --game nolimit-2p-100bb --hands 300 --checkpoint-every 100 "
        "--seed 1 --save k.npz",
    ),
    Program(
        "bot that learns",
        "match nolimit-2p-100bb name-learner:knowledge=k.npz random --hands 40 --seed 1 --out m",
    ),
    Program("play", "play --game leduc --against random --hands 5 --out m", typed=b"c\n" * 60),
    Program("preflop", "preflop --json"),
)


def attempt(program: Program, fault: Fault, place: Path) -> tuple[int | None, str, str]:
    """Run a program with a fault; its exit status (None where it hangs), stdout and stderr."""
    (place / "typed").write_bytes(program.typed)
    with open(place / "typed", "rb") as typed:
        process = subprocess.Popen(
            fault.command(program.line.split(), place),
            cwd=place, env={**environment(), "PYTHONDONTWRITEBYTECODE": "1"}, stdin=typed,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=fault.limit(),
        )  # fmt: skip
    with playing(process, "leduc") as seat:
        assert process.stdout is not None
        first = process.stdout.readline() if program.is_dealer else b""
        status: int | None
        try:
            if first.strip():
                with contextlib.suppress(ConnectionRefusedError):  # it has ended already
                    seat(first)
            out, err = process.communicate(timeout=_PATIENCE_S)
            status, out = process.returncode, first + out
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            out, err = process.communicate()
            status = None
    return status, out.decode(), err.decode("utf-8", "replace")


def check(program: Program, fault: Fault, place: Path, stress: Stress, outcomes: Counter[str]) -> bool:
    """One attempt; returns whether the fault came at all."""
    status, out, err = attempt(program, fault, place)
    where = f"{program.name} ({fault})"
    lines = [line for line in err.splitlines() if line.strip() and not _PROGRESS.fullmatch(line)]
    came = "# the fault did not come" not in lines
    detail = f"{where}: status {status}\n{err[-1500:]}"
    outcomes[f"{program.name} {status}"] += 1
    if status is None:
        stress.find(f"{program.name}: hangs", detail)
    elif status not in _STATUSES and not is_python_without_descriptors(fault, err):
        stress.find(f"{program.name}: status {status}", detail)
    elif "Traceback" in err and not is_python_without_descriptors(fault, err):
        stress.find(f"{program.name}: a traceback", detail)
    elif status and not lines and not out:
        stress.find(f"{program.name}: failed without a word", detail)
    elif status == 1 and len(lines) > _MOST_LINES + (
        4 if program.is_dealer else 0
    ):  # whose log header is there
        stress.find(f"{program.name}: more than a line", detail)
    find_leavings(stress, program.name, "", place, detail)
    return came


def is_python_without_descriptors(fault: Fault, err: str) -> bool:
    """With a few descriptors the interpreter itself cannot find its modules, before anything is ours."""
    return fault.kind == "descriptors" and "server/cli.py" not in err.replace("server/__main__.py", "")


def sweep(program: Program, stress: Stress, rng: random.Random, outcomes: Counter[str]) -> None:
    """Faults of all kinds, in as many places as there are or as time allows."""
    faults = [
        Fault("full", size) for size in (0, 1, *sorted(rng.sample(range(2, 3000), 6)), 10_000, _LONGEST_FILE)
    ]
    faults += [Fault("descriptors", number) for number in _DESCRIPTORS if rng.random() < 0.5]
    for fault in faults:
        if stress.is_over:
            return
        with folder() as place:
            check(program, fault, place, stress, outcomes)
    call = 0
    came = True
    while came and not stress.is_over:
        call += 1
        with folder() as place:
            came = check(program, Fault("call", call, rng.choice(_FAULTS)), place, stress, outcomes)
    stress.say(f"{program.name}: {len(faults)} limits and {call - 1} calls, after {stress.seconds:.0f} s")


def run() -> int:
    """The script."""
    stress = begin("disk", __doc__, 6, ("only", str, "", "one program"))
    outcomes: Counter[str] = Counter()
    for program in PROGRAMS:
        if stress.arguments.only in program.name:
            sweep(program, stress, stress.generator(program.name), outcomes)
    stress.say("exit statuses: " + ", ".join(f"{what}: {n}" for what, n in sorted(outcomes.items())))
    return stress.end(f"{sum(outcomes.values())} runs")


if __name__ == "__main__":
    main(run)
