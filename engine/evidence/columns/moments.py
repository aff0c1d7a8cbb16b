"""When cards were dealt in hands, for which pots and among whom: `engine.evidence.moments` in columns."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.columns.hands import HandColumns
from engine.evidence.moments import Moments
from engine.poker.rules import GameDefinition

__all__ = ["MomentColumns", "columns_of_moments", "moments_in_columns"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@attrs.frozen(eq=False)
class MomentColumns:
    """The moments of finished hands at which luck was decided, a row for each hand."""

    paid: Ints
    """Chips that each position has put in, antes included.  Shape (hands, positions)."""
    left: Ints
    """The positions that could still win when the cards of each betting round were dealt, as bits; 0 if none
    were dealt while somebody could act.  Shape (hands, rounds)."""
    pots: Ints
    """The chips in the pot then.  Shape (hands, rounds)."""
    is_run_out: NDArray[np.bool_]
    """Whether cards were dealt after nobody could act any more.  Shape (hands,)."""
    out: Ints
    """In hands that are run out, the board cards dealt when nobody could act any more.  Shape (hands,)."""
    chips: Floats
    """In hands that are run out, the chips of the main pot and the side pots.  Shape (hands, pots)."""
    sharing: Ints
    """The positions that share each pot, as bits; 0 for nobody.  Shape (hands, pots)."""

    def __len__(self) -> int:
        return len(self.paid)

    def take(self, rows: Ints) -> MomentColumns:
        """The moments of some hands."""
        return MomentColumns(*[getattr(self, field.name)[rows] for field in attrs.fields(MomentColumns)])

    @classmethod
    def joined(cls, parts: Sequence[MomentColumns]) -> MomentColumns:
        """The moments of several lots of hands of the same game in one, in the same order."""
        return cls(
            *[np.concatenate([getattr(part, field.name) for part in parts]) for field in attrs.fields(cls)]
        )

    def expected_chips(self, hands: Ints, shares: Floats) -> Floats:
        """What each position wins on average in hands that were run out.  Shape (hands, positions).

        Args:
            hands: the rows of some hands that were run out, shape (n,).
            shares: each position's share of each pot, shape (n, pots, positions).
        """
        won = -self.paid[hands].astype(np.float64)
        for pot in range(self.chips.shape[1]):
            sharing = self.sharing[hands, pot, None] >> np.arange(won.shape[1]) & 1
            won += np.where(sharing == 1, self.chips[hands, pot, None] * shares[:, pot], 0.0)
        return won


def _empty(game: GameDefinition, hands: int) -> MomentColumns:
    # Antes that are dead money are a pot of their own.
    pots = game.num_players + 1
    return MomentColumns(
        paid=np.zeros((hands, game.num_players), np.int64),
        left=np.zeros((hands, game.num_rounds), np.int64),
        pots=np.zeros((hands, game.num_rounds), np.int64),
        is_run_out=np.zeros(hands, np.bool_),
        out=np.zeros(hands, np.int64),
        chips=np.zeros((hands, pots)),
        sharing=np.zeros((hands, pots), np.int64),
    )


def columns_of_moments(game: GameDefinition, moments: Sequence[Moments]) -> MomentColumns:
    """The columns of hands whose moments are known one by one."""
    found = _empty(game, len(moments))
    for row, each in enumerate(moments):
        found.paid[row] = each.paid
        for fall in each.falls:
            found.left[row, fall.betting_round] = each.asked[fall.after][0]
            found.pots[row, fall.betting_round] = fall.pot
        found.is_run_out[row] = each.is_run_out
        for place, layer in enumerate(each.layers):
            found.chips[row, place] = layer.chips
            found.sharing[row, place] = layer.sharing
            if layer.asked >= 0:
                found.out[row] = each.asked[layer.asked][1]
    return found


def moments_in_columns(hands: HandColumns) -> MomentColumns:
    """The moments of hands that were read."""
    game, walked = hands.game, hands.walked
    found = _empty(game, len(hands))
    ends = np.array(game.board_ends)
    antes = np.array(game.antes_posted, np.int64)
    found.paid[:] = antes + walked.spent
    found.left[:, 0] = (1 << game.num_players) - 1
    found.pots[:, 0] = antes.sum() + game.num_players * game.big_blind
    for betting_round in range(1, game.num_rounds):
        fell = walked.left[:, betting_round] > 0
        if ends[betting_round] > ends[betting_round - 1]:
            found.left[:, betting_round] = np.where(fell, walked.left[:, betting_round], 0)
            found.pots[:, betting_round] = np.where(fell, walked.pots[:, betting_round] + antes.sum(), 0)
    reached = ((walked.left > 0) * np.arange(game.num_rounds)).max(axis=1)
    found.is_run_out[:] = hands.is_showdown & (ends[walked.final_round] > ends[reached])
    rows = np.flatnonzero(found.is_run_out)
    if len(rows):
        found.out[rows] = ends[reached[rows]]
        found.chips[rows], found.sharing[rows] = _pots(hands.take(rows))
    return found


def _pots(hands: HandColumns) -> tuple[Floats, Ints]:
    """Chips and sharing positions of each pot of hands that were run out, as `engine.evidence.moments`."""
    game, spent, left = hands.game, hands.walked.spent, hands.in_at_the_end
    antes = np.array(game.antes_posted, np.int64)
    kept = _kept(hands)
    pots = _Pots(len(hands), game.num_players + 1)
    competing = spent
    if game.has_equal_antes:
        competing = antes + spent
    elif game.has_antes:
        pots.add(np.full(len(hands), True), kept * antes.sum(), left)
    below = np.zeros(len(hands), np.int64)
    positions = 1 << np.arange(game.num_players)
    for level in np.sort(competing, axis=1).T:
        paying = competing >= level[:, None]
        number = paying.sum(axis=1)
        chips = ((level - below) * number).astype(np.float64)
        chips = np.where(number > 1, chips * kept, chips)  # otherwise nobody has called it
        pots.add(level > below, chips, left & (paying * positions).sum(axis=1))
        below = level
    return pots.chips, pots.sharing


def _kept(hands: HandColumns) -> Floats:
    """The part of each pot that is left after the rake."""
    game, spent = hands.game, hands.walked.spent
    if not game.has_rake:
        return np.ones(len(hands))
    if game.board_ends[-1]:
        came = np.array(game.board_ends)[hands.walked.final_round] > 0
    else:
        came = np.full(len(hands), True)
    second = np.sort(spent, axis=1)[:, -2]
    called = sum(game.antes_posted) + np.minimum(spent, second[:, None]).sum(axis=1)
    kept = [
        1 - (game.rake.amount(pot) if is_raked else 0.0) / pot if pot else 1.0
        for pot, is_raked in zip(called.tolist(), came.tolist(), strict=True)
    ]
    return np.array(kept)


class _Pots:
    """The pots of many hands, peeled in layers; layers shared by the same positions are merged."""

    def __init__(self, hands: int, most: int) -> None:
        self.chips = np.zeros((hands, most))
        self.sharing = np.zeros((hands, most), np.int64)
        self._number = np.zeros(hands, np.int64)

    def add(self, there: NDArray[np.bool_], chips: Floats, sharing: Ints) -> None:
        """Add a layer to the hands that have it."""
        rows = np.flatnonzero(there)
        last = np.maximum(self._number[rows] - 1, 0)
        is_same = (self._number[rows] > 0) & (self.sharing[rows, last] == sharing[rows])
        place = np.where(is_same, last, self._number[rows])
        self.chips[rows, place] = chips[rows] + self.chips[rows, place]
        self.sharing[rows, place] = sharing[rows]
        self._number[rows] = place + 1
