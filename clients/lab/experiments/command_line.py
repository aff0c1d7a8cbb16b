"""Options that all experiments share, and the ways in which their commands end."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

from clients.core.figure import PlotError, require_matplotlib
from clients.core.one_line import CommandError, json_option, seed_option
from clients.core.options import OptionError
from clients.core.registry import UnknownBot, make_bot
from clients.lab.experiments.resuming import TASKS, Work
from engine.poker.rules import load_game
from engine.support.interruption import as_ctrl_c

if TYPE_CHECKING:
    from clients.lab.experiments.findings import Plot

__all__ = [
    "Order",
    "check_bots",
    "experiment_options",
    "say",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _jobs_option() -> Callable[[Decorated], Decorated]:
    """``--jobs N``, the parameter `jobs`."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 64),
        default=1,
        show_default=True,
        metavar="N",
        help="Processes; the results do not depend on it.",
    )


def _force_option() -> Callable[[Decorated], Decorated]:
    """``--force``, the parameter `force`: see `Order.in_its_folder`."""
    return click.option(
        "--force", is_flag=True, help="Write into DIR although it contains files; some are replaced."
    )


def _refuse_full(out: Path) -> None:
    """Refuse a results folder that is not empty, since it may hold the results of days.

    Raises:
        CommandError: the folder is not empty.
        OSError: it cannot be read.
    """
    try:
        is_full = any(out.iterdir())
    except FileNotFoundError:
        return
    if is_full:
        raise CommandError(f"{out} is not empty: --resume or --force, or choose another folder")


def _plots_option() -> Callable[[Decorated], Decorated]:
    """``--no-plots``, the parameter `no_plots`; without it, a missing matplotlib is reported at the start."""
    return click.option(
        "--no-plots",
        is_flag=True,
        callback=_check_plots,
        help="Draw nothing, so that matplotlib is not needed.",
    )


def _check_plots(context: click.Context, parameter: click.Parameter, no_plots: bool) -> bool:
    if not no_plots:
        try:
            require_matplotlib()
        except PlotError as error:
            raise CommandError(f"{error}, or --no-plots") from error
    return no_plots


def say(line: str) -> None:
    """Print a line about an experiment's progress on stderr."""
    click.echo(line, err=True)


@attrs.frozen
class Order:
    """How to do an experiment, as the options of `experiment_options` say."""

    out: Path
    """The folder for its results."""
    jobs: int
    force: bool
    no_plots: bool
    as_json: bool
    resume: bool
    """Whether to continue with what the folder has."""
    seed: int = 0
    """The seed, of an experiment that uses one."""

    @property
    def work(self) -> Work:
        """How to do its tasks."""
        return Work(self.out, self.jobs, say, self.resume)

    @contextmanager
    def in_its_folder(self) -> Iterator[None]:
        """Refuse a folder in use; whatever ends the work in it early becomes one line and an exit status."""
        with _ending_in_one_line(self.out):
            if not (self.resume or self.force):
                _refuse_full(self.out)
            try:
                yield
            except KeyboardInterrupt:
                if any(self.out.glob(f"{TASKS}/*")):
                    say(f"interrupted; --resume continues with what {self.out} has")
                raise

    def carry_out(
        self,
        experiment: Callable[[], dict[str, Any]],
        report: Callable[[dict[str, Any]], str],
        plots: Callable[[dict[str, Any]], Iterable[Plot]],
        *,
        also_draw: Callable[[Path, dict[str, Any]], object] | None = None,
    ) -> None:
        """Do an experiment and write its results; anything that ends it early becomes one line.

        Args:
            experiment: returns the results.
            report: returns them as Markdown.
            plots: returns pictures of them.
            also_draw: draws pictures that are not a `Plot` into the folder.

        Raises:
            CommandError: the folder is in use, or cannot be written.
        """
        with self.in_its_folder():
            results = experiment()
            self.hand_in(results, report(results), plots)
            if also_draw is not None and not self.no_plots:
                also_draw(self.out, results)

    def hand_in(
        self,
        results: dict[str, Any],
        report: str,
        plots: Callable[[dict[str, Any]], Iterable[Plot]],
    ) -> None:
        """Write and print the results of an experiment; pictures come last, since they may fail.

        Args:
            results: for ``results.json``, and for stdout with ``--json``.
            report: Markdown, for ``results.md``, and for stdout otherwise.
            plots: returns pictures of the results.

        Raises:
            OSError: the folder cannot be written.
            PlotError: a picture cannot be written.
        """
        from clients.lab.experiments.findings import draw, write_results

        write_results(self.out, results, report)
        click.echo(json.dumps(results) if self.as_json else report)
        if not self.no_plots:
            draw(self.out, plots(results))


def experiment_options(*, seeded: str | None) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """``--seed``, ``--jobs``, ``--resume``, ``--force``, ``--no-plots`` and ``--json``.

    The command receives them and its ``--out`` as its first argument, an `Order`; other options by name.

    Args:
        seeded: what is the same with the same seed; None for an experiment without randomness, which then
            has no ``--seed``.
    """
    options = [
        *([] if seeded is None else [seed_option(seeded, default=1)]),
        _jobs_option(),
        _resume_option(),
        _force_option(),
        _plots_option(),
        json_option(),
    ]
    names = [field.name for field in attrs.fields(Order)]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def ordered(**values: Any) -> None:
            order = Order(**{name: values.pop(name) for name in names if name in values})
            command(order, **values)

        for option in reversed(options):
            ordered = option(ordered)
        return ordered

    return decorated


def _resume_option() -> Callable[[Decorated], Decorated]:
    return click.option("--resume", is_flag=True, help="Continue an experiment in DIR that was stopped.")


def check_bots(option: str, bots: Sequence[str], game: str) -> None:
    """Refuse bots that do not exist or cannot play, before hours are spent on others.

    Args:
        option: the option that named them.
        bots: the bots as in a match, ``BOT[:KEY=VALUE,...]``.
        game: the name of a packaged game, or a file.

    Raises:
        CommandError: one of them cannot play the game, or is named twice.
    """
    if len(set(bots)) < len(bots):
        raise CommandError(f"{option}: expected different bots")
    for bot in bots:
        try:
            make_bot(bot).match_started(load_game(game), 0)
        except (UnknownBot, OptionError, ValueError) as error:
            raise CommandError(f"{option} {bot}: {error}") from error


@contextmanager
def _ending_in_one_line(out: Path) -> Iterator[None]:
    """Turn anything that can end an experiment into one line and an exit status.

    Args:
        out: the folder of the results, which may not be writable.
    """
    try:
        with as_ctrl_c() as interruption:
            yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(interruption.status) from None
    except OSError as error:
        raise CommandError(f"{error.filename or out} cannot be written: {error.strerror or error}") from error
    except PlotError as error:
        raise CommandError(str(error)) from error
