"""Fuzzing a room: nonsense for its lobby and its pages, and checks of the answers."""

import random
import re
from collections.abc import Callable
from typing import Final

import trio

from protocol.agents.openapi import ROOT
from tests.support.rooms import OpenRoom
from tests.support.web import OpenPages, WebSocket

_LINES: Final = (
    "#list", "#join a", "#join a 100", "#join any", "#join e", "#join a -1",
    "#join a 99999999999999999999", "#join",
    "#leave", "#sit-out", "#sit-in", "#top-up 10", "#top-up -10", "#top-up 1e9", "#name=Ann", "#name=<b>",
    "#name=", "#token=guess", "#riverboat/1 lobby name=Ann", "VERSION:2.0.0", "MATCHSTATE:0:0::|AsKs:c",
    "MATCHSTATE:", "MATCHSTATE:0:1:cc:|AsKs:r99999999999", "#" + "x" * 5000, "", "#join a\x00", "#policy 1",
    "STATE:0:c:AsKs|2c2d:0|0:a|b",
)  # fmt: skip
_ACTS: Final = (
    '{"sit": {"table": "a"}}', '{"sit": {"table": "a", "chips": 100}}', '{"sit": {"table": 7}}',
    '{"act": {"turn": "1.1", "action": "call"}}', '{"act": {"turn": "1", "action": "raise", "to": 1e999}}',
    '{"act": {"turn": null, "amount": 99999999999999999999}}', '{"top_up": {"chips": -1}}', '{"leave": true}',
    "{}", "[]", "null", "[" * 3000, r'{"a": "\ud800"}',
)  # fmt: skip
_PATHS: Final = (
    "/", "/tables.json", "/tables/a", "/tables/a/hands", "/tables/a/hands/0", "/tables/a/hands/99999",
    "/tables/a/hands?before=3", "/standings", "/players/Ann", "/static/style.css", "/static/../pages.py",
    "/seat", "/healthz", "/metrics", "/tables/%00", "/tables/" + "a" * 3000, "/%", "//", "/tables/a/events/x",
    "*", "",
)  # fmt: skip
_METHODS: Final = ("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW", "get")
_HEADERS: Final = (
    "upgrade: websocket", "connection: upgrade", "sec-websocket-key: AAAA", "content-length: 5",
    "content-length: -1", "transfer-encoding: chunked", "range: bytes=0-1", "origin: http://evil", "host: y",
    "cookie: " + "x" * 2000, "last-event-id: 7", "authorization: Bearer x", ": x", "\x00: y",
)  # fmt: skip
_STATE: Final = re.compile(rb"MATCHSTATE:(\d+):(\d+):[^:\r]*:([^/\r:]*)")
_BURST: Final = 40
"""The most lines sent in one connection."""
_PATIENCE_S: Final = 10.0
"""The longest time an answer may take."""


def spoilt(text: bytes, dice: random.Random) -> bytes:
    """Some bytes with random changes, deletions, repetitions and insertions; unchanged half of the time."""
    data = bytearray(text)
    while data and dice.random() < 0.5:
        at = dice.randrange(len(data))
        match dice.randrange(4):
            case 0:
                data[at] = dice.randrange(256)
            case 1:
                del data[at : at + dice.randint(1, 8)]
            case 2:
                data[at:at] = data[: dice.randint(1, 20)]
            case _:
                data[at:at] = bytes(dice.randrange(256) for _ in range(dice.randint(1, 8)))
    return bytes(data)


async def fuzz_lobby(
    room: OpenRoom, lines: int, dice: random.Random, find: Callable[[str, str], None]
) -> None:
    """Send some lines to the lobby, up to a few dozen in each connection.

    Args:
        room: the room.
        lines: the number of lines.
        dice: the source of random numbers.
        find: called with the kind of each fault found, and its details.
    """
    while lines > 0:
        with trio.move_on_after(_PATIENCE_S) as patience:
            stream = await trio.open_tcp_stream("127.0.0.1", room.addresses.port)
            async with stream, trio.open_nursery() as nursery:
                nursery.start_soon(_read_states, stream, room, find)
                said = min(lines, _BURST)
                words = [dice.choice(_LINES).encode("utf-8", "surrogateescape") for _ in range(said)]
                text = b"".join(spoilt(each, dice) + b"\r\n" for each in words)
                try:
                    await stream.send_all(
                        b"VERSION:2.0.0\r\n#riverboat/1 lobby seat names game stacks\r\n" + text
                    )
                    await stream.send_eof()
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    pass  # being turned away is an answer, too
                lines -= said
        if patience.cancelled_caught:
            find("a client that has sent its last line is kept", repr(text)[:500])


async def _read_states(stream: trio.SocketStream, room: OpenRoom, find: Callable[[str, str], None]) -> None:
    """Read to the end; before a hand is over, only the client's own cards may be sent."""
    heard = b""
    try:
        async for data in stream:
            heard += data
            for position, hand, holes in _STATE.findall(heard):
                others = [
                    hole for place, hole in enumerate(holes.split(b"|")) if hole and place != int(position)
                ]
                if others and not any(room.room.ledger.hands_from("a", int(hand), 1)):
                    find("cards of others before the end of a hand", repr(heard[-500:]))
            heard = heard[heard.rfind(b"\n") + 1 :]
    except trio.BrokenResourceError:
        pass


async def fuzz_frames(
    pages: OpenPages, frames: int, dice: random.Random, find: Callable[[str, str], None]
) -> None:
    """Send some WebSocket frames to the seats of people and of agents, up to a few dozen in each connection.

    Args:
        pages: the room with its pages.
        frames: the number of frames.
        dice: the source of random numbers.
        find: called with the kind of each fault found, and its details.
    """
    while frames > 0:
        said, sent, path = min(frames, _BURST), b"", dice.choice(("/seat", f"{ROOT}/seat"))
        with trio.move_on_after(_PATIENCE_S) as patience:
            stream = await trio.open_tcp_stream("127.0.0.1", pages.port)
            async with stream, trio.open_nursery() as nursery:
                client = WebSocket(stream, path, f"127.0.0.1:{pages.port}")
                await client.open()
                nursery.start_soon(_read_states, stream, pages.room, find)
                sent = b"".join(spoilt(_frame(dice), dice) for _ in range(said))
                try:
                    await stream.send_all(sent)
                    await stream.send_eof()
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    pass  # being turned away is an answer, too
        if patience.cancelled_caught:
            find("a WebSocket that has sent its last frame is kept", repr(sent)[:500])
        frames -= said


def _frame(dice: random.Random) -> bytes:
    """A masked frame: a line or JSON as text, the same as bytes, a part, a ping, a close."""
    text = dice.choice((*_LINES, *_ACTS)).encode("utf-8", "surrogateescape")
    first = dice.choice((0x81, 0x81, 0x81, 0x82, 0x01, 0x80, 0x89, 0x8A, 0x88, 0xC1, 0x83))
    size = len(text) if dice.random() < 0.9 else dice.choice((0, 126, 127, 2**16, 2**40, 2**63))
    return text_frame(text, first, size, dice.randbytes(4))


def text_frame(text: bytes, first: int = 0x81, size: int | None = None, mask: bytes = bytes(4)) -> bytes:
    """A masked frame with a text; its first byte, size and mask may be others."""
    size = len(text) if size is None else size
    if size < 126:
        length = bytes([0x80 | size])
    else:
        length = b"\xfe" + size.to_bytes(2, "big") if size < 2**16 else b"\xff" + size.to_bytes(8, "big")
    return bytes([first]) + length + mask + bytes(a ^ mask[k % 4] for k, a in enumerate(text))


def request(dice: random.Random) -> bytes:
    """A random HTTP request, valid or not."""
    path = dice.choice(_PATHS)
    lines = [
        f"{dice.choice(_METHODS)} {path} HTTP/1.{dice.choice('1110')}",
        "host: localhost",
        "connection: close",
    ]
    lines += dice.choices(_HEADERS, k=dice.randrange(3))
    return spoilt("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n", dice)


async def fuzz_pages(
    pages: OpenPages, requests: int, dice: random.Random, find: Callable[[str, str], None]
) -> None:
    """Make some requests, each in a connection of its own.

    Args:
        pages: the room with its pages.
        requests: the number of requests.
        dice: the source of random numbers.
        find: called with the kind of each fault found, and its details.
    """
    table = pages.room.room.tables["a"]
    for _ in range(requests):
        data = request(dice)
        answer = b""
        with trio.move_on_after(_PATIENCE_S) as patience:
            async with await trio.open_tcp_stream("127.0.0.1", pages.port) as stream:
                try:
                    await stream.send_all(data)
                    await stream.send_eof()
                    async for part in stream:
                        answer += part
                except trio.BrokenResourceError:
                    pass
        if patience.cancelled_caught:
            find("a request is not answered", repr(data)[:500])
        if re.match(rb"HTTP/1.[01] 500", answer) or b"Traceback" in answer or b'File "' in answer:
            find("a fault is shown", f"{data[:300]!r}\n{answer[:500]!r}")
        told = re.search(rb"<h1>Hand (\d+) of a</h1>", answer)
        if told is None and re.search(rb'class="card', answer):
            find("a card on a page that has none", repr(data)[:300])
        if told is not None and int(told.group(1)) not in {
            hand.number for hand in pages.room.room.ledger.hands_from("a", int(told.group(1)), 1)
        }:
            find("a hand that is not over", f"{data[:300]!r} {table.hands_played}")
