"""One seat: its client, the time it has used, how it failed; and a hand on the table, as its seats see it."""

from __future__ import annotations

import contextlib
import math
from collections import Counter, deque
from collections.abc import Mapping
from typing import Final

import attrs
import trio

from engine.poker.rules import HandState
from engine.support.user_input import printable
from protocol import DealerConnection, Note, Request
from protocol.match_state import HandMessages
from server.support.errors import Failure
from server.table.channel import Channel, ChannelBroken
from server.table.config import TimeLimits
from server.table.outcome import Durations, SeatOutcome

_MOST_REQUESTS: Final = 32
"""How many are kept of a client; the oldest is dropped for a new one."""
_GOODBYE_S: Final = 1.0
# For a stranger to read why they are turned away.
_MOST_COMMENTS: Final = 50
"""How many are kept of a seat and a hand."""
_MOST_LETTERS: Final = 500
"""How much is kept of each."""
_MOST_FAILURES: Final = 1000
"""How many are kept one by one: some 300 KB."""


class SeatClock:
    """Time used by one seat, in seconds (docs/acpc-dealer.md 5.8).

    Only the acting seat's clock runs, and each decision is charged once, when it is answered.  It belongs to
    the question: whoever comes and goes in the seat meanwhile finds it running.
    """

    def __init__(self, limits: TimeLimits, hands: int) -> None:
        self._limits = limits
        self.response = max(limits.response, limits.first_response)
        """How long the next decision may take by itself."""
        self.bank = 0.0
        """Time beyond it, which is used up by the decisions that need it."""
        self._match_limit = limits.per_hand * hands
        self.in_hand = 0.0
        self.in_match = 0.0
        self.asked_at: float | None = None
        """When the open question was asked, on trio's clock, later by the time that the seat was vacant."""
        self.until = self.latest = math.inf
        """When the table stops waiting for its answer, whatever the seat's clients do; the latter after the
        seat has been vacant, since its grace may exceed a response.
        """

    def asks(self, now: float, is_strict: bool) -> None:
        """Begin a question; unless the clock is strict, what a client says may restart its wait."""
        self.asked_at = now
        if is_strict:
            self.until = now + self.response + self.bank
            self.latest = max(self.until, now + self._limits.grace)

    def new_hand(self) -> None:
        """Reset the hand's total; the match's total is never reset."""
        self.in_hand = 0.0

    def is_exceeded_by(self, seconds: float) -> bool:
        """Whether a decision that has taken `seconds` so far passes a limit."""
        limits = self._limits
        counted = limits.response if seconds > limits.response else seconds
        return (
            seconds > self.response + self.bank
            or self.in_hand + counted > limits.hand
            or self.in_match + counted > self._match_limit
        )

    def charge(self, seconds: float) -> bool:
        """Charge a decision; returns whether it passed a limit."""
        limits = self._limits
        is_late = seconds > self.response + self.bank
        if self.bank:
            self.bank = max(0.0, min(self.bank, self.bank + self.response - seconds))
        if self.response != limits.response:  # the first
            seconds = min(seconds, limits.response)
            self.response = limits.response
        self.in_hand += seconds
        self.in_match += seconds
        return is_late or self.in_hand > limits.hand or self.in_match > self._match_limit

    def charge_waiting(self, seconds: float) -> None:
        """Charge time spent waiting for somebody to take the seat: to the match, not to a hand."""
        self.in_match += seconds
        if self.asked_at is not None:
            self.asked_at += seconds

    @property
    def is_used_up(self) -> bool:
        """Whether no time is left for the match."""
        return self.in_match > self._match_limit

    def left(self) -> float:
        """Seconds that the next decision may take, or the one in progress still may."""
        limits = self._limits
        response = self.response + self.bank
        seconds = min(response, limits.hand - self.in_hand, self._match_limit - self.in_match)
        if self.asked_at is not None:
            seconds = max(0.0, min(self.asked_at + seconds, self.until) - trio.current_time())
        return seconds


@attrs.define(eq=False)
class Client:
    """Somebody connected to a seat."""

    channel: Channel
    connection: DealerConnection
    token: str | None = None
    """The token that it must say before it may sit down; None for nothing."""
    is_player: bool = False
    """It is the seat's player for certain, whatever it says."""
    first: bytes = b""
    """The first bytes that it has sent."""
    capabilities: frozenset[str] = frozenset()
    """What the server has granted (`protocol.extension`)."""
    is_greeted: bool = False
    """Its greeting has been answered: further greetings get no answer."""
    told: dict[str, str] = attrs.Factory(dict)
    """The notes that it was told last, by name: they are repeated only when they change."""
    unwritten: bytes = b""
    """Said, but not written yet: one write carries all of it."""
    has_replied: bool = False
    """To a state, since it sat down."""
    stray_replies: int = 0
    """Its replies to other states, less those that may just be late: one for each turn it missed.  Both are
    counted since its last reply.
    """
    is_late: trio.Event = attrs.Factory(trio.Event)
    """Set when it has not replied in time; renewed when it has spoken again."""
    attending: trio.Event | None = None
    """Set when its seat's task has let go of it; None while no task has it."""
    has_left: trio.Event = attrs.Factory(trio.Event)
    """Set when it has lost its seat, or the match is over."""
    requests: deque[Request] = attrs.Factory(lambda: deque(maxlen=_MOST_REQUESTS))
    """Its requests to the room, made while it was to act."""

    @property
    def speaks_tls(self) -> bool:
        """Whether it has begun with a TLS handshake, which is not a line."""
        return self.first.startswith(b"\x16\x03")

    async def explain(self, protocol: str, people: str) -> None:
        """Say in one line what is spoken here to somebody who speaks something else, and close."""
        without = ", without TLS" if self.speaks_tls else ""
        line = f"# this port speaks {protocol}{without}; people: {people}\r\n"
        if b" HTTP/" in self.first:
            line = f"HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n{line}"
        with contextlib.suppress(ChannelBroken):
            self.channel.send(line.encode())
            await self.channel.finish(_GOODBYE_S)

    def say(self, data: bytes) -> None:
        """Add to the bytes that the next `flush` writes."""
        self.unwritten += data

    def tell(self, notes: Mapping[str, str]) -> None:
        """Say notes that it has asked for and does not know, by name; the next `flush` writes them.

        Raises:
            LocalProtocolError: nothing can be said to it any more.
        """
        for name, text in notes.items():
            if name in self.capabilities and self.told.get(name) != text:
                self.told[name] = text
                self.say(self.connection.send(Note(name, text)))

    def flush(self) -> None:
        """Write what has been said.

        Raises:
            ChannelBroken: it cannot be written.
        """
        data = self.unwritten
        if data:
            self.unwritten = b""
            self.channel.send(data)


@attrs.define(eq=False)
class Seat:
    """A fixed place at the table for the whole match."""

    number: int
    """From 0; shown to people as ``number + 1``."""
    name: str
    clock: SeatClock
    token: str | None
    """What a client must present to sit here; None for an open seat."""
    port: int = 0
    client: Client | None = None
    """The client that is connected; None while the seat is vacant."""
    taken: trio.Event = attrs.Factory(trio.Event)
    """Set while somebody sits there; renewed when the seat is vacated."""
    is_away: bool = False
    """Its client was late and has not spoken since: the table does not wait for it."""
    away_since: int | None = None
    """The hand in which it was last found to be late."""
    returned: trio.Event = attrs.Factory(trio.Event)
    """Set when a client that was late has spoken, or is gone; renewed when one is late."""
    late_in_a_row: int = 0
    """Replies its client owes since its last one; a new client owes none."""
    grace_until: float | None = None
    """How long the table waits for the vacant seat, on trio's clock; None before it is vacated, and once
    somebody has replied there again."""
    failures: list[Failure] = attrs.Factory(list)
    """In the order they happened, the first `_MOST_FAILURES` of them."""
    more_failures: int = 0
    """How often it has failed beyond those."""
    policies: dict[str, bytes] = attrs.Factory(dict)
    """What its client has said about its strategy in the current hand: ``#policy`` lines by betting."""
    usage: dict[str, bytes] = attrs.Factory(dict)
    """What its client has said its decisions in the current hand cost: ``#usage`` lines by betting."""
    comments: list[tuple[str, str]] = attrs.Factory(list)
    """The betting and the text of its client's comment lines in the current hand, the first few of them."""
    decision_times: Durations = attrs.Factory(Durations)
    changes: Counter[str] = attrs.Factory(Counter)
    """Answers that were ignored or changed, by `outcome.CHANGES`."""
    hands_by_default: int = 0
    """Hands in which the house checked or folded for it."""

    def has_failed(self, failure: Failure) -> None:
        """Record a failure; a client that comes and goes for ever cannot fill the memory."""
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append(failure)
        else:
            self.more_failures += 1

    def keep_comment(self, betting: str, line: bytes) -> None:
        """Keep a comment line, as far as there is room."""
        if len(self.comments) < _MOST_COMMENTS:
            text = printable(line.decode("utf-8", "replace").strip().lstrip("#;").strip())
            self.comments.append((betting, text[:_MOST_LETTERS]))

    def take_over(self, earlier: SeatOutcome) -> None:
        """Continue from the outcome of its player in earlier sittings."""
        self.failures += earlier.failures
        self.more_failures += earlier.more_failures
        self.decision_times += earlier.decision_times
        self.changes += earlier.changes
        self.hands_by_default += earlier.hands_by_default
        self.clock.in_match += earlier.seconds_used

    @property
    def label(self) -> str:
        """How messages name the seat."""
        return f"seat {self.number + 1} ({self.name})"

    def outcome(self) -> SeatOutcome:
        """Its player's outcome so far, apart from the chips."""
        return SeatOutcome(
            name=self.name,
            failures=self.failures,
            more_failures=self.more_failures,
            decision_times=self.decision_times,
            changes=self.changes,
            hands_by_default=self.hands_by_default,
            seconds_used=self.clock.in_match,
        )


@attrs.frozen
class HandOnTable:
    """One hand: its messages, and the seats of its positions.

    They belong together: a client that sits down at any moment is shown a hand from its own position in that
    hand, and never one hand's cards from its position in the next.
    """

    messages: HandMessages
    positions: tuple[int | None, ...]
    """By seat, its place in this hand relative to the button; None for a seat that is not dealt in."""


Situation = tuple[HandState, HandOnTable]
"""How a hand stands, as one value; a plain tuple, since one is made for every action."""
