"""``riverboat experiment range-of-skill --out DIR``: which game, how far, where to."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from clients.experiments.command_line import (
    ending_in_one_line,
    force_option,
    hand_in,
    plots_option,
    refuse_full,
    say,
)
from clients.experiments.findings import Plot, Say, markdown_table
from clients.one_line import CommandError, FiniteRange, OneLineCommand, json_option, out_option
from clients.reports.plots import Curve
from engine.equilibrium.game_tree import GameTree
from engine.equilibrium.mixtures.range_of_skill import range_of_skill as steps_of
from engine.equilibrium.sizes import TooLarge
from engine.equilibrium.values import exploitability
from engine.rules import load_game

__all__ = ["measure", "range_of_skill"]

_GAMES = ("leduc", "kuhn-2p")
_EPSILONS = {"leduc": (2.0, 1.5, 1.0), "kuhn-2p": (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)}


@click.command("range-of-skill", cls=OneLineCommand)
@out_option("results.json, results.md and the plot (PNG and SVG)")
@click.option("--game", type=click.Choice(_GAMES), default="leduc", show_default=True, help="What is played.")
@click.option(
    "--epsilon", "epsilons", type=FiniteRange(1e-6, 1000), multiple=True, metavar="E",
    help="By how much each strategy beats all before it, in antes a hand; may be repeated.  "
    "Default: 2, 1.5 and 1 for leduc, .3 to .001 for kuhn-2p.",
)  # fmt: skip
@force_option()
@plots_option()
@json_option()
def range_of_skill(
    out: Path, game: str, epsilons: tuple[float, ...], force: bool, no_plots: bool, as_json: bool
) -> None:
    """Count how many strategies there are, each of which beats all before it by E or more.

    The list begins with the uniform strategy; each further one wins the most from whichever earlier strategy
    suits it least.  Smaller E takes much longer: Leduc takes some seconds at 1, minutes at .5.
    """
    with ending_in_one_line(out):
        if not force:
            refuse_full(out)
        results = measure(game, epsilons or _EPSILONS[game], say)
        hand_in(out, results, _report(results), as_json=as_json, plots=None if no_plots else _plots)


def measure(game: str, epsilons: tuple[float, ...], progress: Say = lambda line: None) -> dict[str, Any]:
    """The steps of the algorithm down to the smallest ε, as they stand in ``results.json``.

    A list for a larger ε is the beginning of that for a smaller one, since gains never rise.

    Args:
        game: a packaged game for two.
        epsilons: in antes (big blinds) a hand.
        progress: takes a line about each step.
    """
    try:
        tree = GameTree(load_game(game))
    except TooLarge as error:
        raise CommandError(str(error)) from error
    unit = tree.game.big_blind
    steps = []
    for number, step in enumerate(steps_of(tree, min(epsilons) * unit), 1):
        found = {
            "step": number,
            "gain": step.gain / unit,
            "exploitability": exploitability(tree, step.policy).mean / unit,
            "mixture": exploitability(tree, step.mixture).mean / unit,
        }
        steps.append(found)
        progress(f"step {number}: beats all before it by {found['gain']:.4f}")
    lengths = {f"{epsilon:g}": sum(step["gain"] >= epsilon for step in steps) for epsilon in epsilons}
    return {
        "experiment": "range-of-skill",
        "version": version("riverboat"),
        "game": game,
        "steps": steps,
        "lengths": lengths,
    }


def _report(results: Mapping[str, Any]) -> str:
    rows = [[epsilon, steps, steps + 1] for epsilon, steps in results["lengths"].items()]
    steps = [
        [step["step"], *(f"{step[name]:.4f}" for name in ("gain", "exploitability", "mixture"))]
        for step in results["steps"]
    ]
    return "\n".join(
        [
            f"# Range of skill: {results['game']}\n",
            f"riverboat {results['version']}; antes a hand, the mean of both seats.\n",
            markdown_table(["ε", "steps", "strategies, the first among them"], rows),
            "Each step adds a strategy that beats all before it by its gain.  Of the right mixture of those "
            "before, nobody can win more than that.\n",
            markdown_table(["step", "gain", "exploitability", "of the mixture of those before"], steps),
        ]
    )


def _plots(results: Mapping[str, Any]) -> list[Plot]:
    numbers = [step["step"] for step in results["steps"]]
    curves = tuple(
        Curve(label, numbers, [step[name] for step in results["steps"]])
        for label, name in (
            ("beats all before it by", "gain"),
            ("its own exploitability", "exploitability"),
        )
    )
    title = f"range of skill: {results['game']}"
    return [Plot("range-of-skill", title, "step", "antes a hand", curves, log_y=True)]
