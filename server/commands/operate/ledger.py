"""``riverboat ledger``: checks whether a room's chips add up."""

from __future__ import annotations

import json
from pathlib import Path

import click

from server.room.ledger.ledger import Ledger, LedgerError


@click.group("ledger")
def ledger() -> None:
    """Check that a room's chips add up; the room may be open meanwhile."""


@ledger.command()
@click.option(
    "--data",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("room"),
    show_default=True,
    help="The folder of the room's data.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.pass_context
def check(ctx: click.Context, data: Path, as_json: bool) -> None:
    """Compute every balance again from what has happened.

    Exit status: 0 everything adds up, 1 it does not.
    """
    try:
        with Ledger(data, read_only=True) as book:
            found = book.check()
    except LedgerError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        for fault in found.faults:
            click.echo(fault)
        verdict = "all of them add up" if found.is_balanced else "they do not add up"
        click.echo(
            f"{found.issued} chips issued: {found.accounts} in accounts, {found.tables} on tables, "
            f"{found.rake} in the rake; {found.hands} hands: {verdict}"
        )
    ctx.exit(0 if found.is_balanced else 1)
