"""Action values: the six rules of the thesis, the start, the choice (Poker Learner 4.2.1.4)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.core.agent import Agent
from clients.learners.preflop.action_values import (
    CALL,
    DECREMENT_CALL,
    DECREMENT_FOLD,
    DECREMENT_RAISE,
    FOLD,
    HOLE_CARDS,
    INCREMENT_CALL,
    INCREMENT_FOLD,
    INCREMENT_RAISE,
    RAISE,
    UPDATES,
    WINNING_HAND,
    Rule,
    apply_rule,
    best_action,
    drawn_action,
    greedy_triple,
    proportional_triple,
    start_values,
)

RULES = [
    INCREMENT_FOLD, DECREMENT_FOLD, INCREMENT_CALL, DECREMENT_CALL, INCREMENT_RAISE, DECREMENT_RAISE,
]  # fmt: skip

some_values = st.lists(st.integers(0, 10_000), min_size=3, max_size=3).map(lambda three: [*three, 0, 0, 0])


def agent(seed: int) -> Agent:
    player = Agent()
    player.seed = seed
    return player


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        # "increment the value of Fold and decrement the value of Call and Raise"
        (INCREMENT_FOLD, (51, 49, 49)),
        # "decrement the value of Fold two times; the values of Call and Raise are incremented normally"
        (DECREMENT_FOLD, (48, 51, 51)),
        # "increment the value of Call, increment the value of Raise two times", decrement that of Fold
        (INCREMENT_CALL, (49, 51, 52)),
        # "decrement Call two times, decrement the value of Raise four times and increment Fold"
        (DECREMENT_CALL, (51, 48, 46)),
        # "increment the value of Raise and decrement the values of both Call and Fold"
        (INCREMENT_RAISE, (49, 49, 51)),
        # "decrement the value of Raise two times and increment the values of Call and Fold"
        (DECREMENT_RAISE, (51, 51, 48)),
    ],
)
def test_each_rule_does_what_the_thesis_says(rule: Rule, after: tuple[int, int, int]) -> None:
    values = [50, 50, 50, 7, 20, 30]

    apply_rule(values, rule)

    assert values == [*after, 8, 20, 30]


@given(some_values, st.lists(st.sampled_from(RULES), max_size=200))
def test_after_any_updates_the_chances_are_a_distribution(values: list[int], rules: list[Rule]) -> None:
    for rule in rules:
        apply_rule(values, rule)

    assert values[UPDATES] == len(rules)
    for triple in (proportional_triple(values), greedy_triple(values)):
        assert min(triple) >= 0
        assert sum(triple) == pytest.approx(1)


@given(some_values, st.integers(0, 2**32))
def test_what_is_chosen_has_a_chance(values: list[int], seed: int) -> None:
    assert greedy_triple(values)[best_action(values, agent(seed))] > 0
    assert proportional_triple(values)[drawn_action(values, agent(seed))] > 0


def test_the_greatest_value_is_taken() -> None:
    for action in (FOLD, CALL, RAISE):
        values = [10, 10, 10, 0, 99, 99]
        values[action] = 11
        assert best_action(values, agent(1)) == action


@pytest.mark.parametrize(
    ("values", "chances"),
    [([5, 5, 0], (0.5, 0.5, 0)), ([0, 0, 0], (1 / 3, 1 / 3, 1 / 3)), ([1, 7, 7], (0, 0.5, 0.5))],
)
def test_equal_values_are_taken_equally_often(values: list[int], chances: tuple[float, ...]) -> None:
    full = [*values, 0, 0, 0]
    taken = Counter(best_action(full, agent(seed)) for seed in range(3000))

    assert greedy_triple(full) == pytest.approx(chances)
    assert [taken[action] / 3000 for action in range(3)] == pytest.approx(chances, abs=0.05)


@pytest.mark.parametrize(
    ("values", "chances"),
    [([26, 31, 43], (0.26, 0.31, 0.43)), ([0, 4, 96], (0, 0.04, 0.96)), ([0, 0, 0], (1 / 3, 1 / 3, 1 / 3))],
)
def test_actions_are_drawn_in_proportion(values: list[int], chances: tuple[float, ...]) -> None:
    full = [*values, 0, 0, 0]
    drawn = Counter(drawn_action(full, agent(seed)) for seed in range(5000))

    assert proportional_triple(full) == pytest.approx(chances)
    assert [drawn[action] / 5000 for action in range(3)] == pytest.approx(chances, abs=0.03)


def test_values_begin_uniform_from_0_to_99_and_unrelated() -> None:
    started = [start_values(1, key) for key in range(20_000)]

    for index in (FOLD, CALL, RAISE, HOLE_CARDS, WINNING_HAND):
        counts = Counter(values[index] for values in started)
        assert set(counts) == set(range(100))
        assert max(counts.values()) < 280  # expected 200, standard deviation 14
    assert all(values[UPDATES] == 0 for values in started)
    equal = sum(values[FOLD] == values[CALL] for values in started)
    assert equal == pytest.approx(200, abs=75)


def test_the_start_depends_on_the_seed_and_the_state_alone() -> None:
    assert start_values(1, 5) == start_values(1, 5)
    assert start_values(1, 5) != start_values(2, 5)
    assert start_values(1, 5) != start_values(1, 6)
