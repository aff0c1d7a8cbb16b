"""What a person types: a line to an intention, an intention to a legal action.

Two steps, as everywhere: `parse_line` knows the words and nothing of the hand; `action_of` knows the hand
and says in words what is not possible in it.  There is no third way to an action, so nothing that is typed
can send an illegal one.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

import attrs

from engine.poker.rules import CALL, FOLD, Action, HandView, raise_to


class Query(Enum):
    """Questions that may be asked at any time."""

    HELP = "help"
    TABLE = "table"
    ODDS = "odds"
    HISTORY = "history"
    LAST = "last"
    QUIT = "quit"
    NOTHING = "nothing"
    """An empty line."""


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


Intention = Query | Move | RaiseTo | RaiseBy | Nonsense

MAX_LINE: Final = 200
"""Characters of the longest line that is looked at."""
_MAX_DIGITS: Final = 15
_SHOWN: Final = 40
"""Longest part of a line that is quoted back."""

_WORDS: Final[dict[str, Intention]] = {
    "": Query.NOTHING,
    "?": Query.HELP, "h": Query.HELP, "help": Query.HELP,
    "t": Query.TABLE, "table": Query.TABLE,
    "o": Query.ODDS, "odds": Query.ODDS,
    "history": Query.HISTORY, "hist": Query.HISTORY,
    "last": Query.LAST,
    "q": Query.QUIT, "quit": Query.QUIT, "exit": Query.QUIT, "leave": Query.QUIT,
    "f": Move.FOLD, "fold": Move.FOLD,
    "c": Move.CALL, "call": Move.CALL, "k": Move.CALL, "check": Move.CHECK,
    "all in": Move.ALL_IN, "all-in": Move.ALL_IN, "allin": Move.ALL_IN, "a": Move.ALL_IN,
}  # fmt: skip
_RAISE: Final = re.compile(r"(?:raise|bet|r|b)(?:(?<=[rb])|(?= |$|\+))(?: ?(?P<how>.*))?", re.ASCII)
_SIZES: Final[dict[str, Move]] = {
    "": Move.RAISE, "min": Move.RAISE,
    "half": Move.RAISE_HALF, "half pot": Move.RAISE_HALF, "1/2": Move.RAISE_HALF,
    "pot": Move.RAISE_POT,
    "all in": Move.ALL_IN, "all-in": Move.ALL_IN, "allin": Move.ALL_IN, "max": Move.ALL_IN,
}  # fmt: skip
_TO: Final = re.compile(r"(?:to )?([0-9]+)", re.ASCII)
_BY: Final = re.compile(r"(?:\+ ?|by )([0-9]+)", re.ASCII)


def parse_line(text: str) -> Intention:
    """What a line means, whatever the hand.

    >>> parse_line(" Raise to 300 "), parse_line("r +200").chips, parse_line("r pot")
    (RaiseTo(total=300), 200, <Move.RAISE_POT: 'pot'>)
    """
    if len(text) > MAX_LINE:
        return Nonsense(f"A line of {len(text)} characters is more than I read.")
    words = " ".join(text.lower().split())
    known = _WORDS.get(words)
    if known is not None:
        return known
    raising = _RAISE.fullmatch(words)
    if raising is not None:
        how = (raising["how"] or "").strip()
        if how in _SIZES:
            return _SIZES[how]
        for pattern, kind in ((_TO, RaiseTo), (_BY, RaiseBy)):
            amount = pattern.fullmatch(how)
            if amount is not None:
                if len(amount[1]) > _MAX_DIGITS:
                    return Nonsense("There are not so many chips in the world.")
                return kind(int(amount[1]))
    return Nonsense(f'I do not understand "{shown(text)}".')


def shown(text: str) -> str:
    """A line somebody typed, fit to be repeated: printable ASCII, and not too much of it."""
    safe = "".join([character if " " <= character <= "~" else "." for character in text.strip()])
    return safe if len(safe) <= _SHOWN else safe[: _SHOWN - 3] + "..."


def action_of(intention: Move | RaiseTo | RaiseBy, view: HandView) -> Action | Nonsense:
    """The legal action an intention means in a hand in which its player is to act, or why there is none."""
    legal = view.legal_actions()
    if intention is Move.CALL:
        return CALL
    if intention is Move.CHECK:
        to_call = view.amount_to_call
        return CALL if to_call <= 0 else Nonsense(f"You cannot check: there are {to_call} to call (c).")
    if intention is Move.FOLD:
        if legal.can_fold:
            return FOLD
        return Nonsense("There is nothing to call: you can check (c) instead of folding.")
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
        case Move.RAISE:
            total = low
        case Move.ALL_IN:
            total = stack
        case Move.RAISE_POT:
            total = int(betting.total_of_pots(1.0))
        case Move.RAISE_HALF:
            total = int(betting.total_of_pots(0.5))
        case RaiseTo(total=to):
            total = to
        case RaiseBy(chips=chips):
            total = betting.max_spent + chips  # on top of what a call comes to
        case _:  # pragma: no cover - the other moves are not raises
            raise AssertionError(intention)
    if legal.is_limit and intention is Move.RAISE:
        return legal.raising_to()
    if low <= total <= high:
        return legal.raising_to() if legal.is_limit else raise_to(total)
    if legal.is_limit:
        return Nonsense(f"That would be a raise to {total}; in this limit game the raise is to {low}: r.")
    if low == high:
        return Nonsense(f"That would be a raise to {total}; you can only raise all in, to {high}.")
    if total < low:
        return Nonsense(f"That would be a raise to {total}; the least is to {low}.")
    return Nonsense(f"That would be a raise to {total}; the most is all in, to {high}.")
