"""The betting of heads-up hold'em that strategies know: its decisions, and the slots of their chances.

In limit games that is all betting.  In no-limit games it is a *betting abstraction*: fold, call, and raises
by a few parts of the pot, of which all-in is one.  A `Translator` finds the bettings that stand for one with
other raises, by the pseudo-harmonic mapping.

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

import functools
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Final

import attrs
import numpy as np

from engine.poker.rules import CALL, Action, ActionKind, BettingState, GameDefinition, initial_betting
from engine.solving.betting_tree import BettingTree, by_pots, raise_by
from engine.solving.walk import TooLarge, every_action
from engine.support.arrays import Floats, Ints

Menus = tuple[tuple[tuple[float, ...], ...], ...]
"""Raises as parts of the pot, infinity for all-in: by round, and by how many raises it has had; the last of
each serve for all that follow."""
MOST_DECISIONS: Final = 300_000
"""The most decisions a betting abstraction may have; making so many takes a minute."""

_MAX_REMEMBERED: Final = 1000
"""Bettings whose translations are kept; a hand has far fewer."""
_LEAST: Final = 1e-6
"""Bettings with a smaller chance are left out."""

Places = dict[BettingState, float]
"""Bettings of the abstraction, each with its chance."""


def is_heads_up_limit(game: GameDefinition) -> bool:
    """Whether a game is heads-up limit hold'em."""
    return game.is_holdem and game.is_limit and game.num_players == 2


def is_heads_up_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game is heads-up limit hold'em with stacks that no hand can use up."""
    return is_heads_up_limit(game) and max(game.max_raises) <= 8 and min(game.stacks) >= 1000 * game.big_blind


def is_heads_up_no_limit(game: GameDefinition) -> bool:
    """Whether a game is no-limit, for two players, and zero-sum: without antes and rake."""
    return not game.is_limit and game.num_players == 2 and not game.has_antes and not game.has_rake


def is_heads_up_no_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game is heads-up no-limit hold'em that can be solved on buckets and sizes of raises."""
    return game.is_holdem and is_heads_up_no_limit(game)


@attrs.frozen
class BettingDecision:
    """A decision of the betting: a public node at which somebody is to act."""

    position: int
    betting_round: int
    actions: tuple[Action, ...]
    first_slot: int
    """Its first slot.  Slots are ordered by bucket, then by action."""
    first_set: int
    """Its first information set."""
    sizes: tuple[float, ...] = ()
    """The part of the pot that each action raises by, 0 for a fold or call; empty in limit games."""

    def slots(self, bucket: int) -> slice:
        """The place of a bucket's actions in arrays by slot."""
        first = self.first_slot + bucket * len(self.actions)
        return slice(first, first + len(self.actions))

    def actions_at(self, betting: BettingState) -> tuple[Action, ...]:
        """The actions, in the same order, where this decision stands for another betting with other chips."""
        if not self.sizes:
            return self.actions
        legal = betting.legal_actions()
        return tuple(
            raise_by(betting, size) if action.kind is ActionKind.RAISE else legal.nearest(action)
            for action, size in zip(self.actions, self.sizes, strict=True)
        )


class HoldemBetting:
    """All bettings of a game that a strategy knows.

    Args:
        game: heads-up limit hold'em, or a no-limit game for two players.
        num_buckets: the number of buckets in each betting round.
        menus: the raises of a no-limit game; none in a limit game.

    Raises:
        ValueError: the game is another one, or raises are missing, not allowed or not above 0.
        TooLarge: with so many chips and sizes there are too many decisions.
    """

    def __init__(self, game: GameDefinition, num_buckets: tuple[int, ...], menus: Menus = ()) -> None:
        if not is_heads_up_limit_holdem(game) and not is_heads_up_no_limit(game):
            raise ValueError("expected limit hold'em for two, or no-limit hold'em for two without antes")
        # A part without sizes counts as one of 0.
        every = [size for menu in menus for sizes in menu or [()] for size in sizes or [0.0]]
        if bool(every) == game.is_limit or not all(size > 0 for size in every):
            raise ValueError(f"expected sizes of raises above 0, in no-limit games only, got {list(menus)}")
        self.game = game
        self.num_buckets = num_buckets
        self.menus: Menus = tuple(tuple(tuple(sorted({*sizes})) for sizes in menu) for menu in menus)
        self._sizes: dict[tuple[int, str], Ints] = {}
        self._found: dict[str, BettingDecision] = {}
        total = self._size(initial_betting(game)) if game.is_limit else self.firsts[-1]
        self.num_slots, self.num_information_sets = total.tolist()

    @functools.cached_property
    def tree(self) -> BettingTree:
        """The tree of all bettings; to play a limit game takes no more than those that occur."""
        try:
            return BettingTree(self.game, self._actions, most_decisions=MOST_DECISIONS)
        except TooLarge:
            raise TooLarge(
                f"more than {MOST_DECISIONS:,} places to act: expected fewer sizes of raises or fewer chips"
            ) from None

    @functools.cached_property
    def firsts(self) -> Ints:
        """The first slot of each node of the tree and its first information set; last how many there are."""
        return np.cumsum([(0, 0), *map(self._own, self.tree.bettings, self.tree.actions)], axis=0)

    @functools.cached_property
    def decisions(self) -> dict[str, BettingDecision]:
        """All decisions, by the text of their betting."""
        nodes = zip(self.tree.bettings, self.firsts.tolist(), strict=False)
        return {each.text: self._decision(each, first) for each, first in nodes if not each.is_finished}

    def decision(self, betting: BettingState) -> BettingDecision:
        """The decision at a betting of the abstraction.

        Raises:
            ValueError: nobody is to act, or the betting is of another game or has another raise.
        """
        if betting.is_finished or betting.game != self.game:
            raise ValueError(f"after {betting.text!r} nobody is to act in this game")
        found = self._found.get(betting.text)
        if found is None:
            first = self._before(betting) if self.game.is_limit else self.firsts[self.tree.node(betting)]
            found = self._decision(betting, first.tolist())
        return found

    def _decision(self, betting: BettingState, first: list[int]) -> BettingDecision:
        position, sized = betting.position_to_act, self._actions(betting)
        assert position is not None
        sizes = () if self.game.is_limit else tuple(sized.values())
        found = BettingDecision(position, betting.betting_round, tuple(sized), first[0], first[1], sizes)
        return self._found.setdefault(betting.text, found)

    def _before(self, betting: BettingState) -> Ints:
        """The row of `firsts` of a betting of a limit game: what comes before it in the tree."""
        found = np.zeros(2, np.int64)
        for before, _, action in betting.steps():
            actions = list(self._actions(before))
            found += self._own(before, actions)
            for elder in actions[: actions.index(action)]:
                found += self._size(before.apply(elder))
        return found

    def _own(self, betting: BettingState, actions: Collection[Action]) -> Ints:
        """The numbers of slots and information sets of one decision."""
        return self.num_buckets[betting.betting_round] * np.array([len(actions), bool(actions)])

    def _size(self, betting: BettingState) -> Ints:
        """The same of a betting of a limit game with all below it: alike wherever a round goes alike."""
        key = (betting.betting_round, betting.text.rpartition("/")[2])
        if key not in self._sizes:
            actions = {} if betting.is_finished else self._actions(betting)
            below = [self._size(betting.apply(action)) for action in actions]
            self._sizes[key] = np.sum([self._own(betting, actions), *below], axis=0)
        return self._sizes[key]

    def rows(self, decision: BettingDecision, by_slot: Floats) -> Floats:
        """The part of an array by slot that belongs to a decision, shape (buckets, actions); not a copy."""
        actions = len(decision.actions)
        end = decision.first_slot + self.num_buckets[decision.betting_round] * actions
        return by_slot[decision.first_slot : end].reshape(-1, actions)

    def by_decision(self, by_slot: Floats) -> Iterator[tuple[BettingDecision, Floats]]:
        """Each decision with its `rows`."""
        for decision in self.decisions.values():
            yield decision, self.rows(decision, by_slot)

    def _actions(self, betting: BettingState) -> dict[Action, float]:
        if self.game.is_limit:
            return every_action(betting)
        menu = self.menu_of(betting.betting_round)
        return by_pots(betting, menu[min(betting.raises_in_round, len(menu) - 1)])

    def menu_of(self, betting_round: int) -> tuple[tuple[float, ...], ...]:
        """The raises of a round of a no-limit game, by how many there were before in it."""
        return self.menus[min(betting_round, len(self.menus) - 1)]


@functools.lru_cache(maxsize=4)
def holdem_betting(game: GameDefinition, num_buckets: tuple[int, ...], menus: Menus = ()) -> HoldemBetting:
    """A `HoldemBetting`, remembered."""
    return HoldemBetting(game, num_buckets, menus)


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

    def decisions(self, betting: BettingState) -> list[tuple[BettingDecision, float]]:
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
