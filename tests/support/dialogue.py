"""Recorded dialogues with the ACPC dealer: reading them, and holding them with another dealer.

``tests/golden/dialogues/SOURCE.txt`` describes their format.
"""

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
    """A client sends a line."""

    seat: int
    """The seat of the client, from 0."""
    text: str
    """The line, without its end."""
    after_s: float | None = None
    """Seconds after the last line of the dealer; None for at once."""


@attrs.frozen
class Receives:
    """The dealer sends a line to a client, or closes its connection."""

    seat: int
    text: str | None
    """The line, without its end; None if the dealer closes."""


@attrs.frozen
class Closes:
    """A client closes its connection."""

    seat: int


@attrs.frozen
class Killed:
    """The dealer is terminated."""


Step = Sends | Receives | Closes | Killed


@attrs.frozen
class Dialogue:
    """A recorded match, line by line."""

    arguments: tuple[str, ...]
    """The dealer's command-line arguments, without its name."""
    steps: tuple[Step, ...]
    status: int
    """The exit status of the dealer; negative if a signal killed it."""
    stdout: str
    """Its stdout after the line with the ports."""
    sections: dict[str, str]
    """The final contents of files and of stderr, by name."""

    @property
    def is_timed(self) -> bool:
        """Whether the clients' timing matters."""
        return "--t_response" in self.arguments

    @property
    def num_seats(self) -> int:
        """The number of clients."""
        return 1 + max(step.seat for step in self.steps if not isinstance(step, Killed))


def load_dialogue(name: str) -> Dialogue:
    """The recorded dialogue of a name such as ``E9b``."""
    return parse_dialogue((DIALOGUES / f"{name}.txt").read_text("ascii"))


def parse_dialogue(text: str) -> Dialogue:
    """Read a dialogue from the text of its file."""
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
    """Hold a dialogue with our dealer, or another one, and compare all that it sends and writes.

    Args:
        dialogue: the recorded dialogue.
        folder: the folder in which the dealer runs.
        command: another dealer's program to run instead of ours.

    Raises:
        AssertionError: the dealer sends or does anything else than recorded.
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
    """The warnings and errors among the lines of a dealer's stderr."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if _COMPLAINTS.match(line))


def _as_on_stderr(text: str) -> str:
    """A recorded trace with CR LF after its messages, as all clients here send them."""
    return re.sub(r"(?m)^((?:TO|FROM) .*)\n", "\\1\r\n", text)


def _talk(dealer: DealerProcess, dialogue: Dialogue) -> None:
    """Take all steps of a dialogue, and compare what the dealer sends."""
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
                if step.after_s is not None:  # the client's pause is part of the recording
                    time.sleep(max(0.0, heard_at + step.after_s - time.monotonic()))
                sockets[step.seat].sendall(step.text.encode() + b"\r\n")
        for seat, stream in enumerate(incoming):
            if is_open[seat]:
                assert stream.read() == b"", f"seat {seat + 1} is sent more than was recorded"
