"""What players drew in hands of hold'em with three and more, for `engine.evidence.control_variates`.

With two players the mean is over both ranges together (`engine.evidence.aivat.heads_up`).  With more it would
be over everything that all of them could hold, which is too much.  Here each known player is considered by
itself, with the true cards of all others.  Given those, the board and the betting, the probabilities of the
hands that it may hold are proportional to those with which it would have come here, and

* what everybody won, less the mean of that over the hands it could have held at the end, has mean zero;
* so has its action, compared with what it does on average, whatever values actions are given.

The terms are sums over players, and over their decisions by betting round and kind of action.  The value of
an action is estimated from the pot and from who is ahead on the board so far.  How much of each term is taken
out, together with the changes of equity by cards, is found by least squares from earlier deals.

Every term is a vector over positions that adds up to zero, and so do the corrected chips.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np

from engine.evidence.aivat.policy import Policy, PolicyError, surpluses
from engine.hands.equity import preflop_equities_against_random
from engine.hands.hand_rank import board_ranks
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combo_cards, combo_index, combos_without
from engine.poker.rules import FOLD, Action, BettingState, HandState
from engine.poker.rules.showdown import chips_won
from engine.support.arrays import Floats

_ROUNDS: Final = 4
_PER_ACTION: Final = 3
NUM_TERMS: Final = 1 + _ROUNDS * 3 * _PER_ACTION
"""One for the end of the hand; by round and kind of action, its value and two public facts."""
_SHARPNESS: Final = 4.0
# Before the flop shares are guessed from equities against a random hand, to this power.


def terms_of(hand: HandState, policies: Mapping[str, Policy], known: Collection[int]) -> Floats:
    """The terms of a hand for every position.  Shape (positions, NUM_TERMS).

    Args:
        hand: the hand at its end, with all cards.
        policies: by the betting in which they decided, of all decisions of known players.
        known: positions whose strategies are known.

    Raises:
        PolicyError: by what a player has told, it could not have done what it did.
    """
    changes = np.zeros((hand.betting.game.num_players, NUM_TERMS))
    for position in known:
        _add_player(changes, hand, position, policies)
    return changes


def _add_player(changes: Floats, hand: HandState, position: int, policies: Mapping[str, Policy]) -> None:
    """Add the terms of one known player."""
    cards = hand.deal.hole_cards
    others = [card for other, held in enumerate(cards) if other != position for card in held]
    own = combo_index(*cards[position])
    weights = combos_without(others).astype(np.float64)
    for before, acting, action in hand.betting.steps():
        if acting != position:
            continue
        board = hand.deal.board[: before.num_board_cards]
        policy = policies[before.text]
        weights = weights * combos_without(board)
        _add_action(changes, before, action, policy.triples * weights[:, None], cards, board)
        weights = weights * policy.chances(action)
        greatest = float(weights.max())
        if not (greatest > 0 and weights[own] > 0):
            raise PolicyError("a player has done what it has told that it never does")
        weights /= greatest
    if hand.betting.is_showdown and not hand.betting.folded[position]:
        changes[:, 0] += _surplus_at_showdown(hand, position, weights)


def _surplus_at_showdown(hand: HandState, position: int, weights: Floats) -> Floats:
    """Each position's winnings less the mean over one position's possible hands.  Shape (positions,)."""
    betting, cards, board = hand.betting, hand.deal.hole_cards, hand.board
    ranks = board_ranks(board)
    left = [p for p in range(len(cards)) if p != position and not betting.folded[p]]
    met = np.unique([ranks[combo_index(*cards[p])] for p in left])
    weights = weights * combos_without(board)
    # Chips depend on whom it beats and with whom it ties, not on its cards.
    below = np.searchsorted(met, ranks)
    kinds = 2 * below + (met[np.minimum(below, len(met) - 1)] == ranks)
    mass = np.bincount(kinds, weights, 2 * len(met) + 1)
    mean = np.zeros(len(cards))
    for kind in np.flatnonzero(mass):
        held = combo_cards(int(np.argmax((kinds == kind) & (weights > 0))))
        mean += mass[kind] * np.array(
            chips_won(betting, [*cards[:position], held, *cards[position + 1 :]], board)
        )
    return np.array(hand.chips_won()) - mean / mass.sum()


def _add_action(
    changes: Floats,
    before: BettingState,
    action: Action,
    reach: Floats,
    cards: Sequence[tuple[int, ...]],
    board: Sequence[int],
) -> None:
    """Add the terms of a known player's action, compared with what it does on average.

    Args:
        changes: the terms to add to.
        before: the betting before the action.
        action: its action.
        reach: how likely it holds each combo and folds, calls or raises with it, on any scale.
        cards: the hole cards of all positions.
        board: the board so far.
    """
    position = before.position_to_act
    assert position is not None  # somebody has acted
    by_action = reach.sum(axis=0)
    staying: Floats | None = None
    for other, column, surplus in surpluses(before, action, by_action):
        if other == FOLD:
            shares = _shares(before, cards, board, position, has_folded=True)[0]
        else:
            if staying is None:
                staying = _shares(before, cards, board, position, has_folded=False)
            shares = reach[:, column] @ staying / by_action[column]
        after = before.apply(other)
        pot = float(after.pot)
        gain = np.where(shares > 0, -1.0, 0.0)
        gain[position] = 0.0
        gain /= max(1.0, -gain.sum())
        gain[position] = 1.0 if gain.any() else 0.0
        worth = pot * shares - np.array(after.spent) - np.array(before.game.antes_posted)
        place = 1 + _PER_ACTION * (3 * before.betting_round + column)
        changes[:, place] += surplus * worth
        changes[:, place + 1] += surplus * pot * gain
        changes[:, place + 2] += surplus * pot * float(shares[position]) * gain


def _shares(
    before: BettingState,
    cards: Sequence[tuple[int, ...]],
    board: Sequence[int],
    position: int,
    *,
    has_folded: bool,
) -> Floats:
    """Shares of the pot by who is ahead now, for every combo that one position may hold.

    Args:
        before: the betting, which says who is left.
        cards: the hole cards of all positions.
        board: the board so far.
        position: the position that may hold any combo.
        has_folded: whether it has just folded.

    Returns:
        Shape (1326, positions); (1, positions) if it has folded.  Rows add up to 1.
    """
    left = [p for p in range(len(cards)) if p != position and not before.folded[p]]
    rows = 1 if has_folded else NUM_COMBOS
    shares = np.zeros((rows, len(cards)))
    if not board:
        strengths = _strengths()
        theirs = np.array([strengths[combo_index(*cards[p])] for p in left])
        ours = np.zeros(1) if has_folded else strengths
        total = ours + theirs.sum()
        shares[:, left] = theirs / total[:, None]
        shares[:, position] += ours / total
        return shares
    ranks = board_ranks(board).astype(np.int64)
    met = np.array([ranks[combo_index(*cards[p])] for p in left])
    ahead = [p for p, rank in zip(left, met, strict=True) if rank == met.max()]
    if has_folded:
        shares[:, ahead] = 1.0 / len(ahead)
        return shares
    wins, ties = ranks > met.max(), ranks == met.max()
    shares[:, position] = np.where(wins, 1.0, np.where(ties, 1.0 / (len(ahead) + 1), 0.0))
    shares[:, ahead] = ((1.0 - shares[:, position]) / len(ahead))[:, None]
    return shares


@functools.cache
def _strengths() -> Floats:
    """How likely each combo is to be ahead before the flop, on a scale of its own.  Shape (1326,)."""
    return preflop_equities_against_random()[STARTING_HAND_OF_COMBO] ** _SHARPNESS
