"""What the commands of experiments share: options, and the ways in which they end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clients.one_line import CommandError
from clients.reports.figure import PlotError, require_matplotlib
from engine.interruption import as_ctrl_c

if TYPE_CHECKING:
    from clients.experiments.findings import Plot

__all__ = [
    "ending_in_one_line",
    "force_option",
    "hand_in",
    "jobs_option",
    "plots_option",
    "refuse_full",
    "say",
]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def jobs_option() -> Callable[[Decorated], Decorated]:
    """``--jobs N``, the parameter `jobs`."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 64),
        default=1,
        show_default=True,
        metavar="N",
        help="Processes; the results do not depend on it.",
    )


def force_option() -> Callable[[Decorated], Decorated]:
    """``--force``, the parameter `force`: see `refuse_full`."""
    return click.option(
        "--force", is_flag=True, help="Write into DIR though there are files in it; some are replaced."
    )


def refuse_full(out: Path, *others: str) -> None:
    """Refuse a folder for results that has something in it, such as the results of days.

    Args:
        out: the folder, or nothing yet.
        others: options that would do, beside ``--force``.

    Raises:
        CommandError: it is not empty.
        OSError: it cannot be read.
    """
    try:
        is_full = any(out.iterdir())
    except FileNotFoundError:
        return
    if is_full:
        raise CommandError(
            f"{out} is not empty: {' or '.join([*others, '--force'])}, or choose another folder"
        )


def plots_option() -> Callable[[Decorated], Decorated]:
    """``--no-plots``, the parameter `no_plots`; without it, matplotlib is asked for at the start."""
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
    """A line about how far an experiment has come, on stderr."""
    click.echo(line, err=True)


def hand_in(
    out: Path,
    results: dict[str, Any],
    report: str,
    *,
    as_json: bool,
    plots: Callable[[dict[str, Any]], Iterable[Plot]] | None = None,
) -> None:
    """Keeps and prints what an experiment has found, and draws it last: pictures may fail.

    Args:
        out: the folder of the results.
        results: for ``results.json``, and for stdout if `as_json`.
        report: Markdown, for ``results.md``, and for stdout otherwise.
        as_json: which of them is printed.
        plots: makes pictures of the results; none without.

    Raises:
        OSError: the folder cannot be written.
        PlotError: a picture cannot.
    """
    from clients.experiments.findings import draw, write_results

    write_results(out, results, report)
    click.echo(json.dumps(results) if as_json else report)
    if plots is not None:
        draw(out, plots(results))


@contextmanager
def ending_in_one_line(out: Path) -> Iterator[None]:
    """Turns what can end an experiment into one line and an exit status.

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
