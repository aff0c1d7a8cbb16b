"""The options of the killer bot."""

from __future__ import annotations

from typing import Literal

import attrs

from engine.hands.pot_odds import Rake

__all__ = ["KillerConfig", "PreflopName"]

PreflopName = Literal["configs", "groups", "one-chip"]


@attrs.frozen
class KillerConfig:
    """How a killer bot plays.

    Raises:
        ValueError: a number out of range, or an unknown way to play before the flop.
    """

    preflop: PreflopName = "configs"
    """How it plays before the flop: by the book of flop configurations, by Sklansky's groups, or by the
    one-chip game."""
    bluff: bool = True
    """Bluff on the river, just often enough to make a call worth nothing."""
    rake: float = 0.0
    """The percentage of the pot that the house takes, which the values allow for."""
    rake_cap: float = 3.0
    """The most the house takes from a pot, in small bets (big blinds in no-limit)."""

    def __attrs_post_init__(self) -> None:
        if self.preflop not in ("configs", "groups", "one-chip"):
            raise ValueError(f"preflop: expected configs, groups or one-chip, got {self.preflop!r}")
        if not 0 <= self.rake <= 100:
            raise ValueError(f"rake: expected 0 to 100 per cent, got {self.rake}")
        if not self.rake_cap >= 0:
            raise ValueError(f"rake-cap: expected 0 or more small bets, got {self.rake_cap}")

    def rake_of(self, small_bet: float) -> Rake:
        """The rake with its cap in chips.

        Args:
            small_bet: the unit of `rake_cap`, in chips.
        """
        return Rake(self.rake, self.rake_cap * small_bet)
