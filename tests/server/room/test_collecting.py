"""Garbage in circles: a hand leaves none, and what there is all the same is found in parts."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.poker.rules import BettingState
from server.room.collecting import SHARE, collected_in_parts
from tests.support.rooms import Guest, room_config, room_of
from tests.support.tables import VERSION

HANDS = 20


@pytest.fixture(autouse=True)
def nothing_is_collected_by_itself() -> Iterator[None]:
    gc.disable()
    gc.unfreeze()
    yield
    gc.freeze()
    gc.enable()


class Circle:
    """Only the collection finds it."""

    def __init__(self) -> None:
        self.own = self


async def always_call(guest: Guest) -> None:
    """Answer without a betting tree of one's own."""
    while (line := await guest.line()) is not None:
        if line.startswith("#clock"):
            await guest.say(f"{await guest.line()}:c")


async def test_hands_in_a_room_leave_nothing_to_collect(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        for _ in range(2):
            guest = await room.connect()
            await guest.say(VERSION, "#riverboat/1 lobby seat names game stacks clock")
            await guest.say("#join a 100")
            room.start_soon(always_call, guest)
        await room.have_played(1)
        before = sum(isinstance(each, BettingState) for each in gc.get_objects())
        await room.have_played(1 + HANDS)
        after = sum(isinstance(each, BettingState) for each in gc.get_objects())

        assert after - before < HANDS  # each hand has 8 states or more


def test_objects_set_aside_are_collected_in_time() -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.5  # a collection takes half a second
        return now

    with collected_in_parts(clock):
        circle = Circle()
        left = weakref.ref(circle)
        gc.collect()
        assert gc.get_freeze_count() > 0
        del circle
        gc.collect()
        assert left() is not None  # it was set aside, and only what is new is looked at

        fresh = Circle()
        gone = weakref.ref(fresh)
        del fresh
        gc.collect()
        assert gone() is None

        now += 0.5 / SHARE
        gc.collect()
        assert left() is None
    assert gc.get_freeze_count() == 0


def test_after_collecting_in_parts_everything_is_as_before() -> None:
    before = list(gc.callbacks)
    with collected_in_parts():
        assert len(gc.callbacks) == len(before) + 1
        gc.collect()

    assert gc.callbacks == before
    gc.collect()
    assert gc.get_freeze_count() == 0
