"""``riverboat experiment killer --out DIR``: makes the book that the killer bot plays by, and reads it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import click

from clients.experiments.command_line import ending_in_one_line, force_option, hand_in, refuse_full, say
from clients.experiments.findings import Say
from clients.experiments.killer.rake import BOTS, beats_the_rake, rake_report
from clients.experiments.killer.report import report, values
from clients.one_line import OneLineCommand, json_option, out_option
from clients.registry import make_bot
from engine.evaluation.preflop.flop_configs import format_book, make_book
from engine.files import write_whole

__all__ = ["BOOK", "killer", "reproduce"]

BOOK: Final = "flop_book.npz"


@click.command("killer", cls=OneLineCommand)
@out_option("flop_book.npz, results.json and results.md")
@click.option(
    "--flops", type=click.IntRange(2, 1755), default=240, show_default=True, metavar="N",
    help="Flops for more than one opponent, each with all its run-outs.",
)  # fmt: skip
@click.option(
    "--rake-hands", type=click.IntRange(0, 10**7), default=0, show_default=True, metavar="N",
    help="Also play so many hands with each bot at six and at ten seats: who beats a rake of 5 %, at most "
    "three small bets?",
)  # fmt: skip
@click.option(
    "--rake-bots", default=" ".join(BOTS), show_default=True, metavar="BOTS",
    help="Those that play for it, with blanks between them.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of those hands."
)
@force_option()
@json_option()
def killer(
    out: Path, flops: int, rake_hands: int, rake_bots: str, seed: int, force: bool, as_json: bool
) -> None:
    """Peretz's book of flop configurations: what the starting hands are worth by the flops they see.

    A minute on one core; the same program makes the same book.  --rake-hands 1000 takes some minutes more.
    """
    with ending_in_one_line(out):
        if not force:
            refuse_full(out)
        bots = rake_bots.split()
        for bot in bots if rake_hands else ():
            make_bot(bot)  # a misspelt one is found before the book is made
        results = reproduce(out, flops, 1, say)
        text = report(results)
        if rake_hands:
            results["rake"] = beats_the_rake(bots, rake_hands, seed, say)
            text += rake_report(results["rake"])
        hand_in(out, results, text, as_json=as_json)


def reproduce(out: Path, flops: int, every: int, progress: Say) -> dict[str, Any]:
    """Make the book; returns the results as they stand in ``results.json``.

    Args:
        out: gets the book.
        flops: sampled, for more than one opponent.
        every: take every so many of the flops for one opponent; 1 is exact.
        progress: takes lines about how far it has come.

    Raises:
        OSError: the folder cannot be written.
    """
    book = make_book("riverboat experiment killer --out DIR", sampled=flops, every=every, report=progress)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / BOOK, format_book(book))
    return {
        "experiment": "killer",
        "version": version("riverboat"),
        "made_by": book.made_by,
        "flops": flops,
        "values": values(book),
    }
