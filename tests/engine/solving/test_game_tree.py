"""Trees against the rules and published counts; values against OpenSpiel and linear programs."""

import math
import random

import numpy as np
import pytest
import scipy

from clients.lab.adapters.openspiel import openspiel_game
from engine.kernels.solving.tree import TERMINAL, Block
from engine.poker.cards import parse_cards
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, CardDealer, GameDefinition, initial_hand, load_game
from engine.solving.betting_tree import DECISION, FOLDED, SHOWDOWN, BettingTree, by_pots
from engine.solving.deals import num_deals, num_views
from engine.solving.game_tree import GameTree, game_tree
from engine.solving.strategies import (
    NoTriple,
    Strategy,
    best_response,
    exploitability,
    information_set_key,
    normalised,
    policy_of_triples,
    policy_with,
    uniform_policy,
    values,
)
from engine.solving.walk import TooLarge
from engine.support.arrays import Floats
from tests.engine.solving.games import KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS
from tests.support.asserting import refuses

# --- game tree ----------------------------------------------------------------------------------------------

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


# --- betting tree -------------------------------------------------------------------------------------------

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
    refuses(TooLarge, "", BettingTree, LIMIT, most_decisions=6377)
    assert len(BettingTree(LIMIT, most_nodes=16_584, most_decisions=6378)) == 16_584


# --- values -------------------------------------------------------------------------------------------------


def random_policy(tree: GameTree, seed: int) -> Floats:
    return normalised(tree, np.random.default_rng(seed).exponential(size=tree.num_slots))


@pytest.mark.parametrize(
    ("game", "responses"),
    [(KUHN, (0.5, 5 / 12)), (LEDUC, (2.0875, 2.659722222222222))],
    ids=["kuhn-2p", "leduc"],
)
def test_best_responses_to_uniform_players(game: GameDefinition, responses: tuple[float, float]) -> None:
    tree = game_tree(game)

    assert exploitability(tree, uniform_policy(tree)).responses == pytest.approx(responses, abs=1e-12)


@pytest.mark.parametrize(
    ("game", "weights", "expected"),
    [
        (KUHN, (1, 1, 1), 11 / 24), (KUHN, (1, 1e-300, 0), 1.0), (KUHN, (0, 1e-300, 1), 1 / 3),
        (LEDUC, (1, 1, 1), 2.373611111111111), (LEDUC, (0, 1, 0), 22 / 15), (LEDUC, (0, 1e-300, 1), 71 / 30),
        (LEDUC, (0, 1, 1), 2.15), (LEDUC, (1, 1e-300, 0), 1.0),
    ],
)  # fmt: skip
def test_published_exploitability(game: GameDefinition, weights: tuple[float, ...], expected: float) -> None:
    """Recomputed by hand; 1e-300 is a call where nothing else that is meant is legal."""
    tree = game_tree(game)

    assert exploitability(tree, policy_with(tree, weights)).mean == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("game", [KUHN, KUHN_3P, LEDUC, SHORT_DECK, SHORT_STACKS], ids=range(5))
@pytest.mark.slow
def test_openspiel_finds_the_same_nash_conv(game: GameDefinition) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = openspiel_game(game)
    tree = game_tree(game)

    expected = pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs), True)

    assert exploitability(tree, uniform_policy(tree)).nash_conv == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn-2p", "leduc"])
def test_no_strategy_wins_more_than_the_best_response(game: GameDefinition, position: int) -> None:
    """A linear program over what a player can do finds the same value."""
    tree = game_tree(game)
    policy = random_policy(tree, 1)
    own = [found for found in tree.information_sets() if found.position == position]
    gains = [gain_of_slots(tree, policy, position)]
    rows = np.zeros((len(own), tree.num_slots))
    for row, found in zip(rows, own, strict=True):
        row[found.slots] = 1.0
        parent = tree.arrays.parents[found.number]
        if parent >= 0:
            row[parent] -= 1.0
    starts = [float(tree.arrays.parents[found.number] < 0) for found in own]

    program = scipy.optimize.linprog(-gains[0], A_eq=rows, b_eq=starts)

    response = best_response(tree, policy, position)
    assert response.value == pytest.approx(-program.fun, abs=1e-9)
    assert values(tree, response.policy)[position] == pytest.approx(response.value, abs=1e-12)


def gain_of_slots(tree: GameTree, policy: Floats, position: int) -> Floats:
    """What a position wins by each of its sequences: by each slot, in the ends it leads to directly.

    Walks every hand by the rules' own nodes, one at a time.
    """
    gains = np.zeros(tree.num_slots)

    def walk(number: int, deal: int, chance: float, last: int) -> None:
        node = tree.nodes[number]
        if node.kind == -2:
            first = tree.arrays.blocks[number, 5]
            assert last >= 0, "both players act in every hand"
            gains[last] += chance * tree.arrays.payoffs[position, first + deal]
        elif node.kind == -1:
            ways = tree.nodes[node.children[0]].size // node.size
            for way in range(ways):
                walk(node.children[0], deal * ways + way, chance / ways, last)
        else:
            view = tree.views_at(node)[deal]
            for action, child in enumerate(node.children):
                slot = node.first_slot + action * node.num_views + view
                if node.kind == position:
                    walk(child, deal, chance, slot)
                else:
                    walk(child, deal, chance * policy[slot], last)

    for deal, chance in enumerate(tree.arrays.deals):
        walk(0, deal, chance, -1)
    return gains


def test_nobody_loses_by_a_best_response() -> None:
    for game in (KUHN, KUHN_3P, LEDUC):
        tree = game_tree(game)
        found = exploitability(tree, random_policy(tree, 3))
        assert all(best >= now for best, now in zip(found.responses, found.values, strict=True))
        assert sum(found.values) == pytest.approx(0, abs=1e-12)
