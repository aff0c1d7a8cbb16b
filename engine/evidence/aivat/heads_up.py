"""AIVAT for hold'em of two players, from what they have told of their strategies.

If the strategies of some players in a hand are known, their cards are replaced by all the cards that they
could hold, weighted by the probabilities with which they would have come here; only the others' cards count.

* The payoff at the end of the hand is a mean over those cards (imaginary observations).
* A known player's action is compared with what it does on average: with the values v of all its actions the
  correction is  sum of P(b) v(b) over b, less v of its action.
* The change that cards cause is compared with its expectation.

Every correction has mean zero, whatever v.  So v may be anything that is linear in coefficients, and the
coefficients that leave the least variance can be found by least squares, from earlier deals only
(`engine.evidence.control_variates`).  This module sums up the terms that the coefficients multiply.  Actions
that end a hand have their payoff as value; others a share of the pot (the equity of what both may hold) and
some public facts.  Cards have the change in equity that they cause, times the pot.

`Ranges` are weights: those of a known player are the probabilities with which it would have come here with
each combo; an unknown player holds one combo for certain.  Equities are exact at every moment, so the
expectation before cards is the mean of the equities after them.

Source: Burch et al., AIVAT (2018); v by least squares as in M. White and M. Bowling, "Learning a Value
Analysis Tool for Agent Evaluation" (MIVAT, 2009).
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import attrs
import numpy as np

from engine.evidence.aivat.policy import Policy, PolicyError, surpluses
from engine.evidence.pair_equities import pair_equities
from engine.hands.equity import all_hand_equities
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, NUM_COMBOS, combo_cards, combo_index, combos_without
from engine.poker.rules import Action, ActionKind, BettingState, GameDefinition, HandState, initial_betting
from engine.support.arrays import Floats, read_only

_ROUNDS: Final = 4
_KINDS: Final = 3  # calls that end a round, calls that do not, raises
_PER_CHILD: Final = 4
_ENDS: Final = 0
_CARDS: Final = _ENDS + _ROUNDS
_ACTIONS: Final = _CARDS + 2 * _ROUNDS
NUM_TERMS: Final = _ACTIONS + 2 * _ROUNDS * _KINDS * _PER_CHILD
"""The number of coefficients of v."""


def _prior() -> Floats:
    prior = np.zeros(NUM_TERMS)
    prior[_ENDS:_CARDS] = 1.0
    prior[_CARDS:_ACTIONS:2] = 1.0
    prior[_ACTIONS::_PER_CHILD] = 1.0
    return read_only(prior)


PRIOR: Final = _prior()
"""The coefficients before anything has been seen: every history is worth what it would pay if nobody bet any
more.  Shape (NUM_TERMS,)."""


@attrs.frozen(eq=False)
class Terms:
    """One hand as position 0 sees it."""

    chips: float
    """The mean of what it won over all that known players could hold."""
    changes: Floats
    """By coefficient, the changes by actions and cards beyond their expectation, shape (NUM_TERMS,)."""


def terms_of(hand: HandState, policies: Mapping[str, Policy], known: Collection[int]) -> Terms:
    """The terms of a hand of hold'em for two.

    Args:
        hand: the hand at its end, with the cards of unknown players.
        policies: by the betting in which they decided, of all decisions of known players.
        known: positions whose strategies are known.

    Raises:
        PolicyError: by what a player has told, it could not have done what it did.
        ValueError: the hand is not over, or a policy is missing.
    """
    betting, game = hand.betting, hand.betting.game
    if not hand.is_finished:
        raise ValueError(f"AIVAT is of hands that are over; after {betting.text!r} it is not")
    cards = hand.deal.hole_cards
    ranges = Ranges([None if position in known else cards[position] for position in (0, 1)])
    changes = np.zeros(NUM_TERMS)
    if len(known) < 2:
        _add_cards(changes, game, 0, initial_betting(game).pot, ranges.share() - 0.5)
    for before, position, action in betting.steps():
        board = hand.deal.board[: before.num_board_cards]
        if len(board) > len(ranges.board):
            expected = ranges.share()
            ranges.deal(board)
            _add_cards(changes, game, before.betting_round, before.pot, ranges.share() - expected)
        if position in known:
            policy = policies.get(before.text)
            if policy is None:
                raise ValueError(f"nothing is known of the decision after {before.text!r}")
            _add_action(changes, before, action, policy, ranges)
            ranges.act(position, policy.chances(action))
    # There is also a mean over the cards that came when nobody could act any more.
    return Terms(_payoff(betting, ranges.share()) if betting.is_showdown else _paid(betting), changes)


def _paid(betting: BettingState) -> float:
    """Position 0's winnings if somebody has folded."""
    put_in = betting.spent[0] + betting.game.antes_posted[0]
    return float(-put_in if betting.folded[0] else betting.pot - put_in)


def _payoff(betting: BettingState, share: float) -> float:
    """Position 0's mean winnings at a showdown with a share of the pot."""
    game, spent = betting.game, betting.spent
    antes = game.antes_posted
    if game.has_equal_antes:
        return min(spent[0] + antes[0], spent[1] + antes[1]) * (2 * share - 1)
    return min(spent) * (2 * share - 1) + share * sum(antes) - antes[0]


def _add_cards(changes: Floats, game: GameDefinition, betting_round: int, pot: int, change: float) -> None:
    """Add the terms of cards that changed position 0's share of the pot by `change`."""
    place = _CARDS + 2 * betting_round
    changes[place] += pot * change
    changes[place + 1] += game.big_blind * change


def _add_action(
    changes: Floats, before: BettingState, action: Action, policy: Policy, ranges: Ranges
) -> None:
    """Add the terms of a known player's action, compared with what it does on average."""
    position = before.position_to_act
    assert position is not None  # somebody has acted
    met = ranges.against(1 - position)
    reach = ranges.weights[position] * met.weight
    by_action = reach @ policy.triples
    won = (reach * met.equity) @ policy.triples
    for other, column, surplus in surpluses(before, action, by_action):
        share = float(won[column] / by_action[column])
        _add_child(changes, before, other, share if position == 0 else 1.0 - share, surplus)


def _add_child(changes: Floats, before: BettingState, action: Action, share: float, surplus: float) -> None:
    """Add the terms of an action taken `surplus` more than on average; `share` is position 0's after it."""
    after, position = before.apply(action), before.position_to_act
    if after.is_finished:
        value = _payoff(after, share) if after.is_showdown else _paid(after)
        changes[_ENDS + before.betting_round] += surplus * value
        return
    kind = 2 if action.kind is ActionKind.RAISE else int(after.betting_round == before.betting_round)
    place = _ACTIONS + _PER_CHILD * (_KINDS * (_ROUNDS * (position or 0) + before.betting_round) + kind)
    pot, lead = after.pot, 2 * share - 1
    changes[place] += surplus * (share * pot - after.spent[0] - before.game.antes_posted[0])
    changes[place + 1] += surplus * before.game.big_blind
    changes[place + 2] += surplus * pot
    changes[place + 3] += surplus * pot * lead


# --- ranges -----------------------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class Against:
    """An opponent's range as each combo meets it.  Arrays of shape (1326,)."""

    weight: Floats
    """The opponent's weight on hands that share no card with it; 0 for combos that share one with the
    board."""
    equity: Floats
    """Its share of the pot at the showdown if nobody bets any more, with ties as half; 0 if it meets no
    hand."""


def against(weights: Floats, board: tuple[int, ...]) -> Against:
    """What each combo meets in an opponent's range, exact.

    Args:
        weights: the opponent's, shape (1326,), some of them positive on hands without the board's cards.
        board: 0, 3, 4 or 5 cards.
    """
    free = combos_without(board)
    live = np.where(free, weights, 0.0)
    by_card = np.bincount(COMBO_HIGH, live, 52) + np.bincount(COMBO_LOW, live, 52)
    met = live.sum() - by_card[COMBO_HIGH] - by_card[COMBO_LOW] + live
    # What rounding leaves of a sum is not a weight.
    met = np.where(free & (met > 1e-12 * live.sum()), met, 0.0)
    if board:
        equity = np.nan_to_num(all_hand_equities(board, live))
    else:
        won = _preflop_points() @ live
        equity = np.divide(won, met, out=np.zeros(NUM_COMBOS), where=met > 0)
    return Against(met, np.where(met > 0, equity, 0.0))


@functools.cache
def _preflop_points() -> Floats:
    """The equity of each combo against each other, 0 for those that share a card.  Shape (1326, 1326)."""
    disjoint = np.array([combos_without(combo_cards(combo)) for combo in range(NUM_COMBOS)])
    points = np.zeros(disjoint.shape)
    points[disjoint] = pair_equities(*np.nonzero(disjoint))
    return points


class Ranges:
    """The ranges of both players as a hand goes on.

    Args:
        hole_cards: by position; None for a known player.
    """

    def __init__(self, hole_cards: Sequence[tuple[int, ...] | None]) -> None:
        self.board: tuple[int, ...] = ()
        self.weights = [_certain(cards) for cards in hole_cards]
        """By position, shape (1326,) each."""
        self._against: list[Against | None] = [None, None]

    def against(self, position: int) -> Against:
        """The range of the player in a position as each combo meets it."""
        found = self._against[position]
        if found is None:
            found = self._against[position] = against(self.weights[position], self.board)
        return found

    def deal(self, board: tuple[int, ...]) -> None:
        """Set the board after more cards."""
        self.board = board
        self._against = [None, None]

    def act(self, position: int, chances: Floats) -> None:
        """Update the range of a position by an action that it takes with these probabilities, shape (1326,).

        Raises:
            PolicyError: it never takes this action with any hand that it may hold.
        """
        weights = self.weights[position] * chances * combos_without(self.board)
        greatest = float(weights.max())
        if not greatest > 0:
            raise PolicyError("a player has done what it has told that it never does")
        self.weights[position] = weights / greatest
        self._against[position] = None

    def share(self) -> float:
        """Position 0's share of the pot on average if nobody bets any more.

        Raises:
            PolicyError: there are no two hands that the players can hold together.
        """
        # Either side's view gives it; the one already computed costs nothing.
        viewer = 1 if self._against[0] is not None else 0
        met = self.against(1 - viewer)
        reach = self.weights[viewer] * met.weight
        total = float(reach.sum())
        if not total > 0:
            raise PolicyError("by what players have told they hold no hands that can be held together")
        share = float(reach @ met.equity) / total
        return share if viewer == 0 else 1.0 - share


def _certain(cards: tuple[int, ...] | None) -> Floats:
    weights = np.ones(NUM_COMBOS) if cards is None else np.zeros(NUM_COMBOS)
    if cards is not None:
        weights[combo_index(*cards)] = 1.0
    return weights
