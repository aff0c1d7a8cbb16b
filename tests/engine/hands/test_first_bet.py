"""Killer's one-chip games: its two tables, digit by digit."""

from __future__ import annotations

import pytest

from engine.hands.pot_odds import BetToPotOdds, PotOdds
from engine.hands.preflop.first_bet import (
    ONE_CHIP_WITH_BLINDS,
    ONE_CHIP_ZERO_BLIND,
    SEATS,
    call_percentile,
    first_bet_percentile,
)
from tests.support.asserting import refuses

ZERO_BLIND = (7, 8, 9, 11, 13, 16, 21, 29, 50, 100)
WITH_BLINDS = (10, 11, 12, 14, 17, 20, 26, 37, 75, 100)


def test_first_bets_at_even_money_are_as_printed() -> None:
    assert [round(100 * ONE_CHIP_ZERO_BLIND.first_bet(seat)) for seat in SEATS] == list(ZERO_BLIND)


def test_first_bets_with_blinds_are_as_printed() -> None:
    assert [round(100 * ONE_CHIP_WITH_BLINDS.first_bet(seat)) for seat in SEATS] == list(WITH_BLINDS)


def test_calls_are_as_printed_from_rounded_percentages() -> None:
    # Both factors were rounded before they were multiplied: without that, seat 4 would have 7.7 %.
    forty, twenty_nine = PotOdds(0.40), PotOdds(round(BetToPotOdds(1 / 2.5).as_pot_odds().value, 2))
    rounded = [round(ONE_CHIP_WITH_BLINDS.first_bet(seat), 2) for seat in SEATS[:2]]

    assert [round(100 * call_percentile(share, forty), 1) for share in rounded] == [6.0, 6.6]
    assert twenty_nine == PotOdds(0.29)
    assert [round(100 * call_percentile(share, twenty_nine), 1) for share in rounded] == [7.1, 7.8]
    assert round(100 * ONE_CHIP_WITH_BLINDS.call("4"), 1) == 7.7


def test_the_first_bet_solves_its_equation() -> None:
    for seats in range(1, 10):
        for needed in (0.25, 0.4, 0.5):
            share = first_bet_percentile(seats, PotOdds(needed))
            assert (1 - share) ** seats == pytest.approx(needed)
    assert first_bet_percentile(0) == 1


def test_strange_seats_are_refused() -> None:
    refuses(ValueError, "seats to act", first_bet_percentile, -1)
    refuses(ValueError, "not a seat", ONE_CHIP_ZERO_BLIND.first_bet, "11")
    refuses(ValueError, "percentile", call_percentile, 1.2, PotOdds(0.4))
