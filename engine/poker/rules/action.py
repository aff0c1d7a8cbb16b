"""What a player can do: fold, call or raise.

A check is a call of nothing and a bet is a raise over nothing, as everywhere in the ACPC's protocol.
A no-limit raise is always *raise to*: the total the raiser has then put into the pot over all rounds
of the hand, blind included (docs/acpc-dealer.md 2.2).  A limit raise has no size of its own.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class ActionKind(StrEnum):
    """The three kinds of action; the value is its letter on the wire and in logs."""

    FOLD = "f"
    CALL = "c"
    RAISE = "r"


class Action(NamedTuple):
    """One action.  ``str(action)`` is its ACPC text: ``f``, ``c``, ``r`` or ``r300``."""

    kind: ActionKind
    raise_to: int | None = None
    """Total chips in the pot after a no-limit raise; None for everything else."""

    def __str__(self) -> str:
        return self.kind.value if self.raise_to is None else f"r{self.raise_to}"


FOLD: Final = Action(ActionKind.FOLD)
CALL: Final = Action(ActionKind.CALL)
LIMIT_RAISE: Final = Action(ActionKind.RAISE)
"""The raise of a limit game, whose size the game definition fixes."""


def raise_to(total: int) -> Action:
    """The no-limit raise to a total of `total` chips in the pot."""
    return Action(ActionKind.RAISE, total)


COMMITTED: Final = 0.5
"""A raise of more than this fraction of the chips left is made all in: the rest would follow anyway."""
