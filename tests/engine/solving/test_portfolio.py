"""Portfolios: estimates that are right on average, exactly, and weights that follow them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from engine.kernels.solving.tree import TERMINAL
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combo_cards, combos_without
from engine.poker.rules import (
    CALL,
    LIMIT_RAISE,
    BettingState,
    Deal,
    HandState,
    HandView,
    initial_betting,
    load_game,
)
from engine.solving.game_tree import game_tree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.mixtures import HoldemPortfolio, SmallPortfolio, mixed
from engine.solving.strategies import policy_with, uniform_policy, values

KUHN = game_tree(load_game("kuhn-2p"))


def portfolio() -> SmallPortfolio:
    policies = [policy_with(KUHN, weights) for weights in ((1, 2, 1), (0, 1, 1), (2, 1, 3))]
    return SmallPortfolio(KUHN, policies)


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
            first, second = (
                KUHN.deals.cards_of(0, int(KUHN.views_at(node, each)[deal]))[0] for each in (0, 1)
            )
            end = HandView(node.betting, seat, 0, (first, second), ())
            expected += chance * strategies.would_have_won(end)

    exact = [values(KUHN, seated(each, opponent, seat))[seat] for each in strategies.policies]
    np.testing.assert_allclose(expected, exact, atol=1e-12)


def test_it_plays_as_the_mixture_of_its_strategies() -> None:
    strategies = portfolio()
    ours = mixed(KUHN, strategies.policies, strategies.weights)
    for found in KUHN.information_sets():
        chances = strategies.chances(KUHN.hand_view(found))
        np.testing.assert_allclose(list(chances.values()), ours[found.slots], atol=1e-12)


def test_winners_gain_weight_and_nobody_loses_all_of_it() -> None:
    strategies = portfolio()
    np.testing.assert_allclose(strategies.weights, 1 / 3)
    found = next(KUHN.information_sets())
    raised = found.node.betting.apply(found.node.actions[-1])
    over = raised.apply(KUHN.decision(raised).actions[0])
    end = HandView(over, 0, 0, KUHN.hand_view(found).hole_cards, ())
    for _ in range(400):
        strategies.learn(end)  # a bet that always wins

    weights = strategies.weights
    bets = [policy[found.slots][-1] for policy in strategies.policies]
    assert np.argmax(weights) == np.argmax(bets)
    assert weights.max() > 0.8
    assert weights.min() >= 0.05 / 3
    assert strategies.hands == 400


# --- hold'em -----------------------------------------------------------------------------------------------

LIMIT = load_game("limit-2p")
BOARD = parse_cards("Kh9h4c4d2s")
THEIRS = parse_cards("Kc8c")


def at_random(seed: int, *, folds: bool) -> BucketedStrategy:
    """A strategy on few buckets that does anything."""
    betting = holdem_betting(LIMIT, Percentiles(3).num_buckets)
    weights = np.random.default_rng(seed).random(betting.num_slots)
    if not folds:
        for decision in betting.decisions.values():
            number = len(decision.actions)
            if number == 3:
                end = decision.first_slot + 3 * betting.num_buckets[decision.betting_round]
                weights[decision.first_slot : end : 3] = 0.0
    return BucketedStrategy.of(LIMIT, Percentiles(3), weights)


def lines(members: Sequence[BucketedStrategy]) -> Iterator[tuple[BettingState, np.ndarray]]:
    """All that the big blind may do against a caller; how likely each member does it, by combo."""
    left = [(initial_betting(LIMIT), np.ones((len(members), NUM_COMBOS)))]
    while left:
        betting, chances = left.pop()
        if betting.position_to_act is None:
            yield betting, chances
        elif betting.position_to_act == 1:
            left.append((betting.apply(CALL), chances))
        else:
            found = [member.chances_of_all(betting, BOARD[: betting.num_board_cards]) for member in members]
            for place, action in enumerate(found[0][0]):
                taken = np.array([each[:, place] for _, each in found])
                left.append((betting.apply(action), chances * taken))


@pytest.mark.parametrize(("folds", "error"), [(False, 1e-9), (True, 0.02)])
def test_estimates_are_right_on_average_in_holdem(folds: bool, error: float) -> None:
    """All that we may hold and do against a caller with known cards: the estimates are what each wins.

    What is won is counted hand by hand, by the rules.  Where we fold we do not see the caller's cards, and
    take some hands for possible that share a card with them: an error of a small part of a big blind.
    """
    members = [at_random(seed, folds=folds) for seed in (1, 2)]
    strategies = HoldemPortfolio(members)
    hands = np.flatnonzero(combos_without((*BOARD, *THEIRS)))
    estimated, exact, total = np.zeros(2), np.zeros(2), 0.0
    for betting, chances in lines(members):
        states = [HandState(betting, 0, Deal((combo_cards(int(hand)), THEIRS), BOARD)) for hand in hands]
        by_member = chances[:, hands] / len(hands)
        exact += by_member @ [state.chips_won()[0] for state in states]
        likely = float(strategies.weights @ by_member.sum(axis=1))
        estimated += likely * strategies.would_have_won(states[0].view(0))
        total += likely

    assert total == pytest.approx(1.0)
    np.testing.assert_allclose(estimated, exact, rtol=0, atol=error * LIMIT.big_blind)
    assert abs(exact[0] - exact[1]) > 2 * error * LIMIT.big_blind


def test_in_holdem_it_plays_as_if_it_drew_a_strategy_before_the_hand() -> None:
    members = [at_random(seed, folds=True) for seed in (1, 2)]
    strategies = HoldemPortfolio(members)
    state = HandState(initial_betting(LIMIT), 0, Deal((THEIRS, parse_cards("AhAd")), BOARD))
    raised = state.apply(LIMIT_RAISE).apply(CALL).apply(CALL)
    reach = [member.chances(state.view(1))[LIMIT_RAISE] for member in members]
    then = [member.chances(raised.view(1)) for member in members]

    for action, chance in strategies.chances(raised.view(1)).items():
        expected = sum(r * chances[action] for r, chances in zip(reach, then, strict=True)) / sum(reach)
        assert chance == pytest.approx(expected)
