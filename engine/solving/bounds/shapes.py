"""The betting tree of one round of heads-up limit hold'em, which is the same whatever went before it."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.rivers import Field
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, BettingState, GameDefinition, initial_betting
from engine.solving.holdem.betting import is_heads_up_limit_holdem

__all__ = ["Bettings", "Node", "Shape", "Start", "river_nodes", "shape_of", "start_of"]


@attrs.frozen
class Node:
    """A point of a round at which somebody is to act.

    Nodes are numbered, parents first; -1 stands for none.
    """

    position: int
    fold: int
    """Chips that the player to act has put in during the round, lost by a fold; -1 if it cannot fold."""
    call: int
    """Chips that each player has put in during the round once a call has ended it; -1 if a call does not."""
    after_call: int
    """The node after a call that does not end the round."""
    after_raise: int
    """The node after a raise."""


Shape = tuple[Node, ...]
"""The betting tree of a round: its nodes by number."""


@attrs.frozen(eq=False)
class Start:
    """A betting that begins a round, with the round's betting tree."""

    shape: Shape
    staked: int
    """Chips that each player has put in before the round; 0 before the flop."""
    bettings: tuple[BettingState, ...]
    """The betting at each node."""
    following: tuple[BettingState | None, ...]
    """The betting after a call at each node; None where a call does not end the round."""

    @property
    def ends(self) -> tuple[int, ...]:
        """The nodes whose calls end the round."""
        return tuple(number for number, node in enumerate(self.shape) if node.call >= 0)


def start_of(betting: BettingState) -> Start:
    """The round that a betting begins, with its betting tree.

    Before the flop, `staked` is 0 and the blinds count as put in during the round.
    """
    staked = betting.max_spent if betting.betting_round else 0
    nodes: list[Node] = []
    bettings: list[BettingState] = []
    following: list[BettingState | None] = []

    def add(state: BettingState) -> int:
        number = len(nodes)
        position, legal = state.position_to_act, state.legal_actions()
        assert position is not None
        called = state.apply(CALL)
        goes_on = not called.is_finished and called.betting_round == state.betting_round
        fold = state.apply(FOLD).spent[position] - staked if legal.can_fold else -1
        call = -1 if goes_on else called.max_spent - staked
        nodes.append(Node(position, fold, call, -1, -1))
        bettings.append(state)
        following.append(None if goes_on else called)
        after_call = add(called) if goes_on else -1
        after_raise = add(state.apply(LIMIT_RAISE)) if legal.can_raise else -1
        nodes[number] = Node(position, fold, call, after_call, after_raise)
        return number

    add(betting)
    return Start(tuple(nodes), staked, tuple(bettings), tuple(following))


def shape_of(starts: Sequence[Start]) -> Shape:
    """The betting tree that several starts of a round have in common.

    Raises:
        ValueError: their trees differ.
    """
    (shape, *others) = {start.shape for start in starts}
    if others:
        raise ValueError("expected rounds in which the same may be done, whatever has gone before them")
    return shape


def river_nodes(shape: Shape, responder: int) -> NDArray[np.int64]:
    """The river's tree as `engine.kernels.solving.rivers` walks it, shape (nodes, len(Field)), int64.

    Args:
        shape: the tree of the last round.
        responder: the position of the best response.
    """
    table = np.full((len(shape), len(Field)), -1, np.int64)
    table[0, Field.REACH] = table[0, Field.VALUE] = 0
    reaches, asked = 1, 0
    for number, node in enumerate(shape):
        row = table[number]
        assert node.call >= 0 or number == 0  # only the first check leads on
        row[Field.RESPONDS] = responds = int(node.position == responder)
        row[Field.FOLD], row[Field.CALL] = node.fold >= 0, node.call >= 0
        row[Field.AFTER_CALL], row[Field.AFTER_RAISE] = node.after_call, node.after_raise
        if not responds:
            row[Field.CHANCES] = asked
            asked += 1
        for place, after in enumerate((node.after_call, node.after_raise)):
            if after < 0:
                continue
            table[after, Field.REACH] = row[Field.REACH] if responds else reaches
            reaches += not responds
            table[after, Field.VALUE] = place if node.call < 0 else row[Field.VALUE]
    return table


class Bettings:
    """All bettings of a game that begin a round.

    Args:
        game: heads-up limit hold'em without antes.

    Raises:
        ValueError: the game is another one.
    """

    def __init__(self, game: GameDefinition) -> None:
        if not is_heads_up_limit_holdem(game) or game.has_antes:
            raise ValueError("expected limit hold'em for two, without antes")
        self.game = game
        self.preflop = start_of(initial_betting(game))
        self.flops = _following([self.preflop])
        self.turns = _following(self.flops)
        """All bettings that begin the turn: first those that follow `flops[0]`, in the order of its ends."""
        self.rivers = _following(self.turns)
        self.flop_shape, self.turn_shape, self.river_shape = (
            shape_of(starts) for starts in (self.flops, self.turns, self.rivers)
        )


def _following(starts: Sequence[Start]) -> list[Start]:
    """The starts of the next round: by start of this round, then by end."""
    found = []
    for start in starts:
        for end in start.ends:
            betting = start.following[end]
            assert betting is not None  # the round is over
            found.append(start_of(betting))
    return found
