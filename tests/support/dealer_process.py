"""The dealer as a process of its own, as launchers see it."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from engine.support.files.cache import CACHE_VARIABLE
from tests.support.hands.golden_files import GOLDEN

ROOT: Final = Path(__file__).parent.parent.parent
PATIENCE_S: Final = 60.0
"""The time after which a test considers a read hung: far more than a busy machine needs."""
_STAMP: Final = re.compile(r"\b\d{10}\.\d{6}\b")


def environment() -> dict[str, str]:
    """Our variables, with the packages of this tree importable from any folder."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""}


def players_environment() -> dict[str, str]:
    """The same without riverboat's own variables, except for the cache: kernels are compiled once."""
    return {
        name: value
        for name, value in environment().items()
        if name == CACHE_VARIABLE or not name.startswith("RIVERBOAT_")
    }


def program(*words: str) -> list[str]:
    """The command line of one of our programs, run from this tree.

    Unless the words say otherwise, a match does not take luck out of its result, as that loads the compiler.
    """
    if words[:1] == ("match",) and not {"--luck", "--report", "--resume", "--help"} & {*words}:
        words += ("--luck", "off")
    return [sys.executable, "-m", "server", *words]


def run_to_end(
    command: Sequence[str | Path], folder: Path | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """A program run in a folder with our variables, its output caught and its status not checked.

    Args:
        command: its command line.
        folder: where it runs.
        options: of `subprocess.run`, instead of these and besides.
    """
    usual = {"env": environment(), "capture_output": True, "timeout": PATIENCE_S, "check": False}
    return subprocess.run(command, cwd=folder, text=True, **{**usual, **options})


def completed(
    *words: str, folder: Path | None = None, seconds: float = 500
) -> subprocess.CompletedProcess[str]:
    """One of our programs, run to its end; stdout and stderr are kept."""
    return run_to_end(program(*words), folder, timeout=seconds)


def started(*words: str, folder: Path | None = None, is_heard: bool = True) -> subprocess.Popen[str]:
    """One of our programs, running; its stdout and stderr are pipes if it is to be heard."""
    out = subprocess.PIPE if is_heard else subprocess.DEVNULL
    return subprocess.Popen(program(*words), cwd=folder, env=environment(), stdout=out, stderr=out, text=True)


def mask_stamps(text: str) -> str:
    """The text with every time stamp replaced by ``T``."""
    return _STAMP.sub("T", text)


class DealerProcess:
    """A running ``riverboat dealer`` that has printed its ports."""

    def __init__(self, process: subprocess.Popen[bytes], ports: tuple[int, ...], stderr_path: Path) -> None:
        self.process = process
        self.ports = ports
        self._stderr_path = stderr_path

    def connect(self, seat: int) -> socket.socket:
        """A blocking connection to a seat, from 0."""
        return socket.create_connection(("127.0.0.1", self.ports[seat]), timeout=PATIENCE_S)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def finish(self) -> tuple[int, str]:
        """Wait for its end: the exit status, and the rest of stdout."""
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out.decode()

    @property
    def stderr(self) -> str:
        """What it has written to stderr so far."""
        return self._stderr_path.read_bytes().decode()

    def peak_memory_kib(self) -> int:
        """The most memory it has used so far, in KiB (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s*(\d+)", status)[0])


@contextmanager
def dealer_process(
    arguments: Sequence[str], folder: Path, command: Sequence[str] | None = None
) -> Iterator[DealerProcess]:
    """A dealer run in `folder`; it is killed in the end if it has not ended.

    Args:
        arguments: the arguments of ``riverboat dealer``; golden game files can be named.
        folder: the folder in which it runs and writes its files.
        command: another dealer's program to run instead.
    """
    for word in arguments:
        if word.endswith(".game") and (GOLDEN / word).exists() and not (folder / word).exists():
            (folder / word).write_bytes((GOLDEN / word).read_bytes())
    stderr_path = folder / "stderr"
    with open(stderr_path, "wb") as stderr:
        process = subprocess.Popen(
            [*(command or program("dealer")), *arguments],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            ports = tuple(map(int, line.split()))
            assert line.endswith(b"\n"), stderr_path.read_text()
            yield DealerProcess(process, ports, stderr_path)
        finally:
            process.kill()


def sit_down(ports: Sequence[int], decide: Callable[[str], str | None]) -> list[threading.Thread]:
    """Start a player on every port, each in its own thread, until the dealer closes or dies.

    Args:
        ports: the ports of the seats.
        decide: takes a match state, and returns the action of its addressee; None if it is not their turn.
    """
    threads = []
    for port in ports:
        sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        threads.append(threading.Thread(target=_play, args=(sock, decide)))
        threads[-1].start()
    return threads


def _play(sock: socket.socket, decide: Callable[[str], str | None]) -> None:
    with contextlib.closing(sock), sock.makefile("rb") as incoming, contextlib.suppress(OSError):
        sock.sendall(b"VERSION:2.0.0\n")
        for line in incoming:
            if not line.endswith(b"\n"):
                return  # the dealer died in the middle of it
            action = decide(line.decode("ascii").rstrip("\r\n"))
            if action is not None:
                sock.sendall(line.rstrip(b"\r\n") + f":{action}\r\n".encode())
