"""The tree of a game as miximax searches it, and the contexts in which actions and shown hands are counted.

What an opponent does is counted in contexts of several levels: the exact betting; who raised how often in
which round; coarser kinds of situations.  The finer is drawn towards the coarser as long as little has been
seen, which Billings and others call the abstraction chain.  Contexts of no-limit games tell bettings apart by
letters instead of chips: a raise of half the pot, of the pot, all in.  So what has been counted with some
stacks is known with others.

In no-limit games the first raise of a betting round is half the pot, the pot or all in, later ones the pot or
all in.  An opponent's raise is taken for that of those which stands for it with the greater chance by the
pseudo-harmonic mapping (`engine.solving.holdem.betting`).  So a betting of the game has one node of the
tree, whose contexts say what the opponent does there.  What is won and lost is counted with the chips that
are there in truth: below the node bets are the same parts of the pot that the game has by then.

What is called all in by the mapping has nothing below it.  Where chips are left in truth, calls are worth
what a showdown of all chips put in so far is worth, and nothing is raised.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Mapping
from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.miximax import values as kernels
from engine.kernels.solving.miximax.values import MiximaxTree, Moves
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, ActionKind, BettingState, GameDefinition
from engine.poker.rules.action import COMMITTED
from engine.solving.betting_tree import DECISION, FOLDED, SHOWDOWN, BettingTree, by_pots, raise_by
from engine.solving.holdem.betting import is_heads_up_limit, is_heads_up_no_limit_holdem, stand_ins
from engine.solving.walk import TooLarge, every_action
from engine.support.arrays import Floats

ACTIONS: Final[tuple[Action, ...]] = (FOLD, CALL, LIMIT_RAISE)
"""In the order of a triple."""
_MOST_NODES: Final = 40_000
"""Heads-up limit hold'em has 16,584; each raise more in every round makes it some five times as many."""
_SIZES: Final = (0.5, 1.0, math.inf)
"""Of the raises there may be, parts of the pot as it is after the call: half, pot, all in."""
_LATER_SIZES: Final = _SIZES[1:]
"""Of those after the first in a betting round."""
_MAX_REMEMBERED: Final = 1000
"""Bettings whose place is kept: more than there are in a hand."""
LEVELS: Final = 5
"""Of contexts, the exact betting among them."""
SIZED_LEVELS: Final = 6
"""Where raises have sizes: the last is of those who do the same everywhere, and counts for them alone."""

_MOST_POTS: Final = 6
_Raises = tuple[tuple[int, int], ...]


@attrs.frozen
class Line:
    """The course of a hand, as far as contexts tell it apart."""

    raises: _Raises
    """By betting round: how often each position raised."""
    letters: str = ""
    """A letter for each action of a no-limit hand, rounds separated by ``/``."""
    facing: int = 0
    """The column of the last raise in this round; 0 where nobody has raised."""
    raiser: int = -1
    """The position that raised last in the hand; -1 where nobody did."""

    def after(self, betting: BettingState, player: int, column: int, letter: str, then: BettingState) -> Line:
        """The line after the player to act has done something, which makes the betting another one."""
        here, is_over = betting.betting_round, then.betting_round > betting.betting_round
        letters = self.letters + letter + "/" * is_over
        if column < 2:
            return Line(self.raises, letters, 0 if is_over else self.facing, self.raiser)
        first, second = self.raises[here]
        changed = (first + (player == 0), second + (player == 1))
        raises = (*self.raises[:here], changed, *self.raises[here + 1 :])
        return Line(raises, letters, 0 if is_over else column, player)


class TooManyBettings(ValueError):
    """A game whose bettings are too many to look at each before every action."""


def has_tree(game: GameDefinition) -> bool:
    """Whether it is hold'em for two: limit, or no-limit without antes or rake."""
    return is_heads_up_limit(game) or is_heads_up_no_limit_holdem(game)


@functools.lru_cache(maxsize=4)
def betting_tree(game: GameDefinition) -> ContextTree:
    """A game's tree, remembered; without raises of half the pot where it would be too large.

    Raises:
        ValueError: it has none.
        TooManyBettings: it would be too large even so.
    """
    if game.is_limit:
        return ContextTree(game)
    try:
        return NoLimitTree(game)
    except TooManyBettings:
        return NoLimitTree(game, _LATER_SIZES)


class ContextTree:
    """The bettings of a limit game, with their contexts; `NoLimitTree` has those of no-limit games.

    Args:
        game: limit hold'em for two.

    Raises:
        ValueError: another game.
        TooManyBettings: it allows so many raises that the tree is too large.
    """

    letters = "fcr"
    """Of the columns of what is counted: folds, calls, raises."""
    sizes: tuple[float, ...] = ()
    """Of the raises among the columns: parts of the pot."""
    levels = LEVELS
    """Of contexts."""
    kind = ""
    """What a memory file puts before the names of its arrays."""

    def __init__(self, game: GameDefinition) -> None:
        self._require(game)
        self.game = game
        try:
            self.bettings = BettingTree(game, self._actions, most_nodes=_MOST_NODES)
        except TooLarge:
            raise TooManyBettings(
                f"expected a game of at most {_MOST_NODES} bettings: fewer raises in a betting round, or "
                "fewer chips"
            ) from None
        self.contexts: dict[str, int] = {}
        """The number of each context, by its name."""
        self.unit = float(game.raise_sizes[0] if game.is_limit else game.big_blind)
        """Chips that amounts are counted in: a small bet, in no-limit games a big blind."""
        tree = self.bettings
        nodes = np.arange(len(tree))
        lost = np.where(tree.kinds == FOLDED, tree.spent[nodes, tree.players], tree.spent.min(axis=1))
        amounts = np.where(tree.kinds == DECISION, 0.0, lost / self.unit)
        children = np.full((len(tree), self.num_actions), -1, np.int64)
        contexts = np.zeros((2, len(tree), self.levels), np.int64)
        lines = [Line(((0, 0),) * game.num_rounds)] * len(tree)
        for node, (betting, line) in enumerate(zip(tree.bettings, lines, strict=True)):
            player = betting.position_to_act
            if player is not None:
                columns = [self._column_of(action, tree.actions[node]) for action in tree.actions[node]]
                allowed = "".join(self.letters[column] for column in columns)
                contexts[0, node] = self._numbers("a", self._action_contexts(betting, line, player, allowed))
                children[node, columns] = tree.children(node)
                for child, column, letter in zip(tree.children(node), columns, allowed, strict=True):
                    lines[child] = line.after(betting, player, column, letter, tree.bettings[child])
            elif tree.kinds[node] == SHOWDOWN:
                for position in range(2):
                    found = self._showdown_contexts(betting, line, position, float(amounts[node]))
                    contexts[position, node] = self._numbers("s", found)
        self.arrays = MiximaxTree(
            tree.kinds, tree.players, tree.rounds, children, amounts, tree.ends, contexts[0], contexts[1]
        )

    def __len__(self) -> int:
        return len(self.bettings)

    @property
    def num_actions(self) -> int:
        """Columns of what is counted."""
        return len(self.letters)

    def node(self, betting: BettingState) -> int:
        """The number of a betting.

        Raises:
            ValueError: it is one of another game.
        """
        return self.bettings.node(betting)

    def column(self, before: BettingState, action: Action) -> int:
        """The column of an action in a state."""
        return TRIPLE_INDEX[action.kind]

    def actions_at(self, betting: BettingState) -> list[Action | None]:
        """The actions of the columns in a state; None for illegal ones."""
        legal = betting.legal_actions()
        return [action if action in legal else None for action in ACTIONS]

    def priced(self, node: int, betting: BettingState, scratch: Floats) -> MiximaxTree:
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

    def _actions(self, betting: BettingState) -> dict[Action, float]:
        return every_action(betting)

    def _column_of(self, action: Action, sizes: Mapping[Action, float]) -> int:
        """The column of one of the actions of a node, given with their sizes."""
        if action.kind is not ActionKind.RAISE or not self.sizes:
            return TRIPLE_INDEX[action.kind]
        return 2 + self.sizes.index(sizes[action])

    def _action_contexts(
        self, betting: BettingState, line: Line, player: int, allowed: str
    ) -> tuple[Hashable, ...]:
        """The contexts in which a player's action is counted, the finest first."""
        raises = line.raises
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

    def _showdown_contexts(
        self, betting: BettingState, line: Line, player: int, amount: float
    ) -> tuple[Hashable, ...]:
        """The contexts in which a hand at a showdown is counted, the finest first."""
        raises = line.raises
        other = 1 - player
        ours, theirs = (sum(counts[who] for counts in raises) for who in (player, other))
        last_ours, last_theirs = raises[-1][player], raises[-1][other]
        return (
            (player, betting.text),
            (player, *((counts[player], counts[other]) for counts in raises)),
            (min(ours, 6), min(theirs, 6), last_ours, last_theirs),
            (min(ours, 4), min(last_ours, 2), min(last_theirs, 2)),
            min(ours, 1),
        )

    def _numbers(self, kind: str, contexts: tuple[Hashable, ...]) -> list[int]:
        assert len(contexts) == self.levels
        names = [f"{kind}{level} {context}" for level, context in enumerate(contexts)]
        return [self.contexts.setdefault(name, len(self.contexts)) for name in names]


class NoLimitTree(ContextTree):
    """The bettings of a no-limit game.

    Args:
        game: no-limit hold'em for two, without antes.
        first_sizes: parts of the pot that the first raise of a round may have, some of half, pot, all in.

    Raises:
        ValueError: another game.
        TooManyBettings: there are so many chips that the tree is too large.
    """

    letters = "fchpa"
    sizes = _SIZES
    levels = SIZED_LEVELS
    kind = "no-limit."

    def __init__(self, game: GameDefinition, first_sizes: tuple[float, ...] = _SIZES) -> None:
        self._first_sizes = first_sizes
        self._places: dict[str, int] = {}
        super().__init__(game)
        self._stacks = np.array(game.betting_stacks, np.float64)
        pots = np.zeros(len(self))
        for column, move in enumerate((-1.0, 0.0, *_SIZES)):
            children = self.arrays.children[:, column]
            pots[children[children >= 0]] = move
        self.moves = Moves(self.bettings.parents, pots, COMMITTED)

    def node(self, betting: BettingState) -> int:
        """The number of the betting that stands for one: a showdown where it is all in for the tree alone.

        Raises:
            ValueError: it is one of another game.
        """
        if betting.last_step is None or betting.game != self.game:
            return super().node(betting)
        found = self._places.get(betting.text)
        if found is None:
            if len(self._places) >= _MAX_REMEMBERED:
                self._places.clear()
            before, _, action = betting.last_step
            found = self.node(before)
            if self.bettings.actions[found]:
                found = int(self.arrays.children[found, self.column(before, action)])
            self._places[betting.text] = found
        return found

    def column(self, before: BettingState, action: Action) -> int:
        """The column of an action in a state; a raise may count as a call."""
        node = self.node(before)
        actions = self.bettings.actions[node]
        if action.kind is not ActionKind.RAISE or not actions:
            return 0 if action.kind is ActionKind.FOLD else 1
        sizes = {does: size for does, size in actions.items() if size > 0}
        for does, size in reversed(sizes.items()):  # who is all in by each of two sizes is all in
            if raise_by(before, size) == action:
                return self._column_of(does, sizes)
        chances = stand_ins(self.bettings.bettings[node], before, action, sizes)
        return self._column_of(max(chances, key=lambda pair: pair[1])[0], sizes)

    def actions_at(self, betting: BettingState) -> list[Action | None]:
        """The actions of the columns in a state, with the chips there are; None for those not in the tree."""
        actions, legal = self.bettings.actions[self.node(betting)], betting.legal_actions()
        found: list[Action | None] = [FOLD if FOLD in legal else None, CALL, *[None] * len(_SIZES)]
        for action, size in actions.items():
            if size > 0 and legal.can_raise:
                found[self._column_of(action, actions)] = raise_by(betting, size)
        return found

    def priced(self, node: int, betting: BettingState, scratch: Floats) -> MiximaxTree:
        """The tree with what ends of the hand are worth after a betting whose node this is."""
        spent, amounts = scratch[:, :2], scratch[:, 2]
        spent[node] = betting.spent
        kernels.price(self.arrays, self.moves, node, self._stacks, self.unit, spent, amounts)
        return self.arrays._replace(amounts=amounts)

    # --- making it -----------------------------------------------------------------------------------------

    def _require(self, game: GameDefinition) -> None:
        if not is_heads_up_no_limit_holdem(game):
            raise ValueError("expected no-limit hold'em for two, without antes")

    def _actions(self, betting: BettingState) -> dict[Action, float]:
        return by_pots(betting, _LATER_SIZES if betting.raises_in_round else self._first_sizes)

    def _action_contexts(
        self, betting: BettingState, line: Line, player: int, allowed: str
    ) -> tuple[Hashable, ...]:
        """The same where raises have sizes: beside how often somebody raised, the last counts by its size.

        Args:
            betting: in which the player is to act.
            line: that led there.
            player: who is to act.
            allowed: the letters of the actions there are.
        """
        other, betting_round = 1 - player, betting.betting_round
        raises, facing = line.raises, line.facing
        in_round, before = raises[betting_round], raises[:betting_round]
        ours, theirs = (sum(counts[who] for counts in before) for who in (player, other))
        last = before[-1] if before else (0, 0)
        now = (betting_round, allowed, facing)
        return (
            line.letters,
            (player, now, *((counts[player], counts[other]) for counts in raises[: betting_round + 1])),
            (player, now, min(sum(in_round), 3), min(ours, 2), min(theirs, 2)),
            (now, min(sum(in_round), 2), last[player] > 0, last[other] > 0),
            (min(betting_round, 1), allowed[0], len(allowed) > 2, facing),
            (allowed[0], len(allowed) > 2),
        )

    def _showdown_contexts(
        self, betting: BettingState, line: Line, player: int, amount: float
    ) -> tuple[Hashable, ...]:
        """The same where raises have sizes: the size of the pot counts, each class twice the one before.

        Args:
            line: the whole hand.
            player: whose hand is shown.
            amount: what the loser has put in, in big blinds.
        """
        raises, other = line.raises, 1 - player
        ours, theirs = (sum(counts[who] for counts in raises) for who in (player, other))
        last_ours, last_theirs = raises[-1][player], raises[-1][other]
        size = min(_MOST_POTS, round(math.log2(max(amount, 1.0))))
        raised_last = line.raiser == player
        return (
            (player, line.letters),
            (player, *((counts[player], counts[other]) for counts in raises), size),
            (min(ours, 4), min(theirs, 4), min(last_ours, 2), min(last_theirs, 2), size),
            (min(ours, 2), raised_last, size // 2),
            (min(ours, 1), size // 3),
            "any",
        )
