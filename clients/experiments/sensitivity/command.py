"""``riverboat experiment sensitivity --out DIR``: which constants, how much, where to."""

from __future__ import annotations

import click

from clients.experiments.command_line import Order, experiment_options, say
from clients.experiments.resuming import Experiment
from clients.experiments.sensitivity.report import plots, report, summary
from clients.experiments.sensitivity.tasks import CONSTANTS, TABLES, Settings, all_variations, play
from clients.one_line import CommandError, FiniteRange, OneLineCommand, out_option
from engine.user_input import did_you_mean

__all__ = ["measure", "sensitivity"]

measure = Experiment(all_variations, play, summary)
"""All variations of some settings, played."""


def _checked(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """The constants of a list, all different and known."""
    if text is None:
        return CONSTANTS
    names = [name.strip().replace("-", "_") for name in text.split(",")]
    for name in names:
        if name not in CONSTANTS:
            near = did_you_mean(name, CONSTANTS) or f"; there are {', '.join(CONSTANTS)}"
            raise CommandError(f"--constants: there is no constant {name!r}{near}")
    return tuple(dict.fromkeys(names))


@click.command("sensitivity", cls=OneLineCommand)
@out_option("results.json, results.md, the plot (PNG and SVG) and what each variation won")
@click.option(
    "--hands", type=click.IntRange(min=12), default=20_000, show_default=True, metavar="N",
    help="Hands of each variation at each table.",
)  # fmt: skip
@click.option(
    "--constants", metavar="NAME,...", callback=_checked,
    help="These only, of engine/opponents/models/formula.py.  Default: all.",
)  # fmt: skip
@click.option(
    "--by", type=FiniteRange(0.01, 0.99), default=0.2, show_default=True, metavar="PART",
    help="How much greater and less each is made.",
)  # fmt: skip
@click.option(
    "--table", "tables", type=click.Choice(TABLES), multiple=True,
    help="At these tables only: heads-up against a bot, or at six seats with all of them; may be repeated.",
)  # fmt: skip
@click.option(
    "--match-deals", type=click.IntRange(min=1), default=500, show_default=True, metavar="N",
    help="Deals after which everybody begins anew.",
)  # fmt: skip
@experiment_options(seeded="cards")
def sensitivity(
    order: Order,
    hands: int,
    constants: tuple[str, ...],
    by: float,
    tables: tuple[str, ...],
    match_deals: int,
) -> None:
    """What each constant of the formula is worth: each greater and less, on equal deals.

    The default size is a matter of hours: five tables' worth of hands for each of some sixty variations.
    """
    chosen = tuple(table for table in TABLES if not tables or table in tables)
    settings = Settings(hands, constants, by, chosen, match_deals, order.seed)
    order.carry_out(lambda: measure(settings, order.out, order.jobs, say, resume=order.resume), report, plots)
