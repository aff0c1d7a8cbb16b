"""Pot odds as the papers work them out; the preflop game solved exactly, and roll-outs against Table 3.1."""

import itertools
import json
from collections.abc import Callable

import numpy as np
import pytest
import scipy
from hypothesis import assume, given, strategies as st

from engine.hands.equity import preflop_equities_against_random
from engine.hands.pot_odds import (
    BetToPotOdds,
    FurtherBets,
    PotOdds,
    StraightPlay,
    bet_to_pot_odds,
    bettable_value,
    expected_value,
    immediate_pot_odds,
    implied_odds,
    implied_odds_of_raise,
    is_callable,
    raise_odds,
    return_on_investment,
    straight_play,
)
from engine.hands.preflop.game import (
    Fork,
    Matchups,
    PreflopGame,
    Showdown,
    call_or_fold_game,
    differences,
    exact_matchups,
    exploitability,
    game_value,
    iterated_strategy,
    limit_game,
    sampled_matchups,
    solve,
)
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
from engine.poker.rules import Rake
from engine.support.arrays import Floats
from engine.support.files.archive import ArchiveError
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.poki_table_3_1 import TABLE_3_1

# --- pot odds -----------------------------------------------------------------------------------------------

chips = st.floats(min_value=0.5, max_value=1e4)
probabilities = st.floats(min_value=0, max_value=1)


def test_ten_dollars_into_fifty_need_one_win_in_six() -> None:
    assert round(immediate_pot_odds(50, 10).value, 3) == 0.167


def test_calling_ten_into_fifty_earns_and_loses_what_poki_says() -> None:
    assert return_on_investment(0.32, 50, 10) == pytest.approx(9.20)
    assert return_on_investment(0.15, 50, 10) == pytest.approx(-1.00)


def test_four_dollars_into_sixteen_in_both_conventions() -> None:
    odds = bet_to_pot_odds(4, 16)

    assert odds == BetToPotOdds(0.25)
    assert odds.as_pot_odds().value == pytest.approx(0.20)
    assert immediate_pot_odds(16, 4).value == pytest.approx(0.20)


def test_one_more_call_on_the_river_makes_it_eight_for_twenty() -> None:
    assert implied_odds(16, 4, FurtherBets(won_when_ahead=4, lost_when_behind=4)) == BetToPotOdds(0.40)


def test_a_draw_that_folds_when_it_misses_is_cheaper_and_a_made_hand_that_pays_dearer() -> None:
    draw = implied_odds(16, 4, FurtherBets(won_when_ahead=4))
    made = implied_odds(16, 4, FurtherBets(lost_when_behind=4))

    assert draw == BetToPotOdds(4 / 20)
    assert made == BetToPotOdds(8 / 16)
    assert draw < bet_to_pot_odds(4, 16) < made


def test_the_two_conventions_cannot_be_compared_by_mistake() -> None:
    assert PotOdds(0.25) != BetToPotOdds(0.25)  # type: ignore[comparison-overlap]
    with pytest.raises(TypeError):
        _ = PotOdds(0.2) < BetToPotOdds(0.25)  # type: ignore[operator]


def test_a_flush_draw_against_two_calls_but_does_not_raise() -> None:
    # Killer, "Check or Bet?": $4 into $40, a quarter to win; a raise needs one win in three.
    implied = bet_to_pot_odds(4, 40)
    raising = raise_odds(2, bet=4)

    assert implied == BetToPotOdds(0.10)
    assert raising == BetToPotOdds(0.50)
    assert raising.as_pot_odds().value == pytest.approx(1 / 3)
    assert is_callable(0.25, implied)
    assert not is_callable(0.25, raising)
    assert straight_play(0.25, implied, raising) is StraightPlay.CALL
    assert straight_play(0.25, implied, raising, facing_bet=False) is StraightPlay.CHECK
    # ... although against the whole pot even the raise has its odds.
    assert is_callable(0.25, implied_odds_of_raise(40, 4, 4, callers=2))


def test_the_same_draw_against_four_raises() -> None:
    assert straight_play(0.25, bet_to_pot_odds(4, 40), raise_odds(4)) is StraightPlay.RAISE
    assert straight_play(0.25, bet_to_pot_odds(4, 40), raise_odds(4), facing_bet=False) is StraightPlay.BET
    assert straight_play(0.25, bet_to_pot_odds(4, 40), None) is StraightPlay.CALL


def test_without_odds_for_the_pot_straight_play_folds_or_checks() -> None:
    dear = bet_to_pot_odds(4, 8)

    assert straight_play(0.25, dear, raise_odds(9)) is StraightPlay.FOLD
    assert straight_play(0.25, dear, raise_odds(9), facing_bet=False) is StraightPlay.CHECK


@given(pot=chips, call=chips)
def test_the_two_conventions_are_one_price(pot: float, call: float) -> None:
    ratio = bet_to_pot_odds(call, pot)

    assert ratio.as_pot_odds().value == pytest.approx(immediate_pot_odds(pot, call).value)


@given(
    chance=probabilities,
    pot=chips,
    call=chips,
    won=st.floats(min_value=0, max_value=100),
    lost=st.floats(min_value=0, max_value=100),
)
def test_a_call_earns_exactly_when_the_odds_say_so(
    chance: float, pot: float, call: float, won: float, lost: float
) -> None:
    further = FurtherBets(won, lost)
    value = return_on_investment(chance, pot, call, further=further)
    assume(abs(value) > 1e-6)

    assert is_callable(chance, implied_odds(pot, call, further)) == (value > 0)


@given(chance=probabilities, pot=chips, call=chips, raised=chips, callers=st.integers(1, 9))
def test_odds_for_the_pot_and_for_the_raise_are_odds_for_both_together(
    chance: float, pot: float, call: float, raised: float, callers: int
) -> None:
    if straight_play(chance, bet_to_pot_odds(call, pot), raise_odds(callers, raised)) is StraightPlay.RAISE:
        together = implied_odds_of_raise(pot, call, raised, callers)
        assert chance >= together.as_pot_odds().value * (1 - 1e-12)


def test_the_rake_is_a_percentage_up_to_a_cap() -> None:
    rake = Rake(percent=5, cap=3)

    assert rake.amount(40) == pytest.approx(2)
    assert rake.amount(100) == 3
    assert Rake().amount(100) == 0


def test_rake_lowers_what_a_win_is_worth_and_nothing_else() -> None:
    rake = Rake(percent=5, cap=3)

    assert return_on_investment(0.32, 50, 10, rake=rake) == pytest.approx(9.20 - 0.32 * 3)
    assert expected_value(0.5, 60, 10, rake) == pytest.approx(0.5 * (60 - 10 - 3) - 0.5 * 10)
    assert expected_value(0.0, 60, 10, rake) == -10


def test_a_situation_that_loses_is_folded_and_worth_nothing() -> None:
    assert expected_value(0.1, 60, 10) == pytest.approx(-4)
    assert bettable_value(0.1, 60, 10) == 0
    assert bettable_value(0.32, 60, 10) == pytest.approx(9.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: immediate_pot_odds(0, 0), "both 0"), (lambda: immediate_pot_odds(-1, 2), "pot is -1"),
        (lambda: bet_to_pot_odds(1, 0), "empty"), (lambda: PotOdds(1.5), "between 0 and 1"),
        (lambda: BetToPotOdds(-0.1), "at least 0"), (lambda: BetToPotOdds(float("nan")), "at least 0"),
        (lambda: Rake(101), "0 to 100"),
        (lambda: Rake(5, -1), "cap"), (lambda: raise_odds(0), "empty"),
        (lambda: is_callable(2, BetToPotOdds(1)), "probability"),
        (lambda: expected_value(0.5, 5, 10), "cannot hold"),
    ],
)  # fmt: skip
def test_impossible_numbers_are_refused(call: Callable[[], object], message: str) -> None:
    refuses(ValueError, message, call)


# --- preflop game -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def matchups() -> Matchups:
    return exact_matchups()


def test_matchups_are_a_distribution_and_a_zero_sum(matchups: Matchups) -> None:
    assert matchups.met.sum() == pytest.approx(1)
    assert matchups.balance.sum() == pytest.approx(0, abs=1e-12)
    assert matchups.met == pytest.approx(matchups.met.T)


def test_sampled_matchups_approach_the_exact_ones(matchups: Matchups) -> None:
    sampled = sampled_matchups(500_000, np.random.default_rng(1))
    shares = (sampled.balance.sum(axis=1) / sampled.met.sum(axis=1) + 1) / 2

    assert sampled.met.sum() == pytest.approx(1)
    assert np.abs(shares - preflop_equities_against_random()).max() < 0.05


def test_the_limit_tree_is_that_of_limit_hold_em() -> None:
    histories = [node.history for node in limit_game().decisions()]

    assert sorted(histories) == sorted(["", "c", "r", "cr", "rr", "crr", "rrr", "crrr"])
    by_history = {node.history: node for node in limit_game().decisions()}
    assert by_history["c"].actions == ("call", "raise")
    assert by_history["rrr"].actions == ("fold", "call")
    assert [by_history[history].position for history in ("", "c", "cr", "rr")] == [0, 1, 0, 0]
    assert by_history["crrr"].children[1] == Showdown(4.0)


def test_the_small_blind_s_first_fold_costs_half_a_bet() -> None:
    fold = np.zeros((3, 169))
    fold[0] = 1
    game = limit_game()
    strategy = {
        node.history: np.full((len(node.actions), 169), 1 / len(node.actions)) for node in game.decisions()
    }
    strategy[""] = fold

    assert game_value(game, strategy, exact_matchups()) == pytest.approx(-0.5)


def test_a_game_of_one_decision_is_solved_by_comparing_two_numbers(matchups: Matchups) -> None:
    # The big blind has called blindly: the small blind plays exactly the hands that earn more than folding.
    only = Fork("", 0, ("fold", "call"), (call_or_fold_game().root.children[0], Showdown(2.0)))
    strategy = solve(PreflopGame("one decision", only), matchups, max_exploitability=1e-9)

    worth_it = 2 * (2 * preflop_equities_against_random() - 1) > -0.5
    assert (strategy[""][1] > 0.5).tolist() == worth_it.tolist()


def test_call_or_fold_is_solved_and_iterated_roll_outs_are_near_optimal_in_it(matchups: Matchups) -> None:
    game = call_or_fold_game()
    optimal = solve(game, matchups)
    iterated = iterated_strategy(game, np.random.default_rng(1))
    different = differences(game, iterated, optimal, matchups)

    assert exploitability(game, optimal, matchups) <= 0.01
    assert exploitability(game, iterated, matchups) < 1.0
    assert len(different) <= 10
    assert all(difference.cost < 100 for difference in different)
    assert 1000 * game_value(game, optimal, matchups) == pytest.approx(9.5, abs=0.1)


def test_the_limit_game_is_solved_and_iterated_roll_outs_are_less_near_in_it(matchups: Matchups) -> None:
    game = limit_game()
    optimal = solve(game, matchups, max_exploitability=0.1)
    generations = iterated_strategy(game, np.random.default_rng(1))
    cumulative = iterated_strategy(game, np.random.default_rng(1), cumulative=True)
    different = differences(game, cumulative, optimal, matchups)

    assert exploitability(game, optimal, matchups) <= 0.1
    assert optimal[""][0, parse_starting_hand("72o")] > 0.99
    assert optimal[""][2, parse_starting_hand("AA")] + optimal[""][1, parse_starting_hand("AA")] > 0.999
    assert exploitability(game, generations, matchups) < 200
    assert exploitability(game, cumulative, matchups) < 60
    assert different
    assert [difference.cost for difference in different] == sorted([d.cost for d in different], reverse=True)


def test_no_single_change_of_action_beats_the_solution(matchups: Matchups) -> None:
    game = call_or_fold_game()
    optimal = solve(game, matchups)
    value = game_value(game, optimal, matchups)

    for hand, action in itertools.product((0, 40, 85, 168), (0, 1)):
        changed = {history: chances.copy() for history, chances in optimal.items()}
        changed[""][:, hand] = 0
        changed[""][action, hand] = 1
        assert game_value(game, changed, matchups) <= value + 2e-5


def test_what_cannot_be_solved_is_refused(matchups: Matchups) -> None:
    refuses(ValueError, "trials", sampled_matchups, 0, np.random.default_rng(1))
    with pytest.raises(RuntimeError, match="not within"):
        solve(limit_game(), matchups, max_exploitability=1e-9, max_iterations=50)


# --- roll outs ----------------------------------------------------------------------------------------------

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

    correlation = scipy.stats.spearmanr(rates.rates[HANDS], ITERATED).statistic
    assert correlation >= 0.9
    assert (rates.rates[HANDS] > 0).all()
    assert int((rates.rates > 0).sum()) < 50
    assert rates.rates.argmax() == parse_starting_hand("AA")


def test_the_shipped_iterated_column_ranks_the_hands_as_table_3_1_does() -> None:
    rates = shipped_tables().table(10).iterated

    assert scipy.stats.spearmanr(rates[HANDS], ITERATED).statistic >= 0.94
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


def test_aces_have_their_published_share_against_nine() -> None:
    aces, ten = parse_starting_hand("AA"), shipped_tables().table(10)
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


@pytest.mark.parametrize(("change", "message"), cases(__file__, "other files are refused"))
def test_other_files_are_refused(change: dict[str, object], message: str) -> None:
    data = json.loads(format_tables(shipped_tables()))
    del data["digest"]  # as in the text that ships

    refuses(ArchiveError, message, parse_tables, json.dumps(data | change))


def test_numbers_out_of_range_are_refused() -> None:
    rng = np.random.default_rng(1)
    refuses(ValueError, "players", roll_out_income_rates, 11, 10, rng)
    refuses(ValueError, "trials", roll_out_income_rates, 3, 0, rng)
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
