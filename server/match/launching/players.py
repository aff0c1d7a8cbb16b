"""The players of a match as users name them on the command line.

::

    [NAME=]BOT[:KEY=VALUE,...]     an installed bot
    [NAME=]FOLDER                  one with a bot.toml, whose command is run there
    [NAME=]COMMAND LINE            any program, run as COMMAND HOST PORT
    [NAME=]wait                    somebody who connects from outside
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path, PurePath
from typing import Final

import attrs

from server.match.launching.bot_file import BOT_FILE, BotFileError, read_bot_file
from server.match.launching.environment import players_environment, script_of

_NAMED: Final = re.compile(r"([^\s=:/|]+)=(.*)", re.DOTALL)
_WAIT: Final = "wait"


class PlayerError(ValueError):
    """A PLAYER that cannot be understood; the message is one line for people."""


@attrs.frozen
class Player:
    """One player of a match."""

    name: str
    text: str
    """As the user typed it."""
    command: tuple[str, ...] | None
    """What to run before HOST PORT; None for somebody who connects from outside."""
    is_bot: bool = False
    """It is an installed bot, which can say a token."""
    settings: tuple[str, ...] = ()
    """An installed bot's ``KEY=VALUE`` options."""
    folder: Path | None = None
    """Where it runs; None for the caller's folder."""

    def command_line(self, host: str, port: int) -> list[str] | None:
        """The command to execute for a seat; None for somebody from outside."""
        if self.command is None:
            return None
        line = [*self.command, host, str(port)]
        if self.is_bot:
            for setting in self.settings:
                line += ["--set", setting]
        return line

    @property
    def bot(self) -> str:
        """The name of an installed bot."""
        assert self.is_bot  # others have none
        assert self.command is not None  # as every bot has
        return self.command[-1]

    @property
    def is_unknown_word(self) -> bool:
        """Whether it is a single word that names neither a bot nor a program: most likely misspelt."""
        return (
            self.command is not None
            and len(self.command) == 1
            and "/" not in self.command[0]
            and self.problem() is not None
        )

    def problem(self) -> str | None:
        """Why the player cannot be started, None if no reason is known."""
        if self.command is None or self.is_bot:
            return None
        program = self.command[0]
        if shutil.which(program, path=players_environment(self.command, os.environ)["PATH"]) is not None:
            return None
        if os.path.exists(program):
            return f"{program} is not an executable file"
        if "/" in program:
            return f"there is no program {program}"
        return f"there is neither a bot nor a program {program!r}"


def parse_players(texts: Sequence[str], bots: Collection[str]) -> tuple[Player, ...]:
    """The players that some PLAYER texts mean, with distinct names.

    Args:
        texts: in seat order.
        bots: names of the installed bots.

    Raises:
        PlayerError: a text is empty, or its quotes do not match.
    """
    players: list[Player] = []
    names: set[str] = set()
    for text in texts:
        player = _parse(text, bots)
        name, number = player.name, 1
        while name in names:
            number += 1
            name = f"{player.name}-{number}"
        names.add(name)
        players.append(attrs.evolve(player, name=name))
    return tuple(players)


def _parse(text: str, bots: Collection[str]) -> Player:
    named = _NAMED.fullmatch(text)
    name, rest = (named.group(1), named.group(2)) if named else (None, text)
    if rest == _WAIT:
        return Player(name or _WAIT, text, None)
    bot, colon, settings = rest.partition(":")
    if bot in bots:
        # -P: a folder of the user's that is named like one of our packages must not get in the way
        own = (sys.executable, "-P", "-m", "server", "bot", bot)
        return Player(name or bot, text, own, True, tuple(settings.split(",")) if colon else ())
    if "/" in rest and os.path.isfile(os.path.join(rest, BOT_FILE)):
        try:
            file = read_bot_file(Path(rest))
        except BotFileError as error:
            raise PlayerError(str(error)) from None
        return Player(name or file.name, text, file.located_command(), folder=file.folder)
    try:
        command = tuple(shlex.split(rest))
    except ValueError as error:
        raise PlayerError(f"PLAYER {text!r} cannot be split into words: {error}") from None
    if not command:
        raise PlayerError(f"PLAYER {text!r} names no bot, program or 'wait'")
    return Player(name or _default_name(command), text, command)


def _default_name(command: Sequence[str]) -> str:
    """The file's name: of the script, where the program is an interpreter that runs one."""
    program: PurePath = script_of(command) or PurePath(command[0])
    if re.fullmatch(r"(pypy|perl|ruby|node|sh|bash|java)[0-9.]*", program.name):
        script = next((word for word in command[1:] if not word.startswith("-")), None)
        program = PurePath(script) if script is not None else program
    return re.sub(r"[\s|:]+", "-", program.stem) or "player"
