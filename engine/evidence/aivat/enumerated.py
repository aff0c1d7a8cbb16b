"""AIVAT by enumeration, for two-player limit games that are small enough: Kuhn's, Leduc.

Whatever is unknown of a history is its hole cards, so everything at one public state is a matrix over what
position 0 and position 1 may hold.  A hand of play is a path of public states; the walk down it carries the
chances with which known players come there with each of their hands, and the sum of the corrections for every
pair of hands that may be the true one.

Source: N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling, "AIVAT: A New Variance Reduction Technique
for Agent Evaluation in Imperfect Information Games" (AAAI 2018).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.rules import CALL, FOLD, Action, BettingState, GameDefinition, HandState, initial_betting
from engine.rules.showdown import chips_won

__all__ = [
    "End",
    "EnumeratedGame",
    "History",
    "InformationSet",
    "Strategy",
    "Value",
    "legal_list",
]

Matrix = NDArray[np.float64]


@attrs.frozen
class InformationSet:
    """What the player to act knows."""

    hole_cards: tuple[int, ...]
    """Its own, ascending."""
    board: tuple[int, ...]
    """Cards of each round ascending, round after round."""
    betting: BettingState


@attrs.frozen
class History:
    """A point of a hand with all its cards, dealt one position after the other, then round after round."""

    hole_cards: tuple[tuple[int, ...], ...]
    """Of the positions that have been dealt to, from 0."""
    board: tuple[int, ...]
    """Fewer cards than the betting has where a deal comes next."""
    betting: BettingState


Strategy = Callable[[InformationSet], Sequence[float]]
"""The chances of `legal_list`, in its order."""

Value = Callable[[History], float]
"""What a history is worth to position 0, in chips: any guess leaves the estimate unbiased."""


@attrs.frozen(eq=False)
class End:
    """All hands of play that end in one public state.  Matrices are indexed by the hands of positions 0 and
    1; entries of pairs that cannot be held together mean nothing."""

    betting: BettingState
    board: tuple[int, ...]
    is_possible: NDArray[np.bool_]
    """Whether a pair of hands can be held together on this board."""
    chips: Matrix
    """What position 0 wins."""
    reach: Matrix
    """The chance of this end with each pair of hands, under the strategies of `EnumeratedGame.ends`."""
    estimate: Matrix
    """AIVAT of position 0."""


def legal_list(betting: BettingState) -> tuple[Action, ...]:
    """What the position to act may do, in the order of a triple: fold, call, raise, as far as they are
    legal."""
    legal = betting.legal_actions()
    actions = [FOLD] if legal.can_fold else []
    actions.append(CALL)
    if legal.can_raise:
        actions.append(legal.raising_to())
    return tuple(actions)


@attrs.frozen(eq=False)
class _Walk:
    """Where the walk is."""

    betting: BettingState
    board: tuple[int, ...]
    known: tuple[Matrix, Matrix]
    """By position, the chance with which it comes here with each of its hands; ones for the unknown."""
    play: Matrix
    """The same of both players, as they really play, for every pair of hands."""
    corrections: Matrix
    """The sum of the corrections so far, for every pair that may be the true one."""


class EnumeratedGame:
    """A two-player limit game, small enough to look at all of it.

    Args:
        game: what is played.

    Raises:
        ValueError: not for two, no-limit, or more than 200 hands.
    """

    def __init__(self, game: GameDefinition) -> None:
        if game.num_players != 2 or not game.is_limit:
            raise ValueError("expected a limit game for two players")
        if math.comb(len(game.deck), game.num_hole_cards) > 200:
            raise ValueError("expected a game of up to 200 hands, got one that is too large to enumerate")
        self.game = game
        self.hands = tuple(itertools.combinations(sorted(game.deck), game.num_hole_cards))
        """What a player may hold."""
        self._holds = np.array([[card in hand for card in range(52)] for hand in self.hands])
        shared = self._holds.astype(np.int64) @ self._holds.T
        self._disjoint: NDArray[np.bool_] = shared == 0
        self._chips: dict[tuple[str, tuple[int, ...]], Matrix] = {}

    # --- what there is -----------------------------------------------------------------------------------

    def possible(self, board: tuple[int, ...]) -> NDArray[np.bool_]:
        """Whether two hands can be held together on a board, shape (hands, hands)."""
        free = np.logical_not(np.any(self._holds[:, list(board)], axis=1))
        possible: NDArray[np.bool_] = self._disjoint & free[:, None] & free[None, :]
        return possible

    def boards_after(self, board: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
        """The boards of some size that a board may become."""
        left = [card for card in sorted(self.game.deck) if card not in board]
        for more in itertools.combinations(left, size - len(board)):
            yield board + more

    def chips(self, betting: BettingState, board: tuple[int, ...]) -> Matrix:
        """What position 0 wins at an end of the hand with each pair of hands."""
        key = betting.text, board
        if key not in self._chips:
            possible, chips = self.possible(board), np.zeros(self._disjoint.shape)
            for first, second in zip(*np.nonzero(possible), strict=True):
                pair = self.hands[first], self.hands[second]
                chips[first, second] = chips_won(betting, pair, board)[0]
            self._chips[key] = chips
        return self._chips[key]

    def _strategy_at(self, strategy: Strategy, betting: BettingState, board: tuple[int, ...]) -> Matrix:
        """What a player to act does with each hand, shape (hands, actions); nothing with those it cannot
        hold.

        Raises:
            ValueError: not a chance for each action.
        """
        number = len(legal_list(betting))
        chances = np.zeros((len(self.hands), number))
        for index, hand in enumerate(self.hands):
            if not set(hand) & set(board):
                given = tuple(strategy(InformationSet(hand, board, betting)))
                if len(given) != number or abs(sum(given) - 1) > 1e-9 or min(given) < 0:
                    raise ValueError(
                        f"expected {number} chances that add up to 1 for {legal_list(betting)}, got {given}"
                    )
                chances[index] = given
        return chances

    def expected_values(self, strategies: Sequence[Strategy]) -> Value:
        """What every history is worth when both players go on as they are said to.

        Args:
            strategies: by position.
        """
        found: dict[tuple[str, tuple[int, ...]], Matrix] = {}

        def value_of(betting: BettingState, board: tuple[int, ...]) -> Matrix:
            key = betting.text, board
            if key not in found:
                found[key] = compute(betting, board)
            return found[key]

        def compute(betting: BettingState, board: tuple[int, ...]) -> Matrix:
            if len(board) < betting.num_board_cards:
                total, number = np.zeros(self._disjoint.shape), np.zeros(self._disjoint.shape)
                for after in self.boards_after(board, betting.num_board_cards):
                    possible = self.possible(after)
                    total += np.where(possible, value_of(betting, after), 0.0)
                    number += possible
                return total / np.maximum(number, 1)
            position = betting.position_to_act
            if position is None:
                return self.chips(betting, board)
            chances = self._strategy_at(strategies[position], betting, board)
            total = np.zeros(self._disjoint.shape)
            for column, action in enumerate(legal_list(betting)):
                total += _along(position, chances[:, column]) * value_of(betting.apply(action), board)
            return total

        start = initial_betting(self.game)

        def value(history: History) -> float:
            dealt = tuple(self.hands.index(hand) for hand in history.hole_cards)
            if len(dealt) == 2:
                return float(value_of(history.betting, history.board)[dealt])
            possible, values = self.possible(()), value_of(start, ())
            return float(values[dealt][possible[dealt]].mean())

        return value

    # --- AIVAT -------------------------------------------------------------------------------------------

    def ends(self, strategies: Sequence[Strategy], known: Collection[int], value: Value) -> Iterator[End]:
        """All ends of the game, with their chances and estimates.

        Args:
            strategies: by position, of both players: those that are not known make chances only.
            known: positions whose strategy enters the estimate; none for chance alone.
            value: of histories.
        """
        yield from self._ends_from(self._beginning(known, value), strategies, known, value)

    def estimate(self, state: HandState, known: Mapping[int, Strategy], value: Value) -> float:
        """AIVAT of position 0 in one hand of play.

        Args:
            state: the end of the hand, with its true cards.
            known: strategies of the positions that are known.
            value: of histories.

        Raises:
            ValueError: the hand is not over, or a known player never does what it did, whatever it holds.
        """
        if not state.is_finished:
            raise ValueError(f"AIVAT is of hands that are over; after {state.betting.text!r} it is not")
        walk = self._beginning(known, value)
        for betting in [*[before for before, _, _ in state.betting.steps()][1:], state.betting]:
            walk = self._after_action(walk, betting, known, value)
            board = state.deal.board
            ends = [0, *self.game.board_ends]
            ordered = [
                sorted(board[a:b]) for a, b in itertools.pairwise(ends) if b <= betting.num_board_cards
            ]
            if len(walk.board) < betting.num_board_cards:
                walk = self._after_deal(walk, tuple(itertools.chain(*ordered)), known, value)
        pair = tuple(self.hands.index(tuple(sorted(hand))) for hand in state.deal.hole_cards)
        found = float(self._estimate(walk, known)[pair])
        if not math.isfinite(found):
            raise ValueError(f"a known player never does what it did in {state.betting.text!r}")
        return found

    def _values(self, betting: BettingState, board: tuple[int, ...], value: Value) -> Matrix:
        """The values of all histories of a public state; the chips themselves where the hand is over."""
        if betting.position_to_act is None and len(board) == betting.num_board_cards:
            return self.chips(betting, board)
        values = np.zeros(self._disjoint.shape)
        for first, second in zip(*np.nonzero(self.possible(board)), strict=True):
            values[first, second] = value(History((self.hands[first], self.hands[second]), board, betting))
        return values

    def _mean(self, walk: _Walk, matrix: Matrix, known: Collection[int]) -> Matrix:
        """The mean over what known players may hold, for every pair that may be the true one."""
        weights = self.possible(walk.board) * walk.known[0][:, None] * walk.known[1][None, :]
        axes = tuple(sorted(known))
        if not axes:
            return matrix
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (weights * matrix).sum(axis=axes, keepdims=True) / weights.sum(axis=axes, keepdims=True)
        result: Matrix = np.broadcast_to(means, matrix.shape)
        return result

    def _beginning(self, known: Collection[int], value: Value) -> _Walk:
        """The start of a hand: both players have been dealt to, the one whose cards count first."""
        betting, number = initial_betting(self.game), len(self.hands)
        ones, possible = np.ones(number), self.possible(())
        walk = _Walk(betting, (), (ones, ones), possible / possible.sum(), np.zeros(possible.shape))
        by_first = np.array([value(History((hand,), (), betting)) for hand in self.hands])
        by_pair = self._values(betting, (), value)
        after_first = np.broadcast_to(by_first[:, None], by_pair.shape)
        after_second = (np.where(possible, by_pair, 0.0).sum(axis=1) / possible.sum(axis=1))[:, None]
        corrections = np.zeros(possible.shape)
        if 0 not in known:
            corrections += by_first.mean() - after_first
        if 1 not in known:
            before = after_second.mean() if 0 in known else after_second
            corrections += before - self._mean(walk, by_pair, known)
        return attrs.evolve(walk, corrections=corrections)

    def _after_action(
        self, walk: _Walk, betting: BettingState, known: Mapping[int, Strategy], value: Value
    ) -> _Walk:
        """The walk after the last action of `betting`."""
        position = walk.betting.position_to_act
        assert position is not None  # somebody has acted
        assert betting.last_step is not None
        if position not in known:
            return attrs.evolve(walk, betting=betting)
        chances = self._strategy_at(known[position], walk.betting, walk.board)
        column = legal_list(walk.betting).index(betting.last_step[2])
        return self._acted(walk, chances, known, value)[column]

    def _acted(self, walk: _Walk, chances: Matrix, known: Collection[int], value: Value) -> list[_Walk]:
        """The walks after each action of a known player, who does it with these chances."""
        position = walk.betting.position_to_act
        assert position is not None
        bettings = [walk.betting.apply(action) for action in legal_list(walk.betting)]
        values = [self._values(betting, walk.board, value) for betting in bettings]
        mixed = np.zeros(self._disjoint.shape)
        for column, matrix in enumerate(values):
            mixed += _along(position, chances[:, column]) * matrix
        before = self._mean(walk, mixed, known)
        walks = []
        for column, (betting, matrix) in enumerate(zip(bettings, values, strict=True)):
            reach = list(walk.known)
            reach[position] = reach[position] * chances[:, column]
            after = attrs.evolve(walk, betting=betting, known=(reach[0], reach[1]))
            corrections = walk.corrections + before - self._mean(after, matrix, known)
            walks.append(attrs.evolve(after, corrections=corrections))
        return walks

    def _after_deal(self, walk: _Walk, board: tuple[int, ...], known: Collection[int], value: Value) -> _Walk:
        """The walk after board cards."""
        total, number = np.zeros(self._disjoint.shape), np.zeros(self._disjoint.shape)
        for after in self.boards_after(walk.board, len(board)):
            possible = self.possible(after)
            total += np.where(possible, self._values(walk.betting, after, value), 0.0)
            number += possible
        before = self._mean(walk, total / np.maximum(number, 1), known)
        dealt = attrs.evolve(walk, board=board)
        came = self._mean(dealt, self._values(walk.betting, board, value), known)
        return attrs.evolve(dealt, corrections=walk.corrections + before - came)

    def _estimate(self, walk: _Walk, known: Collection[int]) -> Matrix:
        return walk.corrections + self._mean(walk, self.chips(walk.betting, walk.board), known)

    def _ends_from(
        self, walk: _Walk, strategies: Sequence[Strategy], known: Collection[int], value: Value
    ) -> Iterator[End]:
        betting, board = walk.betting, walk.board
        if len(board) < betting.num_board_cards:
            boards = list(self.boards_after(board, betting.num_board_cards))
            number = sum(self.possible(after).astype(np.float64) for after in boards)
            for after in boards:
                chance = self.possible(after) / np.maximum(number, 1)
                dealt = self._after_deal(walk, after, known, value)
                yield from self._ends_from(
                    attrs.evolve(dealt, play=walk.play * chance), strategies, known, value
                )
            return
        position = betting.position_to_act
        if position is None:
            possible = self.possible(board)
            yield End(
                betting, board, possible, self.chips(betting, board), walk.play, self._estimate(walk, known)
            )
            return
        chances = self._strategy_at(strategies[position], betting, board)
        if position in known:
            walks = self._acted(walk, chances, known, value)
        else:
            walks = [attrs.evolve(walk, betting=betting.apply(action)) for action in legal_list(betting)]
        for column, acted in enumerate(walks):
            play = walk.play * _along(position, chances[:, column])
            yield from self._ends_from(attrs.evolve(acted, play=play), strategies, known, value)


def _along(position: int, by_hand: NDArray[np.float64]) -> Matrix:
    """Numbers for each hand of a position, as a matrix that goes with pairs of hands."""
    return by_hand[:, None] if position == 0 else by_hand[None, :]
