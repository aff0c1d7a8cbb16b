"""Hand potential: the probabilities of getting ahead when behind, and behind when ahead (Poki 3.3.2)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.hands.hand_rank import check_board, check_hand_and_board
from engine.hands.hand_strength import UNIFORM_WEIGHTS, check_weights, weight_table
from engine.kernels.hands import potential as kernels
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import NUM_COMBOS

__all__ = ["HandPotential", "all_hand_potentials", "hand_potential", "potentials_of_transitions"]


@attrs.frozen(eq=False)
class HandPotential:
    """A hand's transition table, and the potentials that follow from it."""

    transitions: NDArray[np.float64]
    """The weight, or number, of cases by [before, after]: 0 ahead, 1 tied, 2 behind.

    Shape (3, 3).  A case is an opponent's hand and the cards to come.  This is the paper's Table 3.2.
    """

    look_ahead: int
    """The number of cards to come: 1 or 2."""

    @property
    def positive(self) -> float:
        """PPot, the probability of getting ahead when behind; 0 for a hand that is never behind."""
        return float(potentials_of_transitions(self.transitions)[0])

    @property
    def negative(self) -> float:
        """NPot, the probability of falling behind when ahead; 0 for a hand that is never ahead."""
        return float(potentials_of_transitions(self.transitions)[1])

    @property
    def hand_strength(self) -> float:
        """The share of cases in which we are ahead now; ties count half.  The hand strength of Fig. 3.3."""
        ahead, tied, _ = self.transitions.sum(axis=1)
        return float((ahead + tied / 2) / self.transitions.sum())

    @property
    def final_strength(self) -> float:
        """The share of cases in which we are ahead afterwards; ties count half.  On the river, the equity."""
        ahead, tied, _ = self.transitions.sum(axis=0)
        return float((ahead + tied / 2) / self.transitions.sum())


def potentials_of_transitions(
    transitions: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """PPot and NPot of transition tables.

    The numerators are those of Fig. 3.4; the denominators are the row sums of the transition table, behind
    + tied/2 and ahead + tied/2.  The pseudo-code divides by counts of opponents' hands although its
    numerators count boards as well, and eq. 3.1 taken literally gives .507 for the example; the paper's
    figures, .406 and .620, come from the row sums.  A denominator of zero gives potential 0: there is
    nothing to gain or to lose.

    Args:
        transitions: shape (..., 3, 3).

    Returns:
        PPot and NPot, each of shape (...).
    """
    ahead, tied, behind = 0, 1, 2
    t = np.asarray(transitions, dtype=np.float64)
    rows = t.sum(axis=-1)
    gained = t[..., behind, ahead] + t[..., behind, tied] / 2 + t[..., tied, ahead] / 2
    lost = t[..., ahead, behind] + t[..., tied, behind] / 2 + t[..., ahead, tied] / 2
    from_behind = rows[..., behind] + rows[..., tied] / 2
    from_ahead = rows[..., ahead] + rows[..., tied] / 2
    with np.errstate(invalid="ignore"):
        positive = np.where(from_behind == 0, 0.0, gained / np.where(from_behind == 0, 1.0, from_behind))
        negative = np.where(from_ahead == 0, 0.0, lost / np.where(from_ahead == 0, 1.0, from_ahead))
    return positive, negative


def _check_look_ahead(look_ahead: int | None, board_size: int) -> int:
    to_come = 5 - board_size
    if look_ahead is None:
        return to_come
    if look_ahead not in (1, 2) or look_ahead > to_come:
        allowed = "1 or 2" if to_come == 2 else "1"
        raise ValueError(f"look-ahead: expected {allowed} on a board of {board_size} cards, got {look_ahead}")
    return look_ahead


def hand_potential(
    hole_cards: Sequence[int],
    board: Sequence[int],
    weights: ArrayLike | None = None,
    look_ahead: int | None = None,
) -> HandPotential:
    """The exact potential of a hand, over every hand of the opponent and all cards to come.

    Args:
        hole_cards: our two cards.
        board: 3 or 4 cards.
        weights: the opponent's weight table, shape (1326,); None for a random hand.
        look_ahead: how many cards to look ahead, 1 or 2 on the flop; None for all cards to come.

    Raises:
        ValueError: wrong cards, weights or look-ahead, or weights that leave the opponent no hand.

    Source: Poki, Fig. 3.4, Table 3.2, eq. 3.1; see `potentials_of_transitions` for the denominators.
    """
    if len(hole_cards) == 2 and len(board) in (3, 4):
        cards_ahead = _check_look_ahead(look_ahead, len(board))
        table = UNIFORM_WEIGHTS if weights is None else weight_table(weights)
        transitions = np.empty((3, 3))
        fourth = () if len(board) == 4 else (-1,)
        if kernels.transitions_of_cards(
            ranking_table(), table, transitions, cards_ahead, *hole_cards, *board, *fourth
        ):
            return HandPotential(transitions, cards_ahead)
    # The kernel has found something wrong; these checks say what.
    check_hand_and_board(hole_cards, board, (3, 4))
    check_weights(weights)
    raise ValueError("weights: expected some weight on a hand that the opponent can hold, got none")


def all_hand_potentials(
    board: Sequence[int], weights: ArrayLike | None = None, look_ahead: int | None = None
) -> NDArray[np.float64]:
    """The transition tables of all combos on a board, each against the same opponent.

    Args:
        board: 3 or 4 cards.
        weights: the opponent's weight table, shape (1326,); None for a random hand.
        look_ahead: as for `hand_potential`.

    Returns:
        Shape (1326, 3, 3), as `HandPotential.transitions`; nan for combos that share a card with the board,
        all zero for those that leave the opponent no hand.  `potentials_of_transitions` turns it into PPot
        and NPot.

    Raises:
        ValueError: wrong cards, weights or look-ahead.
    """
    checked_board = check_board(board, (3, 4))
    cards_ahead = _check_look_ahead(look_ahead, len(checked_board))
    transitions = np.empty((NUM_COMBOS, 3, 3))
    kernels.all_transitions(
        ranking_table(), np.array(checked_board, np.uint8), cards_ahead, check_weights(weights), transitions
    )
    return transitions
