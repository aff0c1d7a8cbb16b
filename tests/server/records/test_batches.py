"""Long logs, which compiled loops read: the same report, the same words about what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from server.records import batches
from server.records.batches import group_passes
from server.records.evidence import Luck, evidence_of
from server.records.logs import LogError, open_log
from server.records.review.content import report_on
from server.records.review.sources import open_source
from tests.server.records.test_review import write_log
from tests.support.cases import cases
from tests.support.hands.golden_files import GOLDEN, LOGS, golden_log

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
