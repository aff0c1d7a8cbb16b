"""``riverboat tournament``: from a file to a result, and what is refused in a file."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Final

import pytest

from engine.poker.match_key import parse_match_seed
from server.league.checking import check_tournament
from server.league.formats.round_robin import ROUND_ROBIN
from server.league.formats.schedule import FORMATS
from server.league.house import Folder
from server.league.match import match_cards
from server.league.plan import Match, Rule, RunOff
from server.league.plan_file import parse_plan
from server.support.toml_text import FileMistake
from tests.server.league.houses import HEAD, plan_of, plan_text, played
from tests.support.cases import cases
from tests.support.commands import run_here
from tests.support.dealer_process import PATIENCE_S, ROOT, completed, started
from tests.support.limits import run_with_small_disk
from tests.support.matches import raw_bot

# --- `riverboat tournament` ---------------------------------------------------------------------------------

PROCESSES: Final = HEAD.replace("in_process = true\n", "").replace("matches = 2\n", "")
PLAYERS: Final = ("random", "always-call", "always-raise")


def write(folder: Path, text: str) -> None:
    (folder / "cup.toml").write_text(text)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return completed("tournament", "cup.toml", "--out", "cup", *words, folder=folder, seconds=1100)


def result(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "cup/result.json").read_text())
    return {key: value for key, value in found.items() if key != "seconds"}


def test_a_tournament_is_a_file_and_a_folder(tmp_path: Path) -> None:
    write(tmp_path, plan_text(*PLAYERS))

    done = run_here("tournament", "cup.toml", "--out", "cup", "--json", folder=tmp_path)

    assert done.exit_code == 0, done.stderr
    assert all(re.match(r"\d of 6 matches", line) for line in done.stderr.splitlines())
    content = json.loads(done.stdout)
    assert (content["complete"], len(content["players"])) == (True, 3)
    for player in content["players"]:
        assert player.keys() >= {"name", "rank", "rank_low", "rank_high", "mbb_per_hand", "ci95", "hands"}
        assert player["rank_low"] <= player["rank"] <= player["rank_high"]
        assert player["hands"] == 2 * 2 * 2 * 12
    assert len(content["pairs"]) == 3
    for pair in content["pairs"]:
        assert pair.keys() >= {"players", "mbb_per_hand", "ci95", "hands"}
        assert pair["hands"] == 2 * 2 * 12
    assert content == json.loads((tmp_path / "cup/result.json").read_text())
    assert check_tournament(tmp_path / "cup").problem is None


@pytest.mark.parametrize(
    ("player", "told"),
    [
        (
            "allways-call",
            "16:1: there is neither a bot nor a program 'allways-call' (did you mean always-call",
        ),
        ("random:rase=0.3", "16: random has no option 'rase'; it has fold="),
    ],
)
def test_a_mistake_in_the_file_is_a_usage_error(player: str, told: str, tmp_path: Path) -> None:
    write(tmp_path, plan_text("random", player))

    done = run_here("tournament", "cup.toml", "--out", "cup", folder=tmp_path)

    assert done.exit_code == 2
    assert f"cup.toml:{told}" in done.stderr
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["none.toml", "--out", "cup"], "none.toml cannot be read: No such file or directory"),
        (["cup.toml", "--resume"], "--resume needs --out DIR"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, plan_text("random", "always-call"))

    done = run_here("tournament", *words)

    assert done.exit_code == 2
    assert complaint in done.stderr


def test_two_tournaments_do_not_play_in_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = plan_text("random", "always-call")
    write(tmp_path, text)
    first = Folder.open(tmp_path / "cup", plan_of(text), text, print, resume=False)

    done = run_here("tournament", "cup.toml", "--out", "cup", "--resume")
    first.close()

    assert done.exit_code == 2
    assert "something else is being played in cup: name another folder" in done.stderr


@pytest.mark.slow
def test_without_sockets_it_is_the_same_tournament(tmp_path: Path) -> None:
    results = []
    for name, text in (
        ("sockets", PROCESSES),
        ("none", PROCESSES.replace("seed", "in_process = true\nseed", 1)),
    ):
        (tmp_path / name).mkdir()
        write(tmp_path / name, plan_text(*PLAYERS, head=text))
        assert run(tmp_path / name).returncode == 0
        results.append(result(tmp_path / name))

    assert results[0] == results[1]


@pytest.mark.slow  # with real processes that are killed
@pytest.mark.timeout(600)
@pytest.mark.parametrize("has_seed", [True, False])
def test_a_tournament_of_processes_that_was_killed_ten_times_comes_out_the_same(
    tmp_path: Path, has_seed: bool
) -> None:
    head = PROCESSES if has_seed else re.sub("seed = .*\n", "", PROCESSES)
    text = plan_text(*PLAYERS, head=head.replace("hands = 12", "hands = 150"))
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, text)
    began = time.monotonic()
    assert run(tmp_path / "whole").returncode == 0
    took = time.monotonic() - began
    drawn = random.Random(4)

    for _ in range(10):
        words = ("tournament", "cup.toml", "--out", "cup", "--resume")
        process = started(*words, folder=tmp_path / "killed", is_heard=False)
        time.sleep(drawn.uniform(0, took / 3))  # a moment that nobody chooses
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)

    done = run(tmp_path / "killed", "--resume")
    assert done.returncode == 0, done.stderr
    if has_seed:
        assert result(tmp_path / "killed") == result(tmp_path / "whole")
    assert check_tournament(tmp_path / "killed/cup").problem is None


@pytest.mark.slow  # sixty-nine matches of two games
@pytest.mark.timeout(1200)
def test_twelve_entrants_of_whom_three_are_broken_are_ranked_unattended(tmp_path: Path) -> None:
    good = ["random", "always-call", "always-raise", "always-fold", "random:raise=0.5", "random:raise=0.1"]
    broken = {
        "crash": raw_bot(tmp_path, "crash", "if number == 7: sys.exit('out of luck')"),
        "stall": raw_bot(tmp_path, "stall", "if number == 9: import time; time.sleep(600)"),
        "nonsense": raw_bot(tmp_path, "nonsense", "line = b'what?' if number > 8 else line"),
    }
    limits = "[limits]\nresponse_time = 2\ngrace = 0.1\n"
    head = PROCESSES.replace("[game]\n", "[[games]]\n").replace("hands = 12\n", "hands = 6\n")
    head = (
        limits
        + head.replace('"leduc"', '"limit-2p"')
        + '[[games]]\ngame = "nolimit-6p"\nhands = 3\ntables = 3\n'
    )
    text = plan_text(*good, *good[:3], head=head)
    text += "".join(
        f'[[players]]\nname = "{name}"\nplayer = "{command}"\n' for name, command in broken.items()
    )
    write(tmp_path, text)

    done = run(tmp_path, "--json", "--workers", "4")  # most of the time is waiting for those who are broken

    assert done.returncode == 3, done.stderr
    content = json.loads(done.stdout)
    assert (content["complete"], len(content["players"])) == (True, 12)
    assert {each["player"] for each in content["failures"]} == {*broken}
    kinds = {player["name"]: player.get("failure") for player in content["players"]}
    assert (kinds["crash"], kinds["stall"], kinds["nonsense"]) == ("crashed", "stalled", "nonsense")
    assert [game["game"] for game in content["games"]] == ["limit-2p", "nolimit-6p"]
    assert check_tournament(tmp_path / "cup").problem is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "lost"), [("fold", True), ("forfeit", True), ("disqualify", False), ("restart", True)]
)
def test_a_player_who_fails_is_dealt_with_as_the_file_says(rule: str, tmp_path: Path, *, lost: bool) -> None:
    crash = raw_bot(tmp_path, "crash", "if number == 20: sys.exit(3)")
    text = f'[failures]\nrule = "{rule}"\n[limits]\ngrace = 0.1\n' + plan_text(
        "always-call", "random", head=PROCESSES
    )
    write(tmp_path, text + f'[[players]]\nname = "crash"\nplayer = "{crash}"\n')

    done = run(tmp_path, "--json")

    assert done.returncode == 3, done.stderr
    content = json.loads(done.stdout)
    row = next(player for player in content["players"] if player["name"] == "crash")
    assert row["failure"] == "crashed"
    if row.get("hands_not_played"):  # as a match says it
        assert "the house played for it in" in (tmp_path / "cup" / "report.html").read_text("utf-8")
    assert bool(row.get("disqualified")) is not lost
    if lost:
        assert row["hands_not_played"] > 0 or rule == "restart"
        assert len(content["pairs"]) == 3
    else:
        assert [pair["players"] for pair in content["pairs"]] == [["p0", "p1"]]
        assert content["players"][-1] is not None
        assert (row["rank"], row["mbb_per_hand"]) == (3, None)


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    write(tmp_path, plan_text("random", "always-call"))

    done = run_with_small_disk(["tournament", "cup.toml", "--out", "cup"], tmp_path, 1000)

    assert done.returncode in (1, 2)
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith(("Usage", "Try"))]
    assert any("File too large" in line for line in lines)
    again = run(tmp_path, "--resume")
    assert again.returncode == 0, again.stderr
    assert result(tmp_path)["complete"] is True


@pytest.mark.slow
def test_ctrl_c_ends_in_good_order_and_says_how_to_go_on(tmp_path: Path) -> None:
    write(tmp_path, plan_text(*PLAYERS, head=PROCESSES.replace("hands = 12", "hands = 3000")))
    process = started("tournament", "cup.toml", "--out", "cup", folder=tmp_path)
    deadline = time.monotonic() + PATIENCE_S
    while not list((tmp_path / "cup").rglob("progress.json")) if (tmp_path / "cup").exists() else True:
        assert time.monotonic() < deadline
        time.sleep(0.05)  # until another process has come so far
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert "not complete" in stdout
    assert stderr.splitlines()[-1] == "to go on with it: riverboat tournament cup.toml --out cup --resume"
    assert result(tmp_path)["complete"] is False


@pytest.mark.slow
@pytest.mark.parametrize("removed", [".", "../out/matches"])
def test_a_bot_that_removes_its_working_directory_is_told_in_a_line(removed: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    removes = raw_bot(work, "removes", f"import shutil; shutil.rmtree({removed!r}, ignore_errors=True)")
    players = f'[[players]]\nname = "r"\nplayer = "{removes}"\n[limits]\nsandbox = false\n'
    write(work, plan_text("always-call", "random", head=PROCESSES) + players)
    shutil.copy(work / "cup.toml", tmp_path)

    done = run(work, "--out", str(tmp_path / "out"))

    others = re.compile(r"\d of 3 matches|to go on with it|no sandbox: ")
    lines = [line for line in done.stderr.splitlines() if not others.match(line)]
    assert done.returncode in (1, 3)
    assert "Errno" not in done.stderr
    assert "Traceback" not in done.stderr
    assert len(lines) <= 1


# --- docs/tournaments.md ------------------------------------------------------------------------------------

GUIDE: Final = (ROOT / "docs/tournaments.md").read_text("utf-8")
EXAMPLE: Final = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[0]


@pytest.mark.usefixtures("arena_workers")
def test_the_example_is_played(tmp_path: Path) -> None:
    plan = plan_of(EXAMPLE)
    assert plan.names == ("call", "wild", "always-raise")

    content = played(tmp_path, EXAMPLE.replace("seed = 7", "in_process = true\nseed = 7"))

    assert content["hands"] == 3 * 3 * 2 * 20
    assert {player["name"] for player in content["players"]} == set(plan.names)


def test_every_key_format_and_rule_is_described() -> None:
    files = ("server/league/plan_file.py", "server/table/rules/sit_and_go.py")
    source = "".join([(ROOT / file).read_text("utf-8") for file in files])
    keys = set(
        re.findall(r'\.(?:text|texts|whole|flag|choice|number|numbers|whole_or_\w+)\(\s*"(\w+)"', source)
    )
    words = set(re.findall(r"[\w-]+", GUIDE))

    assert len(keys) > 20
    assert keys - words == {"minutes"}  # levels by time are for rooms
    assert FORMATS.keys() - words == set()
    assert {each.value for each in Rule} - words == set()


# --- FILE.toml ----------------------------------------------------------------------------------------------

ISSUE: Final = Path(__file__).with_name("least.toml").read_text("utf-8")


def test_the_least_file_is_a_duplicate_round_robin() -> None:
    plan = plan_of(ISSUE)

    assert (plan.name, plan.format, plan.seed) == ("cup", ROUND_ROBIN, "7")
    assert (plan.names, plan.entrants[1].text) == (("call", "Ann"), "python bots/ann.py --fast")
    assert plan.entrants[1].members == ("Ann", "Bo")
    (event,) = plan.events
    assert (event.hands, event.duplicate, event.matches, event.passes) == (200, True, 1, 2)
    assert plan.failures.rule is Rule.FAIR
    assert plan.run_off is RunOff.BANKROLL


@pytest.mark.parametrize(("old", "new", "complaint"), cases(__file__, "mistakes"))
def test_a_mistake_is_told_with_its_line(old: str, new: str, complaint: str) -> None:
    assert old in ISSUE

    with pytest.raises(FileMistake, match=r"^cup\.toml:[^\n]*\Z") as caught:
        parse_plan(ISSUE.replace(old, new, 1), Path("cup.toml"))

    assert complaint in str(caught.value)


def test_a_match_has_a_folder_of_its_own_whatever_its_players_are_called() -> None:
    matches = [
        Match(0, 1, ("a", "b")), Match(0, 2, ("a", "b")), Match(1, 1, ("a", "b")),
        Match(0, 1, ("a", "b"), "final"), Match(0, 1, ("a-v-b", "c")), Match(0, 1, ("a", "b-v-c")),
        Match(0, 1, ("ä", "b")), Match(0, 1, ("ö", "b")), Match(0, 1, ("x" * 100, "b")),
        Match(0, 1, ("x" * 100, "c")),
    ]  # fmt: skip

    assert matches[0].id == "a-v-b-001"
    assert len({match.id for match in matches}) == len(matches)
    assert all(len(match.id) < 120 and match.id.isascii() for match in matches)


def test_matches_of_a_number_have_the_same_cards_unless_the_file_says_otherwise() -> None:
    for text in ("7", "ab" * 32):
        seed = parse_match_seed(text)
        one, other, third = Match(0, 1, ("a", "b")), Match(0, 1, ("a", "c")), Match(0, 2, ("a", "b"))
        assert match_cards(seed, one, common=True) == match_cards(seed, other, common=True)
        assert match_cards(seed, one, common=True) != match_cards(seed, third, common=True)
        assert match_cards(seed, one, common=False) != match_cards(seed, other, common=False)
        assert match_cards(seed, one, common=True) != match_cards(seed, Match(1, 1, ("a", "b")), common=True)
