"""Table 1 of the paper, and who stands in for its opponents here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from clients.registry import installed_bots

__all__ = ["COUNTERPARTS", "VARIANTS", "Counterpart", "variants_named"]


@attrs.frozen
class Counterpart:
    """An opponent of the paper."""

    name: str
    about: str
    sb_per_hand: float
    """What the paper's bot won from it, small bets a hand."""
    candidates: tuple[str, ...]
    """Bots that may stand in, the most alike first; the first that is installed does."""

    def stand_in(self) -> str:
        """The bot that is played.

        Raises:
            LookupError: none of them is installed.
        """
        installed = installed_bots()
        for spec in self.candidates:
            if spec.partition(":")[0] in installed:
                return spec
        raise LookupError(f"no bot stands in for {self.name}: {', '.join(self.candidates)} are not installed")


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
"""Its opponents in the order of Table 1.  The first candidates are played as soon as they are installed."""

VARIANTS: Final[Mapping[str, str]] = {
    "direct": "heuristic",
    "strategic": "heuristic:method=strategic",
    "steady": "heuristic:aggression=off",
    "vote": "heuristic:model=vote",
    "greedy": "heuristic:randomness=0",
}
"""Variants of the bot by name; the first is the paper's."""


def variants_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names given, in the order of `VARIANTS`; all of them if none was."""
    return tuple(name for name in VARIANTS if not names or name in names)
