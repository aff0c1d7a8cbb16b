"""No task that serves a client can end a table: whatever goes wrong in it is its seat's failure."""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import socket
import time
import types
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from engine.poker.rules import Action
from server.support.errors import FailureKind
from server.table.channel import Channel, ChannelBroken
from server.table.config import MatchConfig, OnFailure, TimeLimits
from server.table.reply import Asking
from server.table.seat import Seat
from server.table.seating import Seating
from tests.support import tables

FAULTY = 1
"""The seat whose tasks go wrong."""
HANDS = 3
serves_the_seat = contextvars.ContextVar("serves_the_seat", default=False)


class Fault(Exception):
    """What nobody has foreseen."""


class Faults(trio.abc.Instrument):
    """Makes one await of the tasks that serve a seat raise, when what was awaited has come."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.awaits = 0

    def task_spawned(self, task: trio.lowlevel.Task) -> None:
        if task.context.get(serves_the_seat):
            task.coro = self.in_(task.coro)  # type: ignore[assignment]

    async def in_(self, coro: Coroutine[Any, Any, Any]) -> Any:
        """A coroutine with its share of the faults."""
        return await self._run(coro)

    @types.coroutine
    def _run(self, coro: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        value, is_fault = None, False
        while True:
            try:
                trap = coro.throw(Fault("at an await")) if is_fault else coro.send(value)
            except StopIteration as end:
                return end.value
            value = yield trap
            is_ours = not _is_closing_a_nursery(coro)
            self.awaits += is_ours
            is_fault = is_ours and self.awaits == self._number


def _is_closing_a_nursery(coro: Any) -> bool:
    """Whether a coroutine awaits the end of its nursery's tasks: an error there would be trio's own."""
    while coro is not None:
        if getattr(coro, "__name__", None) == "_nested_child_finished":
            return True
        coro = getattr(coro, "cr_await", None) or getattr(coro, "gi_yieldfrom", None)
    return False


@pytest.fixture
def trickling(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system takes ten bytes of a message; the rest is flushed."""
    send = Channel.send

    def send_little(self: Channel, data: bytes) -> None:
        send(self, data[:10])
        self._unsent += data[10:]
        self._has_unsent.set()

    monkeypatch.setattr(Channel, "send", send_little)


def inject(faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let faults happen in all tasks of the seat, and where the playing task reads its replies."""
    keep, read_reply = Seating._keep, Asking.read_reply

    async def keep_with_faults(self: Seating, seat: Seat, deadline: float) -> None:
        if seat.number == FAULTY:
            serves_the_seat.set(True)
            await faults.in_(keep(self, seat, deadline))
        else:
            await keep(self, seat, deadline)

    async def read_with_faults(self: Asking, seats: Any, seat: Seat, *arguments: Any) -> Action:
        reading = read_reply(self, seats, seat, *arguments)
        action: Action = await (faults.in_(reading) if seat.number == FAULTY else reading)
        return action

    monkeypatch.setattr(Seating, "_keep", keep_with_faults)
    monkeypatch.setattr(Asking, "read_reply", read_with_faults)


async def come_and_go(table: tables.Table) -> None:
    """Play at the seat: with notes, late once, silent for the rest of a stay, and back again."""
    game = table.config.game
    for stay in itertools.count():
        if table.is_over:
            return
        try:
            player = await table.join(FAULTY, "#riverboat/1 seat clock")
            for number in range(9):
                line = await player.line()
                if line is None:
                    break
                if tables.is_to_act(game, line):
                    if number == 6 and stay % 2 == 0:
                        await trio.sleep(11)
                    await player.say(f"{line}:c")
            await player.leave()
        except (OSError, trio.BrokenResourceError, AssertionError):  # cut off, in the middle of a line even
            await trio.sleep(0.1)


async def play_slowly(table: tables.Table, player: tables.Player) -> None:
    """Play, and leave time for somebody to come back."""
    async with player.stream:
        while (line := await player.line()) is not None:
            if tables.is_to_act(table.config.game, line):
                if line.startswith("MATCHSTATE:0:"):
                    await trio.sleep(2)
                with contextlib.suppress(trio.BrokenResourceError):
                    await player.answer("c")
    player.closed.set()


async def play_with_a_fault(
    number: int, config: MatchConfig, monkeypatch: pytest.MonkeyPatch
) -> tuple[Faults, tables.Table, list[tables.Player]]:
    """A match in which the numbered await of the seat's tasks raises."""
    faults = Faults(number)
    with monkeypatch.context() as patch:
        inject(faults, patch)
        trio.lowlevel.add_instrument(faults)
        try:
            async with tables.table_of(config) as table:
                honest: list[tables.Player] = []
                with contextlib.suppress(OSError, trio.BrokenResourceError):  # the match may be over already
                    for seat in (0, 2):
                        honest.append(await table.join(seat))
                        table.start_soon(play_slowly, table, honest[-1])
                table.start_soon(come_and_go, table)
                await table.outcome()
                for player in honest:
                    await player.closed.wait()
        finally:
            trio.lowlevel.remove_instrument(faults)
    return faults, table, honest


@pytest.mark.parametrize("policy", OnFailure)
@pytest.mark.usefixtures("trickling")
async def test_a_fault_at_any_await_of_a_seats_tasks_is_that_seats_failure(
    policy: OnFailure, virtual_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = TimeLimits(response=10.0, hand=3600.0, per_hand=3600.0, grace=5.0)
    number, faults = 0, Faults(0)
    while number <= faults.awaits:
        number += 1
        config = tables.match_config(
            "kuhn.limit.3p", HANDS, limits=limits, on_failure=policy, log_path=tmp_path / "log"
        )

        faults, table, honest = await play_with_a_fault(number, config, monkeypatch)

        outcome = await table.outcome()
        assert table.failures(0) == table.failures(2) == [], number
        if policy is not OnFailure.ACPC:
            assert (outcome.error, outcome.hands) == (None, HANDS), number
            assert [player.lines for player in honest] == [tables.lines_told(config)[seat] for seat in (0, 2)]
        elif outcome.error is not None:
            assert "seat 2" in outcome.error, number
        if number <= faults.awaits:
            assert "Fault: at an await" in table.console.stderr, number
    assert number > (40 if policy is OnFailure.FAIR else 15)


GREETING = "#riverboat/1 seat names game clock"


@pytest.mark.parametrize("attempt", range(5))
async def test_a_client_that_keeps_greeting_reads_nothing_and_hangs_up_loses_only_its_seat(
    attempt: int, tmp_path: Path
) -> None:
    """The answers were left unsent; the end of the stream closed the socket before they were flushed."""
    config = tables.folding_config(hands=4, log_path=tmp_path / "log")
    async with tables.table_of(config) as table:
        honest = await table.join(1)
        table.start_soon(honest.play, tables.always(config.game, "c"))
        async with await tables.small_stream(table.server.ports[0]) as stream:
            await tables.Player(stream).say(tables.VERSION, *[GREETING] * (300 + 100 * attempt))
            await stream.send_eof()
            outcome = await table.outcome()
        await honest.closed.wait()

    assert (outcome.error, outcome.hands) == (None, 4)
    assert table.failures(0) == [FailureKind.DISCONNECTED]
    assert honest.lines == tables.lines_told(config)[1]


async def test_a_channel_that_is_closed_before_it_is_flushed_has_nothing_to_do() -> None:
    """Its flushing task had waited on a descriptor that was no longer one."""
    ours, theirs = socket.socketpair()
    with theirs:
        channel = Channel(ours)
        with contextlib.suppress(ChannelBroken):
            while True:
                channel.send(b"x" * 100_000)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.keep_flushing)
            channel.close()
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()


class LongestStep(trio.abc.Instrument):
    """For how long a task other than the test's has kept all others waiting, in seconds of this thread."""

    def __init__(self) -> None:
        self._own_task = trio.lowlevel.current_task()
        self.seconds = 0.0
        self._started_at = 0.0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._started_at = time.thread_time()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        if task is not self._own_task:
            self.seconds = max(self.seconds, time.thread_time() - self._started_at)


@pytest.mark.parametrize("token", [None, "s3cret"])
async def test_a_newcomer_who_greets_and_greets_is_answered_once_and_keeps_nobody_waiting(
    token: str | None,
) -> None:
    words = GREETING if token is None else f"{GREETING} token={token}"
    longest = LongestStep()
    async with tables.table_of(tables.match_config(seat_tokens=(token,))) as table:
        trio.lowlevel.add_instrument(longest)
        await table.join(1)
        greeter = await table.join(0, *[words] * 1800)

        line = await greeter.line()
        assert line == GREETING
        while not line.startswith("MATCHSTATE:"):
            line = await greeter.line()
            assert line is not None
        trio.lowlevel.remove_instrument(longest)

    assert longest.seconds < 0.1
    assert [line.split()[0] for line in greeter.lines[1:]] == ["#seat", "#names", "#game", "#clock", line]
