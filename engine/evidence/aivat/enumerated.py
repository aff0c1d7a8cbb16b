"""AIVAT by enumeration, for limit games that are small enough: Kuhn's for two and three, Leduc.

Only the hole cards of a history are unknown, so everything at one public state is an array with an axis for
what each position may hold.  A hand of play is a path of public states; the walk along it carries the
probabilities with which known players come there with each of their hands, and the sum of the corrections for
all hole cards that may be the true ones.

Estimates and values are of what one position wins, the *viewer*.

`SmallGame` takes the values of histories if everybody goes on by the game's equilibrium, as found by CFR+:
then no variance is left when an equilibrium of a game for two plays against itself.  For three players it is
only a guess, but a good one.

Source: N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling, "AIVAT: A New Variance Reduction Technique
for Agent Evaluation in Imperfect Information Games" (AAAI 2018).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.aivat.games import MOST_DEALS
from engine.evidence.aivat.policy import Policy, PolicyError
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import BettingState, GameDefinition, HandState, initial_betting
from engine.poker.rules.showdown import chips_won
from engine.solving.betting_tree import BettingTree
from engine.solving.game_tree import GameTree
from engine.solving.solver import Solver
from engine.solving.walk import every_action
from engine.support.arrays import Bools, Floats
from engine.support.user_input import told_as

_ITERATIONS: Final = 1000

Matrix = Floats
"""Numbers for all that the positions may hold, shape (hands,) * positions."""


@attrs.frozen
class EnumeratedSet:
    """The knowledge of the player to act."""

    hole_cards: tuple[int, ...]
    """Its own, ascending."""
    board: tuple[int, ...]
    """The cards of each round ascending, round after round."""
    betting: BettingState


Strategy = Callable[[EnumeratedSet], Sequence[float]]
"""The probabilities of all legal actions: fold, call, raise."""

Board = tuple[int, ...]

Values = Callable[[BettingState, Board], Matrix]
"""The values of the histories of a public state to the viewer, in chips: with any guess the estimate is
unbiased.  If the board has fewer cards than the betting's round, a deal comes next.  Entries of hands that
cannot be held together mean nothing."""


@attrs.frozen(eq=False)
class EnumeratedWalk:
    """The state of the walk at a public state."""

    betting: BettingState
    board: tuple[int, ...]
    known: tuple[Floats, ...]
    """By position, the probability with which it comes here with each of its hands; ones for the unknown."""
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
        self._disjoint: Bools = np.ones((len(self.hands),) * game.num_players, np.bool_)
        for one, other in itertools.combinations(self._positions, 2):
            shape = [len(self.hands) if each in (one, other) else 1 for each in self._positions]
            self._disjoint = self._disjoint & disjoint.reshape(shape)
        self._tree = BettingTree(game)
        self._chips: dict[tuple[int, Board], Matrix] = {}

    # --- what there is -----------------------------------------------------------------------------------

    def possible(self, board: Board) -> Bools:
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
        """The viewer's winnings at an end of the hand, with all hands."""
        key = self._tree.node(betting), board
        if key not in self._chips:
            chips = np.zeros((len(self._positions), *self._disjoint.shape))
            for place in zip(*np.nonzero(self.possible(board)), strict=True):
                held = [self.hands[number] for number in place]
                chips[(slice(None), *place)] = chips_won(betting, held, board)
            self._chips[key] = chips
        return self._chips[key][viewer]

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
                given = tuple(strategy(EnumeratedSet(hand, board, betting)))
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
            if len(walk.board) < betting.num_board_cards:
                board = _ordered(self.game, state.deal.board[: betting.num_board_cards])
                walk = self._after_deal(walk, board, known, values)
        place = tuple(self.hands.index(tuple(sorted(hand))) for hand in state.deal.hole_cards)
        found = float(self._estimate(walk, known)[place])
        if not math.isfinite(found):
            raise ValueError(f"a known player never does what it did in {state.betting.text!r}")
        return found

    def _mean(self, walk: EnumeratedWalk, matrix: Matrix, known: Collection[int]) -> Matrix:
        """The mean over what known players may hold, for all hands that may be the true ones."""
        if not known:
            return matrix
        weights = self.possible(walk.board).astype(np.float64)
        for position in self._positions:
            weights = weights * self._along(position, walk.known[position])
        axes = tuple(sorted(known))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (weights * matrix).sum(axis=axes, keepdims=True) / weights.sum(axis=axes, keepdims=True)
        return np.broadcast_to(means, matrix.shape)

    def _beginning(self, known: Collection[int], values: Values, viewer: int) -> EnumeratedWalk:
        """The start of a hand: everybody has been dealt to."""
        betting, possible = initial_betting(self.game), self.possible(())
        ones = (np.ones(len(self.hands)),) * len(self._positions)
        walk = EnumeratedWalk(betting, (), ones, np.zeros(possible.shape), viewer)
        worth = values(betting, ())
        expected = np.full(possible.shape, worth[possible].mean())
        return attrs.evolve(walk, corrections=expected - self._mean(walk, worth, known))

    def _after_action(
        self, walk: EnumeratedWalk, betting: BettingState, known: Mapping[int, Strategy], values: Values
    ) -> EnumeratedWalk:
        """The walk after the last action of `betting`."""
        assert betting.last_step is not None  # somebody has acted
        _, position, action = betting.last_step
        if position not in known:
            return attrs.evolve(walk, betting=betting)
        chances = self._strategy_at(known[position], walk.betting, walk.board)
        column = [*every_action(walk.betting)].index(action)
        return self._acted(walk, chances, known, values)[column]

    def _acted(
        self, walk: EnumeratedWalk, chances: Matrix, known: Collection[int], values: Values
    ) -> list[EnumeratedWalk]:
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

    def _after_deal(
        self, walk: EnumeratedWalk, board: Board, known: Collection[int], values: Values
    ) -> EnumeratedWalk:
        """The walk after board cards."""
        before = self._mean(walk, self._mean_of_boards(walk.betting, walk.board, values), known)
        dealt = attrs.evolve(walk, board=board)
        came = self._mean(dealt, values(walk.betting, board), known)
        return attrs.evolve(dealt, corrections=walk.corrections + before - came)

    def _estimate(self, walk: EnumeratedWalk, known: Collection[int]) -> Matrix:
        chips = self.chips(walk.betting, walk.board, walk.viewer)
        return walk.corrections + self._mean(walk, chips, known)

    def _along(self, position: int, by_hand: NDArray[Any]) -> NDArray[Any]:
        """Numbers for each hand of a position, shaped to broadcast with arrays over all hands."""
        return by_hand.reshape([len(self.hands) if each == position else 1 for each in self._positions])


# --- hands of play, with the values of a solution ---------------------------------------------------------


def solution(game: GameDefinition, iterations: int = _ITERATIONS) -> Strategy:
    """The average strategy in a small game after so many iterations of CFR+, close to an equilibrium."""
    solver = Solver(GameTree(game))
    solver.run(iterations)
    average = solver.average()
    table: dict[tuple[str, tuple[int, ...], tuple[int, ...]], list[float]] = {}
    for found in average.tree.information_sets():
        view = average.tree.hand_view(found)
        key = view.betting.text, tuple(sorted(view.own_cards)), _ordered(game, view.board)
        table[key] = [float(chance) for chance in average.policy[found.slots]]

    def chances(known: EnumeratedSet) -> Sequence[float]:
        return table[known.betting.text, known.hole_cards, known.board]

    return chances


def _ordered(game: GameDefinition, board: Sequence[int]) -> tuple[int, ...]:
    """A board with the cards of each round ascending."""
    ordered: list[int] = []
    for end in game.board_ends:
        ordered += sorted(board[len(ordered) : end])
    return tuple(ordered)


class SmallGame:
    """AIVAT estimates of hands of a small game.

    Args:
        game: the game played (`engine.evidence.aivat.games.is_small`).
    """

    def __init__(self, game: GameDefinition) -> None:
        self._tree = EnumeratedGame(game)
        everybody = [solution(game)] * game.num_players
        # The last position wins the rest.
        self._values = [
            self._tree.expected_values(everybody, viewer) for viewer in range(game.num_players - 1)
        ]
        self._places = {hand: number for number, hand in enumerate(self._tree.hands)}
        self._remembered: dict[object, Floats] = {}

    @property
    def num_hands(self) -> int:
        """The number of hands that a player may hold, which is that of a policy's rows."""
        return len(self._places)

    def place_of(self, cards: Sequence[int]) -> int:
        """The row of a policy for some hole cards."""
        return self._places[tuple(sorted(cards))]

    def won(self, hand: HandState, policies: Mapping[str, Policy], known: Collection[int]) -> Floats:
        """What each position won, with the luck taken out.  Shape (positions,).

        Args:
            hand: the hand at its end, with all cards.
            policies: by the betting in which they decided, of all decisions of known players.
            known: positions whose strategies are known.

        Raises:
            PolicyError: by what a player has told, it could not have done what it did.
        """
        key = (
            hand.betting.text,
            hand.board,
            tuple([() if each in known else cards for each, cards in enumerate(hand.deal.hole_cards)]),
            tuple(sorted((text, policy.triples.tobytes()) for text, policy in policies.items())),
        )
        if key not in self._remembered:
            self._remembered[key] = self._estimate(hand, policies, known)
        return self._remembered[key]

    def _estimate(self, hand: HandState, policies: Mapping[str, Policy], known: Collection[int]) -> Floats:
        def told(at: EnumeratedSet) -> Sequence[float]:
            row = policies[at.betting.text].triples[self._places[at.hole_cards]]
            chances = [float(row[TRIPLE_INDEX[action.kind]]) for action in every_action(at.betting)]
            total = sum(chances)
            if not total > 0:
                raise PolicyError("a player told only of actions that are not legal")
            return [chance / total for chance in chances]

        strategies = dict.fromkeys(known, told)
        with told_as(PolicyError, ValueError):
            won = [
                self._tree.estimate(hand, strategies, values, viewer)
                for viewer, values in enumerate(self._values)
            ]
        return np.array([*won, -sum(won)])
