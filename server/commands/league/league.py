"""``riverboat league``: ratings over many tournaments, and where a new player stands among them."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any, Final

import click
import trio
from click import IntRange

from engine.support.files import write_whole
from engine.support.interruption import held_back
from engine.support.intervals import Z95
from engine.support.text import rate, table
from engine.support.user_input import did_you_mean, how_many, printable, told_as
from server.commands.league.tournament import Refused, run_house, tell
from server.league.house import Folder, TournamentFault
from server.league.ladder.ratings import Placing, Rung, ladder_of, ladder_page, place, tournament_text
from server.league.ladder.store import Ladder, LadderFault
from server.league.match import DamagedMatch
from server.league.plan_file import parse_plan
from server.league.running.processes import CannotPlay, Runner, with_sandboxes
from server.match.launching.processes import adopt_orphans, keep_others_out
from server.support.console import say
from server.support.options import flag, option
from server.support.toml_text import FileMistake

_FILE: Final = click.Path(path_type=Path, dir_okay=False)


@click.group("league")
def league() -> None:
    """Keep players and results of many tournaments, and rate the players.

    LADDER is a SQLite file; a player with another command, or another `version` in the tournament's file, is
    another version.
    """


@league.command()
@click.argument("ladder", type=_FILE)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
def add(ladder: Path, folders: tuple[Path, ...]) -> None:
    """Add tournaments; one that is added again counts once."""
    with _ladder(ladder, make=True) as kept:
        for path in folders:
            with told_as(click.ClickException, DamagedMatch, FileMistake, LadderFault, TournamentFault):
                click.echo(f"{path}: {how_many(kept.add(Folder.reading(path)), 'match')}")


@contextlib.contextmanager
def _ladder(path: Path, *, make: bool = False) -> Any:
    with told_as(Refused, LadderFault):
        kept = Ladder(path, make=make)
    with contextlib.closing(kept):
        yield kept


@league.command()
@click.argument("ladder", type=_FILE)
@option("--game GAME", "Of which game; needed where there are several.")
@option("--html FILE", "Write a page instead.", _FILE)
@flag("--json as_json", "Print one JSON object instead.")
def show(ladder: Path, game: str | None, html: Path | None, as_json: bool) -> None:
    """Show the ladder: ratings by Bradley-Terry on margins, from all matches on it."""
    with _ladder(ladder) as kept:
        game = _game(kept, game)
        rungs = ladder_of(kept, game)
        tournaments = kept.tournaments()
    content = {"game": game, "players": [rung.as_json() for rung in rungs], "tournaments": len(tournaments)}
    if html is not None:
        write_whole(html, ladder_page(game, rungs, tournaments))
        click.echo(str(html))
    elif as_json:
        click.echo(json.dumps(content))
    else:
        click.echo(_table(game, rungs, len(tournaments)))


def _game(kept: Ladder, game: str | None) -> str:
    games = kept.games()
    if game is None and len(games) == 1:
        return games[0]
    if game in games:
        return str(game)
    if game is None:
        raise click.UsageError(f"the ladder has several games, name one with --game: {', '.join(games)}")
    raise click.UsageError(f"the ladder has no results of {game!r}{did_you_mean(game, games)}")


def _table(game: str, rungs: list[Rung], tournaments: int) -> str:
    rows = [["", "player", "rating (95 %, fixed)", "hands", "opponents", "command"]]
    for number, rung in enumerate(rungs, 1):
        half = None if rung.error is None else Z95 * rung.error
        rows.append(
            [
                str(number) if rung.rating is not None else "–",
                printable(rung.name),
                rate(rung.rating, half, missing="–"),
                str(rung.hands),
                str(rung.opponents),
                printable(f"{rung.command} {rung.version}".rstrip()),
            ]
        )
    kept = f"{how_many(len(rungs), 'player')}, {how_many(tournaments, 'tournament')}"
    head = f"{game}: {kept}; mbb/h against the average player"
    return "\n".join([head, "", *table(rows, left={1, 5})])


@league.command("place")
@click.argument("ladder", type=_FILE)
@click.argument("player")
@option("--game GAME", "Of which game; needed where there are several.")
@option("--hands N", "To play in all.", IntRange(1), default=20_000)
@option("--match-hands N", "Deals of a match, duplicate.", IntRange(1), default=200)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR")
@flag("--resume", "Continue what was cut short in DIR.")
@option("--seed S", "Of the cards.", IntRange(0, 2**32 - 1), default=1)
@flag("--in-process", "Without sockets, for installed bots.")
@flag("--no-sandbox", "Run programs without sandboxes, for those you trust.")
@flag("--json as_json", "Print one JSON object instead.")
def place_command(ladder: Path, player: str, **given: Any) -> None:
    """Place a new PLAYER on the ladder, by the most informative matches.

    PLAYER is [NAME=]PLAYER as in `riverboat match`.  Its matches are then added to the ladder.
    """
    hands, match_hands, out = given["hands"], given["match_hands"], given["out"]
    keep_others_out()
    adopt_orphans()
    with _ladder(ladder) as kept, held_back() as noted:
        game = _game(kept, given["game"])
        name, _, command = player.rpartition("=") if "=" in player.split(":")[0] else (player, "", player)
        rungs = _opponents(ladder_of(kept, game), name)
        options = {name: given[name] for name in ("seed", "in_process")}
        options |= {"matches": max(1, hands // (2 * match_hands))}
        text = tournament_text((name, command), rungs, game, match_hands, options)
        text += "[limits]\nsandbox = false\n" if given["no_sandbox"] else ""
        with told_as(Refused, CannotPlay, FileMistake, TournamentFault):
            plan = parse_plan(text, Path(f"the tournament of {name}"))
            if plan.events[0].seats != 2:
                raise click.UsageError(f"players are placed heads-up; {game} is for {plan.events[0].seats}")
            folder = Folder.open(out, with_sandboxes(plan, out, say), text, say, resume=given["resume"])
        placing = Placing(rungs)
        with contextlib.closing(folder):

            async def play(folder: Folder, runner: Runner, workers: int) -> None:
                await place(folder, runner, placing, name, hands)

            status, fault = run_house(folder, noted, trio.sleep_forever, do=play)
            if fault is not None:
                raise click.ClickException(fault)
            tell(folder, is_complete=not status)
            if not status:
                with told_as(click.ClickException, LadderFault):
                    kept.add(folder)
    placed = placing.placed()
    if placed is None:
        raise click.UsageError(f"--hands {hands} is less than a match")
    half, rank, of = Z95 * placed.error, placed.above + 1, len(rungs) + 1
    content = {"name": name, "rating": placed.rating, "ci95": half, "rank": rank, "of": of}
    content["deals"] = placed.deals
    told = f"{printable(name)}: {rate(placed.rating, half)} mbb/h against the average, place {rank} of {of}"
    click.echo(json.dumps(content) if given["as_json"] else f"{told} after {placed.deals} deals")
    sys.exit(status)


def _opponents(rungs: list[Rung], name: str) -> list[Rung]:
    """Players with a rating, the newest version of each; none of the new player's name."""
    newest: dict[str, Rung] = {}
    for rung in rungs:
        held = newest.get(rung.name)
        if rung.rating is not None and rung.name != name and (held is None or rung.id > held.id):
            newest[rung.name] = rung
    if not newest:
        raise Refused("the ladder has nobody with a rating to play against")
    return list(newest.values())
