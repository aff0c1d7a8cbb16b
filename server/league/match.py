"""A match of a tournament: who sits where, with which cards, and what its folder is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import attrs

from engine.poker.match_key import DealKeys, MatchKey, MatchSeed
from engine.support.seeds import derive_seed

__all__ = ["Match", "Scores", "canonical_order", "match_cards"]

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]")
_MOST_LETTERS: Final = 80
_HASH_LETTERS: Final = 6


@attrs.frozen(order=True)
class Match:
    """One match, determined by who plays and its number, so that adding a player changes no match."""

    event: int
    """Which of the tournament's games."""
    number: int
    """From 1; matches of the same number have the same cards, if these follow from a seed."""
    players: tuple[str, ...]
    """In seat order, beginning with the alphabetically first."""
    stage: str = ""
    """The stage of the tournament, if the same players may meet in several: ``final``."""

    @property
    def label(self) -> str:
        """The name for people: ``ann v bob, match 3``."""
        stage = f"{self.stage}: " if self.stage else ""
        return f"{stage}{' v '.join(self.players)}, match {self.number}"

    @property
    def id(self) -> str:
        """Its folder below the folder of all matches, with slashes."""
        name = "-v-".join(self.players)
        plain = _UNSAFE.sub("_", name)[:_MOST_LETTERS].lstrip(".")
        if plain != name or name.count("-v-") >= len(self.players):  # otherwise others could have the same
            plain = f"{plain}-{sha256(repr(self.players).encode()).hexdigest()[:_HASH_LETTERS]}"
        folders = [f"game-{self.event + 1}"] if self.event else []
        folders += [self.stage] if self.stage else []
        return "/".join([*folders, f"{plain}-{self.number:03}"])


Scores = Mapping[Match, Mapping[str, float]]
"""For matches that are over: each player's total winnings, in mbb."""


def canonical_order(players: tuple[str, ...]) -> tuple[str, ...]:
    """The same circle of players, beginning with the alphabetically first."""
    first = players.index(min(players))
    return players[first:] + players[:first]


def match_cards(root: MatchSeed | MatchKey | None, match: Match, *, common: bool) -> MatchSeed | MatchKey:
    """The seed or key of a match's cards.

    Args:
        root: the tournament's; None if every match draws keys of its own.
        match: the match.
        common: matches of the same number have the same cards, no matter who plays.
    """
    if root is None:
        return DealKeys.random()
    label = f"{match.event}/{match.number}" if common else match.id
    if isinstance(root, MatchSeed):
        place = int.from_bytes(sha256(label.encode()).digest()[:8], "big")
        return MatchSeed(derive_seed(root.number, place))
    from hmac import digest

    return MatchKey(digest(root.secret, b"riverboat tournament match " + label.encode(), "sha256"))
