"""What can be wrong with a game definition or an action.

RulesError
├── GameDefinitionError   a game that cannot be played, with file and line
├── InvalidActionError    text that is not an action at all
└── IllegalActionError    an action, but not one that is allowed now
"""

from __future__ import annotations


class RulesError(ValueError):
    """Anything the rules refuse."""


class GameDefinitionError(RulesError):
    """A game definition that cannot be played.

    The message says where and what to do; `acpc_line` is the line the ACPC dealer prints for the same
    fault (docs/acpc-dealer.md 1.3), or None if that program does not notice it.
    """

    def __init__(self, message: str, *, acpc_line: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.acpc_line = acpc_line
        self.field = field
        """The game-file keyword at fault, such as ``"raiseSize"``."""


class InvalidActionError(RulesError):
    """Text that is not an action: an unknown letter, or a no-limit raise without its size."""


class IllegalActionError(RulesError):
    """An action that the rules do not allow in this state."""
