"""A hundred tables in one process, some with players that nobody wants: all play, and none is starved."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path

import trio

from server.support.errors import FailureKind
from server.table.config import OnFailure, TimeLimits
from tests.support.tables import (
    VERSION,
    Player,
    Table,
    always,
    hands_logged,
    lines_told,
    match_config,
    open_table,
    state_determined,
)

TABLES = 100
HANDS = 10
RESPONSE_S = 6.0
"""Honest players share a loaded machine with all others."""
HANDS_EACH = 60


async def is_silent(player: Player) -> None:
    await player.say(VERSION)
    await player.hear_out()


async def is_mute(player: Player) -> None:
    await player.hear_out()


async def floods(player: Player) -> None:
    await player.say(VERSION)
    while True:
        await player.stream.send_all(b"junk\n" * 4000)


async def floods_without_line_end(player: Player) -> None:
    await player.say(VERSION)
    while True:
        await player.stream.send_all(b"x" * 20_000)


async def leaves(player: Player) -> None:
    await player.say(VERSION)
    await player.line()


async def is_reset(player: Player) -> None:
    await player.say(VERSION)
    await player.line()
    player.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


HOSTILE: list[tuple[Callable[[Player], Awaitable[None]], FailureKind]] = [
    (is_silent, FailureKind.STALLED),
    (is_mute, FailureKind.STALLED),
    (floods, FailureKind.NONSENSE),
    (floods_without_line_end, FailureKind.NONSENSE),
    (leaves, FailureKind.DISCONNECTED),
    (is_reset, FailureKind.DISCONNECTED),
]


async def test_a_hundred_tables_play_though_every_third_has_a_hostile_player(tmp_path: Path) -> None:
    limits = TimeLimits(response=RESPONSE_S, hand=600.0, per_hand=600.0, handshake=RESPONSE_S)
    tables: list[Table] = []
    honest: dict[int, Player] = {}

    async def play(number: int, nursery: trio.Nursery) -> None:
        table = tables[number]
        honest[number] = player = await table.join(0)
        nursery.start_soon(player.play, state_determined(table.config.game))
        opponent = await table.connect(1)
        if number % 3 == 0:
            behave, _ = HOSTILE[number // 3 % len(HOSTILE)]
            async with opponent.stream:
                with contextlib.suppress(trio.BrokenResourceError):
                    await behave(opponent)
        else:
            await opponent.say(VERSION)
            await opponent.play(always(table.config.game, "c"))

    async with trio.open_nursery() as nursery:
        for number in range(TABLES):
            config = match_config(
                "leduc",
                HANDS,
                number,
                limits=limits,
                on_failure=OnFailure.FOLD,
                log_path=tmp_path / f"{number}.log",
            )
            tables.append(await open_table(nursery, config))
        for number in range(TABLES):
            nursery.start_soon(play, number, nursery)

    for number, table in enumerate(tables):
        outcome = await table.outcome()
        assert (outcome.error, outcome.hands) == (None, HANDS)
        assert len(hands_logged(table.config)) == HANDS
        hostile = [] if number % 3 else [HOSTILE[number // 3 % len(HOSTILE)][1]]
        assert {*table.failures(1)} == {*hostile}, number
        assert table.failures(0) == []
        assert honest[number].lines == lines_told(table.config)[0]


async def test_tables_get_their_turns_evenly() -> None:
    """Between two hands of one table every other table plays too, fast as its players may be."""
    tables: list[Table] = []
    async with trio.open_nursery() as nursery:
        for number in range(20):
            config = match_config("kuhn-2p", hands=HANDS_EACH, seed=number)
            tables.append(await open_table(nursery, config))
        players = [player for table in tables for player in await table.join_all()]
        for player in players:
            nursery.start_soon(player.play, always(tables[0].config.game, "c"))
        while max(len(table.console.hands) for table in tables) < HANDS_EACH:
            slowest = min(len(table.console.hands) for table in tables)
            await tables[0].console.hand_is_over()

    assert slowest > HANDS_EACH / 2  # when the fastest had one hand to go
