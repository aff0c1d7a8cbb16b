"""PLAYER on the command line: bots, programs, and those who come from outside."""

from __future__ import annotations

import sys

import pytest

from server.match.launching.players import PlayerError, parse_players

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


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        ("./bot.sh", "bot", ("./bot.sh",)),
        ("python3 -u my_bot.py --depth 3", "my_bot", ("python3", "-u", "my_bot.py", "--depth", "3")),
        ("Deep=python3 my_bot.py", "Deep", ("python3", "my_bot.py")),
        ("'a dir/bot one' x=1", "bot-one", ("a dir/bot one", "x=1")),
        ("env A=1 ./bot", "env", ("env", "A=1", "./bot")),
        ("./random", "random", ("./random",)),
        ("random --verbose", "random", ("random", "--verbose")),
    ],
)
def test_anything_else_is_a_command_line(text: str, name: str, command: tuple[str, ...]) -> None:
    (player,) = parse_players([text], BOTS)

    assert (player.name, player.command, player.is_bot) == (name, command, False)
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
