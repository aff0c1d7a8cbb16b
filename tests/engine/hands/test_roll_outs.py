"""Income rates of the starting hands: roll-outs against Poki's Table 3.1 and exact equities, the shipped
tables.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import spearmanr

from engine.hands.equity import preflop_equities_against_random
from engine.hands.preflop.roll_outs import (
    DEFAULT_SCHEME,
    RollOutScheme,
    exact_raw_odds,
    iterated_income_rates,
    make_tables,
    roll_out_income_rates,
)
from engine.hands.preflop.tables import format_tables, parse_tables, shipped_tables
from engine.poker.combos import COMBOS_PER_STARTING_HAND, NUM_STARTING_HANDS, parse_starting_hand
from engine.support.arrays import Floats
from engine.support.files.archive import ArchiveError
from tests.support.asserting import refuses
from tests.support.hands.poki_table_3_1 import TABLE_3_1

HANDS = np.array([parse_starting_hand(name) for name in TABLE_3_1])
IR_10 = np.array([plain for plain, _ in TABLE_3_1.values()], float)
ITERATED = np.array([iterated for _, iterated in TABLE_3_1.values()], float)


def distance(rates: Floats, printed: Floats) -> tuple[float, float]:
    """Greatest and root mean square difference over the 27 hands."""
    difference = rates[HANDS] - printed
    return float(np.abs(difference).max()), float(np.sqrt(np.mean(difference**2)))


def test_the_ir_10_column_of_table_3_1_sampled() -> None:
    rates = roll_out_income_rates(10, 3_000_000, np.random.default_rng(1))

    greatest, root_mean_square = distance(rates.rates, IR_10)
    # At this size a suited hand has a standard error of 9 to 13.
    assert greatest < 45
    assert root_mean_square < 18


def test_the_shipped_ir_10_column_is_that_of_table_3_1() -> None:
    greatest, root_mean_square = distance(shipped_tables().table(10).roll_out, IR_10)

    assert greatest <= 20
    assert root_mean_square <= 7


@pytest.mark.slow
def test_the_ir_10_column_of_table_3_1_with_two_million_deals_of_each_hand() -> None:
    rates = roll_out_income_rates(10, 67_000_000, np.random.default_rng(1))

    greatest, root_mean_square = distance(rates.rates, IR_10)
    assert rates.times_dealt[HANDS].min() >= 2_000_000
    assert greatest <= 20
    assert root_mean_square <= 7


def test_two_player_roll_outs_are_the_exact_equity_against_a_random_hand() -> None:
    rates = roll_out_income_rates(2, 2_000_000, np.random.default_rng(1))
    exact = 1000 * (2 * preflop_equities_against_random() - 1)

    assert (np.abs(rates.rates - exact) / rates.standard_errors).max() < 5
    assert rates.standard_errors.max() < 20


def test_in_a_plain_roll_out_nothing_is_won_or_lost_in_all() -> None:
    rates = roll_out_income_rates(6, 200_000, np.random.default_rng(1))

    assert rates.times_dealt.sum() == 6 * 200_000
    assert float((rates.rates * rates.times_dealt).sum()) == pytest.approx(0, abs=1e-3)


def test_iterated_rates_at_the_paper_s_size_rank_the_hands_as_table_3_1_does() -> None:
    rates = iterated_income_rates(10, np.random.default_rng(1))

    correlation = spearmanr(rates.rates[HANDS], ITERATED).statistic
    assert correlation >= 0.9
    assert (rates.rates[HANDS] > 0).all()
    assert int((rates.rates > 0).sum()) < 50
    assert rates.rates.argmax() == parse_starting_hand("AA")


def test_the_shipped_iterated_column_ranks_the_hands_as_table_3_1_does() -> None:
    rates = shipped_tables().table(10).iterated

    assert spearmanr(rates[HANDS], ITERATED).statistic >= 0.94
    assert distance(rates, ITERATED)[1] < 115
    assert (rates[HANDS] > 0).all()


def test_hand_selection_leaves_few_hands_and_fewer_the_more_players() -> None:
    playable = [int((shipped_tables().table(players).iterated > 0).sum()) for players in range(2, 11)]

    assert playable == sorted(playable, reverse=True)
    # With ten players 39 of the 169: the 27 of the paper and 12 more.
    assert playable[-1] == len(TABLE_3_1) + 12 == 39


def test_without_selection_iteration_changes_nothing_but_the_dead_money() -> None:
    # So much dead money that every hand is worth playing: each earns its share of ten stakes, less its own.
    scheme = RollOutScheme(stake=0.001, small_blind=100.0, big_blind=100.0)
    iterated = iterated_income_rates(
        10, np.random.default_rng(1), trials=20_000, final_trials=20_000, scheme=scheme
    )
    plain = roll_out_income_rates(10, 200_000, np.random.default_rng(2))

    assert iterated.played.all()
    assert (np.abs(iterated.rates - plain.rates / 1000) / iterated.standard_errors).max() < 5


def test_the_big_blind_that_always_plays_is_money_for_the_others() -> None:
    seeds = [np.random.default_rng(1) for _ in range(2)]
    with_blind = iterated_income_rates(6, seeds[0])
    folding = iterated_income_rates(6, seeds[1], scheme=RollOutScheme(big_blind_always_plays=False))

    assert with_blind.played.sum() != folding.played.sum()
    assert DEFAULT_SCHEME.stake == 2


def test_the_same_seed_makes_the_same_tables() -> None:
    first = iterated_income_rates(4, np.random.default_rng(7), trials=1000, final_trials=1000)
    again = iterated_income_rates(4, np.random.default_rng(7), trials=1000, final_trials=1000)

    assert first.rates.tolist() == again.rates.tolist()


def test_shipped_shares_and_raw_odds_give_the_published_figures() -> None:
    tables = shipped_tables()
    aces, seven_deuce, three_deuce = (parse_starting_hand(name) for name in ("AA", "72o", "32o"))

    assert tables.raw_odds[aces, 0] == pytest.approx(0.85204, abs=5e-6)
    assert tables.raw_odds[seven_deuce, 0] == pytest.approx(0.34584, abs=5e-6)
    assert tables.raw_odds[three_deuce, 0] == pytest.approx(0.32303, abs=5e-6)
    ten = tables.table(10)
    assert ten.shares[aces] == pytest.approx(0.3106, abs=3 * ten.share_standard_errors[aces] + 5e-5)


def test_shipped_raw_odds_against_one_are_the_exact_equities() -> None:
    assert shipped_tables().raw_odds[:, 0] == pytest.approx(preflop_equities_against_random(), abs=1e-6)


def test_shipped_raw_odds_are_near_the_shares_of_hands_dealt_together() -> None:
    tables = shipped_tables()
    joint = np.array([table.shares for table in tables.tables]).T

    assert np.abs(tables.raw_odds - joint).max() < 0.05


@pytest.mark.slow
def test_shipped_raw_odds_are_what_all_boards_give() -> None:
    assert exact_raw_odds() == pytest.approx(shipped_tables().raw_odds, abs=1e-6)


def test_tables_survive_being_written_and_read() -> None:
    shipped = shipped_tables()

    text = format_tables(shipped)
    again = parse_tables(text)

    assert format_tables(again) == text
    assert again.table(6).iterated.tolist() == shipped.table(6).iterated.tolist()
    assert again.made_by.startswith("riverboat preflop --make")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 99}, "newer riverboat: schema 99, this one reads up to 1"),
        ({"kind": "something"}, "expected 'riverboat preflop tables', got 'something'"),
        ({"tables": []}, "2 to 10"),
        ({"raw_odds": {}}, "'22' is missing"),
        ({"starting_hands": []}, "order"),
        ({"digest": "0"}, "not those it was written with"),
    ],
)
def test_other_files_are_refused(change: dict[str, object], message: str) -> None:
    data = json.loads(format_tables(shipped_tables()))
    del data["digest"]  # as in the text that ships

    refuses(ArchiveError, message, parse_tables, json.dumps(data | change))


def test_numbers_out_of_range_are_refused() -> None:
    rng = np.random.default_rng(1)
    refuses(ValueError, "players", roll_out_income_rates, 11, 10, rng)
    refuses(ValueError, "trials", roll_out_income_rates, 3, 0, rng)
    refuses(ValueError, "generations", iterated_income_rates, 3, rng, generations=0)
    with pytest.raises(ValueError, match="preflop_game"):
        iterated_income_rates(2, rng, scheme=RollOutScheme(big_blind_always_plays=False))
    refuses(ValueError, "players", shipped_tables().table, 1)


@pytest.mark.slow
def test_making_tables_needs_nothing_but_a_seed() -> None:
    lines: list[str] = []

    tables = make_tables(
        1, roll_out_trials=2000, trials=1000, final_trials=2000, made_by="x", report=lines.append
    )

    assert len(lines) == 10
    assert [table.players for table in tables.tables] == list(range(2, 11))
    assert int(COMBOS_PER_STARTING_HAND.sum()) == 1326
    assert tables.raw_odds.shape == (NUM_STARTING_HANDS, 9)
