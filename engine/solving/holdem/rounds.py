"""The betting of limit hold'em round by round, for `engine.kernels.solving.chance_sampling`.

All sequences that begin a round lead to the same betting tree; only the chips differ.
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.lanes import RIVER, Kind, Place
from engine.poker.rules import BettingState, initial_betting
from engine.solving.holdem.betting import HoldemBetting
from engine.solving.sizes import actions_of

__all__ = ["RoundTree", "round_trees"]

_OPPONENTS: Final = 990
"""The number of hands an opponent may hold on a full board."""
_VECTOR: Final = 8
"""The turn's lanes are padded to a multiple of this, for whole vectors."""

_Starts = list[BettingState | None]
"""The betting in each lane; None for an empty lane."""


@attrs.frozen(eq=False)
class RoundTree:
    """The betting tree of a round as arrays."""

    places: NDArray[np.int64]
    """The places of the tree, shape (places, len(Place))."""
    chips: NDArray[np.float32]
    """Chips that change hands at each end, per possible hand of the opponent; shape (places, lanes)."""
    slots: NDArray[np.int64]
    """The slot of each action with the first bucket, shape (places - 1, lanes); -1 in an empty lane."""
    num_actions: NDArray[np.int64]
    """The distance from a bucket's slot to the next bucket's, shape (places - 1,)."""

    @property
    def lanes(self) -> int:
        """The number of lanes: sequences that begin the round, and empty lanes."""
        return int(self.chips.shape[1])


def round_trees(betting: HoldemBetting) -> tuple[RoundTree, ...]:
    """The betting trees of all rounds, preflop to river."""
    starts: _Starts = [initial_betting(betting.game)]
    trees = []
    for betting_round in range(betting.game.num_rounds):
        if betting_round == RIVER - 1:
            starts += [None] * (-len(starts) % _VECTOR)
        tree, starts = _round(betting, starts)
        trees.append(tree)
    return tuple(trees)


def _round(betting: HoldemBetting, starts: _Starts) -> tuple[RoundTree, _Starts]:
    """The tree of a round, and the bettings that begin the next one: by leaf, then by lane."""
    here = next(start.betting_round for start in starts if start is not None)
    states = [starts]
    rows: list[list[int]] = [[0] * len(Place)]
    slots: list[list[int]] = []
    num_actions: list[int] = []
    leaves: list[_Starts] = []
    for place, row in enumerate(rows):  # the list grows during the loop
        model = next(state for state in states[place] if state is not None)
        row[Place.FIRST] = len(rows)
        if model.position_to_act is None:
            row[Place.KIND] = Kind.SHOWDOWN if model.is_showdown else Kind.FOLD
            row[Place.PLAYER] = 0 if model.is_showdown else model.folded.index(True)
            continue
        if model.betting_round > here:
            row[Place.KIND], row[Place.LEAF] = Kind.NEXT, len(leaves)
            leaves.append(states[place])
            continue
        actions = list(actions_of(model))
        row[Place.KIND], row[Place.PLAYER] = Kind.DECISION, model.position_to_act
        row[Place.NUM_ACTIONS] = len(actions)
        for number, action in enumerate(actions):
            child = [0] * len(Place)
            child[Place.PARENT] = place
            rows.append(child)
            states.append([None if state is None else state.apply(action) for state in states[place]])
            slots.append(
                [
                    -1 if state is None else betting.decision(state).first_slot + number
                    for state in states[place]
                ]
            )
            num_actions.append(len(actions))
    tree = RoundTree(
        np.array(rows, np.int64),
        np.array([[_chips(state) for state in found] for found in states], np.float32),
        np.array(slots, np.int64),
        np.array(num_actions, np.int64),
    )
    return tree, [state for leaf in leaves for state in leaf]


def _chips(state: BettingState | None) -> float:
    """Chips that change hands at an end, per possible hand of the opponent; 0 elsewhere."""
    if state is None or state.position_to_act is not None:
        return 0.0
    return (state.max_spent if state.is_showdown else min(state.spent)) / _OPPONENTS
