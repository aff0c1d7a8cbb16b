"""What local best response reckons with: values of calls and bets, and what the opponent may hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hands.equity import equity_against
from engine.poker.cards import parse_cards
from engine.poker.combos import combo_index
from engine.poker.rules import load_game
from engine.solving.bounds.local_response import OpponentRange, bet_value, call_value, hands_of
from engine.support.arrays import Floats, Ints

chance = st.floats(0, 1)
chips = st.integers(0, 200)


@given(pot=chips, to_call=chips, bet=chips, folds=chance, share=chance)
def test_chips_are_those_that_change_hands(
    pot: int, to_call: int, bet: int, folds: float, share: float
) -> None:
    """Each way a hand can end, with the chips it moves and its chance."""
    ends = [(folds, pot), ((1 - folds) * share, pot + bet), ((1 - folds) * (1 - share), -to_call - bet)]

    assert bet_value(pot, to_call, bet, folds, share) == pytest.approx(sum(p * won for p, won in ends))
    assert call_value(pot, to_call, share) == pytest.approx(share * pot - (1 - share) * to_call)


def never(own: tuple[int, ...], hands: Ints, board: tuple[int, ...]) -> Floats:
    raise AssertionError("on a board hold'em needs no shares by hand")


def test_the_opponent_holds_what_would_have_done_that() -> None:
    game, own, board = load_game("limit-2p"), parse_cards("AhKd"), parse_cards("2c7d9h")
    known = OpponentRange(game, own, never)
    assert known.weights.sum() == 1225

    known.deal(board)
    aces = np.array([all(card >= 48 for card in hand) for hand in hands_of(game).tolist()])
    known.act(np.where(aces, 0.5, 0.0))

    assert known.weights.sum() == 3  # of six pairs of aces our own ace leaves three
    assert known.weights[combo_index(*parse_cards("AsAc"))] == 1
    assert known.share(known.weights) == equity_against(own, board, known.weights)
    known.act(np.zeros(1326))
    assert known.weights.sum() == 47 * 46 / 2  # it did what it never does: anything may be


def test_in_small_games_shares_are_given_by_hand() -> None:
    game = load_game("kuhn-2p")
    low, middle, high = sorted(game.deck)
    known = OpponentRange(game, (middle,), lambda own, hands, board: (own[0] > hands[:, 0]).astype(float))

    assert [
        card for (card,), weight in zip(hands_of(game).tolist(), known.weights, strict=True) if weight
    ] == [
        low,
        high,
    ]
    assert known.share(known.weights) == 0.5
    known.act(np.array([0.2, 0.0, 0.6]))
    assert known.share(known.weights) == pytest.approx(0.25)
