"""Action values: the six rules of the thesis, the start, the choice (Poker Learner 4.2.1.4)."""

from __future__ import annotations

import itertools
import random
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
    RULES,
    UPDATES,
    WINNING_HAND,
    Rule,
    apply_rule,
    best_action,
    compare_hole_cards,
    drawn_action,
    greedy_triple,
    hole_cards_verdicts,
    proportional_triple,
    start_values,
    winning_hand_verdict,
    winning_hand_verdicts,
)
from engine.hands.hand_rank import hand_rank
from engine.poker.cards import parse_cards

ALL_RULES = [
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


@given(some_values, st.lists(st.sampled_from(ALL_RULES), max_size=200))
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


# --- verdicts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "opponent", "verdict"),
    [
        # The opponent has a pair.
        ("AhKh", "2c2d", -1),  # "the agent only has a High Card": decremented
        ("3h3d", "4c4d", -1),  # "a lower ranking Pair": decremented
        ("5h5d", "4c4d", 1),  # "a higher ranking Pair": incremented
        ("4h4s", "4c4d", 0),  # similar hands: tied
        # The opponent has a high card.
        ("2h2d", "AcKc", 1),  # "a Pair": incremented
        ("QhJh", "Kc2d", -1),  # "lower ranking higher card": decremented
        ("Kh2h", "QcJd", 1),  # "higher ranking higher card": incremented
        ("Kh5d", "Kc6d", -1),  # "same higher card but lower second card": decremented
        ("Kh7d", "Kc6d", 1),  # "same higher card but higher second card": incremented
        ("Kh6h", "Kc6d", 0),  # similar hands: tied; suits do not count
    ],
)
def test_each_case_of_the_text(own: str, opponent: str, verdict: int) -> None:
    ours, theirs = parse_cards(own), parse_cards(opponent)

    for first, second in itertools.product((ours, ours[::-1]), (theirs, theirs[::-1])):
        assert compare_hole_cards(first, second) == verdict
        assert compare_hole_cards(second, first) == -verdict


def by_the_text(own: tuple[int, ...], opponent: tuple[int, ...]) -> int:
    """The text of 4.2.1.3, sentence by sentence."""
    c1, c2 = sorted((card >> 2 for card in own), reverse=True)
    card1, card2 = sorted((card >> 2 for card in opponent), reverse=True)
    if card1 == card2:
        if c1 != c2 or c1 < card1:
            return -1
        return 1 if c1 > card1 else 0
    if c1 == c2 or c1 > card1:
        return 1
    if c1 < card1:
        return -1
    return (c2 > card2) - (c2 < card2)


def test_every_two_hands_compare_as_the_text_says() -> None:
    hands = list(itertools.combinations(range(0, 52, 1), 2))
    rng = random.Random(4)
    for own in rng.sample(hands, 300):
        for opponent in rng.sample(hands, 300):
            assert compare_hole_cards(own, opponent) == by_the_text(own, opponent)


def test_each_opponent_gets_a_comparison() -> None:
    shown = [parse_cards(text) for text in ("2c2d", "Qc3s", "Kc5c")]

    assert hole_cards_verdicts(parse_cards("Kh5d"), shown) == [-1, 1, 0]


@pytest.mark.parametrize(
    ("own", "shown", "board", "verdict"),
    [
        ("AhAd", ["KhKd"], "2cQs7d8h9c", 1),
        ("AhAd", ["KhKd", "2h2s"], "2cQs7d8h9c", -1),  # better than one, worse than the winner
        ("3h4h", ["3c4d"], "2cQs7d8h9c", 0),
        ("AhJs", ["AcJd", "AsTd"], "2cQs7d8h9c", 0),
        ("6h5h", ["AcAd", "KsQd"], "2cQs7d8h9c", 1),  # hole cards that are behind, and a straight
        ("2h3h", ["AcAd", "KdKh"], "TsJsQsKsAs", 0),  # the board plays
    ],
)
def test_the_best_five_are_compared_with_the_winners(
    own: str, shown: list[str], board: str, verdict: int
) -> None:
    others = [parse_cards(text) for text in shown]

    assert winning_hand_verdict(parse_cards(own), others, parse_cards(board)) == verdict


def test_readings_of_the_winner_differ_by_ties_and_by_how_many_are_compared() -> None:
    board, own = parse_cards("2cQs7d8h9c"), parse_cards("AhJs")
    shown = [parse_cards(text) for text in ("AcJd", "3s3d", "Kd5d")]

    assert winning_hand_verdicts(own, shown, board, "each") == [0, -1, 1]
    assert winning_hand_verdicts(own, shown[:1], board, "strict") == [0]
    assert winning_hand_verdicts(own, shown[:1], board, "ties-win") == [1]
    assert winning_hand_verdicts(own, shown, board, "ties-win") == [-1]


def test_the_winner_is_the_evaluators() -> None:
    rng = random.Random(9)
    for _ in range(500):
        deck = rng.sample(range(52), 13)
        own, board, shown = tuple(deck[:2]), tuple(deck[2:7]), [tuple(deck[k : k + 2]) for k in (7, 9, 11)]
        ours, best = hand_rank((*own, *board)), max(hand_rank((*other, *board)) for other in shown)

        assert winning_hand_verdict(own, shown, board) == (ours > best) - (ours < best)


@pytest.mark.parametrize(
    ("action", "ahead", "behind"),
    [
        (FOLD, DECREMENT_FOLD, INCREMENT_FOLD),
        (CALL, INCREMENT_CALL, DECREMENT_CALL),
        (RAISE, INCREMENT_RAISE, DECREMENT_RAISE),
    ],
)
def test_the_rule_follows_from_the_action_and_the_verdict(
    action: int, ahead: tuple[int, int, int], behind: tuple[int, int, int]
) -> None:
    assert (RULES[action][1], RULES[action][0], RULES[action][-1]) == (ahead, None, behind)
