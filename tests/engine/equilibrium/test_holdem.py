"""Heads-up limit hold'em on buckets: sizes, what hands are worth on a board, and learning from boards."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from clients.arena import Arena
from clients.bots.baselines import AlwaysCall
from clients.bots.equilibrium import Equilibrium
from engine.cards import parse_cards
from engine.combos import COMBO_CARDS, combo_index, combos_without
from engine.equilibrium.holdem.betting import HoldemBetting
from engine.equilibrium.holdem.board_solver import BoardSolver, _room, hands_on
from engine.equilibrium.holdem.bucketed import BucketedStrategy
from engine.equilibrium.holdem.buckets import NO_BUCKET, Percentiles, squared_strengths
from engine.equilibrium.strategy_file import StrategyFileError, read_strategy, write_strategy
from engine.evaluation.hand_strength import hand_strength
from engine.kernels.equilibrium.boards import Hands, Step, pay_fold, pay_showdown, walk
from engine.rules import CALL, CardDealer, hand_rank, initial_hand, load_game
from tests.engine.equilibrium.test_strategy_file import edited

LIMIT = load_game("limit-2p")
ONE_RAISE = attrs.evolve(LIMIT, max_raises=(1, 1, 1, 1))
"""The same with one raise a round: 400 decisions instead of 6378."""
BOARD = parse_cards("2c7d9hJsQh")


@pytest.mark.parametrize(
    ("buckets", "information_sets", "chances"),
    [(20, 128_752, 334_789), (100, 638_352, 1_659_749)],
)
def test_a_strategy_has_the_size_that_was_worked_out(
    buckets: int, information_sets: int, chances: int
) -> None:
    betting = HoldemBetting(LIMIT, Percentiles(buckets).num_buckets)

    assert len(betting.decisions) == 6378
    assert betting.num_information_sets == information_sets
    assert betting.num_slots == chances
    kinds = betting.steps[:, 0]
    assert (kinds == Step.GO).sum() == (kinds == Step.BACK).sum() == 16_583
    assert (kinds == Step.FOLD).sum() == (kinds == Step.SHOWDOWN).sum() == 5103


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="expected limit hold'em for two"):
        HoldemBetting(load_game("nolimit-2p"), (1, 1, 1, 1))
    with pytest.raises(ValueError, match="expected 1 to 1000 buckets, got 0"):
        Percentiles(0)


# --- what hands are worth on a board -----------------------------------------------------------------------


def everyone(hands: Hands) -> NDArray[np.bool_]:
    """Which hands can meet: those that share no card."""
    cards = np.stack([hands.first, hands.second], axis=1)
    shared: NDArray[np.bool_] = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    return ~shared


def test_ends_pay_what_every_pair_of_hands_pays() -> None:
    """All pairs of hands, one by one, ranked by the rules' own evaluator."""
    hands = hands_on(BOARD, Percentiles(5))
    theirs = np.random.default_rng(1).random(1081)
    ranks = np.array([hand_rank((a, b, *BOARD)) for a, b in zip(hands.first, hands.second, strict=True)])
    meets = everyone(hands)
    beats = np.sign(ranks[:, None] - ranks[None, :]) * meets
    folded, shown = np.empty(1081), np.empty(1081)

    pay_fold(hands, 3.0, theirs, np.zeros(52), folded)
    pay_showdown(hands, 7.0, theirs, np.zeros(52), shown)

    assert folded == pytest.approx(3.0 * (meets @ theirs) / 990)
    assert shown == pytest.approx(7.0 * (beats @ theirs) / 990)
    assert (meets.sum(axis=1) == 990).all()


def test_hands_come_in_order_of_strength_with_their_buckets() -> None:
    abstraction = Percentiles(10)
    hands = hands_on(BOARD, abstraction)

    ranks = [hand_rank((a, b, *BOARD)) for a, b in zip(hands.first, hands.second, strict=True)]
    assert ranks == sorted(ranks)
    assert hands.ends[-1] == 1081
    assert (np.diff(hands.buckets[3]) >= 0).all()
    assert (hands.buckets[0] < 169).all()
    assert hands.buckets.min() >= 0


# --- buckets -----------------------------------------------------------------------------------------------


def test_squared_strength_is_the_mean_over_the_boards_to_come() -> None:
    turn = BOARD[:4]
    values = squared_strengths(turn)
    for text in ("AhKh", "2h2d", "TsTh", "3c4d"):
        hole = parse_cards(text)
        rivers = [card for card in range(52) if card not in (*hole, *turn)]
        strengths = [float(hand_strength(hole, (*turn, card)).value) for card in rivers]
        assert len(rivers) == 46
        assert values[combo_index(*hole)] == pytest.approx(np.mean(np.square(strengths)), abs=1e-8)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_buckets_are_equally_large_and_ignore_the_names_of_suits(size: int) -> None:
    abstraction = Percentiles(10)
    board = BOARD[:size]
    buckets = abstraction.buckets(board)

    live = combos_without(board)
    assert ((buckets == NO_BUCKET) == ~live).all()
    share = np.bincount(buckets[live], minlength=10) / live.sum()
    assert share == pytest.approx(np.full(10, 0.1), abs=0.06)
    turned = [(card & ~3) | (card + 1 & 3) for card in range(52)]
    moved = abstraction.buckets([turned[card] for card in board])
    for combo, (high, low) in enumerate(COMBO_CARDS):
        assert moved[combo_index(turned[high], turned[low])] == buckets[combo]


# --- learning ----------------------------------------------------------------------------------------------


def test_a_pass_wins_what_the_other_loses_and_regrets_nothing_on_average() -> None:
    solver = BoardSolver(ONE_RAISE, 5)
    betting = solver.betting
    hands = hands_on(BOARD, solver.abstraction)
    regrets = np.random.default_rng(2).normal(size=betting.num_slots)
    won = []
    for player in (0, 1):
        room = _room(betting.depths, 169)
        gains, sums = np.zeros(betting.num_slots), np.zeros(betting.num_slots)
        walk(betting.steps, hands, regrets, player, room, gains, sums)
        won.append(room.worth[0].sum())
        policy = BucketedStrategy.of(ONE_RAISE, 5, np.maximum(regrets, 0.0)).policy
        for decision in list(betting.decisions.values())[::5]:
            for bucket in range(betting.num_buckets[decision.betting_round]):
                slots = decision.slots(bucket)
                assert abs(policy[slots] @ gains[slots]) < 1e-6
                if decision.position != player:
                    assert not gains[slots].any()

    assert won[0] == pytest.approx(-won[1], abs=1e-6)
    assert won[0] != pytest.approx(0, abs=1e-3)


def test_threads_and_interruptions_change_nothing() -> None:
    unbroken = BoardSolver(ONE_RAISE, 4, seed=3)
    unbroken.run(3)
    first = BoardSolver(ONE_RAISE, 4, seed=3, jobs=2)
    first.run(1)

    second = BoardSolver(ONE_RAISE, 4, seed=3)
    second.restore(first.state())
    second.run(2)

    for name, expected in unbroken.state().items():
        assert np.array_equal(second.state()[name], expected), name
    other = BoardSolver(ONE_RAISE, 4, seed=4)
    other.run(1)
    assert not np.array_equal(other.state()["sums"], first.state()["sums"])
    with pytest.raises(ValueError, match="expected 'regrets', an array of shape"):
        BoardSolver(ONE_RAISE, 5).restore(first.state())


@pytest.fixture(scope="module")
def learnt() -> BucketedStrategy:
    solver = BoardSolver(ONE_RAISE, 6, seed=1)
    solver.run(12)
    return solver.average()


def test_good_hands_are_raised_and_bad_ones_folded(learnt: BucketedStrategy) -> None:
    start = initial_hand(ONE_RAISE, 0, CardDealer(ONE_RAISE, 1).deal()).betting
    first = learnt.triples(start, ())

    aces, trash = (first[combo_index(*parse_cards(hand))] for hand in ("AhAd", "7h2d"))
    assert aces[2] > 0.7
    assert aces[0] < 0.1 < 0.3 < trash[0]
    assert first.sum(axis=1) == pytest.approx(1)
    flop = start.apply(CALL).apply(CALL)
    after = learnt.triples(flop, BOARD[:3])
    assert after.sum(axis=1) == pytest.approx(1)
    view = initial_hand(ONE_RAISE, 0, CardDealer(ONE_RAISE, 1).deal()).view(1)
    assert learnt.triple(view) == pytest.approx(first[combo_index(*view.own_cards)])


def test_it_is_saved_and_sits_down(learnt: BucketedStrategy, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, learnt, {"algorithm": "pcs"})

    saved = read_strategy(path, ONE_RAISE)
    bot = Equilibrium(path)
    Arena(ONE_RAISE, [bot, AlwaysCall()], 5).play(30)

    assert saved.notes["buckets"] == 6
    assert isinstance(saved.strategy, BucketedStrategy)
    assert saved.strategy.policy == pytest.approx(learnt.policy, abs=1e-6)
    assert bot.strategy.game == ONE_RAISE
    view = initial_hand(ONE_RAISE, 0, CardDealer(ONE_RAISE, 1).deal()).view(1)
    rows = bot.triples(view)
    assert rows is not None
    assert tuple(rows[combo_index(*view.own_cards)]) == pytest.approx(bot.probability_triple(view))
    with pytest.raises(StrategyFileError, match="plays another game: max_raises"):
        read_strategy(path, LIMIT)


def test_a_strategy_that_knows_hands_otherwise_is_refused(learnt: BucketedStrategy, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, learnt, {})
    edited(path, lambda header, _: header["notes"].update(abstraction="k-means"))

    with pytest.raises(StrategyFileError, match="knows hands by 'k-means', this riverboat by 'ehs2-perc"):
        read_strategy(path)
