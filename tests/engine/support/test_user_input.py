"""Numbers as people type them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.support.user_input import how_many, parse_finite, parse_whole
from tests.support.asserting import refuses


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_is_read_back(number: float) -> None:
    assert parse_finite(repr(number)) == number


@pytest.mark.parametrize("text", ["nan", "-NaN", "inf", "-Infinity", "1e999", "-1e999", "", "1,5", "0x1"])
def test_what_is_not_a_finite_number_is_refused(text: str) -> None:
    refuses(ValueError, "expected a", parse_finite, text)


@given(st.integers(min_value=0, max_value=10**999))
def test_every_whole_number_is_read_back(number: int) -> None:
    assert parse_whole(str(number)) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1_000", "²", "١", "9" * 1001, "9" * 5000])
def test_what_is_not_a_whole_number_is_refused(text: str) -> None:
    refuses(ValueError, r"expected a whole number of 0 or more, got '", parse_whole, text)


@given(st.text())
def test_any_text_is_a_number_or_one_line_of_complaint(text: str) -> None:
    for parse in (parse_finite, parse_whole):
        complaint = ""
        try:
            assert math.isfinite(parse(text))
        except ValueError as error:
            complaint = str(error)
        assert len(complaint.splitlines()) <= 1
        assert len(complaint) < 700


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (1, "match", "1 match"),
        (2000, "match", "2,000 matches"),
        (0, "hand", "0 hands"),
        (1, "hand", "1 hand"),
    ],
)
def test_how_many_there_are_is_said_in_words(number: int, noun: str, words: str) -> None:
    assert how_many(number, noun) == words
