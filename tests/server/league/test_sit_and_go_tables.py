"""Sit-and-gos over sockets: what clients are told before each hand, who is refused, what a failure costs."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest
import trio
import trio.lowlevel

import server.league.sit_and_go.table as sit_and_go_table
from clients.core.agent import Agent
from clients.core.options import make_agent
from clients.core.registry import load_bot
from clients.core.session import DealerGone, play
from engine.poker.match_key import MatchSeed
from engine.poker.rules import CALL, Action, HandView, load_game
from protocol.records import parse_hand
from server.league.checking import check_tournament
from server.league.match import Played
from server.league.plan import Match
from server.league.sit_and_go.log import LOG, begin, check_log, end, read_sit_and_go, table_of_match
from server.league.sit_and_go.running import table_config
from server.league.sit_and_go.table import SitAndGoHands
from server.support.console import SilentConsole
from server.support.private_files import open_private
from tests.server.league.houses import plan_of, plan_text
from tests.support.dealer_process import started
from tests.support.matches import raw_bot

HEAD: Final = Path(__file__).with_name("sit_and_go_tables.toml").read_text("utf-8")
PLAN: Final = plan_of(plan_text("always-call", "random", "random", "random", head=HEAD))
MATCH: Final = Match(0, 1, PLAN.names)
CARDS: Final = MatchSeed(11)
BASE: Final = load_game("nolimit-6p")
Client = Callable[[trio.SocketStream], Awaitable[None]]


class Watcher(Agent):
    """Calls, and writes down what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[int, tuple[int, ...], tuple[int, ...], int, str]] = []

    def hand_started(self, view: HandView) -> None:
        game = view.game
        assert self.names is not None
        own = self.names[(view.position + view.hand_number) % game.num_players]
        self.told.append((view.hand_number, game.stacks, game.blinds, view.position, own))

    def choose_action(self, view: HandView) -> Action:
        return CALL


def bot(agent: Agent) -> Client:
    async def sit(stream: trio.SocketStream) -> None:
        await play(agent, stream, fallback=BASE)

    return sit


def drawn(seed: int) -> Client:
    agent = make_agent("random", load_bot("random"), {"raise": "0.3"})
    agent.seed = seed
    return bot(agent)


async def says_its_version_only(stream: trio.SocketStream) -> None:
    await stream.send_all(b"VERSION:2.0.0\r\n")
    while await stream.receive_some():
        pass


def leaves_at(number: int) -> Client:
    """One that goes when it has been shown so many hands."""

    class Leaves(Watcher):
        def choose_action(self, view: HandView) -> Action:
            if view.hand_number >= number:
                raise DealerGone("enough")
            return CALL

    async def sit(stream: trio.SocketStream) -> None:
        with pytest.raises(DealerGone):
            await play(Leaves(), stream, fallback=BASE)

    return sit


async def played(folder: Path, clients: dict[str, Client], *, leaving: bool = False) -> Played:
    """Play a sit-and-go to its end from wherever it was."""
    table = begin(folder, MATCH, PLAN)
    config = table_config(PLAN, MATCH, table, CARDS, folder / LOG, open_private)
    server = SitAndGoHands(config, SilentConsole(), table, failing_is_leaving=leaving).server
    server.open()

    async def come(client: Client, port: int) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await client(stream)

    async with trio.open_nursery() as nursery:
        for seat in server.seats:
            nursery.start_soon(come, clients[seat.name], seat.port)
        outcome = await server.run()
    assert outcome.error is None
    end(folder, outcome.seconds, {})
    found = read_sit_and_go(folder, MATCH, PLAN)
    assert found is not None
    return found


def everybody(watcher: Agent | None = None) -> dict[str, Client]:
    return {"p0": bot(watcher or Watcher()), "p1": drawn(1), "p2": drawn(2), "p3": drawn(3)}


async def test_before_each_hand_a_client_is_told_what_is_played(tmp_path: Path) -> None:
    watcher = Watcher()

    found = await played(tmp_path, everybody(watcher))

    table = table_of_match(PLAN, MATCH)
    expected = []
    for line in (tmp_path / LOG).read_text().splitlines():
        record = parse_hand(line)
        if record is not None:
            game, names = table.game(), table.seating()
            if "p0" in names:
                expected.append((table.hands, game.stacks, game.blinds, names.index("p0"), "p0"))
            table.finish(record.chips)
    assert watcher.told == expected
    assert len({blinds for _, _, blinds, _, _ in expected}) > 1
    assert check_log(tmp_path / LOG, table_of_match(PLAN, MATCH), CARDS) is None
    assert not found.faults
    assert sum(found.total(name) for name in PLAN.names) == pytest.approx(0.0)


async def test_a_sit_and_go_that_was_cut_short_goes_on_with_the_same_hands(tmp_path: Path) -> None:
    await played(tmp_path / "whole", everybody())
    whole = (tmp_path / "whole" / LOG).read_bytes()

    for share in (0.4, 0.9):
        folder = tmp_path / f"{share}"
        folder.mkdir()
        (folder / LOG).write_bytes(whole[: int(share * len(whole))])
        await played(folder, everybody())
        assert (folder / LOG).read_bytes() == whole


async def test_a_client_that_cannot_be_told_the_game_is_out_before_the_first_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sit_and_go_table, "_GREETING_S", 0.05)
    clients = everybody() | {"p1": says_its_version_only, "p3": says_its_version_only}

    found = await played(tmp_path, clients)

    assert {name: fault.kind for name, fault in found.faults.items()} == {"p1": "nonsense", "p3": "nonsense"}
    assert "does not ask for 'game' and 'stacks'" in found.faults["p1"].detail
    assert (
        found.total("p1") == found.total("p3") == -1000.0
    )  # they share the last two places, without a prize
    assert "3. p1, p3" in found.note


@pytest.mark.parametrize("leaving", [False, True])
async def test_a_player_who_leaves_in_the_middle_is_folded_or_out(tmp_path: Path, *, leaving: bool) -> None:
    found = await played(tmp_path, everybody() | {"p1": leaves_at(1)}, leaving=leaving)

    log = (tmp_path / LOG).read_text()
    assert found.faults["p1"].kind == "disconnected"
    assert found.faults["p1"].hand is not None
    assert ("# out p1 disconnected (hand " in log) is leaving
    assert ("# failed p1 disconnected (hand " in log) is not leaving
    assert found.by_default["p1"] == log.count("# absent p1") >= 1
    assert check_log(tmp_path / LOG, table_of_match(PLAN, MATCH), CARDS) is None


async def test_a_player_who_comes_back_is_told_what_is_played(tmp_path: Path) -> None:
    again = Watcher()
    ports: list[int] = []

    async def leaves_and_comes_back(stream: trio.SocketStream) -> None:
        ports.append(stream.socket.getpeername()[1])
        await leaves_at(1)(stream)
        await stream.aclose()
        while True:
            try:
                async with await trio.open_tcp_stream("127.0.0.1", ports[0]) as anew:
                    await play(again, anew, fallback=BASE)
                return
            except (OSError, DealerGone):
                await trio.lowlevel.checkpoint()

    await played(tmp_path, everybody() | {"p1": leaves_and_comes_back})

    assert again.told
    for _, stacks, _, position, own in again.told:
        assert own == "p1"
        assert stacks[position] > 0


@pytest.mark.slow  # with real processes that are killed
@pytest.mark.timeout(600)
def test_a_tournament_of_sit_and_gos_that_was_killed_comes_out_the_same(tmp_path: Path) -> None:
    head = HEAD.replace('game = "nolimit-6p"', 'game = "nolimit-6p"\nmatches = 2')
    text = plan_text("random", "always-call", "random:raise=0.5", head=head)
    text += f'[[players]]\nname = "plain"\nplayer = "{raw_bot(tmp_path, "plain")}"\n'
    (tmp_path / "cup.toml").write_text(text)

    def start(out: str) -> subprocess.Popen[str]:
        words = ("tournament", "cup.toml", "--out", out, "--resume")
        return started(*words, folder=tmp_path, is_heard=False)

    def result(out: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((tmp_path / out / "result.json").read_text())
        return {key: value for key, value in found.items() if key != "seconds"}

    began = time.monotonic()
    assert start("whole").wait(300) == 3  # the plain client cannot be told what is played
    took = time.monotonic() - began
    drawn = random.Random(3)
    for _ in range(5):
        process = start("killed")
        time.sleep(drawn.uniform(0, took / 2))  # a moment that nobody chooses
        process.kill()
        process.wait()
    assert start("killed").wait(300) == 3

    assert [(each["player"], each["failure"]) for each in result("whole")["failures"]] == [
        ("plain", "nonsense")
    ] * 2
    assert result("killed")["players"] == result("whole")["players"]
    assert check_tournament(tmp_path / "killed").problem is None
