"""How regrets and averages are discounted from iteration to iteration.

======== =====================================================================================================
`dcfr`   discounted CFR with (3/2, 0, 2): positive regrets by t^1.5 / (t^1.5 + 1), negative ones by a half
`hs`     the same with exponents that change on the way to a number of iterations known beforehand; averages
         forget the first iterations almost wholly.  Best where the number is fixed
======== =====================================================================================================

Source: Brown and Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization* (2019);
Zhang, McAleer and Sandholm, *Faster Game Solving via Hyperparameter Schedules* (2024).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

Factors = tuple[float, float, float, float]
"""Factors of positive and negative regrets and of sums before a pass adds to them; the least regret."""
Schedule = Callable[[int, int], Factors]
"""Takes the iteration, from 0, and the number of all; returns the factors."""

_LOWEST: Final = -3e38
_FROM, _TO = 15.0, 10.0
"""The exponent of the averages of `hs` at the beginning and at the end."""


def _discounted(t: int, alpha: float, beta: float, gamma: float) -> Factors:
    if t == 0:
        return 0.0, 0.0, 0.0, _LOWEST
    return t**alpha / (t**alpha + 1), t**beta / (t**beta + 1), (t / (t + 1)) ** gamma, _LOWEST


def _dcfr(t: int, total: int) -> Factors:
    return _discounted(t, 1.5, 0.0, 2.0)


def _hs(t: int, total: int) -> Factors:
    x = t / total
    return _discounted(t, 1 + 3 * x, -1 - 2 * x, _FROM + (_TO - _FROM) * x)


SCHEDULES: Final[Mapping[str, Schedule]] = {"dcfr": _dcfr, "hs": _hs}
