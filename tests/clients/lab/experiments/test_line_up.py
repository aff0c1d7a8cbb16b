"""Line-ups and matches: everybody holds everything equally often, nobody is given anything."""

from __future__ import annotations

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.core.arena import Arena
from clients.lab.experiments.line_up import LineUp, chips_by_seat, matches
from engine.poker.rules import load_game


@pytest.mark.parametrize(("first", "seats"), [(5, 10), (1, 10), (2, 6), (3, 9), (1, 2), (4, 10), (9, 10)])
def test_each_kind_sits_in_each_seat_equally_often(first: int, seats: int) -> None:
    passes = LineUp(first, seats).passes()

    assert all(sum(seated) == first for seated in passes)
    assert len(set(passes)) == len(passes)
    assert np.ptp(np.array(passes).sum(axis=0)) == 0


def test_five_sit_in_every_other_seat() -> None:
    line_up = LineUp(5, 10)

    assert line_up.name == "5 against 5"
    assert line_up.passes() == [(True, False) * 5, (False, True) * 5]


def test_chips_by_seat_are_those_of_the_arena() -> None:
    game = load_game("limit-3p")

    won = chips_by_seat(game, [Random(), AlwaysCall(), AlwaysRaise()], 7, 50)

    expected = Arena(game, [Random(), AlwaysCall(), AlwaysRaise()], 7).play(50)
    assert won.sum(axis=0).tolist() == list(expected)
    assert np.abs(won.sum(axis=1)).max() == 0


@pytest.mark.parametrize("first", [1, 2, 3])
def test_bots_of_one_kind_that_play_the_same_win_nothing_from_each_other(first: int) -> None:
    game = load_game("limit-6p")
    line_up = LineUp(first, 6)

    won = [chips_by_seat(game, [AlwaysCall() for _ in range(6)], 3, 40) for _ in range(len(line_up.passes()))]

    assert line_up.mean_of_first(won).tolist() == pytest.approx([0.0] * 40)


def test_what_the_first_kind_wins_the_others_lose() -> None:
    game = load_game("limit-3p")
    line_up = LineUp(1, 3)
    won = [
        chips_by_seat(game, [AlwaysRaise() if is_first else AlwaysCall() for is_first in seated], 3, 30)
        for seated in line_up.passes()
    ]

    lost = sum(
        chips[:, [not is_first for is_first in seated]].sum(axis=1)
        for seated, chips in zip(line_up.passes(), won, strict=True)
    )

    assert (line_up.mean_of_first(won) * 3 + lost).tolist() == pytest.approx([0.0] * 30)


def test_matches_add_up_and_differ() -> None:
    cut = list(matches(250, 100, 1))

    assert [deals for _, deals in cut] == [100, 100, 50]
    assert len({seed for seed, _ in cut}) == 3
    assert cut == list(matches(250, 100, 1))
