"""All bettings of heads-up hold'em as arrays, and the contexts that each of them belongs to.

What an opponent does is counted in contexts of several levels: the exact betting; who raised how often in
which round; coarser kinds of situations.  The finer is drawn towards the coarser as long as little has been
seen, which Billings and others call the abstraction chain.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.miximax.values import Kind, Tree
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, BettingState, GameDefinition, initial_betting
from engine.solving.miximax.contexts import LEVELS, Line, action_contexts, showdown_contexts

__all__ = ["ACTIONS", "BettingTree", "TooManyBettings", "is_heads_up_limit"]

ACTIONS: Final[tuple[Action, ...]] = (FOLD, CALL, LIMIT_RAISE)
"""In the order of a triple."""
_COLUMN: Final = {action.kind: column for column, action in enumerate(ACTIONS)}
_MOST_NODES: Final = 40_000
"""Heads-up limit hold'em has 16,584; each raise more in every round makes it some five times as many."""


class TooManyBettings(ValueError):
    """A game whose bettings are too many to look at each before every action."""


def is_heads_up_limit(game: GameDefinition) -> bool:
    """Whether a game is limit hold'em for two."""
    return game.is_holdem and game.is_limit and game.num_players == 2


class BettingTree:
    """The bettings of a limit game; `engine.solving.miximax.no_limit` has the tree of no-limit games.

    Args:
        game: limit hold'em for two.

    Raises:
        ValueError: another game.
        TooManyBettings: it allows so many raises that the tree is too large.
    """

    letters = "fcr"
    """Of the columns of what is counted: folds, calls, raises."""
    levels = LEVELS
    """Of contexts."""
    kind = ""
    """What a memory file puts before the names of its arrays."""

    def __init__(self, game: GameDefinition) -> None:
        self._require(game)
        self.game = game
        self.nodes: dict[str, int] = {}
        """By the betting's text."""
        self.contexts: dict[str, int] = {}
        """The number of each context, by its name."""
        self.unit = float(game.raise_sizes[0] if game.is_limit else game.big_blind)
        """Chips that amounts are counted in: a small bet, in no-limit games a big blind."""
        self._rows: list[tuple[int, int, int, float]] = []
        self._children: list[list[int]] = []
        self._ends: list[int] = []
        self._contexts: tuple[list[list[int]], list[list[int]]] = ([], [])
        self._add(initial_betting(game), Line(((0, 0),) * game.num_rounds))
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

    @property
    def num_actions(self) -> int:
        """Columns of what is counted."""
        return len(self.letters)

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

    def priced(self, node: int, betting: BettingState, scratch: NDArray[np.float64]) -> Tree:
        """The tree with what ends of the hand are worth after a betting whose node this is.

        Args:
            node: the betting's.
            betting: in truth.
            scratch: shape (nodes, 3); the tree is good as long as nobody writes there.
        """
        return self.arrays

    # --- making it -----------------------------------------------------------------------------------------

    def _require(self, game: GameDefinition) -> None:
        if not is_heads_up_limit(game):
            raise ValueError("expected limit hold'em for two")

    def _action_contexts(self, betting: BettingState, line: Line, player: int) -> tuple[Hashable, ...]:
        return action_contexts(betting, line, player)

    def _showdown_contexts(
        self, betting: BettingState, line: Line, player: int, amount: float
    ) -> tuple[Hashable, ...]:
        return showdown_contexts(betting.text, line, player)

    def _add(self, betting: BettingState, line: Line) -> int:
        node = len(self._rows)
        if node >= _MOST_NODES:
            raise TooManyBettings(
                f"expected a game of at most {_MOST_NODES} bettings: fewer raises in a betting round, or "
                "fewer chips"
            )
        self.nodes[betting.text] = node
        children = [-1] * self.num_actions
        self._children.append(children)
        self._ends.append(0)
        player, betting_round = betting.position_to_act, betting.betting_round
        if player is None:
            amount = min(betting.spent) / self.unit
            if betting.is_showdown:
                self._rows.append((Kind.SHOWDOWN, 0, betting_round, amount))
                for position in range(2):
                    contexts = self._showdown_contexts(betting, line, position, amount)
                    self._contexts[position].append(self._numbers("s", contexts))
            else:
                folder = betting.folded.index(True)
                amount = betting.spent[folder] / self.unit
                self._rows.append((Kind.FOLD, folder, betting_round, amount))
                for numbers in self._contexts:
                    numbers.append([0] * self.levels)
        else:
            self._rows.append((Kind.DECISION, player, betting_round, 0.0))
            self._contexts[0].append(self._numbers("a", self._action_contexts(betting, line, player)))
            self._contexts[1].append([0] * self.levels)
            for column, action in enumerate(self.actions_at(betting)):
                if action is not None:
                    letter = self.letters[column]
                    after = betting.apply(action)
                    then = line.after(betting_round, player, column, letter, column >= 2)
                    if after.betting_round > betting_round:
                        then = then.in_next_round()
                    children[column] = self._add(after, then)
        self._ends[node] = len(self._rows)
        return node

    def _numbers(self, kind: str, contexts: tuple[Hashable, ...]) -> list[int]:
        assert len(contexts) == self.levels
        names = [f"{kind}{level} {context}" for level, context in enumerate(contexts)]
        return [self.contexts.setdefault(name, len(self.contexts)) for name in names]
