"""One match over sockets, from open ports to the score (acpc-spec sections 5 and 6).

`MatchServer` owns the seats, the files and the open ports of one match.  It drives the hand loop of
`engine.rules`: before every action each seat is shown the hand as it may see it, then the acting seat is
read until it has answered (`server.table.reply`).  A seat that fails ends the match or is stood in for, by
policy.  Nothing a client does can block another: writes never wait, reads have deadlines, and the time
of one table is not spent on polling while others want to run.
"""

from __future__ import annotations

import contextlib
import math
from array import array
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.rules import CALL, FOLD, Action, CardDealer, HandState, play_hand
from protocol import Note, State, TurnWithdrawn
from protocol.framing import MAX_LINE
from protocol.match_state import HandMessages
from protocol.records import (
    Transaction,
    TransactionError,
    format_hand,
    format_header,
    format_score,
    format_stamp,
    format_transaction,
    parse_transaction,
)
from server.console import Console, now_us
from server.errors import Failure, FailureKind, MatchAborted, SeatFailed
from server.record_file import RecordFile, read_lines
from server.table.channel import ChannelBroken
from server.table.clock import SeatClock
from server.table.config import MatchConfig, OnFailure
from server.table.lobby import Lobby
from server.table.reply import read_answer
from server.table.seat import Client, Seat

MAX_LATE: Final = 3
"""Late answers in a row after which a client loses its seat (policy `fold`)."""
_GOODBYE_S: Final = 1.0
# How long clients have to close after the last state before they are cut off.
_SECONDS_EVERY: Final = 100
# Hands between the trace's "Seconds cumulatively spent" lines.

_tables_playing = 0
# Tables of this process with a match on.  Only a lone one may poll a socket instead of sleeping.


@attrs.frozen
class MatchOutcome:
    """What a match came to."""

    hands: int
    """Hands finished, replayed ones included."""
    chips_by_seat: tuple[float, ...]
    hand_chips_by_seat: tuple[array[float], ...]
    """Chips won in each hand, in hand order."""
    seats: tuple[Seat, ...]
    seconds: float
    """From the first state to the last."""
    error: str | None = None
    """Why the match ended before its last hand; the lines the ACPC dealer prints."""


@attrs.frozen
class Looks:
    """Who is asked between hands whether a match goes on."""

    after: Collection[int]
    """Numbers of hands played."""
    goes_on: Callable[[MatchOutcome], Awaitable[bool]]
    """Told what the match has come to so far; the match rests until the answer, on nobody's clock."""


class MatchServer:
    """One match: `open`, tell the players the `ports`, `run`.

    *Resource handling*: `run` closes everything when it ends, however it ends; call `close` if it is
    never run.
    """

    def __init__(self, config: MatchConfig, console: Console, looks: Looks | None = None) -> None:
        self._config = config
        self._console = console
        self._looks = looks
        tokens = (*config.seat_tokens, *[None] * len(config.names))
        self._seats = tuple(
            Seat(number, name, SeatClock(config.limits, config.hands), tokens[number])
            for number, name in enumerate(config.names)
        )
        self._lobby = Lobby(config, console)
        self._log: RecordFile | None = None
        self._transactions: RecordFile | None = None
        self._aborted: MatchAborted | None = None
        self._now = trio.current_time  # from `run` on the clock's own method: it is called twice a decision
        self._main_scope = trio.CancelScope()  # around everything up to the score
        self._waiting = {seat.number: trio.CancelScope() for seat in self._seats}  # for the first client
        self._replay: deque[str] = deque()  # what is left of the transaction log
        self._logged: set[str] = set()  # hands an interrupted match has already logged
        self._state: HandState | None = None
        self._messages: HandMessages | None = None  # of the current hand
        self._trace: list[str] = []
        self._last_send_us = 0
        self._hands_done = 0
        self._totals = [0.0] * len(self._seats)
        self._hand_chips = tuple(array("d") for _ in self._seats)
        self._seconds = 0.0

    @property
    def ports(self) -> tuple[int, ...]:
        """In seat order."""
        return tuple(seat.port for seat in self._seats)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """In seat order."""
        return self._seats

    def open(self) -> None:
        """Open the files, then the ports (acpc-spec 5.1).

        Raises:
            MatchAborted: with the line that says which file or port it is.
        """
        config = self._config
        try:
            self._log = self._open_file(config.log_path, "log")
            self._transactions = self._open_file(config.transaction_path, "transaction")
            self._lobby.open(self._seats)
        except BaseException:
            self.close()
            raise

    def _open_file(self, path: Path | None, what: str) -> RecordFile | None:
        if path is None:
            return None
        try:
            return RecordFile(path, append=self._config.append)
        except OSError as error:
            raise MatchAborted(
                f"ERROR: could not open {what} file {path}\nriverboat: {error.strerror}\n"
            ) from error

    def close(self) -> None:
        """Let go of files and ports."""
        self._lobby.close()
        for file in (self._log, self._transactions):
            if file is not None:
                file.close()

    async def run(self) -> MatchOutcome:
        """Seat the players, play the match, say goodbye."""
        self._now = trio.lowlevel.current_clock().current_time
        try:
            async with trio.open_nursery() as channels:
                self._channels = channels
                async with trio.open_nursery() as nursery:
                    self._nursery = nursery
                    with self._main_scope:
                        try:
                            self._write_header()
                            await self._seat_players()
                            await self._play()
                        except MatchAborted as error:
                            self._abort(error)
                    nursery.cancel_scope.cancel()  # nobody sits down or comes back any more
                if self._aborted is not None:
                    self._flush_trace()
                    self._console.err(self._aborted.lines)
                await self._say_goodbye()
                channels.cancel_scope.cancel()
        finally:
            for seat in self._seats:
                if seat.client is not None:
                    seat.client.channel.close()
            self.close()
        return self.outcome()

    def outcome(self) -> MatchOutcome:
        """What the match has come to so far."""
        return MatchOutcome(
            hands=self._hands_done,
            chips_by_seat=tuple(self._totals),
            hand_chips_by_seat=self._hand_chips,
            seats=self._seats,
            seconds=self._seconds,
            error=None if self._aborted is None else self._aborted.lines,
        )

    def _abort(self, error: MatchAborted) -> None:
        """End the match; callable from any task."""
        if self._aborted is None:
            self._aborted = error
        self._main_scope.cancel()

    async def _say_goodbye(self) -> None:
        """Let every client read its last states before its connection closes."""
        async with trio.open_nursery() as nursery:
            for seat in self._seats:
                if seat.client is not None:
                    with contextlib.suppress(ChannelBroken):
                        seat.client.flush()  # another's failure may have kept it from being told
                    nursery.start_soon(seat.client.channel.finish, _GOODBYE_S)

    # --- records ---------------------------------------------------------------------------------------

    def _write_header(self) -> None:
        config = self._config
        limits = config.limits
        header = format_header(
            config.name,
            config.game_text,
            config.hands,
            config.seed,
            round(limits.response * 1000),
            round(limits.hand * 1000),
            round(limits.per_hand * 1000),
        )
        self._console.err(header)
        self._write_log(header)

    def _write_log(self, text: str) -> None:
        if self._log is not None:
            try:
                self._log.write(text)
            except OSError as error:
                raise MatchAborted(
                    f"ERROR: logging failed for game {text}riverboat: {error.strerror}\n"
                ) from error

    def _write_transaction(self, entry: Transaction) -> None:
        if self._transactions is not None:
            try:
                self._transactions.write(format_transaction(entry))
            except OSError as error:
                raise MatchAborted(
                    f"ERROR: could not write to transaction file\nriverboat: {error.strerror}\n"
                ) from error

    def _flush_trace(self) -> None:
        if self._trace:
            self._console.err("".join(self._trace))
            self._trace.clear()

    # --- seating ---------------------------------------------------------------------------------------

    async def _seat_players(self) -> None:
        """Wait until somebody sits on every seat, or the policy goes on without them."""
        start = self._config.limits.start
        deadline = math.inf if start is None else trio.current_time() + start
        async with trio.open_nursery() as waiting:
            for seat in self._seats:
                waiting.start_soon(self._seat_player, seat, deadline)
        for seat in self._seats:
            if seat.client is None:
                self._nursery.start_soon(self._invite, seat)

    async def _seat_player(self, seat: Seat, deadline: float) -> None:
        with self._waiting[seat.number]:
            try:
                seat.client = await self._lobby.admit(seat, deadline, self._channels)
            except SeatFailed as failure:
                self._fail_in_background(seat, Failure(failure.kind, failure.detail), failure.acpc_lines)
        self._waiting.pop(seat.number, None)

    def give_up(self, number: int, failure: Failure) -> None:
        """Nobody will come for a seat that is being waited for: its player could not be started.

        Does nothing once somebody sits there.
        """
        scope = self._waiting.get(number)
        if scope is not None and not scope.cancel_called:
            scope.cancel()
            lines = f"ERROR: seat {number + 1} could not connect\n"
            self._fail_in_background(self._seats[number], failure, lines)

    async def _invite(self, seat: Seat) -> None:
        """Offer a vacant seat until somebody takes it, and show who does where the hand stands."""
        client: Client | None = None
        while client is None:
            if seat.clock.is_used_up:
                return
            with contextlib.suppress(SeatFailed):  # a stranger's; ours is on record
                client = await self._lobby.admit(seat, math.inf, self._channels)
        seat.client = client
        try:
            self._note(f"{seat.label} is taken again")
            if self._state is not None:
                self._say_state(seat, client, self._state)
            self._flush(seat, client)
        except MatchAborted as error:
            self._abort(error)

    # --- failing ---------------------------------------------------------------------------------------

    def _fail(self, seat: Seat, failure: Failure, acpc_lines: str) -> None:
        """A seat's client cannot go on: record it, and do what the policy says.

        Raises:
            MatchAborted: the policy is to end the match.
        """
        seat.failures.append(failure)
        text = f"{seat.label} {failure.kind.value}: {failure.detail}"
        if self._config.on_failure is OnFailure.ABORT:
            if self._config.comment_failures:
                self._write_log(f"# {text}\n")
            raise MatchAborted(acpc_lines, (seat.number,))
        self._note(text)

    def _fail_in_background(self, seat: Seat, failure: Failure, acpc_lines: str) -> None:
        """The same from a task other than the one that plays."""
        try:
            self._fail(seat, failure, acpc_lines)
        except MatchAborted as error:
            self._abort(error)

    def _note(self, text: str) -> None:
        """Record what happened to a seat, for the readers of the log and for the operator."""
        where = "" if self._state is None else f" (hand {self._state.hand_number})"
        self._write_log(f"# {text}{where}\n")
        self._flush_trace()
        self._console.err(f"riverboat: {text}{where}\n")

    def _failure(self, kind: FailureKind, detail: str) -> Failure:
        return Failure(kind, detail, None if self._state is None else self._state.hand_number)

    def _vacate(self, seat: Seat) -> None:
        """Cut a client off and open its port again."""
        if seat.client is not None:
            seat.client.channel.close()
            seat.client = None
            seat.is_away = False
            self._nursery.start_soon(self._invite, seat)

    def _set_aside(self, seat: Seat, kind: FailureKind) -> None:
        """Stop waiting for a seat that failed to answer.

        A client that is merely late keeps its seat and is asked again once it has spoken; one that left,
        talks nonsense, is late again and again or has no time left for the match loses it.
        """
        seat.late_in_a_row += 1
        if kind is not FailureKind.STALLED or seat.late_in_a_row >= MAX_LATE or seat.clock.is_used_up:
            self._vacate(seat)
        elif seat.client is not None:
            seat.is_away = True
            self._nursery.start_soon(self._await_return, seat, seat.client)

    async def _await_return(self, seat: Seat, client: Client) -> None:
        """Listen for a late client: a line brings it back, the end of its stream makes the seat vacant."""
        try:
            while data := await client.channel.receive(math.inf, may_poll=False):
                client.connection.receive_data(data)
                if b"\n" in data or client.connection.num_buffered >= MAX_LINE:
                    seat.is_away = False
                    return
        except trio.ClosedResourceError:
            return  # it has lost its seat meanwhile
        if seat.client is client:
            failure = self._failure(FailureKind.DISCONNECTED, "left while it was late")
            self._fail_in_background(seat, failure, "")
            self._vacate(seat)

    # --- playing ---------------------------------------------------------------------------------------

    async def _play(self) -> None:
        """Play all hands, beginning with those of an interrupted match."""
        global _tables_playing
        config = self._config
        console = self._console
        if not config.quiet:
            console.err(f"STARTED at {format_stamp(now_us())}\n")
        if config.append and config.transaction_path is not None:
            self._replay = deque(read_lines(config.transaction_path))
            if config.log_path is not None and self._replay:
                self._logged = {line for line in read_lines(config.log_path) if line.startswith("STATE:")}
        dealer = CardDealer(config.game, config.seed)
        started_at = trio.current_time()
        rested = 0.0
        _tables_playing += 1
        try:
            for hand_number in range(config.hands):
                await self._play_hand(hand_number, dealer)
                if self._looks is not None and self._hands_done in self._looks.after:
                    self._flush_all()
                    rests_from = trio.current_time()
                    goes_on = await self._looks.goes_on(self.outcome())
                    rested += trio.current_time() - rests_from
                    if not goes_on:
                        break
            self._flush_all()
        finally:
            _tables_playing -= 1
            self._seconds = trio.current_time() - started_at - rested
        if self._hands_done < config.hands:
            self._write_log(f"# ended after {self._hands_done} of {config.hands} hands\n")
        if not config.quiet:
            console.err(f"FINISHED at {format_stamp(self._last_send_us)}\n")
        score = format_score(self._totals, config.names)
        console.out(score)
        console.err(score)
        self._write_log(score)

    def _flush_all(self) -> None:
        for seat in self._seats:
            if seat.client is not None:
                self._flush(seat, seat.client)
        self._flush_trace()

    async def _play_hand(self, hand_number: int, dealer: CardDealer) -> None:
        config = self._config
        num_seats = len(self._seats)
        shift = 0 if config.fixed_seats else hand_number % num_seats  # the button moves (acpc-spec 5.4)
        by_position = [self._seats[(position + shift) % num_seats] for position in range(num_seats)]
        for position, seat in enumerate(by_position):
            seat.position = position
            seat.clock.new_hand()
        is_live = not self._replay
        if is_live:
            await trio.lowlevel.checkpoint()  # the one place where a fast match lets everybody else run
        deal = dealer.deal()
        loop = play_hand(config.game, hand_number, deal)
        self._messages = HandMessages(hand_number, deal)
        try:
            state = next(loop)
            while True:
                to_act = state.betting.position_to_act
                assert to_act is not None  # the hand loop asks only when somebody is
                is_live = not self._replay
                if is_live:
                    self._state = state
                    action = await self._decide(by_position[to_act], state)
                else:
                    action = self._replayed_action(by_position[to_act], state)
                state = loop.send(action)
        except StopIteration as finished:
            final: HandState = finished.value
        self._state = final
        chips = final.chips_won()
        for seat, won in zip(by_position, chips, strict=True):
            self._totals[seat.number] += won
            self._hand_chips[seat.number].append(won)
        cards = self._messages.all_cards(final)
        line = format_hand(final, chips, [seat.name for seat in by_position], cards)
        if line not in self._logged:
            self._write_log(line)
        self._hands_done += 1
        if is_live:  # written together with the next hand's first state
            for seat in self._seats:
                if seat.client is not None:
                    self._say_state(seat, seat.client, final)
        if not config.quiet and hand_number % _SECONDS_EVERY == 0:
            self._trace += [
                f"Seconds cumulatively spent in match for seat {s.number}: {int(s.clock.in_match)}\n"
                for s in self._seats
            ]
        self._console.hand_finished(hand_number)

    def _replayed_action(self, seat: Seat, state: HandState) -> Action:
        """The next action of the transaction log, charged to its seat's clock (acpc-spec 6.4)."""
        line = self._replay.popleft()
        try:
            entry = parse_transaction(line, self._config.game.is_limit)
        except TransactionError as error:
            raise MatchAborted(str(error)) from error
        if entry.hand_number != state.hand_number:
            raise MatchAborted(f"ERROR: handId mismatch in transaction log: {line}")
        if not state.betting.is_legal(entry.action):
            raise MatchAborted(f"ERROR: invalid action in transaction log: {line}")
        if self._config.on_failure is OnFailure.ABORT and seat.clock.is_exceeded_by(entry.seconds):
            raise MatchAborted(f"ERROR: seat {seat.number + 1} ran out of time in transaction file\n")
        seat.clock.charge(entry.seconds)
        return entry.action

    def _say_state(self, seat: Seat, client: Client, state: HandState) -> None:
        """Say to one seat's client how the hand stands; `_flush` writes it."""
        connection = client.connection
        if connection.state is _TO_ACT:
            connection.send(TurnWithdrawn())  # the house has acted for it
        is_turn = state.betting.position_to_act == seat.position
        if is_turn and "clock" in client.capabilities:
            client.say(connection.send(Note("clock", f"{seat.clock.left():.6g}")))
        assert self._messages is not None  # a hand is on
        data = connection.show(self._messages.message(state, seat.position), is_turn=is_turn)
        client.say(data)
        if not self._config.quiet:
            self._trace.append(f"TO {seat.number + 1} at {format_stamp(now_us())} {data.decode('ascii')}")

    def _flush(self, seat: Seat, client: Client) -> None:
        """Write what has been said to a seat's client."""
        try:
            client.flush()
        except ChannelBroken as error:
            self._cannot_send(seat, error)

    def _cannot_send(self, seat: Seat, error: ChannelBroken) -> None:
        if error.is_full:
            failure = self._failure(FailureKind.STALLED, f"does not read: {error}")
        else:
            failure = self._failure(FailureKind.DISCONNECTED, f"cannot be sent to: {error}")
        self._fail(seat, failure, f"ERROR: could not send state to seat {seat.number + 1}\n")
        self._vacate(seat)

    async def _decide(self, seat: Seat, state: HandState) -> Action:
        """Show everybody the hand, get the acting seat's action, and record it before it is applied."""
        for each in self._seats:
            client = each.client
            if client is not None:
                self._say_state(each, client, state)
                try:
                    client.flush()
                except ChannelBroken as error:
                    self._cannot_send(each, error)
        keeps_time = self._transactions is not None or not self._config.quiet
        sent_us = self._last_send_us = now_us() if keeps_time else 0
        action: Action | None = None
        if seat.client is None:
            await trio.lowlevel.checkpoint()  # somebody may be about to take the seat
        client = seat.client
        if client is not None and not seat.is_away:
            self._flush_trace()
            try:
                action = await read_answer(
                    seat, client, state, self._config, self._console, self._now, may_poll=_tables_playing == 1
                )
            except SeatFailed as failure:
                self._fail(seat, self._failure(failure.kind, failure.detail), failure.acpc_lines)
                self._set_aside(seat, failure.kind)
            except ChannelBroken as error:
                self._cannot_send(seat, error)
        received_us = now_us() if keeps_time else 0
        if action is None:
            action = FOLD if state.legal_actions().can_fold else CALL
            sent_us = received_us  # nobody's time
        if self._transactions is not None:
            self._write_transaction(Transaction(action, state.hand_number, sent_us, received_us))
        return action


_TO_ACT: Final = State.TO_ACT


async def serve_match(
    config: MatchConfig,
    console: Console,
    *,
    task_status: trio.TaskStatus[MatchServer] = trio.TASK_STATUS_IGNORED,
) -> MatchOutcome:
    """Open a table, report it as started, play the match.

    Raises:
        MatchAborted: a file or a port cannot be opened.  What ends a match later is in the outcome.
    """
    server = MatchServer(config, console)
    server.open()
    task_status.started(server)
    return await server.run()
