"""Real terminals for tests: programs in pseudo-terminals, which are typed at and read."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.dealer_process import PATIENCE_S, environment


class Pty:
    """A program in a pseudo-terminal of 80 columns and 24 rows."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process = process
        self._master = master
        self._data = b""

    @property
    def text(self) -> str:
        """All that has been shown so far."""
        return self._data.decode("utf-8", "replace").replace("\r\n", "\n")

    def read_until(self, end: str, beyond: int = 0) -> None:
        """Wait until the text shown ends with `end` and is longer than `beyond` characters."""
        deadline = time.monotonic() + PATIENCE_S
        while not (self.text.endswith(end) and len(self.text) > beyond):
            if not select.select([self._master], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{end!r} did not come: {self.text}")
            self._data += os.read(self._master, 65536)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    def answer(self, line: str) -> None:
        """Type a line, and wait for the next question."""
        before = len(self.text)
        self.type(line + "\n")
        self.read_until("\n> ", before + len(line) + 1)

    def resize(self, rows: int, columns: int) -> None:
        """Change the size of the window; the system notifies the program."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def finish(self) -> int:
        """Read to the end; returns the exit status."""
        deadline = time.monotonic() + PATIENCE_S
        while select.select([self._master], [], [], max(0, deadline - time.monotonic()))[0]:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # on Linux this means that the other side has closed
                break
            if not data:
                break
            self._data += data
        return self.process.wait(PATIENCE_S)


@contextmanager
def in_terminal(words: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Iterator[Pty]:
    """Run a program in a pseudo-terminal, in a session of its own that the terminal controls.

    Args:
        words: the command line.
        folder: the folder in which the program runs.
        variables: more environment variables.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    env = {
        k: v for k, v in environment().items() if k not in ("NO_COLOR", "LANG", "LC_ALL", "COLUMNS", "LINES")
    }
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=env | {"LC_ALL": "C.UTF-8"} | dict(variables),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(slave)
    try:
        yield Pty(process, master)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(master)


def _take_terminal() -> None:
    """In the new process: make the terminal its controlling one, and let Ctrl-C end it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def processes_about(path: Path) -> list[str]:
    """The command lines of running processes that name a path."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(str(path).encode() in word for word in words):
            found.append(" ".join(word.decode("utf-8", "replace") for word in words))
    return found


def wait_for_end_of(path: Path) -> None:
    """Wait until no process names a path any more."""
    deadline = time.monotonic() + PATIENCE_S
    while left := processes_about(path):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
