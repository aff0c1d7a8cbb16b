"""The settings of the experiment, and the tasks of its parts."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs
import click

from clients.core.one_line import CommandError
from clients.core.program import read_game
from clients.core.registry import make_bot
from clients.lab.experiments.command import Options, option, whole
from clients.lab.experiments.harness import Task
from engine.support.user_input import parse_whole
from server.support.options import FiniteRange

DEFAULT_GAME: Final = "limit-10p"
PARTS: Final = {
    "a": "self-play", "b": "stability", "c": "obvious-moves", "d": "uniform-dealing", "e": "wrong-models",
    "f": "equal-time", "g": "robustness",
}  # fmt: skip
"""The name of each part, by letter."""


def read_parts(text: str) -> tuple[str, ...]:
    """``a,c`` or ``self-play,obvious-moves`` as letters, in alphabetical order; ``all`` is all of them.

    Raises:
        CommandError: there is no such part.
    """
    if text == "all":
        return tuple(PARTS)
    letters = set()
    for word in map(str.strip, text.split(",")):
        found = [letter for letter, name in PARTS.items() if word in (letter, name)]
        if not found:
            known = ", ".join(f"{letter} ({name})" for letter, name in PARTS.items())
            raise CommandError(f"there is no part {word!r}; there are {known}, and all")
        letters.update(found)
    return tuple(sorted(letters))


def _read_numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """The numbers of a text such as ``5,1``."""
    try:
        return () if text is None else tuple(parse_whole(word.strip()) for word in text.split(","))
    except ValueError:
        raise CommandError(f"expected numbers of players such as 5,1, got {text!r}") from None


@attrs.frozen
class SamplingSettings(Options):
    """The settings of the experiment, from which alone its results follow."""

    parts: str = option("all", "Parts, by letter or name.", metavar="a,b,...", aside=True)
    seed: int = 1
    game: str = option(DEFAULT_GAME, "A limit game, for parts a to d.", metavar="GAME")
    simulating: tuple[int, ...] = option(
        (), "How many players simulate in self-play, for each line-up; default half of the players, and one.",
        metavar="N[,N]", default=None, callback=_read_numbers,
    )  # fmt: skip
    hands: int = whole(20_000, 2, "Hands of self-play, for each line-up.")
    spots: int = whole(300, 2, "Decisions of parts b, c, d.")
    duel_hands: int = whole(4_000, 20, "Hands of each match of parts e, f, g.")
    trials: int = whole(500, 1, "Trials for each decision of a sampling bot.")
    reference: int = whole(100_000, 100, "Trials that stand for the truth in parts b and d.")
    until: float | None = option(
        None, "End self-play once the gain is known to +- X mbb/h, by intervals that hold whenever you look.",
        type=FiniteRange(min=0, min_open=True), metavar="X",
    )  # fmt: skip
    """Checked after each match."""
    sampling: str = option("sampling", "The bot that simulates: sampling[:KEY=VALUE,...].", metavar="BOT")
    formula: str = option("formula", "The bot it is measured against.", metavar="BOT")

    def check(self) -> None:
        """Refuse parts, games and bots that there are not."""
        read_parts(self.parts)
        game = read_game(self.game)
        if not game.is_limit:
            raise ValueError(f"game: expected a limit game, got {self.game}: the papers count in small bets")
        if not game.is_holdem:
            raise ValueError(f"game: expected Texas hold'em, got {self.game}")
        seats = game.num_players
        for players in self.simulating:
            if not 0 < players < seats:
                raise ValueError(f"simulating: expected 1 to {seats - 1} of {seats} players, got {players}")
        for spec in (self.sampling, self.formula):
            make_bot(spec)

    def sampling_bot(self) -> str:
        """The simulating bot as ``BOT:KEY=VALUE``, with its number of trials."""
        joint = "," if ":" in self.sampling else ":"
        return f"{self.sampling}{joint}trials={self.trials}"


def part_task(part: str, label: str, do: Callable[..., Mapping[str, Any]], **fields: Any) -> Task:
    """A task of a part, whose arguments are the settings on which its result depends.

    Args:
        part: the name of the part, with which that of the file begins.
        label: as in `Task`.
        do: called with the other arguments by name.
        fields: numbers, texts and settings.
    """
    task = Task(label, "", fields, functools.partial(do, **fields))
    known = hashlib.sha256(task.settings().encode()).hexdigest()[:16]
    return attrs.evolve(task, file=f"{part}-{known}.json")
