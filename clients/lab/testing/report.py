"""What is wrong with an agent, as a value and as text."""

from __future__ import annotations

import textwrap
from enum import StrEnum
from typing import Final

import attrs

_WIDTH: Final = 100


class FaultKind(StrEnum):
    """The kinds of faults; the value is the word of a report."""

    DECLINES = "does not play this game"
    """It said so with an `OptionError` when the match began."""
    EXCEPTION = "exception"
    """A hook raised, or ended the process."""
    NOT_AWAITED = "coroutine that nobody awaits"
    """A hook other than `choose_action` is one, and so has done nothing."""
    ILLEGAL_ACTION = "illegal action"
    """What it chose may not be done, or is no action; a table would have corrected it."""
    COMMENT = "comment that cannot be sent"
    """`Agent.comment` is not a text that fits in a line."""
    DIFFERS = "other decisions for the same seed"
    """Two that were made and seeded alike have played the same match differently."""
    REMEMBERS = "state kept between hands"
    """It was said to keep none, and decides a hand otherwise after others than by itself."""
    HIDDEN_CARDS = "depends on cards it cannot see"
    """It decides otherwise when only cards are changed that it has not been shown."""
    CHANGES = "changes what it was handed"
    """The view, the game, its seat or the names are not what they were before it was called."""
    SLOW = "too slow"
    """A decision took longer than it may."""


@attrs.frozen
class Fault:
    """One thing that an agent does wrong, as it was first seen."""

    kind: FaultKind
    message: str
    """What happened, in one line."""
    situation: str
    """What was being played: the name of a `Situation`."""
    seat: int
    """Where the agent sat, from 0."""
    hook: str
    """Which of its methods was called."""
    hand_number: int | None = None
    """None before the first hand."""
    state: str = ""
    """What it was shown, as a match state on the wire; empty before the first hand."""
    legal: str = ""
    """What it might have done; empty where it was not its turn."""
    traceback: str = ""
    """Traceback of an exception, from the agent's own code on."""
    times: int = 1
    """How often the like was seen."""

    def __str__(self) -> str:
        often = f", {self.times:,} times, first" if self.times > 1 else ""
        hand = "" if self.hand_number is None else f", hand {self.hand_number}"
        lines = [f"{self.kind}{often}: {self.message}"]
        details = [f"in {self.hook}, {self.situation}, seat {self.seat}{hand}"]
        if self.state:
            details.append(f"state  {self.state}")
        if self.legal:
            details.append(f"legal  {self.legal}")
        if self.traceback:
            details += self.traceback.rstrip().splitlines()
        return "\n".join([*lines, *(f"    {line}" for line in details)])


class FaultyAgentError(AssertionError):
    """An agent does something wrong; the message is the report."""

    def __init__(self, report: AgentReport) -> None:
        super().__init__(str(report))
        self.report = report


@attrs.frozen
class AgentReport:
    """The findings of `check_agent`."""

    agent: str
    """As it was named: a bot with its options, or a class."""
    game: str
    seed: int
    situations: tuple[str, ...]
    """What was played."""
    hands: int
    """Played in all."""
    decisions: int
    """Made by the agent in all."""
    median_s: float
    """Half of its decisions took no longer, in seconds; 0 where it made none."""
    p99_s: float
    """99 of 100 took no longer."""
    longest_s: float
    """None took longer."""
    faults: tuple[Fault, ...]
    """In the order they were first seen, each kind of thing once."""
    notes: tuple[str, ...]
    """What is worth knowing and no fault."""

    @property
    def is_right(self) -> bool:
        """There are no faults."""
        return not self.faults

    def of(self, kind: FaultKind) -> tuple[Fault, ...]:
        """The faults of a kind."""
        return tuple(fault for fault in self.faults if fault.kind is kind)

    def raise_if_wrong(self) -> None:
        """End a test here unless all is right.

        Raises:
            FaultyAgentError: there are faults; the message is the whole report.
        """
        __tracebackhide__ = True  # pytest: the fault is not here
        if self.faults:
            raise FaultyAgentError(self)

    def __str__(self) -> str:
        found = {0: "nothing wrong", 1: "1 fault"}.get(len(self.faults), f"{len(self.faults)} faults")
        lines = [
            f"{self.agent} in {self.game}, seed {self.seed}: {found} in {self.hands:,} hands, "
            f"{self.decisions:,} decisions",
            *map(str, self.faults),
        ]
        for note in self.notes:
            lines += textwrap.wrap(f"note: {note}", _WIDTH, subsequent_indent="    ")
        lines.append(
            f"time for a decision: median {_seconds(self.median_s)}, 99 % {_seconds(self.p99_s)}, "
            f"longest {_seconds(self.longest_s)}"
        )
        return "\n".join(lines)


def _seconds(seconds: float) -> str:
    """``0.02 ms``, ``14 ms``, ``1.3 s``."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.2g} ms" if seconds < 0.0995 else f"{1000 * seconds:.0f} ms"
