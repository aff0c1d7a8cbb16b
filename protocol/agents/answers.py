"""What an agent may answer: ``{"do": "raise", "to": 900}``, read in one of two ways.

``strict`` plays only what is legal as it is written.  ``clamp`` plays what the dealer itself would
(`LegalActions.nearest`, and a check for a fold with nothing to call), and understands ``"All-in"``,
``"300"`` and ``300.0``.  Both say what was illegal, so that it can be counted.

``to`` is for ``bet`` and ``raise``, which mean the same; elsewhere it is not looked at.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, NoReturn

import attrs

from engine.poker.rules import CALL, FOLD, Action, ActionKind, HandView
from engine.poker.rules.intentions import Move, Nonsense, RaiseTo, action_of as meant_by
from engine.support.user_input import quoted
from protocol.agents.observation import Schema

Reading = Literal["strict", "clamp"]
READINGS: Final[tuple[Reading, ...]] = ("strict", "clamp")

MOST_BYTES: Final = 16 * 1024
"""Of a message's JSON."""
_DEEPEST: Final = 64
# Lists and objects in one another; whoever walks through a message need not count.
_MOST: Final = 2**31 - 1
_MOVES: Final = {
    "fold": Move.FOLD, "check": Move.CHECK, "call": Move.CALL, "bet": Move.RAISE, "raise": Move.RAISE,
    "all_in": Move.ALL_IN,
}  # fmt: skip
_SIZED: Final = ("bet", "raise")

DO: Final[Schema] = {"enum": list(_MOVES), "description": "bet and raise mean the same"}
_TOTAL: Final = "for bet and raise: the total chips you will have put in during this hand"
TO: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": _MOST, "description": _TOTAL}


class BadFormat(ValueError):
    """An answer that is not JSON, or lacks a member, has one too many, or one of a wrong type."""


class Illegal(ValueError):
    """An answer that is not legal in the hand; the message is a sentence to the player."""


@attrs.frozen
class Answer:
    """A legal action, and what was written."""

    action: Action
    illegal: str = ""
    """Why what was written is not legal, in a sentence; empty if the action is just what was written."""


def parse_json(text: str | bytes, most: int = MOST_BYTES, *, any_text: bool = False) -> Any:
    """A message's JSON value.

    Args:
        text: the message.
        most: bytes that it may have.
        any_text: take half characters, too.

    Raises:
        BadFormat: it is not JSON, or too large, or has numbers or characters that JSON has not.
    """
    if len(text) > most:
        raise BadFormat(f"expected at most {most} bytes, got {len(text)}")
    try:
        value = json.loads(text, parse_constant=_no_number)
        level = [value]
        for _ in range(_DEEPEST):
            level = [inner for each in level for inner in _inside(each)]
        if level:
            raise ValueError(f"nested more than {_DEEPEST} deep")
        if not any_text:
            json.dumps(value, ensure_ascii=False).encode()  # lone surrogates are no characters
    except (ValueError, RecursionError) as error:  # a 5,000-digit number is a ValueError, too
        raise BadFormat(f"not JSON: {quoted(str(error))}") from None
    return value


def _inside(value: Any) -> Collection[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def answer_of(message: object, view: HandView, reading: Reading = "strict") -> Answer:
    """The legal action that an answer means, in a hand in which its player is to act.

    Args:
        message: the answer, parsed; any value.
        view: of the player.
        reading: how it is read.

    Raises:
        BadFormat: it is no answer.
        Illegal: strict reading, and not legal as it is written.
    """
    do, to = _members(message, is_lenient=reading == "clamp")
    if do in _SIZED and to is None and not view.game.is_limit:
        raise BadFormat(f"expected to, the total of the {do}")
    if reading == "clamp" and to is not None:
        to = min(max(to, -_MOST), _MOST)
    intention = RaiseTo(to) if do in _SIZED and to is not None else _MOVES[do]
    meant = meant_by(intention, view)
    if not isinstance(meant, Nonsense):
        return Answer(meant)
    if reading == "strict":
        raise Illegal(meant.text)
    return Answer(_nearest(do, to, view), meant.text)


def _members(message: object, *, is_lenient: bool) -> tuple[str, int | None]:
    if not isinstance(message, Mapping):
        raise BadFormat(f'expected an object such as {{"do": "call"}}, got {quoted(str(message))}')
    unknown = [str(name) for name in message if name not in ("do", "to")]
    if unknown:
        raise BadFormat(f"expected do and to, got {quoted(unknown[0])}")
    do, to = message.get("do"), message.get("to")
    if is_lenient and isinstance(do, str):
        do = do.strip().lower().replace("-", "_").replace(" ", "_")
        do = "all_in" if do == "allin" else do
    if not isinstance(do, str) or do not in _MOVES:
        raise BadFormat(f"expected do to be one of {', '.join(_MOVES)}, got {quoted(str(do))}")
    if is_lenient:
        to = _leniently(to)
    elif "to" in message and (type(to) is not int or not 0 <= to <= _MOST):
        raise BadFormat(f"expected to to be a whole number from 0 to {_MOST}, got {quoted(repr(to))}")
    return do, to


def _leniently(to: object) -> int | None:
    """A total however it is written; None for none."""
    if to is None or type(to) is int:
        return to
    try:
        number = float(to) if isinstance(to, str | float) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadFormat(f"expected to to be a number, got {quoted(repr(to))}")
    return int(number)


def _nearest(do: str, to: int | None, view: HandView) -> Action:
    """The action that the dealer would play for something that is not legal."""
    legal = view.legal_actions()
    if do in ("fold", "check", "call"):
        return CALL
    return legal.raising_to(legal.max_raise_to if do == "all_in" else to)


def default_action(view: HandView) -> Action:
    """The action for somebody who does not answer: a check, or a fold if there is something to call."""
    return FOLD if view.legal_actions().can_fold else CALL


def as_answer(action: Action) -> dict[str, Any]:
    """A legal action as an answer."""
    if action.kind is ActionKind.RAISE:
        return {"do": "raise"} if action.raise_to is None else {"do": "raise", "to": action.raise_to}
    return {"do": "fold" if action == FOLD else "call"}
