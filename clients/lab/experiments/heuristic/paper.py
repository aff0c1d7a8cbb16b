"""Table 1 of the paper, and the bots that stand in for its opponents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from clients.core.options import OptionError
from clients.core.registry import installed_bots, make_bot
from engine.poker.rules import load_game

__all__ = ["COUNTERPARTS", "GAME", "VARIANTS", "Counterpart", "stood_in_for", "variants_named"]

GAME: Final = "limit-2p"


@attrs.frozen
class Counterpart:
    """An opponent of the paper."""

    name: str
    about: str
    sb_per_hand: float
    """What the paper's bot won from it, in small bets per hand."""
    candidates: tuple[str, ...]
    """Bots that may stand in, the most similar first; the first one that is installed and can play does."""

    def stand_in(self) -> str:
        """The bot that stands in for it.

        Raises:
            LookupError: none of them is installed and plays the game.
        """
        for spec in self.candidates:
            if _can_play(spec):
                return spec
        raise LookupError(f"no bot stands in for {self.name}: none of {', '.join(self.candidates)} can play")


def _can_play(spec: str) -> bool:
    """Whether a bot is installed and, with these options, plays the game of Table 1."""
    if spec.partition(":")[0] not in installed_bots():
        return False
    try:
        make_bot(spec).prepare(load_game(GAME))
    except OptionError:  # such as a strategy that must be given
        return False
    return True


COUNTERPARTS: Final = (
    Counterpart(
        "Sparbot",
        "near an equilibrium, does not learn",
        -0.023,
        ("equilibrium", "formula:model=generic"),
    ),
    Counterpart("Vexbot", "learns to exploit", -0.242, ("adaptive", "sampling:trials=100")),
    Counterpart("Pokibrat", "Poki's formula, heads-up", 0.015, ("formula",)),
)
"""The paper's opponents in the order of Table 1.  The candidates need no files; ``--against`` names bots that
need one."""


def stood_in_for(spec: str) -> str | None:
    """The name of the paper's opponent for which a bot may stand in, if any."""
    bot = spec.partition(":")[0]
    for each in COUNTERPARTS:
        if bot in {candidate.partition(":")[0] for candidate in each.candidates}:
            return each.name
    return None


VARIANTS: Final[Mapping[str, str]] = {
    "direct": "heuristic",
    "strategic": "heuristic:method=strategic",
    "steady": "heuristic:aggression=off",
    "vote": "heuristic:model=vote",
    "greedy": "heuristic:randomness=0",
}
"""Variants of the bot by name; the first is the paper's."""


def variants_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """The given names in the order of `VARIANTS`; all names if none are given."""
    return tuple(name for name in VARIANTS if not names or name in names)
