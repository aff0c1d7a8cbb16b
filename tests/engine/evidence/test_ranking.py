"""Ranking players by joint intervals; control variates, whose estimates are unbiased and narrower."""

import itertools
import math

import numpy as np
import pytest
import scipy
from hypothesis import given, settings, strategies as st

from engine.evidence.control_variates import FIRST_BLOCK, Observations, blocks, corrected, fit
from engine.evidence.ranking.crosstable import (
    CrossTable,
    Sitting,
    crosstable,
    holm,
    pair_p_values,
    rank_ranges,
    student_p,
)
from engine.evidence.ranking.ratings import (
    bankroll_ranks,
    bootstrap_above,
    cycles,
    fit_margins,
    nash_average,
    run_off,
)
from tests.support.asserting import known

# --- ranking ------------------------------------------------------------------------------------------------

QEWC = np.array(
    [
        [0.0, 30.0, 100.0, 400.0], [-30.0, 0.0, 900.0, 1000.0], [-100.0, -900.0, 0.0, 200.0],
        [-400.0, -1000.0, -200.0, 0.0],
    ]
)  # fmt: skip
CYCLE = np.array([[0.0, 10.0, -30.0], [-10.0, 0.0, 20.0], [30.0, -20.0, 0.0]])


def test_the_acpcs_example_has_one_winner_by_bankroll_and_another_by_run_off() -> None:
    assert QEWC.sum(axis=1).tolist() == [530.0, 1870.0, -800.0, -1600.0]
    assert bankroll_ranks(QEWC) == (2, 1, 3, 4)
    assert run_off(QEWC, series=True).ranks == (1, 2, 3, 4)
    assert run_off(QEWC, series=False).ranks == (1, 2, 3, 4)


def test_in_a_circle_all_tie_by_series_and_not_by_bankroll() -> None:
    assert CYCLE.sum(axis=1).tolist() == [-20.0, 10.0, 10.0]
    assert bankroll_ranks(CYCLE) == (3, 1, 1)
    assert run_off(CYCLE, series=True).ranks == (1, 1, 1)
    result = run_off(CYCLE, series=False)
    assert result.ranks == (3, 1, 2)  # the second before the third before the first
    assert [each.out for each in result.rounds] == [(0,), (2,), (1,)]
    assert result.rounds[1].points == {1: 20.0, 2: -20.0}


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 30, 400, 20_000])
@pytest.mark.parametrize("t", [0.0, 0.1, 0.7, 1.96, 3.0, 9.0, 40.0])
def test_student_p_is_scipys(t: float, degrees: int) -> None:
    assert student_p(t, degrees) == pytest.approx(2 * scipy.stats.t.sf(t, degrees), rel=1e-9, abs=1e-290)


def test_holm_is_worked_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def league(rates: list[float], deals: int, seed: int, noise: float = 1000.0) -> list[Sitting]:
    """Heads-up deals of players whose margins are differences of rates."""
    drawn = np.random.default_rng(seed)
    sittings = []
    for one, other in itertools.combinations(range(len(rates)), 2):
        won = drawn.normal((rates[one] - rates[other]) / 2, noise, deals)
        sittings.append(Sitting((one, other), np.stack([won, -won]), np.arange(deals)))
    return sittings


def test_a_pair_is_students_test_of_its_deals() -> None:
    (sitting,) = league([40.0, -40.0], 50, 3)

    table = crosstable(2, [sitting])

    expected = scipy.stats.ttest_1samp(sitting.won[0], 0.0)
    assert table.mean[0, 1] == pytest.approx(sitting.won[0].mean())
    assert pair_p_values(table)[0][0, 1] == pytest.approx(expected.pvalue, rel=1e-9)
    low, high = expected.confidence_interval(0.95)
    assert table.pair_half_width(0, 1) == pytest.approx((high - low) / 2, rel=0.001)
    assert table.half_width(0) == pytest.approx((high - low) / 2, rel=0.001)


def test_deals_that_depend_on_the_same_cards_count_once() -> None:
    (sitting,) = league([0.0, 0.0], 40, 5)
    thrice = [
        sitting, Sitting((0, 1), sitting.won, sitting.blocks), Sitting((0, 1), sitting.won, sitting.blocks),
    ]  # fmt: skip

    one, three = crosstable(2, [sitting]), crosstable(2, thrice)

    assert three.error[0, 1] == pytest.approx(one.error[0, 1])
    assert three.rate_error(0) == pytest.approx(one.rate_error(0))


def test_at_a_table_of_three_a_pair_is_half_the_difference() -> None:
    won = np.array([[30.0, 0.0], [0.0, -10.0], [-30.0, 10.0]])

    table = crosstable(3, [Sitting((0, 1, 2), won, np.arange(2))])

    assert table.mean[0, 1] == pytest.approx((15.0 + 5.0) / 2)
    assert table.mean[2, 0] == pytest.approx((-30.0 + 5.0) / 2)
    assert table.rate.tolist() == [15.0, -5.0, -10.0]


def test_intervals_hold_as_often_as_they_say_with_common_cards() -> None:
    """All tables share the luck of a deal: an error that took them for independent would be too small."""
    drawn = np.random.default_rng(11)
    missed = 0
    for _ in range(400):
        luck = drawn.normal(0, 500, 30)
        sittings = []
        for other in (1, 2, 3):
            won = luck + drawn.normal(0, 100, 30)
            sittings.append(Sitting((0, other), np.stack([won, -won]), np.arange(30)))
        table = crosstable(4, sittings)
        half = known(table.half_width(0))
        missed += abs(float(table.rate[0])) > half

    assert 5 <= missed <= 37  # 20 are expected, with a standard error of 4.4


def test_ranks_are_ranges_where_little_is_known() -> None:
    sure = rank_ranges(crosstable(4, league([300.0, 100.0, -100.0, -300.0], 4000, 1)))
    unsure = rank_ranges(crosstable(4, league([3.0, 1.0, -1.0, -3.0], 30, 1)))

    assert [(each.rank, each.low, each.high) for each in sure] == [(k, k, k) for k in (1, 2, 3, 4)]
    assert all((each.low, each.high) == (1, 4) for each in unsure)
    assert sorted(each.rank for each in unsure) == [1, 2, 3, 4]


def test_a_league_of_players_who_never_played_says_nothing() -> None:
    table = crosstable(3, [])

    assert [(each.low, each.high) for each in rank_ranges(table)] == [(1, 3)] * 3
    assert fit_margins(table) is None
    assert np.allclose(bootstrap_above(3, [], bankroll_ranks), 0.5)


def test_the_bootstrap_knows_what_is_sure_and_what_is_not() -> None:
    above = bootstrap_above(3, league([200.0, 195.0, -300.0], 2000, 2), bankroll_ranks)

    assert above[0, 2] == above[1, 2] == 1.0
    assert 0.0 < above[0, 1] < 1.0
    assert np.allclose(above + above.T, 1.0)


def test_ratings_explain_margins_that_one_number_can_explain() -> None:
    table = crosstable(4, league([300.0, 100.0, -150.0, -250.0], 5000, 7))

    ratings = known(fit_margins(table))
    assert np.abs(ratings.rating - np.array([150.0, 50.0, -75.0, -125.0])).max() < 4 * ratings.error.max()
    assert ratings.rating.sum() == pytest.approx(0.0, abs=1e-9)
    assert ratings.degrees == 3
    assert ratings.chi_square < scipy.stats.chi2.ppf(0.999, 3)


def test_ratings_are_weighted_least_squares() -> None:
    table = crosstable(4, league([300.0, 100.0, -150.0, -250.0], 40, 8))
    pairs = list(itertools.combinations(range(4), 2))
    design = np.zeros((6, 4))
    for row, (i, j) in enumerate(pairs):
        design[row, i], design[row, j] = 1.0, -1.0
    weight = np.array([1 / table.error[pair] for pair in pairs])
    margins = np.array([table.mean[pair] for pair in pairs])

    expected = np.linalg.lstsq(design * weight[:, None], margins * weight, rcond=None)[0]

    ratings = known(fit_margins(table))
    assert np.allclose(ratings.rating, expected)


def test_a_circle_is_found_and_only_where_it_is_proved() -> None:
    proved, not_proved = np.full((3, 3), 0.001), np.full((3, 3), 0.2)

    assert cycles(CYCLE, proved) == [(0, 1, 2)]
    assert cycles(CYCLE.T, proved) == [(0, 2, 1)]
    assert cycles(CYCLE, not_proved) == []
    assert cycles(QEWC, np.full((4, 4), 0.001)) == []


def test_the_nash_average_of_a_circle() -> None:
    average = nash_average(CYCLE)

    assert average.weight == pytest.approx(np.array([20.0, 30.0, 10.0]) / 60, abs=1e-3)
    assert np.abs(average.score).max() < 0.1


def test_a_copy_of_a_player_shares_its_weight() -> None:
    copied = np.zeros((4, 4))
    of = [0, 0, 1, 2]
    for i, j in itertools.product(range(4), repeat=2):
        copied[i, j] = CYCLE[of[i], of[j]]

    weight = nash_average(copied).weight

    assert weight == pytest.approx(np.array([10.0, 10.0, 30.0, 10.0]) / 60, abs=1e-3)


def test_a_player_who_beats_everybody_is_the_whole_nash_average() -> None:
    average = nash_average(QEWC)

    assert average.weight == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-3)
    assert average.score == pytest.approx([0.0, -30.0, -100.0, -400.0], abs=1.0)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_nobody_beats_the_nash_average_by_more_than_linear_programming_allows(n: int, seed: int) -> None:
    upper = np.triu(np.random.default_rng(seed).normal(0, 100, (n, n)), 1)
    matrix = upper - upper.T

    weight = nash_average(matrix).weight

    solved = scipy.optimize.linprog(
        [0.0] * n, A_ub=matrix, b_ub=[0.0] * n, A_eq=[[1.0] * n], b_eq=[1.0], bounds=[(0, 1)] * n
    )
    assert solved.success  # so the value of the game is 0
    assert weight.sum() == pytest.approx(1.0)
    assert (matrix @ weight).max() < 0.3
    assert not any(math.isnan(each) for each in weight)


def test_a_pair_that_never_played_has_no_numbers() -> None:
    table: CrossTable = crosstable(3, league([5.0, -5.0], 10, 1))

    assert math.isnan(table.mean[0, 2])
    assert table.pair_half_width(0, 2) is None
    assert pair_p_values(table)[1][0, 2] == 1.0
    assert math.isnan(table.rate[2])


# --- control variates ---------------------------------------------------------------------------------------

RNG = np.random.default_rng(5)


def observations(deals: int, players: int = 2) -> Observations:
    rows = deals * players
    changes = RNG.normal(size=(rows, 3))
    payoffs = 0.3 + changes @ [2.0, 0.0, -1.0] + RNG.normal(size=rows)
    return Observations(
        payoffs, changes, np.repeat(np.arange(deals), players), np.tile(np.arange(players), deals)
    )


def test_blocks_double_and_cover_every_deal() -> None:
    assert [(block.start, block.stop) for block in blocks(300)] == [
        (0, 64), (64, 128), (128, 256), (256, 300),
    ]  # fmt: skip
    assert blocks(0) == []
    assert blocks(1) == [slice(0, 1)]


def test_coefficients_are_those_of_least_squares() -> None:
    seen = observations(20_000)

    found = fit(seen.payoffs, seen.changes, seen.players, np.zeros(3))

    centred = seen.changes - np.stack([seen.changes[seen.players == p].mean(0) for p in (0, 1)])[seen.players]
    expected = np.linalg.lstsq(centred, seen.payoffs, rcond=None)[0]
    assert found == pytest.approx(expected, abs=0.01)
    assert found == pytest.approx([2.0, 0.0, -1.0], abs=0.05)


def test_a_term_that_never_occurred_keeps_its_coefficient() -> None:
    seen = observations(500)
    seen.changes[:, 1] = 0.0

    assert fit(seen.payoffs, seen.changes, seen.players, np.array([1.0, 7.0, 1.0]))[1] == 7.0


def test_few_deals_move_the_coefficients_a_little() -> None:
    seen = observations(4)
    prior = np.array([2.0, 0.0, -1.0])

    few = fit(seen.payoffs, seen.changes, seen.players, prior)

    assert np.abs(few - prior).max() < 0.5


@pytest.mark.parametrize("changed", [FIRST_BLOCK, 130, 299])
def test_nothing_that_comes_later_changes_what_a_deal_is_worth(changed: int) -> None:
    """Neither its own payoff, but by itself, nor any after it, enters its coefficients."""
    seen = observations(300)
    prior = np.ones(3)
    before = corrected(seen, prior)
    later = seen.deals >= changed
    own = seen.deals == changed
    seen.payoffs[later] += 100.0 * RNG.normal(size=later.sum())
    seen.changes[seen.deals > changed] *= 3.0

    after = corrected(seen, prior)

    assert (after[~later] == before[~later]).all()
    block = next(block for block in blocks(300) if block.start <= changed < block.stop)
    if changed == block.start:
        earlier = seen.deals < changed
        coefficients = fit(seen.payoffs[earlier], seen.changes[earlier], seen.players[earlier], prior)
        assert after[own] == pytest.approx(seen.payoffs[own] - seen.changes[own] @ coefficients)


def test_passes_of_a_deal_count_as_one() -> None:
    """What two passes of a deal cancel between them gets no coefficient."""
    deals = 4000
    luck = RNG.normal(size=deals)
    payoffs = np.concatenate([5 * luck, -5 * luck]) + RNG.normal(size=2 * deals)
    changes = np.concatenate([luck, -luck])[:, None]
    numbers = np.tile(np.arange(deals), 2)
    seen = Observations(payoffs, changes, numbers, np.zeros(2 * deals, np.int64))

    paired = corrected(seen, np.zeros(1))

    assert np.allclose(np.bincount(numbers, paired), np.bincount(numbers, payoffs))


def test_what_cancels_in_a_deal_but_for_rounding_gets_no_coefficient() -> None:
    """Else the coefficient of what is left, 1e-17, is anything, and applies to each hand as a whole."""
    deals = 300
    rng = np.random.default_rng(5)
    changes = np.stack([rng.normal(size=2 * deals), np.zeros(2 * deals)], axis=-1)
    cancelled = rng.normal(size=deals)
    changes[0::2, 1] = cancelled
    changes[1::2, 1] = -(cancelled + 0.1 - 0.1)  # not quite what it was
    payoffs = changes[:, 0] + 0.1 * rng.normal(size=2 * deals)
    numbers, players = np.repeat(np.arange(deals), 2), np.zeros(2 * deals, np.int64)
    assert (changes[0::2, 1] + changes[1::2, 1]).any()

    found = corrected(Observations(payoffs, changes, numbers, players), np.array([1.0, 0.0]))

    without = corrected(Observations(payoffs, changes[:, :1], numbers, players), np.array([1.0]))
    assert found == pytest.approx(without, abs=1e-9)


def test_a_term_that_has_hardly_moved_takes_nothing_out_when_it_does() -> None:
    """Least squares would give what moved by a millionth any coefficient; then it moves by ten chips."""
    rng = np.random.default_rng(3)
    deals, changes = 4 * FIRST_BLOCK, 1e-6 * rng.normal(size=(4 * FIRST_BLOCK, 1))
    changes[-1] = 10.0
    payoffs, players = rng.normal(size=deals), np.zeros(deals, np.int64)

    found = corrected(Observations(payoffs, changes, np.arange(deals), players), np.ones(1))

    assert found[-1] == pytest.approx(payoffs[-1] - 10.0, abs=0.1)


def test_a_term_that_few_deals_tell_of_keeps_near_its_coefficient_fixed_beforehand() -> None:
    """Of 64 deals one has nearly all of Σx²: what happened in it is chance, and says nothing about others."""
    changes = np.full((FIRST_BLOCK, 1), 0.01)
    changes[::2] *= -1
    many = fit(3.0 * changes[:, 0], changes, np.zeros(FIRST_BLOCK, np.int64), np.ones(1))
    changes[7] = 10.0
    few = fit(3.0 * changes[:, 0], changes, np.zeros(FIRST_BLOCK, np.int64), np.ones(1))

    assert many == pytest.approx([1 + 2 * FIRST_BLOCK / (FIRST_BLOCK + 16)])
    assert few == pytest.approx([1 + 2 / 17], rel=0.02)
