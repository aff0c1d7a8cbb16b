"""The environment of a launched player: which ``python`` it finds, and which packages its script finds.

**PATH** begins with the folder of the interpreter that runs the house, so that ``python my_bot.py`` is run by
the Python that has this package, whether or not its virtual environment is activated.

**Packages.**  Ours have common names, and Python looks in a script's own folder first: a student's
``engine/`` beside ``my_bot.py`` would shadow ours, and the bot could not be imported.  For a script
that imports ``clients`` our packages therefore come first and its own folder last (``PYTHONSAFEPATH`` and
``PYTHONPATH``), so that its helper modules are still found.  A script that does not import ``clients`` does
not use our library: its ``engine`` stays its own.  Not covered: bots that are run as ``python -m``,
interpreters before 3.11, and a script that wants both our ``clients`` and its own ``engine``.

**Secrets.**  What the house was given itself, such as the tokens of seats, is not passed on.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from protocol import variables

_OURS: Final = Path(__file__).resolve().parents[3]
"""The folder that holds our packages."""
_PYTHON: Final = re.compile(r"python[0-9.]*")
_IMPORTS_CLIENTS: Final = re.compile(rb"^\s*(?:from|import)\s+clients\b", re.MULTILINE)
_TAKE_A_VALUE: Final = frozenset({"-W", "-X"})
_NO_SCRIPT: Final = frozenset({"-c", "-m", "-"})


def players_environment(command: Sequence[str], base: Mapping[str, str]) -> dict[str, str]:
    """The environment to run a player's command in.

    Args:
        command: the program and its arguments, without HOST and PORT.
        base: the house's own environment.
    """
    environment = {name: value for name, value in base.items() if not variables.is_handed_out(name)}
    # Not resolved: a virtual environment's interpreter is a link to one that knows nothing about it.
    own_programs = os.path.dirname(os.path.abspath(sys.executable))
    environment["PATH"] = _joined(own_programs, base.get("PATH", os.defpath))
    script = script_of(command)
    if script is not None and _imports_clients(script):
        environment["PYTHONSAFEPATH"] = "1"
        environment["PYTHONPATH"] = _joined(
            str(_OURS), base.get("PYTHONPATH", ""), str(script.resolve().parent)
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


def _imports_clients(script: Path) -> bool:
    try:
        return _IMPORTS_CLIENTS.search(script.read_bytes()) is not None
    except OSError:
        return False


def _joined(*folders: str) -> str:
    return os.pathsep.join(folder for folder in folders if folder)
