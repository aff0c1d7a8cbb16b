"""A table keeps its pace while a person sits there, and hurries when there is none."""

from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from tests.support.rooms import play_each, room_config, room_of, table_config

PACE_S, SHOWDOWN_S, HANDS = 0.4, 2.5, 4


async def seconds_for(folder: Path, words: str, **changes: Any) -> tuple[float, list[str]]:
    """How long some hands take on trio's clock, and how they were played."""
    table = table_config(pace_s=PACE_S, showdown_s=SHOWDOWN_S, **changes)
    async with room_of(room_config(folder, table)) as room:
        guests = [await room.sit_down(words=f"name={name} {words}") for name in ("Ann", "Bob")]
        began = trio.current_time()
        await room.play(guests, HANDS)
        seconds = trio.current_time() - began
        return seconds, [hand.line for hand in room.room.ledger.hands_from("a", 0, HANDS)]


async def test_an_action_and_the_end_of_a_hand_stand_for_a_person(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    seconds, lines = await seconds_for(tmp_path / "person", "person")
    actions = sum(line.split(":")[2].count("c") for line in lines)
    expected = PACE_S * actions + SHOWDOWN_S * (HANDS - 1)  # nobody waits for the end of the last hand
    assert expected - 0.01 <= seconds <= expected + 1.0

    assert (await seconds_for(tmp_path / "bots", ""))[0] < 1.0
    assert (await seconds_for(tmp_path / "show", "", exhibition=True))[0] == pytest.approx(seconds, abs=1.0)


async def test_the_clock_of_a_question_does_not_run_while_an_action_stands(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    limits = attrs.evolve(table_config().limits, response=1.0)
    table = table_config(pace_s=5.0, showdown_s=30.0, limits=limits)
    async with room_of(room_config(tmp_path, table)) as room:
        guests = [await room.sit_down(words=f"name={name} person clock") for name in ("Ann", "Bob")]
        await room.play(guests, 2)
        assert {guest.notes["clock"] for guest in guests} == {"1"}
        places = room.room.tables["a"].places
        assert all(place.seat.failures == [] for place in places if place is not None)


async def test_a_time_bank_is_a_person_s_and_is_used_up_once(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    limits = attrs.evolve(table_config().limits, response=2.0)
    async with room_of(room_config(tmp_path, table_config(time_bank_s=3.0, limits=limits))) as room:
        slow = await room.sit_down(words="name=Ann person clock")
        other = await room.sit_down(words="name=Bob clock")
        room.start_soon(play_each, [other])
        clocks = []
        for seconds in (1.0, 4.0, 0.0):  # in time, 2 s from the bank, and with what is left of it
            await slow.until_asked()
            clocks.append(float(slow.notes["clock"]))
            await trio.sleep(seconds)
            await slow.say(f"{slow.lines[-1]}:c")
        assert clocks == [5.0, 5.0, 3.0]
        assert other.notes["clock"] == "2"
        place = room.room.tables["a"].places[0]
        assert place is not None
        assert place.seat.failures == []
        await slow.until_asked()
        await trio.sleep(4.0)  # the bank is spent: the house acts
        assert [str(each.kind) for each in place.seat.failures] == ["stalled"]
        assert place.seat.clock.bank == 0.0
        told = await slow.until("#message")
        assert told.startswith("#message your time is up: the house has acted for you")
        await slow.say("#sit-in")
        await slow.until_asked()
        assert not any(line.startswith("#message") for line in other.lines)


async def test_a_seat_can_be_chosen_if_it_is_free(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        ann = await room.sit_down(words="name=Ann", chips="100 seat=4")
        assert [place and place.player.name for place in room.room.tables["a"].places][3] == "Ann"
        bob = await room.enter("name=Bob")
        for words, why in (
            ("seat=4", "seat 4 of a is not free"), ("seat=7", "seat 7 of a is not free"),
            ("seat=x", "expected a whole number of seat, got 'x'"), ("seat=0", "seat 0 of a is not free"),
        ):  # fmt: skip
            await bob.say(f"#join a {words}")
            assert await bob.until("#refused") == f"#refused {why}"
        await ann.leave()


async def test_a_player_who_asks_between_hands_is_heard_while_the_end_stands(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with room_of(room_config(tmp_path, table_config(showdown_s=60.0, exhibition=True))) as room:
        ann, bob = await room.seated("Ann", "Bob")
        await play_each([ann, bob], 1, lambda betting: "f")
        began = trio.current_time()
        await ann.say("#show 7", "#show 0")
        told = await bob.until("#message")
        hole = ann.hands[0].split(":")[4].strip("|")

        assert trio.current_time() - began < 1.0
        assert told == f"#message Ann shows {hole[:2]} {hole[2:]}"
