"""Several strategies of a game together: mixtures, the range of skill, portfolios.

**Mixtures**: one strategy that is equivalent to drawing one of several before each hand, and the optimal
mixtures of a matrix game.

**Range of Skill**: a list of strategies, each of which beats every one before it by ε or more.  The greatest
length of such a list measures how much room for skill a game has.  The algorithm builds a list.  The next
strategy is always a *generalised best response*: it maximises its smallest win against the strategies so far.
Once even that is less than ε, no strategy beats the whole list by ε, and nobody beats the right mixture of
the list by ε.  The generalised best response is found by double oracle.  The results of the known responses
against the list form a table, which is solved as a matrix game.  The best response to the resulting mixture
of the list is added, and so on, until it wins no more than the table says.

**Portfolios**: several strategies, of which the one that would have won most gets most of the weight.  What a
strategy would have won is estimated from every hand, whichever of them played it: what was won, times the
chance of the strategy's own actions divided by the chance of ours.  This is unbiased, since cards and
opponents do not depend on which strategy is asked.  The weights follow from the estimates as in Hedge, with a
rate that falls as the estimates scatter more, and every strategy keeps a little weight.

Sources: M. Zinkevich, M. Bowling, N. Burch, *A New Algorithm for Generating Equilibria in Massive Zero-Sum
Games* (2007); N. Bard, M. Johanson, N. Burch, M. Bowling, *Online Implicit Agent Modelling* (2013); M.
Bowling, M. Johanson, N. Burch, D. Szafron, *Strategy Evaluation in Extensive Games with Importance Sampling*
(2008).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
import numpy as np

from engine.hands.hand_rank import board_ranks, hand_rank
from engine.poker.combos import NUM_COMBOS, combo_cards, combos_without
from engine.poker.rules import Action, BettingState, HandView
from engine.poker.rules.showdown import chips_won
from engine.solving.game_tree import GameTree
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.responses import full_response, won_of
from engine.solving.strategies import uniform_policy
from engine.support.arrays import Floats

_ROUNDING: Final = 1e-12
"""Smaller numbers are taken for rounding errors."""
_PRECISION: Final = 1e-7
"""How exact a generalised best response is, in chips per hand."""
_SHARED: Final = 0.05
"""The part of the weight that all strategies share equally; it bounds the divisor of every estimate."""


def sequences(tree: GameTree, policy: Floats) -> Floats:
    """Realization weights: for each slot, the chance that the player's own actions lead to and through it.

    The chances of the other players and of the cards are left out.  Shape (slots,).

    Source: Koller, Megiddo, von Stengel, *Fast Algorithms for Finding Randomized Strategies in Game Trees*
    (1994).
    """
    reach = np.empty(tree.num_slots)
    for node in tree.decisions:
        parents = tree.arrays.parents[node.first_set : node.first_set + node.num_views]
        before = np.where(parents >= 0, reach[parents], 1.0)
        node.slots(reach)[:] = node.slots(policy) * before
    return reach


def mixed(tree: GameTree, policies: Sequence[Floats], weights: Sequence[float] | Floats) -> Floats:
    """The policy equivalent to drawing one of several policies before each hand, in all seats; by slot.

    Where none of them ever plays to, it is their mean.

    Args:
        tree: the game.
        policies: one or more policies.
        weights: their chances, which add up to 1.

    Raises:
        ValueError: there are not as many weights as policies.
    """
    total = np.zeros(tree.num_slots)
    mean = np.zeros(tree.num_slots)
    for policy, weight in zip(policies, weights, strict=True):
        if weight > 0:
            total += weight * sequences(tree, policy)
        mean += policy / len(policies)
    result = np.empty(tree.num_slots)
    for node in tree.decisions:
        through = node.slots(total)
        arrives = through.sum(axis=0)
        comes = arrives > _ROUNDING
        node.slots(result)[:] = np.where(comes, through / np.where(comes, arrives, 1.0), node.slots(mean))
    return result


@attrs.frozen(eq=False)
class MatrixGame:
    """The solution of a zero-sum matrix game."""

    value: float
    """What the row player wins on average if both play optimally."""
    rows: Floats
    """The row player's chances, shape (rows,)."""
    columns: Floats
    """The column player's chances, shape (columns,)."""


def solve_matrix_game(payoffs: Floats) -> MatrixGame:
    """An equilibrium of a zero-sum matrix game.

    By the simplex method on the column player's linear program.  The steepest column enters; after twice as
    many steps as should suffice, Bland's rule takes over, which cannot cycle.

    Args:
        payoffs: what the row player wins from the column player, shape (rows, columns).
    """
    rows, columns = payoffs.shape
    shift = 1.0 - float(payoffs.min())
    # Maximise sum(y) subject to (payoffs + shift) y <= 1, y >= 0; the value is then 1 / sum(y).
    tableau = np.zeros((rows + 1, columns + rows + 1))
    tableau[:rows, :columns] = payoffs + shift
    tableau[:rows, columns:-1] = np.eye(rows)
    tableau[:rows, -1] = 1.0
    tableau[rows, :columns] = -1.0
    basis = np.arange(columns, columns + rows)
    pivots = 0
    while True:
        entering = np.flatnonzero(tableau[rows, :-1] < -_ROUNDING)
        if not entering.size:
            break
        pivots += 1
        steepest = pivots <= 4 * (rows + columns)
        column = int(np.argmin(tableau[rows, :-1]) if steepest else entering[0])
        usable = tableau[:rows, column] > _ROUNDING
        ratios = np.where(usable, tableau[:rows, -1] / np.where(usable, tableau[:rows, column], 1.0), np.inf)
        ties = np.flatnonzero(ratios <= ratios.min() + _ROUNDING)
        row = int(ties[np.argmin(basis[ties])])
        tableau[row] /= tableau[row, column]
        others = np.arange(rows + 1) != row
        tableau[others] -= np.outer(tableau[others, column], tableau[row])
        basis[row] = column
    solution = np.zeros(columns + rows)
    solution[basis] = tableau[:rows, -1]
    total = float(solution[:columns].sum())
    duals = np.maximum(tableau[rows, columns:-1], 0.0)
    return MatrixGame(1.0 / total - shift, duals / duals.sum(), np.maximum(solution[:columns], 0.0) / total)


@attrs.frozen(eq=False)
class SkillStep:
    """One more strategy of the list or, as the last step, the proof that there is none."""

    policy: Floats
    """The generalised best response to all strategies before it, by slot."""
    gain: float
    """What it wins at least from each of them, in chips per hand, the mean over both seats."""
    mixture: Floats
    """The mixture of the strategies before it from which nobody wins more than `gain`, by slot."""


def range_of_skill(tree: GameTree, epsilon: float, first: Floats | None = None) -> Iterator[SkillStep]:
    """The steps of the algorithm; the last one gains less than ε and adds no strategy to the list.

    A list of n strategies takes n steps: the first strategy is given, and step k finds the k-th after it.

    Args:
        tree: a game for two players.
        epsilon: ε in chips per hand, above 0.
        first: the first strategy of the list, by slot; None for the uniform one.

    Raises:
        ValueError: ε is not above 0, or the game is not for two players.
    """
    if not epsilon > 0:
        raise ValueError(f"expected an epsilon above 0, got {epsilon}")
    if tree.game.num_players != 2:
        raise ValueError(f"the range of skill is for two players, the game has {tree.game.num_players}")
    members = [uniform_policy(tree) if first is None else first]
    responses: list[Floats] = []
    results = np.empty((0, 1))
    while True:
        step, responses, results, rows = _generalised_best_response(tree, members, responses, results)
        yield step
        if step.gain < epsilon:
            return
        # Only responses with weight are worth keeping for the next step.
        responses = [response for response, weight in zip(responses, rows, strict=True) if weight > 0]
        results = results[rows > 0]
        members.append(step.policy)
        column = [[won_of(tree, response, step.policy)] for response in responses]
        results = np.hstack([results, np.array(column)])


def _generalised_best_response(
    tree: GameTree, members: list[Floats], responses: list[Floats], results: Floats
) -> tuple[SkillStep, list[Floats], Floats, Floats]:
    """The next step, with the responses known by then, their results against the list, and their weights."""
    mixture = members[-1]
    lower = -np.inf
    rows: Floats = np.empty(0)
    while True:
        if responses:
            game = solve_matrix_game(results)
            mixture, lower, rows = mixed(tree, members, game.columns), game.value, game.rows
        response = full_response(tree, mixture)
        if won_of(tree, response, mixture) <= lower + _PRECISION:
            break
        responses = [*responses, response]
        results = np.vstack([results, [won_of(tree, response, member) for member in members]])
    # Only those with weight, so that nobody else decides where none of them comes.
    parts = [(policy, weight) for policy, weight in zip(responses, rows, strict=True) if weight > 0]
    policy = mixed(tree, [each for each, _ in parts], [weight for _, weight in parts])
    return SkillStep(policy, lower, mixture), responses, results, rows


class Portfolio(ABC):
    """Strategies with weights that are learnt from hands; each player that uses one has its own.

    Args:
        number: the number of strategies, two or more.
    """

    def __init__(self, number: int) -> None:
        self._sums = np.zeros(number)
        self._scatter = 0.0
        self.hands = 0
        """The number of hands learnt from."""

    @property
    def learnt(self) -> list[float]:
        """The numbers of what has been learnt: hands, scatter, and what each strategy would have won."""
        return [float(self.hands), self._scatter, *self._sums.tolist()]

    @learnt.setter
    def learnt(self, numbers: Sequence[float]) -> None:
        hands, self._scatter, *sums = numbers
        self.hands, self._sums = int(hands), np.array(sums)

    @property
    def weights(self) -> Floats:
        """The chance with which each strategy is drawn before a hand, shape (strategies,)."""
        number = len(self._sums)
        rate = math.sqrt(math.log(number) / self._scatter) if self._scatter > 0 else 0.0
        said = np.exp(rate * (self._sums - self._sums.max()))
        return (1 - _SHARED) * said / said.sum() + _SHARED / number

    @abstractmethod
    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action, as if one of the strategies had been drawn before the hand.

        Raises:
            ValueError: it is not this player's turn, or not this game.
        """

    @abstractmethod
    def would_have_won(self, view: HandView) -> Floats:
        """An unbiased estimate of the chips each strategy would have won in a hand, shape (strategies,).

        Args:
            view: the finished hand, as seen by the player who uses the portfolio.
        """

    def learn(self, view: HandView) -> None:
        """Learn from a finished hand.

        Args:
            view: the finished hand, as seen by the player who uses the portfolio.
        """
        shares = self.weights
        estimates = self.would_have_won(view)
        self._scatter += float(shares @ estimates**2)
        self._sums += estimates
        self.hands += 1


class SmallPortfolio(Portfolio):
    """A portfolio for a small game.

    Args:
        tree: the game.
        policies: two or more policies, each for all positions.
    """

    def __init__(self, tree: GameTree, policies: Sequence[Floats]) -> None:
        super().__init__(len(policies))
        self.tree = tree
        self.policies = tuple(policies)
        self._reach = np.array([sequences(tree, policy) for policy in policies])

    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action; see `Portfolio.chances`."""
        found = self.tree.information_set(view)
        through = self.weights @ self._reach[:, found.slots]
        if through.sum() <= 0:  # no strategy plays to here: somebody else has acted in our place
            through = np.mean([policy[found.slots] for policy in self.policies], axis=0)
        return dict(zip(found.node.actions, (through / through.sum()).tolist(), strict=True))

    def would_have_won(self, view: HandView) -> Floats:
        """The chips won, times the ratio of each strategy's chances to ours."""
        won = view.chips_won()[view.position]
        for before, position, action in view.betting.steps_back():
            if position == view.position:
                found = self.tree.information_set(_then(view, before))
                number = found.node.actions.index(action)
                reach = self._reach[:, found.slots][:, number]
                ours = float(self.weights @ reach)
                if ours <= 0:
                    return np.zeros(len(self.policies))
                return won * reach / ours
        return np.full(len(self.policies), won)


class HoldemPortfolio(Portfolio):
    """A portfolio for heads-up hold'em on buckets.

    Opponents do not depend on our hole cards either.  So each hand stands for all hands that differ from it
    only in our hole cards, weighted by the chance that we would have played that far with them: one hand
    tells as much as hundreds (Bowling and others 2008, 4.2).  Where the opponent's cards were not shown, the
    hand ended by a fold and was worth the same with all our cards; but then some of our cards were a little
    less likely than is assumed here.

    Args:
        strategies: two or more strategies of the same game.
    """

    def __init__(self, strategies: Sequence[BucketedStrategy]) -> None:
        super().__init__(len(strategies))
        self.strategies = tuple(strategies)

    def chances(self, view: HandView) -> dict[Action, float]:
        """The chance of each action; see `Portfolio.chances`."""
        reach = self.weights
        for before, position, action in view.betting.steps():
            if position == view.position:
                then = _then(view, before)
                reach = reach * [each.chances(then).get(action, 0.0) for each in self.strategies]
        if reach.sum() <= 0:  # no strategy plays to here: somebody else has acted in our place
            reach = np.ones(len(self.strategies))
        found: dict[Action, float] = {}
        for strategy, weight in zip(self.strategies, (reach / reach.sum()).tolist(), strict=True):
            for action, chance in strategy.chances(view).items():
                found[action] = found.get(action, 0.0) + weight * chance
        return found

    def would_have_won(self, view: HandView) -> Floats:
        """The estimate over all of our possible hole cards; see `Portfolio.would_have_won`."""
        reach = np.ones((len(self.strategies), NUM_COMBOS))
        for before, position, action in view.betting.steps():
            if position == view.position:
                board = view.board[: before.num_board_cards]
                for row, strategy in zip(reach, self.strategies, strict=True):
                    actions, chances = strategy.chances_of_all(before, board)
                    row *= chances[:, actions.index(action)] if action in actions else 0.0
        won = _won_with_each(view)
        can_be = ~np.isnan(won)
        ours = float(self.weights @ reach[:, can_be].sum(axis=1))
        if ours <= 0:
            return np.zeros(len(self.strategies))
        return reach[:, can_be] @ won[can_be] / ours


def _then(view: HandView, before: BettingState) -> HandView:
    """The player's view before one of the actions of a hand."""
    board = view.board[: before.num_board_cards]
    return HandView(before, view.position, view.hand_number, view.hole_cards, board)


def _won_with_each(view: HandView) -> Floats:
    """The chips we would have won in a finished hand with each combo, shape (1326,); nan where impossible."""
    other = view.hole_cards[1 - view.position]
    possible = combos_without((*view.board, *other))
    won = np.full(NUM_COMBOS, np.nan)
    if not view.betting.is_showdown:
        won[possible] = view.chips_won()[view.position]
        return won
    sides = np.sign(board_ranks(view.board).astype(np.int64) - hand_rank((*other, *view.board)))
    for side in (-1, 0, 1):
        alike = possible & (sides == side)
        if alike.any():
            cards = list(view.hole_cards)
            cards[view.position] = combo_cards(int(np.argmax(alike)))
            won[alike] = chips_won(view.betting, tuple(cards), view.board)[view.position]
    return won
