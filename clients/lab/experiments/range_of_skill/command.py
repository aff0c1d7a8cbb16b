"""``riverboat experiment range-of-skill --out DIR``: which games, how far, where to."""

from __future__ import annotations

import click

from clients.core.one_line import FiniteRange, OneLineCommand, out_option
from clients.lab.experiments.command_line import Order, experiment_options, say
from clients.lab.experiments.range_of_skill.report import plots, report, summary
from clients.lab.experiments.range_of_skill.tasks import GAMES, Settings, all_lists, make_list
from clients.lab.experiments.resuming import Experiment

__all__ = ["measure", "range_of_skill"]

measure = Experiment(all_lists, make_list, summary)
"""The lists of all games."""


@click.command("range-of-skill", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and the list of each game")
@click.option(
    "--game", "games", type=click.Choice(tuple(GAMES)), multiple=True, default=tuple(GAMES),
    show_default=True, help="The game; may be repeated.",
)  # fmt: skip
@click.option(
    "--epsilon", "epsilons", type=FiniteRange(1e-6, 1000), multiple=True, metavar="E",
    help="The least by which each strategy beats all before it, in antes per hand; may be repeated.  "
    "Default: 2, 1.5 and 1 for leduc, .3 to .001 for kuhn-2p.",
)  # fmt: skip
@experiment_options(seeded=None)
def range_of_skill(order: Order, games: tuple[str, ...], epsilons: tuple[float, ...]) -> None:
    """Count how many strategies there are, each of which beats all before it by E or more.

    The list begins with the uniform strategy; each further one wins the most from whichever earlier strategy
    suits it least.  Smaller E takes much longer: Leduc takes some seconds at 1, minutes at .5.

    Each strategy follows from all before it: the list of a game is one task, for --jobs and for --resume.
    """
    settings = Settings(tuple(dict.fromkeys(games)), epsilons)
    order.carry_out(lambda: measure(settings, order.out, order.jobs, say, resume=order.resume), report, plots)
