"""An agent whose decisions are made elsewhere: it waits until somebody has answered."""

from __future__ import annotations

import math
from typing import Any, Final

import attrs
import trio

from clients.core.agent import Agent
from engine.poker.rules import Action, GameDefinition, HandView
from protocol.agents.turns import TurnBook


@attrs.define(eq=False)
class Pending:
    """A decision that is to be made."""

    view: HandView
    deadline: float
    """On trio's clock."""
    answered: trio.Event = attrs.Factory(trio.Event)
    action: Action | None = None

    @classmethod
    def of(cls, agent: Agent, view: HandView) -> Pending:
        """The question that a table has just put to an agent."""
        seconds = math.inf if agent.seconds_to_act is None else agent.seconds_to_act
        return cls(view, trio.current_time() + seconds)


class Mailbox(Agent):
    """A seat whose turns are in a book, for whoever answers them (`protocol.agents.tools.Desk`)."""

    wants_clock = True

    def __init__(self) -> None:
        self.book = TurnBook(trio.Event, trio.current_time)
        self.leaving: Final = trio.CancelScope()
        """Cancelled when the seat is given up."""

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Sits down: at first, or because others have sat down at a room's table."""
        if self.book.status == "lobby":
            self.book.sits_down()

    def hand_started(self, view: HandView) -> None:
        """Shows the hand."""
        self.book.see(view, self.seat)

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Shows an action."""
        self.book.see(view, self.seat)

    def hand_finished(self, view: HandView) -> None:
        """Shows the end."""
        self.book.see(view, self.seat)

    async def choose_action(self, view: HandView) -> Action:
        """Waits for an answer; one that comes after the dealer has gone on is refused."""
        self.book.ask(view, self.seat, self.seconds_to_act)
        try:
            await self.book.answered.wait()
        finally:
            self.book.withdraw()
        assert self.book.action is not None  # that is what `answered` means
        return self.book.action

    async def act(self, message: object) -> dict[str, Any]:
        """Answer a turn."""
        return self.book.answer(message)

    async def leave(self) -> None:
        """Give the seat up, at once: a match goes on without us."""
        self.leaving.cancel()
        self.book.leave("closed")
