"""Reflective hand odds: filters, looseness, the reflective nuts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hands.equity import equity_against, range_equities
from engine.hands.hand_odds import raw_hand_odds
from engine.hands.hand_rank import board_ranks
from engine.hands.reflective_odds import (
    has_nuts,
    has_reflective_nuts,
    keep_top,
    looseness,
    playable_before_flop,
    playable_on_board,
    reflective_hand_odds,
)
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combo_index, combos_without
from tests.support.asserting import refuses

FLOP = parse_cards("8h6c4h")
DRAW = parse_cards("7h9h")


def test_twice_as_loose_the_top_quarter_is_the_top_half() -> None:
    loose = playable_before_flop(0.25, looseness=2)

    assert loose.tolist() == playable_before_flop(0.50).tolist()
    assert loose.sum() == pytest.approx(NUM_COMBOS / 2)
    assert looseness(0.40, ideal=0.20) == 2


@given(
    fraction=st.floats(0, 1),
    loose=st.floats(0, 4),
    softness=st.floats(0, 0.5),
)
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
    raw = raw_hand_odds(DRAW, FLOP)

    for opponents in (1, 2, 5, 9):
        assert reflective_hand_odds(DRAW, FLOP, everything, opponents) == pytest.approx(raw[opponents - 1])


def test_against_one_weighted_opponent_the_odds_are_the_exact_equity() -> None:
    weights = playable_before_flop(0.3, softness=0.1)

    assert reflective_hand_odds(DRAW, FLOP, weights) == pytest.approx(equity_against(DRAW, FLOP, weights))


def test_different_opponents_each_have_their_own_filter() -> None:
    tight, loose = playable_before_flop(0.1), playable_before_flop(0.5)
    both = reflective_hand_odds(DRAW, FLOP, np.array([tight, loose]))

    assert both == pytest.approx(reflective_hand_odds(DRAW, FLOP, np.array([loose, tight])))
    own = np.zeros(NUM_COMBOS)
    own[combo_index(*DRAW)] = 1.0
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
    refuses(ValueError, "no possible hand", reflective_hand_odds, DRAW, FLOP, np.zeros(NUM_COMBOS))
    refuses(ValueError, "opponents with", reflective_hand_odds, DRAW, FLOP, np.ones((2, NUM_COMBOS)), 3)
    refuses(ValueError, "shape", reflective_hand_odds, DRAW, FLOP, np.ones((10, NUM_COMBOS)))
    refuses(ValueError, "fraction", keep_top, np.zeros(NUM_COMBOS), 1.5)
    refuses(ValueError, "looseness", playable_before_flop, 0.5, -1)
    refuses(ValueError, "without a board", has_nuts, DRAW, ())
    refuses(ValueError, "flops", looseness, 2)
