"""How often a player folds all hands below a bar, or raises with all above: from all seen, at every question.

The rule stands in ``engine.kernels.players.bars``.
"""

import math
from collections.abc import Sequence

import attrs


@attrs.frozen
class Answer:
    """A decision whether to fold, or whether to raise."""

    chance: float
    """Of a fold or a raise, that was predicted without bars."""
    part: Sequence[float]
    """The part of the range below each bar where it is about folds, above it where about raises."""
    came: bool
    raises: bool = False
    """What it is about."""
    place: int = 0
    """The round, and how many bets are to call: where a bar is learnt."""
    context: int = 0


def by_bars(history: Sequence[Answer], asked: Answer) -> float:
    """The chance of a fold, or of a raise, in a decision.

    Args:
        history: the answers seen until now.
        asked: the decision; what came of it makes no difference.
    """
    offset = 0.0
    for number, seen in enumerate(history):
        if (seen.context, seen.raises) == (asked.context, asked.raises):
            predicted = _mixed(history[:number], seen)
            moved = predicted * math.exp(offset)
            offset += 0.02 * (seen.came - moved / (moved + 1 - predicted))
    mixed = _mixed(history, asked)
    return 1 / (1 + math.exp(-offset) * (1 - mixed) / mixed)


def _mixed(history: Sequence[Answer], asked: Answer) -> float:
    """Both predictions, by what they have earned in the place."""
    history = [seen for seen in history if (seen.place, seen.raises) == (asked.place, asked.raises)]
    usual, width = (0.75, 0.2) if asked.raises else (0.45, 0.25)
    odds = [-0.5 * ((math.sqrt(bar / 16) - usual) / width) ** 2 for bar in range(17)]
    for_bars = -1.0
    for seen in history:
        gained = _log(_by_bars(odds, seen), seen.came) - _log(seen.chance, seen.came)
        for_bars = max(-8.0, min(8.0, 0.998 * for_bars + gained))
        odds = [
            each + _log(0.9 * part + 0.1 * seen.chance, seen.came)
            for each, part in zip(odds, seen.part, strict=True)
        ]
    weight = len(history) / (len(history) + 10) / (1 + math.exp(-for_bars))
    return weight * _by_bars(odds, asked) + (1 - weight) * asked.chance


def _by_bars(odds: Sequence[float], asked: Answer) -> float:
    """Nine in ten are those of the bars, each as likely as it is."""
    chances = [math.exp(each - max(odds)) for each in odds]
    mean = math.fsum(c * part for c, part in zip(chances, asked.part, strict=True)) / math.fsum(chances)
    return 0.9 * mean + 0.1 * asked.chance


def _log(chance: float, came: bool) -> float:
    return math.log(max(0.01, chance if came else 1 - chance))
