"""All bettings of heads-up limit hold'em as arrays, and the contexts that each of them belongs to.

What an opponent does is counted in contexts of several levels: the exact betting; who raised how often in
which round; coarser kinds of situations.  The finer is drawn towards the coarser as long as little has been
seen, which Billings and others call the abstraction chain.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import Final

import numpy as np

from engine.kernels.miximax.values import Kind, Tree
from engine.rules import CALL, FOLD, LIMIT_RAISE, Action, BettingState, GameDefinition, initial_betting

__all__ = ["ACTIONS", "LEVELS", "BettingTree", "TooManyBettings", "betting_tree", "is_heads_up_limit"]

ACTIONS: Final[tuple[Action, ...]] = (FOLD, CALL, LIMIT_RAISE)
"""In the order of a triple."""
_COLUMN: Final = {action.kind: column for column, action in enumerate(ACTIONS)}
LEVELS: Final = 5
"""Of contexts, the exact betting among them."""
_MOST_NODES: Final = 40_000
"""Heads-up limit hold'em has 16,584; each raise more in every round makes it some five times as many."""
_PREFLOP: Final = 0

_Raises = tuple[tuple[int, int], ...]
"""By betting round: how often each position raised."""


class TooManyBettings(ValueError):
    """A game whose bettings are too many to look at each before every action."""


def is_heads_up_limit(game: GameDefinition) -> bool:
    """Whether a game is limit hold'em for two."""
    return game.is_holdem and game.is_limit and game.num_players == 2


class BettingTree:
    """The bettings of a game.

    Args:
        game: limit hold'em for two.

    Raises:
        ValueError: another game.
        TooManyBettings: it allows so many raises that the tree is too large.
    """

    def __init__(self, game: GameDefinition) -> None:
        if not is_heads_up_limit(game):
            raise ValueError("expected limit hold'em for two")
        self.game = game
        self.nodes: dict[str, int] = {}
        """By the betting's text."""
        self.contexts: dict[str, int] = {}
        """The number of each context, by its name."""
        self.num_actions = len(ACTIONS)
        """Columns of what is counted."""
        self._unit = float(game.raise_sizes[0])
        self._rows: list[tuple[int, int, int, float]] = []
        self._children: list[list[int]] = []
        self._ends: list[int] = []
        self._contexts: tuple[list[list[int]], list[list[int]]] = ([], [])
        self._add(initial_betting(game), ((0, 0),) * game.num_rounds)
        columns = list(zip(*self._rows, strict=True))
        self.arrays = Tree(
            kinds=np.array(columns[0], np.int64),
            players=np.array(columns[1], np.int64),
            rounds=np.array(columns[2], np.int64),
            children=np.array(self._children, np.int64),
            amounts=np.array(columns[3], np.float64),
            ends=np.array(self._ends, np.int64),
            contexts=np.array(self._contexts[0], np.int64),
            contexts_of_other=np.array(self._contexts[1], np.int64),
        )

    def __len__(self) -> int:
        return len(self._rows)

    def node(self, betting: BettingState) -> int:
        """The number of a betting.

        Raises:
            ValueError: it is one of another game.
        """
        node = self.nodes.get(betting.text)
        if node is None or betting.game != self.game:
            raise ValueError(f"{betting.text!r} is no betting of this game")
        return node

    def column(self, before: BettingState, action: Action) -> int:
        """Which of its columns an action in a state is."""
        return _COLUMN[action.kind]

    def actions_at(self, betting: BettingState) -> list[Action | None]:
        """What the columns are in a state; None for what is not allowed there."""
        legal = betting.legal_actions()
        return [action if action in legal else None for action in ACTIONS]

    def _add(self, betting: BettingState, raises: _Raises) -> int:
        node = len(self._rows)
        if node >= _MOST_NODES:
            raise TooManyBettings(
                f"expected a game of at most {_MOST_NODES} bettings: fewer raises in a betting round"
            )
        self.nodes[betting.text] = node
        children = [-1] * self.num_actions
        self._children.append(children)
        self._ends.append(0)
        player, betting_round = betting.position_to_act, betting.betting_round
        if player is None:
            amount = min(betting.spent) / self._unit
            if betting.is_showdown:
                self._rows.append((Kind.SHOWDOWN, 0, betting_round, amount))
                for position in range(2):
                    self._contexts[position].append(
                        self._numbers("s", _showdown_contexts(betting.text, raises, position))
                    )
            else:
                folder = betting.folded.index(True)
                amount = betting.spent[folder] / self._unit
                self._rows.append((Kind.FOLD, folder, betting_round, amount))
                for numbers in self._contexts:
                    numbers.append([0] * LEVELS)
        else:
            self._rows.append((Kind.DECISION, player, betting_round, 0.0))
            self._contexts[0].append(self._numbers("a", _action_contexts(betting, raises, player)))
            self._contexts[1].append([0] * LEVELS)
            for number, action in enumerate(self.actions_at(betting)):
                if action is not None:
                    children[number] = self._add(
                        betting.apply(action), _with_raise(raises, betting_round, player, action)
                    )
        self._ends[node] = len(self._rows)
        return node

    def _numbers(self, kind: str, contexts: tuple[Hashable, ...]) -> list[int]:
        assert len(contexts) == LEVELS
        names = [f"{kind}{level} {context}" for level, context in enumerate(contexts)]
        return [self.contexts.setdefault(name, len(self.contexts)) for name in names]


def _with_raise(raises: _Raises, betting_round: int, player: int, action: Action) -> _Raises:
    if action is not LIMIT_RAISE:
        return raises
    first, second = raises[betting_round]
    changed = (first + 1, second) if player == 0 else (first, second + 1)
    return (*raises[:betting_round], changed, *raises[betting_round + 1 :])


def _action_contexts(betting: BettingState, raises: _Raises, player: int) -> tuple[Hashable, ...]:
    """What the action of a player is counted as, the finest first."""
    other, betting_round = 1 - player, betting.betting_round
    legal = betting.legal_actions()
    now = (betting_round, legal.can_fold, legal.can_raise)
    in_round = raises[betting_round]
    before = raises[:betting_round]
    ours, theirs = (sum(counts[who] for counts in before) for who in (player, other))
    last = before[-1] if before else (0, 0)
    return (
        betting.text,
        (player, now, *((counts[player], counts[other]) for counts in raises[: betting_round + 1])),
        (player, now, sum(in_round), min(ours, 3), min(theirs, 3)),
        (now, min(sum(in_round), 2), last[player] > 0, last[other] > 0),
        (min(betting_round, 1), legal.can_fold, legal.can_raise),
    )


def _showdown_contexts(text: str, raises: _Raises, player: int) -> tuple[Hashable, ...]:
    """What a player's hand at a showdown is counted as, the finest first."""
    other = 1 - player
    ours, theirs = (sum(counts[who] for counts in raises) for who in (player, other))
    last_ours, last_theirs = raises[-1][player], raises[-1][other]
    return (
        (player, text),
        (player, *((counts[player], counts[other]) for counts in raises)),
        (min(ours, 6), min(theirs, 6), last_ours, last_theirs),
        (min(ours, 4), min(last_ours, 2), min(last_theirs, 2)),
        min(ours, 1),
    )


@functools.lru_cache(maxsize=4)
def betting_tree(game: GameDefinition) -> BettingTree:
    """A game's tree, remembered."""
    return BettingTree(game)
