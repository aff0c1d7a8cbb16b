"""The seats of a match: how players sit down, lose their seats, fail, and come back.

Every seat has a task of its own for the whole match (`Seating._keep`): the task admits a client
(docs/acpc-dealer.md 5.2, 5.3), does for it what the playing task does not wait for, and begins again when the
client has lost its seat.  What a failure means for the match is also decided here, by policy.
"""

from __future__ import annotations

import contextlib
import math
import traceback
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import trio

from engine.support.interruption import first_of
from engine.support.user_input import fault_text
from protocol import LocalProtocolError, Note, State, TurnWithdrawn
from protocol.framing import MAX_LINE
from server.support.console import Console
from server.support.errors import Failure, FailureKind, MatchAborted, SeatFailed
from server.table.channel import ChannelBroken
from server.table.config import MatchConfig, OnFailure
from server.table.lobby import Lobby
from server.table.records import MatchRecords
from server.table.seat import Client, Seat, SeatClock, Situation

MAX_LATE: Final = 3
"""Late replies in a row after which a client loses its seat (policy `fair`)."""
_PAUSE_S: Final = 0.25
# After a fault of ours, before a seat is offered again.
_TO_ACT: Final = State.TO_ACT
_TIME_IS_UP: Final = "your time is up: the house has acted for you, and you sit out until you are back"
_GOODBYE_S: Final = 1.0
# How long clients have to close after the last state before they are cut off.


class Entrance(Protocol):
    """The source of clients for vacant seats."""

    def open(self, seats: tuple[Seat, ...]) -> None:
        """Let clients come."""

    def close(self) -> None:
        """Admit nobody any more."""

    async def admit(self, seat: Seat, deadline: float, *, is_first: bool) -> Client:
        """The next client for a vacant seat; see `Lobby`."""

    def is_expected(self, seat: Seat) -> bool:
        """Whether somebody has been let in, and is about to take the seat."""

    def stop_listening(self, seat: Seat) -> None:
        """Admit nobody to a seat any more."""


class Seating:
    """The seats of one match.

    Args:
        config: the match.
        console: for the operator.
        records: get a note of everything that happens to a seat.
        abort: ends the match, from any task.
        entrance: where clients come from; None for the match's own ports.

    *Resource handling*: `close` after `open`, however the match ends.
    """

    def __init__(
        self,
        config: MatchConfig,
        console: Console,
        records: MatchRecords,
        abort: Callable[[MatchAborted], None],
        entrance: Entrance | None = None,
    ) -> None:
        self._config = config
        self._console = console
        self._records = records
        self.situation: Situation | None = None
        """How the hand stands that is shown to everybody, newcomers too; None for none."""
        self._abort = abort
        self._lobby = Lobby(config, console) if entrance is None else entrance
        tokens = (*config.seat_tokens, *[None] * len(config.names))
        self.seats = tuple(
            Seat(number, name, SeatClock(config.limits, config.hands), tokens[number])
            for number, name in enumerate(config.names)
        )
        self._admissions = [trio.CancelScope() for _ in self.seats]  # around waiting for a client, by seat
        self._graces = [trio.CancelScope() for _ in self.seats]  # around waiting for one in the match
        self._is_settled = [trio.Event() for _ in self.seats]  # the match need not wait for this seat
        self.is_over = False
        """No more hands will come: clients may leave."""
        self.on_change: Callable[[], object] = lambda: None
        """Called when a seat is taken, or vacated, or its client has come back from being late."""

    def open(self) -> None:
        """Open every seat's port.

        Raises:
            MatchAborted: with the line that says which cannot be opened.
        """
        self._lobby.open(self.seats)

    def close(self) -> None:
        """Release ports and clients."""
        self._lobby.close()
        for seat in self.seats:
            if seat.client is not None:
                seat.client.channel.close()

    @property
    def ports(self) -> tuple[int, ...]:
        """Ports in seat order."""
        return tuple(seat.port for seat in self.seats)

    def has_joined(self, number: int) -> bool:
        """Whether somebody has taken a seat."""
        return self.seats[number].client is not None

    # --- sitting down ------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Look after all seats, until `end` and the goodbyes that follow it."""
        start = self._config.limits.start
        deadline = math.inf if start is None else trio.current_time() + start
        async with trio.open_nursery() as tasks:
            for seat in self.seats:
                tasks.start_soon(self._keep, seat, deadline)

    async def wait_for_players(self) -> None:
        """Wait until every seat is taken, or the policy is to continue without the missing players."""
        for is_settled in self._is_settled:
            await is_settled.wait()

    async def _keep(self, seat: Seat, deadline: float) -> None:
        """The life of a seat: vacant, taken, vacant again, until the match is over or its time is used up.

        Whatever goes wrong in here, or in the tasks that it starts, is a failure of this seat only.

        Args:
            seat: to be looked after.
            deadline: for its first client to connect, on trio's clock.
        """
        is_settled = self._is_settled[seat.number]
        pause = 0.0
        while not self.is_over and not seat.clock.is_used_up:
            try:
                await trio.sleep(pause)
                pause = 0.0
                await self._have_occupied(seat, deadline)
            except SeatFailed as failure:
                if not is_settled.is_set():  # later ones are a stranger's; the seat's is on record
                    self._fail_in_background(seat, Failure(failure.kind, failure.detail), failure.acpc_lines)
            except Exception as error:
                pause = _PAUSE_S
                self._break_off_in_background(seat, error)
            is_settled.set()
        self._lobby.stop_listening(seat)

    async def _have_occupied(self, seat: Seat, deadline: float) -> None:
        """Find a client for a vacant seat, and attend to it until it leaves.

        Raises:
            SeatFailed: nobody came who could sit there.
        """
        is_settled = self._is_settled[seat.number]
        is_first = not is_settled.is_set()
        client = None
        try:
            with self._admissions[seat.number] as admission:
                until = deadline if is_first else math.inf
                client = await self._lobby.admit(seat, until, is_first=is_first)
        finally:
            self._admissions[seat.number] = trio.CancelScope()
        if client is None:
            return
        if self.is_over or admission.cancel_called:
            client.channel.close()  # it came a moment too late
            return
        seat.client = client
        seat.taken.set()
        is_settled.set()
        self.on_change()
        if not is_first:
            self._welcome_back(seat, client)
        await self._attend(seat, client)

    def give_up(self, number: int, failure: Failure) -> bool:
        """Stop waiting for a seat's first player, who could not be started.

        The match then ends before its first hand, whatever the policy: nobody has asked for hands against an
        empty chair.  If somebody has already taken the seat, nothing happens.

        Returns:
            Whether that ends the match.
        """
        if self._is_settled[number].is_set() or self.is_over:
            return False
        self._is_settled[number].set()
        lines = f"ERROR: seat {number + 1} could not connect\n"
        self._abort(self._ends_match(self.seats[number], failure, lines))
        return True

    def expect_nobody(self, number: int) -> None:
        """Do not wait for anybody to come back to a seat: its player's process has ended."""
        self.seats[number].grace_until = -math.inf
        self._graces[number].cancel()

    async def is_taken_in_time(self, seat: Seat) -> bool:
        """Whether somebody takes a seat before its grace period, or the time for the answer, is over.

        The wait is charged to the seat: a client that sits down and leaves again and again uses up the time.
        """
        grace_until = math.inf if self._lobby.is_expected(seat) else seat.grace_until
        if seat.client is None and grace_until is not None and not seat.clock.is_used_up:
            started_at = trio.current_time()
            until = seat.clock.until = seat.clock.latest
            with trio.CancelScope(deadline=min(until, grace_until)) as self._graces[seat.number]:
                await seat.taken.wait()
            seat.clock.charge_waiting(trio.current_time() - started_at)
            if seat.clock.is_used_up:
                self._admissions[seat.number].cancel()
        else:
            await trio.lowlevel.checkpoint()  # somebody may be about to take the seat
        return seat.client is not None

    def _welcome_back(self, seat: Seat, client: Client) -> None:
        """Show the hand to somebody who has taken a vacant seat."""
        try:
            self._note(f"{seat.label} is taken again")
            self.show((seat,))
            self.flush(seat, client)
        except MatchAborted as error:
            self._abort(error)

    # --- talking -----------------------------------------------------------------------------------------

    def show(self, seats: Iterable[Seat], but: Seat | None = None) -> None:
        """Tell the clients of some seats, if they are dealt in, how the hand stands; `flush` writes it.

        Raises:
            MatchAborted: nothing can be said to one of them any more, and that ends the match.
        """
        if self.situation is None:
            return
        state, hand = self.situation
        for seat in seats:
            client, position = seat.client, hand.positions[seat.number]
            if client is None or position is None or seat is but:
                continue
            connection = client.connection
            is_turn = state.betting.position_to_act == position
            try:
                if connection.state is _TO_ACT:
                    connection.send(TurnWithdrawn())  # the house has acted for it
                    client.stray_replies -= 1
                    if "person" in client.capabilities:
                        client.say(connection.send(Note("message", _TIME_IS_UP)))
                if is_turn and "clock" in client.capabilities:
                    client.say(connection.send(Note("clock", f"{seat.clock.left():.6g}")))
                line = connection.show(hand.messages.message(state, position), is_turn)
            except LocalProtocolError as error:  # a conversation that has broken down
                self.break_off(seat, error)
                continue
            client.unwritten += line  # as `Client.say`
            if not self._config.quiet:
                self._records.trace_sent(seat.number, line)

    def flush(self, seat: Seat, client: Client) -> None:
        """Write what has been said to a seat's client.

        Raises:
            MatchAborted: it cannot be written, and that ends the match.
        """
        try:
            client.flush()
        except ChannelBroken as error:
            self.cannot_send(seat, error)

    def flush_kept(self, seat: Seat, client: Client) -> None:
        """The same from a task other than the one that plays, if it still has the seat."""
        if seat.client is client:
            try:
                self.flush(seat, client)
            except MatchAborted as error:
                self._abort(error)
            except Exception as error:  # a fault of ours, which concerns only one client
                self._break_off_in_background(seat, error)

    # --- attending ---------------------------------------------------------------------------------------

    async def _attend(self, seat: Seat, client: Client) -> None:
        """Do for a client what the playing task does not wait for, until the client loses its seat.

        At the end of the match, see it off.
        """
        client.attending = trio.Event()
        try:
            async with trio.open_nursery() as tasks:
                tasks.start_soon(client.channel.keep_flushing)
                tasks.start_soon(self._await_returns, seat, client)
                await client.has_left.wait()
                tasks.cancel_scope.cancel()
        finally:
            client.attending.set()
            client.attending = None
        if seat.client is client:  # the match is over: let it read its last states
            with contextlib.suppress(ChannelBroken):
                client.flush()  # another seat's failure may have kept these states from it
            await client.channel.finish(_GOODBYE_S)

    async def _await_returns(self, seat: Seat, client: Client) -> None:
        """Listen to a client while it is late: a line brings it back, an ended stream costs it the seat."""
        try:
            while True:
                await client.is_late.wait()
                client.is_late = trio.Event()
                while seat.is_away:
                    data = await client.channel.receive(math.inf)
                    if not data:
                        if seat.client is client:
                            failure = self.failure(FailureKind.DISCONNECTED, "left while it was late")
                            self._fail_in_background(seat, failure, "")
                            self.cut_off(seat)
                        return
                    client.connection.receive_data(data)
                    if b"\n" in data or client.connection.num_buffered >= MAX_LINE:
                        seat.is_away = False
                        seat.returned.set()
                        self.on_change()
        except trio.ClosedResourceError:
            pass  # it has lost its seat meanwhile

    def end(self) -> None:
        """End the match: nobody sits down any more, and all clients are closed in good order."""
        self.is_over = True
        for admission in self._admissions:
            admission.cancel()
        for seat in self.seats:
            if seat.client is not None:
                seat.client.has_left.set()

    # --- failing -----------------------------------------------------------------------------------------

    def failure(self, kind: FailureKind, detail: str) -> Failure:
        """A failure at this moment."""
        return Failure(kind, detail, self._hand_number())

    def _hand_number(self) -> int | None:
        """The hand in progress; None before the first."""
        return None if self.situation is None else self.situation[0].hand_number

    def fail(self, seat: Seat, failure: Failure, acpc_lines: str) -> None:
        """Record that a seat's client cannot continue, and do what the policy says.

        Raises:
            MatchAborted: the policy is to end the match.
        """
        if self._config.on_failure is OnFailure.ACPC:
            raise self._ends_match(seat, failure, acpc_lines)
        seat.has_failed(failure)
        self._note(_describe(seat, failure))

    def _ends_match(self, seat: Seat, failure: Failure, acpc_lines: str) -> MatchAborted:
        """Record a failure that ends the match; returns the exception to raise."""
        seat.has_failed(failure)
        if self._config.comment_failures:
            try:
                self._records.write(f"# {_describe(seat, failure)}\n")
            except MatchAborted as error:
                return error
        return MatchAborted(acpc_lines, (seat.number,))

    def _fail_in_background(self, seat: Seat, failure: Failure, acpc_lines: str) -> None:
        """The same from a task other than the one that plays."""
        try:
            self.fail(seat, failure, acpc_lines)
        except MatchAborted as error:
            self._abort(error)

    def _note(self, text: str) -> None:
        """Record what happened to a seat, with the hand."""
        number = self._hand_number()
        self._records.note(text if number is None else f"{text} (hand {number})")

    def cannot_send(self, seat: Seat, error: ChannelBroken) -> None:
        """Fail a seat's client that is gone, or reads nothing; it loses its seat.

        Raises:
            MatchAborted: the policy is to end the match.
        """
        if error.is_full:
            failure = self.failure(FailureKind.STALLED, f"does not read: {error}")
        else:
            failure = self.failure(FailureKind.DISCONNECTED, f"cannot be sent to: {error}")
        self.fail(seat, failure, f"ERROR: could not send state to seat {seat.number + 1}\n")
        self.cut_off(seat)

    def break_off(self, seat: Seat, error: Exception) -> None:
        """Take the seat from a client with which something unforeseen went wrong.

        Raises:
            MatchAborted: the policy is to end the match.
        """
        self._console.err("".join(traceback.format_exception(error)))
        if self.is_over or (seat.client is None and self._is_settled[seat.number].is_set()):
            return
        self.cut_off(seat)
        failure = self.failure(FailureKind.DISCONNECTED, f"was cut off: {fault_text(first_of(error))}")
        self.fail(seat, failure, f"ERROR: could not go on with seat {seat.number + 1}\n")

    def _break_off_in_background(self, seat: Seat, error: Exception) -> None:
        """The same from a task other than the one that plays."""
        try:
            self.break_off(seat, error)
        except MatchAborted as aborted:
            self._abort(aborted)

    def set_aside(self, seat: Seat, kind: FailureKind) -> None:
        """Stop waiting for a seat that failed to reply.

        A client that is late, or has talked nonsense until then, keeps its seat, and is asked again once it
        has spoken; one that has left, does so again and again or has no time left for the match loses it.
        """
        seat.late_in_a_row += 1
        is_too_late = seat.late_in_a_row >= MAX_LATE and self._config.on_failure is not OnFailure.PATIENT
        has_left = kind not in (FailureKind.STALLED, FailureKind.NONSENSE)
        if has_left or is_too_late or seat.clock.is_used_up:
            self.cut_off(seat)
        elif seat.client is not None:
            seat.away_since = self._hand_number()
            if not seat.is_away:
                seat.is_away = True
                seat.returned = trio.Event()
                seat.client.is_late.set()

    async def wait_for_return(self, seat: Seat) -> None:
        """Wait for a client that was late in an earlier hand, as long as for an answer.

        Raises:
            MatchAborted: see `fail`.
        """
        started_at, patience = trio.current_time(), seat.clock.left()
        with trio.move_on_after(patience):
            await seat.returned.wait()
        seat.clock.charge_waiting(trio.current_time() - started_at)
        if seat.is_away:
            detail = f"has not spoken since it was late, for {patience:.1f} s"
            self.fail(seat, self.failure(FailureKind.STALLED, detail), "")
            self.set_aside(seat, FailureKind.STALLED)

    def cut_off(self, seat: Seat) -> None:
        """Close the connection of a seat's client that has left, or has to; by itself this is not a failure.

        The seat's task then opens its port again.
        """
        if seat.client is not None:
            seat.client.channel.close()
            self.release(seat)

    def release(self, seat: Seat) -> None:
        """Release a seat's client, which keeps its connection; the seat's task then waits for another."""
        client = seat.client
        if client is not None:
            client.has_left.set()
            seat.client = None
            seat.taken = trio.Event()
            seat.is_away = False
            seat.returned.set()
            seat.late_in_a_row = 0
            if seat.grace_until is None:
                seat.grace_until = trio.current_time() + self._config.limits.grace
            self.on_change()


def _describe(seat: Seat, failure: Failure) -> str:
    return f"{seat.label} {failure.kind.value}: {failure.detail}"
