"""The compiled tables play, show and pay what the rules in Python do."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise
from clients.core.arena import Arena
from clients.lab.environments.vector import HoldemVectorEnv
from clients.lab.testing import Deciding
from engine.poker.rules import CALL, FOLD, Action, StackedDealer, initial_hand, raise_to

GAMES = ["limit-2p", "nolimit-2p", "nolimit-6p", "limit-10p", "leduc", "kuhn-2p", "kuhn-3p"]


@pytest.mark.parametrize("game", GAMES)
def test_every_step_is_what_the_rules_say(game: str) -> None:
    """All seats from outside, any numbers: each observation, mask, reward and end, against
    ``engine.poker.rules``.
    """
    envs = HoldemVectorEnv(4, game, (), observations="array", sizes=(0, 0.5, 1))
    encoder, tables = envs.encoder, envs.tables
    players = encoder.game.num_players
    rng = np.random.default_rng(1)
    seen, infos = envs.reset(seed=5)
    states = [initial_hand(encoder.game, 0, tables.deal(table)) for table in range(4)]
    ended = np.zeros(4, bool)
    hands = np.zeros(4, int)
    for _ in range(150):
        actions = rng.integers(0, encoder.num_actions, 4)
        actors = infos["seat"]
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        assert not truncated.any()
        for table in range(4):
            if ended[table]:
                hands[table] += 1
                states[table] = initial_hand(encoder.game, int(hands[table]), tables.deal(table))
                assert rewards[table] == 0
            else:
                before = states[table]
                legal = encoder.is_legal(before.betting, actions[table])
                assert infos["illegal_actions"][table] == (not legal)
                states[table] = before.apply(encoder.actions(before.betting)[actions[table]])
                assert infos["rewards_by_seat"][table].any() <= states[table].is_finished
            state = states[table]
            assert terminated[table] == state.is_finished
            position = state.betting.position_to_act
            if position is None:
                seat = actors[table]
                position = (seat - hands[table]) % players
                chips = np.roll(state.chips_won(), hands[table] % players) / encoder.layout.unit
                assert infos["rewards_by_seat"][table] == pytest.approx(chips)
                assert rewards[table] == pytest.approx(chips[seat])
            assert infos["seat"][table] == (position + hands[table]) % players
            assert np.array_equal(seen[table], encoder.observe(state.view(position)))
            assert np.array_equal(infos["action_mask"][table], encoder.mask(state.betting))
        ended = terminated
    assert hands.min() > 3


@pytest.mark.parametrize(("name", "agent"), [("always-call", AlwaysCall), ("always-raise", AlwaysRaise)])
def test_scripted_opponents_are_the_bots_of_their_names(name: str, agent: Any) -> None:
    """One table's hands, dealt again in the arena, with the same bot: the same chips."""
    envs = HoldemVectorEnv(1, "nolimit-3p", [name])
    rng = np.random.default_rng(3)
    seen, _ = envs.reset(seed=2)
    chosen: list[Action] = []
    deals = []
    won = 0.0
    for _ in range(40):
        deals.append(envs.tables.deal(0))
        ended = False
        while not ended:
            number = int(rng.choice(np.flatnonzero(seen["action_mask"][0])))
            chosen.append(decoded(envs, seen, number))
            seen, rewards, (ended,), _, _ = envs.step(np.array([number]))
            won += rewards[0]
        seen, _, _, _, infos = envs.step(np.array([0]))
        assert not infos["passed_hands"][0]

    script = iter(chosen)
    arena = Arena(
        envs.encoder.game,
        [Deciding(lambda view: next(script)), agent(), agent()],
        0,
        dealer=StackedDealer(deals),
    )
    assert arena.play(40)[0] == pytest.approx(won * 100)


def decoded(envs: HoldemVectorEnv, seen: Any, number: int) -> Action:
    """The action of a number, by what the observation says of raises."""
    if number < 2:
        return (FOLD, CALL)[number]
    _, to_call, _, most = (round(float(x) * 100) for x in seen["amounts"][0])
    if number == envs.encoder.num_actions - 1:
        return raise_to(most)
    pot = round(float(seen["amounts"][0, 0]) * 100) + to_call
    own = int(seen["position"][0].argmax())
    spent = round(float(seen["spent"][0, own]) * 100)
    return raise_to(round(spent + to_call + envs.encoder.sizes[number - 2] * pot))


def test_cards_are_dealt_evenly() -> None:
    """Every card is equally likely in every place, by chi-squared over 52 cards and 9 places."""
    envs = HoldemVectorEnv(64, "limit-2p", ("always-fold",), observations="array")
    envs.reset(seed=1)
    counts = np.zeros((9, 52))
    for _ in range(200):
        for table in range(64):
            deal = envs.tables.deal(table)
            for place, card in enumerate([*deal.hole_cards[0], *deal.hole_cards[1], *deal.board]):
                counts[place, card] += 1
        envs.step(np.full(64, 2))  # a raise ends the hand
        envs.step(np.full(64, 2))  # and this deals the next
    expected = 200 * 64 / 52
    chi_squared = ((counts - expected) ** 2 / expected).sum(axis=1)
    assert chi_squared.max() < 51 + 5 * np.sqrt(2 * 51)


def test_the_random_bot_has_its_frequencies() -> None:
    """Facing a raise before the flop: folds 6, calls 47 and raises 47 times of a hundred."""
    envs = HoldemVectorEnv(512, "limit-2p", ["random"])
    seen, _ = envs.reset(seed=1)
    counts = np.zeros(3)
    for _ in range(60):
        is_first = seen["history"][:, 0, 0] == 0
        seen, *_ = envs.step(np.where(is_first, 2, 0))  # raise when asked first, else get to the next hand
        answers = seen["history"][is_first, 1]
        counts += [((answers[:, 0] == 1) & (answers[:, 3] == kind)).sum() for kind in range(3)]

    assert counts.sum() > 3000
    assert counts / counts.sum() == pytest.approx([0.06, 0.47, 0.47], abs=0.03)


def test_gymnasium_makes_it() -> None:
    envs = gymnasium.make_vec(
        "riverboat/HoldemLimit-v0", num_envs=8, vectorization_mode="vector_entry_point", opponents=["random"]
    )
    seen, _ = envs.reset(seed=1)
    assert seen in envs.observation_space
    again = gymnasium.make_vec(
        "riverboat/HoldemLimit-v0", num_envs=8, vectorization_mode="vector_entry_point", opponents=["random"]
    )
    other, _ = again.reset(seed=1)
    for _ in range(20):
        actions = envs.action_space.sample()
        seen, rewards, terminated, _, _ = envs.step(actions)
        other, rewards_again, *_ = again.step(actions)
        assert seen in envs.observation_space
        assert np.array_equal(rewards, rewards_again)
        assert all(np.array_equal(seen[name], other[name]) for name in seen)
        assert (seen["action_mask"].sum(axis=1) == 0).tolist() == terminated.tolist()


def test_hands_that_end_without_the_learner_are_reported() -> None:
    envs = HoldemVectorEnv(2, "limit-2p", ["always-fold"])
    _, infos = envs.reset(seed=1)
    total = infos["passed_reward"].sum()
    for _ in range(20):
        _, rewards, _, _, infos = envs.step(np.full(2, 2))
        total += rewards.sum() + infos["passed_reward"].sum()
        assert (infos["passed_hands"] == (infos["passed_reward"] > 0)).all()

    # Ten hands of ours at each table win the big blind; those before, between and after them the small one.
    assert total == 2 * (10 * 1.0 + 11 * 0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": ["formula"]}, "formula"),
        ({"opponents": ["always-cal"]}, "did you mean"),
        ({"game": "nolimit-6p-ante"}, "antes"),
        ({"num_envs": 0}, "1 or more"),
    ],
)
def test_what_cannot_be_played_here_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HoldemVectorEnv(**arguments)
