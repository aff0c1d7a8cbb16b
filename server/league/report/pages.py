"""Writes the pages and tables of a tournament: ``report.html``, ``players/NAME.html``, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from engine.evidence.play_statistics import STATISTICS
from engine.support.files import write_whole
from server.league.house import Folder
from server.league.report.content import pages_of
from server.league.report.words import place
from server.records.pages import can_be_made, page_environment
from server.records.review.spreadsheets import table_text
from server.support.private_files import FOLDER_MODE

__all__ = ["write_report"]

_PAGE: Final = "report.html"
_ABSENT: Final = {
    "members": (), "failure": None, "matches_with_failures": 0, "ci95_simultaneous": None, "rating": None,
    "rating_ci95": None, "nash_weight": None, "hands_not_played": 0,
}  # fmt: skip
"""Stands for a value that a row does not have."""


def write_report(folder: Folder, content: Mapping[str, Any]) -> list[Path]:
    """Write the pages, if they can be made, and the tables; returns the files.

    Args:
        folder: of the tournament.
        content: of its ``result.json``.

    Raises:
        LogError: a log cannot be read.
        OSError: a file cannot be written.
    """
    files = {f"{name}.csv": text for name, text in _tables(content).items()}
    if can_be_made():
        files |= _pages(folder, content)
    for name, text in files.items():
        path = folder.path / name
        path.parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
        write_whole(path, text)
    return [folder.path / name for name in files]


def _pages(folder: Folder, content: Mapping[str, Any]) -> dict[str, str]:
    environment = page_environment(Path(__file__).parent, place=place)
    content = {**content, "players": [{**_ABSENT, **row} for row in content["players"]]}
    shown = pages_of(folder, content)
    league = environment.get_template("league.html.j2").render(
        result=content, shown=shown, source=_source(folder), statistics=STATISTICS
    )
    player = environment.get_template("player.html.j2")
    pages = {_PAGE: league}
    for row in content["players"]:
        pages[shown["pages"][row["name"]]] = player.render(
            result=content, shown=shown, row=row, mine=shown["players"][row["name"]], statistics=STATISTICS
        )
    return pages


def _source(folder: Folder) -> str:
    from engine.support.files.formats import parse_json
    from server.league.house import PLAN

    return str(parse_json((folder.path / PLAN).read_text("utf-8"))["file"])


def _tables(content: Mapping[str, Any]) -> dict[str, str]:
    """CSV texts by file name."""
    return {
        "players": table_text(list(_players(content))),
        "pairs": table_text(list(_pairs(content))),
        "crosstable": _crosstable(content),
        "failures": table_text(content["failures"]),
    }


def _players(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for row in content["players"]:
        yield {
            key: row.get(key)
            for key in (
                "rank", "rank_low", "rank_high", "name", "mbb_per_hand", "ci95", "ci95_simultaneous", "hands",
                "rating", "rating_ci95", "nash_weight", "failure", "failures", "hands_not_played",
            )
        }  # fmt: skip


def _pairs(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for pair in content["pairs"]:
        one, other = pair["players"]
        corrected = pair.get("luck_corrected", {})
        kept = {key: value for key, value in pair.items() if key not in ("players", "luck_corrected")}
        yield {"player": one, "opponent": other, **kept} | {
            f"luck_corrected_{key}": value for key, value in corrected.items()
        }


def _crosstable(content: Mapping[str, Any]) -> str:
    """mbb per hand, row against column."""
    names = [row["name"] for row in content["players"]]
    won: dict[tuple[str, str], float] = {}
    for pair in content["pairs"]:
        one, other = pair["players"]
        won[one, other], won[other, one] = pair["mbb_per_hand"], -pair["mbb_per_hand"]
    file = io.StringIO()
    rows: list[list[Any]] = [[name, *[won.get((name, other), "") for other in names]] for name in names]
    csv.writer(file, lineterminator="\n").writerows([["player", *names], *rows])
    return file.getvalue()
