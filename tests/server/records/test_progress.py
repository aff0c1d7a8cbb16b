"""The score line under the bar: what it says, and that it fits."""

from __future__ import annotations

import io
import re
import sys

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.rules import load_game
from server.records.progress import Pace, Score, Tally, clock_time, score_line, show_progress

scores = st.lists(
    st.builds(
        Score,
        st.text("abcdefgh-é", min_size=1, max_size=100),
        st.floats(-24_000, 24_000),
        st.none() | st.floats(0, 24_000),
    ),
    max_size=10,
)


@given(scores, st.sampled_from(["", "1760 hands/s, 0:32 left", "12345 hands/s, at most 100:00:00 left"]))
def test_the_line_fits_80_columns(players: list[Score], pace: str) -> None:
    line = score_line(players, pace, 80)

    assert len(line) <= 80
    assert not line.startswith((",", " "))
    assert not line.endswith((",", " "))
    if players:
        best = players[0] if len(players) < 3 else max(players, key=lambda score: score.mbb_per_hand)
        assert f"{best.mbb_per_hand:+z.1f}" in line
    if len(pace) <= 24:
        assert line.endswith(pace)


def test_with_two_players_one_score_is_enough() -> None:
    players = [Score("formula", 193.24, 40.1), Score("always-call", -193.24, 40.1)]

    line = score_line(players, "1760 hands/s, 0:32 left", 80)

    assert line == "formula +193.2 ± 40.1 mbb/h, 1760 hands/s, 0:32 left"


def test_of_many_players_the_best_are_shown() -> None:
    players = [Score(name, rate, 12.0) for name, rate in zip("ABCDEF", (-5.0, 3, 9, -9, 1, 1), strict=True)]

    line = score_line(players, "10 hands/s, 0:32 left", 80)

    assert line == "C +9.0 ± 12.0 mbb/h, B +3.0 ± 12.0, E +1.0 ± 12.0, 10 hands/s, 0:32 left"


def test_long_names_are_cut_and_numbers_never() -> None:
    players = [Score("a-bot-with-a-name-that-goes-on-and-on-and-on-and-on-and-on", 12345.6, 23456.7)] * 2

    line = score_line(players, "12345 hands/s, at most 10:00:00 left", 80)

    assert line == "a-bot-with-a-nam… +12345.6 ± 23456.7 mbb/h, 12345 hands/s, at most 10:00:00 left"
    assert len(line) == 80


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (31.6, "0:32"), (725, "12:05"), (10_800, "3:00:00")]
)
def test_times_are_as_on_a_clock(seconds: float, text: str) -> None:
    assert clock_time(seconds) == text


def test_the_pace_is_that_of_the_last_seconds_and_begins_with_the_first_hand() -> None:
    pace = Pace(10_000, at_most=False)
    for second in range(100):
        pace.note(second, 0)  # the players are being awaited
    assert pace.text() == ""
    for second in range(100, 110):
        pace.note(second, 10 * (second - 99))
    assert pace.text() == "10 hands/s, 16:30 left"
    for second in range(110, 140):
        pace.note(second, 100 + 200 * (second - 109))

    assert pace.text() == "200 hands/s, 0:20 left"


def test_a_match_that_may_end_early_lasts_at_most_so_long() -> None:
    pace = Pace(100, at_most=True)
    pace.note(0, 1)
    pace.note(10, 26)

    assert pace.text() == "2.5 hands/s, at most 0:30 left"


async def test_without_a_terminal_there_is_a_line_for_each_tenth(
    autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    tally = Tally(load_game("limit-2p"), "AB", [(0, 1)], 50)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(show_progress, tally, 50)
        for _ in range(50):
            await trio.sleep(0.5)
            tally.hand_finished(0, [10.0, -10.0])
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    lines = stderr.getvalue().splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        f"{5 * tenth} of 50 hands" for tenth in range(1, 11)
    ]
    assert re.fullmatch(
        r"25 of 50 hands: A \+1000\.0 ± \d+\.\d mbb/h, [12]\.\d hands/s, 0:1\d left", lines[4]
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_on_a_terminal_the_score_is_under_the_bar(
    autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    tally = Tally(load_game("limit-2p"), ["formula", "B"], [(0, 1)], 50)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(show_progress, tally, 50)
        for _ in range(25):
            await trio.sleep(0.5)
            tally.hand_finished(0, [10.0, -10.0])
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stderr.getvalue())
    assert "25/50" in shown
    assert re.search(r"formula \+1000\.0 ± \d+\.\d mbb/h, [12]\.\d hands/s, 0:1\d left", shown)
    assert all(len(line) <= 80 for line in re.split(r"[\r\n]", shown))
