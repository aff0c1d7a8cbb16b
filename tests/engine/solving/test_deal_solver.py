"""Solving and countering by external sampling on buckets; boards in clusters."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from clients.bots.baselines import AlwaysCall, Random
from clients.bots.equilibrium import Equilibrium
from clients.core.arena import Arena
from clients.lab.exploitability.measures import LocalPlan, by_local_response
from engine.hands.flop_configs import different_flops
from engine.kernels.solving.deal_sampling import SampledDeals
from engine.poker.cards import parse_cards
from engine.poker.combos import COMBO_CARDS, combos_without
from engine.poker.rules import CALL, GameDefinition, HandState, hand_rank, load_game, parse_game
from engine.solving.game_tree import GameTree
from engine.solving.holdem.abstraction import NO_BUCKET, Percentiles
from engine.solving.holdem.betting import HoldemBetting, holdem_betting
from engine.solving.holdem.board_solver import hands_on
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.deal_solver import (
    CounterSolver,
    DealSolver,
    Watched,
    deals_on,
    strategy_by_betting,
    won_of,
)
from engine.solving.holdem.distributions import (
    BoardFeatures,
    Clusters,
    Distributions,
    board_features,
    cluster_boards,
)
from engine.solving.responses import data_biased, evaluate, full_response, restricted_nash
from engine.solving.strategies import exploitability, normalised, uniform_policy
from engine.solving.strategy_file import PARTS, read_strategy, write_strategy
from engine.support.arrays import Floats, Ints
from engine.support.files.archive import ArchiveError
from tests.engine.solving.test_holdem import ONE_RAISE
from tests.engine.solving.test_strategy_file import edited
from tests.support.asserting import refuses

# --- deal solver --------------------------------------------------------------------------------------------

NO_LIMIT = load_game("nolimit-2p-100bb")
SHORT = attrs.evolve(NO_LIMIT, stacks=(12, 12))
"""Six big blinds: few bettings."""
LEDUC = parse_game(
    "GAMEDEF\nnolimit\nnumPlayers=2\nnumRounds=2\nstack=3 3\nblind=1 1\nfirstPlayer=1 1\nnumSuits=2\n"
    "numRanks=3\nnumHoleCards=1\nnumBoardCards=0 1\nEND GAMEDEF\n"
)
"""Leduc's cards without limit: raises to 2 and to 3, the half pot and all in, are all there are."""
LEDUC_MENUS = (((0.5, math.inf),),)
USUAL_MENUS = (((0.5, 1.0, math.inf),),)

LEDUC_VALUE = -0.0214
"""By 2000 iterations of CFR+ in OpenSpiel 2.0.2, which leave 0.00002: ``universal_poker(betting=nolimit,
numPlayers=2,numRounds=2,blind=1 1,stack=3 3,firstPlayer=1 1,numSuits=2,numRanks=3,numHoleCards=1,
numBoardCards=0 1,bettingAbstraction=fullgame)``."""


# --- a game that is known ----------------------------------------------------------------------------------


class Ranks:
    """Leduc's hands by rank, with a card on the board both ranks: loses nothing."""

    kind = "ranks"
    num_buckets = (3, 9)
    buckets_on_a_board = (3, 9)
    notes: Mapping[str, Any] = {}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return {}

    def buckets(self, board: Sequence[int]) -> Ints:
        raise NotImplementedError

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        raise NotImplementedError


def leduc_deals(generator: np.random.Generator) -> SampledDeals:
    cards = np.array([generator.permutation(6)[:3] for _ in range(50)]) // 2
    own, board = cards[:, :2], cards[:, 2:]
    strengths = own + 3 * (own == board)
    winners = np.sign(strengths[:, 0] - strengths[:, 1]).astype(np.float64)
    return SampledDeals(np.stack([own, 3 * own + board], axis=2), winners)


def on_tree(weights: Floats, betting: HoldemBetting, tree: GameTree) -> Floats:
    """What is known by bucket, by slot of a tree that tells all cards apart."""
    policy = np.zeros(tree.num_slots)
    lowest = tree.game.deck[0] // 4
    for found in tree.information_sets():
        view = tree.hand_view(found)
        own, board = (cards[0] // 4 - lowest if cards else 0 for cards in (view.own_cards, view.board))
        decision = betting.decision(view.betting)
        assert decision.actions == found.node.actions
        policy[found.slots] = weights[decision.slots(3 * own + board if view.board else own)]
    return normalised(tree, policy)


@pytest.mark.parametrize("trembles", [0.0, pytest.param(0.02, marks=pytest.mark.slow)])
def test_leduc_without_limit_is_solved(trembles: float) -> None:
    solver = DealSolver(LEDUC, Ranks(), LEDUC_MENUS, seed=1, trembles=trembles, draw=leduc_deals)
    tree = GameTree(LEDUC)

    solver.run(400)

    found = exploitability(tree, on_tree(solver.state()["sums"], solver.betting, tree))
    assert found.values[0] == pytest.approx(LEDUC_VALUE, abs=0.015)
    assert found.mean < 0.03


# --- deals -------------------------------------------------------------------------------------------------


def test_deals_are_even_and_decided_by_the_rules() -> None:
    board = parse_cards("2c7d9hJsQh")
    abstraction = Percentiles(7)

    found = deals_on(board, abstraction, 300, np.random.default_rng(1))

    again = deals_on(board, abstraction, 300, np.random.default_rng(1))
    assert np.array_equal(found.buckets, again.buckets)
    assert found.buckets.shape == (300, 2, 4)
    assert (found.buckets >= 0).all()
    assert abs(found.winners.sum()) < 4 * math.sqrt(300)
    river = abstraction.buckets(board)
    ranks = {
        bucket: {
            hand_rank((*map(int, COMBO_CARDS[combo]), *board)) for combo in np.flatnonzero(river == bucket)
        }
        for bucket in range(7)
    }
    for (first, second), winner in zip(found.buckets[:, :, 3], found.winners, strict=True):
        if first != second:
            stronger = max(ranks[first]) > max(ranks[second])
            assert winner == (1 if stronger else -1)
    assert set(found.winners) >= {-1.0, 1.0}


# --- hold'em -----------------------------------------------------------------------------------------------


def solved(game: GameDefinition, boards: int, seed: int = 1) -> DealSolver:
    solver = DealSolver(game, Percentiles(3), USUAL_MENUS, seed=seed)
    solver.run(boards)
    return solver


def test_interruptions_change_nothing() -> None:
    unbroken, first = solved(SHORT, 3), solved(SHORT, 1)
    second = DealSolver(SHORT, Percentiles(3), USUAL_MENUS, seed=1)

    second.restore(first.state())
    second.run(2)

    for name, expected in unbroken.state().items():
        assert np.array_equal(second.state()[name], expected), name
    assert not np.array_equal(solved(SHORT, 3, seed=2).state()["sums"], unbroken.state()["sums"])
    with pytest.raises(ValueError, match="expected 'regrets', an array of shape"):
        DealSolver(SHORT, Percentiles(4), USUAL_MENUS).restore(first.state())


def test_a_no_limit_strategy_is_saved_sits_down_and_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "short.npz"
    strategy = solved(SHORT, 2).average()
    write_strategy(path, strategy, {"algorithm": "mcfr"})

    saved = read_strategy(path, SHORT)
    bot = Equilibrium(path)
    Arena(SHORT, [bot, Random()], 5).play(20)  # which raises to anything
    measured = by_local_response(str(path), saved, SHORT, LocalPlan(3, 1), lambda _, __: None)

    assert saved.notes["sizes"] == [0.5, 1.0, "all-in"]
    assert isinstance(saved.strategy, BucketedStrategy)
    assert saved.strategy.policy == pytest.approx(strategy.policy, abs=1 / PARTS)
    assert measured["estimator"] == "aivat"
    refuses(ArchiveError, "plays another game: stacks is", read_strategy, path, NO_LIMIT)
    damaged: Sequence[Any] = (["much"], [], None, 5, [[]], [[[]]], [[[0]]], [[[math.nan, 1]]], [[1.0]])
    for sizes in damaged:
        edited(path, lambda header, _: header["notes"].update(sizes=sizes))  # noqa: B023
        refuses(ArchiveError, "expected (parts of the pot|sizes of raises)", read_strategy, path)


# --- counter on buckets -------------------------------------------------------------------------------------

TREE = GameTree(LEDUC)
MODEL = BucketedStrategy.of(
    LEDUC, Ranks(), np.ones(holdem_betting(LEDUC, Ranks.num_buckets, LEDUC_MENUS).num_slots),
    LEDUC_MENUS,
)  # fmt: skip
"""Anything, all alike."""
UNIFORM = uniform_policy(TREE)


def answered(part: float, trust: Floats | None = None) -> Floats:
    solver = CounterSolver(MODEL, part=part, trust=trust, seed=1, draw=leduc_deals)
    solver.run(300)
    return on_tree(solver.average().policy, MODEL.betting, TREE)


def test_the_best_response_wins_what_the_exact_one_wins() -> None:
    exact = evaluate(TREE, full_response(TREE, UNIFORM), UNIFORM)

    assert evaluate(TREE, answered(1.0), UNIFORM).exploitation == pytest.approx(exact.exploitation, abs=0.02)


def test_restricted_nash_responses_trade_as_the_exact_one_does() -> None:
    policies = restricted_nash(TREE, UNIFORM, 0.75, 300), answered(0.75)
    exact, found = (evaluate(TREE, policy, UNIFORM) for policy in policies)

    worths = [0.75 * each.exploitation - 0.25 * each.exploitability for each in (exact, found)]
    assert worths[0] - 0.02 < worths[1] <= worths[0] + 1e-4


@pytest.mark.slow
def test_a_data_biased_response_lies_between_an_equilibrium_and_the_best_one() -> None:
    trust = np.full(MODEL.policy.size, 0.5)
    exact, found = (
        evaluate(TREE, policy, UNIFORM)
        for policy in (
            data_biased(TREE, UNIFORM, np.full(TREE.num_information_sets, 0.5), 500),
            answered(0.0, trust),
        )
    )

    assert found.exploitation == pytest.approx(exact.exploitation, abs=0.05)
    assert found.exploitability == pytest.approx(exact.exploitability, abs=0.1)


def test_a_player_who_was_seen_to_call_is_modelled_as_a_caller() -> None:
    abstraction = Percentiles(2)
    watched = Watched(holdem_betting(ONE_RAISE, abstraction.num_buckets), abstraction)

    def played(state: HandState, chips: tuple[float, ...]) -> None:
        watched.add(state, state.hand_number % 2)

    Arena(ONE_RAISE, [AlwaysCall(), Random(0, 0.5, 0.5)], 3).play(20, on_hand=played)

    model = watched.model()
    calls = strategy_by_betting(model.betting, abstraction, lambda _: {CALL: 1.0})
    assert np.array_equal(model.policy, calls.policy)
    assert watched.counts.sum() > 60
    trust = watched.trust(0.5)
    assert trust.max() == pytest.approx(0.5 * min(1, watched.counts.max() / 10))
    assert trust.min() == 0
    found = won_of(calls, calls, 2, np.random.default_rng(1))
    assert abs(found.mean) <= 4 * found.se  # among its like


# --- clusters -----------------------------------------------------------------------------------------------

ONE_RAISE_LIMIT = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
BOARD = parse_cards("2c7d9hJsQh")


@pytest.fixture(scope="module")
def features() -> BoardFeatures:
    """Of boards by their highest rank, and whether all cards are of a suit: names of suits do not matter."""
    flops, numbers = [], np.full((1755, 52), -1)
    known: dict[tuple[int, bool], int] = {}
    for place, flop in enumerate(different_flops()[0]):
        cards = [int(card) for card in flop]
        flops.append(_kind(cards))
        for card in set(range(52)) - set(cards):
            kind = _kind([*cards, card])
            numbers[place, card] = known.setdefault(kind, len(known))
    return BoardFeatures(np.array(flops, np.float32), np.array([*known], np.float32), numbers)


def _kind(board: list[int]) -> tuple[int, bool]:
    return max(card // 4 for card in board), len({card % 4 for card in board}) == 1


@pytest.fixture(scope="module")
def clusters(features: BoardFeatures) -> Clusters:
    generator = np.random.default_rng(1)
    buckets = generator.integers(0, 2, (1755, 1326)).astype(np.uint8)
    for row, flop in zip(buckets, different_flops()[0], strict=True):
        row[~combos_without(map(int, flop))] = 255
    centres = np.sort(generator.random((20, 6)), axis=0).astype(np.float32)
    return Clusters(Distributions(buckets, centres, 5, (1, 1, 4)), *cluster_boards(features, 9, 12, 1))


@pytest.mark.parametrize("board", ["2c7d9h", "2h7h9h", "2c7d9hJs", "AhKhQhJh", "2c7d9hJsQh", ""])
def test_a_hand_is_classed_by_hand_and_cluster_of_the_board(board: str, clusters: Clusters) -> None:
    cards = parse_cards(board)
    every = clusters.buckets(cards)
    plain = clusters.base.buckets(cards)

    live = combos_without(cards)
    assert ((every == NO_BUCKET) == ~live).all()
    (more,) = {int(each) for each in (every - plain)[live]}
    on_a_board = clusters.buckets_on_a_board[len(cards) - 2 if cards else 0]
    assert more % on_a_board == 0
    for combo in np.flatnonzero(live)[::100]:
        assert clusters.bucket(int(combo), cards) == every[combo]
    turned = [(card & ~3) | (card + 1 & 3) for card in cards]
    moved = clusters.buckets(turned) - clusters.base.buckets(turned)
    assert set(moved[combos_without(turned)].tolist()) == {more}


def test_boards_alike_share_a_cluster_and_others_do_not(clusters: Clusters) -> None:
    def cluster(board: str) -> int:
        cards = parse_cards(board)
        return int(clusters.buckets(cards).max()) // clusters.buckets_on_a_board[len(cards) - 2]

    assert cluster("2c7d9h") == cluster("2s5h9c") == cluster("9s9h9c")
    assert cluster("2c7d9h") != cluster("2c7dAh")
    assert cluster("2c7d9hJs") == cluster("Js2c7d9h") == cluster("Jc2c3dJh")
    assert cluster("2c7d9hJs") != cluster("2c7d9hAs")
    assert clusters.num_buckets[0] == 169
    assert clusters.num_buckets[1:] == (2 * 9, 6 * 12, 5 * 4)
    hands = hands_on(BOARD, clusters)
    assert list(hands.first_rows % [169, 2, 6, 5]) == [0, 0, 0, 0]


def test_a_file_keeps_clusters(clusters: Clusters, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    weights = np.random.default_rng(1).random(HoldemBetting(ONE_RAISE_LIMIT, clusters.num_buckets).num_slots)
    write_strategy(path, BucketedStrategy.of(ONE_RAISE_LIMIT, clusters, weights), {})

    saved = read_strategy(path, ONE_RAISE_LIMIT)
    found = saved.strategy

    assert (saved.notes["abstraction"], saved.notes["textures"]) == ("clusters", [9, 12, 4])
    assert isinstance(found, BucketedStrategy)
    assert found.abstraction.num_buckets == clusters.num_buckets
    for size in (0, 3, 4, 5):
        assert np.array_equal(found.abstraction.buckets(BOARD[:size]), clusters.buckets(BOARD[:size]))


def test_clusters_of_other_shapes_are_refused(clusters: Clusters) -> None:
    flops, turns = np.zeros(1755, np.uint8), np.zeros((1755, 52), np.uint8)
    with pytest.raises(ValueError, match="expected clusters of 1755 flops, and of 52 turns on each"):
        Clusters(clusters.base, flops, turns[:, 1:])
    refuses(ValueError, "expected clusters as bytes", Clusters, clusters.base, flops, turns.astype(np.int64))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_boards_of_four_cards_are_as_many_as_are_known() -> None:
    features = board_features()

    assert features.turns.shape[0] == 16_432
    assert (features.numbers >= 0).sum(axis=1).tolist() == [49] * 1755
    assert np.isfinite(features.turns).all()
    assert features.flops.std(axis=0).min() > 0
