"""In which order a room's tables are served, and when those who look on are written to."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol import DealerConnection
from server.support import turns
from server.table.channel import Channel
from server.table.seat import Client, Seat
from server.table.seating import Seating

TABLES = 60
AT_ONCE = 16


class Table(Seating):
    """A table with one client, and what its seating is asked to do."""

    playing = TABLES

    def __init__(self, held: ExitStack) -> None:
        ours, self.theirs = socket.socketpair()
        held.enter_context(self.theirs).setblocking(False)
        self.client = Client(Channel(held.enter_context(ours)), DealerConnection(None))
        turns.here().tables = self.playing
        self.seat: Any = SimpleNamespace(client=self.client)
        self.faults: list[Exception] = []
        self.is_at_fault = False

    def flush(self, seat: Seat, client: Client) -> None:
        if self.is_at_fault:
            raise ValueError("a fault of ours")
        client.flush()

    def break_off(self, seat: Seat, error: Exception) -> None:
        self.faults.append(error)

    def say(self, text: bytes, *, is_to_act: bool = False) -> None:
        self.client.say(text)
        if is_to_act:
            self.flush(self.seat, self.client)
        else:
            turns.here().keep(self.client, partial(self.flush_kept, self.seat, self.client))

    def heard(self) -> bytes:
        try:
            return self.theirs.recv(1000)
        except BlockingIOError:
            return b""


async def test_the_client_that_spoke_first_is_served_first() -> None:
    served: list[int] = []
    async with trio.open_nursery() as nursery:
        with ExitStack() as held:
            tables = [Table(held) for _ in range(TABLES)]

            async def serve(number: int) -> None:
                assert await tables[number].client.channel.receive(1e9) == b"x"
                served.append(number)

            for number in range(TABLES):
                nursery.start_soon(serve, number)
            await wait_all_tasks_blocked()
            spoken = [number * 37 % TABLES for number in range(TABLES)]
            for number in spoken:
                tables[number].theirs.send(b"x")
            await wait_all_tasks_blocked()

    assert len(served) == TABLES
    for start in range(0, TABLES, AT_ONCE):
        assert set(served[start : start + AT_ONCE]) == set(spoken[start : start + AT_ONCE])


@pytest.fixture(params=["epoll", "no epoll", "few tables"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux with more tables than are woken at once, others, and Linux with fewer."""
    if request.param == "no epoll":
        monkeypatch.setattr(turns, "select", SimpleNamespace())
    elif request.param == "few tables":
        monkeypatch.setattr(Table, "playing", 2)


@pytest.mark.usefixtures("system")
async def test_time_runs_out_to_the_second_and_may_begin_again(mock_clock: MockClock) -> None:
    mock_clock.autojump_threshold = 0.0
    with ExitStack() as held:
        one, other = Table(held), Table(held)
        began = trio.current_time()

        async def be_late(each: Table, seconds: float) -> None:
            deadline = began + seconds
            assert await each.client.channel.receive(deadline) is None
            assert trio.current_time() == deadline

        async with trio.open_nursery() as nursery:
            nursery.start_soon(be_late, one, 30.0)
            nursery.start_soon(be_late, other, 7.0)
        one.theirs.send(b"y")
        assert await one.client.channel.receive(trio.current_time() + 1) == b"y"


@pytest.mark.usefixtures("system")
async def test_a_wait_may_be_given_up_and_ends_when_we_close() -> None:
    with ExitStack() as held:
        one = Table(held)
        with trio.CancelScope() as scope:
            scope.cancel()
            await turns.here().until_readable(one.client.channel._sock, 1e9)
        one.theirs.send(b"z")
        assert await one.client.channel.receive(1e9) == b"z"

        async def wait() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await one.client.channel.receive(1e9)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()
            one.client.channel.close()
        with pytest.raises(trio.ClosedResourceError):
            await turns.here().until_readable(one.client.channel._sock, 1e9)


@pytest.mark.usefixtures("system")
async def test_the_player_to_act_is_written_to_at_once_and_the_others_when_there_is_time(
    mock_clock: MockClock,
) -> None:
    mock_clock.autojump_threshold = 0.0
    with ExitStack() as held:
        acts, looks_on, has_gone, is_faulty = (Table(held) for _ in range(4))
        is_faulty.is_at_fault = True
        for each in (is_faulty, has_gone, looks_on):
            each.say(b"one ")
            each.say(b"two")
        acts.say(b"three", is_to_act=True)
        has_gone.seat.client = None

        assert (acts.heard(), looks_on.heard()) == (b"three", b"")
        await trio.sleep(0.0005)  # it may be their turn soon
        assert looks_on.heard() == b""
        await trio.sleep(0.001)
        assert (looks_on.heard(), has_gone.heard()) == (b"one two", b"")
        assert [str(fault) for fault in is_faulty.faults] == ["a fault of ours"]
        looks_on.say(b"four")  # when nothing else happens
        await trio.sleep(0.0015)
        assert looks_on.heard() == b"four"


async def test_a_table_that_waits_is_written_to_even_when_the_room_is_busy(mock_clock: MockClock) -> None:
    with ExitStack() as held:
        looks_on = Table(held)
        busy = [Table(held) for _ in range(2 * AT_ONCE)]
        async with trio.open_nursery() as nursery:

            async def play(each: Table) -> None:
                while True:
                    each.theirs.send(b"x")
                    await each.client.channel.receive(1e9)

            for each in busy:
                nursery.start_soon(play, each)
            for _ in range(5):
                await trio.lowlevel.checkpoint()
            looks_on.say(b"one")
            for _ in range(20):
                await trio.lowlevel.checkpoint()
            assert looks_on.heard() == b""
            mock_clock.jump(1.0)
            for _ in range(5):
                await trio.lowlevel.checkpoint()
            assert looks_on.heard() == b"one"
            nursery.cancel_scope.cancel()
