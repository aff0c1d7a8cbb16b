"""The tree of a small game is the game the rules play."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.kernels.solving.tree import TERMINAL, Block
from engine.poker.cards import parse_cards
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, CardDealer, GameDefinition, initial_hand
from engine.solving.game_tree import GameTree, game_tree
from engine.solving.strategies import (
    NoTriple,
    Strategy,
    information_set_key,
    policy_of_triples,
    policy_with,
    uniform_policy,
    values,
)
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS
from tests.oracles.openspiel import openspiel_game
from tests.support.asserting import refuses

GAMES = pytest.mark.parametrize("game", [KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS], ids=range(5))


@GAMES
def test_hands_played_by_the_rules_end_as_the_tree_says(game: GameDefinition) -> None:
    """200 random hands: every decision is found in the tree, and its end pays what the rules pay."""
    tree = game_tree(game)
    ends = {node.betting.text: node for node in tree.nodes if node.kind == TERMINAL}
    rng = random.Random(1)
    dealer = CardDealer(game, 7)
    for number in range(200):
        state = initial_hand(game, number, dealer.deal())
        while state.position_to_act is not None:
            view = state.view(state.position_to_act)
            found = tree.information_set(view)
            assert tree.hand_view(found).own_cards == tuple(sorted(view.own_cards, key=game.deck.index))
            assert found.position == view.position
            state = state.apply(rng.choice(found.node.actions))
        end = ends[state.betting.text]
        board = state.deal.board[: game.board_ends[end.dealt_round]]
        seen = [tree.deals.view_of(end.dealt_round, cards, board) for cards in state.deal.hole_cards]
        same = np.equal(tree.deals.views[end.dealt_round], np.array(seen)[:, None])
        (dealt,) = np.flatnonzero(np.all(same, axis=0))
        paid = tree.arrays.payoffs[:, tree.arrays.blocks[end.number, Block.FIRST_SLOT] + dealt]
        assert paid == pytest.approx(state.chips_won())


@GAMES
def test_keys_name_information_sets(game: GameDefinition) -> None:
    tree = game_tree(game)

    keys = [information_set_key(tree.hand_view(found)) for found in tree.information_sets()]

    assert len(set(keys)) == tree.num_information_sets
    for found in tree.information_sets():
        again = tree.information_set(tree.hand_view(found))
        assert (again.number, again.view, again.node) == (found.number, found.view, found.node)


def test_a_key_reads_as_betting_cards_board() -> None:
    tree = game_tree(LEDUC)
    keys = [information_set_key(tree.hand_view(found)) for found in tree.information_sets()]

    assert {":Ks", "crr:Qh", "rc/cr:Ks|Qh"} <= set(keys)


@GAMES
def test_openspiel_pays_uniform_players_the_same(game: GameDefinition) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = openspiel_game(game)
    policy = pyspiel.UniformRandomPolicy(theirs)

    expected = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True, 0.0)

    tree = game_tree(game)
    assert values(tree, uniform_policy(tree)) == pytest.approx(expected, abs=1e-12)


def test_policies_are_what_they_were_made_from() -> None:
    tree = game_tree(LEDUC)
    half = policy_with(tree, (0, 1, 1))
    strategy = Strategy(tree, half)
    first = tree.hand_view(next(tree.information_sets()))

    assert strategy.chances(first) == {CALL: 0.5, LIMIT_RAISE: 0.5}
    assert strategy.triple(first) == (0, 0.5, 0.5)
    assert np.array_equal(policy_of_triples(tree, strategy.triple), half)
    assert strategy.table()["crr:Qh"] == {"f": 0.0, "c": 1.0}


def test_triples_are_refused_where_they_say_too_little() -> None:
    def half(view: object) -> ProbabilityTriple:
        return ProbabilityTriple(0, 0.5, 0.5)

    def folds(view: object) -> ProbabilityTriple:
        return ProbabilityTriple(1, 0, 0)

    refuses(NoTriple, "a raise can have 2 sizes", policy_of_triples, game_tree(SHORT_STACKS), half)
    with pytest.raises(ValueError, match=r":Qs: expected chances of c, r that add up to 1, got \(1, 0, 0\)"):
        policy_of_triples(game_tree(KUHN), folds)


def test_what_is_not_in_the_tree_is_refused() -> None:
    tree = game_tree(LEDUC)
    state = initial_hand(LEDUC, 0, CardDealer(LEDUC, 1).deal())

    refuses(ValueError, "position 0 is to act after '', not 1", tree.information_set, state.view(1))
    refuses(ValueError, "nobody is to act", tree.decision, state.apply(LIMIT_RAISE).apply(FOLD).betting)
    refuses(ValueError, "got '2c' and ''", GameTree(KUHN).deals.view_of, 0, parse_cards("2c"), ())
