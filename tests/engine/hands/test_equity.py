"""Equity against published figures, plain enumeration, and between its own forms."""

from importlib import resources
from itertools import combinations

import numpy as np
import pytest

from engine.evidence.pair_equities import format_preflop_points
from engine.hands import equity as eq
from engine.hands.equity import (
    all_hand_equities,
    equity_against,
    hand_equity,
    monte_carlo_equities,
    preflop_equities,
    preflop_equities_against_random,
    range_equities,
)
from engine.hands.hand_rank import hand_rank
from engine.hands.hand_strength import hand_strength
from engine.poker.cards import parse_cards
from engine.poker.combos import (
    COMBOS_PER_STARTING_HAND,
    NUM_COMBOS,
    STARTING_HAND_OF_COMBO,
    combo_cards,
    combo_index,
    combos_without,
    parse_starting_hand,
)
from tests.engine.hands.test_hand_strength import BOARDS, random_weights
from tests.support.asserting import refuses


def only(*hands: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The range of a few combos."""
    weights = np.zeros(NUM_COMBOS)
    for hand in hands:
        weights[combo_index(*parse_cards(hand))] = 1.0
    return weights


def of_starting_hand(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.where(parse_starting_hand(name) == STARTING_HAND_OF_COMBO, 1.0, 0.0)


def plain_shares(holes: list[tuple[int, ...]], board: tuple[int, ...]) -> list[float]:
    left = [card for card in range(52) if card not in board and all(card not in hole for hole in holes)]
    shares = [0.0] * len(holes)
    boards = list(combinations(left, 5 - len(board)))
    for cards in boards:
        ranks = [hand_rank((*hole, *board, *cards)) for hole in holes]
        best = max(ranks)
        for i, rank in enumerate(ranks):
            if rank == best:
                shares[i] += 1 / ranks.count(best)
    return [share / len(boards) for share in shares]


@pytest.mark.parametrize("board", ["2h5hTh", "8c8d8h", "2h5hThKs", "KcKdKh2s2c"])
def test_known_hands_share_the_pot_as_plain_enumeration_says(board: str) -> None:
    holes = [parse_cards("AhQd"), parse_cards("QhQs"), parse_cards("9d9s")]

    found = hand_equity(holes, parse_cards(board))

    assert [e.value for e in found] == pytest.approx(plain_shares(holes, parse_cards(board)), rel=1e-12)
    assert sum(e.value for e in found) == pytest.approx(1)
    assert all(e.standard_error == 0 for e in found)


def test_hands_before_the_flop_have_the_equities_of_the_matrix() -> None:
    matrix = preflop_equities()
    aa, kk, aks, qq = [parse_starting_hand(name) for name in ("AA", "KK", "AKs", "QQ")]

    assert round(float(matrix[aa, kk]), 5) == 0.81946
    assert round(float(matrix[aks, qq]), 5) == 0.46049
    # The matrix averages over all suits; here aces meet kings in each way they can.
    met = range_equities([of_starting_hand("AA"), only("KsKh")])
    assert met[0].value == pytest.approx(matrix[aa, kk], rel=1e-12)


def test_hands_against_a_random_hand_have_the_known_equities() -> None:
    against_random = preflop_equities_against_random()

    assert round(float(against_random[parse_starting_hand("AA")]), 5) == 0.85204
    assert round(float(against_random[parse_starting_hand("72o")]), 5) == 0.34584
    assert round(float(against_random[parse_starting_hand("32o")]), 5) == 0.32303
    assert np.average(against_random, weights=COMBOS_PER_STARTING_HAND) == pytest.approx(0.5, abs=1e-12)
    assert equity_against(parse_cards("7c2d")) == against_random[parse_starting_hand("72o")]


def test_the_matrix_is_a_zero_sum_game_over_all_pairs_of_disjoint_combos() -> None:
    matrix, pairs = preflop_equities(), eq.preflop_pair_counts()

    assert matrix + matrix.T == pytest.approx(np.ones((169, 169)), abs=1e-15)
    assert pairs.sum() == 1326 * 1225
    assert pairs[parse_starting_hand("AA"), parse_starting_hand("AKs")] == 6 * 4 - 12


@pytest.mark.slow
def test_the_matrix_that_comes_with_riverboat_is_the_one_that_is_computed() -> None:
    shipped = resources.files("engine").joinpath("data/preflop/equities.npz")

    assert shipped.read_bytes() == format_preflop_points()


@pytest.mark.parametrize("board", BOARDS)
def test_all_hands_against_a_range_are_each_hand_by_itself(board: str) -> None:
    cards = parse_cards(board)
    weights = random_weights(8)

    equities = all_hand_equities(cards, weights)

    assert (np.isnan(equities) == ~combos_without(cards)).all()
    for combo in range(3, NUM_COMBOS, 41):
        hole = combo_cards(combo)
        if not set(hole) & set(cards):
            assert equities[combo] == pytest.approx(equity_against(hole, cards, weights), rel=1e-10)


def test_on_the_river_equity_is_hand_strength() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("Jh4c3h9sTd")
    weights = random_weights(9)

    assert equity_against(hole, board, weights) == hand_strength(hole, board, weights).value


def test_a_range_that_a_hand_blocks_has_no_equity_against_it() -> None:
    equities = all_hand_equities(parse_cards("2c7dJh"), only("AsAh"))

    assert np.isnan(equities[combo_index(*parse_cards("AsKd"))])
    assert np.isfinite(equities[combo_index(*parse_cards("AcKd"))])


def test_a_hand_against_a_range_before_the_flop_is_the_mean_over_the_range() -> None:
    weights = only("KsKh", "KdKc", "AhKd") + 2 * only("QcJc")

    found = equity_against(parse_cards("AsKd"), (), weights)

    met = [("KsKh", 1.0), ("QcJc", 2.0)]
    shares = [hand_equity([parse_cards("AsKd"), parse_cards(hand)])[0].value for hand, _ in met]
    assert found == pytest.approx(np.average(shares, weights=[weight for _, weight in met]), rel=1e-12)


def test_several_ranges_respect_card_removal() -> None:
    board = parse_cards("2c7dJhQs")
    ranges = [only("AsAh", "KsKh"), only("AsKd", "QcQd"), only("KsQh", "7c7h")]

    found = range_equities(ranges, board)

    shares, total = np.zeros(3), 0
    for first in ("AsAh", "KsKh"):
        for second in ("AsKd", "QcQd"):
            for third in ("KsQh", "7c7h"):
                holes = [parse_cards(hand) for hand in (first, second, third)]
                if len({card for hole in holes for card in hole}) == 6:
                    shares += plain_shares(holes, board)
                    total += 1
    assert total == 4
    assert [e.value for e in found] == pytest.approx((shares / total).tolist(), rel=1e-12)


def test_sampled_equities_are_within_their_standard_errors() -> None:
    board = parse_cards("8h6c4h")
    ranges = [only("7h9h"), random_weights(11)]

    sampled = monte_carlo_equities(ranges, board, trials=400_000, rng=np.random.default_rng(1))

    exact = equity_against(parse_cards("7h9h"), board, ranges[1])
    assert sampled[0].standard_error == pytest.approx(0.5 / np.sqrt(400_000), rel=0.1)
    assert abs(sampled[0].value - exact) < 4 * sampled[0].standard_error
    assert sampled[0].value + sampled[1].value == pytest.approx(1)


def test_aces_against_nine_random_hands_win_31_percent() -> None:
    ranges = np.ones((10, NUM_COMBOS))
    ranges[0] = only("AsAh")

    aces = monte_carlo_equities(ranges, trials=100_000, rng=np.random.default_rng(2))[0]

    assert abs(aces.value - 0.3106) < 4 * aces.standard_error


def test_the_same_generator_gives_the_same_sample() -> None:
    ranges = [random_weights(12), random_weights(13), random_weights(14)]

    first, second = [
        monte_carlo_equities(ranges, trials=1000, rng=np.random.default_rng(7)) for _ in range(2)
    ]

    assert first == second


def test_many_hands_are_sampled_and_few_enumerated() -> None:
    wide = range_equities([np.ones(NUM_COMBOS)] * 3, trials=1000, rng=np.random.default_rng(1))
    narrow = range_equities([only("AsAh"), only("KsKh"), only("QsQh")])

    assert all(e.standard_error > 0 for e in wide)
    assert all(e.standard_error == 0 for e in narrow)


def test_nonsense_is_refused() -> None:
    refuses(ValueError, "hands: expected 2 or more, got 1", hand_equity, [(0, 1)])
    refuses(ValueError, "different cards", hand_equity, [(0, 1), (1, 2)])
    refuses(ValueError, "hand 1: expected 2 cards, got 3", hand_equity, [(0, 1), (2, 3, 4)])
    refuses(ValueError, "expected 0, 3, 4 or 5 cards, got 2", hand_equity, [(0, 1), (2, 3)], [4, 5])
    refuses(ValueError, r"ranges: expected shape \(2\.\.10, 1326\)", range_equities, np.ones(1326))
    with pytest.raises(ValueError, match="range 1: expected some weight"):
        range_equities([only("AsAh"), only("KsKh")], parse_cards("Kh2c3c"))
    refuses(ValueError, "held together", range_equities, [only("AsAh"), only("AsKh")])
    with pytest.raises(ValueError, match="trials: expected 2 or more, got 1"):
        monte_carlo_equities([only("AsAh"), only("KsKh")], trials=1)
    refuses(ValueError, "some weight", equity_against, parse_cards("AsAh"), (), only("AsKs"))
