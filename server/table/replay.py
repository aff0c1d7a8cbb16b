"""The finished hands of an earlier sitting, read from its log while they are replayed.

The log has the whole outcome of a match: how its hands were played and, at the very end, the key and the
score.  Only one hand is held at a time, so a long match takes no more memory than a short one.
Every hand is compared with the result of its actions by the rules and the cards: a log that has been changed,
or that belongs to other cards, is detected at the first line that differs.

Players who may have learned from those hands are shown them again.  They answer as in normal play, on a clock
that is thrown away; what was done in the earlier sitting stands, whatever they answer.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine.poker.rules import Action, GameDefinition, HandState, RulesError, parse_betting
from protocol.extension import UNREHEARSED
from protocol.records import parse_hand
from server.support.errors import MatchAborted
from server.support.record_file import Opener
from server.table.config import MatchConfig
from server.table.outcome import Durations
from server.table.seat import Seat, SeatClock

ENDED: Final = "# ended after "
"""Begins the line which says that a match ended before its last hand, by its stopping rule."""
_CHUNK: Final = 1 << 16


class LoggedHands:
    """The hands of a log, one after another: `begin`, an `action` at each turn, `end`.

    Args:
        path: of the log, which ends with a whole line.
        game: what was played.
        opener: opens it.

    *Resource handling*: it closes itself after the last hand; call `close` if that is not reached.

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
        """Whether there are no more hands."""
        self.was_ended = False
        """Whether the match ended before its last hand, by its stopping rule."""
        self.has_key = False
        self.has_score = False
        self._advance()

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
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
        """Finish the current hand, whose line this is, and move on to the next.

        Raises:
            MatchAborted: it is not the line of the log.
        """
        if line != self._line:
            raise self._fault(f"the cards, the rules and the players make it {line.rstrip()!r}")
        self._advance()

    def _advance(self) -> None:
        """Move on to the next hand, skipping other lines."""
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
    """How many finished hands a log has; infinity if the match ended by its stopping rule.

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
    """Whether a log reveals the key of its cards.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _CHUNK))
        return b"\n# key " in file.read()


def lines_of(path: Path, opener: Opener | None) -> Iterator[str]:
    """The complete lines that are in a file now, line ends included, one at a time.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = (opener or os.open)(str(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield from _lines(descriptor)
    finally:
        os.close(descriptor)


def _lines(descriptor: int) -> Iterator[str]:
    """The lines that are in a file now; anything appended meanwhile is ours and not read.

    The position of others who have the same file open does not change.
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
    """Whether a seat's client is to be shown the hands again, and has not said that this is unnecessary."""
    client = seat.client
    return seat.number in config.rehearses and client is not None and UNREHEARSED not in client.capabilities


class Rehearsal:
    """The seats that rehearse; until `end` they use temporary clocks.

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
        """Note a seat's answer where `action` was done."""
        self._decisions[seat.number] += 1
        self._differing[seat.number] += answer != action

    def end(self) -> list[str]:
        """Give everybody their clocks back; returns a line about each."""
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
