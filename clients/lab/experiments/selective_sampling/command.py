"""``riverboat experiment selective-sampling --out DIR``: the command line of the experiment."""

from __future__ import annotations

import importlib
import json
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from clients.core.one_line import CommandError, FiniteRange, OneLineCommand, out_option
from clients.core.options import OptionError
from clients.core.program import ProgramError, read_game
from clients.core.registry import UnknownBot
from clients.lab.experiments.command_line import Order, experiment_options
from engine.support.user_input import parse_whole

if TYPE_CHECKING:
    from clients.lab.experiments.findings import Findings
    from clients.lab.experiments.resuming import Work
    from clients.lab.experiments.selective_sampling.settings import Settings

PARTS: Final = {
    "a": ("self_play", "Self-play: sampling bots against formula bots"),
    "b": ("stability", "Stability of values and decisions"),
    "c": ("obvious_moves", "Obvious moves"),
    "d": ("uniform_dealing", "Selective against uniform sampling"),
    "e": ("wrong_models", "Wrong models"),
    "f": ("equal_time", "Costly and cheap trials in the same time"),
    "g": ("robustness", "What is stated and what is realised"),
}
"""The module and heading of each part, by letter."""


def read_parts(text: str) -> tuple[str, ...]:
    """``a,c`` or ``self-play,obvious-moves`` as letters, in alphabetical order; ``all`` is all of them.

    Raises:
        CommandError: there is no such part.
    """
    if text == "all":
        return tuple(PARTS)
    names = {module.replace("_", "-"): letter for letter, (module, _) in PARTS.items()}
    letters = set()
    for word in text.split(","):
        letter = names.get(word.strip(), word.strip())
        if letter not in PARTS:
            known = ", ".join(f"{letter} ({name})" for name, letter in names.items())
            raise CommandError(f"there is no part {word.strip()!r}; there are {known}, and all")
        letters.add(letter)
    return tuple(sorted(letters))


def read_numbers(text: str) -> tuple[int, ...]:
    """The numbers of a text such as ``5,1``.

    Raises:
        CommandError: the text is something else.
    """
    try:
        return tuple(parse_whole(word.strip()) for word in text.split(","))
    except ValueError:
        raise CommandError(f"expected numbers of players such as 5,1, got {text!r}") from None


@click.command("selective-sampling", cls=OneLineCommand)
@out_option("results.json, results.md, the plots (PNG and SVG) and what each task found")
@click.option(
    "--parts", default="all", show_default=True, metavar="a,b,...", help="Parts, by letter or name."
)
@click.option("--game", metavar="GAME", help="A limit game, for parts a to d; default limit-10p.")
@click.option(
    "--simulating",
    metavar="N[,N]",
    callback=lambda _, __, text: None if text is None else read_numbers(text),
    help="How many players simulate in self-play, for each line-up; default half of the players, and one.",
)
@click.option(
    "--hands", type=click.IntRange(min=2), metavar="N", help="Hands of self-play, for each line-up."
)
@click.option(
    "--duel-hands", type=click.IntRange(min=20), metavar="N", help="Hands of each match of parts e, f, g."
)
@click.option("--spots", type=click.IntRange(min=2), metavar="N", help="Decisions of parts b, c, d.")
@click.option(
    "--trials", type=click.IntRange(min=1), metavar="N", help="Trials for each decision of a sampling bot."
)
@click.option(
    "--reference",
    type=click.IntRange(min=100),
    metavar="N",
    help="Trials that stand for the truth in parts b and d.",
)
@click.option(
    "--until",
    type=FiniteRange(min=0, min_open=True),
    metavar="X",
    help="End self-play once the gain is known to +- X mbb/h, by intervals that hold whenever you look.",
)
@click.option("--sampling", metavar="BOT", help="The bot that simulates: sampling[:KEY=VALUE,...].")
@click.option("--formula", metavar="BOT", help="The bot it is measured against.")
@experiment_options(seeded="results")
def selective_sampling(order: Order, parts: str, **sizes: Any) -> None:
    """Reproduce Loki's selective sampling: self-play, stability, obvious moves; Poki's warnings; costs.

    Parts: a self-play, b stability, c obvious-moves, d uniform-dealing, e wrong-models, f equal-time,
    g robustness.  Files are written after each part; the time left is that of the part's present matches.
    Part f also measures the processor time of a trial, the only number that differs from run to run.
    """
    from clients.lab.experiments.selective_sampling.settings import DEFAULT_GAME, Settings

    letters = read_parts(parts)
    given = {name: value for name, value in sizes.items() if value is not None}
    try:
        read_game(given.get("game", DEFAULT_GAME))
        settings = Settings(seed=order.seed, **given)
        _check_bots(settings.sampling, settings.formula)
    except (ProgramError, UnknownBot, OptionError, ValueError) as error:
        raise CommandError(str(error)) from error
    with order.in_its_folder():
        results, report = reproduce(letters, settings, order.work, plots=not order.no_plots)
        click.echo(json.dumps(results) if order.as_json else report)


def reproduce(
    letters: tuple[str, ...], settings: Settings, work: Work, *, plots: bool = True
) -> tuple[dict[str, Any], str]:
    """Run parts and write their results; after each part the files are complete.

    Args:
        letters: the letters of the parts.
        settings: the experiment's settings.
        work: how to do the tasks.
        plots: whether to draw pictures.

    Returns:
        The contents of ``results.json`` and of ``results.md``.

    Raises:
        OSError: the folder cannot be written to.
        PlotError: a picture could not be drawn; everything else is done and written.
    """
    from clients.core.figure import PlotError
    from clients.lab.experiments.findings import draw, write_results

    results: dict[str, Any] = {
        "experiment": "selective-sampling",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "parts": {},
    }
    report = f"# Selective sampling\n\nSeed {settings.seed}; Riverboat {results['version']}.\n"
    not_drawn: PlotError | None = None
    for letter in letters:
        name, heading = PARTS[letter]
        start = time.monotonic()
        part = importlib.import_module(f"clients.lab.experiments.selective_sampling.parts.{name}")
        findings: Findings = part.run(settings, work)
        pictures = findings.plots if plots else ()
        results["parts"][name.replace("_", "-")] = findings.numbers
        report += f"\n## ({letter}) {heading}\n\n{findings.report}"
        report += "".join(f"\n![{plot.title}]({plot.name}.png)\n" for plot in pictures)
        write_results(work.folder, results, report)
        try:
            draw(work.folder, pictures)
        except PlotError as error:
            not_drawn = error
        work.progress(f"({letter}) {heading}: done in {time.monotonic() - start:.0f} s")
    if not_drawn is not None:
        raise not_drawn
    return results, report


def _check_bots(*specs: str) -> None:
    """Refuse bots that cannot play, before hours are spent.

    Raises:
        UnknownBot, OptionError: there is no such bot, or it does not take these options.
    """
    from clients.core.registry import make_bot

    for spec in specs:
        make_bot(spec)
