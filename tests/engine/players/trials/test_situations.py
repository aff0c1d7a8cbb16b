"""The public situation in a node of the betting tree is that of the betting, wherever a hand goes."""

from __future__ import annotations

import random

import pytest

from engine.hands.betting_arrays import number_of_action
from engine.kernels.players.trials.situations import context_in, situation_in
from engine.kernels.players.trials.tree import make_child
from engine.players.action_context import situation_of
from engine.players.trials.trials import Trials, first_actions, new_tree
from engine.poker.rules import FOLD, load_game
from engine.poker.rules.betting import initial_betting
from tests.engine.players.trials.spots import fixed, make_spot, random_betting

TREE = new_tree(200)


@pytest.mark.parametrize(
    "name",
    ["limit-2p", "limit-3p", "limit-6p", "limit-10p", "nolimit-2p", "nolimit-3p", "nolimit-6p"]
    + [f"tests/golden/{file}.game" for file in ("short6", "limstack", "tiny10")],
)
def test_a_node_has_the_situation_of_its_betting(name: str) -> None:
    game, rng = load_game(name), random.Random(name)
    models = [fixed(0.2, 0.3)] * game.num_players
    for number in range(15):
        betting = initial_betting(game) if number < 5 else random_betting(game, rng, rng.randrange(1, 4))
        trials = Trials(make_spot(betting, range(betting.num_board_cards), (50, 51), models), 1, TREE)
        setting, node = trials.setting, 0
        while betting.position_to_act is not None:
            expected = situation_of(betting)
            integers = setting.tree.integers[node]

            situation = situation_in(setting.rules, integers)

            assert situation == expected.public
            assert context_in(situation, integers) == expected.numbers
            moves = [*first_actions(betting), *([FOLD] if expected.can_fold else [])]
            action = rng.choice(moves)
            node = make_child(
                setting.tree, setting.players, setting.averages, setting.rules, node,
                number_of_action(action, betting),
            )  # fmt: skip
            betting = betting.apply(action)
