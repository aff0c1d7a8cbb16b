"""``riverboat experiment next-action --out DIR``: whose actions are predicted, from how much."""

from __future__ import annotations

import click

from clients.core.one_line import OneLineCommand, out_option
from clients.lab.experiments.command_line import Order, check_bots, experiment_options, say
from clients.lab.experiments.next_action.report import plots, report, summary
from clients.lab.experiments.next_action.tasks import PLAYERS, Settings, all_matches, predict
from clients.lab.experiments.resuming import Experiment

__all__ = ["next_action", "predict_all"]

_GAMES = ("limit-2p", "limit-6p", "nolimit-2p")


predict_all = Experiment(all_matches, predict, summary)
"""Every model, on all matches of some settings."""


@click.command("next-action", cls=OneLineCommand)
@out_option("results.json, results.md, a plot (PNG and SVG) and what each match found")
@click.option("--game", type=click.Choice(_GAMES), default="limit-2p", show_default=True, help="The game.")
@click.option(
    "--player", "players", multiple=True, metavar="BOT",
    help="Player to predict, BOT[:KEY=VALUE,...]; may be repeated.  "
    f"Default: {', '.join(PLAYERS)}.",
)  # fmt: skip
@click.option(
    "--against", "others", default=Settings().others, show_default=True, metavar="BOT",
    help="The bot in the other seats.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(min=1), default=500, show_default=True, metavar="N",
    help="Hands of a match to learn from.",
)  # fmt: skip
@click.option(
    "--held-out", type=click.IntRange(min=2), default=300, show_default=True, metavar="N",
    help="Hands after these, which are predicted and not learnt from.",
)  # fmt: skip
@click.option(
    "--matches", type=click.IntRange(min=1), default=2, show_default=True, metavar="N",
    help="Matches of each player; the models start each from nothing.",
)  # fmt: skip
@experiment_options(seeded="cards")
def next_action(
    order: Order,
    game: str,
    players: tuple[str, ...],
    others: str,
    hands: int,
    held_out: int,
    matches: int,
) -> None:
    """Measure how well opponent models predict the next action: none, generic, specific, tree, network.

    The measure is log loss, the mean of -ln of the probability that a model gave to the actual action, on
    hands that it has not learnt from.
    """
    players = players or PLAYERS
    check_bots("--player", players, game)
    check_bots("--against", [others], game)
    settings = Settings(players, others, game, hands, held_out, matches, order.seed)
    order.carry_out(
        lambda: predict_all(settings, order.out, order.jobs, say, resume=order.resume), report, plots
    )
