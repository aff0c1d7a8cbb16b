"""``riverboat signature``: one number for all behaviour."""

from __future__ import annotations

import json

import click

from clients.core.one_line import ComputingCommand, json_option


@click.command("signature", cls=ComputingCommand, hidden=True)
@click.argument("parts", nargs=-1, metavar="[PART]...")
@json_option()
@click.pass_context
def signature_command(context: click.Context, parts: tuple[str, ...], as_json: bool) -> None:
    """Print one number for all behaviour, and the numbers of its parts.

    Every bot plays games of fixed seeds, every command that computes is run, parsers read right and wrong
    texts.  A change that is meant to keep behaviour keeps the number.  The first eight digits are the same on
    every machine; the others may depend on processor, numba and Python.
    """
    from clients.lab.signature import INTEGER_PARTS, float_parts, signature

    program = context.find_root().command
    known = [*INTEGER_PARTS, *float_parts(program)]
    for part in parts:
        if part not in known:
            raise click.UsageError(f"there is no part {part!r}; there are {', '.join(known)}")
    computed = signature(program, parts)
    click.echo(json.dumps(computed.as_json()) if as_json else str(computed))
