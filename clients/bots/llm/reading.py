"""Finds the answer in a completion: one call of the tool, or JSON in the text."""

from __future__ import annotations

import contextlib
import json
from typing import Any, Final

from engine.support.user_input import quoted
from protocol.agents.answers import BadFormat, Reading, parse_json

_MOST_TEXT: Final = 16 * 1024
"""How much of a text's end is searched."""


def answer_in(reply: Any, reading: Reading, *, tools: bool) -> Any:
    """The answer in a completion, parsed; what it says is checked elsewhere.

    Args:
        reply: the endpoint's JSON, which has choices.
        reading: strict takes exactly one tool call, clamp the last.
        tools: whether answers are tool calls.

    Raises:
        BadFormat: there is none.
    """
    choice = reply["choices"][0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise BadFormat("The reply has no message.")
    if choice.get("finish_reason") == "length":
        raise BadFormat("The reply was cut off: be shorter.")
    if not tools:
        return _last_object(message.get("content"))
    found = message.get("tool_calls")
    found = found if isinstance(found, list) else []
    calls = [each.get("function") for each in found if isinstance(each, dict)]
    ours = [each for each in calls if isinstance(each, dict) and each.get("name") == "act"]
    if not ours:
        raise BadFormat("Answer with one call of act, not with text.")
    if reading == "strict" and len(calls) != 1:
        raise BadFormat(f"Answer with one call of act, not with {len(calls)} calls.")
    arguments = ours[-1].get("arguments")
    if not isinstance(arguments, str):
        raise BadFormat(f"expected arguments of act to be JSON, got {quoted(repr(arguments))}")
    return parse_json(arguments)


def _last_object(text: object) -> Any:
    """The last JSON object with ``do`` in a text."""
    if isinstance(text, str):
        end = text[-_MOST_TEXT:]
        start = end.rfind("{")
        while start >= 0:
            with contextlib.suppress(ValueError, RecursionError):  # a brace of prose
                found, length = json.JSONDecoder().raw_decode(end[start:])
                if isinstance(found, dict) and "do" in found:
                    return parse_json(end[start : start + length])
            start = end.rfind("{", 0, start)
    raise BadFormat('Answer with one JSON object such as {"do": "call"}.')
