"""Two hundred hostile WebSockets at a room where two play: memory stays bounded, and nobody waits long.

``python -m tests.stress.websockets [--hostile N]``: the room is a process of its own, those who do harm are a
second.  The two first play undisturbed for a fifth of the time, then for as long beside processes that only
count, one for each processor: what programs take that have nothing to do with the room is not its fault.
"""

import os
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import trio

from server.room.web.seat import LONGEST
from tests.stress.common import Stress, begin, folder, main, role, usage
from tests.support.room_fuzz import text_frame
from tests.support.rooms import Guest
from tests.support.tables import split_state
from tests.support.web import Rejected, WebSocket

_MOST_MEMORY_MIB: Final = 150
_COUNTS: Final = (sys.executable, "-c", "while True: pass")
_PERSON, _PEST = "127.0.0.1", "127.0.0.2"
"""Where people and those who do harm come from: limits are those of an address."""

_PART: Final = text_frame(b"x" * LONGEST, first=0x00)

Harm = Callable[[WebSocket], Awaitable[None]]


async def _asks_and_never_reads(socket: WebSocket) -> None:
    while True:
        await socket.stream.send_all(text_frame(b"#list\r\n") * 20)


async def _says_much(socket: WebSocket) -> None:
    while True:
        await socket.stream.send_all(text_frame(b"#join a\r\n" * 100))


async def _never_ends_a_message(socket: WebSocket) -> None:
    await socket.stream.send_all(text_frame(b"x" * 100, first=0x01))
    while True:
        await socket.stream.send_all(_PART)


async def _pings(socket: WebSocket) -> None:
    while True:
        await socket.stream.send_all(text_frame(b"x" * 125, first=0x89) * 50)


async def _compresses(socket: WebSocket) -> None:
    await socket.stream.send_all(text_frame(bytes(1000), first=0xC1))
    await trio.sleep(1)


async def _announces_a_gigabyte(socket: WebSocket) -> None:
    await socket.stream.send_all(b"\x81\xff" + (2**30).to_bytes(8, "big") + bytes(4))
    while True:
        await socket.stream.send_all(bytes(65536))


_HARMS: Final = (
    _asks_and_never_reads, _says_much, _never_ends_a_message, _pings, _compresses, _announces_a_gigabyte,
)  # fmt: skip


async def _pest(http: int, harm: Harm, dice: random.Random) -> None:
    """Does harm, and comes again whenever it is thrown out."""
    while True:
        path = dice.choice(("/seat", "/api/v1/seat"))
        try:
            stream = await trio.open_tcp_stream(_PERSON, http, local_address=_PEST)
            async with stream:
                with trio.move_on_after(5):
                    socket = WebSocket(stream, path, f"localhost:{http}")
                    await socket.open()
                    await harm(socket)
        except (OSError, trio.BrokenResourceError, Rejected):
            pass
        await trio.sleep(0.05)


async def _pests(http: int, hostile: int, seed: int) -> None:
    dice = random.Random(seed)
    async with trio.open_nursery() as nursery:
        for number in range(hostile):
            nursery.start_soon(_pest, http, _HARMS[number % len(_HARMS)], dice)
        async for _ in trio.lowlevel.FdStream(0):
            pass
        nursery.cancel_scope.cancel()


async def _person(port: int, waits: list[float]) -> None:
    """Calls hand after hand; keeps how long each answer of the room within a hand took."""
    guest = Guest(await trio.open_tcp_stream(_PERSON, port))
    await guest.sit_down("a")
    answered, last = 0.0, -1

    def call(betting: str) -> str:
        nonlocal answered, last
        hand = split_state(guest.lines[-1])[1]
        if hand == last:
            waits.append(trio.current_time() - answered)
        answered, last = trio.current_time(), hand
        return "c"

    await guest.play_hands(1 << 30, call)


async def _run(stress: Stress, room: int, port: int, http: int) -> str:
    waits: list[float] = []
    figures = []
    phases = {
        "alone": (1, 0, 0), "beside counting": (1, os.cpu_count() or 1, 0),
        "attacked": (3, 0, stress.arguments.hostile),
    }  # fmt: skip
    async with trio.open_nursery() as people:
        people.start_soon(_person, port, waits)
        people.start_soon(_person, port, waits)
        for fifths, counting, hostile in phases.values():
            words = ("--role", "pests", "--http", http, "--hostile", hostile, "--seed", stress.seed)
            waits.clear()
            memory = 0
            with role("websockets", *words) as pests:
                async with trio.open_nursery() as beside:
                    for _ in range(counting):
                        beside.start_soon(trio.run_process, _COUNTS)
                    deadline = trio.current_time() + 12 * stress.minutes * fifths
                    while trio.current_time() < deadline:
                        await trio.sleep(1)
                        taken = usage(room)
                        assert taken is not None, "the room has ended"
                        memory = max(memory, taken.memory_kib)
                    beside.cancel_scope.cancel()
                assert pests.stdin is not None
                pests.stdin.close()
            waits.sort()
            figures.append((waits[int(0.99 * len(waits))], waits[-1], memory / 1024, len(waits)))
        people.cancel_scope.cancel()
    (alone, *_), (busy, *_), (attacked, _, most, _) = figures
    if attacked > 2 * max(alone, busy):
        stress.find("people wait", f"p99 {1000 * attacked:.1f} ms, {1000 * max(alone, busy):.1f} without")
    if most > _MOST_MEMORY_MIB:
        stress.find("memory", f"{most:.0f} MiB")
    return "; ".join(
        f"{name}: p99 {1000 * p99:.1f} ms, longest {1000 * longest:.0f} ms, {most:.0f} MiB, {number} waits"
        for name, (p99, longest, most, number) in zip(phases, figures, strict=True)
    )


def script() -> int:
    """The script."""
    stress = begin(
        "websockets", __doc__, 10,
        ("hostile", int, 200, "WebSockets"), ("role", str, "", "pests or nothing"), ("http", int, 0, ""),
    )  # fmt: skip
    if stress.arguments.role == "pests":
        trio.run(_pests, stress.arguments.http, stress.arguments.hostile, stress.seed)
        return 0
    with folder() as place, role("room_soak", "--role", "house", "--place", Path(place)) as room:
        assert room.stdin is not None
        assert room.stdout is not None
        try:
            port, http = map(int, room.stdout.readline().split())
            return stress.end(trio.run(_run, stress, room.pid, port, http))
        finally:
            room.stdin.close()
            room.wait(30)


if __name__ == "__main__":
    main(script)
