"""What a match is, as one frozen value: the only configuration that code below the command line reads."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

import attrs

from engine.poker.match_key import MatchKey, MatchSeed
from engine.poker.rules import GameDefinition
from server.support.record_file import Later, Opener, at_once

MAX_NAME: Final = 100
"""Longest player name: ten of them and a hand fit the ACPC programs' line buffers."""
MOST_SECONDS: Final = 1e9
"""Longest time that can be asked for: thirty years."""


FORMER_POLICIES: Final = {"abort": "acpc", "fold": "fair"}
"""The names of policies by those of earlier versions."""


class OnFailure(StrEnum):
    """The price of being late, talking nonsense, crashing or leaving; server/README.md has it as a table."""

    ACPC = "acpc"
    """The match ends at once, as with the ACPC dealer."""
    FAIR = "fair"
    """The hand: the house checks or folds for the seat, and asks again in the next hand, three times in a
    row; a vacant seat checks or folds until somebody connects to its port again."""
    PATIENT = "patient"
    """The same however often, with more time: for people, and for models that think for minutes."""

    @classmethod
    def _missing_(cls, value: object) -> OnFailure:
        if str(value) not in FORMER_POLICIES:
            raise ValueError(f"expected acpc, fair or patient, got {value!r}")
        return cls(FORMER_POLICIES[str(value)])


@attrs.frozen
class Admission:
    """The condition on which a connection may sit down."""

    token: str | None
    """The token that it must say; None for none."""
    refusal: str | None = None
    """Why it may not sit down at all."""
    is_player: bool = False
    """It is the seat's player for certain, so that its failure is the seat's; others are only turned away."""


class SeatGuard(Protocol):
    """Decides who may sit down in a match."""

    async def listener(self, seat: int) -> socket.socket | None:
        """The socket on which a seat's player connects, which the caller closes; None for the seat's port."""

    async def judge(self, seat: int, connection: socket.socket) -> Admission:
        """The condition on which a connection to a seat may sit down there."""


@attrs.frozen
class TimeLimits:
    """How long players may take, in seconds.  A limit is exceeded when strictly passed."""

    response: float = 600.0
    """One decision."""
    hand: float = 600.0
    """All decisions of one seat in one hand."""
    per_hand: float = 7.0
    """Average over the match: a seat has this times the number of hands in all."""
    start: float | None = None
    """For all seats to connect; None waits for ever."""
    handshake: float = 30.0
    """From connecting to the version line (and the token, where the seat has one)."""
    first_response: float = 0.0
    """A seat's first decision of the match, if longer than `response`: programs load what they need during
    it.  Time beyond `response` counts in no total.
    """
    grace: float = 0.0
    """For somebody to take a seat vacated during the match, before the house acts for it."""


@attrs.frozen
class MatchConfig:
    """One match."""

    name: str
    """As written in the log's header."""
    game: GameDefinition
    game_text: str
    """The game as the user named it, for the log's header."""
    hands: int
    cards: MatchSeed | MatchKey
    """Where the cards come from."""
    names: tuple[str, ...]
    """Players in seat order."""
    limits: TimeLimits = TimeLimits()
    fixed_seats: bool = False
    """Seat s is position s in every hand; otherwise the button moves."""
    on_failure: OnFailure = OnFailure.ACPC
    comment_failures: bool = False
    """Write failures into the log as comment lines."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    ports: tuple[int, ...] = ()
    """In seat order; 0 or missing is chosen by the system."""
    seat_tokens: tuple[str | None, ...] = ()
    """In seat order: a word the client of a seat must present; None or missing for an open seat."""
    door: SeatGuard | None = None
    """Decides who may sit down; None admits anyone with the seat's token."""
    log_path: Path | None = None
    transaction_path: Path | None = None
    policy_path: Path | None = None
    """Keeps what clients tell the house about their strategies (`protocol.policy`); None: nobody is asked."""
    usage_path: Path | None = None
    """Keeps what clients say their decisions cost (`protocol.agents.usage`); None: nobody is asked."""
    censors: bool = False
    """Deals in which a player's provider failed do not count, and the log's header says so."""
    comments_path: Path | None = None
    """Keeps what clients say in comment lines with their actions, if they say anything."""
    append: bool = False
    """Append to the files; with a transaction file also resume from it."""
    is_resumable: bool = False
    """If cut short, it may be continued in a later sitting: nothing is then revealed about its cards."""
    rehearses: frozenset[int] = frozenset()
    """Seats whose players are shown the hands of earlier sittings again, since they may have learned from
    them."""
    resumes: bool = False
    """The finished hands in the log are those of an earlier sitting, and the match continues from there."""
    keeps_hands: bool = False
    """The outcome has the chips of every hand, by which the passes of a duplicate match are paired."""
    opener: Opener | None = None
    """Creates the files; None for files with the permissions of the umask."""
    later: Later = at_once
    """Does to the files what could give cards away."""
    carries_chips: bool = False
    """Chips carry over: the code that plays the hands tells clients before each what is played."""
    quiet: bool = False
    """No trace of the messages on stderr."""

    def shift(self, hand_number: int) -> int:
        """How far the button has moved in a hand (docs/acpc-dealer.md 5.4)."""
        return 0 if self.fixed_seats else hand_number % len(self.names)


def check_names(names: Sequence[str]) -> str | None:
    """The fault of players' names, None if there is none.

    Log lines are split at ``|`` and ``:``; what does not print makes a name look like another's.
    """
    for name in names:
        if not 0 < len(name) <= MAX_NAME or not name.isprintable() or set(name) & set(" |:"):
            return (
                f"invalid player name {name[:MAX_NAME]!r}: expected 1 to {MAX_NAME} characters "
                "that print, without blanks, '|' and ':'"
            )
    return None
