"""Ranges of hands as people write them: ``QQ+, AJs-A9s, KQ:0.5, AhKh``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.poker.cards import NUM_RANKS, RANKS, parse_written_cards
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combo_index, parse_starting_hand
from engine.support.arrays import Bools, Floats

_HAND: Final = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)", re.IGNORECASE)
_Kind = tuple[int, int, str]
"""Both ranks, the higher first, and ``s``, ``o`` or nothing."""


def parse_range(text: str) -> Floats:
    """The weights of a range, 0 to 1, by combo; shape (1326,).

    Items stand between commas or blanks: pairs (``QQ``), suited and offsuit hands (``AKs``, ``AKo``, both:
    ``AK``), hands of four letters (``AhKh``) and ``random`` for all.  ``66+`` goes up to aces, ``A8s+`` up to
    the first rank, ``A5s-A2s``, ``QQ-77`` and ``98s-54s`` from one to the other.  A weight follows a colon.
    What is said last of a hand holds.

    Raises:
        ValueError: an item cannot be read; the message names it.
    """
    weights = np.zeros(NUM_COMBOS)
    for item in re.split(r"[\s,;]+", re.sub(r"\s*([-:])\s*", r"\1", text.strip())):
        if not item:
            continue
        hands, colon, written = item.partition(":")
        try:
            weight = float(written) if colon else 1.0
            if not 0 <= weight <= 1:
                raise ValueError
            if len(hands) == 4 and "-" not in hands and "+" not in hands:
                weights[combo_index(*parse_written_cards(hands))] = weight
                continue
            for kind in _kinds(hands):
                weights[_combos(kind)] = weight
        except ValueError:
            raise ValueError(
                f"{item!r} is no part of a range: expected hands such as QQ+, A5s-A2s, KQ or AhKh, and a "
                "weight from 0 to 1 as in AKs:0.5"
            ) from None
    return weights


def _kinds(text: str) -> Iterator[_Kind]:
    if text.lower() == "random":
        yield from ((high, low, "") for high in range(NUM_RANKS) for low in range(high + 1))
        return
    first, dash, last = text.partition("-")
    high, low, suits = _kind(first.removesuffix("+"))
    if first.endswith("+"):
        if dash:
            raise ValueError
        ends = (NUM_RANKS - 1, NUM_RANKS - 1) if high == low else (high, high - 1)
    else:
        *pair, other = _kind(last) if dash else (high, low, suits)
        if other != suits:
            raise ValueError
        ends = pair[0], pair[1]
    steps = [ends[0] - high, ends[1] - low]
    if steps[0] not in (0, steps[1]) or (high == low) != (ends[0] == ends[1]):
        raise ValueError
    count, sign = abs(steps[1]), 1 if steps[1] > 0 else -1
    for k in range(count + 1):
        yield high + (sign * k if steps[0] else 0), low + sign * k, suits


def _kind(text: str) -> _Kind:
    match = _HAND.fullmatch(text)
    if match is None:
        raise ValueError
    high, low = sorted((RANKS.index(match[1].upper()), RANKS.index(match[2].upper())), reverse=True)
    if high == low and match[3]:
        raise ValueError
    return high, low, match[3].lower()


def _combos(kind: _Kind) -> Bools:
    high, low, suits = kind
    name = RANKS[high] + RANKS[low]
    names = [name] if high == low else [name + each for each in (suits or "so")]
    found: Bools = np.isin(STARTING_HAND_OF_COMBO, [parse_starting_hand(each) for each in names])
    return found
