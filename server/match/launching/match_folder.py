"""The folder of a match: a new one, or one that may hold an earlier match."""

from __future__ import annotations

import contextlib
import itertools
from datetime import datetime
from pathlib import Path
from typing import Final

from server.support.private_files import FOLDER_MODE

_HOME: Final = Path("matches")
_NAMES: Final = (
    "match.log",
    "result.json",
    "report.html",
    "dealer.err",
    "players",
    "plan.json",
    "secrets.json",
    "progress.json",
)


def match_folder(out: Path | None, game: str) -> Path:
    """The folder of a match, which is created.

    Args:
        out: where the user wants it; None for a new one under ``matches/``.
        game: as the user named it.

    Raises:
        OSError: it cannot be made.
    """
    if out is None:
        return new_folder(_HOME, Path(game).name.removesuffix(".game"))
    out.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    return out


def move_aside(out: Path) -> None:
    """Move what an earlier match left in a folder into one below it: nothing is ever overwritten.

    Raises:
        OSError: it cannot be moved.
    """
    earlier = [path for path in [*(out / name for name in _NAMES), *out.glob("pass-*")] if path.exists()]
    if earlier:
        number = 1
        while (out / f"earlier-{number}").exists():
            number += 1
        aside = out / f"earlier-{number}"
        aside.mkdir(mode=FOLDER_MODE)
        for path in earlier:
            path.rename(aside / path.name)


def new_folder(parent: Path, game: str) -> Path:
    """A folder that nobody else has, although many matches may begin in the same second."""
    parent.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        folder = parent / (f"{stamp}-{game}" if number == 1 else f"{stamp}-{game}-{number}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=FOLDER_MODE)
            return folder
    raise AssertionError  # unreachable
