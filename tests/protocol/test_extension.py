"""Lines that begin with ``#``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.extension import (
    CAPABILITIES,
    format_greeting,
    is_comment,
    parse_greeting,
    parse_note,
)

words = st.lists(st.from_regex(r"[!-~]+", fullmatch=True), max_size=5)


@given(words)
def test_greeting_survives_a_round_trip(said: list[str]) -> None:
    line = format_greeting(said)

    assert parse_greeting(line) == tuple(said)
    assert is_comment(line.encode())


@pytest.mark.parametrize(
    "line", ["", "#", "# riverboat/1", "#riverboat/2 seat", "#riverboat/10", "#riverboat", "riverboat/1"]
)
def test_other_lines_are_not_greetings(line: str) -> None:
    assert parse_greeting(line) is None


def test_a_greeting_may_ask_for_nothing() -> None:
    assert parse_greeting("#riverboat/1") == ()
    assert parse_greeting("#riverboat/1  seat   clock ") == ("seat", "clock")


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("#seat 1", ("seat", "1")),
        ("#names A|B b|C", ("names", "A|B b|C")),
        ("#clock", ("clock", "")),
        ("#future  with blanks ", ("future", "with blanks")),
        ("# seat 1", None),
        (";seat 1", None),
        ("#", None),
        ("#1 2", None),
    ],
)
def test_notes_and_ordinary_comments(line: str, note: tuple[str, str] | None) -> None:
    assert parse_note(line) == note


def test_capabilities_are_words_that_name_notes() -> None:
    assert all(parse_note(f"#{name} x") == (name, "x") for name in CAPABILITIES)


@pytest.mark.parametrize(
    ("line", "expected"), [(b"#x", True), (b";x", True), (b" #x", False), (b"", False), (b"x#", False)]
)
def test_comments_begin_at_the_first_byte(line: bytes, expected: bool) -> None:
    assert is_comment(line) is expected
