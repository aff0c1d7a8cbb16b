"""The players of a match as users name them on the command line, and where their programs run.

::

    [NAME=]BOT[:KEY=VALUE,...]     an installed bot
    [NAME=]FOLDER                  one with a bot.toml, whose command is run there
    [NAME=]COMMAND LINE            any program, run as COMMAND HOST PORT
    [NAME=]wait                    somebody who connects from outside

**bot.toml** says what a bot is called, how it is built, and how it is run, without a shell::

    name = "ann"
    build = "cc -O2 -o my_bot my_bot.c table.c"     # may be missing
    command = "./my_bot"                            # run as COMMAND HOST PORT

**PATH** begins with the folder of the interpreter that runs the house, so that ``python my_bot.py`` is run by
the Python that has this package, whether or not its virtual environment is activated.

**Packages.**  Ours have common names, and Python looks in a script's own folder first: a student's
``engine/`` beside ``my_bot.py`` would shadow ours, and the bot could not be imported.  For a script
that imports ``clients`` our packages therefore come first and its own folder last (``PYTHONSAFEPATH`` and
``PYTHONPATH``), so that its helper modules are still found.  A script that does not import ``clients`` does
not use our library: its ``engine`` stays its own.  Not covered: bots that are run as ``python -m``,
interpreters before 3.11, and a script that wants both our ``clients`` and its own ``engine``.

**Secrets.**  What the house was given itself, such as the tokens of seats, is not passed on, nor is any
variable that looks like a key, a token, a password or an address with one, unless a player is granted it by
name.

**Learning.**  Whether an installed bot learns follows from its options; an interval over hands means little
for one that does.  Its package says so in the entry-point group ``riverboat.learners``: under the bot's name,
a function that takes the options as texts and returns whether the bot changes how it plays.  Only the
functions of bots that sit down are loaded.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Final

import attrs

from engine.support.plugins import declared
from engine.support.user_input import told_as
from protocol import variables
from server.support.private_files import open_itself

BOT_FILE: Final = "bot.toml"
_NAMED: Final = re.compile(r"([^\s=:/|]+)=(.*)", re.DOTALL)
_FOR_FILES: Final = re.compile(r"(?!\.+$)[^/\0]+")
_WAIT: Final = "wait"
_LEARNERS: Final = "riverboat.learners"
OURS: Final = Path(__file__).resolve().parents[3]
"""The folder that holds our packages."""
_PYTHON: Final = re.compile(r"python[0-9.]*")
_IMPORTS_CLIENTS: Final = re.compile(rb"^\s*(?:from|import)\s+clients\b", re.MULTILINE)
_MOST_SEARCHED: Final = 2**20
_OTHER_INTERPRETER: Final = re.compile(r"(pypy|perl|ruby|node|sh|bash|java)[0-9.]*")
_SECRET: Final = re.compile(
    r"(KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|WEBHOOK)[^=\s;&]*=|[_?&;\s]PWD="
    r"|(^|[_?&;\s])(PAT|PW|DSN|JWT|OTP|PIN|CREDS?|BEARER|SIG)(_\w*)?="
    r"|://([^/\s:@]*:[^/\s@]+|[^/\s:@]{20,})@"
    r"|-----BEGIN |\b(sk-|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|eyJ)[\w.-]{16,}",
    re.IGNORECASE,
)
# In ``NAME=VALUE``, whose value may be a connection string with such words, an address with a password or
# a user's name so long that it is a token, or what begins as private keys and well-known tokens do.
_RUN_OTHERS: Final = frozenset({"decide", "openspiel", "pypokerengine", "rlcard", "skeleton"})
# Installed bots that run a file or a program that their options name.
_TAKE_A_VALUE: Final = frozenset({"-W", "-X"})
_NO_SCRIPT: Final = frozenset({"-c", "-m", "-"})


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
        options = [word for setting in self.settings for word in ("--set", setting)]  # only bots have some
        return [*self.command, host, str(port), *options]

    @property
    def is_ours(self) -> bool:
        """Whether it is an installed bot that runs nobody else's program."""
        return self.is_bot and self.bot not in _RUN_OTHERS

    @property
    def is_program(self) -> bool:
        """Whether somebody else's program is run, if only by an installed bot."""
        return self.command is not None and not self.is_ours

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

    def located_program(self) -> str | None:
        """The path of the program that is run; None if there is none."""
        command = self.command or ("",)
        return shutil.which(command[0], path=players_environment(command, os.environ)["PATH"])

    def problem(self) -> str | None:
        """Why the player cannot be started, None if no reason is known."""
        if self.command is None or self.is_bot:
            return None
        program = self.command[0]
        if self.located_program() is not None:
            return None
        if self.folder is None and os.path.isfile(os.path.join(program, BOT_FILE)):
            return f"{program} is a folder: write ./{program}"
        if os.path.exists(os.path.join(self.folder or "", program)):
            return f"{program} is not an executable file"
        if "/" in program:
            built = "" if self.folder is None else f" in {self.folder}: build it as its {BOT_FILE} says"
            return f"there is no program {program}{built}"
        return f"there is neither a bot nor a program {program!r}"


def own_command(*words: str) -> tuple[str, ...]:
    """The command line of ``riverboat WORD ...``."""
    # -P: a folder of the user's that is named like one of our packages must not get in the way
    return (sys.executable, "-P", "-m", "server", *words)


def installed_bots() -> set[str]:
    """The names of the bots that installed packages declare."""
    return {*declared("riverboat.bots")}


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
        own = tuple(settings.split(",")) if colon else ()
        return Player(name or bot, text, own_command("bot", bot), True, own)
    if "/" in rest and os.path.isfile(os.path.join(rest, BOT_FILE)):
        file = read_bot_file(Path(rest))
        return Player(name or file.name, text, file.located_command(), folder=file.folder)
    with told_as(PlayerError, ValueError, what=f"PLAYER {text!r} cannot be split into words: "):
        command = tuple(shlex.split(rest))
    if not command:
        raise PlayerError(f"PLAYER {text!r} names no bot, program or 'wait'")
    return Player(name or _default_name(command), text, command)


def _default_name(command: Sequence[str]) -> str:
    """The file's name: of the script, where the program is an interpreter that runs one."""
    program: PurePath = script_of(command) or PurePath(command[0])
    if _OTHER_INTERPRETER.fullmatch(program.name):
        script = next((word for word in command[1:] if not word.startswith("-")), None)
        program = PurePath(script) if script is not None else program
    return re.sub(r"[\s|:]+", "-", program.stem) or "player"


def learning_players(players: Sequence[Player]) -> frozenset[int]:
    """The places of those that learn; nothing is known about programs that are not installed bots.

    A package that is broken makes no player learn: the bot itself will say what is wrong.
    """
    learning = set()
    for place, player in enumerate(players):
        entry = declared(_LEARNERS).get(player.bot) if player.is_bot else None
        if entry is not None:
            try:
                learns = entry.load()
            except (ImportError, AttributeError):
                continue
            settings = [setting.partition("=") for setting in player.settings]
            if learns({key.strip(): value.strip() if equals else None for key, equals, value in settings}):
                learning.add(place)
    return frozenset(learning)


@attrs.frozen
class BotFile:
    """The content of a ``bot.toml``."""

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
            str(self.folder / word)
            if not word.startswith("-") and os.path.exists(self.folder / word)
            else word
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
        PlayerError: it is not there, or says something else.
    """
    from server.support.toml_text import FileMistake, parse_toml  # only matches with folders wait for it

    path = folder / BOT_FILE
    try:
        with open(path, "rb", opener=open_itself) as file:
            found = parse_toml(file.read(_MOST_SEARCHED).decode("utf-8"), path)
        texts = [found.text(key, "", expected="a text in quotes") for key in ("name", "build", "command")]
        found.close()
    except OSError as error:
        raise PlayerError(f"{path}: {error.strerror}: expected a file that is no link") from None
    except UnicodeDecodeError as error:
        raise PlayerError(f"{path}: {error}") from None
    except FileMistake as error:
        raise PlayerError(str(error)) from None
    with told_as(PlayerError, ValueError, what=f"{path}: a command line cannot be split into words: "):
        build, command = (tuple(shlex.split(text)) for text in texts[1:])
    name = texts[0] or folder.absolute().name
    if not _FOR_FILES.fullmatch(name):
        raise PlayerError(f"{path}: name: expected one without '/', got {name!r}")
    if not command:
        raise PlayerError(f'{path}: expected command = "...", which is run as COMMAND HOST PORT')
    return BotFile(folder.absolute(), name, build, command)


def players_environment(
    command: Sequence[str], base: Mapping[str, str], granted: Collection[str] = ()
) -> dict[str, str]:
    """The environment to run a player's command in.

    Args:
        command: the program and its arguments, without HOST and PORT.
        base: the house's own environment.
        granted: names of variables that this player gets although they look like secrets.
    """
    environment = {
        name: value
        for name, value in base.items()
        if not variables.is_handed_out(name) and (name in granted or not _SECRET.search(f"{name}={value}"))
    }
    # Not resolved: a virtual environment's interpreter is a link to one that knows nothing about it.
    own_programs = os.path.dirname(os.path.abspath(sys.executable))
    environment["PATH"] = _joined(own_programs, base.get("PATH", os.defpath))
    script = script_of(command)
    if script is not None and _imports_clients(script):
        environment["PYTHONSAFEPATH"] = "1"
        environment["PYTHONPATH"] = _joined(
            str(OURS), base.get("PYTHONPATH", ""), str(script.resolve().parent)
        )
    return environment


def script_of(command: Sequence[str]) -> Path | None:
    """The Python script that a command runs, if that is what it does."""
    program, *arguments = command
    if not _PYTHON.fullmatch(os.path.basename(program)):
        return Path(program) if program.endswith(".py") else None
    words = iter(arguments)
    for word in words:
        if word in _NO_SCRIPT:
            return None
        if word in _TAKE_A_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return Path(word)
    return None


def own_place(player: Player) -> tuple[Path | None, Path | None]:
    """The folder that is a program's own, and the script or program in it; None if there is none.

    Both are absolute; links in the way to them are followed, but not the file if it is a link.
    """
    if not player.is_program or not player.command:
        return None, None
    program, here = player.command[0], player.folder or Path.cwd()
    file = script_of(player.command) or (Path(program) if "/" in program else None)
    if player.is_bot or _OTHER_INTERPRETER.fullmatch(os.path.basename(program)):
        named = [each.partition("=")[2] for each in player.settings] if player.is_bot else player.command[1:]
        is_there = os.path.exists if player.is_bot else os.path.isfile
        file = next((Path(word) for word in named if Path(word).name and is_there(here / word)), None)
    if file is not None:
        file = Path(os.path.realpath((here / file).parent), file.name)
    folder = player.folder or (file and (file if os.path.isdir(file) else file.parent))
    folder = folder and folder.resolve()
    return folder, file if folder is not None and file is not None and file.is_relative_to(folder) else None


def _imports_clients(script: Path) -> bool:
    try:
        with open(script, "rb") if script.is_file() else io.BytesIO() as text:
            return _IMPORTS_CLIENTS.search(text.read(_MOST_SEARCHED)) is not None
    except OSError:
        return False


def _joined(*folders: str) -> str:
    return os.pathsep.join(folder for folder in folders if folder)
