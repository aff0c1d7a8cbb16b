"""Which bettings of an abstraction stand for one with other raises: the pseudo-harmonic mapping.

A raise by x parts of the pot, between sizes A and B that the abstraction has, stands for A with the chance

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x))

and for B with the rest.  f(A) = 1, f(B) = 0, it falls all the way, and does not depend on the size of the
pot.  Below the smallest raise it is the smallest, above the largest the largest.  A raise that the strategy
could itself have made with the chips there are is that raise, however its total was rounded.

A betting with several such raises stands for several bettings of the abstraction, each with the product of
its chances; the bettings are parallel, since a raise always stands for a raise.  Where a raise stands for all
in, what follows it is not known to the abstraction, and only the other bettings count.

Source: Ganzfried and Sandholm, *Action Translation in Extensive-Form Games with Large Action Spaces: Axioms,
Paradoxes, and the Pseudo-Harmonic Mapping* (2013).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from engine.equilibrium.holdem.betting import Decision, HoldemBetting, raise_by
from engine.rules import CALL, Action, ActionKind, BettingState, initial_betting

__all__ = ["Translator", "pseudo_harmonic", "stand_ins"]

_MAX_REMEMBERED: Final = 1000
"""Bettings whose translation is kept: more than there are in a hand."""
_LEAST: Final = 1e-6
"""Less likely bettings are left out."""

Places = dict[BettingState, float]
"""Bettings of the abstraction, and how much each counts."""


def pseudo_harmonic(smaller: float, larger: float, size: float) -> float:
    """The chance that a raise stands for the smaller of two sizes; all are parts of the pot."""
    return (larger - size) * (1 + smaller) / ((larger - smaller) * (1 + size))


class Translator:
    """Finds decisions of an abstraction for all bettings there are.

    Args:
        betting: the abstraction.
    """

    def __init__(self, betting: HoldemBetting) -> None:
        self._betting = betting
        self._known: dict[str, Places] = {}

    def decisions(self, betting: BettingState) -> list[tuple[Decision, float]]:
        """The decisions that stand for a betting, and their chances, which add up to one.

        None at all where the abstraction holds that everybody is all in.

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
        """The abstraction's bettings for one of the game's."""
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
        """What an action leads to from one of the bettings that stood for `before`."""
        if place.is_finished:
            return
        decision = self._betting.decision(place)
        sizes = {each: size for each, size in zip(decision.actions, decision.sizes, strict=True) if size > 0}
        for stand_in, chance in stand_ins(place, before, action, sizes):
            yield place.apply(stand_in), chance


def stand_ins(
    place: BettingState, before: BettingState, action: Action, sizes: Mapping[Action, float]
) -> Iterator[tuple[Action, float]]:
    """Which actions of an abstraction stand for one that was taken, with the chance of each.

    Args:
        place: a betting of the abstraction, where somebody is to act.
        before: the betting that it stands for.
        action: what was done there.
        sizes: the raises that the abstraction has at its place, and the part of the pot of each.
    """
    if action.kind is not ActionKind.RAISE:
        yield action, 1.0
        return
    assert action.raise_to is not None  # of a no-limit game
    if not sizes:
        yield CALL, 1.0  # all in before, where there were chips left in truth
        return
    for each, size in sizes.items():
        if raise_by(before, size) == action:
            yield each, 1.0
            return
    made = before.pots_of_raise(action.raise_to)
    ladder = sorted((_pots(place, before, each, size), each) for each, size in sizes.items())
    smaller = max((rung for rung in ladder if rung[0] <= made), default=ladder[0])
    larger = min((rung for rung in ladder if rung[0] >= made), default=ladder[-1])
    if smaller[0] >= larger[0]:  # beyond them all, or just one of them
        yield smaller[1], 1.0
        return
    chance = pseudo_harmonic(smaller[0], larger[0], made)
    yield smaller[1], chance
    yield larger[1], 1 - chance


def _pots(place: BettingState, before: BettingState, action: Action, size: float) -> float:
    """The part of the pot by which a raise of the abstraction raises; all in, what there is in truth."""
    if math.isinf(size):
        place, action = before, raise_by(before, size)
    assert action.raise_to is not None  # somebody has raised here
    return place.pots_of_raise(action.raise_to)
