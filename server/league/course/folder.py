"""A course on disk: a tournament, a folder for each student, the nightly script."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from server.league.course.new_bot import scaffold
from server.match.launching.players import BOT_FILE

STUDENTS: Final = "students"
TOURNAMENT: Final = "tournament.toml"
NIGHTLY: Final = "nightly.sh"
LIMITS: Final = "cpu=3600,memory=2048,file-size=256"

_TEMPLATES: Final = Path(__file__).parent / "templates"


def course_files(
    folder: Path, students: Sequence[str], language: str, game: str, *, unsafe: bool
) -> dict[str, str]:
    """The files of a new course: their contents by their paths in its folder.

    Args:
        folder: of the course.
        students: their names.
        language: of their starter bots.
        game: what is played.
        unsafe: bots run without sandboxes.
    """
    name = folder.absolute().name
    why = "each bot sees its own folder and its table, and nothing else"
    if unsafe:
        why = "bots run as you, and can read and change one another's files and yours"
    words = {
        "name": name,
        "game": game,
        "sandbox": str(not unsafe).lower(),
        "why": why,
        "limits": LIMITS,
        "path": shlex.quote(str(folder.absolute() / NIGHTLY)),
        "unsafe": " --unsafe" if unsafe else "",
        "programs": shlex.quote(os.path.dirname(os.path.abspath(sys.executable))),
    }
    files = {
        file: (_TEMPLATES / f"{file}.txt").read_text("utf-8").format(**words)
        for file in (TOURNAMENT, NIGHTLY, "README.md")
    }
    for student in students:
        for path, text in scaffold(language, student).items():
            files[f"{STUDENTS}/{student}/{path}"] = text
    return files


def students_of(course: Path) -> list[Path]:
    """The folders of students that have a ``bot.toml``, by name."""
    return sorted(path.parent for path in (course / STUDENTS).glob(f"*/{BOT_FILE}"))
