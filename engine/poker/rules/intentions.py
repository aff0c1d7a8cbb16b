"""What a player means to do, and the legal action that it comes to: the same for people and for programs.

An intention is said without knowing the hand: "raise by 200", "all in".  `action_of` knows the hand, and says
in a sentence to the player what is not possible in it.
"""

from __future__ import annotations

from enum import Enum

import attrs

from engine.poker.rules.action import CALL, FOLD, Action, raise_to
from engine.poker.rules.hand_state import HandView


class Move(Enum):
    """Actions that need no amount."""

    FOLD = "fold"
    CALL = "call"
    """A call, or a check where there is nothing to call."""
    CHECK = "check"
    """A check and nothing else: the word is too plain to cost chips."""
    RAISE = "raise"
    """The smallest raise."""
    RAISE_HALF = "half"
    RAISE_POT = "pot"
    ALL_IN = "all in"


@attrs.frozen
class RaiseTo:
    """A raise to a total, as the game counts: all chips put in during the hand."""

    total: int


@attrs.frozen
class RaiseBy:
    """A raise by a number of chips on top of the call."""

    chips: int


@attrs.frozen
class Nonsense:
    """Not understood, or not possible now: `text` says why, in a sentence."""

    text: str


def action_of(intention: Move | RaiseTo | RaiseBy, view: HandView) -> Action | Nonsense:
    """The legal action an intention means in a hand in which its player is to act, or why there is none."""
    legal = view.legal_actions()
    if intention is Move.CALL:
        return CALL
    if intention is Move.CHECK:
        to_call = view.amount_to_call
        return CALL if to_call <= 0 else Nonsense(f"You cannot check: there are {to_call} to call.")
    if intention is Move.FOLD:
        if legal.can_fold:
            return FOLD
        return Nonsense("There is nothing to call: you can check instead of folding.")
    return _raise_of(intention, view)


def _raise_of(intention: Move | RaiseTo | RaiseBy, view: HandView) -> Action | Nonsense:
    legal, betting = view.legal_actions(), view.betting
    low, high = legal.min_raise_to, legal.max_raise_to
    stack = betting.game.betting_stacks[view.position]
    if intention is Move.ALL_IN and betting.max_spent >= stack:
        return CALL  # calling takes the last chip
    if low is None or high is None:
        return Nonsense(legal.why_no_raise)
    match intention:
        case RaiseTo(total=to):
            total = to
        case RaiseBy(chips=chips):
            total = betting.max_spent + chips  # on top of what a call comes to
        case Move.RAISE:
            return legal.raising_to()
        case Move.ALL_IN:
            total = stack
        case _:
            total = int(betting.total_of_pots(0.5 if intention is Move.RAISE_HALF else 1.0))
    if low <= total <= high:
        return legal.raising_to() if legal.is_limit else raise_to(total)
    if legal.is_limit:
        return Nonsense(f"That would be a raise to {total}; in this limit game the raise is to {low}.")
    if low == high:
        return Nonsense(f"That would be a raise to {total}; you can only raise all in, to {high}.")
    if total < low:
        return Nonsense(f"That would be a raise to {total}; the least is to {low}.")
    return Nonsense(f"That would be a raise to {total}; the most is all in, to {high}.")
