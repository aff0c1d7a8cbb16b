"""``riverboat telnet``: a seat at any table, for a person with nothing but ``telnet`` or ``nc``."""

from __future__ import annotations

import sys

import attrs
import click

from clients.core.one_line import MOST_SECONDS, FiniteRange, room_options, token_options
from protocol import variables


@click.command()
@click.argument("address", nargs=-1, required=True, metavar="HOST PORT")
@click.option(
    "--listen",
    required=True,
    metavar="[HOST:]PORT",
    help="Where the person connects to; 0 is any port.  Loopback unless a host is named.",
)
@click.option(
    "--display",
    type=click.Choice(["plain", "symbols", "colour"]),
    default="plain",
    show_default=True,
    help="Plain ASCII, suit symbols (UTF-8), or these in colour.",
)
@click.option(
    "--wait", "wait_s", metavar="SECONDS", type=FiniteRange(0, MOST_SECONDS), default=0.0,
    help="Keep trying to connect to the table for this long.",
)  # fmt: skip
@click.option(
    "--game",
    metavar="GAME",
    help=f"What is being played, where the dealer does not say so itself; also {variables.GAME}.",
)
@room_options()
@token_options()
def telnet(
    address: tuple[str, ...],
    listen: str,
    display: str,
    wait_s: float,
    game: str | None,
    room_name: str | None,
    chips: int | None,
    tls: bool,
    authority: str | None,
    token: str | None,
) -> None:
    """Offer the seat at HOST PORT to the person who connects to the --listen port.

    With HOST:PORT/TABLE, or HOST:PORT for any table, it is one in a room (`riverboat serve`).

    It joins the table when somebody has connected.  There is one seat for one connection: a second person is
    turned away, but a person whose connection broke can come back.
    """
    from clients.core.program import ProgramError, seat_at, speaking_tls, table_from_environment
    from clients.human.program import play_over_telnet
    from clients.human.telnet import read_listen_address

    try:
        secure = speaking_tls(tls, authority)
        host, port, room = seat_at(address, room_name, chips, secure)
        found = table_from_environment(host, port, wait_s=wait_s, game=game, token=token)
        table = attrs.evolve(found, room=room, tls=secure)
        listening = read_listen_address(listen)
    except ProgramError as error:
        click.echo(f"telnet: {error}", err=True)
        sys.exit(error.status)
    sys.exit(play_over_telnet(table, display, listening, "telnet"))
