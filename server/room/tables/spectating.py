"""Spectators of a table: they see what everybody at it sees, and hole cards only when they are shown.

What they are sent is made from the public half of a hand (`engine.poker.rules.BettingState`, which knows no
cards), the board cards dealt so far and, at the end, the hole cards shown at the showdown.  Nothing else
ever leaves this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import trio

from engine.poker.cards import format_cards
from engine.poker.rules import GameDefinition, HandState, format_game
from server.table.rules.line_up import LineUp

_MOST_UNREAD: Final = 256
"""Events that a watcher may leave unread before it is dropped."""

Event = dict[str, Any]
"""What happens at a table, ready for JSON; `kind` is ``hand``, ``state``, ``end`` or ``closed``."""


class Audience:
    """The watchers of one table."""

    def __init__(self) -> None:
        self._watchers: list[trio.MemorySendChannel[Event]] = []
        self._hand: Event | None = None
        self._state: HandState | None = None
        self._end: Event | None = None

    @property
    def now(self) -> tuple[Event, ...]:
        """The state that a new watcher needs."""
        state = _public(self._state) if self._end is None and self._state is not None else self._end
        return tuple([event for event in (self._hand, state) if event is not None])

    def watch(self) -> trio.MemoryReceiveChannel[Event]:
        """All events from now on; the channel ends when the table closes, or when too much is left unread."""
        send, receive = trio.open_memory_channel[Event](_MOST_UNREAD)
        for event in self.now:
            send.send_nowait(event)
        self._watchers.append(send)
        return receive

    def __len__(self) -> int:
        return len(self._watchers)

    def hand_begins(self, number: int, game: GameDefinition, names: Sequence[str], line_up: LineUp) -> None:
        """Tell that a hand is dealt; names by position."""
        self._hand = {
            "kind": "hand",
            "hand": number,
            "game": format_game(game),
            "names": list(names),
            "seats": list(line_up.seats),
            "button": line_up.blinds.button,
            "stacks": list(game.stacks),
            "blinds": list(game.blinds),
            "antes": list(game.antes_posted),
        }
        self._state = self._end = None
        self._publish(self._hand)

    def show(self, state: HandState) -> None:
        """Tell how the hand stands."""
        self._state = state
        if self._watchers:
            self._publish(_public(state))

    def hand_ends(self, state: HandState, chips: Sequence[int]) -> None:
        """Tell that the hand is over; chips won by position."""
        folded = state.betting.folded
        is_showdown = state.betting.is_showdown
        self._end = {
            **_public(state),
            "kind": "end",
            "chips": list(chips),
            "holes": [
                format_cards(cards) if is_showdown and not out else ""
                for cards, out in zip(state.deal.hole_cards, folded, strict=True)
            ],
        }
        self._publish(self._end)

    def close(self) -> None:
        """Tell that the table has closed."""
        self._publish({"kind": "closed"})
        for watcher in self._watchers:
            watcher.close()
        self._watchers.clear()

    def _publish(self, event: Event) -> None:
        for watcher in list(self._watchers):
            try:
                watcher.send_nowait(event)
            except (trio.WouldBlock, trio.BrokenResourceError):
                watcher.close()
                self._watchers.remove(watcher)


def _public(state: HandState) -> Event:
    """The public view of a hand."""
    betting = state.betting
    return {
        "kind": "state",
        "hand": state.hand_number,
        "betting": betting.text,
        "round": betting.betting_round,
        "board": format_cards(state.board),
        "pot": betting.pot,
        "spent": list(betting.spent),
        "folded": list(betting.folded),
        "to_act": betting.position_to_act,
    }
