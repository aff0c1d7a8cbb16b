"""``riverboat report``: a match, or any ACPC logs, as a page to show, as JSON, as CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from click import Choice

from engine.support.files import write_whole
from engine.support.user_input import printable
from server.records.evidence import Luck
from server.records.logs import LogError
from server.records.pages import require_page
from server.records.review.content import report_on
from server.records.review.page import PAGE_FILE, check_new, render_page
from server.records.review.sources import open_source
from server.records.review.spreadsheets import FILES, spreadsheets
from server.support.options import FILE, FOLDER, flag, option


@click.command("report")
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER|LOG...", type=click.Path(path_type=Path))
@option(
    "--out FILE.html",
    f"The page; default {PAGE_FILE} in the folder, or LOG.html beside a log, or {PAGE_FILE} here.",
    FILE,
)
@flag("--json as_json", "Print one JSON object; no page then, unless --out names one.")
@option(
    "--csv csv_folder DIR",
    f"Write the tables as files into a folder: {', '.join(FILES)}.  No page then, unless --out names one.",
    FOLDER,
)
@option(
    "--luck",
    "The luck to take out, in results shown beside the chips won: none; by equity, that of the cards; "
    "with AIVAT, also that of players who told the house their strategies.  Default: as when the match was "
    "played, or by equity.",
    Choice([each.value for each in Luck]),
)
@option("--game GAME", "The game played, if the logs do not say.")
@flag("--force", "Overwrite files.")
def report(
    paths: tuple[Path, ...],
    out: Path | None,
    as_json: bool,
    csv_folder: Path | None,
    luck: str | None,
    game: str | None,
    force: bool,
) -> None:
    """Report on a match or on logs, as a page, as JSON or as CSV.

    It has the result, statistics of play, curves, failures, the biggest pots, and how to replay the match.

    FOLDER is one that `riverboat match` has left, LOG a log of any ACPC dealer; the logs of one duplicate
    match are recognised by their cards.  The page is one HTML file that needs no other files.
    """
    page = out if out is not None or as_json or csv_folder else _default_page(paths)
    files = [page] if page is not None else []
    files += [csv_folder / name for name in FILES] if csv_folder is not None else []
    if page is not None:
        require_page()
    check_new(files, force=force)
    try:
        content = report_on(open_source(paths, game), Luck(luck) if luck else None)
    except LogError as error:
        raise click.ClickException(str(error)) from None
    changes = [f"{row['name']}: {each}" for row in content["players"] for each in row.get("changes", ())]
    for warning in [*content["warnings"], *changes]:
        click.echo(printable(warning), err=True)
    if page is not None:
        write_whole(page, render_page(content))
    if csv_folder is not None:
        csv_folder.mkdir(parents=True, exist_ok=True)
        for name, text in spreadsheets(content).items():
            write_whole(csv_folder / name, text)
    if as_json:
        click.echo(json.dumps(content))
        return
    for file in files:
        click.echo(str(file))


def _default_page(paths: Sequence[Path]) -> Path:
    if len(paths) > 1:
        return Path(PAGE_FILE)
    if paths[0].is_dir():
        return paths[0] / PAGE_FILE
    name = paths[0].name.removesuffix(".gz").removesuffix(".log")
    return paths[0].with_name(f"{name}.html")
