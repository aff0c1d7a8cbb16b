"""``riverboat experiment heuristic --out DIR``: the command line of the experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from clients.core.one_line import CommandError, OneLineCommand, out_option
from clients.core.registry import make_bot
from clients.lab.experiments.command_line import Order, experiment_options, say
from clients.lab.experiments.findings import Say
from clients.lab.experiments.heuristic.paper import COUNTERPARTS, VARIANTS, stood_in_for, variants_named
from clients.lab.experiments.heuristic.report import plots, report, summary
from clients.lab.experiments.heuristic.tasks import BLOCKS, Settings, all_duels, play
from clients.lab.experiments.resuming import Work

__all__ = ["heuristic", "reproduce"]


@click.command("heuristic", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and what each match found")
@click.option(
    "--hands", type=click.IntRange(min=2 * BLOCKS), default=20_000, show_default=True, metavar="N",
    help="Hands of each variant against each opponent.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=2 * BLOCKS), default=4_000, show_default=True, metavar="N",
    help="Hands of a match, in which the bots learn about each other; each deal is played twice.",
)  # fmt: skip
@click.option(
    "--variant", "variants", type=click.Choice(tuple(VARIANTS)), multiple=True,
    help="Only this variant; may be repeated.",
)  # fmt: skip
@click.option(
    "--against", "opponents", multiple=True, metavar="BOT",
    help="This opponent instead of those of the paper; may be repeated.",
)  # fmt: skip
@experiment_options(seeded="figures")
def heuristic(
    order: Order,
    hands: int,
    match_hands: int,
    variants: tuple[str, ...],
    opponents: tuple[str, ...],
) -> None:
    """Reproduce Saukonoja and Pasanen's Table 1: each variant of the heuristic bot against its opponents.

    The full size, which is the default, takes some hours on one core.
    """
    try:
        paper = {each.stand_in(): each.name for each in COUNTERPARTS} if not opponents else {}
    except LookupError as error:
        raise CommandError(str(error)) from error
    for spec in opponents:
        make_bot(spec)  # says what is wrong with it before hours are spent
        if (name := stood_in_for(spec)) is not None:
            paper[spec] = name
    names = variants_named(variants)
    settings = Settings(
        tuple(VARIANTS[name] for name in names),
        names,
        opponents or tuple(paper),
        hands,
        match_hands,
        order.seed,
    )
    order.carry_out(
        lambda: reproduce(settings, order.out, order.jobs, say, paper=paper, resume=order.resume),
        report,
        plots,
    )


def reproduce(
    settings: Settings,
    folder: Path,
    jobs: int = 1,
    progress: Say = lambda line: None,
    *,
    paper: dict[str, str] | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """Play all matches; returns the results for ``results.json``.

    Args:
        settings: the experiment's settings.
        folder: the folder for the matches' results.
        jobs: the number of processes; the results do not depend on it.
        progress: receives a line about each finished match.
        paper: for each opponent, the name of the paper's opponent for which it stands in.
        resume: use results in the folder that were made with the same settings.

    Raises:
        OSError: the folder cannot be written.
    """
    duels = all_duels(settings, folder)
    found = list(Work(folder, jobs, progress, resume).each(play, duels))
    return summary(settings, duels, found, paper or {})
