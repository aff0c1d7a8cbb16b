"""``riverboat knowledge``: shows what a learner has learnt (Poker Learner, Tables 5.5-5.8)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from clients.core.one_line import CommandError, OneLineCommand, json_option
from engine.poker.cards import RANKS
from engine.support.text import table


@click.command(cls=OneLineCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--hand", metavar="HAND", help="Only this starting hand: 72o, A7s, TT.")
@click.option(
    "--min-updates", type=click.IntRange(min=0), default=1, show_default=True, metavar="N",
    help="Only states that were learnt from at least this often.",
)  # fmt: skip
@json_option()
def knowledge(file: Path, hand: str | None, min_updates: int, as_json: bool) -> None:
    """Show what the knowledge file FILE holds: for each state, the weight of each action.

    Reading needs no lock: a learner may be playing with it.
    """
    from clients.learners.knowledge_file import KnowledgeError
    from clients.learners.reports import StateQuery, report_on
    from engine.poker.combos import parse_starting_hand

    try:
        group = None if hand is None else parse_starting_hand(_spelled(hand))
        found, report = report_on(file, StateQuery(group, min_updates))
    except KnowledgeError as error:
        raise CommandError(str(error)) from error
    except ValueError as error:  # of the hand
        raise CommandError(f"--hand {error}") from error
    if as_json:
        names = [name.removesuffix(" %").replace(" ", "_") for name in report.columns]
        rows = [dict(zip(names, row, strict=True)) for row in report.rows]
        click.echo(json.dumps({"learner": found.kind, "game": found.game, **report.summary, "rows": rows}))
        return
    facts = ", ".join(f"{name} {value}" for name, value in report.summary.items())
    click.echo(f"{found.kind}, {found.game}: {facts}")
    for line in _lines(report.columns, report.rows):
        click.echo(line)


def _spelled(hand: str) -> str:
    """The usual name of a starting hand: ``72o`` for ``27O``."""
    ranks = hand[:2].upper()
    if not set(ranks) <= set(RANKS):
        return hand
    return "".join(sorted(ranks, key=RANKS.index, reverse=True)) + hand[2:].lower()


def _lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The lines of a table: numbers are right-aligned, percentages have their sign."""
    heads = [name.removesuffix(" %") for name in columns]
    signs = ["%" if name.endswith("%") else "" for name in columns]
    cells = [[f"{value}{sign}" for value, sign in zip(row, signs, strict=True)] for row in rows]
    texts = [k for k, value in enumerate(rows[0] if rows else heads) if isinstance(value, str)]
    return table([heads, *cells], left=texts)
