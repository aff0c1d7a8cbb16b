"""Policy `fold`: what becomes of a seat whose player is late or gone, and of players who come back."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from server.errors import FailureKind
from server.table.config import TimeLimits
from tests.support.tables import (
    Player,
    Table,
    always,
    folding_config,
    hands_logged,
    lines_told,
    state_determined,
    table_of,
)

DISCONNECTED, STALLED = FailureKind.DISCONNECTED, FailureKind.STALLED


async def rejoin(table: Table, seat: int, *lines: str) -> Player:
    """Take a seat again as soon as its port is open."""
    while True:
        try:
            return await table.join(seat, *lines)
        except OSError:
            assert not table.is_over
            await trio.sleep(0.01)


async def test_a_seat_that_was_left_folds_until_it_is_taken_again_and_shown_the_state(tmp_path: Path) -> None:
    config = folding_config(hands=4, log_path=tmp_path / "log")
    async with table_of(config) as table:
        first, second = await table.join_all()
        await first.heard("MATCHSTATE:0:0::Ah|")
        await second.heard("MATCHSTATE:1:0::|Ks")
        await second.leave()
        await first.answer("r")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|")
        await first.heard("MATCHSTATE:1:1::|Qs", "MATCHSTATE:1:1:c:|Qs")
        back = await rejoin(table, 1)

        await back.heard("MATCHSTATE:0:1:c:Qh|")

        table.start_soon(back.play, always(config.game, "c"))
        await first.answer("c")
        await first.play(always(config.game, "c"))
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 4)
    assert table.failures(1) == [DISCONNECTED]
    assert first.lines == lines_told(config)[0]
    assert back.lines == lines_told(config)[1][-len(back.lines) :]
    comments = [line for line in (tmp_path / "log").read_text().splitlines()[4:] if line.startswith("#")]
    assert comments[0].startswith("# seat 2 (p1) disconnected: ")
    assert comments[1].startswith("# seat 2 (p1) is taken again")
    assert len(comments) == 2


async def test_a_seat_may_be_left_and_taken_many_times(tmp_path: Path) -> None:
    config = folding_config("kuhn.limit.3p", hands=60, log_path=tmp_path / "log")
    async with table_of(config) as table:
        honest = await table.join_all(0, 2)
        for player in honest:
            table.start_soon(player.play, state_determined(config.game))
        decide = state_determined(config.game)
        while not table.is_over:  # without anybody to wait for, sixty hands last some 50 ms
            try:
                player = await table.join(1)
                for _ in range(10):
                    line = await player.line()
                    if line is None:
                        break
                    if action := decide(line):
                        await player.say(f"{line}:{action}")
                await player.leave()
            except (OSError, trio.BrokenResourceError):  # its port was closed
                await trio.sleep(0.001)
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 60)
    assert set(table.failures(1)) == {DISCONNECTED}
    assert honest[0].lines == lines_told(config)[0]
    assert honest[1].lines == lines_told(config)[2]


async def test_a_late_player_keeps_its_seat_and_is_asked_again_when_it_has_spoken(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = folding_config(hands=6, response=10.0, log_path=tmp_path / "log")
    async with table_of(config) as table:
        late, other = await table.join_all()
        await late.heard("MATCHSTATE:0:0::Ah|")
        await other.heard("MATCHSTATE:1:0::|Ks", "MATCHSTATE:1:0:c:|Ks")  # after 10 s the house checks
        await late.heard("MATCHSTATE:0:0:c:Ah|")
        await late.say("MATCHSTATE:0:0::Ah|:r")  # too late: it is stale
        await trio.sleep(1)
        await other.answer("c")

        await late.heard("MATCHSTATE:0:0:cc/:Ah|/Kh")
        await late.answer("r")

        await late.heard("MATCHSTATE:0:0:cc/r:Ah|/Kh")
        assert table.failures(0) == [STALLED]
        assert trio.current_time() < 13


async def test_a_late_player_is_not_waited_for_until_it_speaks(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = folding_config(hands=100, response=10.0, log_path=tmp_path / "log")
    async with table_of(config) as table:
        late, other = await table.join_all()
        table.start_soon(other.play, always(config.game, "c"))
        await late.hear_out()
        await late.leave()
        outcome = await table.outcome()

        assert outcome.hands == 100
        assert trio.current_time() < 13
    assert table.failures(0) == [STALLED]
    assert other.lines == lines_told(config)[1]
    assert late.lines == lines_told(config)[0]


async def test_who_is_late_three_times_in_a_row_loses_the_seat(virtual_clock: MockClock) -> None:
    config = folding_config("kuhn-2p", hands=20, response=10.0)
    async with table_of(config) as table:
        late, other = await table.join_all()
        is_on_turn = always(config.game, "c")
        answered_late = 0
        while answered_late < 3:
            for player in (late, other):
                line = await player.line()
                assert line is not None
                if is_on_turn(line) and player is other:
                    await other.answer("c")
                elif is_on_turn(line):
                    await trio.sleep(11)
                    await late.say(f"{line}:c")
                    answered_late += 1
        late.lines.clear()
        while await late.line() is not None:
            pass

    assert table.failures(0) == [STALLED] * 3


async def test_who_has_no_time_left_for_the_match_loses_the_seat_for_good(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    limits = TimeLimits(response=10.0, hand=1000.0, per_hand=2.0)
    config = folding_config(hands=4, limits=limits, log_path=tmp_path / "log")
    async with table_of(config) as table:
        slow, other = await table.join_all()
        await slow.heard("MATCHSTATE:0:0::Ah|")
        await trio.sleep(9)
        await slow.answer("c")
        assert await slow.line() is None
        with pytest.raises(OSError, match="all attempts to connect"):
            await table.join(0)
        await other.play(always(config.game, "c"))
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 4)
    assert table.failures(0) == [STALLED]
    assert len(hands_logged(config)) == 4


async def test_a_stranger_at_a_vacant_seat_changes_nothing() -> None:
    config = folding_config(hands=2, seat_tokens=(None, "s3cret"))
    async with table_of(config) as table:
        first = await table.join(0)
        second = await table.join(1, "#riverboat/1 token=s3cret seat")
        await second.heard("#riverboat/1 seat", "#seat 1", "MATCHSTATE:1:0::|Ks")
        await second.leave()
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.answer("r")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|")
        await first.heard("MATCHSTATE:1:1::|Qs", "MATCHSTATE:1:1:c:|Qs")
        for lines in (["#riverboat/1 token=guess"], ["x" * 5000]):
            stranger = await rejoin(table, 1, *lines)
            assert await stranger.hear_out() == []
            await stranger.leave()

        back = await rejoin(table, 1, "#riverboat/1 token=s3cret")

        await back.heard("#riverboat/1", "MATCHSTATE:0:1:c:Qh|")
    assert table.failures(1) == [DISCONNECTED]


async def test_all_players_may_leave(tmp_path: Path) -> None:
    config = folding_config("kuhn.limit.3p", hands=5, log_path=tmp_path / "log")
    async with table_of(config) as table:
        for player in await table.join_all():
            await player.line()
            await player.leave()
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 5)
    assert all(seat.failures for seat in outcome.seats)
    assert {record.betting for record in hands_logged(config)} == {"ccc"}
