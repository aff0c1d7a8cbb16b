"""Expectimax against a recursion written out in plain Python, and against results known without it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.solving.miximax.values import MiximaxKind, hold_to_reaches
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, ActionKind, HandView, load_game, parse_betting
from engine.solving.miximax.habits import (
    Habits,
    InvalidHabits,
    format_shipped,
    parse_shipped,
    shipped_changes,
)
from engine.solving.miximax.strength import BUCKETS, own_changes
from engine.solving.miximax.trees import betting_tree
from engine.solving.miximax.values import Miximax
from engine.support.files.archive import ArchiveError
from tests.engine.solving.miximax import expectimax
from tests.engine.solving.miximax.expectimax import BOARD, CARDS, Expectimax, held_to, random_habits

GAME = load_game("limit-2p")
TREE = betting_tree(GAME)


def view(text: str) -> HandView:
    return expectimax.view(parse_betting(GAME, text))


def miximax() -> Miximax:
    return Miximax(TREE, shipped_changes())


def player(actions: dict[str, ActionKind], hands: int = 400) -> Habits:
    """Habits of somebody who has always done the same, by whether there was something to call."""
    habits = Habits(TREE)
    for node in np.flatnonzero(TREE.arrays.kinds == MiximaxKind.DECISION):
        facing = TREE.arrays.children[node, 0] >= 0
        kind = actions["facing" if facing else "first"]
        column, contexts = TRIPLE_INDEX[kind], TREE.arrays.contexts[node]
        habits.counted.actions[contexts] = 0
        habits.counted.actions[contexts, column if TREE.arrays.children[node, column] >= 0 else 1] = hands
    return habits


CALLER = {"facing": ActionKind.CALL, "first": ActionKind.CALL}
RAISER = {"facing": ActionKind.RAISE, "first": ActionKind.RAISE}
FOLDER = {"facing": ActionKind.FOLD, "first": ActionKind.CALL}


@pytest.mark.parametrize("text", ["rc/cc/cr", "cc/rrc/rrr", "rc/cc/rc/", "rc/cc/rc/rr"])
def test_values_are_those_of_the_recursion(text: str) -> None:
    state, habits = view(text), random_habits(TREE, len(text))

    found = miximax().values(habits, state, 5)

    assert found == pytest.approx(Expectimax(TREE, habits, state, 5).values(state.betting), abs=1e-9)


def test_values_are_those_of_the_recursion_against_a_player_who_always_raises() -> None:
    """Who raises with everything holds anything, whatever was expected to be shown."""
    state, habits = view("rrrc/rrrrc/rrrrc/r"), player(RAISER)
    habits.counted.shown[:] = np.random.default_rng(4).integers(0, 9, habits.counted.shown.shape)

    found = miximax().values(habits, state, 5)

    assert found == pytest.approx(Expectimax(TREE, habits, state, 5).values(state.betting), abs=1e-6)


@given(hands=st.lists(st.floats(1e-6, 1), min_size=BUCKETS, max_size=BUCKETS), reach=st.floats(0.001, 1))
def test_no_hand_is_shown_more_often_than_it_is_held(hands: list[float], reach: float) -> None:
    """The nearest distribution by relative entropy that Bayes' rule allows."""
    river = next(node for node in range(len(TREE)) if TREE.arrays.kinds[node] == MiximaxKind.SHOWDOWN)
    expected, reaches = np.full((len(TREE), BUCKETS), np.nan), np.zeros(len(TREE))
    expected[river], reaches[river] = np.array(hands) / sum(hands), reach
    wanted = held_to(expected[river], 1 / BUCKETS / reach)

    hold_to_reaches(TREE.arrays, river, river + 1, reaches, expected)

    assert expected[river] == pytest.approx(wanted, abs=1e-6)


def test_hands_that_are_never_shown_share_what_the_others_cannot_hold() -> None:
    river = next(node for node in range(len(TREE)) if TREE.arrays.kinds[node] == MiximaxKind.SHOWDOWN)
    expected, reaches = np.zeros((len(TREE), BUCKETS)), np.full(len(TREE), 0.5)
    expected[river, -1] = 1.0

    hold_to_reaches(TREE.arrays, river, river + 1, reaches, expected)

    assert expected[river, -1] == pytest.approx(2 / BUCKETS)
    assert expected[river, :-1] == pytest.approx((1 - 2 / BUCKETS) / (BUCKETS - 1))


def test_a_caller_is_bet_into_with_the_better_half_of_the_hands() -> None:
    """On the river, the pot 4 small bets: 2 (2 w - 1) more for a bet, if it is called by any hand."""
    habits = player(CALLER)
    values = miximax().values(habits, view("cc/rc/cc/"), 0)
    win = own_changes(shipped_changes(), CARDS, BOARD, 0)[1][0]

    assert values[CALL] == pytest.approx(2 * (2 * win - 1), abs=0.1)
    assert values[LIMIT_RAISE] == pytest.approx(4 * (2 * win - 1), abs=0.1)


def test_who_folds_everything_is_bet_into_with_anything() -> None:
    habits = player(FOLDER)
    for text in ("", "cc/", "cc/cc/", "cc/cc/cc/"):
        values = miximax().values(habits, view(text), 0)

        assert values[LIMIT_RAISE] == pytest.approx(1.0, abs=0.05)
        assert values[LIMIT_RAISE] > max(values.values()) - 0.05


def test_folding_costs_what_has_been_put_in() -> None:
    values = miximax().values(Habits(TREE), view("rc/rc/r"), 0)

    assert values[FOLD] == -3.0


def test_habits_are_drawn_towards_the_next_coarser_context() -> None:
    """Nothing seen: the expectation.  Seen elsewhere: drawn there.  Seen here often: what was seen."""
    habits, search = Habits(TREE), miximax()
    state = parse_betting(GAME, "rc/cr")
    node = TREE.node(state)
    assert search.expected_action(habits, node) == pytest.approx([1 / 3] * 3)

    for _ in range(30):
        habits.observe_action(parse_betting(GAME, "cc/r"), FOLD)
    elsewhere = search.expected_action(habits, node)
    assert 0.5 < elsewhere[0] < 0.99

    for _ in range(1000):
        habits.observe_action(state, CALL)
    assert search.expected_action(habits, node)[1] > 0.97


def test_what_was_seen_long_ago_fades() -> None:
    habits = Habits(TREE, fading=0.98)
    state = parse_betting(GAME, "r")
    for action in [FOLD] * 500 + [LIMIT_RAISE] * 200:
        habits.observe_action(state, action)

    chances = miximax().expected_action(habits, TREE.node(state))

    assert chances[2] > 0.8


def test_habits_survive_a_file() -> None:
    habits = Habits(TREE)
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, CARDS, BOARD)
    habits.observe(parse_betting(GAME, "rf"), 0)

    again = Habits.from_arrays(TREE, habits.as_arrays())

    assert again.hands == 2
    np.testing.assert_allclose(again.counted.actions, habits.counted.actions, rtol=1e-6)
    np.testing.assert_allclose(again.counted.shown, habits.counted.shown, rtol=1e-6)
    assert again.counted.shown.any()


@pytest.mark.parametrize("name", ["hands", "actions", "shown", "action_contexts"])
def test_damaged_counts_are_refused(name: str) -> None:
    habits = Habits(TREE)
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, CARDS, BOARD)
    arrays = habits.as_arrays()

    for damaged in (arrays | {name: np.array(-1.0)}, {k: v for k, v in arrays.items() if k != name}):
        with pytest.raises(InvalidHabits):
            Habits.from_arrays(TREE, damaged)


def test_a_shipped_file_comes_back_or_is_refused() -> None:
    habits = Habits(TREE)
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, CARDS, BOARD)
    data = format_shipped(habits, shipped_changes())

    again, changes = parse_shipped(data, TREE)

    assert again.hands == 1
    np.testing.assert_allclose(changes.rivers, shipped_changes().rivers, atol=1e-6)
    for damaged in (data[: len(data) // 2], b"PK", data.replace(b"schema", b"schemb")):
        with pytest.raises(ArchiveError):
            parse_shipped(damaged, TREE)
