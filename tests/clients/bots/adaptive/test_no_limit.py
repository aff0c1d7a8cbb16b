"""The adaptive bot in no-limit hold'em: what it learns, begins with, remembers and refuses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clients.bots.adaptive.agent import Adaptive, load
from clients.bots.baselines import AlwaysCall, AlwaysFold
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.poker.combos import combos_without
from engine.poker.rules import CALL, FOLD, HandView, load_game, parse_betting, raise_to
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.miximax.departure import Departure
from engine.solving.miximax.habits import Habits, shipped_changes
from engine.solving.miximax.trees import betting_tree
from engine.solving.miximax.values import Miximax
from engine.solving.strategy_file import write_strategy

GAME = load_game("nolimit-2p-100bb")
LIMIT = load_game("limit-2p")
BOARD = (8, 18, 31, 40, 51)
"""4c 6h 9s Qc As."""


def played(agent: Agent, opponent: Agent, hands: int, seed: int = 1, **options: Any) -> Arena:
    arena = Arena(options.pop("game", GAME), [agent, opponent], seed, **options)
    arena.play(hands)
    return arena


def view(text: str, cards: tuple[int, int]) -> HandView:
    betting = parse_betting(GAME, text)
    us = betting.position_to_act
    assert us is not None
    return HandView(betting, us, 0, (cards, ()) if us == 0 else ((), cards), BOARD[: betting.num_board_cards])


def test_it_puts_all_in_with_the_better_half_against_a_caller_and_nothing_with_the_rest() -> None:
    agent = Adaptive(temperature=0, caution=0)
    played(agent, AlwaysCall(), 150)

    assert agent.chances(view("cc/cc/cc/", (49, 50))) == {raise_to(200): 1.0}
    assert agent.values(view("cc/cc/cc/", (49, 50)))[raise_to(200)] > 80
    assert agent.chances(view("cc/cc/cc/", (0, 5))) == {CALL: 1.0}


def test_it_raises_anything_against_a_player_who_has_always_folded() -> None:
    agent = Adaptive(temperature=0, caution=0)
    played(agent, AlwaysFold(), 200)

    weak = view("", (0, 21))
    values = agent.values(weak)
    assert values[FOLD] == -0.5
    assert max(values.values()) == pytest.approx(1.0, abs=0.25)
    assert CALL not in agent.chances(weak)


@pytest.mark.parametrize("opponent", ["always-call", "random"])
def test_it_plays_two_hundred_hands_without_a_warning(opponent: str) -> None:
    """Warnings are errors here, and an arena corrects nothing that it is told not to."""
    first, second = Adaptive(), Adaptive()

    chips = played(first, make_bot(opponent), 200).chips
    assert chips == played(second, make_bot(opponent), 200).chips
    assert first.habits.hands == 200
    assert chips[0] > 0


def test_a_player_who_raises_everything_is_taken_to_hold_anything_before_any_showdown() -> None:
    """Who never folds and never calls is not known from showdowns: everybody else may have folded."""
    agent, betting = Adaptive(caution=0), parse_betting(GAME, "r6r18r54r162f")
    agent.match_started(GAME, 0)
    river = betting_tree(GAME).node(parse_betting(GAME, "r6r18r54r162r200c///"))
    search = Miximax(betting_tree(GAME), shipped_changes())
    before = search.expected_hands(agent.habits, river, 0)[: BUCKETS // 2].sum()
    for _ in range(300):
        agent.habits.observe(betting, 0)
    after = search.expected_hands(agent.habits, river, 0)[: BUCKETS // 2].sum()

    assert before < 0.4
    assert after > 0.47


# --- what it begins with -----------------------------------------------------------------------------------


def strategy(game_sizes: tuple[float, ...] = (1.0, float("inf"))) -> BucketedStrategy:
    """One that prefers some actions to others, at random."""
    abstraction = Percentiles(3)
    slots = holdem_betting(GAME, abstraction.num_buckets, game_sizes).num_slots
    weights = np.random.default_rng(5).random(slots)
    return BucketedStrategy.of(GAME, abstraction, weights, game_sizes)


def test_with_a_strategy_it_plays_that_until_there_is_evidence(tmp_path: Path) -> None:
    path = tmp_path / "strategy.npz"
    write_strategy(path, strategy(), {})
    agent = make_bot(f"adaptive:strategy={path}")
    assert isinstance(agent, Adaptive)
    agent.match_started(GAME, 0)
    first = view("", (49, 50))

    departure = agent._book.departure
    assert departure is not None
    departure.evidence = -50.0
    begun = agent.chances(first)
    departure.evidence = 5000.0
    answered = agent.chances(first)

    known = {action: chance for action, chance in strategy().chances(first).items() if chance > 0}
    assert begun == pytest.approx(known, abs=0.01)  # files round
    assert raise_to(4) not in begun
    assert raise_to(4) in answered  # which the strategy does not have
    assert sum(answered.values()) == pytest.approx(1)


def test_raises_that_stand_for_the_same_are_one_when_evidence_is_weighed() -> None:
    """A raise to 170 is all in for the tree; the strategy's own raises of that kind count together."""
    habits = Habits(betting_tree(GAME))
    search, departure, known = Miximax(habits.tree, shipped_changes()), Departure(strategy()), strategy()
    actions, chances = known.chances_of_all(parse_betting(GAME, "r6"), ())
    columns = [habits.tree.column(parse_betting(GAME, "r6"), action) for action in actions]
    live = combos_without((0, 21))
    usual = 0.98 * chances[live][:, np.array(columns) == 4].sum(axis=1).mean() + 0.02 / len(actions)
    by_habits = search.expected_action(habits, habits.tree.node(parse_betting(GAME, "r6")))[4]

    departure.observe(habits, search, parse_betting(GAME, "r6r170f"), 0, ((0, 21), ()), ())

    assert departure.evidence == pytest.approx(math.log(by_habits / usual))


def test_a_strategy_of_another_game_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "strategy.npz"
    write_strategy(path, strategy(), {})
    with pytest.raises(OptionError, match="strategy of the game that is played"):
        make_bot(f"adaptive:strategy={path}").match_started(LIMIT, 0)
    path.write_bytes(b"PK")
    with pytest.raises(OptionError):
        make_bot(f"adaptive:strategy={path}")


# --- memory ------------------------------------------------------------------------------------------------


def test_a_file_keeps_limit_and_no_limit_of_one_opponent_apart(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    names = ("us", "them")
    agent = Adaptive(memory=path, caution=0)
    played(agent, AlwaysCall(), 30, names=names)
    played(agent, AlwaysCall(), 20, names=names, game=LIMIT)
    agent.close_memory()

    again = Adaptive(memory=path, caution=0)
    played(again, AlwaysCall(), 5, names=names)
    assert again.habits.hands == 35
    learnt = again.habits.as_arrays()["actions"]
    again.close_memory()

    known = load(path)["them"]
    assert (int(known["hands"]), int(known["no-limit.hands"])) == (20, 35)
    assert known["no-limit.actions"].tolist() == learnt.tolist()
    reader = Adaptive(memory=path, learn=False)
    reader.names = names
    reader.match_started(GAME, 0)
    assert reader.habits.hands == 35
    assert reader.values(view("cc/cc/cc/", (49, 50)))[raise_to(200)] > 50


def test_a_file_of_somebody_met_in_limit_alone_says_nothing_of_no_limit(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    agent = Adaptive(memory=path, caution=0)
    played(agent, AlwaysCall(), 10, names=("us", "them"), game=LIMIT)
    agent.close_memory()

    again = Adaptive(memory=path, learn=False)
    again.names = ("us", "them")
    again.match_started(GAME, 0)

    assert again.habits.hands == 0
