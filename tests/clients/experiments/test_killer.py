"""``riverboat experiment killer``: a small book is made, read, and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.experiments.killer.command import BOOK, reproduce
from clients.experiments.killer.rake import beats_the_rake, rake_report
from clients.experiments.killer.report import report, values
from engine.evaluation.preflop.flop_configs import parse_book, shipped_book


@pytest.mark.slow
def test_a_book_is_made_and_read(tmp_path: Path) -> None:
    said: list[str] = []

    results = reproduce(tmp_path / "out", 2, 400, said.append)

    book = parse_book((tmp_path / "out" / BOOK).read_bytes())
    assert book.made_by == results["made_by"]
    assert len(said) == 4
    assert "| 2, 4 | none |" in report(results)


def test_who_beats_the_rake_is_told_of_the_same_hands() -> None:
    rows = beats_the_rake(["hand-strength"], 60, 1, lambda line: None)

    assert [row["table"] for row in rows] == ["limit-6p", "limit-10p"]
    for row in rows:
        assert 0 < row["before"]["sb_per_hand"] - row["after"]["sb_per_hand"] < 3
    assert "| limit-10p | hand-strength | 60 |" in rake_report(rows)


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
