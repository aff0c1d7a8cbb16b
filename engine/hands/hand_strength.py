"""Hand strength and potential: the probability of holding the best hand now, and of that changing.

Source: Poki 3.3.1 and 3.3.2; against several opponents 3.3.5; both together 3.3.6.

A *weight table* is an array of shape (1326,), by combo index: the probability that an opponent holds each
combo, up to a constant factor.  Weights of combos that share a card with our hand or the board are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import attrs
import numpy as np
from numpy.typing import ArrayLike

from engine.hands.hand_rank import check_board, check_hand_and_board
from engine.kernels.hands import strength as kernels
from engine.kernels.hands.potential import transitions_of_cards
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import NUM_COMBOS
from engine.support.arrays import Floats, read_only

UNIFORM_WEIGHTS: Final = read_only(np.ones(NUM_COMBOS))
"""The weight table of an opponent about whom nothing is known.  Shape (1326,), float64, read-only."""

_NO_WEIGHTS: Final = np.empty(0)
"""What the kernel takes for weights that are all 1."""

_NOT_YET_DEALT: Final = {3: (-1, -1), 4: (-1,), 5: ()}
"""Fills the board up to the five cards that the kernel takes."""


class HandStrength(NamedTuple):
    """The number, or the weight, of the opponent's hands that we beat, tie with and lose to."""

    ahead: float
    tied: float
    behind: float

    @property
    def value(self) -> float:
        """The hand strength of Fig. 3.3, a probability: (ahead + tied/2) / (ahead + tied + behind)."""
        return (self.ahead + self.tied / 2) / (self.ahead + self.tied + self.behind)


def weight_table(weights: ArrayLike, what: str = "weights") -> Floats:
    """The weights as a contiguous float64 array of the right shape; their values are not checked."""
    table = np.ascontiguousarray(weights, dtype=np.float64)
    if table.shape != (NUM_COMBOS,):
        raise ValueError(f"{what}: expected shape ({NUM_COMBOS},), got {table.shape}")
    return table


def check_weights(weights: ArrayLike | None, what: str = "weights") -> Floats:
    """A weight table as a float64 array; the uniform one for None.

    Raises:
        ValueError: not of shape (1326,), or with a weight that is negative, infinite or not a number.
    """
    if weights is None:
        return UNIFORM_WEIGHTS
    table = weight_table(weights, what)
    if not kernels.check_weights(table):
        wrong = int(np.flatnonzero(~((table >= 0) & (table < np.inf)))[0])
        raise ValueError(f"{what}: expected finite weights of 0 or more, got {table[wrong]} at combo {wrong}")
    return table


def hand_strength(
    hole_cards: Sequence[int], board: Sequence[int], weights: ArrayLike | None = None
) -> HandStrength:
    """The number, or the weight, of an opponent's hands that we beat, tie with and lose to on this board.

    Args:
        hole_cards: our two cards.
        board: 3, 4 or 5 cards.
        weights: the opponent's weight table, shape (1326,); None for a random hand, which gives counts.

    Raises:
        ValueError: wrong cards or weights, or weights that leave the opponent no hand.

    Source: Poki, Fig. 3.3; weighted as in 3.3.3.
    """
    if len(hole_cards) == 2 and len(board) in (3, 4, 5):
        table = _NO_WEIGHTS if weights is None else weight_table(weights)
        counts = kernels.strength_of_cards(
            ranking_table(), table, *hole_cards, *board, *_NOT_YET_DEALT[len(board)]
        )
        if counts != (0.0, 0.0, 0.0):
            return HandStrength._make(counts)
    # The kernel has found something wrong; these checks say what.
    check_hand_and_board(hole_cards, board)
    check_weights(weights)
    raise ValueError("weights: expected some weight on a hand that the opponent can hold, got none")


def all_hand_strengths(board: Sequence[int], weights: ArrayLike | None = None) -> Floats:
    """The hand strength of every combo on a board; it takes some microseconds.

    Args:
        board: 3, 4 or 5 cards.
        weights: the opponent's weight table, shape (1326,); None for a random hand.

    Returns:
        Shape (1326,); 0 for combos that share a card with the board, .5 for those that no hand of the table
        can meet.

    Raises:
        ValueError: wrong cards or weights.

    Source: Poki, Fig. 3.3 and 3.3.3.
    """
    cards = np.array(check_board(board), np.uint8)
    strengths = np.empty(NUM_COMBOS)
    kernels.shares_of_all_hands(ranking_table(), cards, 0, check_weights(weights), 0.0, 0.5, strengths)
    return strengths


def multi_player_hand_strength(
    hole_cards: Sequence[int], board: Sequence[int], weight_tables: ArrayLike
) -> float:
    """HS_n: the probability of beating several opponents, as the product of the strengths against each.

    Args:
        hole_cards: our two cards.
        board: 3, 4 or 5 cards.
        weight_tables: one for each opponent, shape (num_opponents, 1326).

    Raises:
        ValueError: wrong cards, shape or weights.

    Source: Poki, eq. 3.3.  It treats the opponents' hands as independent.  Against random opponents on 60
    random flops (sampling error .004) it differed from the joint value by at most .014 for two and .021 for
    three opponents, as the paper claims (below .03), by .035 for five and .067 for nine; on average it was
    .005 too high for two and .011 for nine.
    """
    product = 1.0
    for opponent, weights in enumerate(_tables(weight_tables)):
        product *= hand_strength(hole_cards, board, check_weights(weights, f"weight table {opponent}")).value
    return product


def _tables(weight_tables: ArrayLike) -> Floats:
    tables = np.asarray(weight_tables, dtype=np.float64)
    if tables.ndim != 2 or tables.shape[0] == 0 or tables.shape[1] != NUM_COMBOS:
        raise ValueError(f"weight tables: expected shape (num_opponents, {NUM_COMBOS}), got {tables.shape}")
    return tables


def field_array(weight_tables: ArrayLike, how: Literal["mean", "maximum"] = "maximum") -> Floats:
    """One weight table for the whole field of opponents: the mean or the maximum of theirs, entry by entry.

    The tables are first scaled so that the greatest weight of each is 1 (the paper's weights lie between 0
    and 1); a constant factor in one of them changes nothing.

    It is for comparison: ``riverboat odds`` shows its result beside that of `multi_player_hand_strength`,
    which is fast enough for every bot.

    Args:
        weight_tables: one for each opponent, shape (num_opponents, 1326).  Set combos that are known to be
            dead to 0.
        how: "mean" as in Loki, "maximum" as in Poki (what matters is the best hand in the field).

    Returns:
        Shape (1326,), weights from 0 to 1.

    Raises:
        ValueError: another shape, wrong weights, a table without weight, or another word for `how`.

    Source: Poki 3.3.5, the text before and after eq. 3.4.
    """
    if how not in ("mean", "maximum"):
        raise ValueError(f"how: expected 'mean' or 'maximum', got {how!r}")
    scaled = []
    for opponent, weights in enumerate(_tables(weight_tables)):
        table = check_weights(weights, f"weight table {opponent}")
        greatest = table.max()
        if greatest == 0.0:
            raise ValueError(f"weight table {opponent}: expected some weight, got none")
        scaled.append(table / greatest)
    return np.mean(scaled, axis=0) if how == "mean" else np.max(scaled, axis=0)


def field_hand_strength(
    hole_cards: Sequence[int], board: Sequence[int], field: ArrayLike | None, num_opponents: int
) -> float:
    """HS_n = HS_field ** n: the probability of beating `num_opponents` with the same weight table.

    Args:
        hole_cards: our two cards.
        board: 3, 4 or 5 cards.
        field: the weight table, as from `field_array`, shape (1326,); None for random hands.
        num_opponents: 1 or more.

    Raises:
        ValueError: wrong cards or weights, or fewer than one opponent.

    Source: Poki, eq. 3.4.
    """
    if num_opponents < 1:
        raise ValueError(f"opponents: expected 1 or more, got {num_opponents}")
    return hand_strength(hole_cards, board, field).value ** num_opponents


@attrs.frozen(eq=False)
class HandPotential:
    """A hand's transition table, and the potentials that follow from it."""

    transitions: Floats
    """The weight, or number, of cases by [before, after]: 0 ahead, 1 tied, 2 behind.

    Shape (3, 3).  A case is an opponent's hand and the cards to come.  This is the paper's Table 3.2.
    """

    look_ahead: int
    """The number of cards to come: 1 or 2."""

    # The numerators are those of Fig. 3.4.  Its pseudo-code divides by counts of opponents' hands although
    # its numerators count boards as well, and eq. 3.1 taken literally gives .507 for the example; the paper's
    # figures, .406 and .620, come from the row sums of the table.

    @property
    def positive(self) -> float:
        """PPot, the probability of getting ahead when behind; 0 for a hand that is never behind."""
        _, tied, behind = self.transitions.tolist()
        cases = sum(behind) + sum(tied) / 2
        return (behind[0] + behind[1] / 2 + tied[0] / 2) / cases if cases else 0.0

    @property
    def negative(self) -> float:
        """NPot, the probability of falling behind when ahead; 0 for a hand that is never ahead."""
        ahead, tied, _ = self.transitions.tolist()
        cases = sum(ahead) + sum(tied) / 2
        return (ahead[2] + tied[2] / 2 + ahead[1] / 2) / cases if cases else 0.0

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

    Source: Poki, Fig. 3.4, Table 3.2, eq. 3.1.
    """
    if len(hole_cards) == 2 and len(board) in (3, 4):
        cards_ahead = _check_look_ahead(look_ahead, len(board))
        table = UNIFORM_WEIGHTS if weights is None else weight_table(weights)
        transitions = np.empty((3, 3))
        fourth = () if len(board) == 4 else (-1,)
        if transitions_of_cards(
            ranking_table(), table, transitions, cards_ahead, *hole_cards, *board, *fourth
        ):
            return HandPotential(transitions, cards_ahead)
    # The kernel has found something wrong; these checks say what.
    check_hand_and_board(hole_cards, board, (3, 4))
    check_weights(weights)
    raise ValueError("weights: expected some weight on a hand that the opponent can hold, got none")


def effective_hand_strength(strength: float, positive_potential: float) -> float:
    """EHS as used in play: HS + (1 - HS) PPot.  Poki, eq. 3.6."""
    return strength + (1 - strength) * positive_potential


def effective_hand_strength_npot(
    strength: float, positive_potential: float, negative_potential: float
) -> float:
    """EHS with negative potential: HS (1 - NPot) + (1 - HS) PPot.  Poki, eq. 3.5.

    With unweighted or weighted two-card potentials on a flop (one-card on a turn) this is exactly the
    equity at showdown.
    """
    return strength * (1 - negative_potential) + (1 - strength) * positive_potential
