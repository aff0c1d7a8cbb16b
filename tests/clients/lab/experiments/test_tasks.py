"""Tasks: results that are kept; line-ups, in which everybody holds everything equally often; matches."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.lab.experiments.tasks import (
    BLOCKS,
    LineUp,
    Task,
    Work,
    blocks_of,
    chips_by_seat,
    long_matches,
    matches,
    play_long_match,
)
from engine.poker.rules import load_game


@pytest.mark.parametrize(("file", "result"), [("x.json", [1.5]), ("x.npz", np.array([1.5]))])
def test_a_result_is_found_again_with_the_same_settings_only(file: str, result: Any, tmp_path: Path) -> None:
    task = Task("x", file, {"hands": (3, 4)}, lambda: {"won": result})

    assert task.found_in(tmp_path) is None
    done = task.done_in(tmp_path)

    assert task.found_in(tmp_path) == done == {"won": result}
    assert attrs.evolve(task, played={"hands": (3, 5)}).found_in(tmp_path) is None
    assert attrs.evolve(task, writes=tmp_path / "knowledge").found_in(tmp_path) is None
    (tmp_path / "tasks" / file).write_bytes(b"half of a fi")
    assert task.found_in(tmp_path) is None


def test_only_what_is_missing_is_done_and_told(tmp_path: Path) -> None:
    done: list[int] = []

    def do(number: int) -> Mapping[str, Any]:
        done.append(number)
        return {"number": number}

    tasks = [Task(f"no. {n}", f"{n}.json", {}, functools.partial(do, n), n % 2) for n in range(4)]
    tasks[2].done_in(tmp_path)
    lines: list[str] = []

    found = Work(tmp_path, progress=lines.append, resume=True).groups(tasks)

    assert found == {0: [{"number": 0}, {"number": 2}], 1: [{"number": 1}, {"number": 3}]}
    assert done == [2, 0, 1, 3]
    assert [line.partition("left: ")[2] for line in lines] == ["no. 0", "no. 1", "no. 3"]


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
    won = LineUp(first, 6).play(load_game("limit-6p"), lambda seated: [AlwaysCall() for _ in seated], 3, 40)

    assert won.tolist() == pytest.approx([0.0] * 40)


def test_what_the_first_kind_wins_the_others_lose() -> None:
    def seated(is_first: tuple[bool, ...], first_is_random: bool) -> list[Agent]:
        return [Random() if first is first_is_random else AlwaysCall() for first in is_first]

    one, others = (
        LineUp(first, 3).play(
            load_game("limit-3p"), functools.partial(seated, first_is_random=first == 1), 3, 30
        )
        for first in (1, 2)
    )

    assert (one + 2 * others).tolist() == pytest.approx([0.0] * 30)
    assert one.any()


def test_matches_add_up_and_differ() -> None:
    cut = list(matches(250, 100, 1))

    assert [deals for _, deals in cut] == [100, 100, 50]
    assert len({seed for seed, _ in cut}) == 3
    assert cut == list(matches(250, 100, 1))


def test_blocks_of_a_long_match_are_all_of_it() -> None:
    number, deals = long_matches(300, 100)

    found = play_long_match("limit-2p", ("always-raise", "random"), 3, deals)

    assert (number, deals) == (3, 50)
    blocks = blocks_of(found)
    assert len(blocks) == BLOCKS
    assert sum(block.hands for block in blocks) == 50
    other = blocks_of(play_long_match("limit-2p", ("random", "always-raise"), 3, deals))
    assert [block.chips for block in blocks] == [-block.chips for block in other]
