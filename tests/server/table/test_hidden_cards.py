"""Many hands and many tables: nobody is sent a card that they may not know, and nobody is starved."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import stat
import struct
import tempfile
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import attrs
import pytest
import trio
import trio.lowlevel
from hypothesis import given, settings, strategies as st
from trio.testing import MockClock

from engine.poker.rules import GameDefinition
from protocol.policy import FILE_HEADER, format_policy, write_numbers
from protocol.records import HandRecord
from server.support.errors import FailureKind
from server.support.private_files import open_private
from server.table.config import MatchConfig, OnFailure, TimeLimits
from tests.support import tables
from tests.support.hands.strategies import games

# --- No player is ever sent a card that they may not know, in any game, whatever is played ------------------

_CARD = re.compile(r"[2-9TJQKA][cdhs]")


@settings(max_examples=40)
@given(games(), st.integers(0, 2**32 - 1), st.booleans())
async def test_nobody_is_sent_anothers_hole_cards_before_the_rules_show_them(
    game: GameDefinition, seed: int, is_fixed: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.log"
        config = tables.match_config(game, hands=4, seed=seed, log_path=path, fixed_seats=is_fixed)

        _, players = await tables.play_match(config, [tables.state_determined(game)] * game.num_players)

        records = {record.hand_number: record for record in tables.hands_logged(config)}
    assert len(records) == 4
    for player in players:
        assert player.lines
        for line in player.lines:
            check_message(game, line, records[tables.split_state(line)[1]])


async def test_what_is_sent_in_a_long_match_follows_from_its_log_alone(tmp_path: Path) -> None:
    config = tables.match_config("short6", hands=60, seed=11, log_path=tmp_path / "match.log")

    _, players = await tables.play_match(config, [tables.state_determined(config.game)] * 6)

    assert [player.lines for player in players] == tables.lines_told(config)


@pytest.mark.parametrize(
    ("game", "hands", "grace"),
    [("holdem.limit.3p", 250, 0.0), ("leduc", 400, 0.0), ("short6", 120, 0.0), ("kuhn.limit.3p", 400, 60.0)],
)
async def test_nobody_who_leaves_and_comes_back_is_shown_what_they_may_not_know(
    game: str, hands: int, grace: float, tmp_path: Path
) -> None:
    """They come back at any moment: between two hands too, when positions are about to change."""
    limits = TimeLimits(response=10.0, hand=3600.0, per_hand=3600.0, grace=grace)
    config = tables.folding_config(game, hands, seed=5, limits=limits, log_path=tmp_path / "match.log")
    seen: list[tuple[int, str]] = []  # by whom, and what
    decide = tables.state_determined(config.game)

    async def come_and_go(table: tables.Table, seat: int) -> None:
        stay = 0
        while not table.is_over:
            try:
                player = await table.join(seat)
            except (OSError, trio.BrokenResourceError):
                await trio.lowlevel.checkpoint()  # its port is not open again yet
                continue
            stay += 1
            with contextlib.suppress(trio.BrokenResourceError):
                for _ in range(1 + zlib.crc32(b"%d %d" % (seat, stay)) % 12):
                    line = await player.line()
                    if line is None:
                        break
                    if action := decide(line):
                        await player.say(f"{line}:{action}")
            seen.extend((seat, line) for line in player.lines)
            await player.leave()

    async with tables.table_of(config) as table:
        num_seats = config.game.num_players
        honest = await table.join(0)
        table.start_soon(honest.play, decide)
        for seat in range(1, num_seats):
            table.start_soon(come_and_go, table, seat)
        outcome = await table.outcome()
        await honest.closed.wait()

    assert (outcome.error, outcome.hands) == (None, hands)
    assert {kind for seat in range(1, num_seats) for kind in table.failures(seat)} == {
        FailureKind.DISCONNECTED
    }
    assert not grace or all(seat.hands_by_default == 0 for seat in outcome.seats)
    records = {record.hand_number: record for record in tables.hands_logged(config)}
    assert honest.lines == tables.lines_told(config)[0]
    assert len(seen) > 300
    for seat, line in seen:
        position, hand, _, _ = tables.split_state(line)
        assert position == (seat - hand) % num_seats, line
        check_message(config.game, line, records[hand])


def check_message(game: GameDefinition, line: str, record: HandRecord) -> None:
    """A message holds its addressee's cards, the board so far, and of others what a showdown shows."""
    position, hand, betting, cards = tables.split_state(line)
    assert hand == record.hand_number
    first, *board = record.cards.split("/")
    holes = first.split("|")
    letters = 2 * game.num_hole_cards
    opening = holes[-1][letters:]  # board cards of the first betting round, if the game has any
    may_know = [holes[position][:letters], opening, *board[: betting.count("/")]]
    end = tables.betting_state(game, record.betting)
    if betting == record.betting and end.folded.count(False) > 1:
        may_know += [hole[:letters] for other, hole in enumerate(holes) if not end.folded[other]]

    assert {*_CARD.findall(cards)} <= {*_CARD.findall(" ".join(may_know))}


# --- A hundred tables in one process, some with players that nobody wants -----------------------------------

TABLES = 100
HANDS = 10
RESPONSE_S = 6.0
"""Honest players share a loaded machine with all others."""
HANDS_EACH = 60


async def is_silent(player: tables.Player) -> None:
    await player.say(tables.VERSION)
    await player.hear_out()


async def is_mute(player: tables.Player) -> None:
    await player.hear_out()


async def floods(player: tables.Player) -> None:
    await player.say(tables.VERSION)
    while True:
        await player.stream.send_all(b"junk\n" * 4000)


async def floods_without_line_end(player: tables.Player) -> None:
    await player.say(tables.VERSION)
    while True:
        await player.stream.send_all(b"x" * 20_000)


async def leaves(player: tables.Player) -> None:
    await player.say(tables.VERSION)
    await player.line()


async def is_reset(player: tables.Player) -> None:
    await player.say(tables.VERSION)
    await player.line()
    player.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


HOSTILE: list[tuple[Callable[[tables.Player], Awaitable[None]], FailureKind]] = [
    (is_silent, FailureKind.STALLED), (is_mute, FailureKind.STALLED), (floods, FailureKind.NONSENSE),
    (floods_without_line_end, FailureKind.NONSENSE), (leaves, FailureKind.DISCONNECTED),
    (is_reset, FailureKind.DISCONNECTED),
]  # fmt: skip


async def test_a_hundred_tables_play_though_every_third_has_a_hostile_player(tmp_path: Path) -> None:
    limits = TimeLimits(response=RESPONSE_S, hand=600.0, per_hand=600.0, handshake=RESPONSE_S)
    opened: list[tables.Table] = []
    honest: dict[int, tables.Player] = {}

    async def play(number: int, nursery: trio.Nursery) -> None:
        table = opened[number]
        honest[number] = player = await table.join(0)
        nursery.start_soon(player.play, tables.state_determined(table.config.game))
        opponent = await table.connect(1)
        if number % 3 == 0:
            behave, _ = HOSTILE[number // 3 % len(HOSTILE)]
            async with opponent.stream:
                with contextlib.suppress(trio.BrokenResourceError):
                    await behave(opponent)
        else:
            await opponent.say(tables.VERSION)
            await opponent.play(tables.always(table.config.game, "c"))

    async with trio.open_nursery() as nursery:
        for number in range(TABLES):
            config = tables.match_config(
                "leduc", HANDS, number, limits=limits, on_failure=OnFailure.FAIR,
                log_path=tmp_path / f"{number}.log",
            )  # fmt: skip
            opened.append(await tables.open_table(nursery, config))
        for number in range(TABLES):
            nursery.start_soon(play, number, nursery)

    for number, table in enumerate(opened):
        outcome = await table.outcome()
        assert (outcome.error, outcome.hands) == (None, HANDS)
        assert len(tables.hands_logged(table.config)) == HANDS
        hostile = [] if number % 3 else [HOSTILE[number // 3 % len(HOSTILE)][1]]
        assert {*table.failures(1)} == {*hostile}, number
        assert table.failures(0) == []
        assert honest[number].lines == tables.lines_told(table.config)[0]


async def test_tables_get_their_turns_evenly() -> None:
    """Between two hands of one table every other table plays too, fast as its players may be."""
    opened: list[tables.Table] = []
    async with trio.open_nursery() as nursery:
        for number in range(20):
            config = tables.match_config("kuhn-2p", hands=HANDS_EACH, seed=number)
            opened.append(await tables.open_table(nursery, config))
        players = [player for table in opened for player in await table.join_all()]
        for player in players:
            nursery.start_soon(player.play, tables.always(opened[0].config.game, "c"))
        while max(len(table.console.hands) for table in opened) < HANDS_EACH:
            slowest = min(len(table.console.hands) for table in opened)
            await opened[0].console.hand_is_over()

    assert slowest > HANDS_EACH / 2  # when the fastest had one hand to go


# --- What clients tell the house of their strategies --------------------------------------------------------

GREETING = "#riverboat/1 policy"


def policy(hand: int, betting: str, raises: int = 7) -> str:
    return format_policy(hand, betting, [write_numbers([0]), write_numbers([raises])])


def kept(config: MatchConfig) -> list[str]:
    assert config.policy_path is not None
    header, *lines = config.policy_path.read_text().splitlines(keepends=True)
    assert header == FILE_HEADER
    return [line.rstrip("\n") for line in lines]


def asking(config: MatchConfig, folder: Path) -> MatchConfig:
    return attrs.evolve(
        config, log_path=folder / "match.log", policy_path=folder / "policies", opener=open_private
    )


async def test_policies_are_kept_for_our_user_and_no_other_client_hears_of_them(tmp_path: Path) -> None:
    config = asking(tables.match_config(hands=40, seed=3), tmp_path)
    async with tables.table_of(config) as table:
        teller = await table.join(0, GREETING)
        other = await table.join(1, "#riverboat/1 seat")
        table.start_soon(other.play, tables.always(config.game, "c"))
        told: list[str] = []
        while (line := await teller.line()) is not None:
            if tables.is_to_act(config.game, line):
                _, hand, betting, _ = tables.split_state(line)
                told.append(policy(hand, betting, len(told)))
                await teller.say(told[-1], f"{line}:c")

    assert len(told) == 80
    assert [f"#policy {line.removeprefix('0 ')}" for line in kept(config)] == told
    assert teller.lines[0] == GREETING
    assert other.lines[:2] == ["#riverboat/1 seat", "#seat 1"]
    assert not any(line.startswith("#") for line in [*teller.lines[1:], *other.lines[2:]])
    assert "policy" not in (tmp_path / "match.log").read_text()
    assert config.policy_path is not None
    assert stat.S_IMODE(config.policy_path.stat().st_mode) == 0o600


async def test_a_house_that_does_not_ask_grants_nothing_and_keeps_nothing(tmp_path: Path) -> None:
    config = tables.match_config(hands=1, log_path=tmp_path / "match.log")
    async with tables.seated(config, "#riverboat/1 policy seat") as (table, (teller, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        await teller.heard("#riverboat/1 seat", "#seat 0", "MATCHSTATE:0:0::Ah|")
        await teller.say(policy(0, ""), "MATCHSTATE:0:0::Ah|:c")
        await teller.play(tables.always(config.game, "c"))

    assert set(map(str, os.listdir(tmp_path))) == {"match.log"}


async def test_what_is_not_a_policy_of_this_state_is_skipped(tmp_path: Path) -> None:
    config = asking(tables.match_config(hands=1), tmp_path)
    async with tables.seated(config, GREETING) as (table, (teller, silent)):
        table.start_soon(silent.play, tables.always(config.game, "c"))
        await teller.heard(GREETING, "MATCHSTATE:0:0::Ah|")
        await teller.say(
            policy(1, ""),
            policy(0, "c"),
            "#policy 0 - 1",
            "#policy",
            "#policy 0 - 1 " + "x" * 5000,  # cut into two lines, the second of which is junk
            "MATCHSTATE:0:0::Ah|:r",
        )
        await teller.heard("MATCHSTATE:0:0:r:Ah|")
        await teller.play(tables.always(config.game, "c"))

    assert kept(config) == []
    assert table.failures(0) == []
    assert table.console.complaints == ["WARNING: bad state format in response"]


async def test_a_policy_of_a_player_who_was_not_granted_it_is_ignored(tmp_path: Path) -> None:
    config = asking(tables.match_config(hands=1), tmp_path)
    async with tables.seated(config) as (table, (teller, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        await teller.heard("MATCHSTATE:0:0::Ah|")
        await teller.say(policy(0, ""), "MATCHSTATE:0:0::Ah|:c")
        await teller.play(tables.always(config.game, "c"))

    assert kept(config) == []


async def test_a_policy_does_not_stand_for_an_action_that_was_corrected(tmp_path: Path) -> None:
    config = asking(tables.match_config(hands=1), tmp_path)
    async with tables.seated(config, GREETING) as (table, (teller, other)):
        table.start_soon(other.play, tables.always(config.game, "r"))
        await teller.heard(GREETING, "MATCHSTATE:0:0::Ah|")
        await teller.say(policy(0, ""), "MATCHSTATE:0:0::Ah|:f")  # nothing to fold to: played as a call
        await teller.heard("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")
        await teller.say(policy(0, "cr"), "MATCHSTATE:0:0:cr:Ah|:c")
        await teller.play(tables.always(config.game, "c"))

    assert kept(config) == ["0 " + policy(0, "cr").removeprefix("#policy ")]


async def test_a_policy_does_not_stand_for_what_the_house_did_in_its_place(
    tmp_path: Path, virtual_clock: MockClock
) -> None:
    config = asking(tables.folding_config("kuhn-2p", 1, limits=TimeLimits(response=10.0)), tmp_path)
    async with tables.seated(config, GREETING) as (table, (teller, other)):
        table.start_soon(other.play, tables.always(config.game, "c"))
        line = ""
        while not line or not tables.is_to_act(config.game, line):
            line = await teller.line() or ""
        _, hand, betting, _ = tables.split_state(line)
        await teller.say(policy(hand, betting))
        await trio.sleep(30)  # and no answer
        await teller.hear_out()

    assert kept(config) == []
