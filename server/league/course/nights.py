"""The pages of a course: one for each night, and a front page over all of them.

They name no folder of this machine, so that they can be put where students read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import click

from engine.support.files.whole import write_whole
from server.league.course.building import Built
from server.league.report.pages import page_of_player
from server.records.logs import read_object
from server.records.pages import page_environment

BUILT_FILE: Final = "built.json"
NIGHTS: Final = "nights"
_PAGE: Final = "index.html"
_MOST_TEXT: Final = 20_000
"""Letters of a build's output that are shown: its end."""


@attrs.frozen
class Night:
    """A night of a course."""

    folder: Path
    students: Sequence[Mapping[str, Any]]
    """Each with ``student``, ``passed`` and ``detail``, and what the tournament says of it."""
    result: Mapping[str, Any]
    """Of the tournament; empty if it has not been played."""

    @property
    def date(self) -> str:
        """Its name, which is the day when it began."""
        return self.folder.name


def students_row(built: Built) -> dict[str, Any]:
    """A student's row of ``built.json``."""
    return {"student": built.folder.name, "passed": built.passed, "detail": built.words}


def write_pages(course: Path) -> list[Path]:
    """Write a page for every night of a course, and the front page; returns the files, the front page last.

    Raises:
        OSError: a file cannot be read or written.
        click.ClickException: jinja2 is not installed, or there has been no night.
    """
    environment = page_environment(Path(__file__).parent / "pages")
    folders = sorted({path.parent for path in (course / NIGHTS).glob(f"*/{BUILT_FILE}")}, reverse=True)
    if not folders:
        raise click.ClickException(f"{course} has had no night yet: run {course / 'nightly.sh'}")
    nights = [_night(folder) for folder in folders]
    ladder = (course / "ladder.html").exists()
    page, front = map(environment.get_template, ("night.html.j2", "nights.html.j2"))
    files = {night.folder / _PAGE: page.render(night=night, ladder=ladder) for night in nights}
    files[course / NIGHTS / _PAGE] = front.render(name=course.absolute().name, nights=nights, ladder=ladder)
    for path, text in files.items():
        write_whole(path, text)
    return list(files)


def _night(folder: Path) -> Night:
    result = read_object(folder / "tournament" / "result.json") or {}
    ranked = {row["name"]: row for row in result.get("players", ())}
    students = []
    for row in (read_object(folder / BUILT_FILE) or {}).get("students", ()):
        name = str(row["student"])
        page = f"tournament/{page_of_player(name)}"
        students.append(
            {
                **row,
                "rank": ranked.get(name, {}),
                "page": page if (folder / page).exists() else "",
                "build": _text(folder / f"{name}.build.txt"),
                "faults": [
                    each
                    for each in (read_object(folder / f"{name}.check.json") or {}).get("checks", ())
                    if each["tried"] and not each["passed"]
                ],
            }
        )
    students.sort(key=lambda row: (row["rank"].get("rank", len(students) + 1), row["student"]))
    return Night(folder, students, result)


def _text(path: Path) -> str:
    """The end of a file; empty if there is none."""
    return path.read_text("utf-8", "replace")[-_MOST_TEXT:] if path.exists() else ""
