"""Best responses in closed form, against the oracle and pair by pair; bounds on the exploitability."""

import attrs
import numpy as np
import pytest
from hypothesis import given, strategies as st

from engine.hands.equity import all_hand_equities, equity_against
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combo_index, combos_without
from engine.poker.rules import BettingState, load_game
from engine.solving.bounds.estimate import best_response_on_flops, count_turns
from engine.solving.bounds.local_response import OpponentRange, bet_value, call_value, hands_of
from engine.solving.bounds.players import AskedPlayer, BucketedPlayer
from engine.solving.bounds.river_round import RiverRound, rounds_of
from engine.solving.bounds.sample import Flop, draw_flops, next_cards
from engine.solving.bounds.values import Responder
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.support.arrays import Floats, Ints
from tests.oracles.public_chance import response_values
from tests.support.asserting import refuses

# --- values -------------------------------------------------------------------------------------------------

LIMIT = load_game("limit-2p")
ONE_RAISE = attrs.evolve(LIMIT, max_raises=(1, 1, 1, 1))
FLOP = tuple(sorted(parse_cards("2c7c9h")))
(TURN,) = parse_cards("Jc")
ALWAYS_CALL = AskedPlayer(lambda betting, board: [(0.0, 1.0, 0.0)])


def lead(board: tuple[int, ...]) -> Floats:
    """Chances of winning less those of losing against any hand, at the showdown."""
    return np.nan_to_num(2 * all_hand_equities(board, np.ones(NUM_COMBOS)) - 1) * combos_without(board)


@pytest.mark.parametrize("position", [0, 1])
def test_a_player_who_always_calls_pays_every_bet_of_a_better_hand(position: int) -> None:
    """Published and closed form: a bet in each round with a hand that wins more than it loses."""
    rounds = rounds_of(LIMIT)
    turns = (TURN,)

    found = Responder(rounds, ALWAYS_CALL, position).on_flop(
        Flop(FLOP, 1.0, (turns, turns), -1), lambda: None
    )

    board = (*FLOP, TURN)
    ahead = 1035 * lead(board)
    on_rivers = sum(990 / 44 * np.maximum(lead((*board, card)), 0) for card in range(52) if card not in board)
    for number, (staked, start) in enumerate(zip(rounds[1].staked, rounds[1].bettings, strict=True)):
        by_combo = staked * ahead + (10 + 20) * np.maximum(ahead, 0) + 20 * on_rivers
        raised = [actor for _, actor, action in start[0].steps() if action.kind == "r"]
        if 1 - position in raised:
            by_combo *= 0.0  # the opponent never gets there
        expected = np.bincount(STARTING_HAND_OF_COMBO, by_combo) * (1081 / 1035) * (22100 / 17296)
        assert found.in_sample[:, number] == pytest.approx(expected, rel=1e-4, abs=1.0)
    assert found.fitted is found.in_sample


def strategy(buckets: int, seed: int) -> BucketedStrategy:
    """Chances drawn by bucket, in a game with a raise a round."""
    abstraction = Percentiles(buckets)
    betting = holdem_betting(ONE_RAISE, abstraction.num_buckets)
    policy = np.random.default_rng(seed).random(betting.num_slots)
    for decision in betting.decisions.values():
        size, actions = betting.num_buckets[decision.betting_round], len(decision.actions)
        chances = policy[decision.first_slot : decision.first_slot + size * actions].reshape(size, actions)
        chances /= chances.sum(axis=1, keepdims=True)
    return BucketedStrategy(betting, abstraction, policy)


@pytest.mark.slow
@pytest.mark.parametrize("position", [0, 1])
def test_a_turn_is_worth_what_every_pair_of_hands_pays(position: int) -> None:
    """All 48 rivers, of which suits make 35; the opponent's reach is that of its play so far."""
    rounds = rounds_of(ONE_RAISE)
    chances = strategy(5, 1)
    response = Responder(rounds, BucketedPlayer(chances), position)
    board = (*FLOP, TURN)
    rng = np.random.default_rng(2)
    by_start = rng.random((169, len(rounds[2].bettings)))
    lanes = (by_start[STARTING_HAND_OF_COMBO] * combos_without(FLOP)[:, None]).astype(np.float32)

    found = response._on_turn(FLOP, TURN, lanes)

    rivers = [card for card in range(52) if card not in board]
    lane = 4
    start = rounds[2].bettings[lane][0]
    reach = lanes[:, lane].astype(np.float64) * combos_without(board)

    def says(betting: object, on: tuple[int, ...]) -> Floats:
        return chances.triples(betting, on)  # type: ignore[arg-type]

    # What follows the turn's betting is a mean over rivers, of which two players' cards leave 44.
    expected = response_values(start, board, rivers, says, position, reach, 1 / 44)
    assert found[:, lane] == pytest.approx(expected, rel=1e-4, abs=0.05)


def test_suits_alone_make_no_difference() -> None:
    """Rivers on a board of clubs and a heart: diamonds and spades stand for each other."""
    kinds = next_cards((*FLOP, TURN), (FLOP, (TURN,)))

    cards = [card for _, _, same in kinds for card in same]
    assert sorted(cards) == [card for card in range(52) if card not in (*FLOP, TURN)]
    assert sorted(len(same) for _, _, same in kinds) == [1] * 22 + [2] * 13
    for card, names, same in kinds:
        before = lead((*FLOP, TURN, card))
        for renamed, other in zip(names, same, strict=True):
            assert lead((*FLOP, TURN, other))[renamed] == pytest.approx(before)


def test_halves_are_drawn_evenly_and_by_themselves() -> None:
    flops = draw_flops(200, 6, np.random.default_rng(1))

    suits = np.array([len({card & 3 for card in flop.board}) for flop in flops])
    assert [(suits == number).sum() for number in (1, 2, 3)] == pytest.approx([10, 110, 80], abs=2)
    assert sum(flop.weight for flop in flops) == pytest.approx(1)
    assert [flop.half for flop in flops] == [0] * 100 + [1] * 100
    assert all(len(turns) == 3 and not set(turns) & set(flop.board) for flop in flops for turns in flop.turns)
    refuses(ValueError, r"expected 2, 4, 6 \.\.\. flops, got 3", draw_flops, 3, 6, np.random.default_rng(1))
    with pytest.raises(ValueError, match=r"expected 2, 4 \.\.\. 48 turns, or 49, which are all, got 5"):
        draw_flops(2, 5, np.random.default_rng(1))


# --- estimate -----------------------------------------------------------------------------------------------


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


# --- rivers -------------------------------------------------------------------------------------------------

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


# --- local response -----------------------------------------------------------------------------------------

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
    ] == [low, high]
    assert known.share(known.weights) == 0.5
    known.act(np.array([0.2, 0.0, 0.6]))
    assert known.share(known.weights) == pytest.approx(0.25)
