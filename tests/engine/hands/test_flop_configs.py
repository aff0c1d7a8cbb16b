"""Flop configurations, the book, Killer's tables digit by digit; the betting in arrays against the rules."""

from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from engine.hands.betting_arrays import action_from_number, betting_arrays, game_array, number_of_action
from engine.hands.equity import preflop_equities
from engine.hands.flop_configs import (
    BINS,
    OPPONENTS,
    SHARES,
    FlopBook,
    FlopConfig,
    binned,
    call_value,
    different_flops,
    flop_odds,
    flop_values,
    format_book,
    make_book,
    odds_against_more,
    odds_against_one,
    odds_on_final_boards,
    parse_book,
    raise_value,
    sampled_flops,
    shipped_book,
)
from engine.hands.hand_odds import raw_hand_odds
from engine.hands.pot_odds import BetToPotOdds, PotOdds, bettable_value
from engine.hands.preflop.first_bet import (
    ONE_CHIP_WITH_BLINDS,
    ONE_CHIP_ZERO_BLIND,
    SEATS,
    call_percentile,
    first_bet_percentile,
)
from engine.kernels.poker import betting as kernels
from engine.kernels.poker.betting import Node
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combo_index, parse_starting_hand
from engine.poker.rules import (
    CALL,
    FOLD,
    Action,
    CardDealer,
    GameDefinition,
    HandState,
    Rake,
    initial_hand,
    load_game,
)
from engine.poker.rules.hand_rank import hand_rank
from engine.support.arrays import Floats, Ints
from engine.support.files.archive import Archive, ArchiveError, decode_archive
from tests.support.asserting import refuses
from tests.support.hands.strategies import choices, choose, games

# --- flop configs -------------------------------------------------------------------------------------------

HANDS = ("AA", "AKs", "AKo", "JTs", "98s", "33", "22", "72o", "32o")
VALUES = {
    (2, 2): (3.1122, 2.0227, 1.9192, 1.4594, 1.1062, 1.2216, 1.0202, 0.5386, 0.4936),
    (2, 4): (4.5204, 2.7050, 2.5324, 1.8447, 1.4131, 1.3760, 1.0516, 0.6688, 0.5897),
}
"""EV against one opponent with any hand, by pot and bets: computed independently for the specification."""
RAW = (4.5204, 2.7045, 2.5320, 1.7528, 1.0801, 1.3693, 1.0334, -0.5416, -0.7697)
"""EVraw with a pot of 2 and bets of 4."""


def against_anybody(pot: float, bets: float) -> FlopConfig:
    return FlopConfig(1.0, 1, 1.0, pot, bets)


def test_there_are_1755_different_flops() -> None:
    flops, chances = different_flops()

    assert flops.shape == (1755, 3)
    assert chances.sum() == pytest.approx(1)
    assert set(np.round(chances * 22100).astype(int)) == {4, 12, 24}
    assert len({tuple(flop) for flop in flops.tolist()}) == 1755


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_values_over_all_flops_are_those_of_the_specification() -> None:
    flops, chances = different_flops()
    odds = np.array([flop_odds(flop, np.ones(NUM_COMBOS)) for flop in flops])

    def mean(values: Floats, hand: str) -> float:
        of_hand = values[:, parse_starting_hand(hand) == STARTING_HAND_OF_COMBO]
        weights = np.where(np.isnan(of_hand), 0.0, chances[:, None])
        return float(np.nansum(of_hand * weights) / weights.sum())

    for (pot, bets), expected in VALUES.items():
        values = flop_values(odds, pot, bets)
        assert [mean(values, hand) for hand in HANDS] == pytest.approx(expected, abs=6e-5)
    raw = odds * 6 - (1 - odds) * 4
    assert [mean(raw, hand) for hand in HANDS] == pytest.approx(RAW, abs=6e-5)


def test_the_shipped_book_says_the_same() -> None:
    """But for the one part of the flops in which the odds pass the price, and half precision."""
    book = shipped_book()

    for (pot, bets), expected in VALUES.items():
        values = [book.value(parse_starting_hand(hand), against_anybody(pot, bets)) for hand in HANDS]
        assert values == pytest.approx(expected, abs=0.02)


def test_22_wins_more_often_than_aks_and_is_worth_less() -> None:
    """Both of the paper's claims; and 98s passes the small pairs only because bad flops are folded."""
    book = shipped_book()
    aks, pair, threes, suited = map(parse_starting_hand, ("AKs", "22", "33", "98s"))
    config = against_anybody(2, 4)

    assert preflop_equities()[pair, aks] == pytest.approx(0.50107, abs=1e-5)
    assert book.value(aks, config) / book.value(pair, config) == pytest.approx(2.6, abs=0.05)
    assert book.value(suited, config) > book.value(threes, config) > book.value(pair, config)
    raw = [float((book.odds_against(hand, 1.0, 1) * 10 - 4).mean()) for hand in (suited, threes)]
    assert raw[0] < raw[1]


# --- values ------------------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.floats(0.1, 50), st.floats(0, 50), st.integers(1, 9), st.floats(0, 10))
def test_a_value_is_the_bettable_value(odds: float, pot: float, bets: float, n: int, rake: float) -> None:
    taken = Rake(rake, 3.0)
    expected = bettable_value(odds, pot + (n + 1) * bets, bets, taken)

    values = flop_values(np.array([odds]), pot, bets, n, taken)

    assert values[0] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.floats(0.5, 5), st.floats(0.5, 5))
def test_binning_keeps_the_mean_and_the_value_but_for_one_bin(seed: int, pot: float, bets: float) -> None:
    rng = np.random.default_rng(seed)
    odds = rng.random((50, NUM_COMBOS))
    odds[rng.random(odds.shape) < 0.1] = np.nan
    chances = rng.random(50)
    hand = parse_starting_hand("JTs")
    columns = odds[:, hand == STARTING_HAND_OF_COMBO]
    weights = np.where(np.isnan(columns), 0.0, chances[:, None])

    bins = binned(odds, chances)[hand].astype(np.float64)

    assert (np.diff(bins) >= -1e-6).all()
    assert bins.mean() == pytest.approx(np.nansum(columns * weights) / weights.sum(), abs=1e-6)
    exact = float(np.nansum(flop_values(columns, pot, bets) * weights) / weights.sum())
    kept = float(flop_values(bins, pot, bets).mean())
    assert kept <= exact + 1e-5
    assert kept >= exact - (pot + 2 * bets) * float(np.diff(bins).max() * 2 + 1e-6) / BINS


def test_chances_are_summed_and_divided_by_nothing() -> None:
    book = shipped_book()
    hand = parse_starting_hand("QJs")
    one, two = FlopConfig(0.75, 1, 0.5, 4.0, 2.5), FlopConfig(0.25, 2, 0.5, 6.0, 2.5)
    expected = 0.75 * book.value(hand, one) + 0.25 * book.value(hand, two)

    assert call_value(book, hand, [one, two], 1.0) == pytest.approx(expected - 1.0)
    # The same configuration in two halves is worth the same.
    half = attrs.evolve(one, chance=0.375)
    assert call_value(book, hand, [half, half, two], 1.0) == pytest.approx(expected - 1.0)
    # Three times in ten everybody folds to the raise.
    seen = [attrs.evolve(one, chance=0.5), attrs.evolve(two, chance=0.2)]
    raised = 0.3 * 1.5 + 0.5 * book.value(hand, one) + 0.2 * book.value(hand, two) - 0.7 * 2.0
    assert raise_value(book, hand, seen, 1.5, 2.0) == pytest.approx(raised)


def test_a_free_flop_is_always_worth_something() -> None:
    """ "Checking the big blind always has positive EV"."""
    book = shipped_book()

    for hand in range(169):
        assert call_value(book, hand, [FlopConfig(1.0, 2, 0.25, 3.0, 2.5)], 0.0) > 0


def test_rake_costs() -> None:
    book = shipped_book()
    configs = [FlopConfig(1.0, 1, 0.5, 4.0, 2.5)]
    hand = parse_starting_hand("KTs")

    assert call_value(book, hand, configs, 1.0, Rake(5, 3)) < call_value(book, hand, configs, 1.0)


def test_chances_that_do_not_add_up_are_refused() -> None:
    book = shipped_book()
    with pytest.raises(ValueError, match=r"add up to 0\.500000: expected 1"):
        call_value(book, 0, [FlopConfig(0.5, 1, 1.0, 2, 2)], 1.0)
    refuses(ValueError, "expected at most 1", raise_value, book, 0, [FlopConfig(1.1, 1, 1.0, 2, 2)], 1.0, 1.0)


def test_between_stereotypes_values_lie_between() -> None:
    book = shipped_book()
    hand = parse_starting_hand("A9o")
    values = [book.value(hand, FlopConfig(1.0, 1, share, 2, 2)) for share in (0.25, 0.35, 0.5)]

    assert values[0] < values[1] < values[2]
    among = [book.odds_against(hand, 0.5, callers).mean() for callers in (1, 2, 3, 4, 9)]
    assert among == sorted(among, reverse=True)
    assert among[3] == among[4]


# --- making it ---------------------------------------------------------------------------------------------


def test_odds_on_final_boards_are_those_of_the_range_trick_and_of_raw_odds() -> None:
    flop = parse_cards("Js8c4s")
    table = np.ones(NUM_COMBOS)

    odds = odds_on_final_boards(np.array(flop, np.uint8), [table])[0]

    assert odds[0] == pytest.approx(flop_odds(flop, table), abs=2e-3, nan_ok=True)
    ours = parse_cards("AsTs")
    raw = raw_hand_odds(ours, flop, 4)
    for column, number in enumerate(OPPONENTS):
        assert odds[column, combo_index(*ours)] == pytest.approx(raw[number - 1], abs=0.01)


def test_a_book_is_read_as_it_was_written() -> None:
    book = shipped_book()
    again = parse_book(format_book(book))

    assert (again.odds == book.odds).all()
    assert again.made_by == book.made_by
    assert book.odds.shape == (len(SHARES), len(OPPONENTS), 169, BINS)
    assert not book.odds.flags.writeable


@pytest.mark.parametrize(
    ("schema", "meta", "odds", "words"),
    [
        (99, {}, None, "newer riverboat: schema 99, this one reads up to 1"),
        (1, {}, np.zeros(3), "'odds', an array of shape"),
        (1, {}, np.full((4, 3, 169, BINS), 1.5), "from 0 to 1"),
        (1, {}, np.full((4, 3, 169, BINS), np.nan), "from 0 to 1"),
        (1, {"shares": [0.1, 0.2]}, None, "expected opponents"),
    ],
)
def test_another_file_is_refused(schema: int, meta: dict[str, Any], odds: Any, words: str) -> None:
    book = decode_archive(format_book(shipped_book()), "riverboat flop book", 1, "the book")
    arrays = book.arrays if odds is None else {"odds": odds}

    with pytest.raises(ArchiveError, match=f"flop book.* {words}"):
        parse_book(Archive(book.kind, schema, {**book.meta, **meta}, arrays).encode())


def test_a_tiny_book_has_the_right_form() -> None:
    """Four flops for one opponent, one for more: whatever is made can be read."""
    against_one = [odds_against_one(share, every=500) for share in SHARES]
    against_more = odds_against_more(sampled_flops(2))
    book = make_book("a test", against_one, against_more)

    assert against_more.shape == (2, len(SHARES), len(OPPONENTS) - 1, NUM_COMBOS)
    assert isinstance(parse_book(format_book(book)), FlopBook)
    assert book.odds[:, 0].tolist() == np.array(against_one).tolist()


def test_sampled_flops_are_spread_over_all() -> None:
    flops, chances = different_flops()
    places = [flops.tolist().index(flop) for flop in sampled_flops(240).tolist()]

    assert places == sorted(places)
    assert np.diff([0.0, *np.cumsum(chances)[places]]).max() < 2 / 240


# --- betting arrays -----------------------------------------------------------------------------------------

NAMES = ["limit-2p", "limit-3p", "limit-6p", "nolimit-2p", "nolimit-2p-100bb", "nolimit-3p", "nolimit-6p"]


def check_hand(game: GameDefinition, picks: list[int]) -> None:
    """Play one hand by the rules and in arrays; everything agrees at every step."""
    rules = game_array(game)
    spent, node = np.zeros(kernels.MAX_PLAYERS, np.int64), np.zeros(kernels.NODE_SIZE, np.int64)
    state = initial_hand(game, 0, CardDealer(game, 7).deal())
    kernels.begin_betting(rules, spent, node)
    for step in range(1000):
        expected_spent, expected_node = betting_arrays(state.betting)
        assert spent.tolist() == expected_spent.tolist()
        if state.is_finished:
            ended = [Node.TO_ACT, Node.FOLDED, Node.ROUND, Node.MAX_SPENT]
            assert node[ended].tolist() == expected_node[ended].tolist()
            break
        assert node.tolist() == expected_node.tolist()
        legal = state.legal_actions()
        found = kernels.legal_raise(rules, spent, node)
        assert found == (legal.min_raise_to or 0, legal.max_raise_to or 0)
        action = choose(picks[step], legal) if step < len(picks) else CALL
        number = number_of_action(action, state.betting)
        assert action_from_number(number, game.is_limit) == action
        kernels.apply_action(rules, spent, node, number)
        state = state.apply(action)
    else:
        pytest.fail("the hand does not end")
    check_settling(game, state, spent, int(node[Node.FOLDED]))


def check_settling(game: GameDefinition, state: HandState, spent: Ints, folded: int) -> None:
    ranks = np.zeros(kernels.MAX_PLAYERS, np.int64)
    if state.betting.is_showdown:
        by_rank = {hand_rank((*cards, *state.board)) for cards in state.deal.hole_cards}
        order = sorted(by_rank)
        for position, cards in enumerate(state.deal.hole_cards):
            ranks[position] = order.index(hand_rank((*cards, *state.board)))
    won = np.zeros(kernels.MAX_PLAYERS)
    scratch = np.zeros(kernels.MAX_PLAYERS, np.int64)
    kernels.settle(game_array(game), spent, folded, ranks.astype(np.uint16), scratch, won)
    assert won[: game.num_players] == pytest.approx(state.chips_won())


@settings(max_examples=150, deadline=None)
@given(games(), choices)
def test_any_hand_of_any_game_goes_as_by_the_rules(game: GameDefinition, picks: list[int]) -> None:
    assume(not game.is_limit or min(game.raise_sizes) > 0)

    check_hand(game, picks)


@pytest.mark.parametrize("name", NAMES)
def test_hands_of_packaged_games_go_as_by_the_rules(name: str) -> None:
    game = load_game(name)
    rng = np.random.default_rng(3)

    for _ in range(40):
        check_hand(game, rng.integers(0, 1 << 16, 60).tolist())


def test_actions_have_the_numbers_that_kernels_know() -> None:
    betting = initial_hand(load_game("limit-2p"), 0, CardDealer(load_game("limit-2p"), 1).deal()).betting

    assert number_of_action(FOLD, betting) == kernels.FOLD
    assert number_of_action(CALL, betting) == kernels.CALL
    assert number_of_action(betting.legal_actions().raising_to(), betting) == 20
    assert isinstance(action_from_number(20, True), Action)


# --- first bet ----------------------------------------------------------------------------------------------

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
