"""The bettings of heads-up no-limit hold'em: raises of a few sizes, and what stands for others.

The first raise of a betting round is half the pot, the pot or all in, later ones the pot or all in.  An
opponent's raise is taken for that of those which stands for it with the greater chance by the pseudo-harmonic
mapping (`engine.solving.holdem.translation`).  So a betting of the game has one node of the tree, whose
contexts say what the opponent does there.  What is won and lost is counted with the chips that are there in
truth: below the node bets are the same parts of the pot that the game has by then.

What is called all in by the mapping has nothing below it.  Where chips are left in truth, calls are worth
what a showdown of all chips put in so far is worth, and nothing is raised.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.miximax import values as kernels
from engine.kernels.solving.miximax.values import Moves, Tree
from engine.poker.rules import CALL, FOLD, Action, ActionKind, BettingState, GameDefinition, initial_betting
from engine.poker.rules.action import COMMITTED
from engine.solving.holdem.betting import is_heads_up_no_limit_holdem, raise_by, raises_of
from engine.solving.holdem.translation import stand_ins
from engine.solving.miximax.betting_tree import BettingTree
from engine.solving.miximax.contexts import SIZED_LEVELS, Line, sized_action_contexts, sized_showdown_contexts

__all__ = ["LATER_SIZES", "NoLimitTree"]

_SIZES: Final = (0.5, 1.0, math.inf)
"""Of the raises there may be, parts of the pot as it is after the call: half, pot, all in."""
LATER_SIZES: Final = _SIZES[1:]
"""Of those after the first in a betting round."""
_MAX_REMEMBERED: Final = 1000
"""Bettings whose place is kept: more than there are in a hand."""


class NoLimitTree(BettingTree):
    """The bettings of a no-limit game.

    Args:
        game: no-limit hold'em for two, without antes.
        first_sizes: parts of the pot that the first raise of a round may have, some of half, pot, all in.

    Raises:
        ValueError: another game.
        TooManyBettings: there are so many chips that the tree is too large.
    """

    letters = "fchpa"
    levels = SIZED_LEVELS
    kind = "no-limit."

    def __init__(self, game: GameDefinition, first_sizes: tuple[float, ...] = _SIZES) -> None:
        self._first_sizes = first_sizes
        self._places: dict[str, tuple[BettingState, int]] = {}
        super().__init__(game)
        self._stacks = np.array(game.betting_stacks, np.float64)
        parents = np.full(len(self), -1, np.int64)
        pots = np.zeros(len(self))
        for column, move in enumerate((-1.0, 0.0, *_SIZES)):
            children = self.arrays.children[:, column]
            nodes = np.flatnonzero(children >= 0)
            parents[children[nodes]] = nodes
            pots[children[nodes]] = move
        self.moves = Moves(parents, pots, COMMITTED)

    def node(self, betting: BettingState) -> int:
        """The number of the betting that stands for one: a showdown where it is all in for the tree alone.

        Raises:
            ValueError: it is one of another game.
        """
        return self._place(betting)[1]

    def column(self, before: BettingState, action: Action) -> int:
        """Which of its columns an action in a state is; a raise may be the call that it stands for."""
        return self._column(self._place(before)[0], before, action)

    def actions_at(self, betting: BettingState) -> list[Action | None]:
        """What the columns are in a state, with the chips there are; None for what the tree does not have."""
        place = betting if betting.text in self.nodes else self._place(betting)[0]
        if place.is_finished:
            return [FOLD if FOLD in betting.legal_actions() else None, CALL, None, None, None]
        known = self._columns(place)
        if place is betting:
            return known
        legal = betting.legal_actions()
        found: list[Action | None] = [FOLD if FOLD in legal else None, CALL]
        for action, size in zip(known[2:], _SIZES, strict=True):
            found.append(raise_by(betting, size) if action is not None and legal.can_raise else None)
        return found

    def priced(self, node: int, betting: BettingState, scratch: NDArray[np.float64]) -> Tree:
        """The tree with what ends of the hand are worth after a betting whose node this is."""
        spent, amounts = scratch[:, :2], scratch[:, 2]
        spent[node] = betting.spent
        kernels.price(self.arrays, self.moves, node, self._stacks, self.unit, spent, amounts)
        return self.arrays._replace(amounts=amounts)

    # --- making it -----------------------------------------------------------------------------------------

    def _require(self, game: GameDefinition) -> None:
        if not is_heads_up_no_limit_holdem(game):
            raise ValueError("expected no-limit hold'em for two, without antes")

    def _action_contexts(self, betting: BettingState, line: Line, player: int) -> tuple[Hashable, ...]:
        columns = self._columns(betting)
        allowed = "".join(
            letter for letter, action in zip(self.letters, columns, strict=True) if action is not None
        )
        return sized_action_contexts(betting, line, player, allowed)

    def _showdown_contexts(
        self, betting: BettingState, line: Line, player: int, amount: float
    ) -> tuple[Hashable, ...]:
        return sized_showdown_contexts(line, player, amount)

    # --- what stands for what ------------------------------------------------------------------------------

    def _sizes(self, place: BettingState) -> dict[Action, float]:
        """The raises at a place, and the part of the pot of each."""
        return raises_of(place, LATER_SIZES if place.raises_in_round else self._first_sizes)

    def _columns(self, place: BettingState) -> list[Action | None]:
        """The actions of a place, by column."""
        legal = place.legal_actions()
        by_size = {size: action for action, size in self._sizes(place).items()}
        return [FOLD if FOLD in legal else None, CALL, *(by_size.get(size) for size in _SIZES)]

    def _place(self, betting: BettingState) -> tuple[BettingState, int]:
        """The betting of the tree that stands for one, and its node."""
        if betting.game != self.game:
            raise ValueError(f"{betting.text!r} is no betting of this game")
        if betting.last_step is None:
            return initial_betting(self.game), 0
        found = self._places.get(betting.text)
        if found is None:
            if len(self._places) >= _MAX_REMEMBERED:
                self._places.clear()
            before, _, action = betting.last_step
            place, node = self._place(before)
            found = place, node
            if not place.is_finished:
                column = self._column(place, before, action)
                does = self._columns(place)[column]
                assert does is not None
                found = place.apply(does), int(self.arrays.children[node, column])
            self._places[betting.text] = found
        return found

    def _column(self, place: BettingState, before: BettingState, action: Action) -> int:
        if action.kind is not ActionKind.RAISE or place.is_finished:
            return 0 if action.kind is ActionKind.FOLD else 1
        sizes = self._sizes(place)
        for does, size in reversed(sizes.items()):  # who is all in by each of two sizes is all in
            if raise_by(before, size) == action:
                return self._columns(place).index(does)
        found = max(stand_ins(place, before, action, sizes), key=lambda pair: pair[1])[0]
        return self._columns(place).index(found)
