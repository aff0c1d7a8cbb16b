"""``riverboat match --jobs N`` and ``--in-process``: shared hands come to the match of one table."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

import pytest
import trio
from hypothesis import given, strategies as st

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import installed_bots, make_bot
from engine.poker.rules import Action, HandView, load_game
from server.match.shards import Division, Frame, Readiness, ShardFailure, ShardOrder, Share
from server.table.book import FinishedHand
from tests.server.match.test_resume import COUNTER, cut_short, logs_of, resumed, what_follows_from_the_cards
from tests.support.dealer_process import environment, program
from tests.support.matches import raw_bot, result_of, run_match, start_match

STATELESS: Final = ("random", "always-call", "hand-strength", "formula:model=generic")


def played(folder: Path, name: str, *words: str, status: int = 0) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The logs of a match in a folder of its own, and its result without times."""
    (folder / name).mkdir()
    for program_file in folder.glob("*.py"):
        (folder / name / program_file.name).write_bytes(program_file.read_bytes())
    result = result_of(folder / name, *words, "--out", "m", status=status)
    return logs_of(folder / name), what_follows_from_the_cards(result)


@pytest.mark.slow
def test_the_match_is_that_of_one_table(tmp_path: Path) -> None:
    words = ("leduc", "random", raw_bot(tmp_path, "caller"), "--hands", "60", "--seed", "7")

    one, result = played(tmp_path, "one", *words)
    three, shared = played(tmp_path, "three", *words, "--jobs", "3", "--stateless")

    assert three == one
    for player in result["players"] + shared["players"]:
        player.pop("answers_changed", None)  # how many of its stale answers came before a table ended
    assert shared == result
    assert {each.name for each in (tmp_path / "three/m/players").iterdir() if each.is_dir()} == {
        "table-2",
        "table-3",
    }


COSTLY = """\
from clients import CALL, Agent, run
from protocol.agents.usage import format_usage

class Costly(Agent):
    is_stateless = states_usage = True

    def choose_action(self, view):
        self.usage = format_usage(view.hand_number, view.betting.text, {"in": view.hand_number})
        return CALL

run(Costly)
"""


@pytest.mark.slow
def test_what_decisions_cost_at_all_tables_is_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "costly.py").write_text(COSTLY)
    words = ("leduc", f"{sys.executable} costly.py", "always-call", "--hands", "60", "--seed", "7")

    _, one = played(tmp_path, "one", *words)
    _, two = played(tmp_path, "two", *words, "--jobs", "2", "--stateless")

    files = [(tmp_path / name / "m/usage").read_text() for name in ("one", "two")]
    assert files[0] == files[1]
    assert len(files[0].splitlines()) == 120
    assert one["players"][0]["agent"] == two["players"][0]["agent"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("simple", "simple may carry something from hand to hand: the hands of a pass are not shared out\n"),
        ("hole-cards-learner:knowledge=hc.npz", "hole-cards-learner may learn as the match goes on"),
        ("COUNTER", "counter may carry something from hand to hand: the hands of a pass are not shared out "),
    ],
)
def test_a_bot_that_remembers_plays_all_hands_at_one_table(tmp_path: Path, player: str, told: str) -> None:
    (tmp_path / "counter.py").write_text(COUNTER)
    player = f"{sys.executable} counter.py" if player == "COUNTER" else player
    words = ("nolimit-2p", player, "random", "--hands", "30", "--seed", "3")

    done = run_match(tmp_path, *words, "--jobs", "2", "--out", "m", "--json")

    assert done.returncode == 0, done.stderr
    assert told in done.stderr
    assert ("--stateless" in done.stderr) == player.endswith("counter.py")
    assert not list(tmp_path.glob("m/players/table-*"))
    assert (tmp_path / "m/match.log").read_text().count("STATE:") == 30


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["fold", "abort"])
def test_a_bot_that_fails_at_a_side_table_has_failed_in_the_match(tmp_path: Path, policy: str) -> None:
    # Only the copies of side tables see hand 16, the first of the second share.
    dying = raw_bot(tmp_path, "dying", "assert b':16:' not in line, 'no such hand'")
    words = ("leduc", "random", dying, "--hands", "64", "--seed", "5", "--on-failure", policy)

    done = run_match(tmp_path, *words, "--jobs", "2", "--stateless", "--grace", "0", "--out", "m", "--json")

    result = json.loads(done.stdout)
    assert done.returncode == 3, done.stderr
    assert result["players"][1]["failure"] == "crashed"
    assert "no such hand" in result["players"][1]["failure_detail"]
    log = (tmp_path / "m/match.log").read_text()
    hands = [int(line.split(":")[1]) for line in log.splitlines() if line.startswith("STATE:")]
    if policy == "fold":
        assert hands == list(range(64))
        assert result["players"][1]["hands_by_default"] == 32
        assert "# seat 2 (dying) disconnected" in log
    else:
        assert hands == list(range(16))
        assert "cut_short" not in result


@pytest.mark.slow
def test_a_bot_that_cannot_sit_down_at_a_side_table_ends_the_match(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text(
        "import os, sys\nos.open('here', os.O_CREAT | os.O_EXCL)\nimport caller\n"
    )
    raw_bot(tmp_path, "caller")
    words = ("leduc", f"{sys.executable} once.py", "random", "--hands", "64", "--jobs", "2", "--stateless")

    done = run_match(tmp_path, *words, "--out", "m", "--json")

    failed = json.loads(done.stdout)["players"][0]
    assert done.returncode == 3
    assert failed["failure"] == "crashed"
    assert "FileExistsError" in failed["failure_detail"]
    assert "table-2" in failed["failure_detail"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "hands", "more"),
    [
        (signal.SIGINT, 6000, ("--jobs", "3")),
        (signal.SIGKILL, 6000, ("--jobs", "3")),
        (signal.SIGKILL, 12000, ("--in-process", "--jobs", "2")),
    ],
)
def test_what_was_cut_short_goes_on(
    tmp_path: Path, number: signal.Signals, hands: int, more: tuple[str, ...]
) -> None:
    words = ("leduc", "random", "random", "--hands", str(hands), "--seed", "7")
    cut_short(tmp_path, (*words, *more, "--out", "m"), 500, number)
    log = tmp_path / "m/match.log"
    played = [line.split(":")[1] for line in log.read_text().splitlines() if line.startswith("STATE:")]
    assert played == list(map(str, range(len(played))))
    assert len(played) < hands

    result = resumed(tmp_path)

    (tmp_path / "again").mkdir()
    whole = result_of(tmp_path / "again", *words, "--out", "m", "--in-process")
    assert what_follows_from_the_cards(whole) == what_follows_from_the_cards(result)
    assert log.read_bytes() == (tmp_path / "again/m/match.log").read_bytes()


@pytest.mark.slow
def test_somebody_from_outside_has_a_seat_at_every_table(tmp_path: Path) -> None:
    words = ("leduc", "Ann=wait", "random", "--hands", "60", "--jobs", "2", "--seed", "1")
    match = start_match(tmp_path, *words, stderr=None)
    assert match.stdout is not None
    ports = []
    for table in ("", " at table 2"):
        said = match.stdout.readline()
        assert said.startswith(f"seat 1 (Ann){table}: waiting for a player on 127.0.0.1 port ")
        ports.append(said.split()[-1])
    bots = [
        subprocess.Popen([*program("bot", "random"), "127.0.0.1", port, "--seed", "5"], env=environment())
        for port in ports
    ]
    rest, _ = match.communicate(timeout=60)

    assert match.returncode == 0, rest
    assert [each.wait(timeout=60) for each in bots] == [0, 0]
    assert "leduc: 60 hands" in rest


@pytest.mark.slow  # four matches of the command for each
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "words",
    [
        ("nolimit-3p", "random", "always-call", "random:raise=0.2", "--hands", "100"),
        ("kuhn-2p", "random", "random", "--hands", "200", "--duplicate", "--until", "400"),
        ("kuhn-2p", "always-call", "always-raise", "--until", "decided", "--hands", "3000"),
        ("limit-2p", "hand-strength", "formula:model=generic", "--hands", "40", "--luck", "aivat"),
        ("limit-2p", "formula", "simple", "--hands", "40", "--luck", "aivat"),
        ("limit-2p", "formula", "sampling:trials=20", "--hands", "40", "--duplicate"),
    ],
)
def test_the_match_is_the_same_over_sockets_and_without_at_one_table_and_at_several(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    alone, *others = [
        played(tmp_path, name, *words, "--seed", "7", *more)
        for name, more in {
            "alone": ("--in-process",),
            "shared": ("--in-process", "--jobs", "3"),
            "sockets": (),
            "several": ("--jobs", "4"),
        }.items()
    ]

    assert others == [alone] * 3
    told = [sorted(path.read_text().splitlines()) for path in sorted(tmp_path.glob("*/m/policies"))]
    assert len(told) in (0, 4)
    assert not told or told == [told[0]] * 4
    assert not told or len(told[0]) > 60


def test_a_bot_that_cannot_play_ends_the_match(tmp_path: Path) -> None:
    done = run_match(tmp_path, "leduc", "random", "simple", "--in-process", "--out", "m", "--json")

    assert done.returncode == 3, done.stderr
    failed = json.loads(done.stdout)["players"][1]
    assert failed["failure"] == "crashed"
    assert failed["failure_detail"].startswith("simple plays Texas hold'em only")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("bot", STATELESS)
@pytest.mark.slow
def test_a_bot_that_says_it_is_stateless_plays_every_hand_as_if_it_were_the_first(bot: str) -> None:
    """What sharing hands out rests on: actions, and the chances with which they are drawn."""
    game = load_game("limit-2p")

    def hands(*chunks: range) -> list[str]:
        lines: list[str] = []
        told: list[str] = []
        agent = make_bot(bot)
        choose = agent.choose_action

        def tell_and_choose(view: HandView) -> Action | Awaitable[Action]:
            triples = agent.triples(view)
            told.append("" if triples is None else repr([list(map(float, row)) for row in triples]))
            return choose(view)

        def record(line: str) -> None:
            lines.append(line + "".join(told))
            told.clear()

        agent.choose_action = tell_and_choose  # type: ignore[method-assign]
        arena = Arena(game, [agent, make_bot("random")], 5)
        assert agent.is_stateless
        at = 0
        for chunk in chunks:
            arena.skip(chunk.start - at)
            arena.play(len(chunk), record=record)
            at = chunk.stop
        return lines

    in_order = hands(range(40))

    assert hands(range(10, 20), range(30, 40)) == in_order[10:20] + in_order[30:40]
    assert hands(range(35, 40)) == in_order[35:]


def test_a_bot_that_counts_what_others_do_is_not_stateless() -> None:
    """Only one whose models never change may look at the ends of hands."""
    for name in installed_bots():
        try:
            agent = make_bot(name)
        except OptionError:  # it wants one
            continue
        if agent.is_stateless:
            assert type(agent).hand_finished is Agent.hand_finished, name
            assert type(agent).action_seen is Agent.action_seen, name
    assert not make_bot("simple").is_stateless
    assert not make_bot("formula").is_stateless


class Teller:
    """A member of a division that says which hands it plays."""

    async def play(self, share: Share) -> None:
        self.share = share
        self.hands = itertools.chain.from_iterable(share.chunks())

    async def hand(self) -> FinishedHand:
        return FinishedHand(str(next(self.hands)), ())


@given(st.integers(0, 50), st.integers(0, 300), st.integers(1, 20), st.integers(1, 5), st.booleans())
def test_shares_together_are_all_hands_in_order(
    first: int, hands: int, chunk: int, number: int, plays: bool
) -> None:
    members = [Teller() for _ in range(number)]
    own = [None] if plays else []
    found: list[int] = []

    async def main() -> None:
        division = await Division.begin([*own, *members], first, first + hands, chunk)
        for number in range(first, first + hands):
            played = await division.hand(number)
            found.append(number if played is None else int(played.line))
            if played is None:
                assert any(number in each for each in division.share.chunks())

    trio.run(main)

    assert found == list(range(first, first + hands))
    assert not any(hand for member in members for hand in member.hands)


def test_messages_between_house_and_workers_survive_a_round_trip() -> None:
    order = ShardOrder("GAMEDEF\n", [("random", ["fold=1"]), ("x", [])], ["a", "b"], [1, 2], "7", False)
    failure = ShardFailure(1, "out of ideas", 3)
    ready = Readiness([True, False], failure)
    share = Share(3, 90, 10, 2, 1)
    chips = [[1 / 3, -1 / 3], [2.0, -2.0]]
    frame = Frame(["STATE:0:x\n", "STATE:1:y\n"], chips, failure, ["0 0 - 1 xyz\n", "1 1 r 1 {|}\n"])

    assert ShardOrder.parse(order.line()).line() == order.line()
    assert Readiness.parse(ready.line()) == ready
    assert Share.parse(share.line()) == share
    assert Frame.parse(frame.line()) == frame
