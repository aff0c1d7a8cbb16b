"""The worked example learns, and sits down unchanged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall
from clients.core.arena import Arena
from clients.lab.environments import HoldemEnv, PolicyAgent, example_learner
from clients.lab.environments.example_learner import LinearLearner
from clients.lab.testing import play_over_wire
from engine.poker.rules import load_game
from tests.support.dealer_process import environment, program


def trained(hands: int) -> LinearLearner:
    learner, env, rng = LinearLearner(), HoldemEnv("limit-2p", ["always-call"]), np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(hands):
        learner.play_hand(env, rng)
    return learner


def test_it_has_sixty_lines() -> None:
    assert len(Path(example_learner.__file__).read_text("utf-8").splitlines()) <= 60


async def test_it_learns_and_plays_over_the_protocol_what_it_plays_in_the_arena() -> None:
    learner = trained(1000)
    arena = Arena(load_game("limit-2p"), [PolicyAgent(learner), AlwaysCall()], 3)

    played = await play_over_wire([PolicyAgent(learner), AlwaysCall()], "limit-2p", 200, seed=3)

    assert played.chips == arena.play(200)
    assert played.complaints == ()
    assert arena.play(600)[0] / 600 / 10 > 0.2


@pytest.mark.slow
def test_after_minutes_it_beats_always_call_by_more_than_eight_tenths_of_a_small_bet() -> None:
    """40,000 hands, some ten seconds of the five minutes; the interval is 0.1 small bets a hand."""
    learner = trained(40_000)
    arena = Arena(load_game("limit-2p"), [PolicyAgent(learner), AlwaysCall()], 99)

    assert arena.play(12_000)[0] / 12_000 / 10 > 0.9


@pytest.mark.slow
def test_it_sits_down_at_a_table_over_tcp(tmp_path: Path) -> None:
    np.save(tmp_path / "example-learner.npy", trained(3000).values)
    bot = f"Learner={sys.executable} -m clients.lab.environments.example_learner"

    command = program("match", "limit-2p", bot, "always-call", "--hands", "500", "--seed", "3", "--json")
    run = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)

    assert run.returncode == 0, run.stderr
    learner, other = json.loads(run.stdout)["players"]
    assert learner["chips"] == -other["chips"] > 1000
