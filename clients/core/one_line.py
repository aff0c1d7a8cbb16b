"""What our commands share: one-line errors, option types, and options that mean the same everywhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import click
from click.core import ParameterSource

from clients.core.figure import PlotError, require_matplotlib
from clients.core.options import OptionError
from clients.core.registry import UnknownBot
from engine.support.files.archive import ArchiveError
from engine.support.interruption import even_in_kernels
from engine.support.seeds import parse_seed
from engine.support.user_input import told_as

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_SAY_EVERY_S: Final = 10.0
MOST_SECONDS: Final = 1e9
"""Longest time that can be asked for: thirty years."""
MOST_CHIPS: Final = 1e15
"""Largest amount that can be asked about: sums of several are still exact in a double."""


class CommandError(click.UsageError):
    """The user asked for something that cannot be done; one line, exit status 2."""


class OneLineCommand(click.Command):
    """A command whose usage errors are one line too."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Click's own, with the usage text left out of errors."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            _fail(info_name, error)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's, with the usage text left out of errors.

        An option or a game that a bot rejects is a usage error, wherever it is noticed; so is a file that
        cannot be read or written, and a picture that cannot be drawn.
        """
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            _fail(ctx.info_name, error)
        except (ArchiveError, OptionError, PlotError, UnknownBot) as error:
            _fail(ctx.info_name, CommandError(str(error)))


class ComputingCommand(OneLineCommand):
    """A command whose kernels run for long: a signal ends it even then."""

    def invoke(self, ctx: click.Context) -> Any:
        """Click's own; a signal ends it even inside a kernel."""
        with even_in_kernels():
            return super().invoke(ctx)


def _fail(name: str | None, error: click.UsageError) -> NoReturn:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        raise error
    click.echo(f"riverboat {name}: {error.format_message()}", err=True)
    raise click.exceptions.Exit(2)


def given_option(context: click.Context, names: Collection[str]) -> str | None:
    """The first of some options that was given on the command line, as written; None if none was.

    Args:
        context: of the command.
        names: of its parameters.
    """
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is ParameterSource.COMMANDLINE:
            return option.opts[0]
    return None


def refuse_options(context: click.Context, names: Collection[str], purpose: str) -> None:
    """Refuse options that make no sense here, rather than ignore them.

    Args:
        context: of the command.
        names: of its parameters.
        purpose: what they are for: ``for a table of your own``.

    Raises:
        click.UsageError: one of them was given.
    """
    option = given_option(context, names)
    if option is not None:
        raise click.UsageError(f"{option} is {purpose}")


def seed_option(what: str, default: int | str = "random") -> Callable[[Decorated], Decorated]:
    """``--seed S``, a whole number or ``random``; the parameter `seed` is the number.

    Args:
        what: completes the help text, which begins with "Same seed, same".
        default: used without the option.
    """
    return click.option(
        "--seed", default=str(default), show_default=True, metavar="S", callback=_read_seed,
        help=f"Same seed, same {what}: a whole number, or 'random'.",
    )  # fmt: skip


def _read_seed(context: click.Context, parameter: click.Parameter, text: str) -> int:
    with told_as(CommandError, ValueError):
        return parse_seed(text)


def json_option() -> Callable[[Decorated], Decorated]:
    """``--json``, the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")


def refuse_unwritable(path: Path | None) -> None:
    """End the command now if a file that it writes at the end cannot be made."""
    from tempfile import TemporaryFile

    if path is not None and not path.exists():
        with told_as(CommandError, OSError, what=f"{path} cannot be written: "):
            TemporaryFile(dir=path.parent).close()


def plot_option(what: str) -> Callable[[Decorated], Decorated]:
    """``--plot FILE``, the parameter `plot`; matplotlib is asked for before anything is done.

    Args:
        what: is drawn.
    """
    return click.option(
        "--plot", metavar="FILE", type=click.Path(dir_okay=False), callback=_check_plot,
        help=f"Draw {what} (PNG, PDF, SVG).",
    )  # fmt: skip


def _check_plot(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        with told_as(CommandError, PlotError):
            require_matplotlib()
    return path


def progress_bar(what: str, *columns: ProgressColumn) -> Progress:
    """A bar on stderr: how much is done, of how much, and what the columns add; it vanishes at its end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    shown = (TextColumn(what), BarColumn(), MofNCompleteColumn(), *columns)
    return Progress(*shown, console=Console(stderr=True), transient=True)


@contextmanager
def shown_progress(quiet: bool, what: str) -> Iterator[Callable[[int, int], None]]:
    """Progress on stderr with the time that is left: a bar on a terminal, else a line now and then."""
    if quiet or not sys.stderr.isatty():
        start = said = time.monotonic()

        def say(done: int, total: int) -> None:
            nonlocal said
            now = time.monotonic()
            if not quiet and now - said >= _SAY_EVERY_S:
                said = now
                left = (now - start) / done * (total - done)
                click.echo(f"{done} of {total} {what}, {left:.0f} s left", err=True)

        yield say
        return

    from rich.progress import TimeRemainingColumn

    with progress_bar(what, TimeRemainingColumn()) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
