"""The one betting tree against published counts, and against the trees of small games."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.kernels.solving.tree import TERMINAL
from engine.poker.rules import GameDefinition, load_game
from engine.solving.betting_tree import DECISION, FOLDED, SHOWDOWN, BettingTree, by_pots
from engine.solving.deals import num_deals, num_views
from engine.solving.game_tree import GameTree
from engine.solving.walk import TooLarge
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS
from tests.support.asserting import refuses

LIMIT = load_game("limit-2p")
TREE = BettingTree(LIMIT)
SMALL = pytest.mark.parametrize("game", [KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS], ids=range(5))


def test_the_betting_of_heads_up_limit_holdem_has_its_published_size() -> None:
    def by_round(kind: int, player: int) -> list[int]:
        there = (TREE.kinds == kind) & (TREE.players == player)
        return list(np.bincount(TREE.rounds[there], minlength=4))

    assert by_round(DECISION, 0) == by_round(DECISION, 1) == [4, 35, 315, 2835]
    assert np.add(by_round(FOLDED, 0), by_round(FOLDED, 1)).tolist() == [7, 56, 504, 4536]
    assert by_round(SHOWDOWN, 0) == [0, 0, 0, 5103]
    numbers = [len(actions) for actions in TREE.actions]
    assert np.bincount(TREE.rounds, numbers).tolist() == [21, 182, 1638, 14742]


def test_heads_up_limit_holdem_has_its_published_number_of_information_sets() -> None:
    decisions = np.bincount(TREE.rounds[TREE.kinds == DECISION])

    assert [num_views(LIMIT, r) for r in (0, 1)] == [1326, 1326 * math.comb(50, 3)]
    assert sum(num_views(LIMIT, r) * int(n) for r, n in enumerate(decisions)) == 319_365_922_522_608


@pytest.mark.parametrize(
    ("game", "information_sets", "sequences"), [(KUHN, 12, 26), (LEDUC, 936, 2186)], ids=["kuhn-2p", "leduc"]
)
def test_small_games_have_their_published_sizes(
    game: GameDefinition, information_sets: int, sequences: int
) -> None:
    tree = GameTree(game)

    assert tree.num_information_sets == information_sets
    assert tree.num_slots + game.num_players == sequences


@SMALL
def test_a_game_tree_has_the_bettings_and_the_deals(game: GameDefinition) -> None:
    tree, bettings = GameTree(game), BettingTree(game)

    assert [node.betting for node in tree.nodes if node.kind != -1] == bettings.bettings
    assert sum(node.kind == TERMINAL for node in tree.nodes) == np.sum(bettings.kinds != DECISION)
    assert tree.deals.sizes == [num_deals(game, r) for r in range(game.num_rounds)]
    for r in range(game.num_rounds):
        assert tree.deals.num_views(r, 0) == num_views(game, r)


@SMALL
def test_children_stand_in_the_order_of_the_actions_and_before_what_follows(game: GameDefinition) -> None:
    tree = BettingTree(game)

    for node, betting in enumerate(tree.bettings):
        after = [tree.bettings[child] for child in tree.children(node)]
        assert after == [betting.apply(action) for action in tree.actions[node]]
        assert all(node < child < tree.ends[node] for child in tree.children(node))
        assert [tree.parents[child] for child in tree.children(node)] == [node] * len(after)
        assert tree.depths[node] == len(betting.steps())
        assert tree.node(betting) == node


def test_a_round_is_the_same_after_all_that_begin_it() -> None:
    flops = TREE.round_from(np.zeros(1, np.int64))
    begin = flops[(TREE.rounds[flops[:, 0]] == 1), 0]

    rows = TREE.round_from(np.append(begin, -1))

    assert rows.shape == (27, 8)
    assert (rows[:, -1] == -1).all()
    texts = [[TREE.bettings[node].text for node in column] for column in rows.T[:-1]]
    assert len({tuple(text.removeprefix(column[0]) for text in column) for column in texts}) == 1
    refuses(ValueError, "whatever went before", TREE.round_from, np.array([0, begin[0]]))


def test_raises_by_parts_of_the_pot_that_are_the_same_count_once_with_the_largest() -> None:
    game = load_game("nolimit-2p-100bb")
    tree = BettingTree(game, lambda betting: by_pots(betting, (0.5, 1.0, math.inf)))

    assert list(tree.actions[0].values()) == [0.0, 0.0, 0.5, 1.0, math.inf]
    assert any(list(actions.values()) == [0.0, 0.0, math.inf] for actions in tree.actions)


def test_a_game_that_is_too_large_is_refused_before_it_is_built() -> None:
    refuses(TooLarge, "expected a small one such as kuhn-2p", GameTree, LIMIT)
    refuses(TooLarge, "more than 1000 nodes", BettingTree, load_game("nolimit-2p-100bb"), most_nodes=1000)
    with pytest.raises(TooLarge):
        BettingTree(LIMIT, most_decisions=6377)
    assert len(BettingTree(LIMIT, most_nodes=16_584, most_decisions=6378)) == 16_584
