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
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.poker.rules import Action, Deal, GameDefinition, HandState, RulesError, parse_betting
from protocol.extension import UNREHEARSED
from protocol.records import KEY, RevealedKeys, is_deal_key, parse_hand
from server.support.errors import MatchAborted
from server.support.record_file import lines_of
from server.table.config import MatchConfig
from server.table.outcome import Durations
from server.table.seat import Seat, SeatClock

ENDED: Final = "# ended after "
"""Begins the line which says that a match ended before its last hand, by its stopping rule."""


class LoggedHands:
    """The hands of a log, one after another: `begin`, an `action` at each turn, `end`.

    Args:
        path: of the log, which ends with a whole line.
        game: what was played.

    *Resource handling*: it closes itself after the last hand; call `close` if that is not reached.

    Raises:
        OSError: it cannot be read.
        MatchAborted: it cannot be understood.
    """

    def __init__(self, path: Path, game: GameDefinition) -> None:
        self._path = path
        self._game = game
        self._lines = lines_of(path)
        self.close: Final = self._lines.close
        self._line_number = 0
        self._line = ""
        self._hand_number = -1
        self._actions: list[Action] = []
        self._next_action = 0
        self.is_over = False
        """Whether there are no more hands."""
        self.was_ended = False
        """Whether the match ended before its last hand, by its stopping rule."""
        self._keys = RevealedKeys()
        self.hands = 0
        """How many of them have been looked at, the current one included."""
        self.has_key = False
        self.has_score = False
        self._advance()

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

    def deal(self) -> Deal | None:
        """The cards of the current hand by its own key; None if the log does not have it."""
        return self._keys.deal(self._game, self._hand_number)

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
                self.hands += 1
                self._actions = [action for _, _, action in betting.steps()]
                self._next_action = 0
                return
            try:
                self._keys.read(line, self._hand_number + 1)
            except ValueError as error:
                self._line = line
                raise self._fault(str(error)) from error
            self.was_ended |= line.startswith(ENDED)
            self.has_key |= line.startswith(KEY) and not is_deal_key(line)
            self.has_score |= line.startswith("SCORE:")
        self.is_over = True

    def _fault(self, what: str) -> MatchAborted:
        found = f"{self._path}, line {self._line_number}: {self._line.rstrip()[:200]!r}"
        return MatchAborted(f"ERROR: the match cannot be resumed: {found}: {what}\n")


def count_hands(path: Path) -> float:
    """How many finished hands a log has; infinity if the match ended by its stopping rule.

    Raises:
        OSError: it cannot be read.
    """
    hands = 0
    for line in lines_of(path):
        if line.startswith("STATE:"):
            hands += 1
        elif line.startswith(ENDED):
            return math.inf
    return hands


def keep_hands(log: Path, hands: int) -> int:
    """Cut off all but the first hands of a log; returns how many hands that were.

    Raises:
        OSError: it cannot be changed.
    """
    place = end = found = 0
    for line in lines_of(log):
        place += len(line.encode("utf-8", "surrogateescape"))
        found += line.startswith("STATE:")
        if found == hands and (line.startswith("STATE:") or not (found or line.startswith(KEY))):
            end = place
    if found > hands:
        os.truncate(log, end)
    return max(0, found - hands)


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
