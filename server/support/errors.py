"""How a player fails, and how a match ends before its time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import attrs

from engine.support.user_input import printable

_MOST_TOLD: Final = 60


class FailureKind(StrEnum):
    """The word for a player's failure in reports and ``result.json``."""

    NOT_FOUND = "not-found"
    """There is no such bot or program."""
    CRASHED = "crashed"
    """Its process ended by itself, with an error or before it joined."""
    DISCONNECTED = "disconnected"
    """It closed its connection, or lost it."""
    STALLED = "stalled"
    """It did not answer in time, never joined, or does not read what it is sent."""
    NONSENSE = "nonsense"
    """It sent what is not the protocol, or answered only other states, and no valid answer came in time."""


@attrs.frozen
class Failure:
    """A player's failure."""

    kind: FailureKind
    detail: str = attrs.field(converter=printable)
    """What happened and when, for people; it may quote the player."""
    hand_number: int | None = None
    """None before the first hand."""


class SeatFailed(Exception):
    """A seat cannot continue.  The policy decides what that means for the match.

    `acpc_lines` is what the ACPC dealer prints when it gives up for this reason.
    """

    def __init__(self, kind: FailureKind, detail: str, acpc_lines: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.acpc_lines = acpc_lines


class MatchAborted(Exception):
    """The match ends now; `lines` says why, on stderr."""

    def __init__(self, lines: str, seats: Sequence[int] = ()) -> None:
        super().__init__(lines)
        self.lines = lines
        self.seats = tuple(seats)


def only(error: BaseException, *kinds: type[BaseException]) -> BaseException | None:
    """The cause of an error if it, or all that a group has, is of some kinds; those named first go before."""
    causes = list(_causes(error))
    if not all(isinstance(each, kinds) for each in causes):
        return None
    return next(each for kind in kinds for each in causes if isinstance(each, kind))


def _causes(error: BaseException) -> Iterator[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for each in error.exceptions:
        yield from _causes(each)


def in_words(lines: str) -> str:
    """Why a match has been aborted, in one line for people, without the word that the ACPC's begin with."""
    return "; ".join(lines.strip().splitlines()).removeprefix("ERROR: ")


def os_error_in_words(error: OSError) -> str:
    """The failure of a file or a port, in one line for people."""
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    return f"{where}{error.strerror or error}"


def told(value: object) -> str:
    """A value of a file for a message: in one line, and not endless."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = "a number of thousands of digits, or deeper than can be read"
    text = printable(text)
    return text if len(text) <= _MOST_TOLD else text[:_MOST_TOLD] + "..."
