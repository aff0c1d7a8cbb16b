"""``riverboat experiment poker-learner --out DIR``: how much is played, where to, and how it goes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final, get_args

import click

from clients.experiments.command_line import (
    ending_in_one_line,
    force_option,
    hand_in,
    jobs_option,
    plots_option,
    refuse_full,
    say,
)
from clients.experiments.findings import Say
from clients.experiments.poker_learner.report import plots, report
from clients.experiments.poker_learner.summary import summary
from clients.experiments.poker_learner.tasks import (
    POINTS,
    Settings,
    all_tasks,
    do_task,
    found_before,
    in_short,
)
from clients.experiments.poker_learner.thesis import BOTS, LEARNERS
from clients.learners.preflop.readings import LastActionReading, PenaltyReading, WinnerReading
from clients.one_line import OneLineCommand, json_option, out_option, seed_option
from clients.tasks import run_tasks

__all__ = ["READINGS", "poker_learner", "reproduce"]

READINGS: Final = tuple(
    f"{key}={value}"
    for key, reading in (
        ("last-action", LastActionReading),
        ("winner", WinnerReading),
        ("penalty", PenaltyReading),
    )
    for value in get_args(reading)
)
"""The options of the learners that are readings of the thesis."""


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
    help="Runs, each with a training and cards of its own.",
)  # fmt: skip
@seed_option("figures", default=1)
@jobs_option()
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
    help="Read the thesis otherwise (clients/learners/preflop/readings.py); may be repeated.",
)
@click.option("--no-frozen", is_flag=True, help="Play heads-up with learning on only, as the thesis does.")
@click.option("--resume", is_flag=True, help="Go on with what DIR has of an experiment that was stopped.")
@force_option()
@plots_option()
@json_option()
def poker_learner(
    out: Path,
    hands: int,
    match_hands: int,
    seeds: int,
    seed: int,
    jobs: int,
    learners: tuple[str, ...],
    bots: tuple[str, ...],
    readings: tuple[str, ...],
    no_frozen: bool,
    resume: bool,
    force: bool,
    no_plots: bool,
    as_json: bool,
) -> None:
    """Four learners against the bots of the Poker Learner thesis (chapter 5).

    The full size, which is the default, takes an hour and more of one core for each of its runs.
    """
    chosen = tuple(name for name in LEARNERS if not learners or name in learners)
    met = tuple(bot for bot in BOTS if not bots or bot in bots)
    settings = Settings(hands, match_hands, seeds, seed, chosen, readings, not no_frozen, met)
    with ending_in_one_line(out):
        if not (resume or force):
            refuse_full(out, "--resume")
        results = reproduce(settings, out, jobs, say, resume=resume)
        hand_in(out, results, report(results), as_json=as_json, plots=None if no_plots else plots)


def reproduce(
    settings: Settings,
    folder: Path,
    jobs: int = 1,
    progress: Say = lambda line: None,
    *,
    resume: bool = False,
) -> dict[str, Any]:
    """Play the experiment; returns its results as they stand in ``results.json``.

    Args:
        settings: how much.
        folder: gets the knowledge files and what each task has found.
        jobs: processes; the results do not depend on it.
        progress: takes a line about each task that is done.
        resume: take what is in the folder for done, where it was played with the same settings.

    Raises:
        OSError: the folder cannot be written.
    """
    for name in ("knowledge", "tasks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    tasks = list(all_tasks(settings, folder))
    done = {task: found_before(task) if resume else None for task in tasks}
    missing = [task for task in tasks if done[task] is None]
    start = time.perf_counter()
    for number, (task, result) in enumerate(zip(missing, run_tasks(do_task, missing, jobs), strict=True), 1):
        done[task] = result
        seconds = time.perf_counter() - start
        left = seconds / number * (len(missing) - number)
        progress(
            f"{number} of {len(missing)} in {seconds:.0f} s, about {left:.0f} s left: "
            f"{task}: {in_short(result)}"
        )
    return summary(settings, [(task, result) for task, result in done.items() if result is not None])
