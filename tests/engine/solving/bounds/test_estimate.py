"""Bounds on the exploitability of whole strategies: known ones, and what must hold of all."""

from __future__ import annotations

import numpy as np
import pytest

from engine.poker.rules import load_game
from engine.solving.bounds.estimate import best_response_on_flops, count_turns
from engine.solving.bounds.players import AskedPlayer, BucketedPlayer
from engine.solving.bounds.sample import draw_flops
from tests.engine.solving.bounds.test_values import ONE_RAISE, strategy

LIMIT = load_game("limit-2p")


def test_a_player_who_always_folds_loses_the_blinds() -> None:
    """750 mbb/h, whatever the flops."""
    flops = draw_flops(2, 2, np.random.default_rng(1))

    found = best_response_on_flops(LIMIT, AskedPlayer(lambda betting, board: [(1, 0, 0)]), flops)

    assert found.lower.value == pytest.approx(7.5, rel=1e-4)
    assert found.lower.by_seat == pytest.approx((5.0, 10.0), rel=1e-4)
    assert found.upper.value == pytest.approx(7.5, rel=1e-4)
    assert found.lower.se == pytest.approx(0.0, abs=1e-3)
    by_betting = AskedPlayer(lambda betting, board: [(1, 0, 0)], is_fixed=True)
    assert best_response_on_flops(LIMIT, by_betting, flops) == found


@pytest.mark.slow
def test_bounds_follow_from_the_flops_alone() -> None:
    flops = draw_flops(2, 2, np.random.default_rng(5))
    player = BucketedPlayer(strategy(3, 7))
    seen: list[int] = []

    found = best_response_on_flops(ONE_RAISE, player, flops, jobs=2, seen=lambda: seen.append(1))

    assert len(seen) == count_turns(flops)
    assert found == best_response_on_flops(ONE_RAISE, player, flops)
    assert found.lower.value < found.upper.value
    assert found.lower.se > 0


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="expected limit hold'em for two, without antes"):
        best_response_on_flops(load_game("nolimit-2p"), AskedPlayer(lambda betting, board: [(1, 0, 0)]), [])
