"""Recorded dialogues with the ACPC dealer: reading them, and holding them again with another one.

The form is described in ``tests/golden/dialogues/SOURCE.txt``.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import attrs

from tests.support.dealer_process import DealerProcess, dealer_process, mask_stamps
from tests.support.hands.golden_files import GOLDEN

DIALOGUES: Final = GOLDEN / "dialogues"
_SENDS: Final = re.compile(r"S(\d+)> (.*?)(?:\s{3,}\((?:after ([\d.]+) s|sent early)\))?$")
_RECEIVES: Final = re.compile(r"S(\d+)< (.*)$")
_CLOSES: Final = re.compile(r"-- seat (\d+) .*closes its socket")
_END: Final = re.compile(r"-- exit status (-?\d+); rest of stdout: (.*)$")
_COMPLAINTS: Final = re.compile(r"WARNING: |ERROR: |\d+\.\d seconds spent waiting")


@attrs.frozen
class Sends:
    """A client says a line."""

    seat: int
    """From 0."""
    text: str
    after_s: float | None = None
    """How long after the last state it says so; at once if None."""


@attrs.frozen
class Receives:
    """The dealer says a line to a client; None where it closes."""

    seat: int
    text: str | None


@attrs.frozen
class Closes:
    """A client leaves."""

    seat: int


@attrs.frozen
class Killed:
    """The dealer is terminated."""


Step = Sends | Receives | Closes | Killed


@attrs.frozen
class Dialogue:
    """A match, word for word."""

    arguments: tuple[str, ...]
    """The dealer's, behind its name."""
    steps: tuple[Step, ...]
    status: int
    """How the process ends: negative if a signal kills it."""
    stdout: str
    """After the line with the ports."""
    sections: dict[str, str]
    """What stands in files and in stderr afterwards."""

    @property
    def is_timed(self) -> bool:
        """Whether it matters how long somebody thinks, or is silent."""
        return "--t_response" in self.arguments

    @property
    def num_seats(self) -> int:
        """How many clients take part."""
        return 1 + max(step.seat for step in self.steps if not isinstance(step, Killed))


def load_dialogue(name: str) -> Dialogue:
    """A recorded dialogue, by its name such as ``E9b``."""
    return parse_dialogue((DIALOGUES / f"{name}.txt").read_text("ascii"))


def parse_dialogue(text: str) -> Dialogue:
    """The dialogue in a text."""
    first, *lines = text.splitlines()
    steps: list[Step] = []
    sections: dict[str, list[str]] = {}
    end: tuple[int, str] | None = None
    for line in lines:
        if end is None:
            if match := _SENDS.match(line):
                after = None if match[3] is None else float(match[3])
                steps.append(Sends(int(match[1]) - 1, match[2], after))
            elif match := _RECEIVES.match(line):
                steps.append(Receives(int(match[1]) - 1, None if match[2] == "EOF" else match[2]))
            elif match := _CLOSES.match(line):
                steps.append(Closes(int(match[1]) - 1))
            elif line.startswith("-- dealer killed"):
                steps.append(Killed())
            elif match := _END.match(line):
                end = int(match[1]), "" if match[2] == "(empty)" else f"{match[2]}\n"
            else:
                assert line == "-- hand over" or line.endswith("stays silent"), line
        elif line.startswith("-- "):
            content = sections[line.removeprefix("-- ")] = []
        else:
            content.append(f"{line}\n")
    assert end is not None
    return Dialogue(
        tuple(first.split()[1:]), tuple(steps), *end, {name: "".join(part) for name, part in sections.items()}
    )


def hold_dialogue(dialogue: Dialogue, folder: Path, command: Sequence[str] | None = None) -> None:
    """Hold a dialogue with a dealer of our own, and compare all that it says and leaves.

    Raises:
        AssertionError: it says or does anything else.
    """
    with dealer_process(dialogue.arguments, folder, command) as dealer:
        _talk(dealer, dialogue)
        status, stdout = dealer.finish()

        assert status == dialogue.status
        assert stdout == dialogue.stdout
        for name, want in dialogue.sections.items():
            if name == "stderr":
                assert mask_stamps(dealer.stderr) == mask_stamps(_as_on_stderr(want))
            elif name.startswith("stderr"):
                assert complaints(dealer.stderr) == want
            else:
                text = (folder / name).read_bytes().decode()
                assert mask_stamps(text) == mask_stamps(want)
        if not any(name.startswith("stderr") for name in dialogue.sections):
            assert complaints(dealer.stderr) == ""


def complaints(stderr: str) -> str:
    """The warnings and errors of a dealer's stderr."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if _COMPLAINTS.match(line))


def _as_on_stderr(text: str) -> str:
    """A recorded trace with the line ends that its messages have: all clients here send CR LF."""
    return re.sub(r"(?m)^((?:TO|FROM) .*)\n", "\\1\r\n", text)


def _talk(dealer: DealerProcess, dialogue: Dialogue) -> None:
    with ExitStack() as stack:
        sockets = [stack.enter_context(dealer.connect(seat)) for seat in range(dialogue.num_seats)]
        incoming = [stack.enter_context(sock.makefile("rb")) for sock in sockets]
        is_open = [True] * len(sockets)
        heard_at = time.monotonic()
        for step in dialogue.steps:
            if isinstance(step, Killed):
                dealer.kill(signal.SIGTERM)
            elif isinstance(step, Closes):
                incoming[step.seat].close()
                sockets[step.seat].close()
                is_open[step.seat] = False
            elif isinstance(step, Receives):
                want = b"" if step.text is None else step.text.encode() + b"\r\n"
                assert incoming[step.seat].readline() == want, step
                heard_at = time.monotonic()
            else:
                if step.after_s is not None:  # how long it thinks is part of what was recorded
                    time.sleep(max(0.0, heard_at + step.after_s - time.monotonic()))
                sockets[step.seat].sendall(step.text.encode() + b"\r\n")
        for seat, stream in enumerate(incoming):
            if is_open[seat]:
                assert stream.read() == b"", f"seat {seat + 1} is told more than was recorded"
