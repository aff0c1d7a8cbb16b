"""The web page of a report: one file that needs no others, for light and dark screens and for paper."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from engine.evidence.play_statistics import KINDS, STATISTICS
from engine.evidence.verdict import fixed_kind
from engine.support.files import write_whole
from engine.support.palette import SERIES
from server.records.curves import bankroll_picture, won_picture
from server.records.pages import page_environment, require_page
from server.records.progress import Tally
from server.records.review.content import estimators_of, report_on
from server.records.review.sources import open_source
from server.support.private_files import FILE_MODE

PAGE_FILE: Final = "report.html"
_TOGETHER: Final = 2
"""The most bankrolls in one picture, since the bands of more would overlap."""
_MOST_NAMED: Final = 3
"""The number of players that a heading has room for."""
_METHODS: Final = {
    "duplicate": "playing each deal from every seat",
    "all_in": "all-in equity",
    "equity": "equity of every card dealt",
    "aivat": "AIVAT",
}
_COLUMNS: Final = {"all_in": "all-in equity", "equity": "equity", "aivat": "AIVAT"}
"""The heads of the estimators' columns."""


def render_page(content: Mapping[str, Any]) -> str:
    """The page that shows what `server.records.review.content` has found.

    Raises:
        click.ClickException: see `require_page`.
    """
    environment = page_environment(
        Path(__file__).parent,
        column=lambda name: _COLUMNS.get(name, name),
        method=lambda name: _METHODS.get(name, name),
    )
    players = content["players"]
    names = [player["name"] for player in players]
    return environment.get_template("page.html.j2").render(
        report=content,
        fixed=fixed_kind(content["deals"]),
        heading=" v ".join(names) if 1 < len(names) <= _MOST_NAMED else str(content["title"]),
        statistics=STATISTICS,
        kinds=KINDS,
        line_colours=len(SERIES),
        bankrolls=_bankrolls(content),
        won=[{kind: won_picture(player["won"][f"by_{kind}"]) for kind in KINDS} for player in players],
        estimators=estimators_of(players),
    )


def _bankrolls(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pictures of bankrolls, each with the numbers of its players."""
    bankroll = content["bankroll"]
    if bankroll is None:
        return []
    curves = [{"deals": bankroll["deals"], **each} for each in bankroll["players"]]
    played = f"deals, each played {content['passes']} times" if content["passes"] > 1 else "hands"
    everybody = list(range(len(curves)))
    groups = [everybody] if len(everybody) <= _TOGETHER else [[k] for k in everybody]
    return [
        {"players": group, "svg": bankroll_picture([curves[k] for k in group], group, played)}
        for group in groups
    ]


def require_new_page(folder: Path, file: str, *, force: bool = False) -> Path:
    """The path of the page of a match that will be played, after checking that it can be made.

    Args:
        folder: the match's folder.
        file: the file as the user named it; empty for the page in the folder.
        force: it may exist.

    Raises:
        click.UsageError: the file exists already.
        click.ClickException: a library that makes the page is not installed.
    """
    require_page()
    page = Path(file) if file else folder / PAGE_FILE
    check_new([page], force=force)
    return page


def page_of_match(folder: Path, page: Path) -> None:
    """Write the page of a match that has been played, readable only by its user.

    Raises:
        LogError: its log cannot be read.
        OSError: the page cannot be written.
    """
    write_whole(page, render_page(report_on(open_source([folder]))), mode=FILE_MODE)


LIVE_S: Final = 2
"""How often the page of a match that is being played is written, and loaded again, in seconds."""


def live_page(tally: Tally, title: str, most: int, pace: str = "") -> str:
    """The page of a match that is being played: its numbers so far, which hold whenever one looks.

    Args:
        tally: of the match.
        title: above.
        most: hands that are played.
        pace: how fast, and how long it will take.
    """
    template = page_environment(Path(__file__).parent).get_template("live.html.j2")
    watched = tally.verdict_so_far()
    return template.render(
        title=title, hands=tally.hands, most=most, until=tally.goal, pace=pace, every=LIVE_S,
        lines=watched.lines(), kind=watched.kind, scores=tally.scores(),
    )  # fmt: skip


def check_new(files: Sequence[Path], *, force: bool) -> None:
    """Refuse to overwrite files.

    Raises:
        click.UsageError: a file exists already.
    """
    for file in files:
        if os.path.lexists(file) and not force and not file.is_char_device():
            raise click.UsageError(f"{file} is there already: name another file, or use --force")
