"""``riverboat room`` manages an open room; ``riverboat ledger`` checks whether its chips add up."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from engine.support.user_input import printable, told_as
from server.room.config import RoomError
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import Ledger
from server.room.operator import ask, manage
from server.support.options import FILE, FOLDER, flag, option
from server.support.private_files import FILE_MODE

_data = option("--data DIR", "The folder of the room's data.", FOLDER, default=Path("room"))
_reason = option("--reason", "What the players concerned are told.")


@click.group("room")
def room() -> None:
    """Manage an open room: tables, players, names."""


def _ask(data: Path, **request: Any) -> dict[str, Any]:
    with told_as(click.ClickException, RoomError):
        answer = ask(data, request)
    if answer is None:
        raise click.ClickException(f"no room is open in {data} (riverboat serve --data {data})")
    return answer


@room.command("list")
@_data
@flag("--json as_json", "Print one JSON object instead.")
def list_(data: Path, as_json: bool) -> None:
    """List the tables and who sits at them."""
    answer = _ask(data, do="list")
    if as_json:
        click.echo(json.dumps(answer))
        return
    for table in answer["tables"]:
        paused = ", paused" if table["paused"] else ""
        click.echo(f"{table['name']}  {table['policy']} {table['game']}, {table['hands']} hands{paused}")
        for bot, why in table["unfilled"].items():
            click.echo(f"  {bot} does not come: {why}")
        for number, seat in enumerate(table["seats"], 1):
            if seat is not None:
                away = "" if seat["there"] else "  (away)"
                click.echo(f"  seat {number}  {seat['player']:<16} {seat['chips']:>10} chips{away}")
    click.echo(f"{answer['connections']} connections")


def _simple(name: str, about: str, *, has_reason: bool) -> Callable[..., None]:
    """A command that takes a name and prints nothing."""

    def run(target: str, data: Path, reason: str | None = None) -> None:
        _ask(data, do=name, name=target, reason=reason)

    run.__doc__ = about
    command = click.argument("target", metavar="NAME")(_data(run))
    return room.command(name)(_reason(command) if has_reason else command)


_simple("open", "Open a table of the room's file again.", has_reason=False)
_simple("close", "Close a table when its hand is over; everybody takes their chips away.", has_reason=True)
_simple("kick", "Take a player's seats when the hand is over.", has_reason=True)
_simple("ban", "Do not let a player in any more, and take their seats.", has_reason=True)
_simple("unban", "Let a player in again.", has_reason=False)


@room.command()
@click.argument("text")
@option("--table", "Only to those at this table.")
@_data
def message(text: str, table: str | None, data: Path) -> None:
    """Send a message to everybody who has a seat."""
    _ask(data, do="message", text=text, table=table)


@room.command("add-player")
@click.argument("name")
@click.option("--chips", metavar="N", type=click.IntRange(0, 10**12), default=100_000, show_default=True)
@option(
    "--save FILE",
    "Write the token into a new file that is yours alone (for --token-file), instead of printing it.",
    FILE,
)
@_data
def add_player(name: str, chips: int, save: Path | None, data: Path) -> None:
    """Make a player, with a token that is needed to sit down under that name."""
    _token({"do": "add-player", "name": name, "chips": chips}, save, data)


@room.command("new-token")
@click.argument("name")
@option("--save FILE", "As add-player's.", FILE)
@_data
def new_token(name: str, save: Path | None, data: Path) -> None:
    """Make another token for a player; the old one is no longer valid."""
    _token({"do": "new-token", "name": name}, save, data)


def _token(request: dict[str, Any], save: Path | None, data: Path) -> None:
    """Get a token from the room or, if none is open, from its ledger; pass it on."""
    if save is not None and save.exists():
        raise click.ClickException(f"{save} exists: name a new file")
    with told_as(click.ClickException, RoomError, LedgerError):
        answer = ask(data, request)
        if answer is None:
            with Ledger(data) as ledger:
                answer = manage(ledger, request)
    token = str(answer["player_token"])
    if save is None:
        click.echo(token)
        return
    descriptor = os.open(save, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")


@click.group("ledger")
def ledger() -> None:
    """Check that a room's chips add up; the room may be open meanwhile."""


@ledger.command()
@_data
@flag("--json as_json", "Print one JSON object instead.")
@click.pass_context
def check(ctx: click.Context, data: Path, as_json: bool) -> None:
    """Compute every balance again from what has happened.

    Exit status: 0 everything adds up, 1 it does not.
    """
    with told_as(click.ClickException, LedgerError), Ledger(data, read_only=True) as book:
        found = book.check()
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        for fault in found.faults:
            click.echo(printable(fault))
        verdict = "all of them add up" if found.is_balanced else "they do not add up"
        click.echo(
            f"{found.issued} chips issued: {found.accounts} in accounts, {found.tables} on tables, "
            f"{found.rake} in the rake; {found.hands} hands: {verdict}"
        )
    ctx.exit(0 if found.is_balanced else 1)
