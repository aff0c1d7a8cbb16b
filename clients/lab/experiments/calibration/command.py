"""``riverboat experiment calibration --out DIR``: against whom, how much, where to."""

from __future__ import annotations

import click

from clients.core.one_line import OneLineCommand, out_option
from clients.lab.experiments.calibration.report import plots, report, summary
from clients.lab.experiments.calibration.tasks import OPPONENTS, Settings, all_matches, play
from clients.lab.experiments.command_line import Order, check_bots, experiment_options, say
from clients.lab.experiments.resuming import Experiment

__all__ = ["calibration", "measure"]

_GAMES = ("limit-2p", "limit-6p", "limit-10p", "nolimit-2p", "nolimit-6p")


measure = Experiment(all_matches, play, summary)
"""All matches of some settings, measured."""


@click.command("calibration", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and what each match found")
@click.option("--game", type=click.Choice(_GAMES), default="limit-2p", show_default=True, help="The game.")
@click.option(
    "--opponent", "opponents", multiple=True, metavar="BOT",
    help="Opponent to predict, BOT[:KEY=VALUE,...], in all other seats; may be repeated.  "
    f"Default: {', '.join(OPPONENTS)}.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(min=2), default=2_000, show_default=True, metavar="N",
    help="Hands against each opponent.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=2), default=1_000, show_default=True, metavar="N",
    help="Hands of a match, in which the bot learns; each deal is played twice.",
)  # fmt: skip
@click.option(
    "--trials", type=click.IntRange(1, 100_000), default=300, show_default=True, metavar="N",
    help="Trials per decision.",
)  # fmt: skip
@experiment_options(seeded="cards")
def calibration(
    order: Order,
    game: str,
    opponents: tuple[str, ...],
    hands: int,
    match_hands: int,
    trials: int,
) -> None:
    """Compare what a sampling bot predicts and states with what happens.

    It compares predicted and actual folds, calls and raises of each opponent by context, and the values
    stated for decisions with the chips won, by betting round, strength of the hand and action.
    """
    opponents = opponents or OPPONENTS
    check_bots("--opponent", opponents, game)
    settings = Settings(game, opponents, hands, match_hands, trials, order.seed)
    order.carry_out(lambda: measure(settings, order.out, order.jobs, say, resume=order.resume), report, plots)
