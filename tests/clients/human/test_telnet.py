"""A seat for ``telnet`` and ``nc``: one person at a time, who may come back."""

from __future__ import annotations

import functools
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio

from clients.core.program import ProgramError, TableAddress, join_table
from clients.human.agent import Human
from clients.human.shell import Ending, sit_down
from clients.human.style import DISPLAYS, PLAIN, Style
from clients.human.telnet import TelnetDesk, open_telnet_port, read_listen_address
from engine.poker.rules import load_game
from server.table.config import TimeLimits
from tests.clients.human.test_agent import random_bytes
from tests.support.people import Nc
from tests.support.tables import always, folding_config, table_of

LIMIT = load_game("limit-2p")
NO_CLOCK = TimeLimits(response=1e9, hand=1e9, per_hand=1e9)


@attrs.define(eq=False)
class Desk:
    """A served seat."""

    port: int
    human: Human
    reports: list[str] = attrs.Factory(list)
    endings: list[Ending] = attrs.Factory(list)
    _connected: list[Nc] = attrs.Factory(list)

    async def connect(self) -> Nc:
        """Somebody connects."""
        nc = Nc(await trio.open_tcp_stream("127.0.0.1", self.port))
        self._connected.append(nc)
        return nc

    def close(self) -> None:
        """Close all connections of the other side."""
        for nc in self._connected:
            nc.stream.socket.close()


@asynccontextmanager
async def desk_at_table(hands: int = 3, style: Style = PLAIN, opponent: str = "c") -> AsyncIterator[Desk]:
    """A table with a program of one action in seat 1, and seat 0 offered by telnet."""
    async with table_of(folding_config("limit-2p", hands, limits=NO_CLOCK)) as table:
        reports: list[str] = []
        telnet = TelnetDesk(style, reports.append)
        human = Human(telnet, hands)
        listeners = await open_telnet_port("127.0.0.1", 0)
        desk = Desk(listeners[0].socket.getsockname()[1], human, reports)

        async def serve() -> None:
            async def join() -> int:
                await telnet.first_person.wait()
                return await join_table(human, TableAddress("127.0.0.1", table.server.ports[0]), human.say)

            listen = functools.partial(telnet.listen, human, listeners)
            try:
                desk.endings.append(await sit_down(human, join, listen))
                human.say(desk.endings[0].text)
            finally:
                await telnet.finish()
                listeners[0].socket.close()

        other = await table.join(1)
        table.start_soon(other.play, always(LIMIT, opponent))
        table.start_soon(serve)
        try:
            yield desk
        finally:
            desk.close()


async def test_a_hand_through_nc() -> None:
    async with desk_at_table(hands=1) as desk:
        nc = await desk.connect()
        for count in range(1, 5):
            await nc.until("\n> ", count)
            await nc.send(b"c\n")
        text = await nc.rest()

    assert text.startswith("Welcome to Riverboat.\nYou are in seat 1 of 2.")
    assert text.endswith("after 1 hand.\nThe dealer has closed the table.\n")
    assert text.isascii()
    assert desk.endings[0].is_played_out


async def test_nobody_is_sent_telnet_commands_unasked() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")

        assert "�" not in nc.text
        await nc.send(b"\xff\xfb\x1f\xff\xfa\x1f\x00\x28\x00\x18\xff\xf0?\r\n")
        await nc.until("leave the match")
        assert "��\x1f" in nc.text  # DO NAWS
        assert desk.human._screen.style.width == 38


async def test_a_second_person_is_told_that_the_seat_is_taken() -> None:
    async with desk_at_table() as desk:
        first, second = await desk.connect(), await desk.connect()

        assert await second.rest() == "This seat is taken. Try again later.\n"
        await first.until("> ")


async def test_a_person_who_comes_back_sees_where_things_stand() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")
        await nc.send(b"r\n")
        await nc.until("> ", 2)
        await nc.stream.aclose()
        await trio.sleep(0.05)

        back = await desk.connect()
        await back.until("> ")

        assert desk.reports == ["the connection has ended; the seat waits for its player on the same port"]
        assert "Welcome back to Riverboat." in back.text
        assert "You raise to 20 (10 more); p1 calls 10." in back.text
        assert back.text.endswith("c check  |  r bet 10\n> ")
        await back.send(b"c\n")
        await back.until("Turn")


async def test_a_connection_that_is_reset_keeps_the_seat() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")
        await nc.send(b"f")
        nc.stream.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER of 0 s: closing resets
        await nc.stream.aclose()
        await trio.sleep(0.05)

        back = await desk.connect()
        await back.until("> ")


async def test_keys_that_end_programs_do_not_lose_the_seat() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")
        await nc.send(b"\xff\xf4\xff\xfd\x06\x04")
        await nc.until('Ctrl-D does nothing here; "quit" leaves the match.\n> ')

        assert "Ctrl-C does nothing here" in nc.text
        await nc.send(b"quit\n")
        assert (await nc.rest()).endswith("You leave the table.\n")
    assert desk.endings[0].status == 0


async def test_symbols_are_sent_where_somebody_said_so() -> None:
    async with desk_at_table(style=DISPLAYS["symbols"]) as desk:
        nc = await desk.connect()
        await nc.until("> ")

    assert any(symbol in nc.text for symbol in "♣♦♥♠")


@pytest.mark.parametrize("seed", [1, 2])
async def test_random_bytes_never_break_the_connection(seed: int) -> None:
    """2000 lines in chunks of any size; at the end the same hand is still on, and can be played."""
    rng = random.Random(seed)
    data = b"".join(random_bytes(rng) for _ in range(2000)).replace(b"odds", b"????")

    async with desk_at_table(hands=10**6) as desk:
        nc = await desk.connect()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(nc.rest)
            while data:
                size = rng.choice([1, 7, 100, 5000])
                await nc.send(data[:size])
                data = data[size:]
                if rng.random() < 0.1:
                    await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
        await nc.send(b"\xff\xf0\r\ntable\nhistory\n")
        nc.text = ""
        await nc.until("Posted")
        assert not desk.endings


def test_addresses_to_listen_on() -> None:
    assert read_listen_address("4000") == ("127.0.0.1", 4000)
    assert read_listen_address("0.0.0.0:4000") == ("0.0.0.0", 4000)
    assert read_listen_address("[::1]:0") == ("::1", 0)
    for text in ("", "http", "1.2.3.4", "x:99999"):
        with pytest.raises(ProgramError, match=r"expected \[HOST:\]PORT"):
            read_listen_address(text)


async def test_a_port_that_is_taken_is_an_error_in_words() -> None:
    listeners = await open_telnet_port("127.0.0.1", 0)
    port = listeners[0].socket.getsockname()[1]

    with pytest.raises(ProgramError, match=f"cannot listen on 127.0.0.1 port {port}: Address already in use"):
        await open_telnet_port("127.0.0.1", port)
    await listeners[0].aclose()
