"""The bettings of an abstraction that stand for one with other raises: the pseudo-harmonic mapping.

A raise by x parts of the pot, between neighbouring sizes A and B of the abstraction, is taken for A with
chance

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x))

and for B otherwise.  f(A) = 1, f(B) = 0, f falls all the way, and it does not depend on the size of the pot.
A raise below the smallest size is taken for the smallest, one above the largest for the largest.  A raise
that the strategy could itself have made with the actual chips is taken for that raise, however its total was
rounded.

A betting with several such raises is taken for several bettings of the abstraction, each with the product of
its chances.  These bettings are parallel, since a raise is always taken for a raise.  Where a raise is taken
for all-in, the abstraction does not know what follows, and only the other bettings count.

Source: Ganzfried and Sandholm, *Action Translation in Extensive-Form Games with Large Action Spaces: Axioms,
Paradoxes, and the Pseudo-Harmonic Mapping* (2013).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from engine.poker.rules import CALL, Action, ActionKind, BettingState, initial_betting
from engine.solving.holdem.betting import Decision, HoldemBetting, raise_by

__all__ = ["Translator", "pseudo_harmonic", "stand_ins"]

_MAX_REMEMBERED: Final = 1000
"""Bettings whose translations are kept; a hand has far fewer."""
_LEAST: Final = 1e-6
"""Bettings with a smaller chance are left out."""

Places = dict[BettingState, float]
"""Bettings of the abstraction, each with its chance."""


def pseudo_harmonic(smaller: float, larger: float, size: float) -> float:
    """The chance that a raise is taken for the smaller of two sizes; all three are parts of the pot."""
    return (larger - size) * (1 + smaller) / ((larger - smaller) * (1 + size))


class Translator:
    """Finds the decisions of an abstraction that stand for a betting with any raises.

    Args:
        betting: the abstraction.
    """

    def __init__(self, betting: HoldemBetting) -> None:
        self._betting = betting
        self._known: dict[str, Places] = {}

    def decisions(self, betting: BettingState) -> list[tuple[Decision, float]]:
        """The decisions that stand for a betting, with their chances, which add up to 1.

        The list is empty where everybody is all-in as the abstraction sees it.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        known = self._betting
        if known.game.is_limit:
            return [(known.decision(betting), 1.0)]
        if betting.position_to_act is None or betting.game != known.game:
            raise ValueError(f"after {betting.text!r} nobody is to act in this game")
        if len(self._known) > _MAX_REMEMBERED:
            self._known.clear()
        found = [
            (known.decision(place), weight)
            for place, weight in self._places(betting).items()
            if place.position_to_act == betting.position_to_act
            and place.betting_round == betting.betting_round
        ]
        total = sum(weight for _, weight in found)
        return [(decision, weight / total) for decision, weight in found]

    def _places(self, betting: BettingState) -> Places:
        """The bettings of the abstraction that stand for a betting of the game."""
        if betting.last_step is None:
            return {initial_betting(self._betting.game): 1.0}
        found = self._known.get(betting.text)
        if found is None:
            before, _, action = betting.last_step
            merged: dict[str, tuple[BettingState, float]] = {}
            for place, weight in self._places(before).items():
                for after, chance in self._steps(place, before, action):
                    part = weight * chance + merged.get(after.text, (after, 0.0))[1]
                    merged[after.text] = (after, part)
            found = self._known[betting.text] = {
                after: part for after, part in merged.values() if part >= _LEAST
            }
        return found

    def _steps(
        self, place: BettingState, before: BettingState, action: Action
    ) -> Iterator[tuple[BettingState, float]]:
        """The bettings after an action, from one betting that stood for `before`; each with its chance."""
        if place.is_finished:
            return
        decision = self._betting.decision(place)
        sizes = {each: size for each, size in zip(decision.actions, decision.sizes, strict=True) if size > 0}
        for stand_in, chance in stand_ins(place, before, action, sizes):
            yield place.apply(stand_in), chance


def stand_ins(
    place: BettingState, before: BettingState, action: Action, sizes: Mapping[Action, float]
) -> Iterator[tuple[Action, float]]:
    """The actions of an abstraction that stand for an action that was taken, each with its chance.

    Args:
        place: a betting of the abstraction at which somebody is to act.
        before: the actual betting that it stands for.
        action: the action taken there.
        sizes: the raises of the abstraction at its place, each with its part of the pot.
    """
    if action.kind is not ActionKind.RAISE:
        yield action, 1.0
        return
    assert action.raise_to is not None  # the game is no-limit
    if not sizes:
        yield CALL, 1.0  # already all-in in the abstraction, though chips were left at the table
        return
    for each, size in sizes.items():
        if raise_by(before, size) == action:
            yield each, 1.0
            return
    made = before.pots_of_raise(action.raise_to)
    ladder = sorted((_pots(place, before, each, size), each) for each, size in sizes.items())
    smaller = max((rung for rung in ladder if rung[0] <= made), default=ladder[0])
    larger = min((rung for rung in ladder if rung[0] >= made), default=ladder[-1])
    if smaller[0] >= larger[0]:  # outside the range of sizes, or exactly one of them
        yield smaller[1], 1.0
        return
    chance = pseudo_harmonic(smaller[0], larger[0], made)
    yield smaller[1], chance
    yield larger[1], 1 - chance


def _pots(place: BettingState, before: BettingState, action: Action, size: float) -> float:
    """The part of the pot by which a raise of the abstraction raises; for all-in, with the actual chips."""
    if math.isinf(size):
        place, action = before, raise_by(before, size)
    assert action.raise_to is not None  # somebody has raised here
    return place.pots_of_raise(action.raise_to)
