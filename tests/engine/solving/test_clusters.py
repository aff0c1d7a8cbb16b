"""Boards in clusters: suits have no names, clusters are stretches of buckets, and a file keeps them."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest

from engine.hands.flop_configs import different_flops
from engine.poker.cards import parse_cards
from engine.poker.combos import combos_without
from engine.poker.rules import load_game
from engine.solving.holdem.abstraction import NO_BUCKET
from engine.solving.holdem.betting import HoldemBetting
from engine.solving.holdem.board_solver import hands_on
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.distributions import (
    BoardFeatures,
    Clusters,
    Distributions,
    board_features,
    cluster_boards,
)
from engine.solving.strategy_file import read_strategy, write_strategy
from tests.support.asserting import refuses

ONE_RAISE = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
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
    weights = np.random.default_rng(1).random(HoldemBetting(ONE_RAISE, clusters.num_buckets).num_slots)
    write_strategy(path, BucketedStrategy.of(ONE_RAISE, clusters, weights), {})

    saved = read_strategy(path, ONE_RAISE)
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
