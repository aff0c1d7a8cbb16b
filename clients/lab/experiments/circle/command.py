"""``riverboat experiment circle --out DIR``: who plays, how much, where to."""

from __future__ import annotations

from pathlib import Path

import click

from clients.core.one_line import CommandError, OneLineCommand, out_option
from clients.lab.experiments.circle.reasonable import make_reasonable
from clients.lab.experiments.circle.report import draw_matrix, plots, report, summary
from clients.lab.experiments.circle.tasks import BLOCKS, GAME, PLAYERS, Settings, all_matches, play
from clients.lab.experiments.command_line import Order, check_bots, experiment_options, say
from clients.lab.experiments.resuming import Experiment
from engine.poker.rules import GameDefinition, load_game
from engine.solving.miximax.shipped import file_name
from engine.support.files import write_whole

__all__ = ["circle", "play_all"]

_DEALS = 200_000
"""The number of deals from which the changes of hands from round to round are counted."""
_WATCHED_IN = ("limit-2p", "nolimit-2p-100bb")
"""The games in which a reasonable player is watched."""


play_all = Experiment(all_matches, play, summary)
"""All matches of some settings."""


@click.command("circle", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and what each match found")
@click.option(
    "--player", "players", multiple=True, metavar="BOT",
    help="A player, BOT[:KEY=VALUE,...]; repeat it for two or more.  "
    f"Default: {', '.join(PLAYERS)}.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(min=2 * BLOCKS), default=4_000, show_default=True, metavar="N",
    help="Hands of each pair of players.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=2 * BLOCKS), default=4_000, show_default=True, metavar="N",
    help="Hands of a match, in which players learn about each other; each deal is played twice.",
)  # fmt: skip
@click.option(
    "--make-reasonable", type=click.IntRange(min=100), metavar="N",
    help="Instead of the experiment, watch a reasonable player for N hands and write DIR/reasonable.npz and "
    "DIR/reasonable-no-limit.npz, which the adaptive bot comes with.",
)  # fmt: skip
@experiment_options(seeded="cards")
def circle(
    order: Order,
    players: tuple[str, ...],
    hands: int,
    match_hands: int,
    make_reasonable: int | None,
) -> None:
    """Play every bot against every other at heads-up limit hold'em: rock, paper, scissors."""
    players = players or PLAYERS
    if len(players) < 2:
        raise CommandError("--player: expected two or more players")
    check_bots("--player", players, GAME)
    settings = Settings(players, hands, match_hands, order.seed)
    if make_reasonable is not None:
        with order.in_its_folder():
            for name in _WATCHED_IN:
                _write_reasonable(load_game(name), order.out, make_reasonable, order.seed)
        return
    order.carry_out(
        lambda: play_all(settings, order.out, order.jobs, say, resume=order.resume),
        report,
        plots,
        also_draw=draw_matrix,
    )


def _write_reasonable(game: GameDefinition, out: Path, hands: int, seed: int) -> None:
    out.mkdir(parents=True, exist_ok=True)
    data = make_reasonable(game, hands, _DEALS, seed, say)
    write_whole(out / file_name(game), data)
    click.echo(str(out / file_name(game)))
