"""Actions as clients write them, read as leniently as the ACPC dealer does (docs/acpc-dealer.md 5.6)."""

from __future__ import annotations

import re
from typing import Final

from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, InvalidActionError, raise_to
from engine.poker.rules.game_file import read_digits, wrap_int32

_SIZE: Final = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")


class MissingSizeError(InvalidActionError):
    """A no-limit raise without a readable number."""


def read_action(text: str, start: int, is_limit: bool) -> tuple[Action, int]:
    """The action that begins at ``text[start]``, and where it ends; anything after it is ignored.

    Letters may be in either case, ``k`` is a call and ``b`` a raise.  Sizes wrap at 32 bits as they do in
    the ACPC dealer; a size in a limit game is not read.

    Raises:
        MissingSizeError: a no-limit raise without a number.
        InvalidActionError: no action begins with that letter.
    """
    letter = text[start : start + 1].lower()
    if letter in ("c", "k"):
        return CALL, start + 1
    if letter == "f":
        return FOLD, start + 1
    if letter in ("r", "b"):
        if is_limit:
            return LIMIT_RAISE, start + 1
        size = _SIZE.match(text, start + 1)
        if size is None:
            raise MissingSizeError(f"{text[start:]!r} is a no-limit raise without its size, such as r300")
        return raise_to(wrap_int32(read_digits(size.group(1)))), size.end()
    raise InvalidActionError(f"{text[start:]!r} is not an action: expected f, c or r")
