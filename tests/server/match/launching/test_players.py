"""PLAYER on the command line: bots, folders, programs, who learns, and what a launched program finds."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import pytest

from clients.core.registry import installed_bots
from server.match.launching.players import (
    PlayerError,
    format_bot_file,
    learning_players,
    parse_players,
    players_environment,
    read_bot_file,
)
from tests.support.cases import cases
from tests.support.commands import run_here
from tests.support.dealer_process import environment, program

BOTS = {"random", "always-call", "formula"}


def test_a_word_that_names_a_bot_is_the_bot() -> None:
    (player,) = parse_players(["random"], BOTS)

    assert (player.name, player.is_bot) == ("random", True)
    assert player.command_line("127.0.0.1", 4000) == [
        sys.executable, "-P", "-m", "server", "bot", "random", "127.0.0.1", "4000",
    ]  # fmt: skip


def test_a_bot_takes_options() -> None:
    (player,) = parse_players(["Poki=formula:tightness=0.2,model=none"], BOTS)

    assert player.name == "Poki"
    line = player.command_line("h", 1)
    assert line is not None
    assert line[-4:] == ["--set", "tightness=0.2", "--set", "model=none"]


@pytest.mark.parametrize(("text", "name", "command"), cases(__file__, "command lines"))
def test_anything_else_is_a_command_line(text: str, name: str, command: list[str]) -> None:
    (player,) = parse_players([text], BOTS)

    assert (player.name, player.command, player.is_bot) == (name, tuple(command), False)
    assert player.command_line("h", 9) == [*command, "h", "9"]


def test_somebody_from_outside_is_waited_for() -> None:
    players = parse_players(["wait", "Ann=wait"], BOTS)

    assert [player.name for player in players] == ["wait", "Ann"]
    assert [player.command_line("h", 1) for player in players] == [None, None]


def test_names_that_repeat_are_numbered() -> None:
    players = parse_players(["random", "random", "random-2=always-call", "x=random", "random"], BOTS)

    assert [player.name for player in players] == ["random", "random-2", "random-2-2", "x", "random-3"]


def test_what_cannot_be_started_is_said_before_the_match() -> None:
    unknown, missing, folder, there = parse_players(["fromula", "./no/such/bot", "/", "sh"], BOTS)

    assert unknown.problem() == "there is neither a bot nor a program 'fromula'"
    assert missing.problem() == "there is no program ./no/such/bot"
    assert folder.problem() == "/ is not an executable file"
    assert there.problem() is None


@pytest.mark.parametrize("text", ["", "   ", "x=", "'unbalanced"])
def test_what_names_nobody_is_refused(text: str) -> None:
    with pytest.raises(PlayerError, match="PLAYER"):
        parse_players([text], BOTS)


def bot_folder(folder: Path, command: str) -> Path:
    folder.mkdir()
    (folder / "bot.py").touch()
    (folder / "bot.toml").write_text(format_bot_file("ann's", "", command))
    return folder


def test_a_player_can_be_a_folder(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "ann", "python -u bot.py --fast")
    first, second = parse_players([str(folder), f"Bob={folder}"], [])

    assert (first.name, second.name) == ("ann's", "Bob")
    assert first.folder == folder
    assert first.command_line("h", 1) == ["python", "-u", str(folder / "bot.py"), "--fast", "h", "1"]


def test_a_folder_without_a_slash_is_told_how_to_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "bot.toml").write_text('command = "ann"')
    monkeypatch.chdir(tmp_path)

    (player,) = parse_players(["ann"], [])
    assert player.problem() == "ann is a folder: write ./ann"
    (tmp_path / "ann" / "bot.toml").write_text('command = "./ann"')
    (player,) = parse_players(["./ann"], [])
    missing = player.problem() or ""
    assert missing.startswith("there is no program ./ann in ")
    assert missing.endswith("ann: build it as its bot.toml says")


@pytest.mark.parametrize(("text", "words"), cases(__file__, "bot files"))
def test_a_bot_file_that_means_nothing_is_one_line(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(text)

    with pytest.raises(PlayerError) as raised:
        read_bot_file(tmp_path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    with pytest.raises(PlayerError):
        parse_players([str(tmp_path)], [])


def learners(*texts: str) -> set[int]:
    return set(learning_players(parse_players(texts, set(installed_bots()))))


@pytest.mark.parametrize(
    ("texts", "places"),
    [
        (("simple", "random"), set()),
        (("street-learner", "random"), {0}),
        (("simple", "Me=poker-learner:choose=greedy", "name-learner:learn"), {1, 2}),
        (("street-learner:learn=off,knowledge=x.npz", "name-learner:learn=No"), set()),
        (("./street-learner", "wait"), set()),
    ],
)
def test_learners_are_known_by_their_names_and_options(texts: tuple[str, ...], places: set[int]) -> None:
    assert learners(*texts) == places


def test_every_bot_that_can_be_told_not_to_learn_is_declared() -> None:
    declared = {entry.name for entry in entry_points(group="riverboat.learners")}
    learning = {
        name
        for name, entry in installed_bots().items()
        if "learn" in inspect.signature(entry.load()).parameters
    }

    assert declared == learning | {"llm"}  # which is told with hud and history


BOT = """
from clients import CALL, Agent, run
from helper import WORD

class Mine(Agent):
    def choose_action(self, view):
        return CALL

print(WORD, flush=True)
run(Mine)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot with a helper module, and beside them things that are named like our packages."""
    (tmp_path / "my_bot.py").write_text(BOT)
    (tmp_path / "helper.py").write_text("WORD = 'helped'")
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit('the wrong engine')")
    (tmp_path / "clients.py").write_text("raise SystemExit('the wrong clients')")
    (tmp_path / "server.py").write_text("raise SystemExit('the wrong server')")
    return tmp_path


def play(folder: Path, path: str, *players: str) -> subprocess.CompletedProcess[str]:
    words = (f"limit-{len(players)}p", *players, "--hands", "5", "--out", "m")
    return subprocess.run(
        # -P, as for the program `riverboat`: the user's folder is not searched for the house's packages
        [sys.executable, "-P", *program("match", *words)[1:]],
        cwd=folder,
        env=environment() | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_the_readmes_bot_plays_beside_folders_named_like_ours(folder: Path) -> None:
    """On a PATH that has no `python` at all: `riverboat` was run by its full path."""
    commands = ("python my_bot.py", "python -u ./my_bot.py", "python -X utf8 my_bot.py")
    done = play(folder, os.defpath, *commands)

    assert done.returncode == 0, done.stdout + done.stderr
    assert [path.read_text() for path in (folder / "m/players").glob("*.out")] == ["helped\n"] * 3


def test_a_bot_of_another_kind_keeps_its_own_modules(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("WORD = 'my own engine'")
    (tmp_path / "other.py").write_text("import engine\nraise SystemExit(engine.WORD)")

    done = play(tmp_path, os.environ["PATH"], "python other.py", "always-call")

    assert "did not join: ended with exit status 1: my own engine" in done.stdout


def test_what_the_user_has_set_stays() -> None:
    environment = players_environment(["./bot", "-x"], {"PATH": "/bin", "PYTHONPATH": "/mine", "X": "1"})

    own = os.path.dirname(sys.executable)
    assert environment == {"PATH": f"{own}{os.pathsep}/bin", "PYTHONPATH": "/mine", "X": "1"}


SECRETS: Final = (
    "OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "GITHUB_PAT", "HF_TOKEN", "PGPASSWORD",
    "PGPASSFILE", "MYSQL_PWD", "db_password", "CLIENT_SECRET", "GOOGLE_APPLICATION_CREDENTIALS",
    "SSH_AUTH_SOCK", "XAUTHORITY", "SESSION_COOKIE", "SENTRY_DSN", "ROOT_PW", "RIVERBOAT_SEAT_TOKEN_2",
    "GH_JWT", "SMTP_CREDS", "CARD_PIN", "SLACK_WEBHOOK_URL",
)  # fmt: skip
HARMLESS: Final = (
    "PATH", "PWD", "OLDPWD", "HOME", "LANG", "SHELL", "PATIENCE", "SPAWN", "RIVERBOAT_CACHE_DIR",
)  # fmt: skip


def test_variables_that_look_like_secrets_are_dropped_unless_they_are_granted() -> None:
    base = dict.fromkeys((*SECRETS, *HARMLESS), "canary") | {
        "DATABASE_URL": "postgres://me:canary@db/x",
        "JDBC": "jdbc:mysql://db/x?user=me&password=canary",
        "STORAGE": "AccountName=me;AccountKey=canary",
        "SIGNED_URL": "https://files/x?sig=canary",
        "REMOTE": "https://ghp_canarycanarycanary@github.com/me/x",
        "MODELS": "sk-proj-canary-canary-canary",
        "TLS_PEM": "-----BEGIN RSA " + "PRIVATE KEY-----\ncanary",
        "ORIGIN": "ssh://git@github.com/me/x",
        "http_proxy": "http://proxy:3128",
        "DOCS": "see https://example.com/a:b@c",
    }
    kept = players_environment(["./bot"], base)
    granted = players_environment(["./bot"], base, ["OPENAI_API_KEY", "DATABASE_URL"])

    assert kept.keys() == {*HARMLESS, "http_proxy", "DOCS", "ORIGIN"}
    assert granted.keys() - kept.keys() == {"OPENAI_API_KEY", "DATABASE_URL"}


TELLING: Final = (
    "import os, sys; print(sorted(k for k in os.environ if 'CANARY' in k), file=sys.stderr); exit(5)"
)


@pytest.mark.parametrize(
    "words",
    [
        ("match", "leduc", "always-call", "{bot}", "--luck", "off", "--out", "m"),
        ("ask", "{bot}", "--game", "leduc", "--hole", "Qs"),
        ("check-bot", "{bot}", "--game", "leduc", "--hands", "0", "--out", "m/players"),
        ("tournament", "cup.toml", "--out", "m"),
    ],
    ids=lambda words: words[0],
)
def test_every_launcher_drops_secrets_and_passes_on_what_is_granted(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(TELLING)
    (tmp_path / "cup.toml").write_text(
        '[tournament]\nformat = "round-robin"\n[game]\ngame = "leduc"\nhands = 2\n[limits]\nsandbox = false\n'
        '[[players]]\nplayer = "always-call"\n'
        '[[players]]\nplayer = "python bot.py"\npass_env = "CANARY_TOKEN"\n'
    )
    granted = () if words[0] == "tournament" else ("--pass-env", "CANARY_TOKEN")
    line = (word.format(bot="python bot.py") for word in words)
    canaries = {"CANARY_KEY": "canary", "CANARY_TOKEN": "canary", "CANARY": "seen"}
    done = run_here(*line, *granted, folder=tmp_path, **canaries)
    told = [path.read_text() for path in tmp_path.rglob("*.err")] + [done.stderr, done.stdout]

    assert "['CANARY', 'CANARY_TOKEN']" in "".join(told)
    assert "CANARY_KEY" not in "".join(told)


def test_a_bot_file_that_is_a_link_tells_nothing_of_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("canary = 1\n")
    (tmp_path / "bot.toml").symlink_to("theirs")
    with pytest.raises(PlayerError, match=r"bot.toml: .*: expected a file that is no link$"):
        read_bot_file(tmp_path)


def test_files_without_an_end_do_not_stop_the_house(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "bot.toml")
    os.mkfifo(tmp_path / "my_bot.py")
    with pytest.raises(PlayerError, match="expected command"):
        read_bot_file(tmp_path)

    assert "PYTHONSAFEPATH" not in players_environment(["python", str(tmp_path / "my_bot.py")], {})
    assert parse_players([f"python {'x' * 300} {tmp_path}/my_bot.py"], [])[0].problem() is None
