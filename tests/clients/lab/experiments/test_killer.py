"""``riverboat experiment killer``: a small book is made, read, and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.lab.experiments.killer.command import BOOK, reproduce
from clients.lab.experiments.killer.rake import TABLES, play_with_rake, rake_plots, rake_report
from clients.lab.experiments.killer.report import plots, report, values
from clients.lab.experiments.killer.tasks import AgainstMore, Settings, all_parts
from engine.hands.flop_configs import parse_book, shipped_book


def test_a_book_is_made_and_read(tmp_path: Path) -> None:
    results = reproduce(Settings(flops=2, every=400), tmp_path)

    book = parse_book((tmp_path / BOOK).read_bytes())
    assert book.made_by == results["made_by"] == "riverboat experiment killer --out DIR --flops 2 --every 400"
    assert "| 2, 4 | none |" in report(results)
    assert "rake" not in results


def test_the_usual_book_is_made_by_the_command_that_the_shipped_one_names() -> None:
    assert Settings().made_by == shipped_book().made_by


@pytest.mark.parametrize("flops", [2, 20, 21, 240])
def test_parts_of_the_book_are_all_flops_once(flops: int, tmp_path: Path) -> None:
    more = [part for part in all_parts(Settings(flops), tmp_path) if isinstance(part, AgainstMore)]

    assert [flop for part in more for flop in range(part.first, part.last)] == list(range(flops))


@pytest.mark.parametrize("table", TABLES)
def test_who_beats_the_rake_is_told_of_the_same_hands(table: str) -> None:
    row = play_with_rake(table, "hand-strength", 60, 1)

    assert 0 < row["before"]["sb_per_hand"] - row["after"]["sb_per_hand"] < 3
    assert f"| {table} | hand-strength | 60 |" in rake_report([row])
    (plot,) = rake_plots([row])
    before, after = (curve.y[0] for curve in plot.curves)
    assert (before, after) == (row["before"]["sb_per_hand"], row["after"]["sb_per_hand"])
    assert plot.names == ("hand-strength",)


def test_the_table_of_the_shipped_book() -> None:
    """The specification's ranks of AKs: 8 whatever the bets; 22 falls from 88 to 113 as they grow."""
    found = values(shipped_book())
    text = report({"values": found, "made_by": shipped_book().made_by})

    assert [(entry["bets"], entry["rake"]) for entry in found] == [
        (2.0, "none"), (2.0, "5 % up to 3"), (4.0, "none"), (4.0, "5 % up to 3"),
    ]  # fmt: skip
    for entry in found[::2]:  # without rake
        worth = entry["ev"]
        rank = 1 + sum(value > worth["22"] for value in worth.values())
        assert 1 + sum(value > worth["AKs"] for value in worth.values()) in (7, 8, 9)
        assert rank == pytest.approx(88 if entry["bets"] == 2 else 113, abs=6)
    assert all(found[1]["ev"][hand] <= found[0]["ev"][hand] for hand in found[0]["ev"])
    assert "rank of AKs / 22" in text
    (plot,) = plots({"values": found})
    assert [curve.y[0] for curve in plot.curves] == [entry["ev"]["AA"] for entry in found]
