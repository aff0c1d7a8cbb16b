"""What one version of a player wins more than another on the same deals, with luck taken out.

Both versions play the same cards in the same seats.  What differs in a deal is due to them, and to the cards
that came once they had played differently; only the luck in that difference is to be taken out:

    d* = (y_new - sum b D_new) - (y_old - sum b D_old),

with one b for both (`engine.evidence.control_variates`), fitted to the *differences* of earlier matches.  So
deals that both versions play alike differ by exactly 0, and no luck is taken out twice.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np

from engine.evidence.confidence_sequence import payoff_bounds
from engine.evidence.control_variates import fit
from engine.evidence.estimates import Evidence, by_pot
from engine.poker.rules import GameDefinition
from engine.support.arrays import Floats, Ints

_PART: Final = 0.125
"""The most luck that is taken out of a hand, as a part of what it can cost: more would widen the bounds."""


def difference_bound(game: GameDefinition) -> float | None:
    """The most mbb by which two versions can differ in a deal; None if stacks, or blinds, are not known."""
    bounds = payoff_bounds(game)
    if bounds is None or not game.big_blind:
        return None
    low, high = bounds.of_a_player()
    return 1000 * (high - low - 2 * _PART * low) / game.big_blind


@attrs.frozen(eq=False)
class Corrected:
    """The differences of some deals, in mbb."""

    deals: Floats
    """By deal, what the new version won more than the old one, per hand.  Shape (deals,)."""
    hands: Floats
    """The same by hand, in the order in which hands were added.  Shape (hands,)."""


class Differences:
    """The differences between two versions against one opponent, match by match.

    Args:
        game: what is played, with a `difference_bound`.
        luck: ``off``, ``equity`` or ``aivat``.
    """

    def __init__(self, game: GameDefinition, luck: str) -> None:
        self._game, self._luck = game, luck
        bounds = payoff_bounds(game)
        assert bounds is not None  # see `difference_bound`
        self._most = -_PART * bounds.of_a_player()[0]
        self._seen: list[tuple[Floats, Floats]] = []
        # By match: the differences of payoffs by deal, and those of what cards brought.

    def add(self, new: Evidence, old: Evidence) -> Corrected:
        """The differences of a match; they never change again.

        Args:
            new: the new version's hands, in which it is player 0.
            old: the old version's hands, in the same order.
        """
        coefficients = by_pot(self._game)
        if self._seen:
            payoffs, changes = (np.concatenate(part) for part in zip(*self._seen, strict=True))
            coefficients = fit(payoffs, changes, np.zeros(len(payoffs), np.int64), coefficients)
        parts = zip(self._parts(new, coefficients), self._parts(old, coefficients), strict=True)
        won, settled, terms = (now - was for now, was in parts)
        self._seen.append((_by_deal(new.deals, settled), _by_deal(new.deals, terms)))
        won *= 1000 / self._game.big_blind
        return Corrected(_by_deal(new.deals, won), won)

    def _parts(self, evidence: Evidence, coefficients: Floats) -> tuple[Floats, Floats, Floats]:
        """The winnings of player 0 by hand, without luck and with it, and the terms of the cards."""
        mine = np.nonzero(evidence.players == 0)
        settled, brought = (evidence.values("chips"), None) if self._luck == "off" else evidence.parts
        assert settled is not None  # chips are always known
        if brought is None:
            return settled[mine], settled[mine], np.zeros((len(settled), 2 * self._game.num_rounds))
        told = evidence.values("aivat") if self._luck == "aivat" else None
        if told is None:
            told = settled - brought.luck(np.arange(len(settled)), coefficients, self._most)
        return told[mine], settled[mine], brought.terms[mine]


def _by_deal(deals: Ints, values: Floats) -> Floats:
    """The mean of the values of each deal, along the first axis."""
    sums = np.zeros((int(deals.max()) + 1, *values.shape[1:]))
    np.add.at(sums, deals, values)
    return (sums.T / np.bincount(deals)).T
