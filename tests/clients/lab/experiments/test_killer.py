"""``riverboat experiment killer``: a small book is made, read, and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.lab.experiments.killer import (
    BOOK,
    TABLES,
    KillerSettings,
    all_parts,
    findings,
    killer,
    play_with_rake,
)
from engine.hands.flop_configs import parse_book, shipped_book
from tests.clients.lab.experiments.runs import whole_run


def test_a_book_is_made_and_read(tmp_path: Path) -> None:
    found = whole_run("killer", tmp_path, "--flops 2 --every 400 --no-plots")

    book = parse_book((tmp_path / BOOK).read_bytes())
    assert book.made_by == found.results["made_by"]
    assert book.made_by == "riverboat experiment killer --out DIR --flops 2 --every 400"
    assert "| 2, 4 | none |" in found.printed
    assert "rake" not in found.results
    assert killer.name == "killer"


def test_the_usual_book_is_made_by_the_command_that_the_shipped_one_names() -> None:
    assert KillerSettings().made_by == shipped_book().made_by


@pytest.mark.parametrize("flops", [2, 20, 21, 240])
def test_parts_of_the_book_are_all_flops_once(flops: int) -> None:
    parts = [part for part in all_parts(KillerSettings(flops)) if part.group == "more"]

    ends = [tuple(map(int, part.file.removesuffix(".npz").split("-")[2:])) for part in parts]
    assert [flop for first, last in ends for flop in range(first, last + 1)] == list(range(1, flops + 1))


@pytest.mark.parametrize("table", TABLES)
def test_who_beats_the_rake_is_told_of_the_same_hands(table: str) -> None:
    row = play_with_rake(table, "hand-strength", 60, 1)

    found = findings(240, shipped_book(), [row])

    assert 0 < row["before"]["sb_per_hand"] - row["after"]["sb_per_hand"] < 3
    assert f"| {table} | hand-strength | 60 |" in found.report
    before, after = (curve.y[0] for curve in found.plots[1].curves)
    assert (before, after) == (row["before"]["sb_per_hand"], row["after"]["sb_per_hand"])
    assert found.plots[1].names == ("hand-strength",)


def test_the_table_of_the_shipped_book() -> None:
    """The specification's ranks of AKs: 8 whatever the bets; 22 falls from 88 to 113 as they grow."""
    findings_of_it = findings(240, shipped_book(), [])
    found = findings_of_it.numbers["values"]

    assert [(entry["bets"], entry["rake"]) for entry in found] == [
        (2.0, "none"), (2.0, "5 % up to 3"), (4.0, "none"), (4.0, "5 % up to 3"),
    ]  # fmt: skip
    for entry in found[::2]:  # without rake
        worth = entry["ev"]
        rank = 1 + sum(value > worth["22"] for value in worth.values())
        assert 1 + sum(value > worth["AKs"] for value in worth.values()) in (7, 8, 9)
        assert rank == pytest.approx(88 if entry["bets"] == 2 else 113, abs=6)
    assert all(found[1]["ev"][hand] <= found[0]["ev"][hand] for hand in found[0]["ev"])
    assert "rank of AKs / 22" in findings_of_it.report
    (plot,) = findings_of_it.plots
    assert [curve.y[0] for curve in plot.curves] == [entry["ev"]["AA"] for entry in found]
