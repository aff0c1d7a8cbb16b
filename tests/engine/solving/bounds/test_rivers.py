"""The best response on a river, against every pair of hands and every betting one by one."""

from __future__ import annotations

import numpy as np
import pytest

from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combos_without
from engine.poker.rules import BettingState, load_game
from engine.solving.bounds.players import AskedPlayer
from engine.solving.bounds.river_round import RiverRound, rounds_of
from engine.support.arrays import Floats
from tests.oracles.limit_response import response_values

LIMIT = load_game("limit-2p")
BOARD = parse_cards("2c7d9hJsQh")


def drawn(betting: BettingState, board: tuple[int, ...]) -> Floats:
    """Chances drawn from the betting and the board."""
    seed = sum(ord(letter) * 131**place for place, letter in enumerate(betting.text)) % 2**32
    rng = np.random.default_rng((seed, *board))
    weights = rng.random((NUM_COMBOS, 3)) * [1, 2, 1]
    legal = betting.legal_actions()
    weights[:, 0] *= legal.can_fold
    weights[:, 2] *= legal.can_raise
    chances: Floats = weights / weights.sum(axis=1, keepdims=True)
    return chances


@pytest.mark.parametrize("responder", [0, 1])
@pytest.mark.slow
def test_a_river_is_worth_what_every_pair_of_hands_pays(responder: int) -> None:
    """Three bettings side by side, one of which the opponent never comes to."""
    rounds = rounds_of(LIMIT)
    river = RiverRound(rounds, AskedPlayer(drawn), responder)
    end, turns = 4, [0, 17, 62]
    reach = np.random.default_rng(3).random((NUM_COMBOS, 3)) * combos_without(BOARD[:4])[:, None]
    reach[:, 1] = 0.0
    ends = [np.zeros((NUM_COMBOS, 3), np.float32) for _ in range(9)]
    ends[end] = reach.astype(np.float32)

    (lanes,) = river.lanes(turns, ends)
    river.add(BOARD, np.arange(NUM_COMBOS)[None], [lanes])

    assert (lanes.end, lanes.turns) == (end, (0, 17, 62))
    for lane in (0, 2):
        start = rounds[3].bettings[9 * turns[lane] + end][0]
        expected = response_values(start, BOARD, (), drawn, responder, reach[:, lane])
        assert lanes.worth[:, lane] == pytest.approx(expected, rel=2e-5, abs=0.05)
    assert not lanes.worth[:, 1].any()
