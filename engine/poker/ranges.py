"""Ranges as people write them: ``AKs, JJ+, 22-66:0.5, AhKd``, with commas, semicolons or blanks between.

=================  ==============================================================================
``AhKd``           two cards
``AA, AKs, AKo``   a starting hand; ``AK`` is both, suited and offsuit
``JJ+, ATs+``      it and all better pairs; all better kickers
``22-66``          from one to another: pairs, kickers as in ``A2s-A5s``, or both as in ``98s-54s``
``random``         every hand
``...:0.5``        with this weight, from 0 to 1; what is said last of a hand counts
=================  ==============================================================================
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from engine.poker.cards import RANKS, InvalidCardError, parse_written_cards
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combo_index, parse_starting_hand
from engine.support.arrays import Bools, Floats
from engine.support.user_input import parse_finite

_EXPECTED: Final = "expected hands such as AhKd, AKs, AK, JJ+, ATs+, 22-66 or random"
_NAME: Final = re.compile(rf"([{RANKS}])([{RANKS}])([so]?)", re.IGNORECASE)


def parse_range(text: str, *, any_order: bool = False) -> Floats:
    """The weights of a range by combo, shape (1326,).

    Args:
        text: the range.
        any_order: take ``KA`` for ``AK``, as files of other programs have it.

    Raises:
        ValueError: no range, or an empty one; one line that names the part.
    """
    weights = np.zeros(NUM_COMBOS)
    for part in re.sub(r"\s*([-:])\s*", r"\1", re.sub("[,;]", " ", text)).split():
        hands, colon, weight = part.partition(":")
        value = 1.0
        if colon:
            try:
                value = parse_finite(weight)
            except ValueError:
                value = -1.0
            if not 0 <= value <= 1:
                raise ValueError(f"{part}: expected a weight from 0 to 1, got {weight or 'none'}")
        weights[_combos(hands, any_order)] = value
    if not weights.any():
        raise ValueError(f"{text.strip() or 'an empty range'}: no hand has any weight; {_EXPECTED}")
    return weights


def _combos(text: str, any_order: bool) -> Bools:
    """The combos of one part of a range."""
    if text.lower() in ("random", "any"):
        return np.ones(NUM_COMBOS, np.bool_)
    first, dash, last = text.rstrip("+").partition("-")
    low = _NAME.fullmatch(first)
    if low is None:
        return _two_cards(text)
    high = _NAME.fullmatch(last) if dash else None
    if dash and (high is None or text.endswith("+")):
        raise ValueError(f"{text}: {_EXPECTED}")
    one, kicker, kind = _hand(low, any_order)
    is_pair = one == kicker
    steps, end = int(is_pair), kicker
    if high is not None:
        other, end, other_kind = _hand(high, any_order)
        steps = int(other != one)  # of the higher rank, for each of the lower
        if other_kind != kind or (other == end) != is_pair or other - one != steps * (end - kicker):
            raise ValueError(f"{text}: expected two pairs, or two hands that differ by the kicker: A2s-A5s")
    elif text.endswith("+"):
        end = len(RANKS) - 1 if is_pair else one - 1
    names = [
        f"{RANKS[one + steps * (at - kicker)]}{RANKS[at]}{suits}"
        for at in range(min(kicker, end), max(kicker, end) + 1)
        for suits in ([""] if is_pair else [kind] if kind else ["s", "o"])
    ]
    return np.isin(STARTING_HAND_OF_COMBO, [parse_starting_hand(name) for name in names])


def _hand(match: re.Match[str], any_order: bool) -> tuple[int, int, str]:
    """Both ranks, the higher one first, and ``s``, ``o`` or nothing."""
    high, low = (RANKS.index(match[number].upper()) for number in (1, 2))
    kind = match[3].lower()
    if any_order:
        high, low = max(high, low), min(high, low)
    if high < low:
        raise ValueError(f"{match[0]}: expected the higher rank first: {RANKS[low]}{RANKS[high]}{kind}")
    if high == low and kind:
        raise ValueError(f"{match[0]}: a pair is neither suited nor offsuit: {RANKS[high] * 2}")
    return high, low, kind


def _two_cards(text: str) -> Bools:
    try:
        cards = parse_written_cards(text)
    except InvalidCardError as error:
        raise ValueError(f"{text}: {error}" if "twice" in str(error) else f"{text}: {_EXPECTED}") from None
    if len(cards) != 2:
        raise ValueError(f"{text}: {_EXPECTED}")
    found: Bools = np.zeros(NUM_COMBOS, np.bool_)
    found[combo_index(*cards)] = True
    return found
