"""Expectimax against a recursion written out in plain Python, and against results known without it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.kernels.solving.miximax.values import MiximaxKind, hold_to_reaches
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, ActionKind, HandView, load_game, parse_betting
from engine.solving.miximax.habits import (
    Expectations,
    Habits,
    InvalidHabits,
    format_shipped,
    parse_shipped,
    shipped_changes,
)
from engine.solving.miximax.strength import BUCKETS, own_changes
from engine.solving.miximax.trees import ACTIONS, betting_tree
from engine.solving.miximax.values import Miximax
from engine.support.files.archive import ArchiveError

GAME = load_game("limit-2p")
TREE = betting_tree(GAME)
BOARD = (0, 17, 34, 51, 8)


def view(text: str, cards: tuple[int, int] = (1, 2)) -> HandView:
    betting = parse_betting(GAME, text)
    us = betting.position_to_act
    hole_cards = (cards, ()) if us == 0 else ((), cards)
    return HandView(betting, us or 0, 0, hole_cards, BOARD[: betting.num_board_cards])


def miximax() -> Miximax:
    return Miximax(TREE, shipped_changes())


def player(actions: dict[str, ActionKind], hands: int = 400) -> Habits:
    """Habits of somebody who has always done the same, by whether there was something to call."""
    habits = Habits(TREE)
    for node in np.flatnonzero(TREE.arrays.kinds == MiximaxKind.DECISION):
        facing = TREE.arrays.children[node, 0] >= 0
        kind = actions["facing" if facing else "first"]
        allowed = TREE.arrays.children[
            node, {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}[kind]
        ]
        for context in TREE.arrays.contexts[node]:
            row = habits.counted.actions[context]
            row[:] = 0
            row[
                {ActionKind.FOLD: 0, ActionKind.CALL: 1, ActionKind.RAISE: 2}[kind] if allowed >= 0 else 1
            ] = hands
    return habits


CALLER = {"facing": ActionKind.CALL, "first": ActionKind.CALL}
RAISER = {"facing": ActionKind.RAISE, "first": ActionKind.RAISE}
FOLDER = {"facing": ActionKind.FOLD, "first": ActionKind.CALL}


def random_habits(seed: int) -> Habits:
    rng = np.random.default_rng(seed)
    habits = Habits(TREE)
    habits.counted.actions[:] = rng.integers(0, 30, habits.counted.actions.shape)
    habits.counted.shown[:] = rng.integers(0, 9, habits.counted.shown.shape)
    return habits


def held_to(hands: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """The same times a factor, nothing above `most`, the sum 1: the factor by bisection."""
    low, high = 1.0, 1e12
    for _ in range(200):
        factor = (low * high) ** 0.5
        low, high = (factor, high) if np.minimum(factor * hands, most).sum() < 1 else (low, factor)
    return np.minimum(high * hands, most)


def slow_values(habits: Habits, state: HandView, seed: int) -> dict[Action, float]:
    """The same by recursion, one bucket after the other."""
    arrays, us, first_round = TREE.arrays, state.position, state.betting_round
    changes, percentiles = own_changes(shipped_changes(), state.own_cards, state.board, seed)
    expected, used = Expectations(TREE), habits.weights

    def towards(
        prior: NDArray[np.float64], rows: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        for row, weight in zip(rows[::-1], weights[::-1], strict=True):
            if row.sum() > 0:
                prior = (row + weight * prior) / (row.sum() + weight)
        return prior

    def after(child: int, betting_round: int, bucket: int) -> float:
        if arrays.rounds[child] == betting_round:
            return value(child, bucket)
        row = changes[betting_round, bucket]
        total = 0.0
        for place, chance in enumerate(row.tolist()):
            total += chance * after(child, betting_round + 1, place)
        return total

    def chances_at(node: int) -> NDArray[np.float64]:
        rows = habits.counted.actions[arrays.contexts[node]] * (arrays.children[node] >= 0)
        return towards(expected.actions[node], rows, used.actions)

    def reach(end: int) -> float:
        """How likely the opponent's own actions are to lead there."""
        product, node = 1.0, 0
        while node != end:
            (action,) = [
                a for a, c in enumerate(arrays.children[node]) if c >= 0 and c <= end < arrays.ends[c]
            ]
            if arrays.players[node] != us:
                product *= chances_at(node)[action]
            node = arrays.children[node][action]
        return product

    @cache
    def value(node: int, bucket: int) -> float:
        kind, player = arrays.kinds[node], arrays.players[node]
        if kind == MiximaxKind.FOLD:
            return float(-arrays.amounts[node] if player == us else arrays.amounts[node])
        if kind == MiximaxKind.SHOWDOWN:
            contexts = arrays.contexts if us == 1 else arrays.contexts_of_other
            hands = towards(expected.hands[1 - us][node], habits.counted.shown[contexts[node]], used.shown)
            hands = held_to(hands, 1 / BUCKETS / reach(node))
            place = percentiles[bucket] * BUCKETS
            below = int(place)
            win = hands[:below].sum() + (place - below) * hands[below]
            return float(arrays.amounts[node] * (2 * win - 1))
        children = arrays.children[node]
        values = {
            a: after(int(c), int(arrays.rounds[node]), bucket) for a, c in enumerate(children) if c >= 0
        }
        if player == us:
            return max(values.values())
        chances = chances_at(node)
        return float(sum(chances[action] * each for action, each in values.items()))

    root = TREE.node(state.betting)
    return {
        action: after(int(child), first_round, 0)
        for action, child in zip(ACTIONS, arrays.children[root], strict=True)
        if child >= 0
    }


@pytest.mark.parametrize("text", ["rc/cc/cr", "cc/rrc/rrr", "rc/cc/rc/", "rc/cc/rc/rr"])
def test_values_are_those_of_the_recursion(text: str) -> None:
    state, habits = view(text), random_habits(len(text))

    found = miximax().values(habits, state, 5)

    assert found == pytest.approx(slow_values(habits, state, 5), abs=1e-9)


def test_values_are_those_of_the_recursion_against_a_player_who_always_raises() -> None:
    """Who raises with everything holds anything, whatever was expected to be shown."""
    state, habits = view("rrrc/rrrrc/rrrrc/r"), player(RAISER)
    habits.counted.shown[:] = np.random.default_rng(4).integers(0, 9, habits.counted.shown.shape)

    found = miximax().values(habits, state, 5)

    assert found == pytest.approx(slow_values(habits, state, 5), abs=1e-6)


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
    win = own_changes(shipped_changes(), (1, 2), BOARD, 0)[1][0]

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
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, (1, 2), BOARD)
    habits.observe(parse_betting(GAME, "rf"), 0)

    again = Habits.from_arrays(TREE, habits.as_arrays())

    assert again.hands == 2
    np.testing.assert_allclose(again.counted.actions, habits.counted.actions, rtol=1e-6)
    np.testing.assert_allclose(again.counted.shown, habits.counted.shown, rtol=1e-6)
    assert again.counted.shown.any()


@pytest.mark.parametrize("name", ["hands", "actions", "shown", "action_contexts"])
def test_damaged_counts_are_refused(name: str) -> None:
    habits = Habits(TREE)
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, (1, 2), BOARD)
    arrays = habits.as_arrays()

    for damaged in (arrays | {name: np.array(-1.0)}, {k: v for k, v in arrays.items() if k != name}):
        with pytest.raises(InvalidHabits):
            Habits.from_arrays(TREE, damaged)


def test_a_shipped_file_comes_back_or_is_refused() -> None:
    habits = Habits(TREE)
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, (1, 2), BOARD)
    data = format_shipped(habits, shipped_changes())

    again, changes = parse_shipped(data, TREE)

    assert again.hands == 1
    np.testing.assert_allclose(changes.rivers, shipped_changes().rivers, atol=1e-6)
    for damaged in (data[: len(data) // 2], b"PK", data.replace(b"schema", b"schemb")):
        with pytest.raises(ArchiveError):
            parse_shipped(damaged, TREE)
