"""``riverboat experiment street-learner --out DIR``: which games, how much is played, where to."""

from __future__ import annotations

import click

from clients.core.one_line import CommandError, OneLineCommand, out_option
from clients.core.program import ProgramError, read_game
from clients.lab.experiments.command_line import Order, experiment_options, say
from clients.lab.experiments.resuming import Experiment
from clients.lab.experiments.street_learner.report import plots, report, summary
from clients.lab.experiments.street_learner.tasks import GAMES, Settings, all_runs, found_before, play

__all__ = ["reproduce", "street_learner"]

reproduce = Experiment(all_runs, play, summary, found_before)
"""Trains and plays; writes the knowledge files into the folder, too."""


@click.command("street-learner", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and the knowledge files")
@click.option(
    "--game", "games", multiple=True, metavar="GAME", default=GAMES, show_default=True,
    help="A heads-up hold'em game; may be repeated.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(min=1), default=30_000_000, show_default=True, metavar="N",
    help="Hands of training in each run.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=2), default=20_000, show_default=True, metavar="N",
    help="Hands of each match at the end of training.",
)  # fmt: skip
@click.option(
    "--stop-hands", type=click.IntRange(min=2), default=5_000, show_default=True, metavar="N",
    help="Hands of each match during training.",
)  # fmt: skip
@click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N",
    help="Runs, each with its own cards.",
)  # fmt: skip
@experiment_options(seeded="figures")
def street_learner(
    order: Order,
    games: tuple[str, ...],
    hands: int,
    match_hands: int,
    stop_hands: int,
    seeds: int,
) -> None:
    """Measure the learning curve of the street-learner against five bots.

    The full size, which is the default, takes an hour or two on one core.  --resume starts a run that was
    stopped in the middle from its beginning, since learning has a state that no file holds.
    """
    for game in games:
        _check(game)
    settings = Settings(games, hands, match_hands, stop_hands, seeds, order.seed)
    order.carry_out(
        lambda: reproduce(settings, order.out, order.jobs, say, resume=order.resume), report, plots
    )


def _check(game: str) -> None:
    """Refuse a game that cannot be played before hours are spent on others."""
    try:
        definition = read_game(game)
    except ProgramError as error:
        raise CommandError(str(error)) from error
    if definition.num_players != 2 or not definition.is_holdem:
        raise CommandError(f"{game}: expected Texas hold'em for two players")
