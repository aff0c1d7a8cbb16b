"""Control variates: subtract the changes in expectation that cards caused from a hand's payoffs.

For a hand with payoff y, and changes D_k in a player's expected share of the pot when the k-th cards came,

    y* = y - sum over k of b(n_k) D_k,        b(n) = c_k + d_k pot(n),

where n_k is the public state in which they were dealt.  Each D_k has mean zero given everything before those
cards, so y* has the mean of y for every b.  With two players b is the 2 a of the usual formula.

**Coefficients** are found by least squares on *earlier* deals only: those of deals 64 to 127 from deals 0 to
63, those of deals 128 to 255 from the 128 before them, and so on; the first 64 have coefficients that are
fixed beforehand.  So a deal's coefficients depend neither on its own cards nor on later deals.  The mean is
therefore right against players who learn, too: coefficients from later deals could depend, through what a
player has learnt, on the very cards that they correct.  And y* of a deal never changes again: a match may be
looked at after any deal.

A fit is drawn towards the coefficients fixed beforehand, as if these came from some deals more.  How many
deals tell of a term x is (Σx²)²/Σx⁴: where one large pot makes nearly all of Σx² that is one, however many
were played.  A term that has hardly moved so far, however often, explains nothing yet: its coefficient stays
near the one fixed beforehand (`_SPREAD`).

All players have the same coefficients: then what is taken from one is given to others, and the chips won
still add up to zero.

In a duplicate match a row of the regression is what a player won in all passes of a deal, so that what the
passes already cancel gets no coefficient.

Source: control variates as in AIVAT (Burch et al. 2018) and MIVAT (White and Bowling 2009), for chance only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np

from engine.support.arrays import Bools, Floats, Ints

FIRST_BLOCK: Final = 64
"""The number of deals before the first fit."""

PRIOR_DEALS: Final = 16.0
"""The weight in a fit of the coefficients fixed beforehand, in deals."""

_ROUNDING: Final = 1e-9
"""Smaller changes are rounding errors of changes that cancel in the passes of a deal, and count as 0."""

_SPREAD: Final = 2.0
"""How far a coefficient may well be from the one fixed beforehand: the prior's standard deviation."""

_TINY: Final = 1e-300


@attrs.frozen
class Observations:
    """Players' winnings in some hands, one row for each player and hand."""

    payoffs: Floats
    """Shape (rows,)."""
    changes: Floats
    """The terms, each of which gets a coefficient, shape (rows, terms)."""
    deals: Ints
    """The deals' numbers, from 0 without gaps in the order dealt, shape (rows,)."""
    players: Ints
    """The players' numbers, from 0, shape (rows,)."""

    @classmethod
    def by_position(cls, payoffs: Floats, changes: Floats, deals: Ints, players: Ints) -> Observations:
        """Those of whole hands: one number of the deal each, and the rest by position along the next axis."""
        terms = changes.reshape(-1, changes.shape[2])
        return cls(payoffs.ravel(), terms, np.repeat(deals, players.shape[1]), players.ravel())


def blocks(num_deals: int) -> list[slice]:
    """Slices of deals that are corrected with the same coefficients, fitted to all deals before the slice."""
    found = []
    start, end = 0, FIRST_BLOCK
    while start < num_deals:
        found.append(slice(start, min(end, num_deals)))
        start, end = end, 2 * end
    return found


def corrected(seen: Observations, prior: Floats, prior_deals: float = PRIOR_DEALS) -> Floats:
    """What the players won, with the luck of the cards taken out.  Shape (rows,).

    Args:
        seen: all hands.
        prior: coefficients for the first deals, shape (terms,).
        prior_deals: their weight in a fit, in deals.
    """
    result = seen.payoffs.copy()
    for rows, coefficients in fitted(seen, prior, prior_deals):
        result[rows] -= seen.changes[rows] @ coefficients
    return result


def fitted(
    seen: Observations, prior: Floats, prior_deals: float = PRIOR_DEALS
) -> Iterator[tuple[Bools, Floats]]:
    """Block by block, the rows of its deals, shape (rows,), and their coefficients, shape (terms,).

    The arguments are those of `corrected`.
    """
    if not len(seen.payoffs):
        return
    num_players = int(seen.players.max()) + 1
    units = seen.deals * num_players + seen.players
    unit, place = np.unique(units, return_inverse=True)
    # Means over the hands of each player in each deal.
    count = np.bincount(place).astype(np.float64)
    payoffs = np.bincount(place, seen.payoffs) / count
    changes = np.stack(
        [np.bincount(place, seen.changes[:, term]) / count for term in range(seen.changes.shape[1])], axis=-1
    )
    changes[np.abs(changes) < _ROUNDING] = 0.0
    deals, players = np.divmod(unit, num_players)
    for block in blocks(int(seen.deals.max()) + 1):
        before = deals < block.start
        coefficients = prior
        if before.any():
            coefficients = fit(payoffs[before], changes[before], players[before], prior, prior_deals)
        yield (seen.deals >= block.start) & (seen.deals < block.stop), coefficients


def fit(
    payoffs: Floats, changes: Floats, players: Ints, prior: Floats, prior_deals: float = PRIOR_DEALS
) -> Floats:
    """The coefficients that leave the least variance, shrunk a little towards those fixed beforehand.

    A term that never occurred keeps its coefficient fixed beforehand.

    Args:
        payoffs: shape (rows,).
        changes: shape (rows, terms).
        players: the player of each row, from whose mean it deviates, shape (rows,).
        prior: the coefficients fixed beforehand, shape (terms,).
        prior_deals: their weight, in deals.
    """
    left = payoffs - changes @ prior
    centred = changes - _means(changes, players)
    left = left - _means(left[:, None], players)[:, 0]
    squares = centred.T @ centred
    scale = np.diag(squares)
    num_players = int(players.max()) + 1
    deals = scale**2 / np.maximum(np.sum(centred**4, axis=0), _TINY) / num_players
    ridge = np.where(deals > 0.0, scale * prior_deals / np.maximum(deals, _TINY), 1.0)
    ridge = np.maximum(ridge, np.mean(left**2) / _SPREAD**2)
    return prior + np.linalg.solve(squares + np.diag(ridge), centred.T @ left)


def _means(values: Floats, players: Ints) -> Floats:
    """The mean of each row's player, in the shape of `values`."""
    count = np.maximum(np.bincount(players), 1)
    means = np.stack([np.bincount(players, column) / count for column in values.T], axis=-1)
    return means[players]
