"""The states of one seat's conversation, as a table.

Everything that decides what may be said when is here, and nothing here knows which side we are on.
Theory of operation: the client speaks first (its version); then the dealer sends the hand before
every action, and the client answers exactly those states in which it is to act.  "It is your turn" is
an event of its own, although its bytes are those of any state, so that the table is complete and no
transition hides in code.  An event that is missing from a state's row is an error.
"""

from __future__ import annotations

import enum
from typing import Final

from protocol import events


class State(enum.Enum):
    """The state of a conversation."""

    AWAITING_VERSION = "awaiting version"
    """Nothing has been said; the client is to send its version."""
    LOBBY = "in the lobby"
    """The client is in a room and has no seat: no hand can be shown to it."""
    WATCHING = "watching"
    """Somebody else is to act, or no hand is in progress."""
    TO_ACT = "to act"
    """The client has been shown a state in which it is to act."""
    CLOSED = "closed"
    """One side has left in good order."""
    ERROR = "error"
    """A side broke the protocol, or a write failed and nobody knows what arrived."""

    __hash__ = object.__hash__  # members are looked up for every message; Enum's own hash is slow Python


_SAID: Final = (events.Greeting, events.Note, events.Request, events.Comment)
"""What may be said in every state but the first, and changes none."""

TRANSITIONS: Final[dict[State, dict[type[events.Event], State]]] = {
    State.AWAITING_VERSION: {events.Version: State.WATCHING, events.ConnectionClosed: State.CLOSED},
    State.LOBBY: {
        **dict.fromkeys((*_SAID, events.UnreadableLine), State.LOBBY),
        events.Seated: State.WATCHING,
        events.ConnectionClosed: State.CLOSED,
    },
    State.WATCHING: {
        **dict.fromkeys(
            (*_SAID, events.StaleReply, events.UnreadableLine, events.StateUpdate), State.WATCHING
        ),
        events.TurnToAct: State.TO_ACT,
        events.InLobby: State.LOBBY,
        events.ConnectionClosed: State.CLOSED,
    },
    State.TO_ACT: {
        **dict.fromkeys((*_SAID, events.StaleReply, events.UnreadableLine), State.TO_ACT),
        events.Reply: State.WATCHING,
        events.TurnWithdrawn: State.WATCHING,
        events.ConnectionClosed: State.CLOSED,
    },
    State.CLOSED: {},
    State.ERROR: {},
}
