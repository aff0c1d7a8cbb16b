"""``--rake``: matches, logs and what reads them."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.poker.rules import load_game, parse_betting
from server.commands.program import riverboat
from server.records.logs import open_log
from tests.server.match.test_resume import (
    cut_short,
    logs_of,
    resumed,
    unbroken,
    what_follows_from_the_cards,
)
from tests.support.dealer_process import dealer_process, sit_down
from tests.support.matches import result_of, run_match


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
        found = CliRunner().invoke(riverboat, ["verify", str(path), "--json"])
        said = json.loads(found.stdout)
        assert (said["valid"], said["hands"]) == (True, 60)
    unraked = tmp_path / "unraked.log"
    unraked.write_text(log.replace("# rake 5 % up to 30 chips\n", ""))
    assert CliRunner().invoke(riverboat, ["verify", str(unraked)]).exit_code == 1
    report = CliRunner().invoke(riverboat, ["report", str(alone), "--json", "--luck", "off"])
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
    verified = CliRunner().invoke(riverboat, ["verify", str(tmp_path / "m.log"), "--json"])
    assert json.loads(verified.stdout)["valid"] is True


@pytest.mark.slow  # three times a match of the command
@pytest.mark.timeout(600)
def test_a_raked_match_that_was_cut_short_goes_on_with_its_rake(tmp_path: Path) -> None:
    words = ("limit-2p", "random", "random", "--hands", "150", "--seed", "3", "--rake", "5%,3", "--out", "m")
    status, _, _ = cut_short(tmp_path, words, 20, signal.SIGINT)
    assert status == 130
    assert (tmp_path / "m/match.log").read_text().count("\nSTATE:") < 150

    result = resumed(tmp_path)

    whole = unbroken(tmp_path, *words)
    assert result["rake"] == whole["rake"]
    assert what_follows_from_the_cards(result) == what_follows_from_the_cards(whole)
    assert logs_of(tmp_path / "m") == logs_of(tmp_path / "again" / "m")
    assert (tmp_path / "m/match.log").read_text().count("# taken by the house: ") == 1


def test_what_is_not_a_rake_is_refused(tmp_path: Path) -> None:
    done = run_match(tmp_path, "leduc", "random", "random", "--rake", "half")

    assert done.returncode == 2
    assert "--rake: expected a rake such as 5% or 5%,3" in done.stderr
