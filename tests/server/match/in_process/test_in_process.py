"""``riverboat match --in-process``: the same match as over sockets, and shared out among processes."""

from __future__ import annotations

import json
import signal
from array import array
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import OptionError, installed_bots, make_bot
from engine.poker.rules import Action, HandView, load_game
from engine.support.files.shards import Frame, FrameHeader, Readiness, ShardFailure, ShardOrder, Share
from server.commands.program import riverboat
from tests.server.match.sittings.test_resume import cut_short, logs_of, resumed, what_follows_from_the_cards
from tests.support.matches import result_of, run_match

STATELESS: Final = ("random", "always-call", "hand-strength", "formula:model=generic")


@pytest.mark.parametrize(
    "words",
    [
        ("nolimit-3p", "random", "always-call", "random:raise=0.2", "--hands", "30"),
        pytest.param(
            ("kuhn-2p", "random", "random", "--hands", "200", "--duplicate", "--until", "400"),
            marks=pytest.mark.slow,
        ),
        pytest.param(("limit-2p", "formula", "simple", "--hands", "100"), marks=pytest.mark.slow),
        pytest.param(
            ("limit-2p", "formula", "sampling:trials=20", "--hands", "40", "--duplicate"),
            marks=pytest.mark.slow,
        ),
    ],
)
@pytest.mark.slow
def test_the_match_is_that_over_sockets(tmp_path: Path, words: tuple[str, ...]) -> None:
    def played(name: str, *more: str) -> tuple[dict[str, bytes], dict[str, Any]]:
        (tmp_path / name).mkdir()
        result = result_of(tmp_path / name, *words, "--out", "m", *more)
        return logs_of(tmp_path / name), what_follows_from_the_cards(result)

    seed = ("--seed", str(result_of(tmp_path, *words, "--out", "key", "--in-process")["key"]))
    sockets, alone, shared = (
        played("sockets", *seed),
        played("alone", *seed, "--in-process"),
        played("shared", *seed, "--in-process", "--jobs", "3"),
    )

    assert sockets == alone == shared
    assert logs_of(tmp_path / "key") == {name.removeprefix("m/"): log for name, log in sockets[0].items()}


@pytest.mark.slow  # three matches of the command
def test_players_disclose_the_same_as_over_sockets_and_aivat_is_the_same(tmp_path: Path) -> None:
    words = ("limit-2p", "formula", "simple", "--hands", "40", "--seed", "5", "--luck", "aivat", "--out")
    evidence, told = [], []

    for name, more in (("sockets", ()), ("alone", ("--in-process",))):
        result = result_of(tmp_path, *words, name, *more)
        evidence.append([player["evidence"]["aivat"] for player in result["players"]])
        told.append(sorted((tmp_path / name / "policies").read_text().splitlines()))

    assert len(told[0]) > 60
    assert told[0] == told[1]
    assert evidence[0] == evidence[1]
    assert evidence[0][0]["ci95"] > 0


@pytest.mark.slow
def test_what_was_cut_short_goes_on(tmp_path: Path) -> None:
    words = ("leduc", "random", "random", "--hands", "12000", "--in-process", "--jobs", "2", "--out", "m")
    cut_short(tmp_path, words, 500, signal.SIGKILL)
    assert (tmp_path / "m/match.log").read_text().count("STATE:") < 12000

    result = resumed(tmp_path)

    whole = result_of(tmp_path, *words[:-2], "--seed", result["key"], "--out", "again")
    assert whole["players"] == result["players"]
    assert (tmp_path / "m/match.log").read_bytes() == (tmp_path / "again/match.log").read_bytes()


def test_a_bot_that_cannot_play_ends_the_match(tmp_path: Path) -> None:
    done = run_match(tmp_path, "leduc", "random", "simple", "--in-process", "--out", "m", "--json")

    assert done.returncode == 3, done.stderr
    failed = json.loads(done.stdout)["players"][1]
    assert failed["failure"] == "crashed"
    assert failed["failure_detail"].startswith("simple plays Texas hold'em only")
    assert "Traceback" not in done.stderr


def test_players_and_options_that_need_sockets_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, fault in {
        ("random", "Ann=wait"): "--in-process is for installed bots: 'Ann=wait' is none",
        ("random", "random", "--response-time", "3"): "'--response-time' does not go with --in-process",
    }.items():
        result = CliRunner().invoke(riverboat, ["match", "leduc", *words, "--in-process"])
        assert result.exit_code == 2
        assert fault in result.stderr


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


@given(st.integers(0, 50), st.integers(0, 300), st.integers(1, 20), st.integers(1, 5))
def test_shares_together_are_all_hands_in_order(first: int, hands: int, chunk: int, stride: int) -> None:
    shares = [Share(first, first + hands, chunk, stride, offset) for offset in range(stride)]
    chunks = [share.chunks() for share in shares]

    found: list[int] = []
    number = 0
    while (numbers := next(chunks[number], None)) is not None:
        found += numbers
        assert {shares[0].offset_of(each) for each in numbers} <= {number}
        number = (number + 1) % stride

    assert found == list(range(first, first + hands))
    assert [list(rest) for rest in chunks] == [[]] * stride


def test_messages_between_house_and_workers_survive_a_round_trip() -> None:
    order = ShardOrder("GAMEDEF\n", (("random", ("fold=1",)), ("x", ())), ("a", "b"), (1, 2), "7", False)
    failure = ShardFailure(1, "out of ideas", 3)
    ready = Readiness((True, False), failure)
    share = Share(3, 90, 10, 2, 1)
    chips = array("d", [1 / 3, -1 / 3, 2, -2])
    frame = Frame(("STATE:0:x\n", "STATE:1:y\n"), chips, failure, ("0 0 - 1 xyz\n", "1 1 r 1 {|}\n"))
    header, _, data = frame.encode().partition(b"\n")

    assert ShardOrder.parse(order.line()) == order
    assert Readiness.parse(ready.line()) == ready
    assert Share.parse(share.line()) == share
    assert Frame.decode(FrameHeader.parse(header), data) == frame
