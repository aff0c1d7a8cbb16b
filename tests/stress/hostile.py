"""Clients that nobody wants, each a coroutine over one connection to a seat's port; see `tests.stress.crowd`.

They talk to a port of this machine, one connection after the other, and no faster than they are told.
"""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Final

import trio

VERSION: Final = b"VERSION:2.0.0\r\n"
_PAUSE_S: Final = 0.01
"""Between two writes of one who floods: 2 MB a second are enough to see."""
_STAY_S: Final = 5.0

Behaviour = Callable[[trio.SocketStream, random.Random], Awaitable[None]]


async def _hear(stream: trio.SocketStream) -> None:
    while await stream.receive_some(65536):
        pass


async def is_silent(stream: trio.SocketStream, rng: random.Random) -> None:
    """Says its version and nothing more."""
    await stream.send_all(VERSION)
    await _hear(stream)


async def is_mute(stream: trio.SocketStream, rng: random.Random) -> None:
    """Says nothing at all."""
    await _hear(stream)


def _flooding(data: bytes) -> Behaviour:
    """Sends the same, again and again."""

    async def behave(stream: trio.SocketStream, rng: random.Random) -> None:
        await stream.send_all(VERSION)
        while True:
            await stream.send_all(data)
            await trio.sleep(_PAUSE_S)

    return behave


floods, floods_with_comments = _flooding(b"junk\n" * 4000), _flooding(b"# comment\n" * 2000)
floods_without_line_end = _flooding(b"x" * 20_000)


async def greets_and_half_closes(stream: trio.SocketStream, rng: random.Random) -> None:
    """Greets some hundred times, closes its half, and reads nothing of what it has asked for."""
    greeting = b"#riverboat/1 seat names game clock\r\n"
    await stream.send_all(VERSION + greeting * rng.randint(300, 800))
    await stream.send_eof()
    await trio.sleep(_STAY_S)


async def leaves(stream: trio.SocketStream, rng: random.Random) -> None:
    """Comes and goes."""
    await stream.send_all(VERSION)
    await stream.receive_some(100)


async def is_reset(stream: trio.SocketStream, rng: random.Random) -> None:
    """Comes and goes without a goodbye."""
    await stream.send_all(VERSION)
    await stream.receive_some(100)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def is_no_client(stream: trio.SocketStream, rng: random.Random) -> None:
    """Takes the port for another service's."""
    await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await _hear(stream)


async def drips(stream: trio.SocketStream, rng: random.Random) -> None:
    """Sends a byte at a time."""
    for byte in VERSION + b"#" * 40:
        await stream.send_all(bytes([byte]))
        await trio.sleep(0.1)


async def never_reads(stream: trio.SocketStream, rng: random.Random) -> None:
    """Calls in the state it guesses, and reads nothing."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    await stream.send_all(VERSION)
    while True:
        await stream.send_all(b"MATCHSTATE:0:0::AsKs|:c\r\n" * 20)
        await trio.sleep(0.1)


async def is_late(stream: trio.SocketStream, rng: random.Random) -> None:
    """Answers everything, a little too late."""
    await stream.send_all(VERSION)
    while data := await stream.receive_some(65536):
        await trio.sleep(_STAY_S / 4)
        await stream.send_all(data.rpartition(b"\r\n")[0].rpartition(b"\r\n")[2] + b":c\r\n")


async def talks_nonsense(stream: trio.SocketStream, rng: random.Random) -> None:
    """Answers with random bytes."""
    await stream.send_all(VERSION)
    while await stream.receive_some(65536):
        await stream.send_all(rng.randbytes(rng.randint(1, 20_000)))
        await trio.sleep(_PAUSE_S)


BEHAVIOURS: Final[tuple[Behaviour, ...]] = (
    is_silent, is_mute, floods, floods_with_comments, floods_without_line_end, greets_and_half_closes, leaves,
    is_reset, is_no_client, drips, never_reads, is_late, talks_nonsense,
)  # fmt: skip


async def pester(port: int, behave: Behaviour, rng: random.Random) -> None:
    """Behave so on one connection after the other, for ever."""
    while True:
        try:
            with trio.move_on_after(_STAY_S):
                stream = await trio.open_tcp_stream("127.0.0.1", port)
                async with stream:
                    if behave is greets_and_half_closes:
                        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
                    await behave(stream, rng)
        except (OSError, trio.BrokenResourceError):
            pass  # turned away, or the seat is taken
        await trio.sleep(rng.uniform(0.01, 0.1))
