"""``riverboat experiment sensitivity --out DIR``: which constants, how much, where to."""

from __future__ import annotations

from typing import get_args

import click

from clients.core.one_line import CommandError, FiniteRange, OneLineCommand, out_option
from clients.lab.experiments.command_line import Order, experiment_options, say
from clients.lab.experiments.resuming import Experiment
from clients.lab.experiments.sensitivity.report import plots, report, summary
from clients.lab.experiments.sensitivity.tasks import (
    CONSTANTS,
    TABLES,
    Betting,
    Settings,
    all_variations,
    play,
)
from engine.support.user_input import did_you_mean, parse_finite

__all__ = ["measure", "sensitivity"]

measure = Experiment(all_variations, play, summary)
"""All variations of some settings, played."""


def _checked(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """The constants of a list, all different and known; None where there is no list."""
    if text is None:
        return None
    return tuple(dict.fromkeys(_constant(parameter, name) for name in text.split(",")))


def _constant(parameter: click.Parameter, text: str) -> str:
    name = text.strip().replace("-", "_")
    if name not in CONSTANTS:
        near = did_you_mean(name, CONSTANTS) or f"; there are {', '.join(CONSTANTS)}"
        raise CommandError(f"{parameter.opts[0]}: there is no constant {name!r}{near}")
    return name


def _values(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """``NAME=VALUE,...``: constants that there are, with finite values."""
    variations = []
    for text in texts:
        values = {}
        for each in text.split(","):
            name, _, number = each.partition("=")
            try:
                value = parse_finite(number)
            except ValueError as error:
                raise CommandError(f"{parameter.opts[0]}: {each!r}: expected NAME=VALUE, {error}") from None
            values[_constant(parameter, name)] = value
        variations.append(",".join(f"{name}={value!r}" for name, value in values.items()))
    return tuple(dict.fromkeys(variations))


@click.command("sensitivity", cls=OneLineCommand)
@out_option("results.json, results.md, the plot (PNG and SVG) and what each variation won")
@click.option(
    "--hands", type=click.IntRange(min=12), default=20_000, show_default=True, metavar="N",
    help="Hands of each variation at each table.",
)  # fmt: skip
@click.option(
    "--constants", metavar="NAME,...", callback=_checked,
    help="Only these constants of engine/players/models/formula.py.  Default: all, or none with --instead.",
)  # fmt: skip
@click.option(
    "--instead", multiple=True, metavar="NAME=VALUE,...", callback=_values,
    help="Play the formula with these values, all at once, to see whether constants could go; may be "
    "repeated.",
)  # fmt: skip
@click.option(
    "--by", type=FiniteRange(0.01, 0.99), default=0.2, show_default=True, metavar="PART",
    help="The share by which each constant is increased and decreased.",
)  # fmt: skip
@click.option(
    "--table", "tables", type=click.Choice(TABLES), multiple=True,
    help="Only at these tables: heads-up against a bot, or at six seats with all of them; may be repeated.",
)  # fmt: skip
@click.option(
    "--match-deals", type=click.IntRange(min=1), default=500, show_default=True, metavar="N",
    help="Deals after which all players start again.",
)  # fmt: skip
@click.option(
    "--betting", type=click.Choice(get_args(Betting)), default="limit", show_default=True,
    help="Limit games, or no-limit games with 200 big blinds.",
)  # fmt: skip
@experiment_options(seeded="cards")
def sensitivity(
    order: Order,
    hands: int,
    constants: tuple[str, ...] | None,
    instead: tuple[str, ...],
    by: float,
    tables: tuple[str, ...],
    match_deals: int,
    betting: Betting,
) -> None:
    """Measure how much each constant of the formula matters: each one greater and smaller, on equal deals.

    The default size takes hours: hands at five tables for each of some sixty variations.
    """
    chosen = tuple(table for table in TABLES if not tables or table in tables)
    varied = constants if constants is not None else () if instead else CONSTANTS
    settings = Settings(hands, varied, instead, by, chosen, match_deals, order.seed, betting)
    order.carry_out(lambda: measure(settings, order.out, order.jobs, say, resume=order.resume), report, plots)
