"""Ctrl-C, SIGTERM and SIGHUP at random moments: the status says so, nothing is left, every file is whole.

``python -m tests.stress.signals [--runs N] [--only PROGRAM]``: programs are started and sent a signal while
they load, play, compute or end; some get a second Ctrl-C within 50 ms.
"""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from tests.stress.common import Stress, begin, find_leavings, folder, main, playing
from tests.support.dealer_process import ROOT, environment

_PATIENCE_S: Final = 20.0
_LOADING_S: Final = 0.6
"""Half of the signals come within this time of the start."""
_SIGNALS: Final = (signal.SIGINT,) * 3 + (signal.SIGTERM, signal.SIGHUP)
_TWICE: Final = 0.3
"""Of the interruptions come twice."""
_UGLY: Final = ("Traceback", "Exception ignored", "Aborted!", "Error in sys.excepthook", "Fatal Python error")


@attrs.frozen
class Program:
    """What is run, and for how long it may be left alone."""

    name: str
    line: str
    """Of which PORT is that of a dealer that says one state and no more."""
    longest_s: float = 2.0
    """The latest moment for a signal."""
    is_dealer: bool = False
    """Players sit down there."""
    typed: bytes = b""
    own_status: int = 0
    """With which it ends where the signal comes too late."""


_MANY: Final = "--hands 1000000"
PROGRAMS: Final = (
    Program("match", f"match leduc random always-call {_MANY} --out m"),
    Program("match", "match leduc random always-call --hands 50 --out m"),
    Program("match --duplicate", f"match leduc random always-call {_MANY} --duplicate --jobs 2 --out m"),
    Program("match of formula", f"match limit-2p formula simple {_MANY} --out m", 4.0),
    Program("play", "play --game leduc --against random --out m", 3.0, typed=b"c\n" * 30),
    Program("train", f"train poker-learner --against random {_MANY} --save k.npz"),
    Program("train", f"train street-learner {_MANY} --game limit-2p --save k.npz", 4.0),
    Program("experiment", "experiment selective-sampling --parts c --spots 200 --no-plots --out e", 5.0),
    Program("dealer", "dealer d leduc 1000000 1 a b -T -q", is_dealer=True),
    Program("dealer that waits", "dealer d leduc 10 1 a b -T"),
    Program("bot", "bot random 127.0.0.1 PORT --game leduc"),
    Program("bot of formula", "bot formula 127.0.0.1 PORT", 3.0, own_status=2),
    Program("bot that waits", "bot always-call 127.0.0.1 1 --wait 60"), Program("bots", "bots"),
    Program("kernels", "kernels"), Program("telnet", "telnet --listen 0 127.0.0.1 1"),
    Program("odds", "odds AsKs Js8c4s --trials 100000000", 3.0),
    Program("preflop --make", "preflop --make t.json", 3.0),
)  # fmt: skip


@contextlib.contextmanager
def silent_dealer() -> Iterator[int]:
    """A port at which somebody says a state, hears the answer, and says no more."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(_PATIENCE_S)

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(_PATIENCE_S)
                    connection.sendall(b"MATCHSTATE:0:0::Ks|\r\n")
                    while connection.recv(4096):
                        pass

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@attrs.frozen
class Run:
    """One program that was sent a signal."""

    status: int | None
    """None where it did not end."""
    ended_s: float
    """From the signal to the end."""
    stderr: str


def _heed_signals() -> None:
    """As in a terminal, also where we are run in the background or by nohup, which have signals ignored."""
    for number in {*_SIGNALS}:
        signal.signal(number, signal.SIG_DFL)


def send(process: subprocess.Popen[bytes], number: int, rng: random.Random) -> None:
    """A signal to the program, as a terminal sends it to a whole group or as `kill` does."""
    with contextlib.suppress(ProcessLookupError):
        if number == signal.SIGINT and rng.random() < 0.5:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    if number == signal.SIGINT and rng.random() < _TWICE:
        time.sleep(rng.uniform(0, 0.05))
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)


def attempt(program: Program, number: int, after_s: float, place: Path, rng: random.Random) -> Run:
    """Start a program, send it a signal after some seconds, and see it end."""
    with contextlib.ExitStack() as stack:
        words = program.line.split()
        if "PORT" in words:
            words[words.index("PORT")] = str(stack.enter_context(silent_dealer()))
        stderr = stack.enter_context(open(place / "stderr", "wb"))
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "server", *words],
            cwd=place, env=environment(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if program.is_dealer else subprocess.DEVNULL, stderr=stderr,
            start_new_session=True, preexec_fn=_heed_signals,
        )  # fmt: skip
        seat = stack.enter_context(playing(process, "leduc"))
        assert process.stdin is not None
        if program.typed:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(program.typed)
                process.stdin.flush()
        if program.is_dealer and after_s > _LOADING_S:
            assert process.stdout is not None
            seat(process.stdout.readline())
        time.sleep(max(0.0, began + after_s - time.monotonic()))
        sent = time.monotonic()
        send(process, number, rng)
        try:
            status: int | None = process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            status = None
        ended = time.monotonic() - sent
    return Run(status, ended, (place / "stderr").read_text(errors="replace"))


def is_interpreters_own(run: Run) -> bool:
    """Python was interrupted before a line of ours was run; what it says then is not ours to choose."""
    ours = re.escape(f'File "{ROOT}/') + r"(?!\.venv/)"
    return run.status is not None and "Traceback" in run.stderr and not re.search(ours, run.stderr)


def judge(program: Program, number: int, after_s: float, run: Run, place: Path, stress: Stress) -> None:
    """Whether it ended as it should."""
    name = signal.Signals(number).name
    where = f"{program.name}, {name} after {after_s:.2f} s"
    detail = f"{where}: status {run.status} after {run.ended_s:.1f} s\n{run.stderr[-1800:]}"
    if is_interpreters_own(run):
        return
    if run.status is None:
        stress.find(f"{program.name}: does not end on {name}", detail)
    elif run.status not in (program.own_status, 128 + number, -number):  # -n is 128 + n to a shell
        stress.find(f"{program.name}: status {run.status} on {name}", detail)
    if any(ugly in run.stderr for ugly in _UGLY):
        stress.find(f"{program.name}: a traceback on {name}", detail)
    find_leavings(stress, program.name, f" on {name}", place, detail)


def run() -> int:
    """The script."""
    stress = begin(
        "signals", __doc__, 12,
        ("runs", int, 500, "in all"),
        ("only", str, "", "programs whose names hold this"),
    )  # fmt: skip
    programs = [program for program in PROGRAMS if stress.arguments.only in program.name]
    counts: Counter[str] = Counter()
    longest = 0.0
    for number_of_run in range(stress.arguments.runs):
        if stress.is_over:
            break
        rng = stress.generator(number_of_run)
        program = programs[number_of_run % len(programs)]
        number = rng.choice(_SIGNALS)
        after = rng.uniform(0, _LOADING_S if rng.random() < 0.5 else program.longest_s)
        with folder() as place:
            result = attempt(program, number, after, place, rng)
            judge(program, number, after, result, place, stress)
        longest = max(longest, result.ended_s)
        early = " before our first line" if is_interpreters_own(result) else ""
        counts[f"{signal.Signals(number).name} {result.status}{early}"] += 1
    stress.say("exit statuses: " + ", ".join(f"{what}: {n}" for what, n in sorted(counts.items())))
    return stress.end(f"{sum(counts.values())} runs, the longest took {longest:.1f} s to end")


if __name__ == "__main__":
    main(run)
