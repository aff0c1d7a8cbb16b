"""Rates and tables as text: signs, zeros, units, and columns that hold for wide letters, too."""

from __future__ import annotations

import doctest

import pytest

from engine.support import text
from engine.support.text import columns_of, cut, rate, table


def test_examples_are_true() -> None:
    assert doctest.testmod(text).failed == 0


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (rate(None), "-"),
        (rate(None, missing="–"), "–"),
        (rate(-0.04, 0.04), "+0.0 ± 0.0"),
        (rate(12.34, unit="mbb/h"), "+12.3 mbb/h"),
        (rate(0.5, 0.25, 3, signed=False, unit="%"), "0.500 ± 0.250 %"),
        (rate(-12345.6, 2345.6, grouped=True), "-12,345.6 ± 2,345.6"),
    ],
)
def test_a_rate_has_one_form(shown: str, said: str) -> None:
    assert shown == said


def test_columns_hold_what_a_terminal_shows() -> None:
    rows = [["player", "mbb/h"], ["河船", "+1.5"], ["e\u0301a", "-10.5"], ["a-long-name", "+9.0"]]

    lines = table(rows, widths=[6, 6], gap=1)

    assert [columns_of(line) for line in lines] == [13] * 4
    assert lines[3].startswith("a-lon… ")
    assert cut("河船河船", 6) == "河船…"
    assert table([["a", "", ""], ["b", "1", ""]], left=(0, 2)) == ["a", "b  1"]
