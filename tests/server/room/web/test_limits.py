"""What one browser may send, and what the room spends on it: sizes, rates, and time all have a bound."""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path

import pytest
import trio
from wsproto.frame_protocol import Opcode

from server.room.web.seat import LONGEST
from tests.support.room_fuzz import text_frame
from tests.support.rooms import room_config, until
from tests.support.web import OpenPages, pages_of

_HANDSHAKE = (
    "GET /seat HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\n"
    "sec-websocket-extensions: permessage-deflate; client_max_window_bits\r\n\r\n"
)


def frame(opcode: Opcode, payload: bytes, *, is_last: bool = True, is_compressed: bool = False) -> bytes:
    """A frame from a client, masked with zeros."""
    return text_frame(payload, opcode | is_last << 7 | is_compressed << 6)


async def upgraded(pages: OpenPages) -> trio.abc.Stream:
    """A connection that speaks frames, and has asked for compression in vain."""
    stream = await pages.connect()
    await stream.send_all(_HANDSHAKE.encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += await stream.receive_some()
    assert answer.startswith(b"HTTP/1.1 101")
    assert b"extensions" not in answer.lower()
    return stream


async def heard(stream: trio.abc.Stream, seconds: float = 5.0) -> bytes:
    """Everything that arrives until the server closes, which it has to do in time."""
    answer = b""
    with trio.fail_after(seconds):
        try:
            while data := await stream.receive_some():
                answer += data
        except trio.BrokenResourceError:
            pass  # closed before it had read all that we sent
    return answer


def open_sockets() -> int:
    """How many sockets this process has; a thread may open and close files at any time."""
    count = 0
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the list itself
            count += os.readlink(f"/proc/self/fd/{number}").startswith("socket:")
    return count


async def flood(stream: trio.abc.Stream, data: bytes, pieces: int) -> None:
    """Send the same again and again, until it is all sent or the server has closed."""
    try:
        for _ in range(pieces):
            await stream.send_all(data)
    except trio.BrokenResourceError:
        pass


async def test_nothing_that_a_browser_sends_is_ever_inflated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(bytes(10_000_000)) + packer.flush(zlib.Z_SYNC_FLUSH)
    async with pages_of(room_config(tmp_path)) as pages:
        stream = await upgraded(pages)
        monkeypatch.setattr(zlib, "decompressobj", None)
        await flood(stream, frame(Opcode.TEXT, bomb, is_compressed=True), 1)
        await heard(stream)
        assert pages.room.console.stderr == ""


@pytest.mark.parametrize("opcode", [Opcode.TEXT, Opcode.BINARY])
@pytest.mark.parametrize("size", [LONGEST + 1, 300, 1_000_000])
async def test_a_message_without_end_ends_the_connection(tmp_path: Path, opcode: Opcode, size: int) -> None:
    async with pages_of(room_config(tmp_path, requests_per_second=1e6)) as pages:
        stream = await upgraded(pages)
        async with trio.open_nursery() as nursery:
            first, more = (frame(each, b" " * size, is_last=False) for each in (opcode, Opcode.CONTINUATION))
            nursery.start_soon(flood, stream, first + more * 100, 1)
            await heard(stream)
            nursery.cancel_scope.cancel()


async def test_frames_are_read_as_fast_as_lines_and_an_address_has_ten_clients_share(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, requests_per_second=4.0)) as pages:
        counts = []

        async def ask(stream: trio.abc.Stream) -> None:
            got = 0
            with trio.move_on_after(1.0):
                while data := await stream.receive_some():
                    got += data.count(bytes([0x80 | Opcode.PONG, 0]))
            counts.append(got)

        async with trio.open_nursery() as nursery:
            for _ in range(20):
                stream = await upgraded(pages)
                nursery.start_soon(flood, stream, frame(Opcode.PING, b"") * 1000, 1)
                nursery.start_soon(ask, stream)
        assert max(counts) <= 50  # ten seconds' share at once, and that of the second
        assert 200 <= sum(counts) <= 480  # the same for ten
        assert (await pages.get("/healthz")).status_code == 200


async def test_only_http_1_is_spoken(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        for opening in (
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, http2-settings, close\r\n"
            b"upgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n",
        ):
            stream = await pages.connect()
            await stream.send_all(opening)
            answer = await heard(stream, 10.0)
            assert not answer or answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 4")), answer[:80]


@pytest.mark.parametrize("size", ["content-length: 10000000", "transfer-encoding: chunked"])
async def test_a_request_with_a_body_is_refused_before_it_is_read(tmp_path: Path, size: str) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        stream = await pages.connect()
        await stream.send_all(f"GET /tables/a/events HTTP/1.1\r\nhost: localhost\r\n{size}\r\n\r\n".encode())
        assert (await heard(stream)).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "opening",
    [
        pytest.param(frame(Opcode.BINARY, b"x"), id="bytes instead of text"),
        pytest.param(frame(Opcode.TEXT, b"nonsense\r\n"), id="no version"),
    ],
)
async def test_a_seat_that_is_over_leaves_nothing_behind(tmp_path: Path, opening: bytes) -> None:
    """Frames that nobody reads any more once kept the connection for ever."""
    async with pages_of(room_config(tmp_path, requests_per_second=1e6)) as pages:
        await pages.get("/healthz")
        before = open_sockets()
        stream = await upgraded(pages)
        await flood(stream, opening + frame(Opcode.TEXT, b"more\r\n") * 500, 1)
        await heard(stream)
        await stream.aclose()
        await until(lambda: open_sockets() <= before)
