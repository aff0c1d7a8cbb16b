"""``--rake``: matches, logs and what reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.commands import riverboat
from server.report.logs import open_log
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


def test_what_is_no_rake_is_refused(tmp_path: Path) -> None:
    done = run_match(tmp_path, "leduc", "random", "random", "--rake", "half")

    assert done.returncode == 2
    assert "--rake: expected a rake such as 5% or 5%,3" in done.stderr
