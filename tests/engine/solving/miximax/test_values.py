"""Expectimax against recursions written out in plain Python, with limits and without."""

import functools
from typing import Final

import attrs
import numpy as np
import pytest
from hypothesis import given, strategies as st

from engine.kernels.solving.miximax.strength import BUCKETS
from engine.kernels.solving.miximax.values import MiximaxKind, hold_to_reaches
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    ActionKind,
    BettingState,
    HandView,
    initial_betting,
    load_game,
    parse_betting,
    raise_to,
)
from engine.solving.miximax.habits import (
    Expectations,
    Habits,
    InvalidHabits,
    format_shipped,
    parse_shipped,
    reasonable_habits,
    shipped_changes,
)
from engine.solving.miximax.strength import own_changes
from engine.solving.miximax.trees import (
    LEVELS,
    SIZED_LEVELS,
    ContextTree,
    NoLimitTree,
    TooManyBettings,
    betting_tree,
)
from engine.solving.miximax.values import Miximax
from engine.support.arrays import Floats
from engine.support.files.archive import ArchiveError
from tests.support.asserting import known, refuses

# --- values -------------------------------------------------------------------------------------------------

GAME = load_game("limit-2p")
limit = functools.partial(betting_tree, GAME)


def seen(text: str) -> HandView:
    return view(parse_betting(GAME, text))


def miximax() -> Miximax:
    return Miximax(limit(), shipped_changes())


def player(actions: dict[str, ActionKind], hands: int = 400) -> Habits:
    """Habits of somebody who has always done the same, by whether there was something to call."""
    habits = Habits(limit())
    for node in np.flatnonzero(limit().arrays.kinds == MiximaxKind.DECISION):
        facing = limit().arrays.children[node, 0] >= 0
        kind = actions["facing" if facing else "first"]
        column, contexts = TRIPLE_INDEX[kind], limit().arrays.contexts[node]
        habits.counted.actions[contexts] = 0
        habits.counted.actions[contexts, column if limit().arrays.children[node, column] >= 0 else 1] = hands
    return habits


CALLER = {"facing": ActionKind.CALL, "first": ActionKind.CALL}
RAISER = {"facing": ActionKind.RAISE, "first": ActionKind.RAISE}
FOLDER = {"facing": ActionKind.FOLD, "first": ActionKind.CALL}


@pytest.mark.parametrize("text", ["rc/cc/cr", "cc/rrc/rrr", "rc/cc/rc/", "rc/cc/rc/rr"])
def test_values_are_those_of_the_recursion(text: str) -> None:
    state, habits = seen(text), random_habits(limit(), len(text))

    found = miximax().values(habits, state, 5)

    assert found == pytest.approx(Expectimax(limit(), habits, state, 5).values(state.betting), abs=1e-9)


def test_values_are_those_of_the_recursion_against_a_player_who_always_raises() -> None:
    """Who raises with everything holds anything, whatever was expected to be shown."""
    state, habits = seen("rrrc/rrrrc/rrrrc/r"), player(RAISER)
    habits.counted.shown[:] = np.random.default_rng(4).integers(0, 9, habits.counted.shown.shape)

    found = miximax().values(habits, state, 5)

    assert found == pytest.approx(Expectimax(limit(), habits, state, 5).values(state.betting), abs=1e-6)


@given(hands=st.lists(st.floats(1e-6, 1), min_size=BUCKETS, max_size=BUCKETS), reach=st.floats(0.001, 1))
def test_no_hand_is_shown_more_often_than_it_is_held(hands: list[float], reach: float) -> None:
    """The nearest distribution by relative entropy that Bayes' rule allows."""
    river = next(node for node in range(len(limit())) if limit().arrays.kinds[node] == MiximaxKind.SHOWDOWN)
    expected, reaches = np.full((len(limit()), BUCKETS), np.nan), np.zeros(len(limit()))
    expected[river], reaches[river] = np.array(hands) / sum(hands), reach
    wanted = held_to(expected[river], 1 / BUCKETS / reach)

    hold_to_reaches(limit().arrays, river, river + 1, reaches, expected)

    assert expected[river] == pytest.approx(wanted, abs=1e-6)


def test_hands_that_are_never_shown_share_what_the_others_cannot_hold() -> None:
    river = next(node for node in range(len(limit())) if limit().arrays.kinds[node] == MiximaxKind.SHOWDOWN)
    expected, reaches = np.zeros((len(limit()), BUCKETS)), np.full(len(limit()), 0.5)
    expected[river, -1] = 1.0

    hold_to_reaches(limit().arrays, river, river + 1, reaches, expected)

    assert expected[river, -1] == pytest.approx(2 / BUCKETS)
    assert expected[river, :-1] == pytest.approx((1 - 2 / BUCKETS) / (BUCKETS - 1))


def test_a_caller_is_bet_into_with_the_better_half_of_the_hands() -> None:
    """On the river, the pot 4 small bets: 2 (2 w - 1) more for a bet, if it is called by any hand."""
    habits = player(CALLER)
    values = miximax().values(habits, seen("cc/rc/cc/"), 0)
    win = own_changes(shipped_changes(), CARDS, BOARD, 0)[1][0]

    assert values[CALL] == pytest.approx(2 * (2 * win - 1), abs=0.1)
    assert values[LIMIT_RAISE] == pytest.approx(4 * (2 * win - 1), abs=0.1)


def test_who_folds_everything_is_bet_into_with_anything() -> None:
    habits = player(FOLDER)
    for text in ("", "cc/", "cc/cc/", "cc/cc/cc/"):
        values = miximax().values(habits, seen(text), 0)

        assert values[LIMIT_RAISE] == pytest.approx(1.0, abs=0.05)
        assert values[LIMIT_RAISE] > max(values.values()) - 0.05


def test_folding_costs_what_has_been_put_in() -> None:
    values = miximax().values(Habits(limit()), seen("rc/rc/r"), 0)

    assert values[FOLD] == -3.0


def test_habits_are_drawn_towards_the_next_coarser_context() -> None:
    """Nothing seen: the expectation.  Seen elsewhere: drawn there.  Seen here often: what was seen."""
    habits, search = Habits(limit()), miximax()
    state = parse_betting(GAME, "rc/cr")
    node = limit().node(state)
    assert search.expected_action(habits, node) == pytest.approx([1 / 3] * 3)

    for _ in range(30):
        habits.observe_action(parse_betting(GAME, "cc/r"), FOLD)
    elsewhere = search.expected_action(habits, node)
    assert 0.5 < elsewhere[0] < 0.99

    for _ in range(1000):
        habits.observe_action(state, CALL)
    assert search.expected_action(habits, node)[1] > 0.97


def test_what_was_seen_long_ago_fades() -> None:
    habits = Habits(limit(), fading=0.98)
    state = parse_betting(GAME, "r")
    for action in [FOLD] * 500 + [LIMIT_RAISE] * 200:
        habits.observe_action(state, action)

    chances = miximax().expected_action(habits, limit().node(state))

    assert chances[2] > 0.8


def test_habits_survive_a_file() -> None:
    habits = Habits(limit())
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, CARDS, BOARD)
    habits.observe(parse_betting(GAME, "rf"), 0)

    again = Habits.from_arrays(limit(), habits.as_arrays())

    assert again.hands == 2
    np.testing.assert_allclose(again.counted.actions, habits.counted.actions, rtol=1e-6)
    np.testing.assert_allclose(again.counted.shown, habits.counted.shown, rtol=1e-6)
    assert again.counted.shown.any()


@pytest.mark.parametrize("name", ["hands", "actions", "shown", "action_contexts"])
def test_damaged_counts_are_refused(name: str) -> None:
    habits = Habits(limit())
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, CARDS, BOARD)
    arrays = habits.as_arrays()

    for damaged in (arrays | {name: np.array(-1.0)}, {k: v for k, v in arrays.items() if k != name}):
        refuses(InvalidHabits, "", Habits.from_arrays, limit(), damaged)


def test_a_shipped_file_comes_back_or_is_refused() -> None:
    habits = Habits(limit())
    habits.observe(parse_betting(GAME, "rc/cc/rc/rc"), 0, CARDS, BOARD)
    data = format_shipped(habits, shipped_changes())

    again, changes = parse_shipped(data, limit())

    assert again.hands == 1
    np.testing.assert_allclose(changes.rivers, shipped_changes().rivers, atol=1e-6)
    for damaged in (data[: len(data) // 2], b"PK", data.replace(b"schema", b"schemb")):
        refuses(ArchiveError, "", parse_shipped, damaged, limit())


# --- no limit -----------------------------------------------------------------------------------------------

NO_LIMIT = load_game("nolimit-2p-100bb")
SMALL = attrs.evolve(NO_LIMIT, stacks=(20, 20))
"""Ten big blinds: some hundreds of bettings."""


@pytest.mark.parametrize("text", ["", "r6", "r4c/c", "cc/r4c/", "r4c/cc/cr8"])
def test_values_are_those_of_expectimax_by_the_rules(text: str) -> None:
    tree = betting_tree(SMALL)
    assert isinstance(tree, NoLimitTree)
    habits, betting = random_habits(tree, 3 + len(text)), parse_betting(SMALL, text)

    found = Miximax(tree, shipped_changes()).values(habits, view(betting), 5)

    assert found == pytest.approx(Expectimax(tree, habits, view(betting), 5).values(betting), abs=1e-9)


@pytest.mark.parametrize("text", ["r5c/cr11r31", "r7c/cc/cc/", "r5r13c/cc/r20c/", "r9c/r13c/cc/"])
def test_after_other_raises_chips_are_those_that_were_bet(text: str) -> None:
    """The same, where the tree knows no raise of that size.

    Where chips run out in truth and not in the tree, or the other way round, values are near each other only:
    these bettings reach the stacks after as many raises.
    """
    game = attrs.evolve(NO_LIMIT, stacks=(600, 600))
    tree = betting_tree(game)
    assert isinstance(tree, NoLimitTree)
    betting = parse_betting(game, text)
    assert betting.text not in tree.bettings.numbers
    habits = random_habits(tree, len(text))

    found = Miximax(tree, shipped_changes()).values(habits, view(betting), 5)

    assert found == pytest.approx(Expectimax(tree, habits, view(betting), 5).values(betting), abs=1e-9)


# --- the tree ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tree() -> NoLimitTree:
    made = betting_tree(NO_LIMIT)
    assert isinstance(made, NoLimitTree)
    return made


def test_priced_from_the_first_node_it_is_worth_what_the_rules_say(tree: NoLimitTree) -> None:
    ends = tree.arrays.kinds != MiximaxKind.DECISION

    priced = tree.priced(0, initial_betting(NO_LIMIT), np.empty((len(tree), 3)))

    np.testing.assert_array_equal(priced.amounts[ends], tree.arrays.amounts[ends])


def test_children_come_after_their_parents_and_moves_tell_who_they_are(tree: NoLimitTree) -> None:
    arrays, moves = tree.arrays, tree.moves
    for node, children in enumerate(arrays.children):
        for child in children[children >= 0]:
            assert node < child < arrays.ends[child] <= arrays.ends[node]
            assert moves.parents[child] == node
    assert moves.parents[0] == -1


def test_contexts_become_coarser_and_only_the_coarsest_mixes_what_is_allowed(tree: NoLimitTree) -> None:
    arrays = tree.arrays
    decisions = arrays.kinds == MiximaxKind.DECISION
    sizes = [len(np.unique(arrays.contexts[decisions, level])) for level in range(SIZED_LEVELS)]

    assert sizes[0] == decisions.sum()
    assert sizes == sorted(sizes, reverse=True)
    for level in range(LEVELS - 1):
        rows = np.column_stack((arrays.contexts[:, level], arrays.children >= 0))[decisions]
        assert len(np.unique(rows, axis=0)) == len(np.unique(rows[:, 0]))


@pytest.mark.parametrize(
    ("text", "stands_for"),
    [
        ("r4", "r4"),  # half the pot
        ("r5", "r6"),  # 3/4 of the pot: more than (1/2 + 1 + 2 * 1/2) / (1/2 + 1 + 2) of the way
        ("r4r8", "r4r12"),  # there are no smaller reraises
        ("r150", "r200"),
        ("r200c///", "r200c///"),
        ("r5r11c/cr30", "r6r18c/cr54"),
    ],
)
def test_other_raises_are_taken_for_the_likeliest(text: str, stands_for: str, tree: NoLimitTree) -> None:
    assert tree.node(parse_betting(NO_LIMIT, text)) == tree.bettings.numbers[stands_for]


def test_one_who_is_all_in_by_either_size_is_all_in(tree: NoLimitTree) -> None:
    """A raise to 71 stands for one to 54, after which half the pot is less than half of what is left."""
    betting = parse_betting(NO_LIMIT, "r6r18r71c/")
    assert tree.node(betting) == tree.bettings.numbers["r6r18r54c/"]

    assert set(tree.actions_at(betting)) == {None, CALL, raise_to(200)}
    assert tree.column(betting, raise_to(200)) == 4


def test_a_raise_after_what_the_tree_calls_all_in_is_not_counted(tree: NoLimitTree) -> None:
    habits, betting = Habits(tree), parse_betting(NO_LIMIT, "r150c/")
    assert tree.arrays.kinds[tree.node(betting)] == MiximaxKind.SHOWDOWN

    habits.observe_action(betting, raise_to(200))

    assert not habits.counted.actions.any()


def test_where_the_tree_has_no_more_betting_a_call_is_worth_the_showdown(tree: NoLimitTree) -> None:
    """Half of a pot of 300, by what the opponent shows: nothing is known of it."""
    betting = parse_betting(NO_LIMIT, "r150c/cc/cc/r160")
    win = own_changes(shipped_changes(), CARDS, BOARD, 0)[1][0]

    values = Miximax(tree, shipped_changes()).values(Habits(tree), view(betting), 0)

    assert values == pytest.approx({FOLD: -75.0, CALL: 80 * (2 * win - 1)})


def test_what_was_counted_with_some_stacks_is_known_with_others(tree: NoLimitTree) -> None:
    habits = Habits(tree)
    habits.observe(parse_betting(NO_LIMIT, "r6c/cr12c/cc/cc"), 0, CARDS, BOARD)

    deeper = betting_tree(load_game("nolimit-2p"))
    again = Habits.from_arrays(deeper, habits.as_arrays(), Expectations(deeper))

    assert again.counted.actions.sum() == pytest.approx(habits.counted.actions.sum())
    node = deeper.node(parse_betting(deeper.game, "r300c/c"))
    assert again.counted.actions[deeper.arrays.contexts[node, 0]].sum() == 0  # ours, not the opponent's
    first = deeper.node(parse_betting(deeper.game, "r300c/"))
    assert again.counted.actions[deeper.arrays.contexts[first, 0]].tolist() == [0, 1, 0, 0, 0]


def test_what_other_stacks_do_not_know_is_there_again_with_the_old_ones(tree: NoLimitTree) -> None:
    """Three raises before the flop take more than ten big blinds."""
    habits, few = Habits(tree), betting_tree(SMALL)
    habits.observe(parse_betting(NO_LIMIT, "r6r18r54c/cc/cc/cc"), 1, CARDS, BOARD)

    short = Habits.from_arrays(few, habits.as_arrays())
    short.observe(parse_betting(SMALL, "r6f"), 1)
    again = Habits.from_arrays(tree, short.as_arrays())

    assert short.counted.actions.sum() < again.counted.actions.sum()
    more = again.counted.actions - habits.counted.actions
    first = tree.arrays.contexts[tree.node(parse_betting(NO_LIMIT, ""))]
    assert more[first].tolist() == [[0, 0, 0, 1, 0]] * SIZED_LEVELS
    assert more.sum() == SIZED_LEVELS
    np.testing.assert_allclose(again.counted.shown, habits.counted.shown, atol=1e-6)
    assert again.hands == 2


def test_games_with_more_chips_do_without_raises_of_half_the_pot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.solving.miximax.trees._MOST_NODES", 400)
    smaller = betting_tree(attrs.evolve(NO_LIMIT, stacks=(24, 24)))
    assert not (smaller.arrays.children[:, 2] >= 0).any()

    monkeypatch.setattr("engine.solving.miximax.trees._MOST_NODES", 40)
    refuses(TooManyBettings, "fewer chips", betting_tree, attrs.evolve(NO_LIMIT, stacks=(26, 26)))


def test_other_games_have_no_tree() -> None:
    for name in ("nolimit-3p", "nolimit-6p-ante"):
        refuses(ValueError, "for two, without antes", betting_tree, load_game(name))


def test_the_last_level_counts_for_those_who_do_the_same_everywhere(tree: NoLimitTree) -> None:
    """Who shows anything after small pots is taken to hold anything in great ones."""
    rng = np.random.default_rng(2)
    great = tree.node(parse_betting(NO_LIMIT, "r200c///"))
    texts = ("cc/cc/cc/cc", "r4c/cc/cc/cc", "cc/r4c/cc/cc", "cc/cr4c/cc/cc", "cc/cc/r4c/cc", "cc/cc/cc/cr4c")
    small = [parse_betting(NO_LIMIT, text) for text in texts]
    search = Miximax(tree, shipped_changes())
    weak_half = {}
    for player, shown in (("anything", rng.random(600)), ("strong", 0.75 + rng.random(600) / 4)):
        habits = Habits(tree, Expectations(tree, reasonable_habits(NO_LIMIT)))
        for number, strength in enumerate(shown.tolist()):
            habits.observe_showdown(small[number % len(small)], 1, strength)
        weak_half[player] = search.expected_hands(habits, great, 1)[: BUCKETS // 2].sum()
    reasonable = Expectations(tree, reasonable_habits(NO_LIMIT)).hands[1][great][: BUCKETS // 2].sum()

    assert reasonable < 0.4
    assert weak_half["anything"] > 0.45
    assert weak_half["strong"] < weak_half["anything"] - 0.1


# --- expectimax ---------------------------------------------------------------------------------------------

BOARD: Final = (0, 17, 34, 51, 8)
CARDS: Final = (1, 2)


def view(betting: BettingState) -> HandView:
    """What the player to act sees, with `CARDS` and `BOARD`."""
    us = known(betting.position_to_act)
    return HandView(betting, us, 0, (CARDS, ()) if us == 0 else ((), CARDS), BOARD[: betting.num_board_cards])


def random_habits(tree: ContextTree, seed: int) -> Habits:
    """Habits whose counts are drawn at random."""
    rng = np.random.default_rng(seed)
    habits = Habits(tree)
    habits.counted.actions[:] = rng.integers(0, 30, habits.counted.actions.shape)
    habits.counted.shown[:] = rng.integers(0, 9, habits.counted.shown.shape)
    return habits


def held_to(hands: Floats, most: float) -> Floats:
    """The same times a factor, nothing above `most`, the sum 1: the factor by bisection."""
    low, high = 1.0, 1e12
    for _ in range(200):
        factor = (low * high) ** 0.5
        low, high = (factor, high) if np.minimum(factor * hands, most).sum() < 1 else (low, factor)
    return np.minimum(high * hands, most)


def _towards(prior: Floats, rows: Floats, weights: Floats) -> Floats:
    """What rows of counts say, the finest first, each drawn towards the coarser."""
    for row, weight in zip(rows[::-1], weights[::-1], strict=True):
        if row.sum() > 0:
            prior = (row + weight * prior) / (row.sum() + weight)
    return prior


class Expectimax:
    """Expectimax by the rules: states are applied one by one, chips are those that the rules say were spent.

    Of the tree it takes which node stands for a state, since habits are counted there, and which of the
    sizes there are.
    """

    def __init__(self, tree: ContextTree, habits: Habits, state: HandView, seed: int) -> None:
        self.tree, self.habits, self.us = tree, habits, state.position
        self.changes, self.percentiles = own_changes(shipped_changes(), state.own_cards, state.board, seed)
        self.expected = Expectations(tree)

    def values(self, betting: BettingState) -> dict[Action, float]:
        """What each action is worth to the player to act."""
        return {
            action: float(self.after(betting, action)[0])
            for action in self.tree.actions_at(betting)
            if action is not None
        }

    def after(self, betting: BettingState, action: Action) -> Floats:
        """By bucket of the round in which the action is taken."""
        child = betting.apply(action)
        worth = self.value(child)
        for betting_round in range(child.betting_round - 1, betting.betting_round - 1, -1):
            worth = self.changes[betting_round] @ worth
        return worth

    def value(self, betting: BettingState) -> Floats:
        """By bucket of the betting's round."""
        player = betting.position_to_act
        if player is None and not betting.is_showdown:
            loser = betting.folded.index(True)
            lost = betting.spent[loser] / self.tree.unit
            return np.full(BUCKETS, -lost if loser == self.us else lost)
        node = self.tree.node(betting)
        if player is None:
            hands = self.hands(node)
            won = np.zeros(BUCKETS)
            for bucket, percentile in enumerate(self.percentiles):
                place = int(percentile * BUCKETS)
                win = sum(hands[:place]) + (percentile * BUCKETS - place) * hands[min(place, BUCKETS - 1)]
                won[bucket] = min(betting.spent) / self.tree.unit * (2 * win - 1)
            return won
        children = {
            column: self.after(betting, action)
            for column, action in enumerate(self.tree.actions_at(betting))
            if action is not None
        }
        if player == self.us:
            best: Floats = np.max(list(children.values()), axis=0)
            return best
        chances = self.chances(node)
        expected: Floats = np.sum([chances[column] * worth for column, worth in children.items()], axis=0)
        return expected

    def chances(self, node: int) -> Floats:
        """How likely the opponent takes each action."""
        arrays, counted = self.tree.arrays, self.habits.counted.actions
        rows = counted[arrays.contexts[node]] * (arrays.children[node] >= 0)
        return _towards(self.expected.actions[node], rows, self.habits.weights.actions)

    def hands(self, node: int) -> Floats:
        """How likely the opponent shows a hand of each bucket, as far as it can hold them."""
        arrays, counted = self.tree.arrays, self.habits.counted.shown
        rows = counted[(arrays.contexts if self.us == 1 else arrays.contexts_of_other)[node]]
        wanted = _towards(self.expected.hands[1 - self.us][node], rows, self.habits.weights.shown)
        return held_to(wanted, 1 / BUCKETS / self.reach(node))

    def reach(self, end: int) -> float:
        """How likely the opponent's own actions are to lead there."""
        arrays, product, node = self.tree.arrays, 1.0, 0
        while node != end:
            (action,) = [
                a for a, c in enumerate(arrays.children[node]) if c >= 0 and c <= end < arrays.ends[c]
            ]
            if arrays.players[node] != self.us:
                product *= self.chances(node)[action]
            node = arrays.children[node][action]
        return product
