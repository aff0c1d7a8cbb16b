"""One table: its seats, and the loop that plays a hand at them.

The match, the sit-and-go and the room's tables feed it one hand after another.  Before every action each
seat is shown the hand as it may see it, then the acting seat is read until it has replied
(`server.table.reply`); where no answer comes, the house checks or folds.
`server.table.seating` decides who sits in which seat, and what becomes of a player that fails.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import trio

from engine.poker.rules import CALL, FOLD, Action, Deal, GameDefinition, HandState, initial_hand
from protocol import LocalProtocolError
from protocol.match_state import HandMessages
from protocol.records import Transaction
from server.support import turns
from server.support.console import Console, now_us
from server.support.errors import MatchAborted
from server.table.config import MatchConfig
from server.table.records import MatchRecords
from server.table.reply import Asking
from server.table.seat import Client, HandOnTable, Seat, Situation
from server.table.seating import Entrance, Seating

Replay = Callable[[Seat, HandState, HandOnTable], Awaitable[Action]]
"""Gives an action that an earlier sitting has recorded."""


class Table:
    """The seats of a table, and the hand that is played there.

    Args:
        config: how long players may take, and what becomes of those who fail.
        console: for the operator.
        records: of the hands.
        abort: ends what is played, from any task.
        entrance: where clients come from; None for the table's own ports.
    """

    def __init__(
        self,
        config: MatchConfig,
        console: Console,
        records: MatchRecords,
        abort: Callable[[MatchAborted], None],
        entrance: Entrance | None = None,
    ) -> None:
        self._records = records
        self._has_transactions = config.transaction_path is not None
        self.seating: Final = Seating(config, console, records, abort, entrance)
        self.seats: Final = self.seating.seats
        """The seats in order of their numbers."""
        self.asking: Final = Asking(config, console, records, self.seating)
        self.absent: list[Seat] = []
        """Those for whom the house has checked or folded in the last hand, in this order."""
        self.was_live = True
        """Whether anybody has been asked for an action in the last hand."""
        self.on_state: Callable[[HandState], object] | None = None
        """Called before every action."""
        self.pace: Callable[[], Awaitable[object]] | None = None
        """Waited for after every action, before anybody is shown it; on nobody's clock."""

    def start(self) -> None:
        """Look at trio's clock itself from now on, which is read twice per decision; and wait with others."""
        self.asking.now = trio.lowlevel.current_clock().current_time
        self.asking.turns = turns.here()

    async def play(
        self,
        game: GameDefinition,
        number: int,
        deal: Deal,
        by_position: Sequence[Seat],
        *,
        is_passing: bool = False,
        replay: Replay | None = None,
    ) -> Situation:
        """Play a hand to its end.

        Args:
            game: with the stacks of the hand.
            number: of the hand.
            deal: its cards.
            by_position: the seats that are dealt in.
            is_passing: see `initial_hand`.
            replay: of the actions that an earlier sitting has recorded; None if there are none.

        Returns:
            Its end, which nobody has been shown yet.
        """
        records, seating, asking, on_state = self._records, self.seating, self.asking, self.on_state
        positions: list[int | None] = [None] * len(self.seats)
        for position, seat in enumerate(by_position):
            positions[seat.number] = position
            seat.clock.new_hand()
        is_full = len(by_position) == len(self.seats)
        seats = self.seats if is_full else sorted(by_position, key=lambda seat: seat.number)
        hand = HandOnTable(HandMessages(number, deal), tuple(positions))
        state = initial_hand(game, number, deal, is_passing=is_passing)
        self.absent = []
        is_live = replay is None
        while (to_act := state.betting.position_to_act) is not None:
            seat = by_position[to_act]
            if replay is None or not records.is_replaying:
                is_live = True
                seating.situation = state, hand
                if on_state is not None:
                    on_state(state)
                action, sent_us = await asking.ask(seats, seat, state)
                if action is None or self._has_transactions:
                    action = self._recorded(seat, state, action, sent_us)
                if self.pace is not None:
                    self.flush()
                    await self.pace()
            else:
                action = await replay(seat, state, hand)
            state = state.apply(action)
        self.was_live = is_live
        return state, hand

    def _recorded(self, seat: Seat, state: HandState, answer: Action | None, sent_us: int) -> Action:
        """The action to play, now on record: the seat's answer or, if there is none, the default."""
        received_us = now_us()
        action = answer
        if action is None:
            action = FOLD if state.legal_actions().can_fold else CALL
            if seat not in self.absent:
                self.absent.append(seat)
                seat.hands_by_default += 1
            seat.policies.pop(state.betting.text, None)
            sent_us = received_us  # nobody's time
        if self._has_transactions:
            self._records.write_transaction(Transaction(action, state.hand_number, sent_us, received_us))
        return action

    def show_end(self, end: Situation, seats: Sequence[Seat]) -> None:
        """Tell clients how a hand has ended: those of some seats, and whoever sits down from now on.

        `flush` writes it.
        """
        self.seating.situation = end
        self.seating.show(seats)

    def flush(self) -> None:
        """Write what has been said to clients."""
        for seat in self.seats:
            if seat.client is not None:
                self.seating.flush(seat, seat.client)

    def introduce(self, seat: Seat, client: Client, game: GameDefinition, notes: Mapping[str, str]) -> None:
        """Tell a client what is played in the next hand, if that may differ from hand to hand.

        Args:
            seat: the client's.
            client: who is, or will be, at the seat.
            game: of the hand.
            notes: as `protocol.extension.hand_introductions` gives them.
        """
        try:
            client.connection.play(game)
            client.tell(notes)
        except LocalProtocolError as error:  # a conversation that has broken down
            self.seating.break_off(seat, error)
