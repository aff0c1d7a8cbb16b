"""No-limit miximax: chips against the rules, values against expectimax written out on the rules."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from engine.kernels.solving.miximax.values import MiximaxKind
from engine.poker.rules import (
    CALL,
    FOLD,
    initial_betting,
    load_game,
    parse_betting,
    raise_to,
)
from engine.solving.miximax.habits import Expectations, Habits, reasonable_habits, shipped_changes
from engine.solving.miximax.strength import BUCKETS, own_changes
from engine.solving.miximax.trees import LEVELS, SIZED_LEVELS, NoLimitTree, TooManyBettings, betting_tree
from engine.solving.miximax.values import Miximax
from tests.engine.solving.miximax.expectimax import BOARD, CARDS, Expectimax, random_habits, view
from tests.support.asserting import refuses

GAME = load_game("nolimit-2p-100bb")
SMALL = attrs.evolve(GAME, stacks=(20, 20))
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
    game = attrs.evolve(GAME, stacks=(600, 600))
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
    made = betting_tree(GAME)
    assert isinstance(made, NoLimitTree)
    return made


def test_priced_from_the_first_node_it_is_worth_what_the_rules_say(tree: NoLimitTree) -> None:
    ends = tree.arrays.kinds != MiximaxKind.DECISION

    priced = tree.priced(0, initial_betting(GAME), np.empty((len(tree), 3)))

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
    assert tree.node(parse_betting(GAME, text)) == tree.bettings.numbers[stands_for]


def test_one_who_is_all_in_by_either_size_is_all_in(tree: NoLimitTree) -> None:
    """A raise to 71 stands for one to 54, after which half the pot is less than half of what is left."""
    betting = parse_betting(GAME, "r6r18r71c/")
    assert tree.node(betting) == tree.bettings.numbers["r6r18r54c/"]

    assert set(tree.actions_at(betting)) == {None, CALL, raise_to(200)}
    assert tree.column(betting, raise_to(200)) == 4


def test_a_raise_after_what_the_tree_calls_all_in_is_not_counted(tree: NoLimitTree) -> None:
    habits, betting = Habits(tree), parse_betting(GAME, "r150c/")
    assert tree.arrays.kinds[tree.node(betting)] == MiximaxKind.SHOWDOWN

    habits.observe_action(betting, raise_to(200))

    assert not habits.counted.actions.any()


def test_where_the_tree_has_no_more_betting_a_call_is_worth_the_showdown(tree: NoLimitTree) -> None:
    """Half of a pot of 300, by what the opponent shows: nothing is known of it."""
    betting = parse_betting(GAME, "r150c/cc/cc/r160")
    win = own_changes(shipped_changes(), CARDS, BOARD, 0)[1][0]

    values = Miximax(tree, shipped_changes()).values(Habits(tree), view(betting), 0)

    assert values == pytest.approx({FOLD: -75.0, CALL: 80 * (2 * win - 1)})


def test_what_was_counted_with_some_stacks_is_known_with_others(tree: NoLimitTree) -> None:
    habits = Habits(tree)
    habits.observe(parse_betting(GAME, "r6c/cr12c/cc/cc"), 0, CARDS, BOARD)

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
    habits.observe(parse_betting(GAME, "r6r18r54c/cc/cc/cc"), 1, CARDS, BOARD)

    short = Habits.from_arrays(few, habits.as_arrays())
    short.observe(parse_betting(SMALL, "r6f"), 1)
    again = Habits.from_arrays(tree, short.as_arrays())

    assert short.counted.actions.sum() < again.counted.actions.sum()
    more = again.counted.actions - habits.counted.actions
    first = tree.arrays.contexts[tree.node(parse_betting(GAME, ""))]
    assert more[first].tolist() == [[0, 0, 0, 1, 0]] * SIZED_LEVELS
    assert more.sum() == SIZED_LEVELS
    np.testing.assert_allclose(again.counted.shown, habits.counted.shown, atol=1e-6)
    assert again.hands == 2


def test_games_with_more_chips_do_without_raises_of_half_the_pot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.solving.miximax.trees._MOST_NODES", 400)
    smaller = betting_tree(attrs.evolve(GAME, stacks=(24, 24)))
    assert not (smaller.arrays.children[:, 2] >= 0).any()

    monkeypatch.setattr("engine.solving.miximax.trees._MOST_NODES", 40)
    refuses(TooManyBettings, "fewer chips", betting_tree, attrs.evolve(GAME, stacks=(26, 26)))


def test_other_games_have_no_tree() -> None:
    for name in ("nolimit-3p", "nolimit-6p-ante"):
        refuses(ValueError, "for two, without antes", betting_tree, load_game(name))


def test_the_last_level_counts_for_those_who_do_the_same_everywhere(tree: NoLimitTree) -> None:
    """Who shows anything after small pots is taken to hold anything in great ones."""
    rng = np.random.default_rng(2)
    great = tree.node(parse_betting(GAME, "r200c///"))
    texts = ("cc/cc/cc/cc", "r4c/cc/cc/cc", "cc/r4c/cc/cc", "cc/cr4c/cc/cc", "cc/cc/r4c/cc", "cc/cc/cc/cr4c")
    small = [parse_betting(GAME, text) for text in texts]
    search = Miximax(tree, shipped_changes())
    weak_half = {}
    for player, shown in (("anything", rng.random(600)), ("strong", 0.75 + rng.random(600) / 4)):
        habits = Habits(tree, Expectations(tree, reasonable_habits(GAME)))
        for number, strength in enumerate(shown.tolist()):
            habits.observe_showdown(small[number % len(small)], 1, strength)
        weak_half[player] = search.expected_hands(habits, great, 1)[: BUCKETS // 2].sum()
    reasonable = Expectations(tree, reasonable_habits(GAME)).hands[1][great][: BUCKETS // 2].sum()

    assert reasonable < 0.4
    assert weak_half["anything"] > 0.45
    assert weak_half["strong"] < weak_half["anything"] - 0.1
