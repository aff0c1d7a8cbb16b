"""Parameters that the commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])

PATH: Final = click.Path(path_type=Path)


def game_option(function: _Function) -> _Function:
    """``--game GAME``."""
    return click.option(
        "--game",
        metavar="GAME",
        help="What is played, for logs that do not name a game that can be found: a game file, or the name "
        "of a packaged game.",
    )(function)
