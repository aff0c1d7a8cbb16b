"""What is said in a conversation between the dealer and one seat.

Events are values: two with the same content are equal.  Those that come from a client keep the line
they were read from, for traces and diagnostics.
"""

from __future__ import annotations

import enum

import attrs

from engine.poker.rules import Action, HandView


class Event:
    """Anything that is said or happens in a conversation."""

    __slots__ = ()


# --- said by the client ------------------------------------------------------------------------------


@attrs.frozen
class Version(Event):
    """The client's first line."""

    major: int = 2
    minor: int = 0
    revision: int = 0
    line: bytes = attrs.field(default=b"", eq=False, repr=False)

    @property
    def is_supported(self) -> bool:
        """Whether it is version 2.0 of the protocol, in any revision.  Others are warned but still served."""
        return self.major == 2 and self.minor == 0


@attrs.frozen
class Greeting(Event):
    """A ``#riverboat/1`` line: what a client asks for, or what the server grants."""

    words: tuple[str, ...]


@attrs.frozen
class Comment(Event):
    """A line that is skipped: it begins with ``#`` or ``;``."""

    line: bytes


@attrs.frozen
class Request(Event):
    """A line from a client to a room, such as ``#join TABLE``, ``#leave`` or ``#name=Ann``."""

    word: str
    """One of `protocol.extension.REQUESTS`."""
    text: str = ""
    """What follows it."""


class Flaw(enum.Enum):
    """Why a reply to the current state has no action; both are played as a call (docs/acpc-dealer.md 5.6)."""

    BAD_FORMAT = "bad action format"
    """No colon after the state, or a no-limit raise without a number."""
    UNKNOWN_ACTION = "invalid action"
    """The letter after the colon is not an action."""


@attrs.frozen
class Reply(Event):
    """An answer to the state in which the client is to act.  The action need not be legal."""

    action: Action | None
    flaw: Flaw | None = None
    line: bytes = attrs.field(default=b"", eq=False, repr=False)


@attrs.frozen
class StaleReply(Event):
    """A well-formed answer, but to a state other than the current one."""

    line: bytes


@attrs.frozen
class UnreadableLine(Event):
    """A line that is none of the above."""

    line: bytes


# --- said by the dealer ------------------------------------------------------------------------------


@attrs.frozen
class StateUpdate(Event):
    """The hand as the client may see it; another position is to act, or the hand is over."""

    view: HandView


@attrs.frozen
class TurnToAct(Event):
    """The hand as the client may see it; the client is to act.  The same bytes as a `StateUpdate`."""

    view: HandView


@attrs.frozen
class Note(Event):
    """A ``#name text`` line of the server: ``seat``, ``names``, ``game``, ``clock`` and the rest."""

    name: str
    text: str


@attrs.frozen
class InLobby(Event):
    """A ``#lobby`` line of a room: the client has no seat, and is shown no hand until it is given one."""

    reason: str = ""
    """Why it has lost its seat, for people; empty if it has just come."""


@attrs.frozen
class Seated(Event):
    """A ``#seated`` line of a room: the client has a seat, and will be shown the hands that it is dealt."""

    table: str
    seat: int
    """The client's place at the table, from 0, as long as it sits there."""
    stack: int
    """Chips in front of it."""


# --- local: nothing travels --------------------------------------------------------------------------


@attrs.frozen
class TurnWithdrawn(Event):
    """The dealer has acted for a seat that did not answer."""


@attrs.frozen
class ConnectionClosed(Event):
    """The other side will say nothing more."""


OfDealer = StateUpdate | TurnToAct | TurnWithdrawn | Greeting | Note | InLobby | Seated
"""What the dealer's end of a conversation can say."""
OfPlayer = Version | Greeting | Comment | Request | Reply
"""What a player's end can say."""
