"""Small games of ours, walked by OpenSpiel, are its own: in value, in information states, in what is
played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from clients.lab.adapters.openspiel import number_of
from clients.lab.environments import holdem_v0
from engine.poker.rules import load_game

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import exploitability  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy  # noqa: E402

from tests.oracles.openspiel import ACTIONS, wrapped  # noqa: E402

GAMES = [("kuhn-2p", "kuhn_poker"), pytest.param("leduc", "leduc_poker", marks=pytest.mark.slow)]


def decisions(state: Any, found: dict[tuple[int, str], tuple[int, ...]]) -> None:
    """All information states with their legal actions."""
    if state.is_terminal():
        return
    if not state.is_chance_node():
        player = state.current_player()
        key = (player, state.information_state_string(player))
        assert found.setdefault(key, tuple(state.legal_actions())) == tuple(state.legal_actions())
    for action in state.legal_actions():
        decisions(state.child(action), found)


@pytest.mark.parametrize(("ours", "theirs"), GAMES)
def test_information_states_are_as_many(ours: str, theirs: str) -> None:
    """Kuhn 12, Leduc 936; an action that OpenSpiel's own games do not offer is no decision here either."""
    mine: dict[tuple[int, str], tuple[int, ...]] = {}
    other: dict[tuple[int, str], tuple[int, ...]] = {}
    decisions(wrapped(load_game(ours)).new_initial_state(), mine)
    decisions(pyspiel.load_game(theirs).new_initial_state(), other)

    assert len(mine) == len(other) == {"kuhn-2p": 12, "leduc": 936}[ours]
    assert sorted(map(len, mine.values())) == sorted(map(len, other.values()))


@pytest.mark.parametrize(("ours", "theirs"), GAMES)
def test_values_are_the_same(ours: str, theirs: str) -> None:
    """What uniformly random players win, and what the best responses to them win, in OpenSpiel's
    arithmetic.
    """
    values = []
    for game in (wrapped(load_game(ours)), pyspiel.load_game(theirs)):
        policy = UniformRandomPolicy(game)
        values.append(
            (expected(game.new_initial_state()), exploitability.nash_conv(game, policy, use_cpp_br=False))
        )

    (value, nash_conv), (their_value, their_nash_conv) = values
    assert value == pytest.approx(their_value, abs=1e-12)
    assert nash_conv == pytest.approx(their_nash_conv, abs=1e-9)


def expected(state: Any) -> float:
    """What player 0 wins when all play at random."""
    if state.is_terminal():
        return float(state.returns()[0])
    if state.is_chance_node():
        total: float = sum(
            chance * expected(state.child(action)) for action, chance in state.chance_outcomes()
        )
        return total
    actions = state.legal_actions()
    return sum([expected(state.child(action)) for action in actions]) / len(actions)


@pytest.mark.parametrize("game", ["kuhn-2p", "kuhn-3p", "leduc"])
def test_an_episode_is_a_walk_through_the_game(game: str) -> None:
    """Masks are its legal actions, rewards its returns; 50 random episodes."""
    env = holdem_v0.env(game)
    rng = np.random.default_rng(2)
    unit = env.encoder.layout.unit
    for number in range(50):
        env.reset(seed=1 if number == 0 else None)
        state = wrapped(load_game(game)).new_initial_state()
        assert env.table._arena is not None
        hand = env.table._arena.state
        assert hand is not None
        cards = [card for hole in hand.deal.hole_cards for card in hole] + list(hand.deal.board)
        won = {}
        for agent in env.agent_iter():
            _, reward, terminated, _, info = env.last()
            if terminated:
                won[agent] = reward
                env.step(None)
                continue
            while state.is_chance_node():
                state.apply_action(next_card(state, cards))
            legal = state.legal_actions()
            assert np.flatnonzero(info["action_mask"]).tolist() == legal
            action = int(rng.choice(legal))
            assert number_of(ACTIONS[action]) == action
            state.apply_action(action)
            env.step(action)
        while state.is_chance_node():
            state.apply_action(next_card(state, cards))
        assert state.is_terminal()
        for agent, reward in won.items():
            position = env.table.position_of(int(agent[-1]))
            assert reward == pytest.approx(state.returns()[position] / unit)


def next_card(state: Any, cards: list[int]) -> int:
    return cards[len(state._dealt)]
