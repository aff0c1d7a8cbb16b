"""Spectators of a table: they see what everybody at it sees, and hole cards only when they are shown.

What they are sent is made from the public half of a hand (`engine.poker.rules.BettingState`, which knows no
cards), the board cards dealt so far and, at the end, the hole cards shown at the showdown.  Nothing else
ever leaves this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import attrs

from engine.poker.rules import BettingState, GameDefinition, HandState
from server.table.rules.line_up import LineUp


@attrs.frozen
class Shown:
    """A hand as somebody has seen it."""

    betting: BettingState
    hand: int
    board: tuple[int, ...]
    names: tuple[str, ...]
    """By position."""
    seats: tuple[int, ...]
    """By position."""
    holes: tuple[tuple[int, ...], ...]
    """By position; empty if they are hidden."""
    button: int | None = None
    """The button's seat."""
    reader: int | None = None
    """The position of the player who has seen it; None for somebody who watches."""
    chips: tuple[float, ...] = ()
    """Won by position; empty before the end."""

    @property
    def game(self) -> GameDefinition:
        """The game."""
        return self.betting.game


def shown_holes(state: HandState) -> tuple[tuple[int, ...], ...]:
    """The hole cards that a hand's showdown shows, by position."""
    betting = state.betting
    return tuple(
        [
            cards if betting.is_showdown and not out else ()
            for cards, out in zip(state.deal.hole_cards, betting.folded, strict=True)
        ]
    )


class Listener(Protocol):
    """Somebody who is told at once what happens at a table; it must not wait."""

    def hear(self, shown: Shown) -> None:
        """How a hand stands."""

    def hear_cards(self, hand: int, name: str, cards: tuple[int, ...]) -> None:
        """The cards that a player shows of a hand that is over, although they need not."""

    def hear_end(self) -> None:
        """The table has closed."""


class Audience:
    """The watchers of one table."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._names: tuple[str, ...] = ()
        self._line_up: LineUp | None = None
        self._state: HandState | None = None
        self._chips: tuple[int, ...] = ()

    def listen(self, listener: Listener) -> None:
        """Tell somebody the hand as it is, and all that follows, until `leave` or the table closes."""
        self._listeners.append(listener)
        self._publish([listener])

    def leave(self, listener: Listener) -> None:
        """Tell somebody nothing more."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def __len__(self) -> int:
        return len(self._listeners)

    def hand_begins(self, names: Sequence[str], line_up: LineUp) -> None:
        """Tell that a hand is dealt; names by position."""
        self._names, self._line_up, self._state = tuple(names), line_up, None

    def show(self, state: HandState) -> None:
        """Tell how the hand stands."""
        self._state, self._chips = state, ()
        self._publish(self._listeners)

    def hand_ends(self, state: HandState, chips: Sequence[int]) -> None:
        """Tell that the hand is over; chips won by position."""
        self._state, self._chips = state, tuple(chips)
        self._publish(self._listeners)

    def shows(self, hand: int, name: str, cards: tuple[int, ...]) -> None:
        """Tell which cards a player has shown without having to."""
        for listener in self._listeners:
            listener.hear_cards(hand, name, cards)

    def close(self) -> None:
        """Tell that the table has closed."""
        for listener in self._listeners:
            listener.hear_end()
        self._listeners.clear()

    def _publish(self, listeners: Sequence[Listener]) -> None:
        """Tell the public view of the hand."""
        state, seated = self._state, self._line_up
        if state is None or seated is None or not listeners:
            return
        shown = Shown(
            betting=state.betting,
            hand=state.hand_number,
            board=state.board,
            names=self._names,
            seats=seated.seats,
            holes=shown_holes(state) if self._chips else ((),) * len(self._names),
            button=seated.blinds.button,
            chips=self._chips,
        )
        for listener in listeners:
            listener.hear(shown)
