"""The tasks of the experiment: for each game, its list of strategies that beat all before them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from clients.lab.experiments.resuming import TASKS, keep
from engine.poker.rules import load_game
from engine.solving.game_tree import GameTree
from engine.solving.mixtures import range_of_skill
from engine.solving.strategies import exploitability

__all__ = ["GAMES", "List", "Settings", "all_lists", "make_list"]

GAMES: Final[Mapping[str, tuple[float, ...]]] = {
    "leduc": (2.0, 1.5, 1.0),
    "kuhn-2p": (0.3, 0.1, 0.03, 0.01, 0.003, 0.001),
}
"""The games that are small enough, with their default ε, in antes (big blinds) per hand."""


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    games: tuple[str, ...] = tuple(GAMES)
    epsilons: tuple[float, ...] = ()
    """The ε for all games; empty for the defaults."""

    def of(self, game: str) -> tuple[float, ...]:
        """The ε of a game."""
        return self.epsilons or GAMES[game]


@attrs.frozen
class List:
    """The list of a game."""

    game: str
    epsilon: float
    """The smallest ε.  The list of a larger one is the beginning of this list, since gains never rise."""
    folder: Path

    def __str__(self) -> str:
        return self.game

    def result_file(self) -> Path:
        """The file of its result."""
        return self.folder / TASKS / f"{self.game}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file."""
        return {"version": version("riverboat"), "epsilon": self.epsilon}


def all_lists(settings: Settings, folder: Path) -> list[List]:
    """The list of each game."""
    return [List(game, min(settings.of(game)), folder) for game in settings.games]


def make_list(task: List) -> dict[str, Any]:
    """The steps of the algorithm, in antes per hand; the last one gains less than ε."""
    tree = GameTree(load_game(task.game))
    unit = tree.game.big_blind
    steps = [
        {
            "step": number,
            "gain": step.gain / unit,
            "exploitability": exploitability(tree, step.policy).mean / unit,
            "mixture": exploitability(tree, step.mixture).mean / unit,
        }
        for number, step in enumerate(range_of_skill(tree, task.epsilon * unit), 1)
    ]
    result = {"steps": steps}
    keep(task, result)
    return result
