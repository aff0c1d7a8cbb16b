"""A seat with a token is its owner's: nothing that others do at its port is a failure or keeps it out."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from trio.testing import MockClock

from server.table.config import MatchConfig, OnFailure
from server.table.lobby import MAX_HANDSHAKES
from tests.support import tables

TOKEN = "s3cret-é"
OWNERS_GREETING = f"#riverboat/1 token={TOKEN} seat"


async def is_silent(stranger: tables.Player) -> None:
    """Nothing at all."""


async def says_its_version_only(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION)


async def speaks_http(stranger: tables.Player) -> None:
    await stranger.say("GET / HTTP/1.1", "Host: localhost", "")


async def hangs_up(stranger: tables.Player) -> None:
    await stranger.leave()


async def hangs_up_after_its_version(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION)
    await stranger.leave()


async def hangs_up_after_a_comment(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION, "# hello")
    await stranger.leave()


async def hangs_up_in_mid_line(stranger: tables.Player) -> None:
    await stranger.stream.send_all(b"VERSION:2.0.0\r\nGET / HTTP/1.1\r\n\r\n#riverb")
    await stranger.leave()


async def guesses(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION, "#riverboat/1 token=guess", OWNERS_GREETING)


async def greets_without(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION, "# hello", "#riverboat/1 seat")


async def comments_on_and_on(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION, *["# hello"] * 5000)


async def answers_at_once(stranger: tables.Player) -> None:
    await stranger.say(tables.VERSION, "MATCHSTATE:0:0::Ah|:r", OWNERS_GREETING)


async def speaks_of_no_version(stranger: tables.Player) -> None:
    await stranger.stream.send_all(b"x" * 5000)


STRANGERS = [
    is_silent, says_its_version_only, speaks_http, hangs_up, hangs_up_after_its_version,
    hangs_up_after_a_comment, hangs_up_in_mid_line, guesses, greets_without, comments_on_and_on,
    answers_at_once, speaks_of_no_version,
]  # fmt: skip
Behaviour = Callable[[tables.Player], Awaitable[None]]


def guarded_config(policy: OnFailure, hands: int = 1, log: Path | None = None) -> MatchConfig:
    return tables.match_config(hands=hands, seat_tokens=(TOKEN,), on_failure=policy, log_path=log)


async def send_stranger(table: tables.Table, behave: Behaviour) -> tables.Player:
    """Let somebody without the token come to the seat that has one."""
    stranger = await table.connect(0)
    with contextlib.suppress(trio.BrokenResourceError):
        await behave(stranger)
    return stranger


@pytest.mark.parametrize("policy", OnFailure)
@pytest.mark.parametrize("behave", STRANGERS)
async def test_nothing_that_a_stranger_does_keeps_the_owner_from_the_seat_or_is_a_failure(
    policy: OnFailure, behave: Behaviour, tmp_path: Path
) -> None:
    config = guarded_config(policy, hands=3, log=tmp_path / "log")
    async with tables.table_of(config) as table:
        other = await table.join(1)
        table.start_soon(other.play, tables.always(config.game, "c"))
        for _ in range(3):
            await send_stranger(table, behave)

        owner = await table.join(0, "# Here I am.", OWNERS_GREETING)

        await owner.heard("#riverboat/1 seat", "#seat 0")
        await owner.play(tables.always(config.game, "c"))
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 3)
    assert table.failures(0) == table.failures(1) == []
    assert owner.lines[2:] == tables.lines_told(config)[0]
    assert TOKEN not in table.console.stderr


@pytest.mark.parametrize("behave", STRANGERS)
async def test_a_stranger_is_turned_away_when_the_time_for_the_handshake_is_over_if_not_before(
    behave: Behaviour, virtual_clock: MockClock
) -> None:
    async with tables.table_of(guarded_config(OnFailure.ACPC)) as table:
        stranger = await send_stranger(table, behave)
        if "hangs_up" not in behave.__name__:
            heard = await stranger.hear_out()
            assert heard == [] or "riverboat play HOST PORT" in heard[-1]
        await trio.sleep(30.5 - trio.current_time())
        owner, _ = await table.join(0, OWNERS_GREETING), await table.join(1)
        await owner.heard("#riverboat/1 seat", "#seat 0", "MATCHSTATE:0:0::Ah|")

    assert "a client without the seat's token was turned away" in table.console.stderr
    assert table.failures(0) == []


async def test_the_owner_of_a_seat_that_was_left_finds_it_among_any_number_of_strangers(
    tmp_path: Path,
) -> None:
    config = tables.folding_config(
        "kuhn-2p", hands=2000, seat_tokens=(TOKEN,), log_path=tmp_path / "log",
    )  # fmt: skip
    async with tables.seated(config, OWNERS_GREETING) as (table, (owner, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        while await owner.line() != "#seat 0":
            pass
        await owner.leave()
        while not table.failures(0):
            await trio.lowlevel.checkpoint()
        come = 0
        while come < 3 * MAX_HANDSHAKES:
            with contextlib.suppress(OSError):  # the port is not open yet
                await send_stranger(table, STRANGERS[come % len(STRANGERS)])
                come += 1

        back = await table.join(0, OWNERS_GREETING)

        await back.heard("#riverboat/1 seat", "#seat 0")
        line = await back.line()
        assert line is not None
        assert line.startswith("MATCHSTATE:")


async def test_the_oldest_handshake_ends_when_there_are_too_many() -> None:
    async with tables.table_of(guarded_config(OnFailure.ACPC)) as table:
        strangers = [await send_stranger(table, is_silent) for _ in range(MAX_HANDSHAKES + 3)]

        for stranger in strangers[:3]:
            assert await stranger.line() is None
        with trio.move_on_after(0.05) as waiting:
            await strangers[3].line()
        assert waiting.cancelled_caught

        owner, _ = await table.join(0, OWNERS_GREETING), await table.join(1)
        await owner.heard("#riverboat/1 seat")
        for stranger in strangers[3:]:
            assert await stranger.line() is None


async def test_strangers_by_the_thousand_do_not_fill_the_operators_screen() -> None:
    async with tables.table_of(guarded_config(OnFailure.ACPC)) as table:
        for _ in range(1000):
            await (await send_stranger(table, speaks_http)).hear_out()

    said = [line for line in table.console.stderr.splitlines() if "turned away" in line]
    assert 1 <= len(said) <= 4
    assert said[-1].endswith("(1000 so far)")


async def test_at_an_open_seat_that_was_left_strangers_are_turned_away_too(tmp_path: Path) -> None:
    config = tables.folding_config(hands=2, log_path=tmp_path / "log")
    async with tables.seated(config) as (table, (first, second)):
        await second.heard("MATCHSTATE:1:0::|Ks")
        await second.leave()
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.answer("r")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|", "MATCHSTATE:1:1::|Qs")
        while True:
            with contextlib.suppress(OSError):
                browser = await table.connect(1)
                break
        await browser.say("GET / HTTP/1.1")
        mute = await table.connect(1)

        back = await table.join(1)

        await back.heard("MATCHSTATE:0:1:c:Qh|")
        assert (await browser.hear_out())[0] == "HTTP/1.0 400 Bad Request"
        assert not any(line.startswith("MATCHSTATE") for line in [*browser.lines, *await mute.hear_out()])

    assert len(table.failures(1)) == 1
