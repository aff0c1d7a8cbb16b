"""AIVAT by enumeration, for limit games that are small enough: Kuhn's for two and three, Leduc.

Only the hole cards of a history are unknown, so everything at one public state is an array with an axis for
what each position may hold.  A hand of play is a path of public states; the walk along it carries the
probabilities with which known players come there with each of their hands, and the sum of the corrections for
all hole cards that may be the true ones.

Estimates and values are of what one position wins, the *viewer*.

Source: N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling, "AIVAT: A New Variance Reduction Technique
for Agent Evaluation in Imperfect Information Games" (AAAI 2018).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.aivat.games import MOST_DEALS
from engine.poker.rules import BettingState, GameDefinition, HandState, initial_betting
from engine.poker.rules.showdown import chips_won
from engine.solving.betting_tree import BettingTree
from engine.solving.walk import every_action

__all__ = [
    "End",
    "EnumeratedGame",
    "InformationSet",
    "Strategy",
    "Values",
]

Matrix = NDArray[np.float64]
"""Numbers for all that the positions may hold, shape (hands,) * positions."""


@attrs.frozen
class InformationSet:
    """What the player to act knows."""

    hole_cards: tuple[int, ...]
    """Its own, ascending."""
    board: tuple[int, ...]
    """The cards of each round ascending, round after round."""
    betting: BettingState


Strategy = Callable[[InformationSet], Sequence[float]]
"""The probabilities of all legal actions: fold, call, raise."""

Board = tuple[int, ...]

Values = Callable[[BettingState, Board], Matrix]
"""The values of the histories of a public state to the viewer, in chips: with any guess the estimate is
unbiased.  If the board has fewer cards than the betting's round, a deal comes next.  Entries of hands that
cannot be held together mean nothing."""


@attrs.frozen(eq=False)
class End:
    """All hands of play that end in one public state.  Arrays have an axis for the hands of each position;
    entries of hands that cannot be held together mean nothing."""

    betting: BettingState
    board: tuple[int, ...]
    is_possible: NDArray[np.bool_]
    """Whether hands can be held together on this board."""
    chips: Matrix
    """What the viewer wins."""
    reach: Matrix
    """The probability of this end with these hands, under the strategies of `EnumeratedGame.ends`."""
    estimate: Matrix
    """The viewer's AIVAT estimate."""


@attrs.frozen(eq=False)
class _Walk:
    """The state of the walk at a public state."""

    betting: BettingState
    board: tuple[int, ...]
    known: tuple[NDArray[np.float64], ...]
    """By position, the probability with which it comes here with each of its hands; ones for the unknown."""
    play: Matrix
    """The probability that all players, as they really play, come here with all hands."""
    corrections: Matrix
    """The sum of the corrections so far, for all hands that may be the true ones."""
    viewer: int


class EnumeratedGame:
    """A limit game small enough to be enumerated.

    Args:
        game: the game played.

    Raises:
        ValueError: no-limit, or too many ways to deal hole cards.
    """

    def __init__(self, game: GameDefinition) -> None:
        if not game.is_limit:
            raise ValueError("expected a limit game")
        if math.comb(len(game.deck), game.num_hole_cards) ** game.num_players > MOST_DEALS:
            raise ValueError(f"expected a game of up to {MOST_DEALS} deals, got one that is too large")
        self.game = game
        self.hands = tuple(itertools.combinations(sorted(game.deck), game.num_hole_cards))
        """The hands that a player may hold."""
        self._positions = range(game.num_players)
        self._holds = np.array([[card in hand for card in range(52)] for hand in self.hands])
        disjoint = self._holds.astype(np.int64) @ self._holds.T == 0
        self._disjoint: NDArray[np.bool_] = np.ones((len(self.hands),) * game.num_players, np.bool_)
        for one, other in itertools.combinations(self._positions, 2):
            shape = [len(self.hands) if each in (one, other) else 1 for each in self._positions]
            self._disjoint = self._disjoint & disjoint.reshape(shape)
        self._tree = BettingTree(game)
        self._chips: dict[tuple[int, Board], Matrix] = {}

    # --- what there is -----------------------------------------------------------------------------------

    def possible(self, board: Board) -> NDArray[np.bool_]:
        """Whether hands can be held together on a board, shape (hands,) * positions."""
        free = np.logical_not(np.any(self._holds[:, list(board)], axis=1))
        possible = self._disjoint
        for position in self._positions:
            possible = possible & self._along(position, free)
        return possible

    def boards_after(self, board: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
        """The boards of a given size that a board may become."""
        left = [card for card in sorted(self.game.deck) if card not in board]
        for more in itertools.combinations(left, size - len(board)):
            yield board + more

    def chips(self, betting: BettingState, board: Board, viewer: int = 0) -> Matrix:
        """What the viewer wins at an end of the hand, with all hands."""
        key = self._tree.node(betting), board
        if key not in self._chips:
            chips = np.zeros((len(self._positions), *self._disjoint.shape))
            for place in zip(*np.nonzero(self.possible(board)), strict=True):
                held = [self.hands[number] for number in place]
                chips[(slice(None), *place)] = chips_won(betting, held, board)
            self._chips[key] = chips
        found: Matrix = self._chips[key][viewer]
        return found

    def _strategy_at(self, strategy: Strategy, betting: BettingState, board: tuple[int, ...]) -> Matrix:
        """What a player to act does with each hand, shape (hands, actions); zeros for hands it cannot hold.

        Raises:
            ValueError: the strategy does not give a probability for each action.
        """
        actions = [*every_action(betting)]
        number = len(actions)
        chances = np.zeros((len(self.hands), number))
        for index, hand in enumerate(self.hands):
            if not set(hand) & set(board):
                given = tuple(strategy(InformationSet(hand, board, betting)))
                if len(given) != number or abs(sum(given) - 1) > 1e-9 or min(given) < 0:
                    raise ValueError(f"expected {number} chances that add up to 1 for {actions}, got {given}")
                chances[index] = given
        return chances

    def expected_values(self, strategies: Sequence[Strategy], viewer: int = 0) -> Values:
        """The value of every history to the viewer if all players go on by their strategies.

        Args:
            strategies: by position.
            viewer: the position whose chips are counted.
        """

        @functools.cache
        def value_of(node: int, board: Board) -> Matrix:
            betting = tree.bettings[node]
            if len(board) < betting.num_board_cards:
                return self._mean_of_boards(betting, board, values)
            position = betting.position_to_act
            if position is None:
                return self.chips(betting, board, viewer)
            chances = self._strategy_at(strategies[position], betting, board)
            total = np.zeros(self._disjoint.shape)
            for column, child in enumerate(tree.children(node)):
                total += self._along(position, chances[:, column]) * value_of(child, board)
            return total

        def values(betting: BettingState, board: Board) -> Matrix:
            return value_of(tree.node(betting), board)

        tree = self._tree
        return values

    def _mean_of_boards(self, betting: BettingState, board: Board, values: Values) -> Matrix:
        """The mean value over the boards that a board becomes, by the hands with which they are possible."""
        total, number = np.zeros(self._disjoint.shape), np.zeros(self._disjoint.shape)
        for after in self.boards_after(board, betting.num_board_cards):
            possible = self.possible(after)
            total += np.where(possible, values(betting, after), 0.0)
            number += possible
        return total / np.maximum(number, 1)

    # --- AIVAT -------------------------------------------------------------------------------------------

    def ends(
        self, strategies: Sequence[Strategy], known: Collection[int], values: Values, viewer: int = 0
    ) -> Iterator[End]:
        """All ends of the game, with their chances and estimates.

        Args:
            strategies: by position, of all players: those of unknown players only determine probabilities.
            known: positions whose strategies enter the estimate; none for chance only.
            values: to the viewer.
            viewer: the position whose winnings are estimated.
        """
        yield from self._ends_from(self._beginning(known, values, viewer), strategies, known, values)

    def estimate(
        self, state: HandState, known: Mapping[int, Strategy], values: Values, viewer: int = 0
    ) -> float:
        """The viewer's AIVAT estimate of one hand of play, in chips.

        Args:
            state: the end of the hand, with its true cards.
            known: strategies of the positions that are known.
            values: to the viewer.
            viewer: the position whose winnings are estimated.

        Raises:
            ValueError: the hand is not over, or a known player never does what it did, whatever it holds.
        """
        if not state.is_finished:
            raise ValueError(f"AIVAT is of hands that are over; after {state.betting.text!r} it is not")
        walk = self._beginning(known, values, viewer)
        for betting in [*[before for before, _, _ in state.betting.steps()][1:], state.betting]:
            walk = self._after_action(walk, betting, known, values)
            board = state.deal.board
            ends = [0, *self.game.board_ends]
            ordered = [
                sorted(board[a:b]) for a, b in itertools.pairwise(ends) if b <= betting.num_board_cards
            ]
            if len(walk.board) < betting.num_board_cards:
                walk = self._after_deal(walk, tuple(itertools.chain(*ordered)), known, values)
        place = tuple(self.hands.index(tuple(sorted(hand))) for hand in state.deal.hole_cards)
        found = float(self._estimate(walk, known)[place])
        if not math.isfinite(found):
            raise ValueError(f"a known player never does what it did in {state.betting.text!r}")
        return found

    def _mean(self, walk: _Walk, matrix: Matrix, known: Collection[int]) -> Matrix:
        """The mean over what known players may hold, for all hands that may be the true ones."""
        if not known:
            return matrix
        weights = self.possible(walk.board).astype(np.float64)
        for position in self._positions:
            weights = weights * self._along(position, walk.known[position])
        axes = tuple(sorted(known))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (weights * matrix).sum(axis=axes, keepdims=True) / weights.sum(axis=axes, keepdims=True)
        result: Matrix = np.broadcast_to(means, matrix.shape)
        return result

    def _beginning(self, known: Collection[int], values: Values, viewer: int) -> _Walk:
        """The start of a hand: everybody has been dealt to."""
        betting, possible = initial_betting(self.game), self.possible(())
        ones = (np.ones(len(self.hands)),) * len(self._positions)
        walk = _Walk(betting, (), ones, possible / possible.sum(), np.zeros(possible.shape), viewer)
        worth = values(betting, ())
        expected = np.full(possible.shape, worth[possible].mean())
        return attrs.evolve(walk, corrections=expected - self._mean(walk, worth, known))

    def _after_action(
        self, walk: _Walk, betting: BettingState, known: Mapping[int, Strategy], values: Values
    ) -> _Walk:
        """The walk after the last action of `betting`."""
        position = walk.betting.position_to_act
        assert position is not None  # somebody has acted
        assert betting.last_step is not None
        if position not in known:
            return attrs.evolve(walk, betting=betting)
        chances = self._strategy_at(known[position], walk.betting, walk.board)
        column = [*every_action(walk.betting)].index(betting.last_step[2])
        return self._acted(walk, chances, known, values)[column]

    def _acted(self, walk: _Walk, chances: Matrix, known: Collection[int], values: Values) -> list[_Walk]:
        """The walks after each action of a known player, who takes it with these probabilities."""
        position = walk.betting.position_to_act
        assert position is not None
        bettings = [*map(walk.betting.apply, every_action(walk.betting))]
        worth = [values(betting, walk.board) for betting in bettings]
        mixed = np.zeros(self._disjoint.shape)
        for column, matrix in enumerate(worth):
            mixed += self._along(position, chances[:, column]) * matrix
        before = self._mean(walk, mixed, known)
        walks = []
        for column, (betting, matrix) in enumerate(zip(bettings, worth, strict=True)):
            reach = list(walk.known)
            reach[position] = reach[position] * chances[:, column]
            after = attrs.evolve(walk, betting=betting, known=tuple(reach))
            corrections = walk.corrections + before - self._mean(after, matrix, known)
            walks.append(attrs.evolve(after, corrections=corrections))
        return walks

    def _after_deal(self, walk: _Walk, board: Board, known: Collection[int], values: Values) -> _Walk:
        """The walk after board cards."""
        before = self._mean(walk, self._mean_of_boards(walk.betting, walk.board, values), known)
        dealt = attrs.evolve(walk, board=board)
        came = self._mean(dealt, values(walk.betting, board), known)
        return attrs.evolve(dealt, corrections=walk.corrections + before - came)

    def _estimate(self, walk: _Walk, known: Collection[int]) -> Matrix:
        chips = self.chips(walk.betting, walk.board, walk.viewer)
        return walk.corrections + self._mean(walk, chips, known)

    def _ends_from(
        self, walk: _Walk, strategies: Sequence[Strategy], known: Collection[int], values: Values
    ) -> Iterator[End]:
        betting, board = walk.betting, walk.board
        if len(board) < betting.num_board_cards:
            boards = list(self.boards_after(board, betting.num_board_cards))
            number = sum(self.possible(after).astype(np.float64) for after in boards)
            for after in boards:
                chance = self.possible(after) / np.maximum(number, 1)
                dealt = self._after_deal(walk, after, known, values)
                yield from self._ends_from(
                    attrs.evolve(dealt, play=walk.play * chance), strategies, known, values
                )
            return
        position = betting.position_to_act
        if position is None:
            possible = self.possible(board)
            chips = self.chips(betting, board, walk.viewer)
            yield End(betting, board, possible, chips, walk.play, self._estimate(walk, known))
            return
        chances = self._strategy_at(strategies[position], betting, board)
        if position in known:
            walks = self._acted(walk, chances, known, values)
        else:
            walks = [attrs.evolve(walk, betting=betting.apply(action)) for action in every_action(betting)]
        for column, acted in enumerate(walks):
            play = walk.play * self._along(position, chances[:, column])
            yield from self._ends_from(attrs.evolve(acted, play=play), strategies, known, values)

    def _along(self, position: int, by_hand: NDArray[Any]) -> NDArray[Any]:
        """Numbers for each hand of a position, shaped to broadcast with arrays over all hands."""
        return by_hand.reshape([len(self.hands) if each == position else 1 for each in self._positions])
