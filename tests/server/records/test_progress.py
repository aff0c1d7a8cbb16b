"""Running results, and long logs, which compiled loops read."""

from __future__ import annotations

import io
import itertools
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given, strategies as st

from engine.evidence.verdict import Goal, Standings
from engine.poker.rules import load_game
from server.records import batches
from server.records.batches import group_passes
from server.records.evidence import Luck, evidence_of
from server.records.logs import LogError, open_log
from server.records.progress import Pace, Score, Tally, clock_time, score_line, show_progress
from server.records.review.content import report_on
from server.records.review.sources import open_source
from server.table.book import rests
from tests.server.records.test_review import write_log
from tests.support.cases import cases
from tests.support.hands.golden_files import GOLDEN, LOGS, golden_log

# --- Running results ----------------------------------------------------------------------------------------

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
    # 24 big blinds to either side less what two hands tell, as good as nothing.
    assert first.half_width > 20_000


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


@pytest.mark.parametrize(("names", "rates", "half", "pace", "line"), cases(__file__, "lines of scores"))
def test_of_two_players_one_is_shown_of_many_the_best_and_names_are_cut_but_no_number(
    names: Sequence[str], rates: list[float], half: float, pace: str, line: str
) -> None:
    players = [Score(name, rate, half) for name, rate in zip(names, rates, strict=True)]

    assert score_line(players, pace, 80) == line


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


async def watch(tally: Tally, hands: int) -> None:
    """The progress of two hands a second, of 50."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(show_progress, tally, 50)
        for _ in range(hands):
            await trio.sleep(0.5)
            tally.hand_finished(0, [10.0, -10.0])
        await trio.sleep(1)
        nursery.cancel_scope.cancel()


async def test_without_a_terminal_there_is_a_line_for_each_tenth(
    autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    tally = Tally(load_game("limit-2p"), "AB", [(0, 1)], 50)

    await watch(tally, 50)

    kind, *lines = stderr.getvalue().splitlines()
    assert kind == "±: 95 %, whenever you look"
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

    await watch(tally, 25)

    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stderr.getvalue())
    assert "25/50" in shown
    assert re.search(r"formula \+1000\.0 ± \d+\.\d mbb/h, [12]\.\d hands/s, 0:1\d left", shown)
    assert all(len(line) <= 80 for line in re.split(r"[\r\n]", shown))


# --- Long logs, which compiled loops read -------------------------------------------------------------------

HOLDEM = [name for name in LOGS if "holdem" in name]


@pytest.fixture
def short_logs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled loops for every log, and few hands at once, so that there are many lots."""
    monkeypatch.setattr(batches, "FEWEST_HANDS", 1)
    monkeypatch.setattr("server.records.review.content.FEWEST_HANDS", 1)
    monkeypatch.setattr(batches, "_AT_ONCE", 37)


def by_the_rules(*paths: Path, luck: Luck) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "FEWEST_HANDS", 1 << 60)
        patch.setattr("server.records.review.content.FEWEST_HANDS", 1 << 60)
        return compiled(*paths, luck=luck)


def compiled(*paths: Path, luck: Luck) -> dict[str, Any]:
    content = report_on(open_source(paths), luck)
    del content["made"]
    return content


def passes_of(folder: Path, names: Sequence[str], hands: int) -> list[Path]:
    """The logs of a duplicate match of a call station and players at random."""
    return [
        write_log(folder / f"{k}.log", (*names[k:], *names[:k]), hands=hands, game="nolimit-3p")
        for k in range(len(names))
    ]


@pytest.mark.usefixtures("short_logs_too")
@pytest.mark.parametrize("name", HOLDEM)
def test_logs_of_the_c_dealer_are_reported_on_alike(name: str, tmp_path: Path) -> None:
    lines = golden_log(name).text.splitlines(keepends=True)
    log = tmp_path / "a.log"
    log.write_text("".join(lines[:90]), "ascii")

    assert compiled(log, luck=Luck.EQUITY) == by_the_rules(log, luck=Luck.EQUITY)


@pytest.mark.usefixtures("short_logs_too")
def test_passes_are_paired_alike_where_deals_are_missing(tmp_path: Path) -> None:
    paths = passes_of(tmp_path, ("a", "b", "c"), 100)
    for path, missing in zip(paths, (17, 40, 71), strict=True):
        lines = path.read_text("ascii").splitlines(keepends=True)
        path.write_text("".join(lines[:missing] + lines[missing + 3 : 100 - missing // 10]), "ascii")

    found = compiled(*paths, luck=Luck.EQUITY)

    assert found == by_the_rules(*paths, luck=Luck.EQUITY)
    assert (found["passes"], found["deals"], found["hands"]) == (3, 80, 240)


@pytest.mark.usefixtures("short_logs_too")
def test_hidden_cards_and_numbers_that_begin_anew_are_seen_alike(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.log", ("a", "b", "c"))
    lines = path.read_text("ascii").splitlines(keepends=True)
    hand = lines[20].split(":")
    hand[3] = "|".join(["????", *hand[3].split("|")[1:]])
    path.write_text("".join([*lines[:20], ":".join(hand), *lines[10:30], *lines[20:-1]]), "ascii")

    found = compiled(path, luck=Luck.EQUITY)

    assert found == by_the_rules(path, luck=Luck.EQUITY)
    assert "does not show those of position 0" in found["luck_missing"]["equity"]


@pytest.mark.usefixtures("short_logs_too")
def test_luck_of_a_match_is_taken_out_alike(tmp_path: Path) -> None:
    matches = group_passes(map(open_log, passes_of(tmp_path, ("a", "b", "c"), 80)))
    found = evidence_of(matches, ("a", "b", "c"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "FEWEST_HANDS", 1 << 60)

        assert found == evidence_of(matches, ("a", "b", "c"))


@pytest.mark.usefixtures("short_logs_too")
@pytest.mark.parametrize(("field", "text"), cases(__file__, "wrong fields"))
def test_the_first_line_that_is_wrong_is_told_in_the_same_words(
    field: int, text: str, tmp_path: Path
) -> None:
    path = write_log(tmp_path / "a.log", ("a", "b", "c"))
    lines = path.read_text("ascii").splitlines(keepends=True)
    for row in (50, 45):
        hand = lines[row].split(":")
        hand[field if row == 45 else 1] = text if row == 45 else "worse"
        lines[row] = ":".join(hand)
    path.write_text("".join(lines), "ascii")
    log = open_log(path)
    with pytest.raises(LogError) as expected:
        list(log.hands())
    assert f"{path}:46: " in str(expected.value)

    for is_compiled in (False, True):
        with pytest.raises(LogError) as found:
            list(batches.batches(log, compiled=is_compiled))

        assert str(found.value) == str(expected.value)


def test_short_logs_and_small_games_do_without_the_compiler(tmp_path: Path) -> None:
    short = open_log(write_log(tmp_path / "a.log", ("a", "b", "c")))
    small = open_log(GOLDEN / "random.leduc.0.log.gz")

    assert not batches.is_worth_compiling([short])
    assert not batches.is_worth_compiling([small] * 100)
    assert batches.is_worth_compiling([short] * 100)
