"""What can go wrong in a conversation, and who is at fault.

ProtocolError
├── LocalProtocolError     our own program did what the protocol does not allow now
└── RemoteProtocolError    the other side did
    ├── BadVersion         its first line is not a version
    ├── BadMatchState      a line that should be a match state is not one of this game
    └── LineTooLong        a dealer's line passes the limit
"""

from __future__ import annotations


class ProtocolError(Exception):
    """Any breach of the protocol."""


class LocalProtocolError(ProtocolError):
    """Our side tried something the conversation does not admit now: a bug in the caller."""


class RemoteProtocolError(ProtocolError):
    """The other side said something the protocol does not admit; the conversation is over."""


class BadVersion(RemoteProtocolError):
    """The first line of a client is not ``VERSION:MAJOR.MINOR.REVISION``.  `line` is what came instead."""

    def __init__(self, message: str, line: bytes) -> None:
        super().__init__(message)
        self.line = line


class BadMatchState(RemoteProtocolError):
    """A line is not a match state of the game being played."""


class LineTooLong(RemoteProtocolError):
    """The dealer sent more bytes without a line end than any message has."""
