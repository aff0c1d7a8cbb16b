"""Pools of deals: the cards are cards, and everything said of them is what the evaluator says."""

from pathlib import Path

import numpy as np
import pytest

from engine.hands.hand_strength import effective_hand_strength_npot, hand_potential, hand_strength
from engine.hands.preflop.tables import shipped_tables
from engine.learning.deal_pool import (
    NUM_BUCKETS,
    SHARES_BELOW,
    STRENGTH_STEPS,
    DealPool,
    PoolSize,
    bucket_edges,
    bucket_of,
    deal_pool,
    make_pool,
    strength_of,
)
from engine.poker.rules.hand_rank import hand_rank
from tests.support.asserting import refuses

SMALL = PoolSize(flops=48, turns=4, rivers=3, deals=16)


@pytest.fixture(scope="module")
def pool() -> DealPool:
    return make_pool(2, 5, SMALL)


@pytest.fixture(scope="module")
def pool_of_six() -> DealPool:
    return make_pool(6, 5, PoolSize(flops=4, turns=4, rivers=3, deals=16))


def test_a_pool_has_as_many_deals_as_its_size_says(pool: DealPool, pool_of_six: DealPool) -> None:
    assert len(pool) == SMALL.num_deals(2) == 48 * 4 * 3 * 8
    assert (pool.num_players, pool_of_six.num_players) == (2, 6)
    assert len(pool_of_six) == 4 * 4 * 3 * 2


def test_no_card_is_dealt_twice(pool: DealPool, pool_of_six: DealPool) -> None:
    for deals in (pool, pool_of_six):
        cards = np.concatenate([deals.hole_cards.reshape(len(deals), -1), deals.boards], axis=1)

        assert (np.diff(np.sort(cards, axis=1), axis=1) > 0).all()
        assert cards.max() < 52


def test_strengths_and_buckets_are_those_of_the_evaluator(pool: DealPool, pool_of_six: DealPool) -> None:
    for deals in (pool, pool_of_six):
        for deal in range(0, len(deals), len(deals) // 12):
            for player in range(deals.num_players):
                for betting_round, size in enumerate((0, 3, 4, 5)):
                    board = deals.boards[deal, :size].tolist()
                    strength = strength_of(deals.hole_cards[deal, player].tolist(), board)

                    assert deals.buckets[deal, player, betting_round] == bucket_of(betting_round, strength)
                    assert deals.strengths[deal, player, betting_round] == round(strength * STRENGTH_STEPS)


def test_the_better_hand_wins_by_the_rules_as_well(pool: DealPool) -> None:
    for deal in range(0, len(pool), 7):
        first, second = (
            hand_rank((*cards, *pool.boards[deal].tolist())) for cards in pool.hole_cards[deal].tolist()
        )
        ranks = pool.ranks[deal].astype(int)

        assert np.sign(ranks[0] - ranks[1]) == (first > second) - (first < second)


def test_all_cards_are_dealt_alike(pool: DealPool) -> None:
    # 9216 x 2 x 2 hole cards: 709 of each, standard deviation 26; boards depend on 48 flops.
    counts = np.bincount(pool.hole_cards.ravel(), minlength=52)

    assert abs(counts - counts.mean()).max() < 6 * 26
    first, second = (
        np.bincount(pool.hole_cards[:, 0, 0], minlength=52),
        np.bincount(pool.hole_cards[:, 1, 1], minlength=52),
    )
    assert abs(first - second).max() < 6 * np.sqrt(2 * len(pool) / 52)


def test_the_strength_is_the_effective_one_with_both_potentials() -> None:
    rng = np.random.default_rng(4)
    for size in (3, 4):
        for _ in range(10):
            cards = rng.permutation(52)[: 2 + size].tolist()
            hole, board = cards[:2], cards[2:]
            potential = hand_potential(hole, board)
            effective = effective_hand_strength_npot(
                hand_strength(hole, board).value, potential.positive, potential.negative
            )

            assert strength_of(hole, board) == pytest.approx(effective, abs=1e-12)
    assert strength_of([51, 50], []) == pytest.approx(0.852037, abs=1e-6)  # two aces against any hand


def test_edges_cut_off_the_shares_they_are_said_to(pool: DealPool) -> None:
    edges = bucket_edges()
    assert edges.shape == (4, NUM_BUCKETS - 1)
    assert (np.diff(edges, axis=1) > 0).all()

    widths = np.diff([0, *SHARES_BELOW, 1])
    for betting_round in range(4):
        shares = np.bincount(pool.buckets[:, :, betting_round].ravel(), minlength=NUM_BUCKETS)

        assert shares / shares.sum() == pytest.approx(widths, abs=0.035)


def test_before_the_flop_better_starting_hands_have_better_buckets() -> None:
    odds = shipped_tables().raw_odds[:, 0]
    buckets = [bucket_of(0, strength) for strength in np.sort(odds)]

    assert buckets == sorted(buckets)
    assert (buckets[0], buckets[-1]) == (0, NUM_BUCKETS - 1)


def test_same_seed_same_pool() -> None:
    size = PoolSize(flops=2, turns=2, rivers=2, deals=4)
    one, same, other = make_pool(3, 1, size), make_pool(3, 1, size), make_pool(3, 2, size)

    assert np.array_equal(one.hole_cards, same.hole_cards)
    assert np.array_equal(one.strengths, same.strengths)
    assert not np.array_equal(one.hole_cards, other.hole_cards)


def test_a_pool_is_kept_and_a_damaged_one_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path))
    size = PoolSize(flops=2, turns=2, rivers=2, deals=4)
    steps: list[float] = []

    first = deal_pool(2, 9, size)
    (file,) = (tmp_path / "deals").iterdir()
    again = deal_pool(2, 9, size, steps.append)
    assert np.array_equal(first.boards, again.boards)
    assert not steps

    file.write_bytes(file.read_bytes()[:1000])
    repaired = deal_pool(2, 9, size)
    assert np.array_equal(first.boards, repaired.boards)


@pytest.mark.parametrize("players", [1, 11])
def test_a_pool_is_for_as_many_players_as_a_table_has_seats(players: int) -> None:
    refuses(ValueError, f"2 to 10 players, got {players}", make_pool, players, 1)
