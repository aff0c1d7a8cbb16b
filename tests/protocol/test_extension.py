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
from tests.support.doubles_protocol import lines

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


@pytest.mark.parametrize(("line", "note"), lines("room")["notes"])
def test_notes_and_ordinary_comments(line: str, note: list[str]) -> None:
    assert parse_note(line) == (tuple(note) or None)


def test_capabilities_are_words_that_name_notes() -> None:
    assert all(parse_note(f"#{name} x") == (name, "x") for name in CAPABILITIES)


@pytest.mark.parametrize(
    ("line", "expected"), [(b"#x", True), (b";x", True), (b" #x", False), (b"", False), (b"x#", False)]
)
def test_comments_begin_at_the_first_byte(line: bytes, expected: bool) -> None:
    assert is_comment(line) is expected
