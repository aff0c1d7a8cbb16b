"""One match over sockets, from open ports to the score (acpc-spec sections 5 and 6).

`MatchServer` owns the listening sockets, the seats and the files of one match.  It drives the hand loop
of `engine.rules`: before every action each seat is shown the hand as it may see it, then the acting seat
is read until it has answered.  What comes back bad is put right as the ACPC dealer does; a seat that
fails ends the match or is stood in for, by policy.  Nothing a client does can block another: writes never
wait, reads have deadlines, and the time of one table is not spent on polling while others want to run.
"""

from __future__ import annotations

import errno
import math
import secrets
import socket
import time
from array import array
from collections import deque
from pathlib import Path
from typing import Final, Protocol

import attrs
import trio

from engine.rules import CALL, FOLD, Action, ActionKind, CardDealer, HandState, format_game, play_hand
from protocol import (
    CAPABILITIES,
    NEED_DATA,
    BadVersion,
    Comment,
    ConnectionClosed,
    DealerConnection,
    Flaw,
    Greeting,
    Note,
    Reply,
    StaleReply,
    State,
    StateUpdate,
    TurnToAct,
    TurnWithdrawn,
    UnreadableLine,
    Version,
)
from protocol.extension import TOKEN
from protocol.framing import MAX_LINE
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
from server.channel import Channel, ChannelBroken
from server.clock import SeatClock
from server.config import MatchConfig, OnFailure
from server.errors import Failure, FailureKind, MatchAborted, SeatFailed
from server.records import RecordFile, read_lines
from server.seat import Client, Seat

MAX_LATE: Final = 3
"""Late answers in a row after which a client loses its seat (policy `fold`)."""
MAX_JUNK_LINES: Final = 1000
"""Lines that are no answer, in one decision, after which it does too."""
_GOODBYE_S = 1.0
# How long clients have to close after the last state before they are cut off.
_REOPEN_S = 0.25
# Between attempts to listen again on a vacated seat's port, which the system may hold for a moment.
_SECONDS_EVERY = 100
# Hands between the trace's "Seconds cumulatively spent" lines.

_tables_playing = 0
# Tables of this process with a hand on.  Only a lone one may poll a socket instead of sleeping.


class Console(Protocol):
    """Where a match reports to: the dealer's stdout and stderr, or a file in the match folder."""

    def out(self, text: str) -> None:
        """For programs: the ports and the score."""

    def err(self, text: str) -> None:
        """For people: header, trace, warnings and errors."""

    def hand_finished(self, hand_number: int) -> None:
        """A hand is over: for progress bars."""


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


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        OSError: the address is not ours, or taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setblocking(False)
        listener.bind((host, port))
        listener.listen(8)
    except BaseException:
        listener.close()
        raise
    return listener


class MatchServer:
    """One match.  `open`, tell the players the `ports`, `run`.

    *Resource handling*: `run` closes everything when it ends, however it ends; call `close` if it is
    never run.

    Raises:
        MatchAborted: from `open`, with the line that says which file or port it is.
    """

    def __init__(self, config: MatchConfig, console: Console) -> None:
        self._config = config
        self._console = console
        limits = config.limits
        tokens = (*config.seat_tokens, *[None] * len(config.names))
        self._seats = tuple(
            Seat(number, name, SeatClock(limits, config.hands), tokens[number])
            for number, name in enumerate(config.names)
        )
        self._listeners: dict[int, socket.socket] = {}
        self._log: RecordFile | None = None
        self._transactions: RecordFile | None = None
        self._totals = [0.0] * len(self._seats)
        self._hand_chips = tuple(array("d") for _ in self._seats)
        self._hands_done = 0
        self._state: HandState | None = None
        self._aborted: MatchAborted | None = None
        self._given_up: dict[int, trio.CancelScope] = {}
        self._replay: deque[str] = deque()
        self._logged: set[str] = set()
        self._trace: list[str] = []
        self._last_send_us = 0
        self._seconds = 0.0

    # --- opening ---------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the files, then the listening sockets (acpc-spec 5.1)."""
        config = self._config
        try:
            self._log = self._open_file(config.log_path, "log")
            self._transactions = self._open_file(config.transaction_path, "transaction")
            for seat in self._seats:
                port = config.ports[seat.number] if seat.number < len(config.ports) else 0
                try:
                    listener = open_listener(config.host, port)
                except OSError as error:
                    raise MatchAborted(
                        f"ERROR: could not create listen socket for player {seat.number + 1}\n"
                        f"riverboat: {config.host} port {port}: {error.strerror}\n"
                    ) from error
                seat.port = listener.getsockname()[1]
                self._listeners[seat.number] = listener
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

    @property
    def ports(self) -> tuple[int, ...]:
        """In seat order."""
        return tuple(seat.port for seat in self._seats)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """In seat order."""
        return self._seats

    def close(self) -> None:
        """Let go of files and sockets."""
        for listener in self._listeners.values():
            listener.close()
        self._listeners.clear()
        for file in (self._log, self._transactions):
            if file is not None:
                file.close()

    # --- running ---------------------------------------------------------------------------------------

    async def run(self) -> MatchOutcome:
        """Seat the players, play the match, say goodbye."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                with trio.CancelScope() as self._main_scope:
                    try:
                        self._write_header()
                        await self._seat_players()
                        await self._play()
                    except MatchAborted as error:
                        self._abort(error)
                if self._aborted is not None:
                    self._console.err(self._aborted.lines)
                await self._say_goodbye()
                nursery.cancel_scope.cancel()
        finally:
            for seat in self._seats:
                if seat.client is not None:
                    seat.client.channel.close()
            self.close()
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
        with trio.CancelScope() as scope:
            self._given_up[seat.number] = scope
            try:
                seat.client = await self._admit(seat, deadline)
            except SeatFailed as failure:
                self._start_failed(seat, Failure(failure.kind, failure.detail), failure.acpc_lines)
        del self._given_up[seat.number]

    def _start_failed(self, seat: Seat, failure: Failure, acpc_lines: str) -> None:
        try:
            self._fail(seat, failure, acpc_lines)
        except MatchAborted as error:
            self._abort(error)

    def give_up(self, number: int, failure: Failure) -> None:
        """Nobody will come for a seat that is being waited for: its player could not be started.

        Does nothing once somebody sits there.
        """
        scope = self._given_up.get(number)
        if scope is not None:
            scope.cancel()
            self._start_failed(self._seats[number], failure, f"ERROR: seat {number + 1} could not connect\n")

    async def _invite(self, seat: Seat) -> None:
        """Offer a vacant seat until somebody takes it, and show who does where the hand stands."""
        while seat.client is None and not seat.clock.is_used_up:
            try:
                seat.client = await self._admit(seat, math.inf)
            except SeatFailed:
                continue  # a stranger; the failure that made the seat vacant is on record
            self._note(f"{seat.label} is taken again")
            if self._state is not None:
                self._say_state(seat, self._state)
                self._flush(seat)

    async def _admit(self, seat: Seat, deadline: float) -> Client:
        """The next client of a seat's port that may sit there and has said its version.

        Raises:
            SeatFailed: nobody came by the deadline, or who came is no client.
        """
        while True:
            sock = await self._accept(seat, deadline)
            client = Client(Channel(sock, self._nursery), DealerConnection(self._config.game))
            try:
                if await self._shake_hands(seat, client):
                    return client
            except BaseException:
                client.channel.close()
                raise
            client.channel.close()
            self._console.err(f"riverboat: {seat.label}: a client without the seat's token was turned away\n")

    async def _accept(self, seat: Seat, deadline: float) -> socket.socket:
        """The next connection to a seat's port, which is then closed: a seat has one client."""
        with trio.CancelScope(deadline=deadline) as scope:
            listener = self._listeners.get(seat.number)
            while listener is None:
                try:
                    listener = self._listeners[seat.number] = open_listener(self._config.host, seat.port)
                except OSError:  # the system still holds the port, or somebody took it
                    await trio.sleep(_REOPEN_S)
            while True:
                await trio.lowlevel.wait_readable(listener)
                try:
                    sock, _ = listener.accept()
                except BlockingIOError:
                    continue
                except OSError as error:
                    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                        await trio.sleep(_REOPEN_S)  # out of descriptors: nothing else helps
                    continue
                del self._listeners[seat.number]
                listener.close()
                return sock
        assert scope.cancelled_caught
        missing = min(self._listeners)  # the listeners left are those of seats nobody has connected to
        raise SeatFailed(
            FailureKind.STALLED,
            f"did not connect within {self._config.limits.start:g} s",
            f"ERROR: timed out waiting for seat {missing + 1} to connect\n",
        )

    async def _shake_hands(self, seat: Seat, client: Client) -> bool:
        """Read a new client's version, and its greeting where it has sent one (acpc-spec 5.3).

        Returns:
            Whether it may sit here; False only where the seat has a token.

        Raises:
            SeatFailed: it said nothing in time, left, or is no client.
        """
        limit = self._config.limits.handshake
        deadline = trio.current_time() + limit
        unread = f"ERROR: could not read version string from seat {seat.number + 1}\n"
        connection = client.connection
        is_welcome = seat.token is None
        while True:
            try:
                event = connection.next_event()
            except BadVersion as error:
                line = error.line.decode("utf-8", "surrogateescape")
                raise SeatFailed(
                    FailureKind.NONSENSE, str(error), f"ERROR: invalid version string {line}"
                ) from error
            if isinstance(event, Version):
                if not event.is_supported:
                    self._console.err("ERROR: this server is currently using version 2.0.0\n")
            elif isinstance(event, Greeting):
                if seat.token is not None and not _has_token(event.words, seat.token):
                    return False
                is_welcome = True
                self._welcome(seat, client, event.words)
            elif isinstance(event, ConnectionClosed):
                if not is_welcome and connection.state is not State.AWAITING_VERSION:
                    return False
                raise SeatFailed(FailureKind.DISCONNECTED, "left before its version line", unread)
            elif connection.state is not State.AWAITING_VERSION and is_welcome:
                return True
            else:
                if connection.num_buffered > MAX_LINE:  # it talks on without showing the seat's token
                    return False
                data = await client.channel.receive(deadline, may_poll=False)
                if data is None:
                    if connection.state is not State.AWAITING_VERSION:
                        return False
                    raise SeatFailed(
                        FailureKind.STALLED, f"connected, but sent no version line within {limit:g} s", unread
                    )
                connection.receive_data(data)

    def _welcome(self, seat: Seat, client: Client, words: tuple[str, ...]) -> None:
        """Answer a greeting with the capabilities granted and what they tell (design: protocol extension)."""
        connection, outgoing = client.connection, client.outgoing
        granted = tuple(dict.fromkeys(word for word in words if word in CAPABILITIES))
        client.capabilities |= frozenset(granted)
        outgoing.append(connection.send(Greeting(granted)))
        notes = {
            "seat": str(seat.number),
            "names": "|".join(self._config.names),
            "game": format_game(self._config.game).strip().replace("\n", ";"),
        }
        outgoing += [connection.send(Note(name, text)) for name, text in notes.items() if name in granted]

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

    def _note(self, text: str) -> None:
        """Record what happened to a seat, for the readers of the log and for the operator."""
        where = "" if self._state is None else f" (hand {self._state.hand_number})"
        self._write_log(f"# {text}{where}\n")
        self._console.err(f"riverboat: {text}{where}\n")

    def _vacate(self, seat: Seat) -> None:
        """Cut a client off and open its port again."""
        if seat.client is not None:
            seat.client.channel.close()
            seat.client = None
            self._nursery.start_soon(self._invite, seat)

    # --- playing ---------------------------------------------------------------------------------------

    async def _play(self) -> None:
        """Play all hands, beginning with those of an interrupted match."""
        global _tables_playing
        config = self._config
        console = self._console
        if not config.quiet:
            console.err(f"STARTED at {format_stamp(_now_us())}\n")
        if config.append and config.transaction_path is not None:
            self._replay = deque(read_lines(config.transaction_path))
            if config.log_path is not None:
                self._logged = {line for line in read_lines(config.log_path) if line.startswith("STATE:")}
        dealer = CardDealer(config.game, config.seed)
        started_at = trio.current_time()
        _tables_playing += 1
        try:
            for hand_number in range(config.hands):
                await self._play_hand(hand_number, dealer)
                if not config.quiet and hand_number % _SECONDS_EVERY == 0:
                    for seat in self._seats:
                        self._trace.append(
                            f"Seconds cumulatively spent in match for seat {seat.number}: "
                            f"{int(seat.clock.in_match)}\n"
                        )
            for seat in self._seats:
                self._flush(seat)
            self._flush_trace()
        finally:
            _tables_playing -= 1
            self._seconds = trio.current_time() - started_at
        if not config.quiet:
            console.err(f"FINISHED at {format_stamp(self._last_send_us)}\n")
        score = format_score(self._totals, config.names)
        console.out(score)
        console.err(score)
        self._write_log(score)

    async def _play_hand(self, hand_number: int, dealer: CardDealer) -> None:
        config = self._config
        for seat in self._seats:
            seat.clock.new_hand()
        is_live = not self._replay
        if is_live:
            await trio.lowlevel.checkpoint()  # the one place where a fast match lets everybody else run
        loop = play_hand(config.game, hand_number, dealer.deal())
        try:
            state = next(loop)
            while True:
                if self._replay:
                    action = self._replayed_action(state)
                    is_live = False
                else:
                    is_live = True
                    self._state = state
                    action = await self._decide(state)
                state = loop.send(action)
        except StopIteration as finished:
            final: HandState = finished.value
        self._state = final
        chips = final.chips_won()
        n = len(self._seats)
        shift = 0 if config.fixed_seats else hand_number
        for position, won in enumerate(chips):
            seat_number = (position + shift) % n
            self._totals[seat_number] += won
            self._hand_chips[seat_number].append(won)
        line = format_hand(final, chips, [config.names[(p + shift) % n] for p in range(n)])
        if line not in self._logged:
            self._write_log(line)
        self._hands_done += 1
        if is_live:
            self._show(final)
        self._console.hand_finished(hand_number)

    def _replayed_action(self, state: HandState) -> Action:
        """The next action of the transaction log, charged to its seat's clock (acpc-spec 6.4)."""
        line = self._replay.popleft()
        try:
            entry = parse_transaction(line, self._config.game.is_limit)
        except TransactionError as error:
            raise MatchAborted(str(error)) from error
        if entry.hand_number != state.hand_number:
            raise MatchAborted(f"ERROR: handId mismatch in transaction log: {line}")
        if entry.action not in state.legal_actions():
            raise MatchAborted(f"ERROR: invalid action in transaction log: {line}")
        seat = self._seat_to_act(state)
        if self._config.on_failure is OnFailure.ABORT and seat.clock.is_exceeded_by(entry.seconds):
            raise MatchAborted(f"ERROR: seat {seat.number + 1} ran out of time in transaction file\n")
        seat.clock.charge(entry.seconds)
        return entry.action

    def _position_of(self, seat: Seat, hand_number: int) -> int:
        """A seat's position in a hand: the button moves on by one each hand (acpc-spec 5.4)."""
        return seat.number if self._config.fixed_seats else (seat.number - hand_number) % len(self._seats)

    def _seat_to_act(self, state: HandState) -> Seat:
        position = state.position_to_act
        assert position is not None
        shift = 0 if self._config.fixed_seats else state.hand_number
        return self._seats[(position + shift) % len(self._seats)]

    def _say_state(self, seat: Seat, state: HandState) -> None:
        """Say to one seat's client how the hand stands; `_flush` writes it."""
        client = seat.client
        if client is None:
            return
        position = self._position_of(seat, state.hand_number)
        connection = client.connection
        if connection.state is State.TO_ACT:
            connection.send(TurnWithdrawn())  # the house has acted for it
        view = state.view(position)
        if state.betting.position_to_act == position:
            if "clock" in client.capabilities:
                client.outgoing.append(connection.send(Note("clock", f"{seat.clock.left():.6g}")))
            data = connection.send(TurnToAct(view))
        else:
            data = connection.send(StateUpdate(view))
        client.outgoing.append(data)
        if not self._config.quiet:
            self._trace.append(f"TO {seat.number + 1} at {format_stamp(_now_us())} {data.decode('ascii')}")

    def _show(self, state: HandState) -> None:
        """Say to every seat's client, in seat order, how the hand stands."""
        for seat in self._seats:
            self._say_state(seat, state)

    def _flush(self, seat: Seat) -> None:
        """Write what has been said to a seat's client."""
        if seat.client is None:
            return
        try:
            seat.client.flush()
        except ChannelBroken as error:
            kind = FailureKind.STALLED if error.is_full else FailureKind.DISCONNECTED
            what = f"does not read: {error}" if error.is_full else f"cannot be sent to: {error}"
            self._flush_trace()
            self._fail(
                seat, self._failure(kind, what), f"ERROR: could not send state to seat {seat.number + 1}\n"
            )
            self._vacate(seat)

    def _flush_trace(self) -> None:
        if self._trace:
            self._console.err("".join(self._trace))
            self._trace.clear()

    def _failure(self, kind: FailureKind, detail: str) -> Failure:
        return Failure(kind, detail, None if self._state is None else self._state.hand_number)

    async def _decide(self, state: HandState) -> Action:
        """Show everybody the hand, get the acting seat's action, and record it."""
        self._show(state)
        for seat in self._seats:
            self._flush(seat)
        seat = self._seat_to_act(state)
        sent_us = self._last_send_us = _now_us()
        action: Action | None = None
        if seat.client is None:
            await trio.lowlevel.checkpoint()  # somebody may be about to take the seat
        if seat.client is not None and not seat.is_away:
            self._flush_trace()
            try:
                action = await self._answer(seat, seat.client, state)
            except SeatFailed as failure:
                self._fail(seat, self._failure(failure.kind, failure.detail), failure.acpc_lines)
                self._set_aside(seat, failure.kind)
        if action is None:
            action = FOLD if state.legal_actions().can_fold else CALL
            sent_us = received_us = _now_us()  # nobody's time
        else:
            received_us = _now_us()
        if self._transactions is not None:
            entry = Transaction(action, state.hand_number, sent_us, received_us)
            try:
                self._transactions.write(format_transaction(entry))
            except OSError as error:
                raise MatchAborted(
                    f"ERROR: could not write to transaction file\nriverboat: {error.strerror}\n"
                ) from error
        return action

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
        while True:
            try:
                data = await client.channel.receive(math.inf, may_poll=False)
            except trio.ClosedResourceError:
                break  # it has lost its seat meanwhile
            if not data:
                if seat.client is client:
                    self._fail(seat, self._failure(FailureKind.DISCONNECTED, "left while it was late"), "")
                    self._vacate(seat)
                break
            client.connection.receive_data(data)
            if b"\n" in data:
                break
        seat.is_away = False

    async def _answer(self, seat: Seat, client: Client, state: HandState) -> Action:
        """The acting seat's action, put right as the ACPC dealer does (acpc-spec 5.6, 5.8).

        Raises:
            SeatFailed: it left, or did not answer in time.
        """
        config = self._config
        connection, channel = client.connection, client.channel
        response = config.limits.response
        shown_at = heard_at = trio.current_time()
        junk_lines = 0
        number = seat.number + 1
        while True:
            event = connection.next_event()
            if event is NEED_DATA:
                data = await channel.receive(heard_at + response, may_poll=_tables_playing == 1)
                if data is None:
                    raise SeatFailed(
                        FailureKind.NONSENSE if junk_lines else FailureKind.STALLED,
                        _late(junk_lines, trio.current_time() - shown_at, response),
                        _no_action(number, trio.current_time() - shown_at, response),
                    )
                connection.receive_data(data)
                continue
            seconds = trio.current_time() - shown_at
            if isinstance(event, ConnectionClosed):
                raise SeatFailed(
                    FailureKind.DISCONNECTED,
                    "closed its connection when it was to act",
                    _no_action(number, seconds, response),
                )
            if isinstance(event, Greeting):
                self._welcome(seat, client, event.words)
                self._flush(seat)
                continue
            assert isinstance(event, Comment | UnreadableLine | StaleReply | Reply)
            if not config.quiet:
                line = event.line.decode("utf-8", "surrogateescape")
                self._console.err(f"FROM {number} at {format_stamp(_now_us())} {line}")
            if isinstance(event, Comment):
                if seconds <= response:  # it restarts the wait once, but not the clock (acpc-spec 5.8)
                    heard_at = trio.current_time()
            elif seat.clock.is_exceeded_by(seconds):
                seat.clock.charge(seconds)
                raise SeatFailed(
                    FailureKind.NONSENSE if junk_lines else FailureKind.STALLED,
                    _late(junk_lines, seconds, response),
                    f"ERROR: seat {number} ran out of time\n",
                )
            elif isinstance(event, Reply):
                seat.clock.charge(seconds)
                seat.late_in_a_row = 0
                seat.decision_seconds.append(seconds)
                if event.action is not None and event.action in state.legal_actions():
                    return event.action
                return self._corrected(seat, event, state)
            else:
                junk_lines += 1
                stale = isinstance(event, StaleReply)
                self._warn(
                    seat, "ignoring un-requested response" if stale else "bad state format in response"
                )
                heard_at = trio.current_time()
                if config.on_failure is OnFailure.FOLD and junk_lines >= MAX_JUNK_LINES:
                    raise SeatFailed(
                        FailureKind.NONSENSE, f"sent {junk_lines} lines that are no answer to its state", ""
                    )
            # Somebody who talks without answering must not keep the others from running.
            await trio.lowlevel.checkpoint()

    def _corrected(self, seat: Seat, reply: Reply, state: HandState) -> Action:
        """The action played for one that is not legal as it stands, with the ACPC dealer's warnings."""
        if reply.flaw is Flaw.BAD_FORMAT:
            self._warn(seat, "bad action format in response, changed to call")
            return CALL
        action, legal = reply.action, state.legal_actions()
        if action is None or action.kind is not ActionKind.RAISE or not legal.can_raise:
            betting = state.betting
            is_raise = action is not None and action.kind is ActionKind.RAISE
            if is_raise and betting.raises_left() > 0 and betting.is_capped_by_length:
                self._warn(seat, "#actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold")
            self._warn(seat, "invalid action, changed to call")
            return CALL
        played = legal.nearest(action)
        assert action.raise_to is not None
        assert played.raise_to is not None
        way = "increased" if played.raise_to > action.raise_to else "decreased"
        self._warn(seat, f"raise of {action.raise_to} {way} to {played.raise_to}")
        return played

    def _warn(self, seat: Seat, text: str) -> None:
        seat.warnings += 1
        self._console.err(f"WARNING: {text}\n")

    async def _say_goodbye(self) -> None:
        """Let every client read its last states before its connection closes."""
        async with trio.open_nursery() as nursery:
            for seat in self._seats:
                if seat.client is not None:
                    nursery.start_soon(seat.client.channel.finish, _GOODBYE_S)


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


def _now_us() -> int:
    return time.time_ns() // 1000


def _no_action(number: int, seconds: float, response: float) -> str:
    return (
        f"ERROR: could not get action from seat {number}\n"
        f"{seconds:.1f} seconds spent waiting; timeout {response:.1f}\n"
    )


def _late(junk_lines: int, seconds: float, response: float) -> str:
    if junk_lines:
        return (
            f"sent {junk_lines} lines that are no answer to its state, and none that is, in {seconds:.1f} s"
        )
    return f"gave no answer in {seconds:.1f} s (limit {response:g} s a response)"


def _has_token(words: tuple[str, ...], token: str) -> bool:
    presented = [word.removeprefix(TOKEN) for word in words if word.startswith(TOKEN)]
    return any(secrets.compare_digest(word.encode(), token.encode()) for word in presented)
