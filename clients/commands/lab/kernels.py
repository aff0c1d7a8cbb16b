"""``riverboat kernels``: compiles the code that bots and commands run, for this machine."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable
from typing import Final

import click
from click import IntRange

from clients.core.one_line import OneLineCommand, progress_bar
from clients.core.tasks import run_tasks
from engine import compiling
from server.support.options import option


def _match() -> None:
    """Play three hands, to compile everything else that the bots run."""
    from clients.core.arena import Arena
    from clients.core.registry import make_bot
    from engine.poker.rules import load_game

    for game in ("limit-3p", "nolimit-3p"):
        bots = [make_bot(spec) for spec in ("formula", "sampling:trials=5", "street-learner")]
        Arena(load_game(game), bots, 0).play(3)


def _train() -> None:
    """Play a hand of the loop in which learners who know their hole cards are trained."""
    from clients.learners.training import WORTH_COMPILING, Table, make_learner
    from engine.poker.rules import load_game

    learner = make_learner("hole-cards-learner", None)
    Table(learner, load_game("nolimit-3p"), ("always-call", "always-all-in"), 0, WORTH_COMPILING).play(1)


STEPS: Final = compiling.STEPS | {"bots at a table": _match, "learners at a table": _train}
"""The steps of compiling; each takes up to half a minute on a new machine, and otherwise a second."""

_MOST_JOBS: Final = 2  # a third process would mostly wait for kernels that the others compile


@click.command(cls=OneLineCommand)
@option(
    "--jobs N", "Processes that compile, 1 or 2; one leaves more of a busy machine to others.",
    IntRange(1, _MOST_JOBS), default=min(_MOST_JOBS, os.cpu_count() or 1), show_default=False,
)  # fmt: skip
def kernels(jobs: int) -> None:
    """Compile all code that bots and commands run, once for this machine.

    Otherwise they compile it themselves when they first need it; this command is for installations, and for
    machines that must not wait later.  What the package riverboat-kernels has brought along is left as it is.
    """
    started = time.monotonic()
    with contextlib.closing(run_tasks(_compile, STEPS, jobs)) as compiled:
        _show(compiled)
    click.echo(f"kernels are compiled ({time.monotonic() - started:.0f} s)", err=True)


def _compile(step: str) -> str:
    STEPS[step]()
    return step


def _show(steps: Iterable[str]) -> None:
    """Show on stderr which steps are done, with a bar on a terminal, otherwise in lines."""
    if not sys.stderr.isatty():
        for number, name in enumerate(steps, 1):
            click.echo(f"kernels: {number} of {len(STEPS)}, {name}", err=True)
        return
    from rich.progress import TextColumn, TimeElapsedColumn

    with progress_bar("kernels", TextColumn("{task.description}"), TimeElapsedColumn()) as progress:
        bar = progress.add_task("", total=len(STEPS))
        for name in steps:
            progress.update(bar, description=name, advance=1)
