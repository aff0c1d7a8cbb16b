"""A room under nonsense, while people play: 100,000 lines, 10,000 requests, 100,000 WebSocket frames.

``python -m tests.stress.room``: no traceback, no card before its time, no chip made or lost; ledger and log
agree in the end.
"""

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import trio

from server.room.config import Policy
from server.table.config import TimeLimits
from server.table.rules.sit_and_go import DEFAULT_LEVELS, DEFAULT_PAYOUTS, SitAndGo
from tests.stress.common import Stress, begin, folder, main
from tests.support.room_fuzz import fuzz_frames, fuzz_lobby, fuzz_pages
from tests.support.rooms import OpenRoom, room_config, table_config
from tests.support.web import OpenPages, pages_of

_LINES = 100_000
_REQUESTS = 10_000
_FRAMES = 100_000
_AT_ONCE = 4


async def run(stress: Stress, place: Path) -> str:
    """All of it; what was done."""
    limits = TimeLimits(0.05, 600.0, 1e6, grace=0.0)
    config = room_config(
        place,
        table_config(limits=limits, keep_seat_s=0.3),
        table_config(
            "e",
            "nolimit-2p-100bb",
            limits=limits,
            keep_seat_s=0.3,
            policy=Policy.SIT_AND_GO,
            least=200,
            most=200,
            sit_and_go=SitAndGo(1500, DEFAULT_LEVELS, DEFAULT_PAYOUTS),
        ),
        requests_per_second=1e6,
        guesses_per_minute=1000,
        guest_chips=10_000_000,
    )
    done: Counter[str] = Counter()
    async with pages_of(config) as pages:
        async with trio.open_nursery() as playing:
            for name in ("Ann", "Bob", "Cid"):
                playing.start_soon(_play, pages, name)
            async with trio.open_nursery() as fuzzing:
                for number in range(_AT_ONCE):
                    fuzzing.start_soon(_fuzz, stress, "lines", fuzz_lobby, pages.room, _LINES, number, done)
                    fuzzing.start_soon(_fuzz, stress, "requests", fuzz_pages, pages, _REQUESTS, number, done)
                    fuzzing.start_soon(_fuzz, stress, "frames", fuzz_frames, pages, _FRAMES, number, done)
            playing.cancel_scope.cancel()
        if "Traceback" in pages.room.console.stderr:
            stress.find("a traceback", pages.room.console.stderr[-3000:])
        hands = pages.room.room.tables["a"].hands_played
    return f"{done['lines']} lines, {done['requests']} requests, {done['frames']} frames, {hands} hands"


async def _play(pages: OpenPages, name: str) -> None:
    """Somebody sits down and plays, again and again."""
    while True:
        try:
            guest = await pages.room.sit_down(words=f"name={name}", chips="100")
        except AssertionError:  # all seats are taken
            await trio.sleep(0.1)
            continue
        with contextlib.suppress(trio.BrokenResourceError):  # it was late, and has lost the seat
            await guest.play_hands(1 << 30)
        await guest.leave()


async def _fuzz(
    stress: Stress,
    what: str,
    fuzz: Callable[..., Awaitable[None]],
    at: OpenRoom | OpenPages,
    most: int,
    number: int,
    done: Counter[str],
) -> None:
    """One of those who do it at once: some of its part after the others."""
    dice, size = stress.generator(what, number), most // _AT_ONCE // 250
    for _ in range(250):
        if stress.is_over:
            return
        await fuzz(at, size, dice, stress.find)
        done[what] += size


def script() -> int:
    """The script."""
    stress = begin("room", __doc__, 20)
    with folder() as place:
        return stress.end(trio.run(run, stress, place))


if __name__ == "__main__":
    main(script)
