"""`riverboat course` and `riverboat new-bot`: what they write works."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.commands.league.course import course
from server.league.course.building import Built, build, version_of, with_players
from server.league.course.folder import students_of
from server.league.course.new_bot import LANGUAGES, new_bot
from server.league.course.nights import BUILT_FILE, students_row
from server.league.plan import Match
from server.league.plan_file import parse_plan
from server.league.running.processes import match_words
from server.match.launching.confinement import why_there_are_none
from server.match.launching.players import BotFile, format_bot_file
from server.support.toml_text import FileMistake
from tests.support.dealer_process import PATIENCE_S, completed

# --- `riverboat course` -------------------------------------------------------------------------------------


def init(folder: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(course, ["init", str(folder), *words])
    return result.exit_code, result.output


def test_a_course_has_a_tournament_a_script_and_a_folder_for_each_student(tmp_path: Path) -> None:
    folder = tmp_path / "poker-101"
    status, said = init(folder, "-s", "ann", "-s", "bob", "--language", "c", "--game", "nolimit-3p")

    file = tomllib.loads((folder / "tournament.toml").read_text())
    assert (status, "2 students" in said) == (0, True)
    assert (file["tournament"]["name"], file["game"]["game"]) == ("poker-101", "nolimit-3p")
    assert "seed" not in file["tournament"]  # nobody knows tomorrow's cards from today's
    assert [each["player"] for each in file["players"]] == ["always-call", "simple"]
    script = re.sub(r"(?m)^riverboat.*\n", "", (folder / "nightly.sh").read_text()) + "command -v riverboat"
    of_cron = {"PATH": "/usr/bin:/bin"}
    found = subprocess.check_output(["sh", "-c", script], env=of_cron, text=True)
    assert Path(found.strip()).parent == Path(sys.executable).parent
    assert os.access(folder / "nightly.sh", os.X_OK)
    assert subprocess.run(["sh", "-n", str(folder / "nightly.sh")], check=False).returncode == 0
    assert [each.name for each in students_of(folder)] == ["ann", "bob"]
    assert tomllib.loads((folder / "students/bob/bot.toml").read_text())["command"] == "./my_bot"


def test_the_tournament_of_a_course_is_one_and_its_limits_reach_the_players(tmp_path: Path) -> None:
    init(tmp_path, "-s", "ann", "--language", "c")
    text = with_players(
        (tmp_path / "tournament.toml").read_text(), [Built(tmp_path / "students/ann", "", True, "")]
    )
    plan = parse_plan(text, tmp_path / "tournament.toml")

    assert plan.names == ("yardstick-call", "yardstick-simple", "ann")
    words = match_words(plan, Match(0, 1, ("ann", "yardstick-call")), tmp_path)
    assert words[words.index("--limits") + 1] == "cpu=3600,memory=2048,file-size=256"
    assert "--sandbox" in words
    assert f"ann={tmp_path / 'students/ann'}" in words


def test_a_bot_that_was_changed_is_another_version(tmp_path: Path) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "my_bot.py").write_text("call")
    first = version_of(tmp_path)
    (tmp_path / "endless").symlink_to("/proc/self/mem")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "__pycache__/my_bot.pyc").write_bytes(b"compiled")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref")
    (tmp_path / "my_bot").write_bytes(b"\x7fELF program")
    assert version_of(tmp_path) == first

    (tmp_path / "my_bot.py").write_text("fold")
    second = version_of(tmp_path)
    with open(tmp_path / "weights.npz", "wb") as file:
        file.truncate(2**40)  # which takes no room on a disk

    assert len({first, second, version_of(tmp_path)}) == 3
    built = Built(tmp_path, "", True, "", second)
    assert f'version = "{second}"' in with_players("", [built])


def test_limits_that_mean_nothing_are_told_with_their_line(tmp_path: Path) -> None:
    init(tmp_path)
    text = (tmp_path / "tournament.toml").read_text().replace("cpu=3600", "cqu=3600")

    with pytest.raises(FileMistake, match=r"cup.toml:\d+:1: .*'cqu=3600' \(did you mean cpu\?\)"):
        parse_plan(text, Path("cup.toml"))


def test_students_come_later_and_nobodys_work_is_overwritten(tmp_path: Path) -> None:
    init(tmp_path, "-s", "ann")
    before = (tmp_path / "tournament.toml").read_text()
    (tmp_path / "students/ann/my_bot.py").write_text("mine")

    assert init(tmp_path, "-s", "bob", "--language", "rust")[0] == 0
    assert init(tmp_path, "-s", "ann") == (2, init(tmp_path, "-s", "ann")[1])
    assert init(tmp_path)[0] == 2
    assert (tmp_path / "students/ann/my_bot.py").read_text() == "mine"
    assert (tmp_path / "tournament.toml").read_text() == before
    assert [each.name for each in students_of(tmp_path)] == ["ann", "bob"]


def test_only_bots_that_passed_play(tmp_path: Path) -> None:
    found = [Built(tmp_path / "ann", "A", True, ""), Built(tmp_path / "bob", "B", False, "no")]
    file = tomllib.loads(with_players('[[players]]\nname = "x"\nplayer = "random"\n', found))

    assert file["players"] == [
        {"name": "x", "player": "random"},
        {"name": "ann", "player": str(tmp_path / "ann")},
    ]


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_students_bots_are_built_and_checked_and_the_broken_are_told(tmp_path: Path) -> None:
    init(tmp_path, "-s", "ann", "-s", "bob", "--language", "c")
    with open(tmp_path / "students/bob/my_bot.c", "a") as file:
        file.write("int main(")

    words = ("course", "build", ".", "--out", "night", "--hands", "20", "--json")
    done = completed(*words, folder=tmp_path)

    said = {each["student"]: each for each in json.loads(done.stdout)["students"]}
    assert (done.returncode, said["ann"]["passed"], said["bob"]["passed"]) == (3, True, False)
    assert "the build ended with exit status 1" in said["bob"]["detail"]
    assert (tmp_path / "night/ann.check.xml").exists()
    file_text = tomllib.loads((tmp_path / "night/tournament.toml").read_text())
    assert [each["name"] for each in file_text["players"]] == ["yardstick-call", "yardstick-simple", "ann"]


PRYING = """
import os, sys
from clients import CALL, Agent, run
for path in ("../bob/secret", "../../tournament.toml"):
    print(path, os.path.exists(path), file=sys.stderr, flush=True)
print("own", os.path.exists("bot.toml"), file=sys.stderr, flush=True)
class Bot(Agent):
    def choose_action(self, view):
        return CALL
run(Bot)
"""


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.skipif(why_there_are_none() is not None, reason="there are no sandboxes here")
def test_a_student_in_a_sandbox_sees_nobody_elses_folder(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        folder = tmp_path / "students" / name
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(PRYING)
        (folder / "bot.toml").write_text(format_bot_file(name, "", "python bot.py"))
        (folder / "secret").touch()
    (tmp_path / "tournament.toml").touch()

    words = ("match", "leduc", "students/ann", "students/bob", "--hands", "5", "--sandbox", "--out", "m")
    done = completed(*words, "--limits", "cpu=60,memory=1024,file-size=10", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    told = (tmp_path / "m/players/ann.err").read_text()
    assert told == "../bob/secret False\n../../tournament.toml False\nown True\n"


# --- `riverboat new-bot` ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_has_all_its_files_and_says_how_it_is_built(language: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(new_bot, ["--language", language, str(tmp_path / "ann")])

    known = LANGUAGES[language]
    folder = tmp_path / "ann"
    said = tomllib.loads((folder / "bot.toml").read_text())
    assert result.exit_code == 0
    assert said == {"name": "ann", "build": known.build, "command": known.command}
    sources = [word for word in shlex.split(known.build) if Path(word).suffix in (".c", ".java", ".rs")]
    assert all((folder / each).is_file() for each in [known.mine, *sources, "README.md"])
    written = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert not any(re.search("@[A-Z]+@", text) for text in written)


def test_nothing_is_overwritten_unless_one_insists(tmp_path: Path) -> None:
    (tmp_path / "my_bot.c").write_text("mine")
    words = ["--language", "c", str(tmp_path), "--name", "ann"]

    refused = CliRunner().invoke(new_bot, words)
    assert (refused.exit_code, (tmp_path / "my_bot.c").read_text()) == (2, "mine")
    assert "is there already; --force replaces it" in refused.output

    assert CliRunner().invoke(new_bot, [*words, "--force"]).exit_code == 0
    assert "decide" in (tmp_path / "my_bot.c").read_text()


def test_a_name_that_no_table_would_take_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(new_bot, [str(tmp_path / "my bot")])

    assert result.exit_code == 2
    assert "got 'my bot': --name NAME" in result.output


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_is_built_plays_and_does_nothing_wrong(language: str, tmp_path: Path) -> None:
    known = LANGUAGES[language]
    if shutil.which(known.tool) is None:
        pytest.skip(f"there is no {known.tool} here")
    assert CliRunner().invoke(new_bot, ["--language", language, str(tmp_path)]).exit_code == 0
    if known.build:
        subprocess.run(shlex.split(known.build), cwd=tmp_path, check=True, timeout=PATIENCE_S)

    words = (
        "match", "nolimit-3p", known.command, "random", "random", "--hands", "60", "--seed", "7", "--json",
    )  # fmt: skip
    done = completed(*words, folder=tmp_path, seconds=PATIENCE_S)
    assert (done.returncode, json.loads(done.stdout)["hands"]) == (0, 60)
    checked = completed("check-bot", "--json", "--hands", "280", known.command, folder=tmp_path)
    said = json.loads(checked.stdout)
    assert [each for each in said["checks"] if not each["passed"]] == []
    assert (checked.returncode, said["notes"]) == (0, [])


def test_where_there_are_no_sandboxes_students_programs_are_refused_unless_one_insists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.commands.league.course.why_there_are_none", lambda: "no bwrap")
    _, said = init(tmp_path, "-s", "ann")
    words = ["build", str(tmp_path), "--out", str(tmp_path / "night")]
    refused = CliRunner().invoke(course, words)

    assert "no sandboxes: no bwrap.  Students' programs would run as you" in said
    assert tomllib.loads((tmp_path / "tournament.toml").read_text())["limits"]["sandbox"] is True
    assert (refused.exit_code, "--unsafe builds and checks all the same" in refused.output) == (2, True)
    assert not (tmp_path / "night").exists()

    init(tmp_path, "--force", "--unsafe")
    assert tomllib.loads((tmp_path / "tournament.toml").read_text())["limits"]["sandbox"] is False
    assert '--out "$night" --unsafe' in (tmp_path / "nightly.sh").read_text()
    shutil.rmtree(tmp_path / "students")
    assert CliRunner().invoke(course, [*words, "--unsafe"]).exit_code == 0


@pytest.mark.skipif(why_there_are_none() is not None, reason="there are no sandboxes here")
def test_a_build_sees_its_own_folder_and_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CANARY_KEY", "canary")
    (tmp_path / "home/.cargo/bin").mkdir(parents=True)
    (tmp_path / "home/.cargo/credentials.toml").write_text("token")
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
    (tmp_path / "ann/look.sh").write_text(
        "ls ../bob ~/.cargo/credentials.toml $1/.cargo/credentials.toml /etc/shadow /home; env; touch built"
    )
    command = f"sh look.sh {tmp_path}/home"
    (tmp_path / "ann/bot.toml").write_text(format_bot_file("ann", command, "python bot.py"))
    made = build(tmp_path / "ann", tmp_path, in_sandbox=True)
    said = (tmp_path / "ann.build.txt").read_text()

    assert isinstance(made, BotFile), made
    assert (tmp_path / "ann/built").exists()
    assert said.count("No such file") == 5
    assert "canary" not in said


@pytest.mark.skipif(why_there_are_none() is not None, reason="there are no sandboxes here")
def test_a_build_cannot_signal_the_house_fill_it_or_outlive_its_end(tmp_path: Path) -> None:
    ann, heard = tmp_path / "ann", []
    ann.mkdir()
    (ann / "build.sh").write_text("kill -URG 0; setsid sleep 43.43 & yes | head -c 3000000; echo done")
    (ann / "bot.toml").write_text(format_bot_file("ann", "sh build.sh", "python bot.py"))
    signal.signal(signal.SIGURG, lambda number, _: heard.append(number))  # ignored elsewhere
    made = build(ann, tmp_path, in_sandbox=True)
    said = (tmp_path / "ann.build.txt").read_text()

    assert isinstance(made, BotFile), made
    assert heard == []
    assert (len(said), said[-5:]) == (2**20, "done\n")
    assert subprocess.run(["pgrep", "-f", "sleep 43.43"], check=False).returncode == 1


# --- pages of nights ----------------------------------------------------------------------------------------


def test_before_the_first_night_there_are_no_pages(tmp_path: Path) -> None:
    done = CliRunner().invoke(course, ["pages", str(tmp_path)])

    assert done.output == f"Error: {tmp_path} has had no night yet: run {tmp_path}/nightly.sh\n"


def test_a_night_s_page_says_who_passed_and_why_others_did_not_without_local_paths(tmp_path: Path) -> None:
    night = tmp_path / "nights" / "2026-11-26"
    (night / "tournament" / "players").mkdir(parents=True)
    (night / "tournament" / "players" / "ann.html").write_text("")
    where = tmp_path / "students" / "bob" / "my_bot.c"
    rows = [
        Built(tmp_path / "students" / "ann", "", True, "passed 30 checks"),
        Built(tmp_path / "students" / "bob", "", False, f"the build ended: {where}:3: error"),
        Built(tmp_path / "students" / "cid", "", False, "1 check failed, first late: <b>slow</b>"),
    ]
    (night / BUILT_FILE).write_text(json.dumps({"students": list(map(students_row, rows))}))
    (night / "bob.build.txt").write_text(f"cc {where}\n{where}:3: error: what is <this>?\n")
    checks = [{"name": "late", "tried": True, "passed": False, "detail": f"see {tmp_path}/x.err"}]
    (night / "cid.check.json").write_text(json.dumps({"checks": checks}))
    ranks = [{"name": "ann", "rank": 1, "mbb_per_hand": 12.34, "ci95": 5.6}]
    (night / "tournament" / "result.json").write_text(json.dumps({"players": ranks}))
    (tmp_path / "nights" / "2026-11-25").mkdir()
    (tmp_path / "nights" / "2026-11-25" / BUILT_FILE).write_text("{torn")
    (tmp_path / "ladder.html").write_text("")

    done = CliRunner().invoke(course, ["pages", str(tmp_path)])

    assert done.exit_code == 0, done.output
    page, front = (night / "index.html").read_text(), (tmp_path / "nights" / "index.html").read_text()
    for text in (page, front):
        assert str(tmp_path) not in text
        assert "ladder.html" in text
    assert '<a href="tournament/players/ann.html">ann</a>' in page
    assert "+12.3 ±\N{NO-BREAK SPACE}5.6" in page
    assert "Night of 26 November 2026</h1>" in page
    assert ">26 November 2026</a>" in front
    assert "<b>not passed</b>: the build ended: my_bot.c:3: error" in page
    assert "what is &lt;this&gt;?" in page
    assert "<b>late</b>: see x.err" in page
    assert "&lt;b&gt;slow" in page
    assert front.index("2026-11-26/index.html") < front.index("2026-11-25/index.html")
    for text, place in ((page, night), (front, tmp_path / "nights")):
        for link in re.findall(r'href="([^"]+)"', text):
            assert link == "tournament/report.html" or (place / link).exists(), link
