"""The libraries' own tests of environments find nothing, and warn of nothing."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import clients.lab.environments
from clients.lab.environments import holdem_v0
from clients.lab.environments.single import HoldemEnv

GAMES = ["limit-2p", "nolimit-2p", "nolimit-6p", "leduc", "kuhn-2p", "kuhn-3p"]
"""Warnings are errors in all tests."""


@pytest.mark.parametrize("hands", [1, 5])
@pytest.mark.parametrize("game", GAMES)
def test_pettingzoo_finds_nothing(game: str, hands: int, capsys: pytest.CaptureFixture[str]) -> None:
    env = holdem_v0.env(game, hands=hands, render_mode="ansi")

    api_test(env, num_cycles=100)
    seed_test(lambda: holdem_v0.env(game, hands=hands), num_cycles=50)

    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("game", GAMES)
def test_gymnasium_finds_nothing(game: str) -> None:
    """`check_env` draws in each render mode, too, for it knows how the environment was made."""
    name = "riverboat/HoldemLimit-v0"
    env = gymnasium.make(name, game=game, opponents=["random"], render_mode="ansi").unwrapped

    check_env(env)


@pytest.mark.parametrize("observations", ["dict", "array"])
def test_gymnasium_watches_every_step(observations: Any) -> None:
    """`make` puts its passive checker around the environment; actions are drawn without a look at the
    mask.
    """
    env = gymnasium.make(
        "riverboat/HoldemNoLimit-v0", game="nolimit-6p", opponents=["random"], observations=observations
    )
    env.action_space.seed(1)
    for seed in range(5):
        env.reset(seed=seed)
        ended = False
        while not ended:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            ended = terminated or truncated
    env.close()


def test_fields_by_name_are_in_their_space_for_every_agent() -> None:
    env = holdem_v0.env("nolimit-6p", observations="dict", hands=3)
    env.reset(seed=3)
    rng = np.random.default_rng(1)
    for agent in env.agent_iter():
        for other in env.agents:
            seen = env.observe(other)
            assert seen in env.observation_space(other)
            assert seen["action_mask"].any() == (other == agent and not env.terminations[other])
        mask = env.observe(agent)["action_mask"]
        env.step(None if env.terminations[agent] else rng.choice(np.flatnonzero(mask)))


def test_every_registered_environment_can_be_made() -> None:
    for name, game in clients.lab.environments.GAMES.items():
        env = gymnasium.make(name)
        assert isinstance(env.unwrapped, HoldemEnv)
        assert env.unwrapped.table.game == clients.lab.environments.table.read_game(game)
        env.close()
