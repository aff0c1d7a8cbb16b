"""What clients tell the house of their strategies: kept in a file, shown to nobody."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import attrs
import trio
from trio.testing import MockClock

from protocol.policy import FILE_HEADER, format_policy, write_numbers
from server.support.private_files import open_private
from server.table.config import MatchConfig, TimeLimits
from tests.support.tables import (
    always,
    folding_config,
    is_to_act,
    match_config,
    seated,
    split_state,
    table_of,
)

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
    config = asking(match_config(hands=40, seed=3), tmp_path)
    async with table_of(config) as table:
        teller = await table.join(0, GREETING)
        other = await table.join(1, "#riverboat/1 seat")
        table.start_soon(other.play, always(config.game, "c"))
        told: list[str] = []
        while (line := await teller.line()) is not None:
            if is_to_act(config.game, line):
                _, hand, betting, _ = split_state(line)
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
    config = match_config(hands=1, log_path=tmp_path / "match.log")
    async with seated(config, "#riverboat/1 policy seat") as (table, (teller, other)):
        table.start_soon(other.play, always(config.game, "c"))
        await teller.heard("#riverboat/1 seat", "#seat 0", "MATCHSTATE:0:0::Ah|")
        await teller.say(policy(0, ""), "MATCHSTATE:0:0::Ah|:c")
        await teller.play(always(config.game, "c"))

    assert set(map(str, os.listdir(tmp_path))) == {"match.log"}


async def test_what_is_not_a_policy_of_this_state_is_skipped(tmp_path: Path) -> None:
    config = asking(match_config(hands=1), tmp_path)
    async with seated(config, GREETING) as (table, (teller, silent)):
        table.start_soon(silent.play, always(config.game, "c"))
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
        await teller.play(always(config.game, "c"))

    assert kept(config) == []
    assert table.failures(0) == []
    assert table.console.complaints == ["WARNING: bad state format in response"]


async def test_a_policy_of_a_player_who_was_not_granted_it_is_ignored(tmp_path: Path) -> None:
    config = asking(match_config(hands=1), tmp_path)
    async with seated(config) as (table, (teller, other)):
        table.start_soon(other.play, always(config.game, "c"))
        await teller.heard("MATCHSTATE:0:0::Ah|")
        await teller.say(policy(0, ""), "MATCHSTATE:0:0::Ah|:c")
        await teller.play(always(config.game, "c"))

    assert kept(config) == []


async def test_a_policy_does_not_stand_for_an_action_that_was_corrected(tmp_path: Path) -> None:
    config = asking(match_config(hands=1), tmp_path)
    async with seated(config, GREETING) as (table, (teller, other)):
        table.start_soon(other.play, always(config.game, "r"))
        await teller.heard(GREETING, "MATCHSTATE:0:0::Ah|")
        await teller.say(policy(0, ""), "MATCHSTATE:0:0::Ah|:f")  # nothing to fold to: played as a call
        await teller.heard("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")
        await teller.say(policy(0, "cr"), "MATCHSTATE:0:0:cr:Ah|:c")
        await teller.play(always(config.game, "c"))

    assert kept(config) == ["0 " + policy(0, "cr").removeprefix("#policy ")]


async def test_a_policy_does_not_stand_for_what_the_house_did_in_its_place(
    tmp_path: Path, virtual_clock: MockClock
) -> None:
    config = asking(folding_config("kuhn-2p", 1, limits=TimeLimits(response=10.0)), tmp_path)
    async with seated(config, GREETING) as (table, (teller, other)):
        table.start_soon(other.play, always(config.game, "c"))
        line = ""
        while not line or not is_to_act(config.game, line):
            line = await teller.line() or ""
        _, hand, betting, _ = split_state(line)
        await teller.say(policy(hand, betting))
        await trio.sleep(30)  # and no answer
        await teller.hear_out()

    assert kept(config) == []
