"""The line protocol between dealer and players, sans I/O: bytes in, events out; events in, bytes out.

See README.md in this folder for the grammar, an annotated transcript and the table of states.

To read the code, take the modules in this order; each imports only from those before it::

    events        what can be said, as frozen values
    states        when it can be said: the table
    errors        what can go wrong, and who is at fault
    framing       bytes to lines
    match_state   a hand as text, written exactly and read leniently; a hand's states one after another
    extension     the ``#`` lines
    policy        the ``#policy`` lines, in which clients tell the house about their strategies
    room_game     the game of a hand whose chips carry over, from the lines that introduce it
    connection    both ends of a conversation: bytes to events, events to bytes
    records       lines of the match log and of the transaction log
    variables     what a player's program is given before it connects

`protocol.agents` is the seat of an agent as JSON.
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
    InLobby,
    Note,
    Reply,
    Request,
    Seated,
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
    "CAPABILITIES", "NEED_DATA", "BadMatchState", "BadVersion", "Comment", "ConnectionClosed",
    "DealerConnection", "Event", "Flaw", "Greeting", "InLobby", "LineTooLong", "LocalProtocolError",
    "NeedData", "Note", "PlayerConnection", "ProtocolError", "RemoteProtocolError", "Reply", "Request",
    "Seated", "StaleReply", "State", "StateUpdate", "TurnToAct", "TurnWithdrawn", "UnreadableLine",
    "Version", "format_match_state", "parse_match_state",
]  # fmt: skip
