"""The finished hands of an earlier sitting, read again from its log while they are played again.

The log has everything that a match comes to: how its hands were played and, once nothing is to come, the key
and the score.  One hand is held at a time, so that a long match takes no more memory than a short one.
Every hand is compared with what the rules and the cards make of its actions: a log that has been changed, or
that belongs to other cards, is found at its first line that differs.

Players who may have learned from those hands are shown them again.  They answer as if it were in earnest, on
a clock that is thrown away; what was done in the earlier sitting stands, whatever they answer.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine.rules import Action, GameDefinition, HandState, RulesError, parse_betting
from protocol.extension import UNREHEARSED
from protocol.records import parse_hand
from server.errors import MatchAborted
from server.record_file import Opener
from server.table.config import MatchConfig
from server.table.outcome import Durations
from server.table.seat import Seat, SeatClock

ENDED: Final = "# ended after "
"""Begins the line of a match that has ended before its last hand, by its rule."""
_CHUNK: Final = 1 << 16


class LoggedHands:
    """The hands of a log, one after the other: `begin`, an `action` at each turn, `end`.

    Args:
        path: of the log, which ends with a whole line.
        game: what was played.
        opener: opens it.

    *Resource handling*: closes itself after the last hand; call `close` if it is not reached.

    Raises:
        OSError: it cannot be read.
        MatchAborted: it cannot be understood.
    """

    def __init__(self, path: Path, game: GameDefinition, opener: Opener | None) -> None:
        self._path = path
        self._game = game
        self._descriptor: int | None = (opener or os.open)(str(path), os.O_RDONLY | os.O_CLOEXEC)
        self._lines = _lines(self._descriptor)
        self._line_number = 0
        self._line = ""
        self._hand_number = -1
        self._actions: list[Action] = []
        self._next_action = 0
        self.is_over = False
        """There are no more hands."""
        self.was_ended = False
        """The match had ended before its last hand, by a rule."""
        self.has_key = False
        self.has_score = False
        self._advance()

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def action(self, state: HandState) -> Action:
        """What was done in a state of the current hand.

        Raises:
            MatchAborted: the hand has another number, or ends sooner.
        """
        if self._hand_number != state.hand_number or self._next_action == len(self._actions):
            raise self._fault(
                f"expected hand {state.hand_number} with an action after {state.betting.text!r}"
            )
        action = self._actions[self._next_action]
        self._next_action += 1
        return action

    def end(self, line: str) -> None:
        """The current hand has come to its end, and this is its line: go on to the next.

        Raises:
            MatchAborted: it is not the line of the log.
        """
        if line != self._line:
            raise self._fault(f"the cards, the rules and the players make it {line.rstrip()!r}")
        self._advance()

    def _advance(self) -> None:
        """Go on to the next hand, over lines that say something else."""
        for line in self._lines:
            self._line_number += 1
            if line.startswith("STATE:"):
                self._line = line
                try:
                    record = parse_hand(line)
                    assert record is not None  # it begins like one
                    betting = parse_betting(self._game, record.betting)
                except (ValueError, RulesError) as error:
                    raise self._fault(str(error)) from error
                self._hand_number = record.hand_number
                self._actions = [action for _, _, action in betting.steps()]
                self._next_action = 0
                return
            self.was_ended |= line.startswith(ENDED)
            self.has_key |= line.startswith("# key ")
            self.has_score |= line.startswith("SCORE:")
        self.is_over = True
        self.close()

    def _fault(self, what: str) -> MatchAborted:
        found = f"{self._path}, line {self._line_number}: {self._line.rstrip()[:200]!r}"
        return MatchAborted(f"ERROR: the match cannot be resumed: {found}: {what}\n")


def count_hands(path: Path, opener: Opener | None) -> float:
    """How many finished hands a log has; infinity where the match had ended by its rule.

    Raises:
        OSError: it cannot be read.
    """
    hands = 0
    for line in lines_of(path, opener):
        if line.startswith("STATE:"):
            hands += 1
        elif line.startswith(ENDED):
            return math.inf
    return hands


def has_key(path: Path) -> bool:
    """Whether a log reveals what its cards follow from.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _CHUNK))
        return b"\n# key " in file.read()


def lines_of(path: Path, opener: Opener | None) -> Iterator[str]:
    """The whole lines that are in a file now, line ends included, one at a time.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = (opener or os.open)(str(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield from _lines(descriptor)
    finally:
        os.close(descriptor)


def _lines(descriptor: int) -> Iterator[str]:
    """The lines that are in a file now; what is appended meanwhile is ours.

    It makes no difference to where others have come that have the same file open.
    """
    left = os.fstat(descriptor).st_size
    place, text = 0, b""
    while left:
        data = os.pread(descriptor, min(_CHUNK, left), place)
        place, left = place + len(data), left - len(data) if data else 0
        *lines, text = (text + data).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "surrogateescape") + "\n"


# --- who may have learned from them ---------------------------------------------------------------------


def needs_rehearsal(seat: Seat, config: MatchConfig) -> bool:
    """Whether a seat's client is one that is shown the hands again, and has not said that it need not be."""
    client = seat.client
    return seat.number in config.rehearses and client is not None and UNREHEARSED not in client.capabilities


class Rehearsal:
    """The seats that rehearse; from here to `end` their clocks are others.

    Args:
        seats: with somebody on them.
        config: whose clocks they are.
    """

    def __init__(self, seats: Sequence[Seat], config: MatchConfig) -> None:
        self.seats = tuple(seats)
        self._in_earnest = [(seat.clock, seat.decision_times) for seat in seats]
        self._decisions = {seat.number: 0 for seat in seats}
        self._differing = {seat.number: 0 for seat in seats}
        for seat in seats:
            seat.clock = SeatClock(config.limits, config.hands)
            seat.decision_times = Durations()

    def has_answered(self, seat: Seat, answer: Action | None, action: Action) -> None:
        """A seat has answered, where `action` was done."""
        self._decisions[seat.number] += 1
        self._differing[seat.number] += answer != action

    def end(self) -> list[str]:
        """Give everybody their clocks back; returns a line on each."""
        lines: list[str] = []
        for seat, (clock, times) in zip(self.seats, self._in_earnest, strict=True):
            seat.clock, seat.decision_times = clock, times
            decisions, differing = self._decisions[seat.number], self._differing[seat.number]
            lines.append(
                f"{seat.label} was shown the hands of the earlier sittings again; "
                f"{differing} of {decisions} answers were others than before"
            )
        self.seats = ()
        return lines
