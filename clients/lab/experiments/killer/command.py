"""``riverboat experiment killer --out DIR``: makes the book that the killer bot plays by, and reads it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from clients.core.one_line import OneLineCommand, out_option
from clients.core.registry import make_bot
from clients.lab.experiments.command_line import Order, experiment_options, say
from clients.lab.experiments.findings import Say
from clients.lab.experiments.killer.rake import BOTS
from clients.lab.experiments.killer.report import draw_values, plots, report, values
from clients.lab.experiments.killer.tasks import AgainstMore, AgainstOne, RakeMatch, Settings, all_parts, find
from clients.lab.experiments.resuming import Work
from engine.hands.flop_configs import format_book, make_book
from engine.support.files import write_whole

__all__ = ["BOOK", "killer", "reproduce"]

BOOK: Final = "flop_book.npz"


@click.command("killer", cls=OneLineCommand)
@out_option("flop_book.npz, results.json, results.md, the plots (PNG and SVG) and what each task found")
@click.option(
    "--flops", type=click.IntRange(2, 1755), default=240, show_default=True, metavar="N",
    help="Flops for more than one opponent, each with all its run-outs.",
)  # fmt: skip
@click.option(
    "--every", type=click.IntRange(1, 877), default=1, show_default=True, metavar="N",
    help="For one opponent, use every N-th of the 1755 distinct flops; 1 is exact.",
)  # fmt: skip
@click.option(
    "--rake-hands", type=click.IntRange(0, 10**7), default=0, show_default=True, metavar="N",
    help="Also play N hands with each bot at six and at ten seats: who beats a rake of 5 %, at most "
    "three small bets?",
)  # fmt: skip
@click.option(
    "--rake-bots", default=" ".join(BOTS), show_default=True, metavar="BOTS",
    help="The bots that play for the rake, separated by blanks.",
)  # fmt: skip
@experiment_options(seeded="hands")
def killer(order: Order, flops: int, every: int, rake_hands: int, rake_bots: str) -> None:
    """Make Peretz's book of flop configurations: the values of the starting hands by the flops they see.

    It takes a minute or two on one core; the same program makes the same book, whatever the seed.
    --rake-hands 1000 takes some more minutes.
    """
    bots = tuple(dict.fromkeys(rake_bots.split()))
    for bot in bots if rake_hands else ():
        make_bot(bot)  # a misspelt one is found before the book is made
    settings = Settings(flops, every, rake_hands, bots, order.seed)
    order.carry_out(
        lambda: reproduce(settings, order.out, order.jobs, say, resume=order.resume),
        report,
        plots,
        also_draw=draw_values,
    )


def reproduce(
    settings: Settings,
    folder: Path,
    jobs: int = 1,
    progress: Say = lambda line: None,
    *,
    resume: bool = False,
) -> dict[str, Any]:
    """Make the book; returns the results for ``results.json``.

    Args:
        settings: how exact the book is, and who plays for the rake.
        folder: the folder for the book and the tasks' results.
        jobs: the number of processes; the results do not depend on it.
        progress: receives a line about each finished task.
        resume: use results in the folder that were made with the same settings.

    Raises:
        OSError: the folder cannot be written.
    """
    parts = all_parts(settings, folder)
    results = list(Work(folder, jobs, progress, resume).each(find, parts))
    found = list(zip(parts, results, strict=True))
    one = [result["odds"] for part, result in found if isinstance(part, AgainstOne)]
    more = [result["odds"] for part, result in found if isinstance(part, AgainstMore)]
    book = make_book(settings.made_by, one, np.concatenate(more))
    write_whole(folder / BOOK, format_book(book))
    rake = [result for part, result in found if isinstance(part, RakeMatch)]
    return {
        "experiment": "killer",
        "version": version("riverboat"),
        "made_by": book.made_by,
        "flops": settings.flops,
        "values": values(book),
        **({"rake": rake} if rake else {}),
    }
