"""What the formula knows of every combo of a player: value, chance at the showdown, draw (`HandValues`).

After the flop the value is the effective hand strength against the weight tables of the opponents, EHS = HS_n
+ (1 - HS_n) PPot (eq 3.6, 3.3), the potential against the same tables or against a random hand.  Before it,
the value is the share of hands that are worse by income rates.

Source: Poki 3.2-3.3; Killer, "Opponent Modeling", for made and drawing hands.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import numpy as np

from engine.hands.equity import preflop_equities
from engine.hands.preflop.tables import shipped_tables
from engine.kernels.players import hand_values as kernels
from engine.kernels.players.player import Hands
from engine.kernels.players.raises import raises_in_company
from engine.players.action_context import positions_in
from engine.players.board_values import Potentials
from engine.poker.combos import (
    COMBOS_PER_STARTING_HAND,
    NUM_COMBOS,
    NUM_STARTING_HANDS,
    STARTING_HAND_OF_COMBO,
)
from engine.poker.records import PublicSituation
from engine.support.arrays import Bools, Floats, read_only


def _frozen(array: Floats) -> Floats:
    """A read-only view, of one and the same type to numba."""
    return read_only(array.view())


@attrs.frozen(eq=False)
class HandValues:
    """The formula's numbers for every combo of a player.  Arrays of shape (1326,), from 0 to 1, read-only."""

    value: Floats = attrs.field(converter=_frozen)
    """What the thresholds are measured on."""
    showdown: Floats = attrs.field(converter=_frozen)
    """The chance of winning at the end, for the price of a call (pot odds, showdown odds); before the flop
    with several opponents it is that against one, or 0."""
    draw: Floats = attrs.field(converter=_frozen)
    """The positive potential, for semi-bluffs: after the flop."""
    share: Floats = attrs.field(default=attrs.Factory(lambda self: self.value, takes_self=True))
    """The share of all hands that are worse, whatever the opponents hold."""

    @property
    def hands(self) -> Hands:
        """The numbers by which players are modelled."""
        return Hands(self.share, self.value, self.showdown)

    def protected(self, protect: float) -> HandValues:
        """The values where a bet protects less: with 0, when nobody ever folds, only the showdown counts."""
        if protect >= 1.0:
            return self
        return attrs.evolve(
            self, value=protect * self.value + (1.0 - protect) * self.showdown, share=self.share
        )


_NOTHING: Final = np.zeros(NUM_COMBOS)


# --- before the flop -----------------------------------------------------------------------------------


@functools.cache
def _percentiles(players: int, kind: str) -> Floats:
    """The share of all deals that are worth less than each starting hand.  Shape (169,), half of ties."""
    rates = getattr(shipped_tables().table(players), kind)
    counts = COMBOS_PER_STARTING_HAND.astype(np.float64)
    order = np.argsort(rates, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(counts[order])[:-1]])
    result = np.empty(NUM_STARTING_HANDS)
    result[order] = (below + counts[order] / 2) / counts.sum()
    return result


def _drawing() -> Bools:
    """The starting hands that want company: suited and at most three ranks apart, below a king and no pair;
    and pairs up to sixes, which want to make three of a kind.
    """
    row, column = np.divmod(np.arange(NUM_STARTING_HANDS), 13)
    suited = (column < row) & (row <= 10) & (row - column <= 3)
    return suited | ((row == column) & (row < 5))


_DRAWING: Final = _drawing()


@functools.cache
def preflop_percentiles(players: int, expected_players: int) -> Floats:
    """The value of every starting hand, shape (169,).

    Made hands are ranked by the iterated rates, drawing hands by the roll-out with company.

    Args:
        players: how many may still be in, 2 to 10.
        expected_players: how many are expected to see the flop, 2 to 10.
    """
    made = _percentiles(players, "iterated")
    if players == 2 or expected_players <= players // 2:
        return made
    return np.where(_DRAWING, np.maximum(made, _percentiles(expected_players, "roll_out")), made)


@functools.cache
def _combo_percentiles(players: int, expected_players: int) -> Floats:
    """`preflop_percentiles` by combo, shape (1326,)."""
    return preflop_percentiles(players, expected_players)[STARTING_HAND_OF_COMBO]


def preflop_values(situation: PublicSituation, tables: Sequence[Floats], traits: Floats) -> HandValues:
    """The values of all combos before the flop.

    Made hands are ranked by the iterated income rates for the players who may still be in; drawing hands
    want company and are ranked by the roll-out for the number of players expected to see the flop: those
    who have put in a bet, and those behind us as loosely as they play (Killer, "Opponent Modeling", b).
    Against a single opponent the showdown odds are exact but for cards held twice; with several they are
    those against the mean of their tables, where it is reckoned what a raise against several brings, and 0
    elsewhere.

    Args:
        situation: before the flop.
        tables: of all positions, the weights of combos.
        traits: of all positions, of ``formula.traits_array``.
    """
    opponents = positions_in(situation.opponents)
    value = _combo_percentiles(*kernels.preflop_players(situation, traits))
    if len(opponents) > 1 and not raises_in_company(situation):
        return HandValues(value, _NOTHING, _NOTHING)
    theirs = np.zeros(NUM_STARTING_HANDS)
    for position in opponents:
        by_hand = np.bincount(STARTING_HAND_OF_COMBO, weights=tables[position], minlength=NUM_STARTING_HANDS)
        theirs += by_hand / (by_hand.sum() * len(opponents))
    showdown = (preflop_equities() @ theirs)[STARTING_HAND_OF_COMBO]
    return HandValues(value, showdown, _NOTHING)


# --- after the flop ------------------------------------------------------------------------------------


def postflop_values(
    situation: PublicSituation, strengths: Mapping[int, Floats], potentials: Potentials, share: Floats
) -> HandValues:
    """The values of all combos after the flop: effective hand strength, chance at the showdown, potential.

    Args:
        situation: after the flop.
        strengths: by position, of all combos against the table of the player there.
        potentials: of all combos for one card to come.
        share: of all hands that each combo beats.
    """
    first, *others = (strengths[position] for position in positions_in(situation.opponents))
    product = first.copy()  # eq 3.3
    for strength in others:
        product *= strength
    value, showdown = np.empty(NUM_COMBOS), np.empty(NUM_COMBOS)
    positive, negative = potentials
    kernels.fill_postflop_values(
        product, positive, negative, situation.betting_round, situation.opponents.bit_count(), value, showdown
    )  # fmt: skip
    return HandValues(value, showdown, positive, share=share)
