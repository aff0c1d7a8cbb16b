"""Sizes of games against published counts, and against the trees of small games."""

from __future__ import annotations

import math

import attrs
import pytest

from engine.kernels.solving.tree import TERMINAL
from engine.poker.rules import GameDefinition, load_game
from engine.solving.game_tree import GameTree
from engine.solving.sizes import BettingSize, TooLarge, game_size, num_canonical_views, num_views
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS

LIMIT = load_game("limit-2p")


def test_the_betting_of_heads_up_limit_holdem_has_its_published_size() -> None:
    size = game_size(LIMIT)

    assert size.rounds == (
        BettingSize(1, (4, 4), {2: 3, 3: 5}, 7, 0),
        BettingSize(7, (35, 35), {2: 28, 3: 42}, 56, 0),
        BettingSize(63, (315, 315), {2: 252, 3: 378}, 504, 0),
        BettingSize(567, (2835, 2835), {2: 2268, 3: 3402}, 4536, 5103),
    )
    assert [round_size.num_actions for round_size in size.rounds] == [21, 182, 1638, 14742]
    assert (size.num_decisions, size.num_ends) == (6378, 10206)


def test_heads_up_limit_holdem_has_its_published_number_of_information_sets() -> None:
    size = game_size(LIMIT)

    assert sum(size.information_sets) == 319_365_922_522_608
    assert size.canonical_information_sets == 13_803_249_787_132


def test_hands_that_differ_in_the_names_of_suits_alone_are_counted_once() -> None:
    assert [num_canonical_views(LIMIT, r) for r in range(4)] == [169, 1_286_792, 55_190_538, 2_428_287_420]
    assert [num_views(LIMIT, r) for r in (0, 1)] == [1326, 1326 * math.comb(50, 3)]


@pytest.mark.parametrize(
    ("game", "information_sets", "sequences"),
    [(KUHN, (6, 6), (13, 13)), (LEDUC, (468, 468), (1093, 1093))],
    ids=["kuhn-2p", "leduc"],
)
def test_small_games_have_their_published_sizes(
    game: GameDefinition, information_sets: tuple[int, ...], sequences: tuple[int, ...]
) -> None:
    size = game_size(game)

    assert size.information_sets == information_sets
    assert size.sequences == sequences


@pytest.mark.parametrize("game", [KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS], ids=range(5))
def test_the_counter_agrees_with_the_tree(game: GameDefinition) -> None:
    tree, size = GameTree(game), game_size(game)

    of_position = [
        sum(node.num_views for node in tree.nodes if node.kind == p) for p in range(game.num_players)
    ]
    assert size.information_sets == tuple(of_position)
    assert sum(size.sequences) - game.num_players == tree.num_slots
    assert size.num_decisions == len(list(tree.decisions))
    assert size.num_ends == sum(node.kind == TERMINAL for node in tree.nodes)


def test_a_game_that_is_too_large_is_refused_before_it_is_built() -> None:
    with pytest.raises(TooLarge, match="expected a small one such as kuhn-2p"):
        GameTree(LIMIT)
    with pytest.raises(TooLarge, match="more than 1000 nodes"):
        game_size(attrs.evolve(load_game("nolimit-2p-100bb")), most=1000)
