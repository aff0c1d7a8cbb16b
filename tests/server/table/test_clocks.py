"""Time to think: of a response, a hand, a match (docs/acpc-dealer.md 5.8), on a clock that jumps."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock

from server.support.errors import FailureKind
from server.table.config import MatchConfig, TimeLimits
from tests.support.tables import Player, Table, always, match_config, play_match, seated

OUT_OF_TIME = "ERROR: seat 1 ran out of time\n"


def no_action(seconds: float, limit: float) -> str:
    return (
        f"ERROR: could not get action from seat 1\n{seconds:.1f} seconds spent waiting; timeout {limit:.1f}\n"
    )


@asynccontextmanager
async def begun(config: MatchConfig) -> AsyncIterator[tuple[Table, Player, Player]]:
    """A table of Leduc whose players have seen their first states; the first is to act."""
    async with seated(config) as (table, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await second.heard("MATCHSTATE:1:0::|Ks")
        yield table, first, second


async def test_silence_ends_the_match_after_the_response_time(virtual_clock: MockClock) -> None:
    async with begun(match_config()) as (table, first, second):
        start = trio.current_time()
        assert await first.line() is None
        assert 600 <= trio.current_time() - start < 602
        assert await second.line() is None
        outcome = await table.outcome()

    assert outcome.error == no_action(600, 600)
    assert table.failures(0) == [FailureKind.STALLED]


async def test_a_response_just_in_time_counts(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0, per_hand=10.0))) as (_, first, _):
        await trio.sleep(9.5)
        await first.answer("c")
        await first.heard("MATCHSTATE:0:0:c:Ah|")


@pytest.mark.parametrize(("hand_s", "per_hand_s"), [(15.0, 1000.0), (1000.0, 15.0)])
async def test_the_times_of_a_hand_and_of_a_match_add_up(
    hand_s: float, per_hand_s: float, virtual_clock: MockClock
) -> None:
    limits = TimeLimits(response=10.0, hand=hand_s, per_hand=per_hand_s)
    async with begun(match_config(limits=limits)) as (table, first, second):
        await trio.sleep(8)
        await first.answer("c")
        await second.heard("MATCHSTATE:1:0:c:|Ks")
        await trio.sleep(9)  # the other's time is not ours
        await second.answer("r")
        await first.heard("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")
        await trio.sleep(8)
        await first.answer("c")
        assert await first.line() is None
        outcome = await table.outcome()

    assert outcome.error == OUT_OF_TIME
    assert table.failures(0) == [FailureKind.STALLED]


@pytest.mark.parametrize(
    ("limits", "is_in_time"),
    [
        (TimeLimits(response=10.0, hand=15.0, per_hand=1000.0), True),
        (TimeLimits(response=10.0, hand=1000.0, per_hand=12.0), True),
        (TimeLimits(response=10.0, hand=1000.0, per_hand=7.0), False),
    ],
)
async def test_the_time_of_a_hand_begins_anew_and_that_of_the_match_does_not(
    limits: TimeLimits, is_in_time: bool, virtual_clock: MockClock
) -> None:
    async with begun(match_config(hands=2, limits=limits)) as (_, first, second):
        await trio.sleep(8)
        await first.answer("r")
        await second.heard("MATCHSTATE:1:0:r:|Ks")
        await second.answer("f")
        await second.heard("MATCHSTATE:1:0:rf:|Ks", "MATCHSTATE:0:1::Qh|")
        await second.answer("c")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|", "MATCHSTATE:1:1::|Qs")
        await first.heard("MATCHSTATE:1:1:c:|Qs")
        await trio.sleep(8)
        await first.answer("c")

        line = await first.line()

    assert line == ("MATCHSTATE:1:1:cc/:|Qs/Ks" if is_in_time else None)


async def test_junk_before_an_answer_is_not_charged_again_and_again(virtual_clock: MockClock) -> None:
    """The C dealer books each line's time since the state was sent: 2 + 4 + 6 + 8 seconds here."""
    limits = TimeLimits(response=10.0, hand=9.0, per_hand=1000.0)
    async with begun(match_config(limits=limits)) as (table, first, _):
        for _ in range(3):
            await trio.sleep(2)
            await first.say("junk")
        await trio.sleep(2)
        await first.answer("c")
        await first.heard("MATCHSTATE:0:0:c:Ah|")

    assert 8 <= table.server.seats[0].clock.in_hand < 8.5


@pytest.mark.parametrize("line", ["junk", "# thinking"])
async def test_a_line_restarts_the_wait_but_not_the_clock(line: str, virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0))) as (table, first, _):
        await trio.sleep(6)
        await first.say(line)
        await trio.sleep(6)
        await first.answer("c")
        assert await first.line() is None
        outcome = await table.outcome()

    assert outcome.error == OUT_OF_TIME


async def test_comments_without_end_are_silence(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0))) as (table, first, _):
        start = trio.current_time()
        with contextlib.suppress(trio.BrokenResourceError):
            for _ in range(20):
                await first.say("# thinking")
                await trio.sleep(3)
        assert await first.line() is None
        assert trio.current_time() - start < 30
        outcome = await table.outcome()

    assert outcome.error is not None
    assert table.failures(0) == [FailureKind.STALLED]


async def test_drips_are_silence(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0))) as (table, first, _):
        for byte in b"MATCHSTATE:0":
            await first.stream.send_all(bytes([byte]))
            await trio.sleep(1)
        assert await first.line() is None
        outcome = await table.outcome()

    assert outcome.error == no_action(10, 10)


async def test_the_trace_tells_seconds_after_every_hundredth_hand() -> None:
    config = match_config("kuhn-2p", hands=202, quiet=False)

    table, _ = await play_match(config, [always(config.game, "c")] * 2)

    lines = [line for line in table.console.stderr.splitlines() if line.startswith("Seconds")]
    assert lines == [f"Seconds cumulatively spent in match for seat {seat}: 0" for seat in (0, 1)] * 3


async def test_the_first_decision_of_a_seat_may_take_longer(virtual_clock: MockClock) -> None:
    limits = TimeLimits(response=10.0, first_response=60.0, hand=30.0, per_hand=20.0)
    async with begun(match_config(hands=2, limits=limits)) as (table, first, second):
        await trio.sleep(55)
        await first.answer("c")
        await second.line()
        clock = table.server.seats[0].clock

        assert (clock.in_hand, clock.in_match) == (10.0, 10.0)  # the rest of it is on nobody's clock
        assert clock.left() == 10.0
        await table.outcome()


async def test_the_second_decision_of_a_seat_may_not(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0, first_response=60.0))) as (
        table,
        first,
        second,
    ):
        await first.answer("r")
        await second.line()
        await second.answer("r")
        start = trio.current_time()
        await second.hear_out()  # until the match has ended
        waited = trio.current_time() - start
        await table.outcome()

    assert waited == pytest.approx(10, abs=2)
    assert table.failures(0) == [FailureKind.STALLED]
