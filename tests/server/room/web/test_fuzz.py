"""The lobby, the pages and the seats take whatever is sent to them (longer: `make stress`)."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import trio

from server.table.config import TimeLimits
from tests.support.room_fuzz import fuzz_frames, fuzz_lobby, fuzz_pages
from tests.support.rooms import room_config, table_config
from tests.support.web import pages_of


async def test_nonsense_shows_no_fault_and_no_card_and_costs_no_chip(tmp_path: Path) -> None:
    found: list[tuple[str, str]] = []
    limits = TimeLimits(0.05, 600.0, 1e6, grace=0.0)
    config = room_config(tmp_path, table_config(limits=limits, keep_seat_s=0.3), requests_per_second=1e6)
    async with pages_of(config) as pages:  # its ledger adds up in the end
        guests = [await pages.room.sit_down(words=f"name={name}") for name in ("Ann", "Bob")]
        async with trio.open_nursery() as playing:
            for guest in guests:
                playing.start_soon(guest.play_hands, 1 << 30)
            async with trio.open_nursery() as fuzzing:
                fuzzes: tuple[tuple[Callable[..., Awaitable[None]], object, int], ...] = (
                    (fuzz_lobby, pages.room, 150), (fuzz_pages, pages, 30), (fuzz_frames, pages, 400),
                )  # fmt: skip
                for fuzz, at, size in fuzzes:
                    fuzzing.start_soon(fuzz, at, size, random.Random(size), lambda *what: found.append(what))
            playing.cancel_scope.cancel()
        assert "Traceback" not in pages.room.console.stderr
        assert pages.room.room.tables["a"].hands_played > 0
    assert found == []
