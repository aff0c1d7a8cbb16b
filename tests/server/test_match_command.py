"""`riverboat match`: what it plays, prints and keeps, with a rake and without; the ACPC's own clients."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.evidence.verdict import FEW, FIXED
from engine.poker.rules import load_game, parse_betting
from protocol.records import parse_hand, parse_score
from server.match.arguments import parse_goal
from server.records.logs import open_log
from server.table.book import rests
from tests.support.commands import run_here
from tests.support.dealer_process import dealer_process, sit_down
from tests.support.matches import raw_bot, result_of, run_match

# --- `riverboat match` as users run it ----------------------------------------------------------------------


def test_the_result_agrees_with_the_log(tmp_path: Path) -> None:
    result = result_of(
        tmp_path, "limit-2p", "A=random", "B=always-raise", "--hands", "40", "--seed", "3", "--out", "m"
    )

    lines = (tmp_path / "m" / "match.log").read_text().splitlines()
    assert lines[0] == "# name/game/hands/seed match limit-2p 40 3"
    hands = [record for line in lines if (record := parse_hand(line))]
    score = parse_score(lines[-1])
    assert score is not None
    assert len(hands) == result["hands"] == result["deals"] == 40
    assert score[1] == ("A", "B")
    for seat, player in enumerate(result["players"]):
        assert (player["name"], player["seat"]) == (score[1][seat], seat)
        chips = [record.chips[record.names.index(player["name"])] for record in hands]
        assert player["chips"] == pytest.approx(sum(chips)) == pytest.approx(score[0][seat])
        assert player["mbb_per_hand"] == pytest.approx(sum(chips) / 40 / 10 * 1000)
        assert player["sb_per_hand"] == pytest.approx(sum(chips) / 40 / 10)
        assert player["ci95"] > 0
        assert set(player["decision_seconds"]) == {"median", "p99", "max"}
        assert "failure" not in player
    assert result["logs"] == ["m/match.log"]
    stored = json.loads((tmp_path / "m" / "result.json").read_text())
    assert {key: stored[key] for key in result} == result
    assert stored["commands"] == ["A=random", "B=always-raise"]
    players = sorted(path.name for path in (tmp_path / "m" / "players").iterdir())
    assert players == ["A.err", "A.out", "B.err", "B.out"]


def test_people_get_a_table_with_intervals(tmp_path: Path) -> None:
    done = run_match(
        tmp_path, "kuhn-2p", "always-call", "always-fold", "--hands", "20", "--seed", "1", "--in-process"
    )

    assert done.returncode == 0
    assert "kuhn-2p: 20 hands, seed 1" in done.stdout
    assert "mbb/h" in done.stdout
    assert "sb/h" in done.stdout
    assert "±" in done.stdout
    assert list((tmp_path / "matches").glob("*-kuhn-2p/match.log"))


def test_the_intervals_of_few_hands_are_no_95_percent_and_of_none_nothing_is_said(tmp_path: Path) -> None:
    words = ("leduc", "always-call", "random", "--luck", "equity", "--in-process", "--hands")
    few = run_match(tmp_path, *words, "12", "--out", "few").stdout
    paired = run_match(tmp_path, *words, "60", "--out", "paired", "--duplicate").stdout
    enough = run_match(tmp_path, *words, "100", "--out", "enough").stdout
    quitter = raw_bot(tmp_path, "quitter", "sys.exit()")
    none = run_match(tmp_path, "leduc", quitter, "random", "--hands", "9", "--on-failure", "acpc").stdout

    for text in (few, paired):
        assert f"\n±: {FEW}\n" in text
        assert not re.search(r"\(95 %|×|the pairing", text)
    assert f"\n±: {FIXED}\n" in enough
    assert "mbb/h (95 %)" in enough
    assert "leduc: 0 hands" in none
    assert not re.search("±|95 %", none)


@pytest.mark.parametrize(
    ("misbehave", "word"),
    [("if number == 9: sys.exit('out of ideas')", "crashed"), ("if number == 9: sys.exit()", "disconnected")],
)
def test_a_player_that_leaves_is_folded_for(tmp_path: Path, misbehave: str, word: str) -> None:
    bot = raw_bot(tmp_path, "quitter", misbehave)
    result = result_of(
        tmp_path, "limit-2p", bot, "always-call", "--hands", "30", "--seed", "1", "--out", "m", status=3
    )

    assert result["hands"] == 30
    quitter, other = result["players"]
    assert quitter["failure"] == word
    assert "failure" not in other
    if "ideas" in misbehave:
        assert quitter["failure_detail"] == (
            "ended with exit status 1: out of ideas; its output: m/players/quitter.err"
        )
    log = (tmp_path / "m" / "match.log").read_text().splitlines()
    assert sum(line.startswith("STATE:") for line in log) == 30
    assert any(line.startswith("# seat 1 (quitter) disconnected: ") for line in log)


def test_nonsense_and_silence_have_their_words(tmp_path: Path) -> None:
    junk = raw_bot(tmp_path, "junk", "dealer.write(b'what?\\n' * 5); dealer.flush(); continue")
    mute = raw_bot(tmp_path, "mute", "continue")
    options = ("--hands", "10", "--response-time", "0.3", "--first-response-time", "0.3", "--out", "m")
    result = result_of(tmp_path, "limit-3p", junk, mute, "always-call", *options, status=3)

    assert result["hands"] == 10
    assert [player.get("failure") for player in result["players"]] == ["nonsense", "stalled", None]


def test_answers_that_the_house_changed_are_counted_and_shown(tmp_path: Path) -> None:
    bot = raw_bot(tmp_path, "B", "dealer.write(line.rstrip() + b':r\\r\\n'); dealer.flush(); continue")
    done = run_match(tmp_path, "nolimit-2p", bot, "random", "--hands", "20", "--out", "m")
    changed = json.loads((tmp_path / "m" / "result.json").read_text())["players"][0]["answers_changed"]

    assert changed["called"] == changed["answers"] > 0
    told = f"B: {changed['called']} of {changed['answers']} answers were illegal and played as calls"
    assert told in done.stdout.splitlines()
    assert told in run_here("report", tmp_path / "m").output
    assert (
        "WARNING: seat 1 (B): bad action format in response, changed to call"
        in (tmp_path / "m" / "dealer.err").read_text()
    )


def test_the_abort_policy_ends_the_match_with_the_first_failure(tmp_path: Path) -> None:
    bot = raw_bot(tmp_path, "quitter", "if number == 9: sys.exit()")
    words = ("limit-2p", bot, "always-call", "--hands", "30", "--on-failure", "abort", "--out", "m")
    result = result_of(tmp_path, *words, status=3)

    assert result["hands"] < 30
    log = (tmp_path / "m" / "match.log").read_text()
    assert "# seat 1 (quitter) disconnected: " in log
    assert "SCORE" not in log


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.slow
def test_a_bot_against_itself_wins_nothing_in_a_duplicate_match(tmp_path: Path, jobs: str) -> None:
    words = ("limit-2p", "A=random", "B=random", "--hands", "25", "--seed", "5", "--duplicate", "--out", "m")
    result = result_of(tmp_path, *words, "--jobs", jobs)

    assert (result["hands"], result["deals"], result["duplicate"]) == (50, 25, True)
    assert [(player["chips"], player["ci95"]) for player in result["players"]] == [(0, 0), (0, 0)]
    assert result["logs"] == ["m/pass-0/match.log", "m/pass-1/match.log"]
    logs = [(tmp_path / log).read_text() for log in result["logs"]]
    assert [line.rsplit(":", 1)[0] for line in logs[0].splitlines()[4:]] == [
        line.rsplit(":", 1)[0] for line in logs[1].splitlines()[4:]
    ]


@pytest.mark.slow
def test_the_table_of_a_duplicate_match_shows_both_intervals(tmp_path: Path) -> None:
    done = run_match(
        tmp_path, "limit-2p", "random", "always-call", "--hands", "100", "--seed", "2", "--duplicate"
    )

    assert done.returncode == 0
    assert "limit-2p: 200 hands (100 deals, duplicate), seed 2" in done.stdout
    assert f"plain ({FIXED})" in done.stdout
    assert "the pairing saved" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_duplicate_match_ends_when_its_results_are_known(tmp_path: Path, jobs: str) -> None:
    """A bot against itself on the same cards; what it can win is bounded, so that this is known soon."""
    words = ("kuhn-2p", "A=always-call", "B=always-call", "--duplicate", "--until", "± 25", "--seed", "5")
    result = result_of(tmp_path, *words, "--jobs", jobs, "--hands", "2000", "--out", "m")

    deals = result["deals"]
    assert result["hands"] == 2 * deals
    assert 100 < deals < 1000
    assert deals in rests(2000)  # the passes wait for each other now and then, not after every deal
    assert result["until"] == {"goal": "within", "mbb_per_hand": 25, "reached": True}
    assert [player["chips"] for player in result["players"]] == [0, 0]
    assert all(0 < player["ci95"] <= 25 for player in result["players"])
    assert result["verdict"]["words"] == "equal within ± 25 mbb/h"
    for log in result["logs"]:
        lines = (tmp_path / log).read_text().splitlines()
        assert lines[-2] == f"# ended after {deals} of 2000 hands"
        assert parse_score(lines[-1]) is not None


def test_a_match_ends_with_the_hand_that_decides_it(tmp_path: Path) -> None:
    words = ("kuhn-2p", "A=always-fold", "B=always-raise", "--until", "decided", "--seed", "5", "--out", "m")
    result = result_of(tmp_path, *words, "--in-process")

    assert result["until"] == {"goal": "decided", "mbb_per_hand": None, "reached": True}
    assert result["verdict"]["words"] == "B is better"
    assert result["verdict"]["deals"] == result["hands"] < 100
    (pair,) = result["verdict"]["pairs"]
    low, high = pair["lead_mbb_per_hand"]
    assert -2000 <= low < high < 0
    lines = (tmp_path / "m" / "match.log").read_text().splitlines()
    assert f"# ended after {result['hands']} of 100000 hands" in lines


@pytest.mark.slow
def test_a_match_of_fixed_length_has_the_verdict_of_its_table(tmp_path: Path) -> None:
    """One that may end early has wider intervals, which hold whenever you look."""
    words = ("kuhn-2p", "random", "always-call", "--hands", "300", "--seed", "3", "--luck", "off", "--out")
    plain = result_of(tmp_path, *words, "plain")
    looked = result_of(tmp_path, *words, "looked", "--until", "0.5")

    assert "until" not in plain
    assert looked["until"] == {"goal": "within", "mbb_per_hand": 0.5, "reached": False}
    assert looked["hands"] == plain["hands"] == 300
    for result in (plain, looked):
        low, high = result["verdict"]["pairs"][0]["lead_mbb_per_hand"]
        player = result["players"][0]
        assert player["ci95"] == pytest.approx(
            max(high - player["mbb_per_hand"], player["mbb_per_hand"] - low)
        )
    for before, after in zip(plain["players"], looked["players"], strict=True):
        assert before["chips"] == after["chips"]
        assert before["ci95"] < after["ci95"]


@pytest.mark.slow
def test_people_are_told_the_verdict(tmp_path: Path) -> None:
    words = ("kuhn-2p", "A=always-fold", "B=always-raise", "--seed", "5")

    fixed = run_match(tmp_path, *words, "--hands", "200")
    looked = run_match(tmp_path, *words, "--until", "decided")

    (shown,) = re.findall(
        r"^verdict: B is better: (\S+ ± \S+) mbb/h \(95 %, fixed\)$", fixed.stdout, re.MULTILINE
    )
    assert re.search(rf"^B .*{re.escape(shown)}", fixed.stdout, re.MULTILINE)
    assert "--until" not in fixed.stdout
    assert "\n±: 95 %, whenever you look\n" in looked.stdout
    assert "--until decided was reached" in looked.stdout


@pytest.mark.slow
def test_a_player_that_learns_has_no_interval_over_hands(tmp_path: Path) -> None:
    words = ("limit-2p", "winning-hand-learner", "always-call", "--hands", "300", "--seed", "3", "--out")
    learnt = result_of(tmp_path, *words, "m")
    learns = learnt["verdict"]
    words = ("limit-2p", "winning-hand-learner:learn=off", *words[2:])
    plays = result_of(tmp_path, *words, "n")["verdict"]

    assert learns["rule"] == "empirical-Bernstein confidence sequence"
    assert learns["note"].startswith("winning-hand-learner learns while playing: ")
    low, high = learns["pairs"][0]["lead_mbb_per_hand"]
    assert [player["ci95"] for player in learnt["players"]] == pytest.approx([(high - low) / 2] * 2)
    assert plays["rule"] == "normal interval of a number of deals fixed in advance"
    assert "note" not in plays


@pytest.mark.parametrize("text", ["decided", "12.5", "± 12.5", "+-0.1", "1e-3", "33.333333333333336"])
def test_a_goal_is_read_as_it_is_kept_for_a_resumed_match(text: str) -> None:
    goal = parse_goal(text)

    assert parse_goal(goal.as_argument()) == goal
    assert (goal.within is None) == (text == "decided")


@pytest.mark.slow
def test_progress_goes_to_stderr_also_where_the_result_is_json(tmp_path: Path) -> None:
    done = run_match(tmp_path, "kuhn-2p", "A=random", "B=random", "--hands", "3000", "--json")

    assert done.returncode == 0
    json.loads(done.stdout)
    assert re.search(r"^\d+ of 3000 hands: A [+-][\d.]+ ± [\d.]+ mbb/h", done.stderr, re.MULTILINE)
    assert all(len(line) <= 80 for line in done.stderr.splitlines())


def test_a_pass_that_is_cut_short_keeps_no_other_waiting(tmp_path: Path) -> None:
    leaver = raw_bot(tmp_path, "leaver", "if number > 40: sys.exit(1)")
    words = ("limit-2p", "always-call", leaver, "--on-failure", "abort", "--duplicate", "--until", "1")
    result = result_of(tmp_path, *words, "--hands", "1000", "--out", "m", status=3)

    assert (result["players"][1]["failure"], result["until"]["reached"]) == ("crashed", False)


# --- `--rake` -----------------------------------------------------------------------------------------------


def test_a_match_with_a_rake_says_what_was_taken_and_is_verified(tmp_path: Path) -> None:
    words = ("limit-3p", "random", "random", "random", "--hands", "60", "--seed", "3", "--rake", "5%,3")

    result = result_of(tmp_path, *words, "--in-process", "--out", "m")

    taken = -sum(player["chips"] for player in result["players"])
    assert result["rake"] == {"percent": 5.0, "cap": 30.0, "taken": pytest.approx(taken)}
    assert taken > 0
    log = (tmp_path / "m/match.log").read_text()
    assert "\n# rake 5 % up to 30 chips\nSTATE:0:" in log
    assert f"\n# taken by the house: {taken:.6f}".rstrip("0").rstrip(".") in log
    alone = tmp_path / "alone.log"
    alone.write_text(log)
    for path in (tmp_path / "m/match.log", alone):
        assert open_log(path).game.has_rake
        found = run_here("verify", path, "--json")
        said = json.loads(found.stdout)
        assert (said["valid"], said["hands"]) == (True, 60)
    unraked = tmp_path / "unraked.log"
    unraked.write_text(log.replace("# rake 5 % up to 30 chips\n", ""))
    assert run_here("verify", unraked).exit_code == 1
    report = run_here("report", alone, "--json", "--luck", "off")
    assert report.exit_code == 0, report.output
    assert sum(player["chips"] for player in json.loads(report.stdout)["players"]) == pytest.approx(-taken)


@pytest.mark.slow  # two matches of the command
def test_over_sockets_and_resumed_it_is_the_same(tmp_path: Path) -> None:
    words = ("leduc", "random", "random", "--hands", "40", "--seed", "3", "--rake", "10%")

    for name, more in (("sockets", ()), ("alone", ("--in-process",))):
        result_of(tmp_path, *words, "--out", name, *more)

    one, other = ((tmp_path / name / "match.log").read_text() for name in ("sockets", "alone"))
    assert one == other
    assert "# rake 10 %\n" in one


def test_the_dealer_takes_it_as_a_match_does(tmp_path: Path) -> None:
    game = load_game("leduc")

    def call(line: str) -> str | None:
        _, position, _, betting, _ = line.split(":", 4)
        return "c" if parse_betting(game, betting).position_to_act == int(position) else None

    with dealer_process(["m", "leduc", "30", "7", "ann", "bob", "-q", "--rake", "10%"], tmp_path) as dealer:
        players = sit_down(dealer.ports, call)
        status, _ = dealer.finish()
    for player in players:
        player.join()

    assert status == 0
    log = (tmp_path / "m.log").read_text()
    states = [line.split(":") for line in log.splitlines() if line.startswith("STATE:")]
    # Two chips in every pot that both call down: who wins alone is left nine tenths of the other's, less 0.1.
    values = [sorted(map(float, state[-2].split("|"))) for state in states]
    assert {tuple(value) for value in values} == {(-1.0, 0.8), (-0.1, -0.1)}
    taken = -sum(sum(value) for value in values)
    assert "# rake 10 %\nSTATE:0:" in log
    assert f"# taken by the house: {taken:.6f}".rstrip("0").rstrip(".") in log
    verified = run_here("verify", tmp_path / "m.log", "--json")
    assert json.loads(verified.stdout)["valid"] is True


# --- The ACPC's own clients at our table, where `ACPC_PLAYER` names one -------------------------------------


@pytest.mark.skipif("ACPC_PLAYER" not in os.environ, reason="needs an ACPC client, named in ACPC_PLAYER")
@pytest.mark.parametrize(
    ("game", "num_seats"),
    [("holdem.limit.2p.reverse_blinds", 2), ("holdem.nolimit.3p", 3), ("short6", 6), ("tiny10", 10)],
)
def test_unmodified_clients_play_a_match_at_our_table(game: str, num_seats: int, tmp_path: Path) -> None:
    names = [f"p{seat}" for seat in range(num_seats)]
    with dealer_process(["m", f"{game}.game", "100", "7", *names, "-q"], tmp_path) as dealer:
        command = [os.environ["ACPC_PLAYER"], str(tmp_path / f"{game}.game"), "127.0.0.1"]
        players = [
            subprocess.Popen([*command, str(port)], stderr=subprocess.DEVNULL) for port in dealer.ports
        ]
        status, score = dealer.finish()
        statuses = [player.wait() for player in players]

    log = (tmp_path / "m.log").read_text()
    assert (status, statuses) == (0, [0] * num_seats)
    assert log.count("STATE:") == 100
    assert log.endswith(score)
    assert "WARNING" not in dealer.stderr


COMES_BACK = """\
import socket, sys
lines = 0
while True:  # it leaves after every third line, and comes back at once
    try:
        connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        dealer = connection.makefile("rwb")
        dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
        for number, line in enumerate(dealer):
            lines += 1
            dealer.write(line.rstrip() + b":c\\n"); dealer.flush()
            if number == 2: break
        connection.shutdown(socket.SHUT_RDWR)
    except ConnectionError:
        if lines > 100: break
"""


@pytest.mark.slow
def test_a_player_that_comes_back_at_once_misses_no_hand(tmp_path: Path) -> None:
    (tmp_path / "fickle.py").write_text(COMES_BACK)
    words = ("kuhn-2p", f"{sys.executable} fickle.py", "always-call", "--hands", "40", "--out", "m")
    result = result_of(tmp_path, *words, status=3)

    assert (result["hands"], result["players"][0]["failure"]) == (40, "disconnected")
    assert "hands_by_default" not in result["players"][0]
    assert json.loads((tmp_path / "m" / "result.json").read_text())["options"]["grace"] == 2.0


def test_a_match_that_is_refused_leaves_no_folder(tmp_path: Path) -> None:
    refused = run_match(tmp_path, "limit-2p", "always-call", "always-fold", "--ports", "1,2,3")

    assert refused.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_game_without_bounds_has_no_goal(tmp_path: Path) -> None:
    game = (
        "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 1\nblind = 2 1\nnumSuits = 4\nnumRanks = 13\n"
        "numHoleCards = 2\nnumBoardCards = 0\nEND GAMEDEF\n"
    )
    (tmp_path / "deep.game").write_text(game)
    players = ("deep.game", "always-call", "always-call")

    refused = run_match(tmp_path, *players, "--until", "decided")
    played = result_of(tmp_path, *players, "--hands", "20", "--out", "m")

    assert refused.returncode == 2
    assert "deep.game names no stacks" in refused.stderr
    assert played["verdict"]["words"] == "too few hands: 20 deals, 100 are the least for a verdict"
