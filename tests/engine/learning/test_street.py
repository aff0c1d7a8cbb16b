"""The learner for the whole hand: it plays by the rules, and learns what can be worked out."""

import numpy as np
import pytest

from engine.hands.betting_arrays import action_from_number, betting_arrays, game_array
from engine.kernels.learning import action_values as kernels, situations
from engine.kernels.learning.scripted_players import ScriptKind, ScriptTrait
from engine.kernels.learning.situations import Counter
from engine.kernels.learning.street import RECORD_SIZE, Record
from engine.kernels.poker import betting
from engine.learning import street as street_learning
from engine.learning.deal_pool import DealPool
from engine.learning.street import (
    ActionValues,
    exploration,
    num_situations,
    num_styles,
    play,
    population,
    train,
)
from engine.poker.rules import Deal, GameDefinition, initial_hand, load_game, parse_betting
from engine.poker.rules.betting import BettingState
from engine.support.arrays import Floats
from tests.engine.learning.pools import (
    BY_STRENGTH,
    CALLER,
    FORMER_SELF,
    RANDOM,
    actions_and_cells,
    small_pool,
)
from tests.support.asserting import refuses

GAMES = ["limit-2p", "nolimit-2p", "nolimit-2p-100bb", "limit-3p", "nolimit-6p"]


def mean(won: Floats, game: GameDefinition) -> float:
    """Big blinds a hand."""
    return float(won.mean()) / game.big_blind


def trained(game: GameDefinition, hands: int, seed: int, opponents: Floats) -> ActionValues:
    learnt = ActionValues.unlearnt(game)
    for _ in train(learnt, small_pool(game.num_players), hands, seed, opponents=opponents):
        pass
    return learnt


# --- the rules ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_what_the_kernel_plays_is_legal_and_pays_what_the_rules_say(name: str) -> None:
    game = load_game(name)
    pool = small_pool(game.num_players)
    learnt = ActionValues.unlearnt(game)
    opponents = population(300, game.is_limit, np.random.default_rng(1))
    for _ in train(learnt, pool, 10_000, 1, opponents=opponents):
        pass
    record = np.zeros((450, RECORD_SIZE), np.int64)

    won = play(learnt, pool, 450, 2, opponents, record=record)

    raises = 0
    for hand, chips in zip(record, won, strict=True):
        state = initial_hand(game, 0, deal_of(pool, hand[Record.DEAL]))
        for number in actions_and_cells(hand)[0].tolist():
            action = action_from_number(number, game.is_limit)
            assert action in state.legal_actions()
            raises += number > 0
            state = state.apply(action)
        assert state.is_finished
        assert state.chips_won()[hand[Record.POSITION]] == pytest.approx(chips)
    assert raises > 150


def deal_of(pool: DealPool, deal: int) -> Deal:
    return Deal(tuple(map(tuple, pool.hole_cards[deal].tolist())), tuple(pool.boards[deal].tolist()))


def test_seats_move_around_the_table() -> None:
    record = np.zeros((6, RECORD_SIZE), np.int64)

    play(ActionValues.unlearnt(load_game("limit-3p")), small_pool(3), 6, 2, CALLER, record=record)

    # As in the arena: seat 0 has position 0 in the first hand, and moves back by one with each.
    assert record[:, Record.POSITION].tolist() == [0, 2, 1, 0, 2, 1]


# --- what a situation is -----------------------------------------------------------------------------------


def situation(name: str, text: str, bucket: int = 3) -> int:
    game = load_game(name)
    return situations.situation_index(game_array(game), *betting_arrays(parse_betting(game, text)), bucket)


def test_situations_are_numbered_without_gaps_or_overlaps() -> None:
    for name in ("limit-2p", "nolimit-2p", "limit-3p", "nolimit-6p"):
        game = load_game(name)
        learnt = ActionValues.unlearnt(game)

        assert learnt.values.shape[0] == num_situations(game) * num_styles(game.num_players)
        assert 0 <= situation(name, "", 0) < situation(name, "", 15) < num_situations(game)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("limit-2p", "", "r"),  # a raise in this round
        ("limit-2p", "r", "rr"),  # two
        ("limit-2p", "cc/", "rc/"),  # who raised before, and the pot
        ("limit-2p", "crc/", "rc/"),  # we or the other one
        ("limit-2p", "rc/", "rc/c"),  # first or last to act
        ("limit-2p", "rc/", "rc/cc/"),  # betting round
        ("nolimit-2p", "r200c/", "r200c/c"),
        ("nolimit-2p", "r200c/r400", "r200c/r600"),  # the price: half the pot, the pot
        ("nolimit-2p", "r200c/", "r9000c/"),  # what is behind
        ("nolimit-6p", "", "ff"),  # position
        ("limit-3p", "ccc/cc", "ccc/rc"),
    ],
)
def test_these_situations_are_told_apart(name: str, one: str, other: str) -> None:
    assert situation(name, one) != situation(name, other)


def test_these_situations_are_not_told_apart() -> None:
    # Bets of nearly the same size, and what was bet in rounds before the last raise.
    assert situation("nolimit-2p", "r200c/r400") == situation("nolimit-2p", "r200c/r410")
    assert situation("limit-2p", "rc/cc/") == situation("limit-2p", "cc/crc/")
    assert situation("nolimit-2p", "r300c/") == situation("nolimit-2p", "r310c/")


def test_the_number_of_opponents_counts_with_three_players() -> None:
    assert situation("limit-3p", "ccc/") != situation("limit-3p", "fcc/")


def style(folds: float, faced: float, raises: float, chances: float, num_players: int = 2) -> int:
    counters = np.zeros((betting.MAX_PLAYERS, situations.NUM_COUNTERS))
    counters[1] = faced, folds, chances, raises
    return situations.style_of(counters, 0, 0, num_players)


def test_styles_go_from_tight_and_passive_to_loose_and_aggressive() -> None:
    assert style(0, 10, 0, 10) == 0  # not known yet
    assert style(30, 40, 0, 40) == 1  # folds, never raises
    assert style(0, 40, 0, 40) == 17  # calls everything
    assert style(0, 40, 40, 40) == 20  # raises everything
    assert style(0, 40, 40, 40) == num_styles(2) - 1
    assert style(0, 40, 40, 40, 6) == num_styles(6) - 1
    loose = [style(100 - stays, 100, 0, 100) for stays in range(0, 101, 5)]
    assert loose == sorted(loose)
    pressing = [style(0, 100, raises, 100) for raises in range(0, 101, 5)]
    assert pressing == sorted(pressing)


def test_a_player_who_has_folded_has_no_style_any_more() -> None:
    counters = np.zeros((betting.MAX_PLAYERS, situations.NUM_COUNTERS))
    counters[1] = 40, 0, 40, 40
    counters[2] = 40, 40, 40, 0

    assert situations.style_of(counters, 0, 0b100, 3) == num_styles(3) - 1
    assert situations.style_of(counters, 0, 0b010, 3) == 1


def test_old_decisions_of_a_player_fade() -> None:
    game = load_game("limit-2p")
    arrays = betting_arrays(parse_betting(game, ""))
    counters = np.zeros(situations.NUM_COUNTERS)
    for action in [betting.FOLD] * 1000 + [20] * 2000:
        situations.count_decision(counters, game_array(game), *arrays, action)

    assert counters[Counter.FACED] <= situations.FADES_AFTER
    assert counters[Counter.FOLDED] / counters[Counter.FACED] < 0.05
    assert counters[Counter.RAISED] / counters[Counter.COULD_RAISE] > 0.95


# --- what can be done, and what it is worth ----------------------------------------------------------------


def considered(learnt: ActionValues, state: BettingState, strength: float = 0.5) -> kernels.Offers:
    """What may be done, and what it is worth with a hand of bucket 5."""
    offers = kernels.Offers(np.zeros(kernels.NUM_OFFERS, np.int64), np.zeros(kernels.NUM_OFFERS))
    counters = np.zeros((betting.MAX_PLAYERS, situations.NUM_COUNTERS))
    arrays = betting_arrays(state)
    hand, prior = kernels.Hand(5, strength), kernels.Prior(10.0, 30.0)
    kernels.consider(game_array(learnt.game), *arrays, counters, hand, learnt.by_cell, prior, offers)
    return offers


def offers(name: str, text: str) -> list[int]:
    game = load_game(name)
    actions: list[int] = considered(ActionValues.unlearnt(game), parse_betting(game, text)).actions.tolist()
    return actions


def test_raises_are_by_half_the_pot_by_the_pot_and_all_in() -> None:
    none = kernels.NOT_OFFERED
    # 100 to call 100, so that the pot is 400 when it is called.
    assert offers("nolimit-2p", "r200") == [-1, 0, 400, 600, 20000]
    assert offers("nolimit-2p", "cc/") == [none, 0, 200, 300, 20000]
    assert offers("nolimit-2p", "r19000c/") == [none, 0, none, none, 20000]
    assert offers("nolimit-2p", "r20000") == [-1, 0, none, none, none]
    assert offers("limit-2p", "r") == [-1, 0, 30, none, none]
    assert offers("limit-2p", "rrr") == [-1, 0, none, none, none]


def test_every_offer_is_legal() -> None:
    rng = np.random.default_rng(8)
    for name in GAMES:
        game = load_game(name)
        learnt = ActionValues.unlearnt(game)
        for _ in range(100):
            betting_state = parse_betting(game, "")
            while not betting_state.is_finished:
                found = considered(learnt, betting_state).actions.tolist()
                offered = [number for number in found if number != kernels.NOT_OFFERED]
                assert len(set(offered)) == len(offered)
                actions = [action_from_number(number, game.is_limit) for number in offered]
                assert all(action in betting_state.legal_actions() for action in actions)
                assert betting_state.legal_actions().can_raise == (max(offered) > 0)
                betting_state = betting_state.apply(actions[rng.integers(len(actions))])


def values_of(text: str, strength: float, learnt: ActionValues) -> list[float]:
    values: list[float] = considered(learnt, parse_betting(learnt.game, text), strength).values.tolist()
    return values


def test_a_learner_that_has_learnt_nothing_values_the_showdown() -> None:
    learnt = ActionValues.unlearnt(load_game("nolimit-2p"))

    # 300 in the pot, 100 to call: with half of the hands 200 of 400 for 100, and so on with every raise.
    assert values_of("r200", 0.5, learnt) == pytest.approx(
        [0, (200 - 100) / 300, (400 - 300) / 300, (600 - 500) / 300, (20000 - 19900) / 300]
    )
    assert values_of("r200", 0.1, learnt)[1] == pytest.approx((40 - 100) / 300)


def test_what_was_seen_often_counts_for_more() -> None:
    game = load_game("limit-2p")
    learnt = ActionValues.unlearnt(game)
    cell = situation("limit-2p", "r", 5)
    learnt.values[cell] = [0.7, -1.5]
    learnt.counts[cell] = [10, 1_000_000]

    folding, calling, raising, *_ = values_of("r", 0.5, learnt)

    assert folding == 0
    # Half of what the showdown says, (20 - 10) / 30, and half of what was seen.
    assert calling == pytest.approx((1 / 3 + 0.7) / 2)
    assert raising == pytest.approx(-1.5, abs=1e-4)


def test_steps_are_the_counts_to_the_power() -> None:
    learnt = kernels.CellValues(np.zeros((2, 2), np.float32), np.zeros((2, 2), np.int32))
    expected = 0.0
    for number, target in enumerate([1.0, -2.0, 4.0, 0.5], start=1):
        kernels.learn(learnt, 1, kernels.Offer.RAISE, target, 0.8)
        expected += (target - expected) / number**0.8
    kernels.learn(learnt, 1, kernels.Offer.FOLD, 9.0, 0.8)

    assert learnt.values.tolist() == [[0, 0], [0, pytest.approx(expected)]]
    assert learnt.counts.tolist() == [[0, 0], [0, 4]]


# --- learning ----------------------------------------------------------------------------------------------


def test_the_best_answer_to_a_caller_is_found() -> None:
    """Against a player who calls everything each round has one decision that matters, whatever was done
    before: a bet wins ``2 * equity - 1`` of its size.  So the best that can be done with the buckets is the
    sum over rounds and buckets of what is positive; with the cards themselves, that over the cards.
    """
    game, pool = load_game("limit-2p"), small_pool()
    edge = 2.0 * pool.strengths[:, 0] / 255 - 1
    by_buckets = by_cards = 0.0
    for betting_round, size in enumerate(game.raise_sizes):
        edges, buckets = edge[:, betting_round], pool.buckets[:, 0, betting_round]
        sums = np.bincount(buckets, weights=edges)
        by_buckets += size * np.maximum(sums, 0).sum() / len(pool) / game.big_blind
        by_cards += size * np.maximum(edges, 0).mean() / game.big_blind
    assert by_buckets < by_cards < 1.01 * by_buckets

    # The same deals in both positions, as often as there are any.
    hands = 2 * len(pool) - len(pool) % 2
    curve = [
        mean(play(trained(game, count, 3, CALLER), pool, hands, 4, CALLER), game) for count in (0, 200_000)
    ]

    # Deals won by chance: the mean over the pool is not zero for both positions alike.
    assert curve[-1] == pytest.approx(by_buckets, rel=0.06)
    assert curve[-1] < 1.06 * by_cards


@pytest.mark.slow
@pytest.mark.parametrize("name", ["limit-2p", "nolimit-2p-100bb"])
def test_it_gets_better_the_more_it_learns(name: str) -> None:
    game, pool = load_game(name), small_pool()

    curve = [
        mean(play(trained(game, hands, 3, BY_STRENGTH), pool, 40_000, 4, BY_STRENGTH), game)
        for hands in (0, 30_000, 150_000)
    ]

    # Two standard deviations of such a mean are 0.03 in limit and 0.3 in no-limit.
    assert curve[0] < 0
    assert curve[1] > curve[0] + 0.3
    assert curve[2] > curve[1] + 0.1


def test_styles_find_the_answer_to_each_opponent() -> None:
    game, pool = load_game("limit-2p"), small_pool()
    learnt = trained(game, 100_000, 3, np.concatenate([BY_STRENGTH, RANDOM]))
    # The same learner, for whom all opponents are alike.
    blind = learnt.copy()
    blind.counts[num_situations(game) :] = 0

    with_styles, without = (
        [mean(play(player, pool, 40_000, 4, opponents), game) for opponents in (BY_STRENGTH, RANDOM)]
        for player in (learnt, blind)
    )

    assert with_styles[0] > without[0] + 0.1
    assert sum(with_styles) > sum(without)


def test_same_seed_same_values() -> None:
    game = load_game("limit-2p")
    opponents = np.concatenate([BY_STRENGTH, RANDOM, FORMER_SELF])

    one, same, other = (trained(game, 30_000, seed, opponents) for seed in (1, 1, 2))

    assert np.array_equal(one.values, same.values)
    assert np.array_equal(one.counts, same.counts)
    assert not np.array_equal(one.values, other.values)


def test_training_goes_on_from_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(street_learning, "CHUNK", 4_000)
    learnt = trained(load_game("limit-2p"), 5_000, 1, RANDOM)
    before = learnt.counts.sum()

    chunks = [len(won) for won in train(learnt, small_pool(), 5_000, 1, opponents=RANDOM)]

    assert chunks == [4_000, 1_000]
    assert learnt.hands == 10_000
    assert learnt.counts.sum() > before


def test_a_learner_that_does_not_explore_never_raises_against_its_values() -> None:
    game = load_game("limit-2p")
    learnt = ActionValues.unlearnt(game)
    learnt.values[:, 1] = -1
    learnt.values[:, 0] = 0.1
    learnt.counts[:] = 1_000_000
    record = np.zeros((500, RECORD_SIZE), np.int64)

    play(learnt, small_pool(), 500, 1, RANDOM, record=record)

    for hand in record:
        actions, cells = actions_and_cells(hand)
        assert (actions[cells >= 0] == betting.CALL).all()


def test_exploring_decays() -> None:
    shares = [exploration(hands) for hands in (0, 10**5, 10**6, 10**7, 10**9)]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1
    assert shares[-1] == 0.1


def test_two_equal_learners_win_nothing_from_each_other() -> None:
    game = load_game("limit-2p")
    learnt = trained(game, 50_000, 1, np.concatenate([BY_STRENGTH, RANDOM, FORMER_SELF]))

    won = play(learnt, small_pool(), 100_000, 5, FORMER_SELF)

    assert abs(won.mean()) < 3 * won.std() / np.sqrt(len(won))


def test_a_population_has_all_kinds() -> None:
    for is_limit in (True, False):
        opponents = population(2000, is_limit, np.random.default_rng(1))
        kinds = np.bincount(opponents[:, ScriptTrait.KIND].astype(int), minlength=3) / 2000

        assert kinds == pytest.approx([0.7, 0.15, 0.15], abs=0.03)
        assert len(np.unique(opponents, axis=0)) > 1900
        random_ones = opponents[opponents[:, ScriptTrait.KIND] == ScriptKind.AT_RANDOM]
        assert (random_ones[:, ScriptTrait.CALL_WEIGHT] > 0).all()  # or nothing might be left to do


def test_games_and_pools_that_do_not_fit_are_refused() -> None:
    refuses(ValueError, "Texas hold'em only", ActionValues.unlearnt, load_game("leduc"))
    with pytest.raises(ValueError, match="expected deals for 3 players, got 2"):
        play(ActionValues.unlearnt(load_game("limit-3p")), small_pool(), 10, 1, CALLER)
