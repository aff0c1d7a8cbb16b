"""The tasks of the experiment: the parts of the book, and matches with the rake."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from clients.lab.experiments.killer.rake import BOTS, TABLES, play_with_rake
from clients.lab.experiments.resuming import TASKS, keep
from engine.hands.flop_configs import SHARES, odds_against_more, odds_against_one, sampled_flops

__all__ = ["AgainstMore", "AgainstOne", "Part", "RakeMatch", "Settings", "all_parts", "find"]

_FLOPS_OF_A_PART: Final = 20


@attrs.frozen
class Settings:
    """How exact the book is, and who plays for the rake."""

    flops: int = 240
    """The number of sampled flops for more than one opponent."""
    every: int = 1
    """For one opponent only every n-th flop is used; 1 is exact."""
    rake_hands: int = 0
    """The number of hands with the rake, at each table and for each bot."""
    rake_bots: tuple[str, ...] = BOTS
    seed: int = 1
    """The seed of those hands."""

    @property
    def made_by(self) -> str:
        """The command that makes this book."""
        command = "riverboat experiment killer --out DIR"
        for name in ("flops", "every"):
            if getattr(self, name) != getattr(Settings(), name):
                command += f" --{name} {getattr(self, name)}"
        return command


@attrs.frozen
class AgainstOne:
    """The part of the book against one opponent of a stereotype."""

    share: float
    every: int
    folder: Path

    def __str__(self) -> str:
        return f"the book, against one of the best {100 * self.share:.0f} %"

    def result_file(self) -> Path:
        """Where the odds are kept."""
        return self.folder / TASKS / f"against-one-{100 * self.share:.0f}.npz"

    def played(self) -> dict[str, Any]:
        """What they depend on, besides the name of the file."""
        return {"version": version("riverboat"), "every": self.every}

    def find(self) -> Mapping[str, Any]:
        """``odds``, of shape (169, BINS)."""
        return {"odds": odds_against_one(self.share, self.every)}


@attrs.frozen
class AgainstMore:
    """Some of the sampled flops, against more than one opponent of all stereotypes."""

    first: int
    last: int
    """The number after the last of these flops."""
    flops: int
    """The number of all sampled flops."""
    folder: Path

    def __str__(self) -> str:
        return f"the book, against several on flops {self.first + 1} to {self.last}"

    def result_file(self) -> Path:
        """Where the odds are kept."""
        return self.folder / TASKS / f"against-more-{self.first + 1}-{self.last}.npz"

    def played(self) -> dict[str, Any]:
        """What they depend on, besides the name of the file."""
        return {"version": version("riverboat"), "flops": self.flops}

    def find(self) -> Mapping[str, Any]:
        """``odds``, the result of `odds_against_more`."""
        return {"odds": odds_against_more(sampled_flops(self.flops)[self.first : self.last])}


@attrs.frozen
class RakeMatch:
    """A match at a table of which one bot has half of the seats, and the others always call."""

    table: str
    bot: str
    hands: int
    seed: int
    folder: Path

    def __str__(self) -> str:
        return f"the rake, {self.bot} at {self.table}"

    def result_file(self) -> Path:
        """The file of its result."""
        known = hashlib.sha256(self.bot.encode()).hexdigest()[:12]
        return self.folder / TASKS / f"{self.table}-{self.bot.partition(':')[0]}-{known}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of the file."""
        return {"version": version("riverboat"), "bot": self.bot, "hands": self.hands, "seed": self.seed}

    def find(self) -> Mapping[str, Any]:
        """The result of `play_with_rake`."""
        return play_with_rake(self.table, self.bot, self.hands, self.seed)


Part = AgainstOne | AgainstMore | RakeMatch


def all_parts(settings: Settings, folder: Path) -> list[Part]:
    """The parts of the book in its order, then the matches."""
    one = [AgainstOne(share, settings.every, folder) for share in SHARES]
    more = [
        AgainstMore(first, min(first + _FLOPS_OF_A_PART, settings.flops), settings.flops, folder)
        for first in range(0, settings.flops, _FLOPS_OF_A_PART)
    ]
    matches = [
        RakeMatch(table, bot, settings.rake_hands, settings.seed, folder)
        for table in TABLES
        for bot in settings.rake_bots
        if settings.rake_hands
    ]
    return [*one, *more, *matches]


def find(part: Part) -> dict[str, Any]:
    """Do a part and keep its result."""
    result = dict(part.find())
    keep(part, result)
    return result
