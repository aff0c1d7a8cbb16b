"""What is said beyond the ACPC's protocol, in ``#`` lines, and to whom: `protocol.extension`."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from engine.poker.rules import parse_game
from server.table.config import TimeLimits
from tests.support.tables import always, match_config, seated


async def test_a_client_that_greets_is_told_what_it_asks_for_and_no_other_is() -> None:
    config = match_config(hands=3)
    async with seated(config, "#riverboat/1 names tea seat game seat") as (table, (asking, plain)):
        table.start_soon(plain.play, always(config.game, "c"))
        await asking.play(always(config.game, "c"))

    greeting, *notes = asking.lines[:4]
    assert greeting == "#riverboat/1 names seat game"
    told = dict(note.removeprefix("#").split(" ", 1) for note in notes)
    assert (told["seat"], told["names"]) == ("0", "p0|p1")
    assert parse_game(told["game"].replace(";", "\n")) == config.game
    assert not any(line.startswith("#") for line in [*asking.lines[4:], *plain.lines])


async def test_the_clock_is_told_before_each_turn_and_counts_down(virtual_clock: MockClock) -> None:
    limits = TimeLimits(response=10.0, hand=15.0, per_hand=100.0)
    config = match_config(limits=limits)
    async with seated(config, "#riverboat/1 clock") as (table, (asking, plain)):
        table.start_soon(plain.play, always(config.game, "r"))
        await asking.heard("#riverboat/1 clock", "#clock 10", "MATCHSTATE:0:0::Ah|")
        await trio.sleep(9)
        await asking.answer("c")
        await asking.heard("MATCHSTATE:0:0:c:Ah|")

        clock = await asking.line()
        await asking.heard("MATCHSTATE:0:0:cr:Ah|")

    assert clock is not None
    name, seconds = clock.split()
    assert name == "#clock"
    assert 5.8 < float(seconds) <= 6.0


async def test_a_greeting_may_come_with_an_answer() -> None:
    async with seated(match_config()) as (_, (late, _)):
        await late.heard("MATCHSTATE:0:0::Ah|")
        await late.say("#riverboat/1 seat", "MATCHSTATE:0:0::Ah|:r")
        await late.heard("#riverboat/1 seat", "#seat 0", "MATCHSTATE:0:0:r:Ah|")
        await late.leave()
