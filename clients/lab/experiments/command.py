"""The command of an experiment: its settings are its options, beside those that all experiments share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
import click

from clients.core.figure import PlotError, require_matplotlib
from clients.core.one_line import CommandError, OneLineCommand, json_option, seed_option
from clients.core.program import ProgramError
from clients.core.registry import UnknownBot, make_bot
from clients.lab.experiments.harness import TASKS, Findings, Work
from engine.poker.rules import load_game
from engine.support.interruption import as_ctrl_c
from engine.support.user_input import told_as
from server.support import options as cli

Settings = TypeVar("Settings", bound="Options")
Steps = Callable[[Settings, Work], Iterator[Findings]]
"""Does an experiment; yields all that is found so far, each time with the pictures that are new."""


_MOST: Final = 10_000_000

# --- settings that are options ---------------------------------------------------------------------------


@attrs.frozen
class Options:
    """Settings of an experiment; fields made by `option` and the like are options of its command."""

    def check(self) -> None:
        """Refuse what cannot be played, before anything is.

        Raises:
            CommandError, ProgramError, UnknownBot, OptionError, ValueError: the reason.
        """


def option(value: Any, about: str, flag: str | None = None, *, aside: bool = False, **of_click: Any) -> Any:
    """A field of settings that is an option of the command.

    Args:
        value: the default of the field, and of the option unless it has its own.
        about: the help of the option.
        flag: its name; that of the field if None.
        aside: it chooses which results there are, and no result depends on it.
        of_click: as for `click.option`.
    """
    made = {"help": about, "default": value, "show_default": True, **of_click}
    return attrs.field(default=value, metadata={"flag": flag, "click": made, "aside": aside})


def whole(default: int | None, least: int, about: str, flag: str | None = None, **more: Any) -> Any:
    """A whole number of at least `least`; at most `most`, if given, or else what memory and patience hold."""
    numbers = click.IntRange(least, more.pop("most", _MOST))
    return option(default, about, flag, type=numbers, metavar="N", **more)


def hands_of_a_match(default: int, least: int, who: str) -> Any:
    """The hands of a match in which some players learn, each deal from both seats."""
    return whole(default, least, f"Hands of a match, in which {who}; each deal is played twice.")


def bots(flag: str, default: Sequence[str], about: str) -> Any:
    """Bots, each with its options; the option may be repeated."""
    known = f"  Default: {', '.join(default)}." if default else ""
    return option(tuple(default), about + known, flag, multiple=True, metavar="BOT", show_default=False)


def choices(flag: str, known: Iterable[str], about: str) -> Any:
    """Some of the things that are known, in their order; all of them if the option names none."""
    everything = tuple(known)

    def in_order(context: click.Context, parameter: click.Parameter, named: Sequence[str]) -> tuple[str, ...]:
        return tuple(each for each in everything if not named or each in named)

    return option(
        everything, about, flag, type=click.Choice(everything), multiple=True, callback=in_order,
        default=(), show_default=False,
    )  # fmt: skip


def check_bots(flag: str, named: Sequence[str], game: str) -> None:
    """Refuse bots that do not exist or cannot play, before hours are spent on others.

    Args:
        flag: the option that named them.
        named: the bots as in a match, ``BOT[:KEY=VALUE,...]``.
        game: the name of a packaged game, or a file.

    Raises:
        CommandError: one of them cannot play the game, or is named twice.
    """
    if len(set(named)) < len(named):
        raise CommandError(f"{flag}: expected different bots")
    for bot in named:
        with told_as(CommandError, UnknownBot, ValueError, what=f"{flag} {bot}: "):
            make_bot(bot).match_started(load_game(game), 0)


# --- commands --------------------------------------------------------------------------------------------


def experiment_command(
    kind: type[Settings], writes: str, *, seeded: str | None
) -> Callable[[Steps[Settings]], click.Command]:
    """Make the command of an experiment from the function that does it.

    The function's name is the command's, its docstring the command's help.

    Args:
        kind: the class of its settings.
        writes: the files that it writes besides numbers, report and plots.
        seeded: what is the same with the same seed; None for an experiment without randomness, which then
            has no ``--seed``.
    """

    def made(steps: Steps[Settings]) -> click.Command:
        name = steps.__name__.replace("_", "-")

        def command(
            out: Path, jobs: int, resume: bool, force: bool, plots: bool, as_json: bool, **values: Any
        ) -> None:
            with told_as(CommandError, ProgramError, ValueError):
                settings = kind(**values)
                settings.check()
            with _in_its_folder(out, may_be_full=resume or force):
                work = Work(out, jobs, _say, resume, plots)
                _hand_in(name, steps(settings, work), work, as_json=as_json)

        command.__doc__ = steps.__doc__
        files = f"results.json, results.md, the plots (PNG and SVG) and {writes}"
        out = click.option("--out", type=cli.FOLDER, required=True, metavar="DIR", help=f"Gets {files}.")
        options = [out, *_own_options(kind), *_shared_options(seeded)]
        whole_command = functools.reduce(lambda function, add: add(function), reversed(options), command)
        return click.command(name, cls=OneLineCommand)(whole_command)

    return made


def _own_options(kind: type[Settings]) -> list[Callable[[Any], Any]]:
    return [
        click.option(field.metadata["flag"] or f"--{field.name.replace('_', '-')}", field.name,
                     **field.metadata["click"])
        for field in attrs.fields(kind)
        if "click" in field.metadata
    ]  # fmt: skip


def _shared_options(seeded: str | None) -> list[Callable[[Any], Any]]:
    """The options that all experiments have after their own."""
    return [
        *([] if seeded is None else [seed_option(seeded, default=1)]),
        cli.option(
            "--jobs N", "Processes; the results do not depend on it.", click.IntRange(1, 64), default=1
        ),
        cli.flag("--resume", "Continue an experiment in DIR that was stopped."),
        cli.flag("--force", "Write into DIR although it contains files; some are replaced."),
        cli.flag(
            "--no-plots plots", "Draw nothing, so that matplotlib is not needed.", callback=_check_plots
        ),
        json_option(),
    ]


def _check_plots(context: click.Context, parameter: click.Parameter, no_plots: bool) -> bool:
    """Whether to draw; a missing matplotlib is reported at the start."""
    if not no_plots:
        with told_as(CommandError, PlotError, hint=", or --no-plots"):
            require_matplotlib()
    return not no_plots


def _say(line: str) -> None:
    click.echo(line, err=True)


def _hand_in(experiment: str, steps: Iterator[Findings], work: Work, *, as_json: bool) -> None:
    """Write everything that is found step by step, then print it.

    Raises:
        OSError: the folder cannot be written.
        PlotError: a picture could not be drawn; everything else is done.
    """
    printed, not_drawn = None, None
    for findings in steps:
        text = findings.write(work.folder, experiment)
        printed = text if as_json else findings.report
        if work.plots:
            try:
                findings.draw(work.folder)
            except PlotError as error:
                not_drawn = error
    if printed is not None:
        click.echo(printed)
    if not_drawn is not None:
        raise not_drawn


@contextmanager
def _in_its_folder(out: Path, *, may_be_full: bool) -> Iterator[None]:
    """Refuse a folder in use; whatever ends the work in it early becomes one line and an exit status."""
    try:
        with as_ctrl_c():
            if not may_be_full and out.exists() and any(out.iterdir()):  # it may hold the results of days
                raise CommandError(f"{out} is not empty: --resume or --force, or choose another folder")
            try:
                yield
            except KeyboardInterrupt:
                if any(out.glob(f"{TASKS}/*")):
                    _say(f"interrupted; --resume continues with what {out} has")
                raise
    except OSError as error:
        raise CommandError(f"{error.filename or out} cannot be written: {error.strerror or error}") from error
