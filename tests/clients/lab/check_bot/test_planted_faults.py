"""Each of twelve planted faults is found and named, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from clients.lab.check_bot.findings import Status
from tests.clients.lab.check_bot.in_memory import examine, failed

FAULTS = [
    ("late", "limit-2p", "time", "took 11 s for a decision"),
    ("crlf", "limit-2p", "split-line-end", "collect what you read until LF"),
    ("echo", "limit-2p", "echo", "another state"),
    ("raise-by", "nolimit-2p", "legal-actions", "not what you add"),
    ("out-of-turn", "limit-2p", "turn", "although it was not to act"),
    ("comments", "limit-2p", "comments", "skip lines that begin with #"),
    ("walk", "limit-2p", "walk", "everybody folds to your blind"),
    ("short-all-in", "nolimit-2p", "short-all-in", "too few chips for a full raise"),
    ("side-pot", "nolimit-3p", "side-pots", "whose pot is that?"),
    ("no-exit", "limit-2p", "close", "still runs 10 s after the table has closed"),
]


@pytest.mark.parametrize(("fault", "game", "check", "words"), FAULTS, ids=[fault for fault, *_ in FAULTS])
async def test_a_planted_fault_is_found_and_named(
    fault: str, game: str, check: str, words: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    found = failed(await examine(fault, [game], tmp_path))

    assert words in found[check]


async def test_progress_is_told_while_one_waits(tmp_path: Path, autojump_clock: MockClock) -> None:
    said: list[str] = []
    await examine("late", ["limit-2p"], tmp_path, say=said.append)

    assert said[0] == "limit-2p (1 of 1) ..."
    assert re.fullmatch(r"limit-2p, [a-z0-9-]+: \d+ decisions in 0:10, median [\d.]+ m?s", said[1])


async def test_a_bot_that_dies_at_six_players_is_told_so(tmp_path: Path, autojump_clock: MockClock) -> None:
    found = failed(await examine("six", ["nolimit-3p", "nolimit-6p", "limit-6p"], tmp_path, hands=3))

    assert [*found] == ["seats-6"]
    assert "nolimit-6p: ended with exit status 1: RuntimeError: six players" in found["seats-6"]


@pytest.mark.parametrize("game", ["nolimit-3p", "leduc"])
async def test_nothing_is_found_wrong_with_a_bot_without_faults(
    game: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    findings = await examine("none", [game], tmp_path)

    assert failed(findings) == {}
    assert {each.status for each in findings.verdicts()} == {Status.PASSED}


async def test_a_bot_that_never_answers_is_told_so_and_not_waited_for_again_and_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    began = trio.current_time()
    findings = await examine("silent", ["limit-2p", "nolimit-2p", "nolimit-3p"], tmp_path, are_named=False)

    found = failed(findings)
    assert [*found] == ["answers", "seats-2"]
    assert "did not answer within 60 s in MATCHSTATE:" in found["answers"]
    assert trio.current_time() - began < 120


async def test_a_bot_that_is_not_told_the_game_need_not_play_every_game(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    games = ["limit-2p", "limit-3p", "limit-6p"]
    findings = await examine("heads-up", games, tmp_path, are_named=False, knows_games=False)
    named = await examine("heads-up", ["limit-3p"], tmp_path, knows_games=False)

    assert failed(findings) == {}
    assert [note.split(":")[0] for note in findings.notes] == ["limit hold'em of three and more"]
    assert "seats-3" in failed(named)
