"""Which decision an answer belongs to: late, repeated and second answers cannot land on another.

A turn's id is ``VISIT.HAND.STEP``: how often this client has sat down, the hand, and the actions before.  It
follows from the match, so it is the same through every door and in every repetition.

The book answers::

    the open turn                        a receipt: {"accepted": "r900", "turn": ...}
    the same answer to a turn it knows   the same receipt, with "again": true
    another answer to it, any other id   turn_over

*Accepted* is not *played*: if the house acted first, the next observation has ``last_turn`` with both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from engine.poker.rules import Action, HandView
from protocol.agents.answers import BadFormat, Illegal, answer_of
from protocol.agents.observation import Observation, legal, observe

_REMEMBERED: Final = 64
"""Turns whose answers are known."""
STATUSES: Final = {
    "format": 400, "unauthorized": 401, "forbidden": 403, "no_seat": 404, "turn_over": 409, "refused": 409,
    "closed": 410, "too_large": 413, "illegal": 422, "too_many": 429, "busy": 503,
}  # fmt: skip
"""The codes of errors, with HTTP's status."""


class SeatError(Exception):
    """Something that cannot be done, with its code and a sentence.

    Args:
        code: one of `STATUSES`.
        message: ours; it quotes at most forty printable characters of what came.
        more: further members of the object.
    """

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code = code
        self._more = more

    @property
    def status(self) -> int:
        """HTTP's status."""
        return STATUSES[self.code]

    def as_json(self) -> dict[str, Any]:
        """The object that every door sends."""
        return {"error": self.code, "message": str(self), **self._more}


class Signal(Protocol):
    """Something that is waited for, such as ``trio.Event``."""

    def set(self) -> object:
        """Wake those who wait."""

    async def wait(self) -> object:
        """Wait until it is set."""


class TurnBook:
    """The turns of one seat; waits for nothing but the event that it is given.

    Args:
        new_event: makes an event, such as ``trio.Event``.
        now: the clock by which turns end.
    """

    def __init__(self, new_event: Callable[[], Signal], now: Callable[[], float] | None = None) -> None:
        self._new_event = new_event
        self._now = now or (lambda: 0.0)
        self.changed = new_event()
        """Set when there is something new to see; then replaced by another."""
        self._known: dict[str, tuple[str, dict[str, Any]]] = {}
        # By turn: the answer as canonical JSON, and its receipt.
        self._view: HandView | None = None
        self._seat = 0
        self._turn = ""
        self._deadline = math.inf
        self._accepted: tuple[str, HandView, Action] | None = None  # not seen played yet
        self._last_turn: dict[str, Any] | None = None
        self._sits_again = False
        self.visit = 0
        self.status = "lobby"
        """``lobby``, ``waiting``, ``your_turn`` or ``closed``."""
        self.is_heard = False
        """The client has asked for something since it sat down."""
        self.last_hand: Observation | None = None
        """The last finished hand."""
        self.answered = new_event()
        """Set when the open turn has been answered."""
        self.action: Action | None = None
        """The answer to the open turn."""
        self.accepted = 0
        """Answers that were accepted, each counted once."""

    # --- what the table tells ------------------------------------------------------------------------------

    def sits_down(self) -> None:
        """The client has been given a seat."""
        self.visit += 1
        self.is_heard = False
        self._sits_again = self.visit > 1
        self._change("waiting")

    def see(self, view: HandView, seat: int) -> None:
        """The hand goes on."""
        self._view, self._seat = view, seat
        self._compare(view)
        if view.is_finished:
            self.last_hand = observe(view, seat)
            self._change(self.status)

    def ask(self, view: HandView, seat: int, seconds: float | None = None) -> str:
        """Open a turn; returns its id.

        Args:
            view: in which it is the seat's turn.
            seat: the seat.
            seconds: how long it may take.
        """
        self.see(view, seat)
        self._turn = f"{self.visit}.{view.hand_number}.{len(view.betting.steps())}"
        self._deadline = math.inf if seconds is None else self._now() + seconds
        self.action, self.answered = None, self._new_event()
        self._change("your_turn")
        return self._turn

    def withdraw(self) -> None:
        """The open turn is over, answered or not."""
        if self.status == "your_turn":
            self._change("waiting")

    def leave(self, status: str = "lobby") -> None:
        """The client has no seat any more; ``closed`` if it cannot have another."""
        self._change(status)

    def _change(self, status: str) -> None:
        self.status = status
        self.changed.set()
        self.changed = self._new_event()

    def _compare(self, view: HandView) -> None:
        """Find out what was played where an answer was accepted."""
        if self._accepted is None:
            return
        turn, before, action = self._accepted
        step = len(before.betting.steps())
        steps = view.betting.steps() if view.hand_number == before.hand_number else []
        if len(steps) > step:
            played = steps[step][2]
            if played != action:
                self._last_turn = {"turn": turn, "accepted": str(action), "played": str(played), "late": True}
            self._accepted = None

    # --- what the client asks ------------------------------------------------------------------------------

    def observation(self) -> Observation:
        """What the seat sees now: a whole observation at its turn, else the status alone.

        What is told once, `last_turn` and `reseated`, is told with every poll until the turn is answered.
        """
        if self.status != "your_turn" or self._view is None:
            return {"status": self.status}
        left = None if self._deadline == math.inf else round(max(0.0, self._deadline - self._now()), 3)
        seen = observe(self._view, self._seat, self._turn, left)
        if self._last_turn is not None:
            seen["last_turn"] = self._last_turn
        if self._sits_again:
            seen["reseated"] = True
        return seen

    async def next_turn(self) -> Observation:
        """The observation of the next turn; waits for it as long as there can be one."""
        while self.status == "waiting":
            await self.changed.wait()
        return self.observation()

    def answer(self, message: object) -> dict[str, Any]:
        """Take an answer, with its ``turn``; returns the receipt.

        Raises:
            SeatError: it is none, or comes for another turn.
        """
        if not isinstance(message, Mapping) or not isinstance(message.get("turn"), str):
            raise SeatError("format", "expected an object with turn, do and perhaps to")
        turn = message["turn"]
        said = {name: each for name, each in message.items() if name != "turn"}
        written = json.dumps(said, sort_keys=True, default=repr)
        if turn in self._known:
            known, receipt = self._known[turn]
            if known == written:
                return {**receipt, "again": True}
            accepted = receipt["accepted"]
            raise SeatError("turn_over", f"That turn has been answered: {accepted}.", accepted=accepted)
        view = self._view
        if self.status != "your_turn" or turn != self._turn or view is None:
            raise SeatError("turn_over", "That turn is not open (any more): wait for the next.")
        try:
            action = answer_of(said, view).action
        except BadFormat as error:
            raise SeatError("format", str(error)) from None
        except Illegal as error:
            raise SeatError("illegal", str(error), legal=legal(view.betting)) from None
        receipt = {"accepted": str(action), "turn": turn}
        self.accepted += 1
        self._known[turn] = written, receipt
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        self._accepted = (turn, view, action)
        self._last_turn, self._sits_again = None, False
        self.action = action
        self.withdraw()
        self.answered.set()
        return receipt
