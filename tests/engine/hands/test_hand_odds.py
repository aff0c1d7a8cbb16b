"""Raw hand odds by enumeration, sampling and plain counting; reflective ones: filters, looseness, nuts."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from engine.hands.equity import equity_against, range_equities
from engine.hands.hand_odds import (
    MAX_OPPONENTS,
    final_boards,
    final_rank_counts,
    joint_hand_odds,
    power_of_share,
    raw_hand_odds,
    results_by_board,
)
from engine.hands.hand_rank import board_ranks, hand_rank
from engine.hands.reflective_odds import (
    has_nuts,
    has_reflective_nuts,
    keep_top,
    playable_before_flop,
    playable_on_board,
    reflective_hand_odds,
)
from engine.poker.cards import parse_cards
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, NUM_COMBOS, combo_index, combos_without
from engine.support.arrays import Floats
from tests.support.asserting import refuses
from tests.support.cases import cases

# --- hand odds ----------------------------------------------------------------------------------------------

DRAW, DRAW_BOARD = parse_cards("Ah4h"), parse_cards("Kh9h7s2c")
SITUATIONS = [
    ("7h9h", "8h6c4h"), ("AdQc", "3h4cJh"), ("2c2d", "KsKhKd"), ("5s6s", "AsKsQs"), ("Ah4h", "Kh9h7s2c"),
    ("AcAd", "AhKsQs2d"), ("2c3d", "AhKhQhJhTh"),
]  # fmt: skip


def test_best_or_worst_a_quarter_of_the_time_stays_a_quarter_against_any_number() -> None:
    # Four boards: on one we beat everybody, on three nobody.
    shares = power_of_share(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(4), 3).mean(axis=1)

    assert shares.tolist() == [0.25, 0.25, 0.25]
    assert [round(100 * 0.25**n, 1) for n in (1, 2, 3)] == [25.0, 6.2, 1.6]  # Killer prints 25, 6, 1.5


def test_everybody_playing_the_board_shares_it() -> None:
    shares = power_of_share(np.zeros(1), np.ones(1))

    assert shares[:, 0].tolist() == pytest.approx([1 / (n + 1) for n in range(1, 10)])
    assert raw_hand_odds(parse_cards("2c3d"), parse_cards("AhKhQhJhTh")).tolist() == pytest.approx(
        [1 / (n + 1) for n in range(1, 10)]
    )


def test_without_ties_it_is_the_power() -> None:
    assert power_of_share(np.array(0.7), np.array(0.0)).tolist() == pytest.approx(
        [0.7**n for n in range(1, 10)]
    )


@pytest.mark.parametrize(("hole", "board"), SITUATIONS)
def test_against_one_opponent_raw_odds_are_the_exact_equity(hole: str, board: str) -> None:
    cards, known = parse_cards(hole), parse_cards(board)

    assert raw_hand_odds(cards, known, 1)[0] == pytest.approx(equity_against(cards, known), abs=1e-12)


def test_boards_are_counted_as_a_plain_loop_counts_them() -> None:
    hole, board = parse_cards("7h9h"), parse_cards("8h6c4hTd")
    boards = final_boards(hole, board)
    assert boards.flags.c_contiguous  # kernels would be compiled once more for anything else
    results = results_by_board(hole, boards, np.ones((1, NUM_COMBOS)))
    deck = [card for card in range(52) if card not in (*hole, *board)]

    assert boards.shape == (46, 5)
    for index, river in enumerate(deck):
        full = [*board, river]
        ours = hand_rank([*hole, *full])
        theirs = [hand_rank([a, b, *full]) for a, b in combinations(deck, 2) if river not in (a, b)]
        assert boards[index].tolist() == full
        assert results.won[0, index] == sum(rank < ours for rank in theirs)
        assert results.tied[0, index] == sum(rank == ours for rank in theirs)
        assert results.lost[0, index] == sum(rank > ours for rank in theirs)


def _disjoint(first: Floats, second: Floats, holds: Floats) -> float:
    """Weight of the pairs of hands without a common card: all, less those that share one; itself once."""
    return float(first.sum() * second.sum() - (first @ holds) @ (second @ holds) + first @ second)


def exact_share_against_two(hole: tuple[int, ...], turn_board: tuple[int, ...]) -> float:
    """Our share against two random hands that hold no common card, by enumeration of all pairs of hands."""
    total = 0.0
    rivers = [card for card in range(52) if card not in (*hole, *turn_board)]
    for river in rivers:
        board = [*turn_board, river]
        ranks = board_ranks(board).astype(int)
        ours = ranks[combo_index(*hole)]
        live = np.flatnonzero(combos_without([*hole, *board]))
        holds = np.zeros((len(live), 52))
        holds[np.arange(len(live)), COMBO_HIGH[live]] = 1
        holds[np.arange(len(live)), COMBO_LOW[live]] = 1
        won, tied = (ranks[live] < ours).astype(float), (ranks[live] == ours).astype(float)

        shares = _disjoint(won, won, holds) + _disjoint(won, tied, holds) + _disjoint(tied, tied, holds) / 3
        total += shares / _disjoint(np.ones(len(live)), np.ones(len(live)), holds)
    return total / len(rivers)


def test_a_nut_flush_draw_against_one_two_and_three_hands_dealt_together() -> None:
    joint = joint_hand_odds(DRAW, DRAW_BOARD, 3, rng=np.random.default_rng(1), trials=1_000_000)

    # .526 / .347 / .273 are sampled figures themselves; exact are .5255 for one and .3453 for two.
    assert equity_against(DRAW, DRAW_BOARD) == pytest.approx(0.526, abs=0.0006)
    assert joint.shares.tolist() == pytest.approx([0.526, 0.347, 0.273], abs=0.004)
    assert joint.shares[0] == pytest.approx(
        equity_against(DRAW, DRAW_BOARD), abs=4 * joint.standard_errors[0]
    )
    assert joint.shares[1] == pytest.approx(
        exact_share_against_two(DRAW, DRAW_BOARD), abs=4 * joint.standard_errors[1]
    )


@pytest.mark.parametrize(("hole", "board"), SITUATIONS)
def test_the_power_on_each_board_is_near_the_value_of_hands_dealt_together(hole: str, board: str) -> None:
    cards, known = parse_cards(hole), parse_cards(board)

    joint = joint_hand_odds(cards, known, rng=np.random.default_rng(2), trials=100_000)

    assert np.abs(raw_hand_odds(cards, known) - joint.shares).max() < 0.04


def test_raw_odds_of_the_draw_fall_far_slower_than_powers() -> None:
    raw = raw_hand_odds(DRAW, DRAW_BOARD)

    assert raw[0] == pytest.approx(0.5255, abs=5e-5)
    assert raw[2] > 1.8 * raw[0] ** 3
    assert (np.diff(raw) < 0).all()


def test_standard_errors_are_those_of_independent_samples() -> None:
    runs = [
        joint_hand_odds(DRAW, DRAW_BOARD, 3, rng=np.random.default_rng(seed), trials=2000)
        for seed in range(300)
    ]
    spread = np.std([run.shares for run in runs], axis=0, ddof=1)

    assert spread == pytest.approx(runs[0].standard_errors, rel=0.2)


def test_the_same_seed_samples_the_same() -> None:
    first = joint_hand_odds(DRAW, (), 9, rng=np.random.default_rng(5), trials=1000)
    again = joint_hand_odds(DRAW, (), 9, rng=np.random.default_rng(5), trials=1000)

    assert first.shares.tolist() == again.shares.tolist()


def test_aces_against_nine_random_hands() -> None:
    joint = joint_hand_odds(
        parse_cards("AsAh"), (), MAX_OPPONENTS, rng=np.random.default_rng(3), trials=1_000_000
    )

    assert joint.shares[8] == pytest.approx(0.3106, abs=4 * joint.standard_errors[8] + 0.0005)
    assert joint.shares[0] == pytest.approx(0.85204, abs=4 * joint.standard_errors[0])


def test_the_spectrum_counts_every_board_and_every_hand() -> None:
    hole, board = parse_cards("7h9h"), parse_cards("8h6c4hTd")
    boards = final_boards(hole, board)
    weights = np.ones((2, NUM_COMBOS))
    weights[1] /= 2

    ours, theirs = final_rank_counts(hole, boards, weights)

    assert ours.sum() == 46
    assert theirs[0].sum() == 46 * 990
    assert theirs[1] == pytest.approx(theirs[0] / 2)


@pytest.mark.parametrize(("hole", "board", "message"), cases(__file__, "wrong cards are refused"))
def test_wrong_cards_are_refused(hole: list[int], board: list[int], message: str) -> None:
    refuses(ValueError, message, raw_hand_odds, hole, board)


def test_wrong_numbers_are_refused() -> None:
    refuses(ValueError, "opponents", raw_hand_odds, DRAW, DRAW_BOARD, 10)
    refuses(ValueError, "generator", final_boards, DRAW, ())
    refuses(ValueError, "trials", joint_hand_odds, DRAW, DRAW_BOARD, rng=np.random.default_rng(1), trials=1)
    boards = final_boards(DRAW, DRAW_BOARD)
    refuses(ValueError, "weights", results_by_board, DRAW, boards, np.ones(NUM_COMBOS))
    refuses(ValueError, "at least 0", results_by_board, DRAW, boards, -np.ones((1, NUM_COMBOS)))


# --- reflective odds ----------------------------------------------------------------------------------------

FLOP = parse_cards("8h6c4h")
SUITED = parse_cards("7h9h")


def test_twice_as_loose_the_top_quarter_is_the_top_half() -> None:
    loose = playable_before_flop(0.25, looseness=2)

    assert loose.tolist() == playable_before_flop(0.50).tolist()
    assert loose.sum() == pytest.approx(NUM_COMBOS / 2)


@given(fraction=st.floats(0, 1), loose=st.floats(0, 4), softness=st.floats(0, 0.5))
def test_a_filter_keeps_exactly_its_fraction_and_never_prefers_a_worse_hand(
    fraction: float, loose: float, softness: float
) -> None:
    values = np.repeat(np.arange(221.0), 6)  # groups of six equal hands

    weights = keep_top(values, fraction, loose, softness=softness)

    assert weights.sum() == pytest.approx(NUM_COMBOS * min(1, fraction * loose), abs=1e-6)
    assert (np.diff(weights) >= -1e-9).all()
    assert weights.min() >= 0
    assert weights.max() <= 1


def test_a_soft_filter_leaves_hands_beyond_the_boundary_some_weight() -> None:
    values = np.arange(float(NUM_COMBOS))

    rigid, soft = keep_top(values, 0.25), keep_top(values, 0.25, softness=0.1)

    assert set(rigid.tolist()) <= {0.0, 0.5, 1.0}
    # The top fraction is at the end: 70 % from below is 30 % from above, 5 points beyond the boundary.
    assert 0 < soft[int(0.7 * NUM_COMBOS)] < 0.5 < soft[int(0.8 * NUM_COMBOS)] < 1
    assert soft.sum() == pytest.approx(rigid.sum())


def test_a_filter_on_the_board_keeps_the_best_hands_there_and_none_with_the_board_s_cards() -> None:
    weights = playable_on_board(FLOP, 0.1)
    ranks = board_ranks(FLOP)

    assert not weights[~combos_without(FLOP)].any()
    assert weights[combo_index(*parse_cards("7c5d"))] == 1  # a straight
    assert weights[combo_index(*parse_cards("3c2d"))] == 0
    assert ranks[weights == 1].min() >= ranks[(weights == 0) & combos_without(FLOP)].max()


def test_with_nothing_filtered_reflective_odds_are_the_raw_ones() -> None:
    everything = np.ones(NUM_COMBOS)
    raw = raw_hand_odds(SUITED, FLOP)

    for opponents in (1, 2, 5, 9):
        assert reflective_hand_odds(SUITED, FLOP, everything, opponents) == pytest.approx(raw[opponents - 1])


def test_against_one_weighted_opponent_the_odds_are_the_exact_equity() -> None:
    weights = playable_before_flop(0.3, softness=0.1)

    assert reflective_hand_odds(SUITED, FLOP, weights) == pytest.approx(equity_against(SUITED, FLOP, weights))


def test_different_opponents_each_have_their_own_filter() -> None:
    tight, loose = playable_before_flop(0.1), playable_before_flop(0.5)
    both = reflective_hand_odds(SUITED, FLOP, np.array([tight, loose]))

    assert both == pytest.approx(reflective_hand_odds(SUITED, FLOP, np.array([loose, tight])))
    own = np.zeros(NUM_COMBOS)
    own[combo_index(*SUITED)] = 1.0
    joint = range_equities([own, tight, loose], FLOP, rng=np.random.default_rng(1))
    assert both == pytest.approx(joint[0].value, abs=0.02)


def test_a_tight_opponent_rarely_holds_the_small_cards_that_beat_us() -> None:
    # 4-6 offsuit would have a straight here (Killer): only a loose player may have it.
    hole, board = parse_cards("AcAd"), parse_cards("2h3s5dKh")
    tight = reflective_hand_odds(hole, board, playable_before_flop(0.25))
    loose = reflective_hand_odds(hole, board, playable_before_flop(0.25, looseness=4))

    assert tight > loose


def test_the_reflective_nuts_are_not_the_nuts() -> None:
    # Only 64 and A4 make a straight; against somebody who plays neither, three kings cannot lose on the
    # river.
    hole, board = parse_cards("KcKd"), parse_cards("2h3s5dKh9c")
    weights = playable_before_flop(0.1)
    with_ace_four = weights.copy()
    with_ace_four[combo_index(*parse_cards("As4s"))] = 0.01

    assert not has_nuts(hole, board)
    assert has_reflective_nuts(hole, board, weights)
    assert not has_reflective_nuts(hole, board, with_ace_four)
    assert not has_reflective_nuts(hole, board, np.array([weights, with_ace_four]))
    assert has_nuts(parse_cards("4c6d"), board)


def test_before_the_river_the_nuts_must_hold_on_every_board_to_come() -> None:
    flop = parse_cards("AsKsQs")

    assert has_nuts(parse_cards("JsTs"), flop)
    assert not has_nuts(parse_cards("AcAd"), flop)
    assert not has_nuts(parse_cards("4c6d"), parse_cards("2h3s5dKh"))


def test_what_cannot_be_is_refused() -> None:
    refuses(ValueError, "no possible hand", reflective_hand_odds, SUITED, FLOP, np.zeros(NUM_COMBOS))
    refuses(ValueError, "opponents with", reflective_hand_odds, SUITED, FLOP, np.ones((2, NUM_COMBOS)), 3)
    refuses(ValueError, "shape", reflective_hand_odds, SUITED, FLOP, np.ones((10, NUM_COMBOS)))
    refuses(ValueError, "fraction", keep_top, np.zeros(NUM_COMBOS), 1.5)
    refuses(ValueError, "looseness", playable_before_flop, 0.5, -1)
    refuses(ValueError, "without a board", has_nuts, SUITED, ())
