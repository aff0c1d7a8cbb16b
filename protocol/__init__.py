"""The line protocol between dealer and players, sans I/O: bytes in, events out; events in, bytes out.

See README.md in this folder for the grammar, an annotated transcript and the table of states.
"""

from protocol.connection import NEED_DATA, DealerConnection, NeedData, PlayerConnection
from protocol.errors import (
    BadMatchState,
    BadVersion,
    LineTooLong,
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
)
from protocol.events import (
    Comment,
    ConnectionClosed,
    Event,
    Flaw,
    Greeting,
    Note,
    Reply,
    StaleReply,
    StateUpdate,
    TurnToAct,
    TurnWithdrawn,
    UnreadableLine,
    Version,
)
from protocol.extension import CAPABILITIES
from protocol.match_state import format_match_state, parse_match_state
from protocol.states import State

__all__ = [
    "CAPABILITIES",
    "NEED_DATA",
    "BadMatchState",
    "BadVersion",
    "Comment",
    "ConnectionClosed",
    "DealerConnection",
    "Event",
    "Flaw",
    "Greeting",
    "LineTooLong",
    "LocalProtocolError",
    "NeedData",
    "Note",
    "PlayerConnection",
    "ProtocolError",
    "RemoteProtocolError",
    "Reply",
    "StaleReply",
    "State",
    "StateUpdate",
    "TurnToAct",
    "TurnWithdrawn",
    "UnreadableLine",
    "Version",
    "format_match_state",
    "parse_match_state",
]
