"""Sit-and-go: stacks, blinds and the button from hand to hand, over sockets and in logs."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
import trio
import trio.lowlevel
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

import server.league.sit_and_go.table as sit_and_go_table
from clients.core.agent import Agent
from clients.core.options import make_agent
from clients.core.registry import load_bot
from clients.core.session import DealerGone, play
from engine.poker.match_key import MatchSeed
from engine.poker.rules import (
    CALL,
    Action,
    HandView,
    format_game,
    initial_betting,
    load_game,
    parse_betting,
    parse_game,
)
from protocol.records import parse_hand
from server.commands.look_back.verify import verify
from server.league.checking import check_tournament
from server.league.match import Played
from server.league.plan import Match
from server.league.sit_and_go.log import begin, check_log, end, read_sit_and_go, table_of_match
from server.league.sit_and_go.running import table_config
from server.league.sit_and_go.table import SitAndGoHands
from server.records.logs import LOG_FILE, open_log
from server.support.console import Console
from server.support.toml_text import FileMistake
from server.table.rules.sit_and_go import Level, SitAndGo, SitAndGoTable
from tests.server.league.houses import Kill, plan_of, plan_text, played, played_until_killed
from tests.support.cases import cases
from tests.support.dealer_process import started
from tests.support.matches import raw_bot

# --- Sit-and-go ---------------------------------------------------------------------------------------------

PLAN: Final = SitAndGo(
    100, (Level(2, (5, 10)), Level(2, (10, 20), 1), Level(1, (50, 100))), (0.7, 0.3), button_moves=True
)
BASE: Final = load_game("nolimit-6p")
HEAD: Final = Path(__file__).with_name("sit_and_go.toml").read_text("utf-8")
BOTS: Final = ("random:raise=0.3", "always-call", "random", "random:raise=0.1")


def table(*players: str) -> SitAndGoTable:
    return SitAndGoTable(players, PLAN, BASE)


def test_blinds_rise_by_hands_and_stay_at_the_last_level() -> None:
    room = table("a", "b", "c")

    blinds = []
    for _ in range(7):
        blinds.append((room.level().blinds, room.level().ante))
        room.finish([0.0, 0.0, 0.0])

    assert blinds == [((5, 10), 0)] * 2 + [((10, 20), 1)] * 2 + [((50, 100), 0)] * 3


def test_the_button_moves_and_skips_who_is_out() -> None:
    room = table("a", "b", "c")
    assert room.seating() == ("a", "b", "c")  # c has the button
    room.finish([0.0, -100.0, 100.0])
    assert room.left == ("a", "c")
    assert room.seating() == ("c", "a")  # a has the button, and between two the small blind
    game = room.game()
    assert (game.blinds, game.stacks, game.first_positions[:2]) == ((10, 5), (200, 100), (1, 0))


def test_a_dead_button_stands_at_the_seat_of_a_player_who_is_out() -> None:
    room = SitAndGoTable(("a", "b", "c", "d"), attrs.evolve(PLAN, button_moves=False), BASE)
    assert room.seating() == ("a", "b", "c", "d")  # d has the button
    room.finish([-100.0, 100.0, 0.0, 0.0])
    assert room.seating() == ("b", "c", "d")  # it stands at a's seat: b posts the small blind, c the big one
    assert room.game().blinds == (5, 10, 0)
    assert not plan_of(plan_text(*BOTS, head=HEAD)).sit_and_go.button_moves  # type: ignore[union-attr]
    moving = plan_of(plan_text(*BOTS, head=HEAD.replace("stack = 200", 'stack = 200\nbutton = "moving"')))
    assert moving.sit_and_go.button_moves  # type: ignore[union-attr]


def test_a_short_big_blind_does_not_make_the_call_cheaper() -> None:
    table = SitAndGoTable(("a", "b", "c"), attrs.evolve(PLAN, levels=(Level(9, (50, 100)),)), BASE)
    table.stacks = {"a": 150, "b": 40, "c": 110}
    game = table.game()
    assert (game.blinds, game.least_bet, parse_game(format_game(game))) == ((50, 40, 0), 100, game)
    betting = initial_betting(game)
    assert (betting.amount_to_call(2), str(betting.legal_actions())) == (100, "c, f, r110 to r110")
    assert parse_betting(game, "f///").spent == (50, 40, 0)  # nobody is left who could win more of the first


def test_three_handed_the_button_acts_first_before_the_flop() -> None:
    game = table("a", "b", "c").game()

    assert (game.blinds, game.first_positions) == ((5, 10, 0), (2, 0, 0, 0))


def test_a_player_with_less_than_a_blind_posts_what_there_is() -> None:
    room = table("a", "b", "c")
    room.stacks = {"a": 3, "b": 293, "c": 4}
    room.hands = 2  # blinds 10 and 20, antes of 1

    game = room.game()

    assert (game.stacks, game.blinds, game.antes_posted) == ((3, 293, 4), (2, 20, 0), (1, 1, 1))


def test_players_who_leave_in_the_same_hand_are_placed_by_what_they_began_it_with() -> None:
    room = table("a", "b", "c", "d")
    room.stacks = {"a": 50, "b": 80, "c": 80, "d": 190}

    room.finish([-50.0, -80.0, -80.0, 210.0])

    assert room.is_over
    assert room.places() == [("d",), ("b", "c"), ("a",)]
    assert room.payouts() == pytest.approx({"d": 0.7, "b": 0.15, "c": 0.15, "a": 0.0})


def test_odd_chips_go_to_the_left_of_the_button() -> None:
    room = table("a", "b", "c")

    room.finish([50 / 3 - 10, 50 / 3 - 10, -40 / 3])

    assert sum(room.stacks.values()) == 300
    assert room.stacks == {"a": 107, "b": 107, "c": 86}


def test_chips_do_not_come_from_nowhere() -> None:
    with pytest.raises(ValueError, match="add up"):
        table("a", "b").finish([10.0, 10.0])


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(0, 2**32))
def test_no_chip_is_lost_and_everybody_has_one_place(n: int, seed: int) -> None:
    drawn = random.Random(seed)
    room = table(*[f"p{k}" for k in range(n)])
    while not room.is_over:
        game = room.game()
        lost = [drawn.choice([0, drawn.randrange(stack + 1), stack]) for stack in game.stacks]
        winner = drawn.randrange(game.num_players)
        lost[winner] = 0
        won = [float(-each) for each in lost]
        won[winner] = float(sum(lost))
        room.finish(won)
        assert sum(room.stacks.values()) == 100 * n

    assert sorted(name for group in room.places() for name in group) == sorted(room.players)
    assert math.fsum(room.payouts().values()) == pytest.approx(1.0)


def verified(log: Path) -> int:
    return CliRunner().invoke(verify, [str(log)]).exit_code


@pytest.mark.usefixtures("arena_workers")
def test_sit_and_gos_are_played_ranked_and_verified(tmp_path: Path) -> None:
    content = played(tmp_path, plan_text(*BOTS, head=HEAD), pages=True)

    assert (content["unit"], content["matches"]) == ("buy-ins/1000", 4)
    assert sum(player["mbb_per_hand"] for player in content["players"]) == pytest.approx(0.0)
    assert [line.split(": ", 1)[0].rpartition(", ")[0] for line in content["rounds"]] == [
        f"p0 v p1 v p2 v p3, match {k}" for k in range(1, 5)
    ]
    checked = check_tournament(tmp_path)
    assert checked.problem is None
    assert checked.hands == content["hands"] >= 8

    log = tmp_path / "matches/p0-v-p1-v-p2-v-p3-002/match.log"
    lines = log.read_text().splitlines(keepends=True)
    assert verified(log) == 0
    assert next(open_log(log).hands()).state.betting.game.stacks == (200,) * 4
    cards = lines[2].split(":")[3]
    log.write_text(
        "".join([*lines[:2], lines[2].replace(cards, cards[2:4] + cards[:2] + cards[4:]), *lines[3:]])
    )
    assert f"{log}:3: cards: expected" in str(check_tournament(tmp_path).problem)


@pytest.mark.usefixtures("arena_workers")
def test_a_sit_and_go_that_was_killed_comes_out_the_same(tmp_path: Path) -> None:
    text = plan_text(*BOTS, head=HEAD.replace("matches = 4", "matches = 1"))
    whole = played(tmp_path / "whole", text)
    with pytest.MonkeyPatch.context() as patch:
        counted = Kill(patch)
        played(tmp_path / "counted", text)

    for number in range(2):
        path = tmp_path / f"killed-{number}"
        for part in (1, 2):
            played_until_killed(path, text, counted.written * (2 * number + part) // 5)
        assert played(path, text) == whole


@pytest.mark.parametrize(("old", "new", "complaint"), cases(__file__, "mistakes"))
def test_mistakes_of_a_sit_and_go_are_told(old: str, new: str, complaint: str) -> None:
    with pytest.raises(FileMistake, match=re.escape(complaint)):
        plan_of(plan_text(*BOTS, head=HEAD.replace(old, new, 1)))


# --- Sit-and-gos over sockets -------------------------------------------------------------------------------

SOCKET_HEAD: Final = Path(__file__).with_name("sit_and_go_tables.toml").read_text("utf-8")
SOCKET_PLAN: Final = plan_of(plan_text("always-call", "random", "random", "random", head=SOCKET_HEAD))
MATCH: Final = Match(0, 1, SOCKET_PLAN.names)
CARDS: Final = MatchSeed(11)
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


async def played_over_sockets(folder: Path, clients: dict[str, Client], *, leaving: bool = False) -> Played:
    """Play a sit-and-go to its end from wherever it was."""
    table = begin(folder, MATCH, SOCKET_PLAN)
    config = table_config(SOCKET_PLAN, MATCH, table, CARDS, folder / LOG_FILE)
    server = SitAndGoHands(config, Console(), table, failing_is_leaving=leaving).server
    server.open()

    async def come(client: Client, port: int) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await client(stream)

    async with trio.open_nursery() as nursery:
        for seat in server.seats:
            nursery.start_soon(come, clients[seat.name], seat.port)
        outcome = await server.run()
    assert outcome.error is None
    end(folder, outcome.seconds, {}, {})
    found = read_sit_and_go(folder, MATCH, SOCKET_PLAN)
    assert found is not None
    return found


def everybody(watcher: Agent | None = None) -> dict[str, Client]:
    return {"p0": bot(watcher or Watcher()), "p1": drawn(1), "p2": drawn(2), "p3": drawn(3)}


async def test_before_each_hand_a_client_is_told_what_is_played(tmp_path: Path) -> None:
    watcher = Watcher()

    found = await played_over_sockets(tmp_path, everybody(watcher))

    table = table_of_match(SOCKET_PLAN, MATCH)
    expected = []
    for line in (tmp_path / LOG_FILE).read_text().splitlines():
        record = parse_hand(line)
        if record is not None:
            game, names = table.game(), table.seating()
            if "p0" in names:
                expected.append((table.hands, game.stacks, game.blinds, names.index("p0"), "p0"))
            table.finish(record.chips)
    assert watcher.told == expected
    assert len({blinds for _, _, blinds, _, _ in expected}) > 1
    assert check_log(tmp_path / LOG_FILE, table_of_match(SOCKET_PLAN, MATCH), CARDS) is None
    assert not found.faults
    assert sum(found.total(name) for name in SOCKET_PLAN.names) == pytest.approx(0.0)


async def test_a_sit_and_go_that_was_cut_short_goes_on_with_the_same_hands(tmp_path: Path) -> None:
    await played_over_sockets(tmp_path / "whole", everybody())
    whole = (tmp_path / "whole" / LOG_FILE).read_bytes()

    for share in (0.4, 0.9):
        folder = tmp_path / f"{share}"
        folder.mkdir()
        (folder / LOG_FILE).write_bytes(whole[: int(share * len(whole))])
        await played_over_sockets(folder, everybody())
        assert (folder / LOG_FILE).read_bytes() == whole


async def test_a_client_that_cannot_be_told_the_game_is_out_before_the_first_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sit_and_go_table, "_GREETING_S", 0.05)
    clients = everybody() | {"p1": says_its_version_only, "p3": says_its_version_only}

    found = await played_over_sockets(tmp_path, clients)

    assert {name: fault.kind for name, fault in found.faults.items()} == {"p1": "nonsense", "p3": "nonsense"}
    assert "does not ask for 'game' and 'stacks'" in found.faults["p1"].detail
    # They share the last two places, without a prize.
    assert found.total("p1") == found.total("p3") == -1000.0
    assert "3. p1, p3" in found.note


@pytest.mark.parametrize("leaving", [False, True])
async def test_a_player_who_leaves_in_the_middle_is_folded_or_out(tmp_path: Path, *, leaving: bool) -> None:
    found = await played_over_sockets(tmp_path, everybody() | {"p1": leaves_at(1)}, leaving=leaving)

    log = (tmp_path / LOG_FILE).read_text()
    assert found.faults["p1"].kind == "disconnected"
    assert found.faults["p1"].hand is not None
    assert ("# out p1 disconnected (hand " in log) is leaving
    assert ("# failed p1 disconnected (hand " in log) is not leaving
    assert found.by_default["p1"] == log.count("# absent p1") >= 1
    assert check_log(tmp_path / LOG_FILE, table_of_match(SOCKET_PLAN, MATCH), CARDS) is None


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

    await played_over_sockets(tmp_path, everybody() | {"p1": leaves_and_comes_back})

    assert again.told
    for _, stacks, _, position, own in again.told:
        assert own == "p1"
        assert stacks[position] > 0


@pytest.mark.slow  # with real processes that are killed
@pytest.mark.timeout(600)
def test_a_tournament_of_sit_and_gos_that_was_killed_comes_out_the_same(tmp_path: Path) -> None:
    head = SOCKET_HEAD.replace('game = "nolimit-6p"', 'game = "nolimit-6p"\nmatches = 2')
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
