"""`riverboat check-bot`: as a program, and in memory, where it finds each of twelve planted faults."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
import trio
import trio.testing
from click.testing import Result
from trio.testing import MockClock

from clients.lab.check_bot.client import Client, End, Order
from clients.lab.check_bot.conversation import Limits
from clients.lab.check_bot.examination import Examination, Game
from clients.lab.check_bot.findings import Examined, Status
from engine.poker.rules import game_path, load_game, packaged_games
from tests.misbehaving_bots.planted import Planted
from tests.support.commands import run_here
from tests.support.dealer_process import ROOT

# --- `riverboat check-bot` as a program, with players in processes of their own -----------------------------

PLANTED = ROOT / "tests" / "misbehaving_bots" / "planted.py"
ACPC_PLAYER = ROOT / "tests" / "support" / "acpc_player.py"
OF_OTHERS = {"decide", "llm", "openspiel", "pypokerengine", "rlcard", "skeleton"}
"""Bots that play what a file, a folder or an endpoint says."""
BOTS = sorted({entry.name for entry in entry_points(group="riverboat.bots")} - OF_OTHERS)


def check(folder: Path, *words: str) -> Result:
    return run_here("check-bot", *words, folder=folder)


def assert_nothing_wrong(folder: Path, *words: str) -> None:
    result = check(folder, "--json", *words)

    said = json.loads(result.stdout)
    assert [each for each in said["checks"] if not each["passed"]] == []
    assert (result.exit_code, said["passed"]) == (0, True)


def planted(fault: str, *words: str) -> str:
    return shlex.join([sys.executable, str(PLANTED), fault, "{game}"])


def test_a_player_that_writes_twice_is_found_and_a_build_server_can_read_it(tmp_path: Path) -> None:
    result = check(
        tmp_path, "--json", "--junit", "out.xml", "--game", "leduc", "--hands", "12", planted("two-writes")
    )

    said = json.loads(result.stdout)
    failed = [each for each in said["checks"] if not each["passed"] and each["tried"]]
    assert (result.exit_code, said["passed"], [each["name"] for each in failed]) == (3, False, ["one-write"])
    assert "in one write" in failed[0]["detail"]
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()[0]
    assert (suite.tag, suite.get("failures")) == ("testsuite", "1")
    assert int(suite.get("tests", 0)) == len(said["checks"])
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["one-write"]


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
CHECKS_THAT_FAIL = {fault: check for fault, _, check, _ in FAULTS} | {
    "six": "seats-6",
    "two-writes": "one-write",
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", CHECKS_THAT_FAIL)
def test_planted_faults_are_found_in_processes_too(fault: str, tmp_path: Path) -> None:
    games = ["--game", "nolimit-3p", "--game", "nolimit-6p"]
    result = check(tmp_path, "--json", "--hands", "30", *games, planted(fault))

    said = json.loads(result.stdout)
    assert result.exit_code == 3
    assert CHECKS_THAT_FAIL[fault] in [each["name"] for each in said["checks"] if not each["passed"]]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("bot", BOTS)
def test_no_bot_in_the_box_is_complained_of(bot: str, tmp_path: Path) -> None:
    assert_nothing_wrong(tmp_path, "--hands", "42", bot)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_player_like_the_acpcs_does_nothing_wrong_in_any_game(tmp_path: Path) -> None:
    player = shlex.join([sys.executable, str(ACPC_PLAYER), "{game}"])
    games = [word for name in packaged_games() for word in ("--game", name)]
    assert_nothing_wrong(tmp_path, *games, player)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("page", "start", "games"),
    [
        ("README.md", "from clients import", []),
        ("clients/README.md", "import socket", ["--game", "limit-2p"]),
    ],
)
def test_the_bots_of_our_pages_do_nothing_wrong(
    page: str, start: str, games: list[str], tmp_path: Path
) -> None:
    found = re.search(rf"```python\n({start}.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    assert found is not None
    (tmp_path / "my_bot.py").write_text(found.group(1))
    assert_nothing_wrong(tmp_path, *games, "python my_bot.py")


# --- Examinations of players that are coroutines, at the other end of a stream in memory --------------------


class MemoryClient(Client):
    """A bot that runs as a task."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self.stream = stream
        self.end: End | None = None
        self.is_over = trio.Event()

    async def ended(self, within_s: float) -> End | None:
        with trio.move_on_after(within_s):
            await self.is_over.wait()
        return self.end


class MemoryLaunching:
    """Launches a planted player as a task."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    @asynccontextmanager
    async def __call__(self, order: Order) -> AsyncIterator[Client]:
        ours, theirs = trio.testing.memory_stream_pair()
        client = MemoryClient(ours)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._play, client, theirs, str(game_path(order.game_text)))
            try:
                yield client
            finally:
                nursery.cancel_scope.cancel()

    async def _play(self, client: MemoryClient, stream: trio.abc.HalfCloseableStream, path: str) -> None:
        player = Planted(self.fault, path)
        client_end = End(0, "ended with exit status 0")
        try:
            await stream.send_all(b"VERSION:2.0.0\n")
            while data := bytes(await stream.receive_some()):
                for step in player.receive(data):
                    if isinstance(step, bytes):
                        await stream.send_all(step)
                    else:
                        await trio.sleep(step)
            if self.fault == "no-exit":
                await trio.sleep_forever()
        except RuntimeError as error:
            client_end = End(1, f"ended with exit status 1: RuntimeError: {error}")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            client_end = End(1, "ended with exit status 1: BrokenPipeError")
        await stream.aclose()
        client.end = client_end
        client.is_over.set()


async def examine(
    fault: str,
    games: Sequence[str],
    folder: Path,
    *,
    hands: int = 4,
    are_named: bool = True,
    knows_games: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Examined:
    """What an examination of a planted player finds."""
    plan = Examination(
        launch=MemoryLaunching(fault), games=[Game(name, load_game(name), name) for name in games],
        are_named=are_named, knows_games=knows_games, limits=Limits(), hands=hands, seed=1, most_memory=2**30,
        folder=folder, say=say,
    )  # fmt: skip
    return await plan.run()


def failed(findings: Examined) -> dict[str, str]:
    """The checks that failed, with their details."""
    return {each.name: each.detail for each in findings.verdicts() if each.status is Status.FAILED}


# --- Each of twelve planted faults is found and named, and nothing else is ----------------------------------


@pytest.mark.parametrize(("fault", "game", "check", "words"), FAULTS, ids=[fault for fault, *_ in FAULTS])
async def test_a_planted_fault_is_found_and_named(
    fault: str, game: str, check: str, words: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    found = failed(await examine(fault, [game], tmp_path))

    assert words in found[check]
    if fault == "echo":
        assert trio.current_time() < 180, "it waited for another answer again and again"


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
