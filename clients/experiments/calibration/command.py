"""``riverboat experiment calibration --out DIR``: against whom, how much, where to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from clients.experiments.calibration.report import plots, report, summary
from clients.experiments.calibration.tasks import OPPONENTS, Settings, all_matches, play
from clients.experiments.command_line import Order, experiment_options, say
from clients.experiments.findings import Say
from clients.experiments.resuming import do_all
from clients.one_line import CommandError, OneLineCommand, out_option
from clients.options import OptionError
from clients.registry import UnknownBot, make_bot
from engine.rules import load_game

__all__ = ["calibration", "measure"]

_GAMES = ("limit-2p", "nolimit-2p")


@click.command("calibration", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and what each match found")
@click.option(
    "--game", type=click.Choice(_GAMES), default="limit-2p", show_default=True, help="What is played."
)
@click.option(
    "--opponent", "opponents", multiple=True, metavar="BOT",
    help=f"Who is predicted, BOT[:KEY=VALUE,...]; may be repeated.  Default: {', '.join(OPPONENTS)}.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(min=2), default=2_000, show_default=True, metavar="N",
    help="Hands against each.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=2), default=1_000, show_default=True, metavar="N",
    help="Hands of a match, in which the bot learns; each deal is played twice.",
)  # fmt: skip
@click.option(
    "--trials", type=click.IntRange(1, 100_000), default=300, show_default=True, metavar="N",
    help="Trials of a decision.",
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
    """What a sampling bot predicts and states, beside what comes.

    Folds, calls and raises of each opponent by context; values stated for decisions and the chips that came
    of them, by betting round, strength of the hand and action.
    """
    settings = Settings(game, _checked(opponents or OPPONENTS, game), hands, match_hands, trials, order.seed)
    order.carry_out(lambda: measure(settings, order.out, order.jobs, say, resume=order.resume), report, plots)


def measure(
    settings: Settings,
    folder: Path,
    jobs: int = 1,
    progress: Say = lambda line: None,
    *,
    resume: bool = False,
) -> dict[str, Any]:
    """Play all matches; returns the results as they stand in ``results.json``.

    Args:
        settings: against whom and how much.
        folder: gets what each match found.
        jobs: processes; the results do not depend on it.
        progress: takes a line about each match that is done.
        resume: take what is in the folder for done, where it was played with the same settings.

    Raises:
        OSError: the folder cannot be written.
    """
    matches = all_matches(settings, folder)
    return summary(settings, matches, do_all(play, matches, jobs, progress, resume=resume))


def _checked(opponents: tuple[str, ...], game: str) -> tuple[str, ...]:
    """The opponents, all different, when they can play the game."""
    if len(set(opponents)) < len(opponents):
        raise CommandError("--opponent: expected different opponents")
    for opponent in opponents:
        try:
            make_bot(opponent).match_started(load_game(game), 0)
        except (UnknownBot, OptionError, ValueError) as error:
            raise CommandError(f"--opponent {opponent}: {error}") from error
    return opponents
