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

Source: Burch et al., AIVAT (2018); v by least squares as in M. White and M. Bowling, "Learning a Value
Analysis Tool for Agent Evaluation" (MIVAT, 2009).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.aivat.policy import Policy
from engine.evidence.aivat.ranges import PolicyError, Ranges
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.records import USUAL_NO_LIMIT_BET
from engine.poker.rules import (
    CALL,
    FOLD,
    Action,
    ActionKind,
    BettingState,
    GameDefinition,
    HandState,
    initial_betting,
)

__all__ = ["NUM_TERMS", "PRIOR", "PolicyError", "Terms", "terms_of"]

Floats = NDArray[np.float64]

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
    prior.flags.writeable = False
    return prior


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
    """What position 0 wins if somebody has folded."""
    put_in = betting.spent[0] + betting.game.antes_posted[0]
    return float(-put_in if betting.folded[0] else betting.pot - put_in)


def _payoff(betting: BettingState, share: float) -> float:
    """What position 0 wins on average at a showdown with a share of the pot."""
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
    total = float(by_action.sum())
    done = TRIPLE_INDEX[action.kind]
    if not by_action[done] > 1e-12 * total:
        raise PolicyError(f"{action} after {before.text!r}: its player has told that it never does that")
    for other in _usual_actions(before):
        index = TRIPLE_INDEX[other.kind]
        surplus = float(index == done) - float(by_action[index]) / total
        if surplus != 0.0 and by_action[index] > 0.0:
            share = float(won[index] / by_action[index])
            _add_child(changes, before, other, share if position == 0 else 1.0 - share, surplus)


def _usual_actions(betting: BettingState) -> list[Action]:
    """The legal actions, with a raise of the usual size."""
    legal = betting.legal_actions()
    actions = [FOLD] if legal.can_fold else []
    actions.append(CALL)
    if legal.can_raise:
        actions.append(legal.raising_to() if legal.is_limit else betting.raise_of_pots(USUAL_NO_LIMIT_BET))
    return actions


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
