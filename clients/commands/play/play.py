"""``riverboat play``: seats a person at any table, or at a table of their own."""

from __future__ import annotations

import os
import re
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click import Choice, IntRange

from clients.commands import refusing
from clients.commands.play.seat_options import ending, seat_options
from clients.core.one_line import OneLineCommand, refuse_options
from engine.poker.match_key import parse_match_seed
from protocol import variables
from server.support.options import FOLDER, GAME, option

if TYPE_CHECKING:
    from clients.core.program import TableAddress
    from clients.human.own_table import HouseOptions

_OWN_TABLE: Final = ("opponents", "hands", "seed", "folder")
"""Parameters that apply only to a table of one's own."""
_NAME: Final = re.compile(r"[^\s=:/|\x00-\x1f\x7f]{1,100}")
"""A name that PLAYER texts of `riverboat match` allow; anything else could be read as a command."""
_OTHER_TABLE: Final = ("wait_s", "token", "chips", "tls", "authority")
"""Parameters that apply only to a table somewhere else."""


def _check_seed(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """Check the text, and return it unchanged: the house reads it again, so that only it knows a new key."""
    with refusing(ValueError):
        parse_match_seed(text)
    return text


@click.command(cls=OneLineCommand)
@click.argument("address", nargs=-1, metavar="[HOST PORT]")
@option(
    "--against opponents PLAYER",
    "Who plays against you at a table of your own, as in `riverboat match`; may be repeated, the last "
    "one fills the table.  Default: formula.",
    multiple=True,
)
@option(
    "--game GAME",
    "What is played: a game file or the name of a packaged game (`riverboat games`).  Default: limit "
    "hold'em for as many as sit down.",
    GAME,
)
@option("--hands N", "The most hands to play.", IntRange(1, 2**32 - 1), default=1000)
@option(
    "--seed S", "Determines cards and bots, as in `riverboat match`.", default="random", callback=_check_seed
)
@option("--out folder DIR", "Match folder; default under matches/.", FOLDER)
@option("--telnet [HOST:]PORT", "Offer your seat on a port, to plain `telnet` or `nc`, instead of here.")
@option(
    "--display", "Plain ASCII, suit symbols (UTF-8), or these in colour.",
    Choice(["auto", "plain", "symbols", "colour"]), default="auto",
)  # fmt: skip
@seat_options("Your name: at a table of your own (default: you), or in a room.")
@click.pass_context
def play(
    context: click.Context,
    /,
    address: tuple[str, ...],
    game: str | None,
    telnet: str | None,
    display: str,
    **given: Any,
) -> None:
    """Sit down at a table and play.

    With HOST PORT you take that seat, wherever it is; with HOST:PORT/TABLE, or HOST:PORT for any table, one
    in a room (`riverboat serve`).  Without these, it opens a table of your own against bots, with no time
    limit for you.  Type ? at the table to see what you can type.
    """
    from clients.core.program import table_of_words
    from clients.human.program import play_at_terminal, play_over_telnet
    from clients.human.telnet import read_listen_address

    own = {name: given.pop(name) for name in _OWN_TABLE}
    where = "of your own" if address else "at HOST PORT"
    refuse_options(context, _OWN_TABLE if address else _OTHER_TABLE, f"for a table {where}")
    with ending("play"):
        table: TableAddress | HouseOptions
        if address:
            table = table_of_words(address, game=game, **given)
        else:
            table = _own_table(given["room_name"] or "you", game, **own)
        if telnet is not None:
            sys.exit(play_over_telnet(table, display, read_listen_address(telnet), "play"))
    sys.exit(play_at_terminal(table, display, sys.stdout, os.environ))


def _own_table(
    name: str, game: str | None, *, opponents: tuple[str, ...], hands: int, seed: str, folder: Path | None
) -> HouseOptions:
    from clients.core.program import read_game
    from clients.core.registry import fill_table, installed_bots
    from clients.human.own_table import HouseOptions
    from clients.human.program import GAMES_BY_PLAYERS, OPPONENTS, default_folder

    if not _NAME.fullmatch(name):
        raise click.UsageError(f"expected a name without blanks and without = : / |, got {name!r}")
    if not opponents:
        installed = installed_bots()
        opponents = tuple([name for name in OPPONENTS if name in installed][:1])
    if game is None:
        game = GAMES_BY_PLAYERS.get(len(opponents) + 1)
        if game is None:
            raise click.UsageError(f"name a --game for {len(opponents) + 1} players (`riverboat games`)")
    num_players = read_game(game).num_players
    seated = fill_table(num_players, opponents)
    if seated is None:
        raise click.UsageError(f"{game} is for {num_players} players, got {len(opponents)} opponents")
    folder = folder or default_folder(datetime.now().strftime("%Y%m%d-%H%M%S"), game)
    return HouseOptions(game, name, seated, hands, seed, folder)


@click.command()
@click.argument("address", nargs=-1, required=True, metavar="HOST PORT")
@option(
    "--listen [HOST:]PORT",
    "Where the person connects to; 0 is any port.  Loopback unless a host is named.",
    required=True,
)
@option(
    "--display", "Plain ASCII, suit symbols (UTF-8), or these in colour.",
    Choice(["plain", "symbols", "colour"]), default="plain",
)  # fmt: skip
@option(
    "--game GAME", f"What is being played, where the dealer does not say so itself; also {variables.GAME}."
)
@seat_options()
def telnet(address: tuple[str, ...], listen: str, display: str, game: str | None, **seat: Any) -> None:
    """Offer the seat at HOST PORT to the person who connects to the --listen port.

    With HOST:PORT/TABLE, or HOST:PORT for any table, it is one in a room (`riverboat serve`).

    It joins the table when somebody has connected.  There is one seat for one connection: a second person is
    turned away, but a person whose connection broke can come back.
    """
    from clients.core.program import table_of_words
    from clients.human.program import play_over_telnet
    from clients.human.telnet import read_listen_address

    with ending("telnet"):
        table = table_of_words(address, game=game, **seat)
        listening = read_listen_address(listen)
    sys.exit(play_over_telnet(table, display, listening, "telnet"))
