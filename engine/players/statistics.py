"""Running statistics of a player, each with its counts: what a person would note about the player.

Source: Killer, "Opponent Modeling" (flops seen, with periodic halving); Poker Learner 4.2.1.2, Fig. 4.2
(aggression factor, playing style).
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Mapping
from typing import Any, Final

import attrs

from engine.players.hand_play import play_by_position
from engine.poker.rules.betting import BettingState
from engine.support.files.formats import shown
from engine.support.intervals import wilson_interval


@attrs.frozen
class Rate:
    """How often something happened, and how often it could have."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None if it never could."""
        return self.count / self.of if self.of else None

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % interval of the share (`wilson_interval`); None if it never could."""
        return wilson_interval(self.count, self.of) if self.of else None


class PlayingStyle(enum.Enum):
    """The four playing styles of Fig. 4.2; the values are its numbers."""

    TIGHT_AGGRESSIVE = 0
    TIGHT_PASSIVE = 1
    LOOSE_AGGRESSIVE = 2
    LOOSE_PASSIVE = 3


_TIGHT: Final = 0.28
"""The share of flops seen up to which a player is tight; Fig. 4.2 compares the share with 28."""


def _aggression_factor(calls: int, bets_and_raises: int) -> float:
    if calls:
        return bets_and_raises / calls
    return float("inf") if bets_and_raises else 1.0


def style_as_meant(hands: int, flops_seen: int, calls: int, bets_and_raises: int) -> PlayingStyle:
    """The playing style of Fig. 4.2, as it is meant; tight passive for a player not seen yet.

    The figure compares a share with 28, by which nobody is ever loose: 28 per cent is meant.  It gives an
    aggression of 1, which is passive, to players who never called, although a player who only raises is meant
    to be aggressive.
    """
    tight = hands == 0 or flops_seen / hands <= _TIGHT
    if _aggression_factor(calls, bets_and_raises) > 1:
        return PlayingStyle.TIGHT_AGGRESSIVE if tight else PlayingStyle.LOOSE_AGGRESSIVE
    return PlayingStyle.TIGHT_PASSIVE if tight else PlayingStyle.LOOSE_PASSIVE


def style_as_printed(hands: int, flops_seen: int, calls: int, bets_and_raises: int) -> PlayingStyle:
    """The playing style that the program of Fig. 4.2 computes: always tight, and passive without calls."""
    aggression_factor = bets_and_raises / calls if calls else 1.0
    tightness = flops_seen / hands if hands else 1.0
    if aggression_factor > 1:
        return PlayingStyle.TIGHT_AGGRESSIVE if tightness <= 28 else PlayingStyle.LOOSE_AGGRESSIVE
    return PlayingStyle.TIGHT_PASSIVE if tightness <= 28 else PlayingStyle.LOOSE_PASSIVE


@attrs.define
class Looseness:
    """Flops seen and hands dealt; both numbers are halved periodically, so that old hands fade (Killer)."""

    halve_after: float = 200.0
    """The number of hands at which both are halved."""
    flops_seen: float = 0.0
    hands: float = 0.0

    def observe(self, saw_flop: bool) -> None:
        """Count a hand."""
        self.hands += 1
        self.flops_seen += saw_flop
        if self.hands >= self.halve_after:
            self.hands /= 2
            self.flops_seen /= 2

    def rate(self, ideal: float, prior_hands: float = 0.0) -> float:
        """The share of flops seen, shrunk towards the ideal as by `prior_hands` hands of ideal play."""
        hands = self.hands + prior_hands
        return (self.flops_seen + prior_hands * ideal) / hands if hands else ideal

    def scaled_bets(self, bets: float, ideal: float = 0.20, prior_hands: float = 0.0) -> float:
        """The bets of this player, scaled: with 40 % flops seen and an ideal of 20 % half, if tight more.

        Source: Killer, "Opponent Model for the preflop itself", a).
        """
        return bets * ideal / max(self.rate(ideal, prior_hands), 1e-9)


@attrs.define
class PlayerStatistics:
    """Counts over all hands seen of one player."""

    hands: int = 0
    flops_seen: int = 0
    voluntary: int = 0
    """Hands in which the player called or raised before the flop."""
    preflop_raises: int = 0
    """Hands in which the player raised before the flop."""
    calls: int = 0
    """Calls of a bet, all rounds; checks do not count."""
    bets_and_raises: int = 0
    folds: int = 0
    showdowns: int = 0
    """Showdowns reached."""
    showdowns_won: int = 0
    """Showdowns in which the player won chips."""
    looseness: Looseness = attrs.field(factory=Looseness)

    def observe_hand(self, betting: BettingState, position: int, chips_won: float | None) -> None:
        """Count a finished hand.

        Args:
            betting: its end.
            position: the player's.
            chips_won: by the player; None if not known, which counts a showdown as not won.
        """
        play = play_by_position(betting)[position]
        self.hands += 1
        self.flops_seen += play.saw_flop
        self.voluntary += play.entered
        self.preflop_raises += play.raised
        self.calls += sum(play.calls)
        self.bets_and_raises += sum(play.bets_and_raises)
        self.folds += play.fold_round is not None
        self.looseness.observe(play.saw_flop)
        if play.reached_showdown:
            self.showdowns += 1
            self.showdowns_won += chips_won is not None and chips_won > 0


# --- numbers in files ---------------------------------------------------------------------------------------


def numbers_of(kind: type[Any], found: Mapping[str, Any]) -> Any:
    """An attrs class of numbers of 0 or more, and of such classes, that `attrs.asdict` was called on.

    Raises:
        ValueError: something is no number, or out of range.
        KeyError, TypeError: something is missing.
    """
    values = {}
    for field in attrs.fields(attrs.resolve_types(kind)):
        value, least = found[field.name], field.metadata.get("least", 0.0)
        if attrs.has(field.type):
            values[field.name] = numbers_of(field.type, value)
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and least <= value <= sys.float_info.max):
            raise ValueError(f"{field.name}: expected a number of {least:g} or more, got {shown(value)}")
        values[field.name] = field.type(value)
    return kind(**values)
