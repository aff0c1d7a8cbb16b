"""``bot.toml``: what a bot is called, how it is built, and how it is run, in its folder and without a shell.

::

    name = "ann"
    build = "cc -O2 -o my_bot my_bot.c table.c"     # may be missing
    command = "./my_bot"                            # run as COMMAND HOST PORT
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Final

import attrs

from engine.support.user_input import did_you_mean

BOT_FILE: Final = "bot.toml"
_KEYS: Final = ("name", "build", "command")


class BotFileError(ValueError):
    """A ``bot.toml`` that cannot be understood; the message is one line, with the file."""


@attrs.frozen
class BotFile:
    """What a ``bot.toml`` says."""

    folder: Path
    """Absolute."""
    name: str
    build: tuple[str, ...]
    """Empty if nothing is built."""
    command: tuple[str, ...]
    """As in the file, split into words."""

    def located_command(self) -> tuple[str, ...]:
        """The command, with paths inside the folder made absolute."""
        return tuple(
            str(self.folder / word) if not word.startswith("-") and (self.folder / word).exists() else word
            for word in self.command
        )


def format_bot_file(name: str, build: str, command: str) -> str:
    """The contents of a ``bot.toml``."""
    return (
        "# How this bot is built and run: without a shell, in this folder.\n"
        f"name = {json.dumps(name)}\n"
        f"build = {json.dumps(build)}\n"
        f"command = {json.dumps(command)}    # run as COMMAND HOST PORT\n"
    )


def read_bot_file(folder: Path) -> BotFile:
    """What the ``bot.toml`` of a folder says.

    Raises:
        BotFileError: it is not there, or says something else.
    """
    import tomllib  # only matches with folders as players wait for it

    path = folder / BOT_FILE
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BotFileError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BotFileError(f"{path}: {error}") from None
    for key, value in found.items():
        if key not in _KEYS:
            raise BotFileError(
                f"{path}: expected name, build and command, got {key!r}{did_you_mean(key, _KEYS)}"
            )
        if not isinstance(value, str):
            raise BotFileError(f"{path}: {key}: expected a text in quotes, got {value!r}")
    try:
        build, command = (tuple(shlex.split(found.get(key, ""))) for key in ("build", "command"))
    except ValueError as error:
        raise BotFileError(f"{path}: a command line cannot be split into words: {error}") from None
    if not command:
        raise BotFileError(f'{path}: expected command = "...", which is run as COMMAND HOST PORT')
    return BotFile(folder.absolute(), found.get("name") or folder.absolute().name, build, command)
