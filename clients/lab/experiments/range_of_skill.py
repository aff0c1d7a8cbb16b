"""The experiment ``range-of-skill``: lists of strategies, each of which beats all before it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs
import click

from clients.lab.experiments.command import Options, experiment_command, option
from clients.lab.experiments.harness import VERSION, Findings, Task, Work, markdown_table, plot
from engine.poker.rules import load_game
from engine.solving import mixtures
from engine.solving.game_tree import GameTree
from engine.solving.strategies import exploitability
from server.support.options import FiniteRange

GAMES: Final[Mapping[str, tuple[float, ...]]] = {
    "leduc": (2.0, 1.5, 1.0),
    "kuhn-2p": (0.3, 0.1, 0.03, 0.01, 0.003, 0.001),
}
"""The games that are small enough, with their default ε, in antes (big blinds) per hand."""


@attrs.frozen
class SkillSettings(Options):
    """The games, and the limits of the search."""

    games: tuple[str, ...] = option(
        tuple(GAMES), "The game; may be repeated.", "--game", type=click.Choice(tuple(GAMES)), multiple=True
    )
    epsilons: tuple[float, ...] = option(
        (), "The least by which each strategy beats all before it, in antes per hand; may be repeated.  "
        "Default: 2, 1.5 and 1 for leduc, .3 to .001 for kuhn-2p.", "--epsilon", type=FiniteRange(1e-6, 1000),
        multiple=True, metavar="E", show_default=False,
    )  # fmt: skip
    """The ε for all games; empty for the defaults."""


@experiment_command(SkillSettings, "the list of each game", seeded=None)
def range_of_skill(settings: SkillSettings, work: Work) -> Iterator[Findings]:
    """Count how many strategies there are, each of which beats all before it by E or more.

    The list begins with the uniform strategy; each further one wins the most from whichever earlier strategy
    suits it least.  Smaller E takes much longer: Leduc takes some seconds at 1, minutes at .5.

    Each strategy follows from all before it: the list of a game is one task, for --jobs and for --resume.
    """
    epsilons = {game: settings.epsilons or GAMES[game] for game in settings.games}
    # The list of a larger ε is the beginning of that of the smallest, since gains never rise.
    tasks = [
        Task(game, f"{game}.json", {"epsilon": min(each)}, functools.partial(_list, game, min(each)), game)
        for game, each in epsilons.items()
    ]
    games = {}
    for game, ((found,)) in work.groups(tasks).items():
        gains = [step["gain"] for step in found["steps"]]
        lengths = {f"{epsilon:g}": sum(gain >= epsilon for gain in gains) for epsilon in epsilons[game]}
        games[game] = {"steps": found["steps"], "lengths": lengths}
    settings = attrs.evolve(settings, games=tuple(games))
    shown = {"gain": "beats all before it by", "exploitability": "its own exploitability"}
    plots = []
    for game, found in games.items():
        curves = {
            label: {step["step"]: step[name] for step in found["steps"]} for name, label in shown.items()
        }
        name, title = f"range-of-skill-{game}", f"range of skill: {game}"
        plots.append(plot(name, title, "step", "antes a hand", curves, log_y=True))
    yield Findings({"settings": settings, "games": games}, _report(games), plots)


def _list(game: str, epsilon: float) -> dict[str, Any]:
    """The steps of the algorithm, in antes per hand; the last one gains less than ε."""
    tree = GameTree(load_game(game))
    unit = tree.game.big_blind
    steps = [
        {
            "step": number, "gain": step.gain / unit,
            "exploitability": exploitability(tree, step.policy).mean / unit,
            "mixture": exploitability(tree, step.mixture).mean / unit,
        }
        for number, step in enumerate(mixtures.range_of_skill(tree, epsilon * unit), 1)
    ]  # fmt: skip
    return {"steps": steps}


def _report(games: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        f"# Range of skill\n\nriverboat {VERSION}; antes per hand, the mean of both seats.  Each step adds a "
        "strategy that beats all before it by its gain.  Nobody can win more than that from the right "
        "mixture of those before.\n"
    ]
    for game, found in games.items():
        lengths = [[epsilon, steps, steps + 1] for epsilon, steps in found["lengths"].items()]
        names = ("gain", "exploitability", "mixture")
        steps = [[step["step"], *(f"{step[name]:.4f}" for name in names)] for step in found["steps"]]
        headings = ["step", "gain", "exploitability", "of the mixture of those before"]
        counted = markdown_table(["ε", "steps", "strategies, the first among them"], lengths)
        lines += [f"## {game}\n", counted, markdown_table(headings, steps)]
    return "\n".join(lines)
