"""In which order a room's tables are served, and when those who look on are written to."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from protocol import DealerConnection
from server.room.tables import turns as module
from server.room.tables.turns import Turns
from server.table.channel import Channel
from server.table.seat import Client

TABLES = 60
AT_ONCE = 16


@asynccontextmanager
async def turns_of() -> AsyncIterator[Turns]:
    turns = Turns()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(turns.run)
        yield turns
        nursery.cancel_scope.cancel()
    turns.close()


@attrs.define(eq=False)
class Table:
    """A table with one client, and what its seating is asked to do."""

    turns: Turns
    theirs: socket.socket
    client: Client
    seat: Any = None
    faults: list[Exception] = attrs.Factory(list)
    is_at_fault: bool = False

    def flush(self, seat: Any, client: Client) -> None:
        if self.is_at_fault:
            raise ValueError("a fault of ours")
        client.flush()

    def break_off(self, seat: Any, error: Exception) -> None:
        self.faults.append(error)

    def say(self, text: bytes, *, is_to_act: bool = False) -> None:
        self.client.say(text)
        self.turns.write(self, self.seat, self.client, is_to_act)  # type: ignore[arg-type]

    def heard(self) -> bytes:
        try:
            return self.theirs.recv(1000)
        except BlockingIOError:
            return b""


def table(turns: Turns, held: ExitStack) -> Table:
    ours, theirs = socket.socketpair()
    held.enter_context(theirs).setblocking(False)
    channel = Channel(held.enter_context(ours), turns)
    client = Client(channel, DealerConnection(None))
    return Table(turns, theirs, client, SimpleNamespace(client=client))


async def test_the_client_that_spoke_first_is_served_first() -> None:
    served: list[int] = []
    async with turns_of() as turns, trio.open_nursery() as nursery:
        with ExitStack() as held:
            tables = [table(turns, held) for _ in range(TABLES)]

            async def serve(number: int) -> None:
                assert await tables[number].client.channel.receive(1e9, may_poll=False) == b"x"
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


@pytest.fixture(params=["epoll", "no epoll"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux, and others."""
    if request.param == "no epoll":
        monkeypatch.setattr(module, "select", SimpleNamespace())


@pytest.mark.usefixtures("system")
async def test_time_runs_out_to_the_second_and_may_begin_again(mock_clock: MockClock) -> None:
    mock_clock.autojump_threshold = 0.0
    async with turns_of() as turns:
        with ExitStack() as held:
            one, other = table(turns, held), table(turns, held)
            began = trio.current_time()

            async def be_late(each: Table, seconds: float) -> None:
                deadline = began + seconds
                assert await each.client.channel.receive(deadline, may_poll=False) is None
                assert trio.current_time() == deadline

            async with trio.open_nursery() as nursery:
                nursery.start_soon(be_late, one, 30.0)
                nursery.start_soon(be_late, other, 7.0)
            one.theirs.send(b"y")
            assert await one.client.channel.receive(trio.current_time() + 1, may_poll=False) == b"y"


@pytest.mark.usefixtures("system")
async def test_a_wait_may_be_given_up_and_ends_when_we_close() -> None:
    async with turns_of() as turns:
        with ExitStack() as held:
            one = table(turns, held)
            with trio.CancelScope() as scope:
                scope.cancel()
                await turns.until_readable(one.client.channel._sock, 1e9)
            one.theirs.send(b"z")
            assert await one.client.channel.receive(1e9, may_poll=False) == b"z"

            async def wait() -> None:
                with pytest.raises(trio.ClosedResourceError):
                    await one.client.channel.receive(1e9, may_poll=False)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                await wait_all_tasks_blocked()
                one.client.channel.close()
            with pytest.raises(trio.ClosedResourceError):
                await turns.until_readable(one.client.channel._sock, 1e9)


@pytest.mark.usefixtures("system")
async def test_the_player_to_act_is_written_to_at_once_and_the_others_when_there_is_time() -> None:
    async with turns_of() as turns:
        with ExitStack() as held:
            acts, looks_on, has_gone, is_faulty = (table(turns, held) for _ in range(4))
            is_faulty.is_at_fault = True
            for each in (is_faulty, has_gone, looks_on):
                each.say(b"one ")
                each.say(b"two")
            acts.say(b"three", is_to_act=True)
            has_gone.seat.client = None

            assert (acts.heard(), looks_on.heard()) == (b"three", b"")
            await wait_all_tasks_blocked()
            assert (looks_on.heard(), has_gone.heard()) == (b"one two", b"")
            assert [str(fault) for fault in is_faulty.faults] == ["a fault of ours"]
            looks_on.say(b"four")  # when nothing else happens
            await wait_all_tasks_blocked()
            assert looks_on.heard() == b"four"


async def test_a_table_that_waits_is_written_to_even_when_the_room_is_busy(mock_clock: MockClock) -> None:
    async with turns_of() as turns:
        with ExitStack() as held:
            looks_on = table(turns, held)
            busy = [table(turns, held) for _ in range(2 * AT_ONCE)]
            async with trio.open_nursery() as nursery:

                async def play(each: Table) -> None:
                    while True:
                        each.theirs.send(b"x")
                        await each.client.channel.receive(1e9, may_poll=False)

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
