"""Asking: all seats are shown how a hand stands, and one is read until it has replied.

Nothing a client does can block another: writes never wait, reads have deadlines, and a table does not poll
while others want to run.  Junk is skipped with a warning, comments without one, and an illegal reply is
corrected, all as the ACPC dealer does it (docs/acpc-dealer.md 5.6 to 5.8) and with its words on stderr.  A
seat that leaves or is late has failed; what that means for the match is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import trio

from engine.poker.rules import CALL, Action, ActionKind, HandState
from protocol import (
    NEED_DATA,
    Comment,
    ConnectionClosed,
    Event,
    Flaw,
    Greeting,
    NeedData,
    Reply,
    Request,
    StaleReply,
    UnreadableLine,
)
from protocol.agents import usage
from protocol.policy import CAPABILITY, names_state
from protocol.records import format_stamp
from server.support.console import Console, now_us
from server.support.errors import FailureKind, MatchAborted, SeatFailed
from server.support.turns import Turns
from server.table.channel import ChannelBroken
from server.table.config import MatchConfig, OnFailure
from server.table.lobby import welcome
from server.table.records import MatchRecords
from server.table.seat import Client, Seat
from server.table.seating import Seating

MAX_JUNK_LINES: Final = 1000
"""Lines other than replies, in one decision, after which a client has failed, unless the policy is `acpc`."""


class Asking:
    """The conversation about one decision after another at one table.

    Args:
        config: limits, policy, trace or not.
        console: gets the trace and the warnings.
        records: get the trace of what is sent.
        seating: deals with seats that fail.
    """

    def __init__(
        self, config: MatchConfig, console: Console, records: MatchRecords, seating: Seating
    ) -> None:
        self._config = config
        self._console = console
        self._records = records
        self._seating = seating
        self._all = seating.seats
        self._traces = not config.quiet
        self._is_strict = config.on_failure is not OnFailure.ACPC
        self._keeps_time = self._traces or config.transaction_path is not None
        self.now: Callable[[], float] = trio.current_time
        """trio's clock; the playing code sets the clock's own method: it is called twice per decision."""
        self.turns: Turns
        """Those of this thread; the playing code sets them before it asks anybody."""
        self.last_send_us = 0
        """When a state was last sent, if anybody wants to know."""

    async def ask(self, seats: Sequence[Seat], seat: Seat, state: HandState) -> tuple[Action | None, int]:
        """Show some seats how the hand stands; if the seat to act is among them, get its answer.

        It is shown the hand before anybody else, and the others are written to while it thinks, or together
        with their own turn if it answers sooner.

        Returns:
            Its reply, None if it gives none; and when its present client was shown the hand.
        """
        seating, clock, traces, keeps_time = self._seating, seat.clock, self._traces, self._keeps_time
        is_asked = seats is self._all or seat in seats
        if traces or is_asked:
            seating.show(seats if traces else (seat,))  # a trace is in the order of the seats
        if is_asked and seat.client is not None:
            seating.flush(seat, seat.client)
        if not traces:
            seating.show(seats, seat)
        sent_us = self.last_send_us = now_us() if keeps_time else 0
        if not is_asked:
            self._let_others_see(seats)
            return None, sent_us
        action: Action | None = None
        if seat.is_away and seat.away_since != state.hand_number:
            self._let_others_see(seats)
            await seating.wait_for_return(seat)
        clock.asks(self.now(), self._is_strict)
        while action is None and not seat.is_away:
            client = seat.client
            if client is None:
                self._let_others_see(seats)
                if not await seating.is_taken_in_time(seat):
                    break
                sent_us = now_us() if keeps_time else 0  # somebody else has been shown the hand
                continue
            if traces:
                self._records.flush_trace()
            try:
                action = self._heard_soon(seat, client, state)
                if action is None:
                    action = await self.read_reply(seats, seat, client, state)
            except MatchAborted:
                raise
            except SeatFailed as failure:
                seat.changes["late"] += failure.kind is FailureKind.STALLED
                clock.bank *= failure.kind is not FailureKind.STALLED
                seating.fail(seat, seating.failure(failure.kind, failure.detail), failure.acpc_lines)
                seating.set_aside(seat, failure.kind)
            except ChannelBroken as error:
                seating.cannot_send(seat, error)
            except Exception as error:  # a fault of ours in handling what this client has sent
                if not (isinstance(error, trio.ClosedResourceError) and seat.client is not client):
                    seating.break_off(seat, error)  # otherwise another connection has taken its place
        clock.asked_at = None
        return action, sent_us

    def _let_others_see(self, seats: Sequence[Seat]) -> None:
        """Write what has been said to the others: now, or at many tables when none of them waits."""
        seating, turns = self._seating, self.turns
        for each in seats:
            client = each.client
            if client is not None and client.unwritten:
                if turns.is_crowded:
                    turns.keep(client, partial(seating.flush_kept, each, client))
                else:
                    seating.flush(each, client)

    def _heard_soon(self, seat: Seat, client: Client, state: HandState) -> Action | None:
        """The action of the seat to act, if the table plays alone and the usual answer comes at once.

        Whatever else has arrived is kept for `read_reply`.
        """
        connection = client.connection
        if self.turns.tables == 1 and connection.lines.is_empty:
            data = client.channel.receive_soon()
            reply = None if data is None else connection.hear(data)
            if reply is not None:
                return self._taken(reply, data, seat, client, state)
        return None

    def _taken(
        self, reply: Reply, line: bytes | None, seat: Seat, client: Client, state: HandState, junk: int = 0
    ) -> Action:
        """The action of a reply, made legal; it is charged to the seat's clock.

        Raises:
            SeatFailed: it has come too late.
        """
        if self._traces:
            _trace(self._console, seat.number + 1, reply.line or line or b"")
        clock = seat.clock
        assert clock.asked_at is not None
        seconds = self.now() - clock.asked_at
        response = clock.response + clock.bank
        if clock.charge(seconds):
            raise _late(seat, client, junk, seconds, response, has_run_out=True)
        seat.late_in_a_row = client.stray_replies = 0
        seat.grace_until = None
        client.has_replied = True
        seat.decision_times.add(seconds)
        action = reply.action
        if action is not None and state.betting.is_legal(action):
            return action
        return _corrected(seat, reply, state, self._console, self._config)

    async def read_reply(self, seats: Sequence[Seat], seat: Seat, client: Client, state: HandState) -> Action:
        """The action of the seat to act, legal in `state`; its clock is charged once.

        Args:
            seats: that have been shown the state.
            seat: whose turn it is.
            client: the one that sits there.
            state: the hand.

        Raises:
            SeatFailed: it left, or did not answer in time.
        """
        # Long, because it is one loop over the kinds of events, which share six variables.
        connection, config, console, clock = client.connection, self._config, self._console, seat.clock
        response = clock.response + clock.bank
        shown_at = heard_at = self.now() if clock.asked_at is None else clock.asked_at
        junk_lines = stale_replies = 0
        number = seat.number + 1
        data: bytes | None = None
        event: Event | NeedData = NEED_DATA if connection.lines.is_empty else connection.next_event()
        while True:
            if event is NEED_DATA:
                self._let_others_see(seats)
                data = await client.channel.receive(min(heard_at + response, clock.until))
                if data is not None:
                    event = connection.hear(data) or connection.next_event()
                if event is NEED_DATA:
                    at = self.now()
                    if data is None or at >= min(heard_at + response, clock.until):  # drips are silence, too
                        raise _late(seat, client, junk_lines, at - shown_at, response)
                continue
            if isinstance(event, Reply):
                return self._taken(event, data, seat, client, state, junk_lines)
            seconds = self.now() - shown_at
            if isinstance(event, ConnectionClosed):
                raise SeatFailed(
                    FailureKind.DISCONNECTED,
                    "closed its connection when it was to act",
                    _no_action(number, seconds, response),
                )
            if isinstance(event, Comment | UnreadableLine | StaleReply) and not config.quiet:
                _trace(console, number, event.line)
            if isinstance(event, Greeting | Comment | Request):
                if isinstance(event, Greeting):
                    welcome(seat, client, event.words, config)
                    client.flush()
                elif isinstance(event, Request):
                    client.requests.append(event)
                elif CAPABILITY in client.capabilities and names_state(
                    event.line, state.hand_number, state.betting.text
                ):
                    seat.policies[state.betting.text] = event.line
                elif usage.CAPABILITY in client.capabilities and usage.names_state(
                    event.line, state.hand_number, state.betting.text
                ):
                    seat.usage[state.betting.text] = event.line
                else:
                    if config.comments_path is not None:
                        seat.keep_comment(state.betting.text, event.line)
                    if seconds <= response:  # it restarts the wait once, but not the clock
                        heard_at = self.now()
                if seconds > 2 * response:  # it keeps on sending comments
                    raise _late(seat, client, junk_lines, seconds, response)
            elif clock.is_exceeded_by(seconds):
                clock.charge(seconds)
                raise _late(seat, client, junk_lines, seconds, response, has_run_out=True)
            else:
                if isinstance(event, StaleReply):
                    stale_replies += 1
                    client.stray_replies += 1
                    _warn(seat, console, config, "ignoring un-requested response", "stale")
                else:
                    junk_lines += 1
                    _warn(seat, console, config, "bad state format in response", "unreadable")
                heard_at = self.now()
                if self._is_strict and junk_lines + stale_replies >= MAX_JUNK_LINES:
                    detail = f"sent {junk_lines} unreadable lines and {stale_replies} answers to other states"
                    raise SeatFailed(FailureKind.NONSENSE, detail, "")
            # Somebody who talks without answering must not keep the others from running.
            await trio.lowlevel.checkpoint()
            event = connection.next_event()


def _corrected(seat: Seat, reply: Reply, state: HandState, console: Console, config: MatchConfig) -> Action:
    """The action played in place of one that is not legal."""
    seat.policies.pop(state.betting.text, None)  # it does not describe the action now played
    if reply.flaw is Flaw.BAD_FORMAT:
        _warn(seat, console, config, "bad action format in response, changed to call", "called")
        return CALL
    action, legal = reply.action, state.legal_actions()
    if action is None or action.kind is not ActionKind.RAISE or not legal.can_raise:
        betting = state.betting
        is_raise = action is not None and action.kind is ActionKind.RAISE
        if is_raise and betting.raises_left() > 0 and betting.is_capped_by_length:
            text = "#actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold"
            _warn(seat, console, config, text)
        _warn(seat, console, config, "invalid action, changed to call", "called")
        return CALL
    played = legal.nearest(action)
    assert action.raise_to is not None
    assert played.raise_to is not None
    way = "increased" if played.raise_to > action.raise_to else "decreased"
    _warn(seat, console, config, f"raise of {action.raise_to} {way} to {played.raise_to}", "resized")
    return played


def _trace(console: Console, number: int, line: bytes) -> None:
    console.err(f"FROM {number} at {format_stamp(now_us())} {line.decode('utf-8', 'surrogateescape')}")


def _warn(seat: Seat, console: Console, config: MatchConfig, text: str, change: str = "") -> None:
    """Say what was done to an answer, and count it; where no trace precedes the words, they name the seat."""
    if change:
        seat.changes[change] += 1
    console.err(f"WARNING: {f'{seat.label}: ' if config.quiet else ''}{text}\n")


def _no_action(number: int, seconds: float, response: float) -> str:
    return (
        f"ERROR: could not get action from seat {number}\n"
        f"{seconds:.1f} seconds spent waiting; timeout {response:.1f}\n"
    )


def _late(
    seat: Seat, client: Client, junk_lines: int, seconds: float, response: float, *, has_run_out: bool = False
) -> SeatFailed:
    """The failure of a seat that has not replied in time: nonsense, if its client sent no replies.

    Replies to other states are not nonsense as long as they may just be late, one for each turn missed; and a
    client that answers everything it is shown, its turn or not, is merely late the first time.
    """
    number = seat.number + 1
    acpc_lines = _no_action(number, seconds, response)
    if has_run_out:
        acpc_lines = f"ERROR: seat {number} ran out of time\n"
    if junk_lines:
        detail = f"sent {junk_lines} lines that do not answer its state, and no answer, in {seconds:.1f} s"
        return SeatFailed(FailureKind.NONSENSE, detail, acpc_lines)
    if client.stray_replies > 0 and (seat.late_in_a_row or not client.has_replied):
        detail = f"answered other states, and gave no answer to its own, in {seconds:.1f} s"
        return SeatFailed(FailureKind.NONSENSE, detail, acpc_lines)
    detail = f"gave no answer in {seconds:.1f} s (limit {response:g} s a response)"
    if seconds <= response:
        detail = f"used up its time (hand {seat.clock.in_hand:.1f} s, match {seat.clock.in_match:.1f} s)"
    return SeatFailed(FailureKind.STALLED, detail, acpc_lines)
