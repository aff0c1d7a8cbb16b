"""The tally of a match: deals are put together from passes, however far each of them is."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evidence.verdict import Goal, Standings
from engine.poker.rules import load_game
from server.records.progress import Tally
from server.table.stopping import rests

LIMIT = load_game("limit-2p")
THREE = load_game("limit-3p")
ROTATIONS = [(0, 1, 2), (2, 0, 1), (1, 2, 0)]


def random_hands(deals: int, players: int = 3) -> list[list[list[float]]]:
    """By pass and deal: chips by seat."""
    generator = random.Random(1)
    hands = []
    for _ in range(players):
        passes = []
        for _ in range(deals):
            won = [float(generator.randint(-200, 200)) for _ in range(players - 1)]
            passes.append([*won, -sum(won)])
        hands.append(passes)
    return hands


@given(st.randoms(use_true_random=False))
def test_a_deal_counts_once_all_passes_have_played_it_in_whatever_order(order: random.Random) -> None:
    deals = 30
    hands = random_hands(deals)
    tally = Tally(THREE, "ABC", ROTATIONS, deals)
    expected = Standings(THREE, "ABC")
    for deal in range(deals):
        chips = [0.0, 0.0, 0.0]
        for seating, played in zip(ROTATIONS, hands, strict=True):
            for player, won in zip(seating, played[deal], strict=True):
                chips[player] += won / 3
        expected.add(chips)

    done = [0, 0, 0]
    turns = [number for number in range(3) for _ in range(deals)]
    order.shuffle(turns)
    for number in turns:
        tally.hand_finished(number, hands[number][done[number]])
        done[number] += 1
        assert tally.verdict().deals == min(done)

    for found, right in zip(tally.verdict().pairs, expected.verdict().pairs, strict=True):
        assert found.lead is not None
        assert right.lead is not None
        assert (found.lead.low, found.lead.high) == pytest.approx((right.lead.low, right.lead.high))
    assert tally.hands == 90


def test_scores_are_rates_of_all_hands_with_intervals_of_the_deals() -> None:
    tally = Tally(LIMIT, "AB", [(0, 1)], 100)
    assert tally.scores() == []

    tally.hand_finished(0, [30.0, -30.0])
    tally.hand_finished(0, [-10.0, 10.0])

    first, second = tally.scores()
    assert (first.name, first.mbb_per_hand, second.mbb_per_hand) == ("A", 1000, -1000)
    assert first.half_width == second.half_width
    assert first.half_width is not None
    assert (
        first.half_width > 20_000
    )  # 24 big blinds to either side less what two hands tell, as good as nothing


def test_a_pass_that_is_ahead_has_a_score_without_an_interval() -> None:
    tally = Tally(LIMIT, "AB", [(0, 1), (1, 0)], 100)

    tally.hand_finished(1, [30.0, -30.0])

    assert [(score.mbb_per_hand, score.half_width) for score in tally.scores()] == [
        (-3000, None),
        (3000, None),
    ]


def test_one_pass_pauses_with_the_hand_that_settles_it() -> None:
    tally = Tally(LIMIT, "AB", [(0, 1)], 1000, Goal())

    pauses = [tally.hand_finished(0, [60.0, -60.0]) for _ in range(60)]

    settled = pauses.index(True)
    assert 0 < settled < 59
    assert pauses == [False] * settled + [True] * (60 - settled)
    assert tally.has_reached_goal()


def test_several_passes_pause_where_they_wait_for_each_other() -> None:
    tally = Tally(LIMIT, "AB", [(0, 1), (1, 0)], 1000, Goal())

    pauses = [tally.hand_finished(0, [60.0, -60.0]) for _ in range(300)]

    assert {number for number, pause in enumerate(pauses, 1) if pause} == {n for n in rests(1000) if n <= 300}
    assert not tally.is_settled()


def test_without_a_goal_nobody_pauses() -> None:
    tally = Tally(LIMIT, "AB", [(0, 1)], 1000)

    assert not any(tally.hand_finished(0, [60.0, -60.0]) for _ in range(300))
    assert not tally.is_settled()
    assert not tally.has_reached_goal()
    assert tally.verdict().words == "A is better"


@given(st.integers(1, 2**32 - 1))
def test_tables_that_wait_for_each_other_lose_little(hands: int) -> None:
    after = sorted(rests(hands))

    assert len(after) < 2000
    assert all(later - earlier <= max(10, 0.021 * earlier) for earlier, later in itertools.pairwise(after))
    assert after == [] or (after[0] == 10 and after[-1] < hands <= max(after[-1] + 10, 1.021 * after[-1]))
