"""``riverboat report`` and ``riverboat analyse``: pages, tables and lines about what has been played."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click
from click import Choice

from engine.evidence.play_statistics import STATISTICS
from engine.evidence.verdict import fixed_kind
from engine.support.files import write_whole
from engine.support.text import cut, rate, table
from engine.support.user_input import printable, told_as
from server.records.evidence import Luck
from server.records.logs import LogError
from server.records.pages import require_page, statistic_texts
from server.records.review.content import play_of, rate_of, report_on
from server.records.review.counts import Counts, count_hands
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
    with told_as(click.ClickException, LogError):
        content = report_on(open_source(paths, game), Luck(luck) if luck else None)
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


_FIRST: Final = 8
_COLUMN: Final = 12
# Characters; six columns and the first make 80.


@click.command("analyse")
@click.argument("paths", nargs=-1, required=True, metavar="LOG|FOLDER...", type=click.Path(path_type=Path))
@flag("--json as_json", "Print one JSON object instead.")
@option("--game GAME", "The game played, if the logs do not say.")
def analyse(paths: tuple[Path, ...], as_json: bool, game: str | None) -> None:
    """Show how the players of ACPC logs play: VPIP, PFR, 3-bet, AF, WTSD and W$SD by position.

    Below each value are its 95 % interval and its counts.  VPIP: hands in which a player called or raised
    before the flop, of those in which they were asked.  PFR: hands in which they raised, likewise.  3-bet:
    open raises that they re-raised, of those they could have.  AF: bets and raises per call after the flop.
    WTSD: showdowns, of flops seen.  W$SD: showdowns that won a part of the pot.
    """
    with told_as(click.ClickException, LogError):
        source = open_source(paths, game)
        counts = count_hands(source.matches)
    players = [
        {"name": printable(name), **rate_of(counts, player), **play_of(counts, player)}
        for player, name in enumerate(counts.names)
    ]
    for warning in source.warnings:
        click.echo(warning, err=True)
    if as_json:
        logs = [str(log.path) for log in source.logs]
        game_text = printable(source.logs[0].game_text)
        click.echo(json.dumps({"game": game_text, "logs": logs, "hands": counts.hands, "players": players}))
        return
    for line in _table(counts, players):
        click.echo(line)


def _table(counts: Counts, players: list[dict[str, Any]]) -> list[str]:
    """The lines of the table, 80 characters at most."""
    lines = [f"{counts.hands} hands; below each value its 95 % interval and its counts"]
    unit = f"mbb/h ({fixed_kind(counts.deals)})"
    for player in players:
        won = rate(player["mbb_per_hand"], player["ci95"], unit=unit, missing="")
        facts = f": {player['hands']} hands" + (f", {won}" if won else "")
        lines += ["", cut(player["name"], 80 - len(facts)) + facts]
        rows = [["", *STATISTICS.values()]]
        positions = {"all": player["statistics"]["all"], **player["statistics"]["by_position"]}
        for position, shown in positions.items():
            if shown["hands"]:
                cells = [statistic_texts(shown, key) for key in STATISTICS]
                for k, part in enumerate(("value", "interval", "counts")):
                    rows.append(["" if k else position, *[fitted(cell[part]) for cell in cells]])
        lines += table(rows, widths=[_FIRST, *[_COLUMN] * len(STATISTICS)], gap=0)
    return lines


def fitted(text: str) -> str:
    """A cell's text, with its numbers shortened until it fits its column with a blank.

    >>> fitted("88.6–90.4"), fitted("50,000/50,000"), fitted("1,234,567:98"), fitted("3604.12–37906.43")
    ('88.6–90.4', '50000/50000', '1234567:98', '3604–37906')
    >>> fitted("1,234,567/7,654,321")
    '1235k/7654k'
    """
    shorter = [text.replace(",", "")]
    shorter.append(re.sub(r"\.\d+", "", shorter[-1]))
    shorter.append(re.sub(r"\d{4,}", lambda digits: f"{round(int(digits[0]) / 1000)}k", shorter[-1]))
    return next((each for each in shorter if len(each) < _COLUMN), "…")
