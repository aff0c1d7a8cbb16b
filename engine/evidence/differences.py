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
    """The most chips by which two versions can differ in a deal; None if nothing bounds what a hand costs."""
    bounds = payoff_bounds(game)
    if bounds is None:
        return None
    low, high = bounds.of_a_player()
    return high - low + 2 * _most_luck(game)


def _most_luck(game: GameDefinition) -> float:
    bounds = payoff_bounds(game)
    return 0.0 if bounds is None else -_PART * bounds.of_a_player()[0]


@attrs.frozen(eq=False)
class Corrected:
    """The differences of some deals."""

    deals: Floats
    """By deal, the chips that the new version won more than the old one, per hand.  Shape (deals,)."""
    hands: Floats
    """The same by hand, in the order in which hands were added.  Shape (hands,)."""


class Differences:
    """The differences between two versions against one opponent, match by match.

    Args:
        game: what is played.
        luck: ``off``, ``equity`` or ``aivat``.
    """

    def __init__(self, game: GameDefinition, luck: str) -> None:
        self._game, self._luck = game, luck
        self._most = _most_luck(game)
        self._seen: list[tuple[Floats, Floats]] = []
        # By match: the differences of payoffs by deal, and those of what cards brought.

    def add(self, new: Evidence, old: Evidence) -> Corrected:
        """The differences of a match; they never change again.

        Args:
            new: the new version's hands, in which it is player 0.
            old: the old version's hands, in the same order.
        """
        coefficients = self._coefficients()
        sides, payoffs, brought = [], [], []
        for evidence in (new, old):
            hands, positions = np.nonzero(evidence.players == 0)
            settled, terms, corrected = self._parts(evidence, coefficients)
            sides.append(corrected[hands, positions])
            payoffs.append(_by_deal(evidence.deals, settled[hands, positions]))
            brought.append(
                np.stack([_by_deal(evidence.deals, term) for term in terms[hands, positions].T], axis=-1)
            )
        self._seen.append((payoffs[0] - payoffs[1], brought[0] - brought[1]))
        by_deal = [_by_deal(new.deals, side) for side in sides]
        return Corrected(by_deal[0] - by_deal[1], sides[0] - sides[1])

    def _coefficients(self) -> Floats:
        prior = by_pot(self._game)
        if not self._seen:
            return prior
        payoffs, changes = (np.concatenate(part) for part in zip(*self._seen, strict=True))
        return fit(payoffs, changes, np.zeros(len(payoffs), np.int64), prior)

    def _parts(self, evidence: Evidence, coefficients: Floats) -> tuple[Floats, Floats, Floats]:
        """By hand and position: what was won, the terms that cards brought, and what is left without luck."""
        chips = evidence.values("chips")
        assert chips is not None  # they are always known
        nothing = np.zeros((*chips.shape, 2 * self._game.num_rounds))
        if self._luck == "off":
            return chips, nothing, chips
        settled, brought = evidence.parts
        if brought is None:
            return settled, nothing, settled
        told = evidence.values("aivat") if self._luck == "aivat" else None
        if told is not None:
            return settled, brought.terms, told
        luck = brought.luck(np.arange(len(settled)), coefficients, self._most)
        return settled, brought.terms, settled - luck


def _by_deal(deals: Ints, values: Floats) -> Floats:
    """The mean of the values of each deal."""
    return np.bincount(deals, values) / np.bincount(deals)
