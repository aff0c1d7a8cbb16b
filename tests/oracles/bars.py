"""How often a player folds who may fold all hands below a bar: from all that was seen, at every question.

The rule stands in ``engine.kernels.opponents.bars``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs


@attrs.frozen
class Answer:
    """A decision whether to fold."""

    fold: float
    """The chance of a fold that was predicted without bars."""
    below: Sequence[float]
    """The part of the range below each bar."""
    folded: bool
    place: int = 0
    """The round, and whether more than one bet is to call: where a bar is learnt."""
    context: int = 0


def fold_by_bars(history: Sequence[Answer], asked: Answer) -> float:
    """The chance of a fold in a decision.

    Args:
        history: the answers seen until now.
        asked: the decision; what came of it makes no difference.
    """
    offset = 0.0
    for number, seen in enumerate(history):
        if seen.context == asked.context:
            predicted = _mixed(history[:number], seen)
            moved = predicted * math.exp(offset)
            offset += 0.02 * (seen.folded - moved / (moved + 1 - predicted))
    mixed = _mixed(history, asked)
    return 1 / (1 + math.exp(-offset) * (1 - mixed) / mixed)


def _mixed(history: Sequence[Answer], asked: Answer) -> float:
    """Both predictions, by what they have earned in the place."""
    history = [seen for seen in history if seen.place == asked.place]
    odds = [-8 * (math.sqrt(bar / 16) - 0.45) ** 2 for bar in range(17)]
    for_bars = -1.0
    for seen in history:
        by_bars = _by_bars(odds, seen.fold, seen.below)
        gained = _log(by_bars, seen.folded) - _log(seen.fold, seen.folded)
        for_bars = max(-8.0, min(8.0, 0.998 * for_bars + gained))
        odds = [
            each + _log(0.9 * part + 0.1 * seen.fold, seen.folded)
            for each, part in zip(odds, seen.below, strict=True)
        ]
    weight = len(history) / (len(history) + 10) / (1 + math.exp(-for_bars))
    return weight * _by_bars(odds, asked.fold, asked.below) + (1 - weight) * asked.fold


def _by_bars(odds: Sequence[float], fold: float, below: Sequence[float]) -> float:
    """Nine folds in ten are those of the bars, each as likely as it is."""
    chances = [math.exp(each - max(odds)) for each in odds]
    mean = math.fsum(c * part for c, part in zip(chances, below, strict=True)) / math.fsum(chances)
    return 0.9 * mean + 0.1 * fold


def _log(fold: float, folded: bool) -> float:
    return math.log(max(0.01, fold if folded else 1 - fold))
