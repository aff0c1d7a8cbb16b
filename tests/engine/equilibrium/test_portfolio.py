"""Portfolios: estimates that are right on average, exactly, and weights that follow them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.equilibrium.game_tree import game_tree
from engine.equilibrium.mixtures.mixing import mixed
from engine.equilibrium.mixtures.portfolio import Portfolio
from engine.equilibrium.strategies import policy_with, uniform_policy
from engine.equilibrium.values import values
from engine.kernels.equilibrium.tree import TERMINAL
from engine.rules import HandView, load_game

KUHN = game_tree(load_game("kuhn-2p"))


def portfolio() -> Portfolio:
    policies = [policy_with(KUHN, weights) for weights in ((1, 2, 1), (0, 1, 1), (2, 1, 3))]
    return Portfolio(KUHN, policies)


def seated(policy: np.ndarray, opponent: np.ndarray, seat: int) -> np.ndarray:
    joined = opponent.copy()
    for node in KUHN.decisions:
        if node.kind == seat:
            node.slots(joined)[:] = node.slots(policy)
    return joined


@pytest.mark.parametrize("seat", [0, 1])
def test_estimates_are_right_on_average(seat: int) -> None:
    """Over all hands of Kuhn's game, each by its chance: the estimates are what each strategy wins."""
    strategies, opponent = portfolio(), uniform_policy(KUHN)
    ours = mixed(KUHN, strategies.policies, strategies.weights)
    policy = seated(ours, opponent, seat)
    expected = np.zeros(3)
    for node in KUHN.nodes:
        if node.kind != TERMINAL:
            continue
        for deal in range(node.size):
            chance = float(KUHN.arrays.deals[deal])
            for before, position, action in node.betting.steps():
                decision = KUHN.decision(before)
                view = KUHN.views_at(decision, position)[deal]
                chance *= decision.slots(policy)[decision.actions.index(action), view]
            own = KUHN.deals.cards_of(0, int(KUHN.views_at(node, seat)[deal]))[0]
            cards = (own, ()) if seat == 0 else ((), own)
            won = KUHN._payoffs(node)[seat][deal]
            expected += chance * won * strategies.ratios(HandView(node.betting, seat, 0, cards, ()))

    exact = [values(KUHN, seated(each, opponent, seat))[seat] for each in strategies.policies]
    np.testing.assert_allclose(expected, exact, atol=1e-12)


def test_it_plays_as_the_mixture_of_its_strategies() -> None:
    strategies = portfolio()
    ours = mixed(KUHN, strategies.policies, strategies.weights)
    for found in KUHN.information_sets():
        chances = strategies.chances(KUHN.hand_view(found))
        np.testing.assert_allclose(list(chances.values()), ours[found.slots], atol=1e-12)


def test_what_wins_gets_the_say_and_nobody_loses_all_of_it() -> None:
    strategies = portfolio()
    np.testing.assert_allclose(strategies.weights, 1 / 3)
    found = next(KUHN.information_sets())
    raised = found.node.betting.apply(found.node.actions[-1])
    over = raised.apply(KUHN.decision(raised).actions[0])
    end = HandView(over, 0, 0, KUHN.hand_view(found).hole_cards, ())
    for _ in range(400):
        strategies.learn(end, 1.0)  # a bet that always wins

    weights = strategies.weights
    bets = [policy[found.slots][-1] for policy in strategies.policies]
    assert np.argmax(weights) == np.argmax(bets)
    assert weights.max() > 0.8
    assert weights.min() >= 0.05 / 3
    assert strategies.hands == 400
