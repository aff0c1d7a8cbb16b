"""Policies `fair` and `patient`: players who are late or gone, and those who come back."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from server.support.errors import FailureKind
from server.table.config import MatchConfig, OnFailure, TimeLimits
from tests.support import tables

DISCONNECTED, NONSENSE, STALLED = FailureKind.DISCONNECTED, FailureKind.NONSENSE, FailureKind.STALLED


async def rejoin(table: tables.Table, seat: int, *lines: str) -> tables.Player:
    """Take a seat again as soon as its port is open."""
    while True:
        try:
            return await table.join(seat, *lines)
        except OSError:
            assert not table.is_over
            await trio.sleep(0.01)


async def test_a_seat_that_was_left_folds_until_it_is_taken_again_and_shown_the_state(tmp_path: Path) -> None:
    config = tables.folding_config(hands=4, log_path=tmp_path / "log")
    async with tables.seated(config) as (table, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await second.heard("MATCHSTATE:1:0::|Ks")
        await second.leave()
        await first.answer("r")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|")
        await first.heard("MATCHSTATE:1:1::|Qs", "MATCHSTATE:1:1:c:|Qs")
        back = await rejoin(table, 1)

        await back.heard("MATCHSTATE:0:1:c:Qh|")

        table.start_soon(back.play, tables.always(config.game, "c"))
        await first.answer("c")
        await first.play(tables.always(config.game, "c"))
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 4)
    assert table.failures(1) == [DISCONNECTED]
    assert first.lines == tables.lines_told(config)[0]
    assert back.lines == tables.lines_told(config)[1][-len(back.lines) :]
    comments = [line for line in (tmp_path / "log").read_text().splitlines()[4:] if line.startswith("#")]
    assert comments[0].startswith("# seat 2 (p1) disconnected: ")
    assert comments[1].startswith("# seat 2 (p1) is taken again")
    assert len(comments) == 2


async def test_a_late_player_keeps_its_seat_and_is_asked_again_when_it_has_spoken(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = tables.folding_config(hands=6, response=10.0, log_path=tmp_path / "log")
    async with tables.seated(config) as (table, (late, other)):
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


async def test_a_player_that_hangs_costs_three_answers_and_then_its_seat(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = tables.folding_config(hands=100, response=10.0, log_path=tmp_path / "log")
    async with tables.seated(config) as (table, (late, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        await late.hear_out()
        await late.leave()
        outcome = await table.outcome()

        assert outcome.hands == 100
        assert 30 <= trio.current_time() < 33
    assert table.failures(0) == [STALLED] * 3
    assert other.lines == tables.lines_told(config)[1]


@pytest.mark.parametrize("policy", [OnFailure.FAIR, OnFailure.PATIENT])
async def test_a_late_answer_costs_its_hand_and_not_those_after_it(
    virtual_clock: MockClock, policy: OnFailure
) -> None:
    """The table would have played all of them in the second by which it is late."""
    config = tables.folding_config("kuhn-2p", hands=20, response=10.0, on_failure=policy)
    async with tables.seated(config) as (table, (late, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        is_on_turn = tables.always(config.game, "c")
        decisions = 0
        while (line := await late.line()) is not None:
            if is_on_turn(line):
                await trio.sleep(11 if decisions == 2 else 0.1)
                await late.say(f"{line}:c")
                decisions += 1
        outcome = await table.outcome()

    assert (outcome.hands, outcome.seats[0].hands_by_default) == (20, 1)
    assert table.failures(0) == [STALLED]


async def test_a_patient_table_never_takes_the_seat_of_a_late_player(virtual_clock: MockClock) -> None:
    config = tables.folding_config("kuhn-2p", hands=6, response=10.0, on_failure=OnFailure.PATIENT)
    async with tables.seated(config) as (table, (late, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        is_on_turn = tables.always(config.game, "c")
        while (line := await late.line()) is not None:
            if is_on_turn(line):
                await trio.sleep(11)
                await late.say(f"{line}:c")
        outcome = await table.outcome()

    assert outcome.hands == 6
    assert len(table.failures(0)) == outcome.seats[0].hands_by_default == 6


def test_policies_have_the_names_of_earlier_versions_too() -> None:
    assert [OnFailure(name) for name in ("abort", "fold", "fair")] == [
        OnFailure.ACPC, OnFailure.FAIR, OnFailure.FAIR
    ]  # fmt: skip


async def test_a_player_who_is_late_three_times_in_a_row_loses_the_seat(virtual_clock: MockClock) -> None:
    config = tables.folding_config("kuhn-2p", hands=20, response=10.0)
    async with tables.seated(config) as (table, (late, other)):
        is_on_turn = tables.always(config.game, "c")
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


async def test_a_player_without_time_left_for_the_match_loses_the_seat_for_good(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    limits = TimeLimits(response=10.0, hand=1000.0, per_hand=2.0)
    config = tables.folding_config(hands=4, limits=limits, log_path=tmp_path / "log")
    async with tables.seated(config) as (table, (slow, other)):
        await slow.heard("MATCHSTATE:0:0::Ah|")
        await trio.sleep(9)
        await slow.answer("c")
        assert await slow.line() is None
        with pytest.raises(OSError, match="all attempts to connect"):
            await table.join(0)
        await other.play(tables.always(config.game, "c"))
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 4)
    assert table.failures(0) == [STALLED]
    assert len(tables.hands_logged(config)) == 4


async def test_a_stranger_at_a_vacant_seat_changes_nothing() -> None:
    config = tables.folding_config(hands=2, seat_tokens=(None, "s3cret"))
    async with tables.table_of(config) as table:
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
    config = tables.folding_config("kuhn.limit.3p", hands=5, log_path=tmp_path / "log")
    async with tables.table_of(config) as table:
        for player in await table.join_all():
            await player.line()
            await player.leave()
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 5)
    assert all(seat.failures for seat in outcome.seats)
    assert {record.betting for record in tables.hands_logged(config)} == {"ccc"}


# --- grace -----------------------------------------------------------------------------------------------


def graceful_config(hands: int, grace: float, log: Path, **changes: Any) -> MatchConfig:
    limits = TimeLimits(response=10.0, hand=3600.0, per_hand=3600.0, grace=grace)
    return tables.folding_config(hands=hands, limits=limits, log_path=log, **changes)


async def test_hands_are_folded_for_a_vacant_seat_when_its_time_of_grace_is_over(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = graceful_config(30, 5.0, tmp_path / "log")
    async with tables.seated(config) as (table, (first, second)):
        table.start_soon(first.play, tables.always(config.game, "c"))
        await second.heard("MATCHSTATE:1:0::|Ks")
        await second.leave()
        outcome = await table.outcome()
        assert 5 <= trio.current_time() < 7

    assert (outcome.error, outcome.hands) == (None, 30)
    assert outcome.seats[1].hands_by_default == 30


async def test_a_player_who_comes_back_in_time_is_asked_as_if_nothing_had_happened(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = graceful_config(3, 5.0, tmp_path / "log")
    async with tables.seated(config) as (table, (first, second)):
        table.start_soon(first.play, tables.always(config.game, "r"))
        await second.heard("MATCHSTATE:1:0::|Ks", "MATCHSTATE:1:0:r:|Ks")
        await second.leave()
        await trio.sleep(4)
        back = await rejoin(table, 1)
        await back.play(tables.always(config.game, "c"))
        outcome = await table.outcome()

    assert (outcome.error, outcome.hands) == (None, 3)
    assert outcome.seats[1].hands_by_default == 0
    assert all("f" not in record.betting for record in tables.hands_logged(config))
    assert back.lines == tables.lines_told(config)[1][-len(back.lines) :]
    assert first.lines == tables.lines_told(config)[0]


async def test_a_client_that_comes_and_goes_without_playing_has_one_time_of_grace(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = graceful_config(20, 5.0, tmp_path / "log")
    async with tables.table_of(config) as table:
        first = await table.join(0)
        table.start_soon(first.play, tables.always(config.game, "c"))
        while not table.is_over:
            try:
                visitor = await table.join(1)
                await trio.sleep(0.5)
                await visitor.leave()
            except (OSError, trio.BrokenResourceError):
                await trio.sleep(0.1)

        assert trio.current_time() < 8
    assert (await table.outcome()).hands == 20


async def test_waiting_for_a_seat_is_on_its_clock(virtual_clock: MockClock, tmp_path: Path) -> None:
    limits = TimeLimits(response=10.0, hand=1000.0, per_hand=2.0, grace=60.0)
    config = tables.folding_config(hands=10, limits=limits, log_path=tmp_path / "log")
    async with tables.seated(config) as (table, (first, second)):
        table.start_soon(first.play, tables.always(config.game, "c"))
        await second.line()
        await second.leave()
        outcome = await table.outcome()
        assert 60 <= trio.current_time() < 62
        assert table.server.seats[1].clock.is_used_up

    assert (outcome.error, outcome.hands) == (None, 10)


async def test_a_seat_whose_players_process_has_ended_is_not_waited_for(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = graceful_config(30, 3000.0, tmp_path / "log")
    async with tables.seated(config) as (table, (first, second)):
        table.start_soon(first.play, tables.always(config.game, "c"))
        await second.line()
        await second.leave()
        await trio.sleep(1)
        assert not table.is_over
        table.server.table.seating.expect_nobody(1)
        await table.outcome()

        assert trio.current_time() < 4


# --- lateness, and replies to other states ---------------------------------------------------------------


async def play_slowly(table: tables.Table, player: tables.Player) -> None:
    """Call a second after being asked, so that the hands are not over before somebody late is back."""
    with contextlib.suppress(trio.ClosedResourceError):  # at the end of the test
        while (line := await player.line()) is not None:
            if tables.is_to_act(table.config.game, line):
                await trio.sleep(1)
                await player.answer("c")


async def next_turn(table: tables.Table, player: tables.Player) -> str | None:
    """Read on to the next state in which a player is to act; None when it has lost its seat."""
    while (line := await player.line()) is not None and not tables.is_to_act(table.config.game, line):
        pass
    return line


async def test_lateness_is_not_inherited_with_the_seat(virtual_clock: MockClock) -> None:
    config = tables.folding_config("kuhn-2p", hands=1000, response=10.0)
    async with tables.table_of(config) as table:
        table.start_soon(play_slowly, table, await table.join(1))
        for _ in range(3):  # each of them is late twice, and keeps the seat
            player = await rejoin(table, 0)
            for _ in range(2):
                line = await next_turn(table, player)
                await trio.sleep(11)
                await player.say(f"{line}:c")
            await next_turn(table, player)
            await player.leave()

    assert table.failures(0)[:6] == [STALLED, STALLED, DISCONNECTED] * 2


async def test_a_player_who_answers_other_states_only_talks_nonsense(virtual_clock: MockClock) -> None:
    config = tables.folding_config("kuhn-2p", hands=1000, response=10.0)
    async with tables.table_of(config) as table:
        table.start_soon(play_slowly, table, await table.join(1))
        player = await table.join(0)
        first = await next_turn(table, player)
        await player.answer("c")
        while await next_turn(table, player):  # it had answered before: the first time it is merely late
            await player.say(f"{first}:c")
        parrot = await rejoin(table, 0)
        while await next_turn(table, parrot):
            await parrot.say(f"{first}:c")

    assert table.failures(0) == [STALLED, NONSENSE, NONSENSE] + 3 * [NONSENSE]
    assert "other states" in table.server.seats[0].failures[1].detail


async def test_nonsense_instead_of_an_answer_costs_that_hand(virtual_clock: MockClock) -> None:
    config = tables.folding_config("kuhn-2p", hands=20, response=10.0)
    async with tables.table_of(config) as table:
        table.start_soon(play_slowly, table, await table.join(1))
        player = await table.join(0)
        turns = 0
        while line := await next_turn(table, player):
            turns += 1
            await player.say("hello there" if turns == 3 else f"{line}:c")

    assert table.failures(0) == [NONSENSE]
    assert turns >= 20


async def test_one_whose_answers_come_too_late_each_time_is_merely_late(virtual_clock: MockClock) -> None:
    config = tables.folding_config("kuhn-2p", hands=1000, response=10.0)
    async with tables.table_of(config) as table:
        table.start_soon(play_slowly, table, await table.join(1))
        player = await table.join(0)
        with contextlib.suppress(trio.BrokenResourceError):
            while line := await next_turn(table, player):
                await trio.sleep(11)
                await player.say(f"{line}:c")

    assert table.failures(0) == [STALLED] * 3
