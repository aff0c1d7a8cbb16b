"""What is counted of a player, shares and potentials of all combos at once."""

import json

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.hands.hand_rank import board_ranks, hand_rank
from engine.hands.hand_strength import UNIFORM_WEIGHTS, hand_potential, hand_strength
from engine.kernels.players import hand_features as kernels
from engine.kernels.poker.ranking import board_key, class_on_board
from engine.kernels.poker.tables import ranking_table
from engine.players.board_values import BoardValues, board_values, parts_below, strata_of_combos
from engine.players.statistics import Looseness, PlayerStatistics, PlayingStyle, numbers_of, style_as_meant
from engine.poker.cards import parse_written_cards
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, combo_cards, combo_index, combos_without
from engine.poker.rules import load_game, parse_betting
from tests.engine.players.hands import cards
from tests.oracles.hand_rank import hand_value

# --- strata -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", [(0, 17, 34), (3, 7, 20, 51), (8, 9, 22, 35, 48)])
def test_the_part_below_a_stratum_is_that_of_the_hands_which_beat_fewer(board: tuple[int, ...]) -> None:
    """By counting, for every combo, the others that it beats, half of those as good."""
    rng = np.random.default_rng(len(board))
    weights = rng.random(NUM_COMBOS)
    live = np.flatnonzero(combos_without(board))
    values = [hand_value((*COMBO_CARDS[combo].tolist(), *board)) for combo in live]
    order = sorted(set(values))
    ranks = np.array([order.index(value) for value in values])

    beaten = np.array([(ranks < rank).sum() + (ranks == rank).sum() / 2 for rank in ranks]) / len(ranks)

    expected = [weights[live][beaten**2 < bar / 16].sum() / weights[live].sum() for bar in range(17)]
    found = parts_below(strata_of_combos(board), weights * combos_without(board))
    assert (found[0], found[-1]) == (0, 1)
    assert found == pytest.approx(expected, abs=1e-9)


# --- statistics ---------------------------------------------------------------------------------------------

GAME = load_game("limit-3p")


def observed(*hands: tuple[str, int, float | None]) -> PlayerStatistics:
    statistics = PlayerStatistics()
    for betting, position, won in hands:
        statistics.observe_hand(parse_betting(GAME, betting), position, won)
    return statistics


def test_counts_of_a_showdown_and_of_a_fold_before_the_flop() -> None:
    # Three players: position 2 acts first before the flop, position 0 after it.
    statistics = observed(("rfc/cc/rc/cc", 2, 35.0), ("frc/cc/cc/cc", 2, 0.0))

    assert (statistics.hands, statistics.flops_seen, statistics.voluntary, statistics.preflop_raises) == (
        2, 1, 1, 1,
    )  # fmt: skip
    assert (statistics.showdowns, statistics.showdowns_won) == (1, 1)
    assert (statistics.bets_and_raises, statistics.calls, statistics.folds) == (1, 1, 1)


def test_a_check_is_no_call() -> None:
    statistics = observed(("ccc/ccc/ccc/ccc", 1, -10.0))  # the big blind, who only checks

    assert statistics.calls == 0
    assert (statistics.showdowns, statistics.showdowns_won) == (1, 0)


def test_a_player_who_only_raises_is_aggressive() -> None:
    """As Fig. 4.2 is meant: its code calls them passive."""
    assert style_as_meant(1, 1, 0, 1) is PlayingStyle.LOOSE_AGGRESSIVE


@pytest.mark.parametrize(
    ("flops", "raises", "calls", "style"),
    [
        (28, 3, 2, PlayingStyle.TIGHT_AGGRESSIVE), (28, 2, 2, PlayingStyle.TIGHT_PASSIVE),
        (29, 3, 2, PlayingStyle.LOOSE_AGGRESSIVE), (29, 0, 2, PlayingStyle.LOOSE_PASSIVE),
    ],
)  # fmt: skip
def test_the_four_styles(flops: int, raises: int, calls: int, style: PlayingStyle) -> None:
    """Poker Learner, Fig. 4.2, with 28 as per cent."""
    assert style_as_meant(100, flops, calls, raises) is style


def test_at_40_per_cent_flops_against_an_ideal_20_a_bet_counts_half() -> None:
    """Killer, "Opponent Model for the preflop itself", a)."""
    looseness = Looseness(flops_seen=40, hands=100)

    assert looseness.scaled_bets(1, 0.20) == pytest.approx(0.5)
    assert Looseness(flops_seen=10, hands=100).scaled_bets(1, 0.20) == pytest.approx(2)


def test_old_hands_fade_by_halving() -> None:
    looseness = Looseness(halve_after=10)
    for _ in range(9):
        looseness.observe(True)
    looseness.observe(False)

    assert (looseness.flops_seen, looseness.hands) == (4.5, 5)
    assert looseness.rate(0.2) == pytest.approx(0.9)


def test_statistics_survive_json() -> None:
    statistics = observed(("rfc/cc/rc/cc", 2, 35.0), ("frc/cc/cc/cc", 2, 0.0))

    assert numbers_of(PlayerStatistics, json.loads(json.dumps(attrs.asdict(statistics)))) == statistics


@pytest.mark.parametrize("wrong", [{}, {"hands": -1}, {"hands": "many"}])
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        numbers_of(PlayerStatistics, {**attrs.asdict(PlayerStatistics()), "looseness": None, **wrong})


# --- hand features ------------------------------------------------------------------------------------------


def random_boards(size: int, count: int) -> list[NDArray[np.uint8]]:
    """Any boards, and as many of few suits."""
    rng = np.random.default_rng(size)
    plain = [rng.choice(52, size, replace=False) for _ in range(count)]
    suited = [4 * rng.choice(13, size, replace=False) + rng.choice([1, 1, 1, 2], size) for _ in range(count)]
    return [board.astype(np.uint8) for board in plain + suited]


def shares_on(board: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Of all combos; nan for those that share a card with the board."""
    classes = np.empty(kernels.MAX_GROUPS, np.int32)
    counts = np.empty(kernels.MAX_GROUPS, np.int32)
    size, table = len(board), ranking_table()
    kernels.fill_class_counts(table, board, size, classes, counts)
    key = board_key(board, size)
    shares = np.full(NUM_COMBOS, np.nan)
    for combo, (a, b) in enumerate(COMBO_CARDS.tolist()):
        if a not in board and b not in board:
            rank = class_on_board(table, key, board, size, a, b)
            shares[combo] = kernels.share_of_class(classes, counts, size, rank)
    return shares


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_share_of_a_hand_is_counted_over_all_live_combos(size: int) -> None:
    """Ranked one by one; ties count half."""
    for board in random_boards(size, 4):
        ranks = board_ranks(board.tolist()).astype(np.int64)
        live = ranks[ranks != 0xFFFF]
        expected = [np.mean((live < rank) + 0.5 * (live == rank)) for rank in live]

        assert shares_on(board)[ranks != 0xFFFF] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_share_is_the_hand_strength_but_for_hands_with_our_cards(size: int) -> None:
    for board in random_boards(size, 6):
        values = board_values(tuple(board.tolist()))
        strengths = values.strengths(np.ones(NUM_COMBOS))
        live = values.free > 0

        differences = abs(shares_on(board) - strengths)[live]

        assert differences.mean() < 0.02
        assert differences.max() < 0.07


@pytest.mark.parametrize(("size", "bound"), [(3, 0.022), (4, 0.027)])
def test_the_potential_at_a_glance_is_the_enumerated_one_within_hundredths(size: int, bound: float) -> None:
    """On boards that the coefficients were not fitted to: mean absolute error and correlation."""
    completing = kernels.straight_completions()
    quick, exact, negative, usual = [], [], [], []
    for board in random_boards(size, 20)[:20]:
        values, shares = board_values(tuple(board.tolist())), shares_on(board)
        for combo in np.flatnonzero(values.free)[:: 7 if size == 3 else 11].tolist():
            a, b = COMBO_CARDS[combo].tolist()
            quick.append(kernels.quick_potential(completing, board, size, a, b, shares[combo]))
            exact.append(values.plain.positive[combo])
            usual.append(kernels.usual_negative_potential(size, shares[combo]))
            negative.append(values.plain.negative[combo])

    assert np.mean(np.abs(np.array(quick) - exact)) < bound
    assert np.corrcoef(quick, exact)[0, 1] > 0.85
    assert np.mean(np.abs(np.array(usual) - negative)) < 0.04


def test_straights_are_completed_by_the_ranks_that_complete_them() -> None:
    """Every mask of at most four ranks against the ranking of hands."""
    completing = kernels.straight_completions()
    for text, ranks in (
        ("5678", "49"),
        ("89JQ", "T"),
        ("2345", "A6"),
        ("A234", "5"),
        ("TJQK", "9A"),
        ("2479", ""),
    ):
        mask = sum(1 << "23456789TJQKA".index(rank) for rank in text)
        assert completing[mask] == sum(1 << "23456789TJQKA".index(rank) for rank in ranks)
        for rank in ranks:
            suits = "cdhsc"
            cards = parse_written_cards("".join(r + s for r, s in zip(text + rank, suits, strict=True)))
            assert hand_rank(cards) > hand_rank(parse_written_cards("AcAdAhKsQc"))  # beats three aces
    assert completing[0b111110] == 0  # there is one already


# --- board values -------------------------------------------------------------------------------------------


def exact_potentials(values: BoardValues, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """PPot of the live combos for one card to come, hand by hand as in Fig. 3.4."""
    live = [combo_cards(combo) for combo in np.flatnonzero(values.free).tolist()]
    return np.array([hand_potential(hole, values.board, weights, 1).positive for hole in live])


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("seed", range(4))
def test_every_combos_strength_is_that_of_the_function_for_one(size: int, seed: int) -> None:
    rng = np.random.default_rng((size, seed))
    board = tuple(int(card) for card in rng.choice(52, size, replace=False))
    weights = rng.random(1326) * (rng.random(1326) < 0.5)

    values = board_values(board)
    strengths = values.strengths(weights)

    for combo in rng.choice(np.flatnonzero(values.free), 60):
        assert strengths[combo] == pytest.approx(
            hand_strength(combo_cards(int(combo)), board, weights).value, abs=1e-9
        )


def test_only_combos_without_a_board_card_are_free() -> None:
    values = board_values(cards("JsTs2c"))

    assert values.free.sum() == 49 * 48 / 2
    assert not values.free[combo_index(*cards("JsAd"))]


@pytest.mark.parametrize("size", [3, 4])
def test_the_effective_hand_strength_is_near_the_exact_one(size: int) -> None:
    """Eq 3.6 with PPot reckoned card by card: .01 off on average, .06 at most."""
    rng = np.random.default_rng(size)
    for _ in range(3):
        board = tuple(int(card) for card in rng.choice(52, size, replace=False))
        values = board_values(board)
        live = values.free > 0
        exact = exact_potentials(values, None)
        strengths = values.strengths(UNIFORM_WEIGHTS)[live]

        difference = (1 - strengths) * (values.plain.positive[live] - exact)

        assert np.abs(difference).max() < 0.06
        assert abs(difference.mean()) < 0.02


def test_nothing_improves_on_the_river() -> None:
    values = board_values(cards("8h6c4hJs2d"))

    assert not values.plain.positive.any()
    assert not np.any(values.potentials(values.free))


def test_a_table_that_leaves_the_opponent_no_hand_gives_one_half() -> None:
    weights = np.zeros(1326)
    weights[combo_index(*cards("AsAh"))] = 1

    strengths = board_values(cards("8h6c4h")).strengths(weights)

    assert strengths[combo_index(*cards("AsKd"))] == 0.5
    assert strengths[combo_index(*cards("KsKd"))] == 0


def by_the_card(values: BoardValues, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the next card gains a combo and loses it, by the strengths on every longer board."""
    changes, met = np.zeros((2, NUM_COMBOS)), np.zeros(NUM_COMBOS)
    for card in set(range(52)) - set(values.board):
        longer = board_values((*values.board, card))
        left = weights * longer.free
        by_card = np.array([left[np.any(held == COMBO_CARDS, axis=1)].sum() for held in range(52)])
        here = (left.sum() - by_card[COMBO_CARDS].sum(axis=1) + left) * longer.free
        change = here * (longer.strengths(left) - values.strengths(left)) * longer.free
        changes += np.maximum(change, 0), np.maximum(-change, 0)
        met += here
    return changes / np.maximum(met, 1e-300)


@pytest.mark.parametrize("size", [3, 4])
def test_weighted_potentials_are_what_the_next_cards_change(size: int) -> None:
    rng = np.random.default_rng((7, size))
    values = board_values(tuple(int(card) for card in rng.choice(52, size, replace=False)))
    weights = values.free * rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.3)

    found = values.potentials(weights)

    gained, lost = by_the_card(values, weights)
    strengths = values.strengths(weights)
    assert (1 - strengths) * found.positive == pytest.approx(np.minimum(gained, 1 - strengths), abs=1e-9)
    assert strengths * found.negative == pytest.approx(np.minimum(lost, strengths), abs=1e-9)


def test_weighted_potentials_are_near_the_exact_ones_where_plain_ones_are_not() -> None:
    """Poki 3.3.3, against an opponent who holds a good hand: .01 off at most on average, without .015."""
    values = board_values(cards("8h6c4h"))
    weights = values.free * np.clip((values.strengths(values.free) - 0.6) / 0.2, 0.02, 1)
    live = values.free > 0
    exact = exact_potentials(values, weights)
    behind = 1 - values.strengths(weights)[live]

    weighted, plain = (
        float(np.abs(behind * (positive[live] - exact)).mean())
        for positive in (values.potentials(weights).positive, values.plain.positive)
    )

    assert weighted < 0.01 < 0.015 < plain
