"""The betting in arrays follows the rules of the engine, in any game."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from engine.hands.betting_arrays import (
    action_from_number,
    betting_arrays,
    game_array,
    number_of_action,
)
from engine.kernels.poker import betting as kernels
from engine.kernels.poker.betting import Node
from engine.poker.rules import (
    CALL,
    FOLD,
    Action,
    CardDealer,
    GameDefinition,
    HandState,
    initial_hand,
    load_game,
)
from engine.poker.rules.hand_rank import hand_rank
from engine.support.arrays import Ints
from tests.support.hands.strategies import choices, choose, games

NAMES = ["limit-2p", "limit-3p", "limit-6p", "nolimit-2p", "nolimit-2p-100bb", "nolimit-3p", "nolimit-6p"]


def check_hand(game: GameDefinition, picks: list[int]) -> None:
    """Play one hand by the rules and in arrays; everything agrees at every step."""
    rules = game_array(game)
    spent, node = np.zeros(kernels.MAX_PLAYERS, np.int64), np.zeros(kernels.NODE_SIZE, np.int64)
    state = initial_hand(game, 0, CardDealer(game, 7).deal())
    kernels.begin_betting(rules, spent, node)
    for step in range(1000):
        expected_spent, expected_node = betting_arrays(state.betting)
        assert spent.tolist() == expected_spent.tolist()
        if state.is_finished:
            ended = [Node.TO_ACT, Node.FOLDED, Node.ROUND, Node.MAX_SPENT]
            assert node[ended].tolist() == expected_node[ended].tolist()
            break
        assert node.tolist() == expected_node.tolist()
        legal = state.legal_actions()
        found = kernels.legal_raise(rules, spent, node)
        assert found == (legal.min_raise_to or 0, legal.max_raise_to or 0)
        action = choose(picks[step], legal) if step < len(picks) else CALL
        number = number_of_action(action, state.betting)
        assert action_from_number(number, game.is_limit) == action
        kernels.apply_action(rules, spent, node, number)
        state = state.apply(action)
    else:
        pytest.fail("the hand does not end")
    check_settling(game, state, spent, int(node[Node.FOLDED]))


def check_settling(game: GameDefinition, state: HandState, spent: Ints, folded: int) -> None:
    ranks = np.zeros(kernels.MAX_PLAYERS, np.int64)
    if state.betting.is_showdown:
        by_rank = {hand_rank((*cards, *state.board)) for cards in state.deal.hole_cards}
        order = sorted(by_rank)
        for position, cards in enumerate(state.deal.hole_cards):
            ranks[position] = order.index(hand_rank((*cards, *state.board)))
    won = np.zeros(kernels.MAX_PLAYERS)
    scratch = np.zeros(kernels.MAX_PLAYERS, np.int64)
    kernels.settle(game_array(game), spent, folded, ranks.astype(np.uint16), scratch, won)
    assert won[: game.num_players] == pytest.approx(state.chips_won())


@settings(max_examples=150, deadline=None)
@given(games(), choices)
def test_any_hand_of_any_game_goes_as_by_the_rules(game: GameDefinition, picks: list[int]) -> None:
    assume(not game.is_limit or min(game.raise_sizes) > 0)

    check_hand(game, picks)


@pytest.mark.parametrize("name", NAMES)
def test_hands_of_packaged_games_go_as_by_the_rules(name: str) -> None:
    game = load_game(name)
    rng = np.random.default_rng(3)

    for _ in range(40):
        check_hand(game, rng.integers(0, 1 << 16, 60).tolist())


def test_actions_have_the_numbers_that_kernels_know() -> None:
    betting = initial_hand(load_game("limit-2p"), 0, CardDealer(load_game("limit-2p"), 1).deal()).betting

    assert number_of_action(FOLD, betting) == kernels.FOLD
    assert number_of_action(CALL, betting) == kernels.CALL
    assert number_of_action(betting.legal_actions().raising_to(), betting) == 20
    assert isinstance(action_from_number(20, True), Action)
