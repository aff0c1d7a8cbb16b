"""``riverboat experiment poker-learner --out DIR``: the command line of the experiment."""

from __future__ import annotations

from typing import Final, get_args

import click

from clients.core.one_line import OneLineCommand, out_option
from clients.lab.experiments.command_line import Order, experiment_options, say
from clients.lab.experiments.poker_learner.report import plots, report
from clients.lab.experiments.poker_learner.summary import summary
from clients.lab.experiments.poker_learner.tasks import (
    POINTS,
    BasesReading,
    Settings,
    SimpleBotReading,
    all_tasks,
    do_task,
    found_before,
    in_short,
)
from clients.lab.experiments.poker_learner.thesis import BOTS, LEARNERS
from clients.lab.experiments.resuming import Experiment
from clients.learners.preflop.action_values import (
    LastActionReading,
    PenaltyReading,
    ShowdownsReading,
    WinnerReading,
)

__all__ = ["READINGS", "poker_learner", "reproduce"]

READINGS: Final = tuple(
    f"{key}={value}"
    for key, reading in (
        ("last-action", LastActionReading),
        ("winner", WinnerReading),
        ("penalty", PenaltyReading),
        ("showdowns", ShowdownsReading),
        ("bases", BasesReading),
        ("simple-bot", SimpleBotReading),
    )
    for value in get_args(reading)
)
"""Readings of the thesis: options of the learners, how many knowledge bases there are, and its SimpleBot."""

reproduce = Experiment(all_tasks, do_task, summary, found_before, in_short)
"""Trains the learners and plays the matches; writes their knowledge files into the folder, too."""


@click.command("poker-learner", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and the knowledge files")
@click.option(
    "--hands", type=click.IntRange(min=1), default=500_000, show_default=True, metavar="N",
    help="Hands of training against each bot.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=POINTS), default=100_000, show_default=True, metavar="N",
    help="Hands of each match.",
)  # fmt: skip
@click.option(
    "--seeds", type=click.IntRange(min=1), default=5, show_default=True, metavar="N",
    help="Runs, each with its own training and cards.",
)  # fmt: skip
@click.option(
    "--learner",
    "learners",
    type=click.Choice(LEARNERS),
    multiple=True,
    help="Only this learner; may be repeated.",
)
@click.option(
    "--against",
    "bots",
    type=click.Choice(BOTS),
    multiple=True,
    help="Heads-up against this bot only, and no competition; may be repeated.",
)
@click.option(
    "--reading",
    "readings",
    type=click.Choice(READINGS),
    multiple=True,
    metavar="KEY=VALUE",
    help="Read the thesis otherwise (clients/learners/preflop/action_values.py; bases=carried: one knowledge "
    "base goes through the trainings against all bots, one after the other; simple-bot=listed: its "
    "SimpleBot is simple:preflop-only,hands=listed, or with others=0, list-alone); may be repeated.",
)
@click.option("--no-frozen", is_flag=True, help="Play heads-up with learning on only, as the thesis does.")
@experiment_options(seeded="figures")
def poker_learner(
    order: Order,
    hands: int,
    match_hands: int,
    seeds: int,
    learners: tuple[str, ...],
    bots: tuple[str, ...],
    readings: tuple[str, ...],
    no_frozen: bool,
) -> None:
    """Play four learners against the bots of the Poker Learner thesis (chapter 5).

    The full size, which is the default, takes a minute or two of one core for each run.
    """
    chosen = tuple(name for name in LEARNERS if not learners or name in learners)
    met = tuple(bot for bot in BOTS if not bots or bot in bots)
    settings = Settings(hands, match_hands, seeds, order.seed, chosen, readings, not no_frozen, met)
    order.carry_out(
        lambda: reproduce(settings, order.out, order.jobs, say, resume=order.resume), report, plots
    )
