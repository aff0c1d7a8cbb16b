"""A player's triple as the papers and the models' documentation say it: one hand at a time.

Source: Poki 3.4 (thresholds, mixing, bluffs, traps).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from engine.kernels.players.records import Push, Thresholds

# --- triples ------------------------------------------------------------------------------------------------

ACTIONS = ("fold", "call", "raise")
Chances = Mapping[str, float]
"""By action; they add up to one."""


def chances(numbers: Iterable[float]) -> Chances:
    """Three numbers, in the order of a probability triple."""
    return dict(zip(ACTIONS, numbers, strict=True))


def share_above(value: float, threshold: float, spread: float) -> float:
    """How often a hand of a value is played as if above a threshold, mixing in proportion around it."""
    lowest, highest = threshold - spread, threshold + spread
    if value <= lowest:
        return 0.0
    if value >= highest:
        return 1.0
    return (value - lowest) / (highest - lowest)


# --- the formula -----------------------------------------------------------------------------------------


@attrs.frozen
class Rule:
    """What is done with a hand of which value."""

    at: Thresholds
    push: Push

    def chances(self, value: float, showdown: float, draw: float, bluffs: float) -> Chances:
        """Fold below the call threshold unless the price is right, raise above the raise threshold; then trap
        with the best hands, semi-bluff with draws, bluff with the worst.  As far as it is known how often the
        opponent folds, raise instead where that brings more than the rest.
        """
        fold = 1 - max(
            share_above(value, self.at.call, self.at.call_spread),
            share_above(showdown, self.at.price, self.at.price_spread),
        )
        if not self.at.can_fold:
            fold = 0.0
        if not self.at.can_raise:
            return chances((fold, 1 - fold, 0.0))
        raising = self.at.raise_most + (1 - self.at.raise_most) * value
        raising *= share_above(value, self.at.raise_, self.at.raise_spread)
        raising -= raising * self.at.trap_chance * share_above(value, self.at.trap, self.at.raise_spread)
        fold = min(fold, 1 - raising)
        # A semi-bluff is made instead of a call first, and instead of a fold where that is not enough.
        raising += (1 - raising) * self.at.semi_bluff_chance * self._wants_semi_bluff(draw)
        raising = (1 - self.push.known) * raising + self.push.known * share_above(
            self._brought(showdown), 0.0, 0.1
        )
        fold = min(fold, 1 - raising)
        # A bluff is made instead of either.
        bluffing = (1 - raising) * (1 - self.push.known) * bluffs * self._weakness(value)
        raising += bluffing
        fold -= fold * bluffing
        return chances((fold, 1 - fold - raising, raising))

    def _brought(self, showdown: float) -> float:
        """What a raise brings beyond the better of a call and a fold, and of waiting, in bets."""
        beats = max(0.0, (showdown - self.push.shift) / (1 - self.push.shift))
        raised = self.push.folded + _beats_all(beats, self.push.callers) * self.push.won - self.push.lost
        if beats < self.push.patience:
            raised -= self.push.waiting * (self.push.patience - beats)
        return raised - max(
            0.0, _beats_all(showdown, self.push.stayers) * self.push.call_won - self.push.call_lost
        )

    def _wants_semi_bluff(self, draw: float) -> float:
        """Half of the time where the draw just pays, always from .05 more on."""
        return share_above(draw, self.at.semi_bluff, 0.05) if draw > self.at.semi_bluff else 0.0

    def _weakness(self, value: float) -> float:
        """All of the hands in the lower half of those that are very weak, none at their upper end."""
        return 1 - share_above(value, 0.75 * self.at.bluff_below, 0.25 * self.at.bluff_below)


def _beats_all(beats: float, opponents: float) -> float:
    """The chance of a hand against several alike: the odds against it, o : 1 for one, are n o : 1 for n."""
    return 1 / (1 + opponents * (1 / beats - 1)) if beats > 0 else 0.0


def neutral_chances(can_fold: bool, can_raise: bool) -> Chances:
    """Whatever is allowed is equally likely."""
    each = 1 / (1 + can_fold + can_raise)
    return chances((each * can_fold, each, each * can_raise))


def legal(frequencies: Chances, can_fold: bool, can_raise: bool) -> Chances:
    """Scaled to one; what is not allowed becomes a call."""
    total = sum(frequencies.values())
    fold = frequencies["fold"] / total if can_fold else 0.0
    raising = frequencies["raise"] / total if can_raise else 0.0
    return chances((fold, 1 - fold - raising, raising))
