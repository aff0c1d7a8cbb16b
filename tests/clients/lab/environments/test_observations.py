"""What a player sees, and the libraries' own tests of environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings, strategies as st
from pettingzoo.test import api_test, seed_test

import clients.lab.environments
from clients.lab.environments import holdem_v0
from clients.lab.environments.observations import Encoder
from clients.lab.environments.single import HoldemEnv
from engine.poker import rules
from engine.poker.cards import parse_cards
from protocol import parse_match_state

# --- What a player sees follows from the hand's text, and holds nothing the player may not know -------------


def cards_in(field: np.ndarray[tuple[int], np.dtype[np.float32]]) -> set[int]:
    return set(np.flatnonzero(field).tolist())


def test_a_limit_hand_by_hand() -> None:
    """The button, position 1, raises to 20 and is called; then the big blind bets 10 on the flop."""
    game = rules.load_game("limit-2p")
    view = parse_match_state("MATCHSTATE:1:3:rc/r:|AhKd/2c7d9h", game)
    encoder = Encoder(game)

    fields = encoder.fields(encoder.observe(view))

    assert cards_in(fields["hole_cards"]) == set(parse_cards("AhKd"))
    assert cards_in(fields["board"]) == set(parse_cards("2c7d9h"))
    assert fields["position"].tolist() == fields["to_act"].tolist() == [0, 1]
    assert fields["betting_round"].tolist() == [0, 1, 0, 0]
    assert (fields["folded"].tolist(), fields["spent"].tolist()) == ([0, 0], [3, 2])
    # A big blind, three raises before the flop, four of a small bet, and twice four of a big one.
    assert fields["stacks"].tolist() == [1 + 3 + 4 + 16 - 3, 1 + 3 + 4 + 16 - 2]
    assert fields["amounts"].tolist() == [5, 1, 4, 4]
    assert fields["history"][:3].tolist() == [
        [1, 0, 1, 2, 1.5, 0.5],  # from 5 to 20: 10 beyond the call, of a pot of 20
        [1, 0, 0, 1, 1, 0],
        [1, 1, 0, 2, 1, 0.25],
    ]
    assert not fields["history"][3:].any()
    assert encoder.mask(view.betting).tolist() == [1, 1, 1]
    assert encoder.actions(view.betting) == (rules.FOLD, rules.CALL, rules.LIMIT_RAISE)


def test_the_player_who_waits_sees_the_same_but_for_the_cards_and_the_price() -> None:
    game = rules.load_game("limit-2p")
    encoder = Encoder(game)
    acting = parse_match_state("MATCHSTATE:1:3:rc/r:|AhKd/2c7d9h", game)
    waiting = parse_match_state("MATCHSTATE:0:3:rc/r:5s5c|/2c7d9h", game)

    ours, theirs = (encoder.fields(encoder.observe(view)) for view in (acting, waiting))

    assert cards_in(theirs["hole_cards"]) == set(parse_cards("5s5c"))
    assert (theirs["position"].tolist(), theirs["amounts"].tolist()) == ([1, 0], [5, 0, 4, 4])
    for name in ("board", "to_act", "betting_round", "folded", "stacks", "spent", "history"):
        assert np.array_equal(ours[name], theirs[name]), name


def test_sizes_are_parts_of_the_pot_and_masked_where_they_are_no_raise_of_their_own() -> None:
    game = rules.load_game("nolimit-2p")  # blinds 50 and 100, stacks of 20000
    encoder = Encoder(game, (0, 0.25, 1, 2, 150))
    raised = rules.parse_betting(game, "r300")

    # A pot of 600 after the call; the last raise was by 200, and a quarter of the pot is less.
    assert list(map(str, encoder.actions(raised))) == [
        "f", "c", "r500", "c", "r900", "r1500", "c", "r20000",
    ]  # fmt: skip
    assert encoder.mask(raised).tolist() == [1, 1, 1, 0, 1, 1, 0, 1]
    start = rules.parse_betting(game, "")
    assert encoder.mask(start).tolist() == [1, 1, 1, 0, 1, 1, 0, 1]
    all_in = rules.parse_betting(game, "r20000")
    assert encoder.mask(all_in).tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    assert set(encoder.actions(all_in)[2:]) == {rules.CALL}
    small = rules.parse_betting(game, "cc/r400")
    assert encoder.mask(small).tolist() == [1, 1, 1, 0, 1, 1, 0, 1]  # a quarter of 800 is less than 300


def test_no_size_is_negative() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Encoder(rules.load_game("nolimit-2p"), (0.5, -1))


@pytest.mark.parametrize(
    "name", ["limit-2p", "limit-10p", "nolimit-3p", "nolimit-6p-ante", "leduc", "kuhn-3p"]
)
@settings(max_examples=12)
@given(numbers=st.lists(st.integers(0, 4), max_size=60), seed=st.integers(0, 2**32 - 1))
def test_nothing_hidden_shows_and_all_public_things_do(name: str, numbers: list[int], seed: int) -> None:
    """Play random hands; a fresh encoder and one that remembers agree, other hidden cards change nothing, and
    values stay where the space says."""
    game = rules.load_game(name)
    encoder = ENCODERS.setdefault(name, Encoder(game))
    state = rules.initial_hand(game, 0, rules.CardDealer(game, seed).deal())
    script = iter(numbers)
    while not state.is_finished:
        choices = encoder.actions(state.betting)
        state = state.apply(choices[next(script, 1) % len(choices)])
        position = len(state.betting.text) % game.num_players
        view = state.view(position)
        vector = encoder.observe(view)
        assert np.array_equal(vector, encoder.observe(with_others_hidden(state, position).view(position)))
        assert (vector >= 0).all()
        assert (vector <= encoder.layout.high).all()
        history = encoder.fields(vector)["history"]
        assert history[:, 0].sum() == len(state.betting.steps())
    assert np.array_equal(vector, Encoder(game).observe(view))


ENCODERS: dict[str, Encoder] = {}


def with_others_hidden(state: rules.HandState, position: int) -> rules.HandState:
    """The hand with other cards where the player in a position cannot see."""
    deal = state.deal
    used = {*deal.hole_cards[position], *state.board}
    rest = [card for card in state.betting.game.deck if card not in used]
    size = state.betting.game.num_hole_cards
    holes = [
        cards if p == position else tuple(rest.pop() for _ in range(size))
        for p, cards in enumerate(deal.hole_cards)
    ]
    return rules.HandState(state.betting, state.hand_number, rules.Deal(tuple(holes), deal.board))


def test_a_round_may_be_as_long_as_the_rules_allow() -> None:
    """The smallest raises, to the last that is accepted, fit into the history, in every round."""
    text = "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 2\nstack = 100000 100000\nblind = 1 2\n"
    text += (
        "firstPlayer = 2 1\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3\nEND GAMEDEF"
    )
    game = rules.parse_game(text)
    encoder = Encoder(game)
    betting = rules.parse_betting(game, "")
    while not betting.is_finished:
        legal = betting.legal_actions()
        betting = betting.apply(
            rules.CALL if legal.min_raise_to is None else rules.raise_to(legal.min_raise_to)
        )

    history = encoder.fields(encoder._vector(betting))["history"]

    assert history[:, 0].sum() == len(betting.steps()) == len(history) == 128


# --- The libraries' own tests of environments find nothing, and warn of nothing -----------------------------

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
