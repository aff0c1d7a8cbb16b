"""Hands in the environments are a dealer's hands, in compiled tables too."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import clients.lab.environments
from clients.bots.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.arena import Arena
from clients.core.registry import UnknownBot
from clients.lab.environments import PolicyAgent, holdem_v0
from clients.lab.environments.single import HoldemEnv
from clients.lab.environments.vector import HoldemVectorEnv
from clients.lab.testing import Deciding, Replaying, play_over_wire
from engine.poker.rules import CALL, FOLD, Action, StackedDealer, initial_hand, load_game, raise_to
from protocol.records import HandReader
from server.records.verification.log_checker import verify_log
from tests.support.tables import free_ports

# --- Hands in the environments are a dealer's hands ---------------------------------------------------------

assert clients.lab.environments.GAMES


def lines_of(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines(keepends=True) if line.startswith("STATE:")]


def play_episodes(env: HoldemEnv, episodes: int, *, seed: int) -> list[float]:
    """Random legal actions; returns the rewards of the episodes."""
    rng = np.random.default_rng(seed)
    rewards = []
    for number in range(episodes):
        seen, info = env.reset(seed=seed if number == 0 else None)
        reward, ended = info["passed_reward"], False
        while not ended:
            seen, won, ended, truncated, info = env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
            assert not truncated
            reward += won
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize("game", ["limit-2p", "nolimit-6p", "leduc", "kuhn-2p"])
def test_episodes_replay_to_the_byte(game: str, tmp_path: Path) -> None:
    """The arena plays the same actions on the cards of the seed: the same lines.  The log verifies."""
    log = tmp_path / "episodes.log"
    env = HoldemEnv(game, ["random", "always-call"][: load_game(game).num_players - 1], log=log)

    rewards = play_episodes(env, 30, seed=11)
    chips = env.table.chips
    env.close()

    lines = lines_of(log)
    reader = HandReader(load_game(game))
    hands = [[action for _, _, action in reader.read(line)[1].betting.steps()] for line in lines]
    players = [Replaying(hands) for _ in env.table.names]
    again: list[str] = []
    arena = Arena(load_game(game), players, 11, names=env.table.names)
    arena.play(len(hands), record=again.append)
    assert again == lines
    assert arena.chips == chips
    assert sum(rewards) == pytest.approx(chips[0] / max(1, load_game(game).big_blind))
    found = verify_log(log)
    assert found.is_valid, found.problem
    assert (found.hands, found.cards, found.is_complete) == (len(lines), "seed 11", True)


def test_agents_of_pettingzoo_play_the_same_hands(tmp_path: Path) -> None:
    """Seat by seat, with rewards that add up to nothing and to what the log says."""
    log = tmp_path / "episodes.log"
    env = holdem_v0.env("nolimit-3p", log=log, bots={1: "random"})
    rng = np.random.default_rng(5)
    won = dict.fromkeys(["player_0", "player_2"], 0.0)
    for number in range(25):
        env.reset(seed=4 if number == 0 else None)
        for agent in env.agent_iter():
            _, reward, terminated, _, info = env.last()
            won[agent] += reward
            env.step(None if terminated else rng.choice(np.flatnonzero(info["action_mask"])))
    chips = env.table.chips
    env.close()

    assert env.possible_agents == ["player_0", "player_2"]
    assert (won["player_0"], won["player_2"]) == pytest.approx((chips[0] / 100, chips[2] / 100))
    assert abs(sum(chips)) < 1e-9
    found = verify_log(log)
    assert found.is_valid, found.problem
    assert found.hands >= 25


def test_several_hands_in_an_episode_are_paid_as_they_end() -> None:
    env = HoldemEnv("limit-2p", ["always-fold"], hands=6)
    env.reset(seed=1)

    steps = [env.step(2) for _ in range(3)]

    # We raise, and the other folds the big blind; in the next hand it folds the small one before we are
    # asked.
    assert [reward for _, reward, *_ in steps] == [1.5, 1.5, 1.5]
    assert [terminated for _, _, terminated, _, _ in steps] == [False, False, True]


def test_hands_that_end_before_we_are_asked_are_reported() -> None:
    """A player who always folds gives us the blinds before we act, whenever we are the big blind."""
    env = HoldemEnv("limit-2p", ["always-fold"])
    passed = 0.0
    for number in range(10):
        _, info = env.reset(seed=1 if number == 0 else None)
        assert info["passed_hands"] == (1 if info["passed_reward"] else 0)
        passed += info["passed_reward"]
        env.step(2)

    assert passed > 0
    won = env.table.chips[0] / 10
    assert won == passed + 10 * 1.0  # each of our own hands wins the big blind


def test_illegal_actions_are_played_as_by_the_dealer_and_counted() -> None:
    env = HoldemEnv("limit-2p", ["always-call"], position=0)
    seen, info = env.reset(seed=2)
    assert info["position"] == 0
    seen, *_ = env.step(1)
    assert seen["action_mask"].tolist() == [0, 1, 1]

    _, _, terminated, _, info = env.step(0)  # a fold where there is nothing to call: a check

    assert not terminated
    assert info["illegal_actions"] == 1


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_position_can_be_kept(position: int, tmp_path: Path) -> None:
    env = HoldemEnv("limit-3p", ["always-call", "random"], position=position, log=tmp_path / "log")
    for number in range(4):
        _, info = env.reset(seed=8 if number == 0 else None)
        assert info["position"] == position
        while not env.step(1)[2]:
            pass
    env.close()
    assert verify_log(tmp_path / "log").is_valid


def test_the_same_seed_is_the_same_hand_and_another_is_another() -> None:
    def run(seed: int) -> tuple[float, ...]:
        env = HoldemEnv("nolimit-6p", ["random"])
        play_episodes(env, 10, seed=seed)
        return env.table.chips

    assert run(3) == run(3) != run(4)


def test_without_a_seed_cards_differ() -> None:
    envs = [HoldemEnv("limit-2p") for _ in range(2)]
    seeds = set()
    for env in envs:
        env.reset()
        seeds.add(env.table.seed)
    assert len(seeds) == 2


def test_what_was_learnt_sits_down_anywhere_unchanged() -> None:
    """The same policy wins the same chips in the environment, in the arena and over the protocol."""

    def policy(seen: Any, mask: Any) -> int:
        strong = seen["hole_cards"][32:].sum() > 0 or seen["history"][:, 0].sum() > 6
        return 2 if strong and mask[2] else 1

    env = HoldemEnv("limit-2p", [lambda: Random()])
    for number in range(20):
        seen, _ = env.reset(seed=6 if number == 0 else None)
        ended = False
        while not ended:
            seen, _, ended, _, _ = env.step(policy(seen, seen["action_mask"]))
    hands = env.table.hand_number + 1

    arena = Arena(load_game("limit-2p"), [PolicyAgent(policy), Random()], 6)
    assert arena.play(hands) == env.table.chips


async def test_what_was_learnt_plays_the_same_over_the_protocol() -> None:
    def policy(vector: Any, mask: Any) -> int:
        return int(mask[-1] and vector[:52].argmax() > 30) * (len(mask) - 1) or 1

    def agents() -> list[Any]:
        return [PolicyAgent(policy, observations="array"), AlwaysCall()]

    arena = Arena(load_game("nolimit-2p"), agents(), 6)
    played = await play_over_wire(agents(), "nolimit-2p", 20, seed=6)

    assert played.chips == arena.play(20)
    assert played.chips[0] != 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"opponents": ["formulla"]}, UnknownBot, "did you mean"),
        ({"opponents": ["random:folds=1"]}, ValueError, "folds"),
        ({"opponents": []}, ValueError, "expected 1 to 1 opponents"),
        ({"opponents": ["random", "random"]}, ValueError, "expected 1 to 1 opponents, got 2"),
        ({"opponents": ["tcp://nowhere"]}, ValueError, "tcp://HOST:PORT"),
        ({"hands": 0}, ValueError, "1 or more hands"),
        ({"position": 2}, ValueError, "position 0 to 1"),
        ({"render_mode": "human"}, ValueError, "ansi"),
        ({"game": "limit-2q"}, OSError, "limit-2q"),
    ],
)
def test_mistakes_are_one_line(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        HoldemEnv(**arguments)

    assert "\n" not in str(caught.value)


def test_a_log_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("something")
    with pytest.raises(FileExistsError):
        HoldemEnv(log=tmp_path / "log")


def test_a_step_too_many_says_so() -> None:
    env = HoldemEnv("kuhn-2p", [AlwaysFold])
    with pytest.raises(RuntimeError, match="reset"):
        env.step(1)


def test_the_text_shows_what_the_learner_sees() -> None:
    env = HoldemEnv("limit-2p", ["always-call"], render_mode="ansi", position=0)
    assert env.render() is None
    env.reset(seed=7)
    text = env.render()
    assert isinstance(text, str)
    assert "8dJd" in text
    assert "????" in text
    assert "Td4d" not in text
    while not env.step(1)[2]:
        pass
    text = env.render()
    assert isinstance(text, str)
    assert "Showdown" in text
    assert "Td4d" in text


@pytest.mark.slow
def test_a_picture_has_ink() -> None:
    picture_env = HoldemEnv("limit-10p", ["always-call"], render_mode="rgb_array")
    picture_env.reset(seed=7)
    picture = picture_env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape == (400, 640, 3)
    assert 0.01 < (picture.mean(axis=2) < 100).mean() < 0.3  # there is ink, and not only ink


def test_gymnasium_makes_vectors_of_it() -> None:
    envs = gymnasium.make_vec("riverboat/HoldemLimit-v0", num_envs=3, vectorization_mode="sync")
    seen, _ = envs.reset(seed=1)
    assert seen["hole_cards"].shape == (3, 52)
    envs.step(np.ones(3, np.int64))
    envs.close()


# --- The compiled tables play, show and pay what the rules in Python do -------------------------------------

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
                legal = encoder.mask(before.betting)[actions[table]]
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


# --- copies, and what is no action -------------------------------------------------------------------------


def some_steps(env: HoldemEnv, number: int) -> list[tuple[bytes, float, bool]]:
    rng, seen = np.random.default_rng(4), []
    for _ in range(number):
        vector, reward, is_over, _, _ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        seen.append((vector.tobytes(), reward, is_over))
        if is_over:
            env.reset()
    return seen


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_the_middle_of_a_hand_plays_on_as_the_original(
    copied: Callable[[HoldemEnv], HoldemEnv],
) -> None:
    env = HoldemEnv("nolimit-3p", ["random", "simple"], observations="array")
    env.reset(seed=3)
    some_steps(env, 25)
    twin = copied(copied(env))
    assert some_steps(twin, 40) == some_steps(env, 40)
    remote = HoldemEnv("limit-2p", [f"tcp://127.0.0.1:{free_ports(1)[0]}"])
    with pytest.raises(TypeError, match="cannot be copied: an opponent plays in another process"):
        copied(remote)
    remote.close()


@pytest.mark.parametrize("action", [-1, 3, 1.0, 0.5, True, "1", None, np.float32(1), np.array([1, 1])])
def test_what_is_no_action_is_refused_at_all_doors_and_changes_nothing(action: object) -> None:
    single, every, batch = HoldemEnv("limit-2p"), holdem_v0.env("limit-2p"), HoldemVectorEnv(1, "limit-2p")
    for env in (single, every, batch):
        env.reset(seed=1)
        with pytest.raises(ValueError, match=r"expected .* from 0 to 2, got"):
            env.step([action] if env is batch else action)
    assert single.step(np.int8(1))[4]["illegal_actions"] == 0
