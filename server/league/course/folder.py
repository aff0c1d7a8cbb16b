"""A course on disk: a tournament, a folder for each student, the nightly script."""

from __future__ import annotations

import os
import re
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
NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")

_TOURNAMENT: Final = """\
# The tournament of a course: every bot against every other on the same cards, from each seat.
# `riverboat course build` adds the students' bots that passed; these two are yardsticks.
[tournament]
name = {name}
format = "round-robin"          # without a seed: every night has cards of its own

[game]
game = {game}
hands = 500                     # deals a match; each is played from both seats

[limits]
sandbox = {sandbox}                 # {why}
# show = ["/opt/weights"]       # what all bots may read, too; write = ["memory/{{name}}"]: and write to
response_time = 2.0             # seconds a decision
process = "{limits}"    # what each process of a bot may use

[[players]]
name = "yardstick-call"
player = "always-call"

[[players]]
name = "yardstick-simple"
player = "simple"
"""

_NIGHTLY: Final = """\
#!/bin/sh
# Builds and checks all bots, then plays those that passed.  For cron:  0 2 * * *  {path}
cd "$(dirname "$0")" || exit 1
PATH={programs}:$PATH:/usr/local/bin:$HOME/.cargo/bin    # cron knows little of where programs are
night="nights/$(date +%Y-%m-%d)"
riverboat course build . --out "$night"{unsafe}
riverboat tournament "$night/tournament.toml" --out "$night/tournament" --resume
riverboat league add ladder.sqlite "$night/tournament"
riverboat league show ladder.sqlite --html ladder.html
"""

_README: Final = """\
# {name}

Every student has a folder under `students/` with a `bot.toml`: `name`, `build` (may be empty) and `command`.
`tournament.toml` says what is played.
`nightly.sh` builds, checks and plays, and leaves everything under `nights/`.
`ladder.html` has ratings over all nights.

```console
$ riverboat check-bot students/NAME       # what is wrong with a bot, before anybody else sees it
$ ./nightly.sh
```
"""


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
    files = {
        TOURNAMENT: _TOURNAMENT.format(
            name=f'"{name}"',
            game=f'"{game}"',
            sandbox=str(not unsafe).lower(),
            why=why,
            limits=LIMITS,
        ),
        NIGHTLY: _NIGHTLY.format(
            path=shlex.quote(str(folder.absolute() / NIGHTLY)),
            unsafe=" --unsafe" if unsafe else "",
            programs=shlex.quote(os.path.dirname(os.path.abspath(sys.executable))),
        ),
        "README.md": _README.format(name=name),
    }
    for student in students:
        for path, text in scaffold(language, student).items():
            files[f"{STUDENTS}/{student}/{path}"] = text
    return files


def students_of(course: Path) -> list[Path]:
    """The folders of students that have a ``bot.toml``, by name."""
    return sorted(path.parent for path in (course / STUDENTS).glob(f"*/{BOT_FILE}"))
