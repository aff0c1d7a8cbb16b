"""When cards were dealt in hands, for which pots and among whom: the public half of every luck correction."""

from __future__ import annotations

import attrs
import numpy as np

from engine.evidence.columns.hands import HandColumns
from engine.support.arrays import Bools, Floats, Ints


@attrs.frozen(eq=False)
class Moments:
    """The moments of finished hands at which luck was decided, a row for each hand."""

    paid: Ints
    """Chips that each position has put in, antes included.  Shape (hands, positions)."""
    left: Ints
    """The positions that could still win when the cards of each betting round were dealt, as bits; 0 if none
    were dealt while somebody could act.  Shape (hands, rounds)."""
    pots: Ints
    """The chips in the pot then.  Shape (hands, rounds)."""
    is_run_out: Bools
    """Whether cards were dealt after nobody could act any more.  Shape (hands,)."""
    out: Ints
    """In hands that are run out, the board cards dealt when nobody could act any more.  Shape (hands,)."""
    chips: Floats
    """In hands that are run out, the chips of the main pot and the side pots.  Shape (hands, pots)."""
    sharing: Ints
    """The positions that share each pot, as bits; 0 for nobody.  Shape (hands, pots)."""

    def __len__(self) -> int:
        return len(self.paid)

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


def moments_of(hands: HandColumns) -> Moments:
    """The moments of finished hands."""
    game, walked = hands.game, hands.walked
    pots = game.num_players + 1  # antes that are dead money are a pot of their own
    found = Moments(
        paid=np.array(game.antes_posted, np.int64) + walked.spent,
        left=np.zeros((len(hands), game.num_rounds), np.int64),
        pots=np.zeros((len(hands), game.num_rounds), np.int64),
        is_run_out=np.zeros(len(hands), np.bool_),
        out=np.zeros(len(hands), np.int64),
        chips=np.zeros((len(hands), pots)),
        sharing=np.zeros((len(hands), pots), np.int64),
    )
    ends = np.array(game.board_ends)
    found.left[:, 0] = (1 << game.num_players) - 1
    found.pots[:, 0] = sum(game.antes_posted) + game.num_players * game.big_blind  # once all have called
    dealt = np.flatnonzero(np.diff(ends)) + 1  # the betting rounds before which cards are dealt
    left = walked.left[:, dealt]
    found.left[:, dealt] = left
    found.pots[:, dealt] = np.where(left > 0, walked.pots[:, dealt] + sum(game.antes_posted), 0)
    reached = ((walked.left > 0) * np.arange(game.num_rounds)).max(axis=1)
    found.is_run_out[:] = hands.is_showdown & (ends[walked.final_round] > ends[reached])
    rows = np.flatnonzero(found.is_run_out)
    if len(rows):
        found.out[rows] = ends[reached[rows]]
        found.chips[rows], found.sharing[rows] = _pots(hands.take(rows))
    return found


def _pots(hands: HandColumns) -> tuple[Floats, Ints]:
    """Chips and sharing positions of each pot of hands that were run out.

    They are peeled in layers, as `engine.poker.rules.chips_won` does.  Equal antes are layers like bets;
    others are shared by all who are left.
    """
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

    def add(self, there: Bools, chips: Floats, sharing: Ints) -> None:
        """Add a layer to the hands that have it."""
        rows = np.flatnonzero(there)
        last = np.maximum(self._number[rows] - 1, 0)
        is_same = (self._number[rows] > 0) & (self.sharing[rows, last] == sharing[rows])
        place = np.where(is_same, last, self._number[rows])
        self.chips[rows, place] = chips[rows] + self.chips[rows, place]
        self.sharing[rows, place] = sharing[rows]
        self._number[rows] = place + 1
