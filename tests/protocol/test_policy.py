"""Policies: what survives the wire, what a line can hold, what is no policy."""

from __future__ import annotations

import base64
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.framing import MAX_LINE
from protocol.policy import (
    FILE_HEADER,
    ONE,
    chances_as_numbers,
    format_policy,
    format_record,
    names_state,
    parse_record,
    read_numbers,
    write_numbers,
)

chances = st.floats(0, 1).filter(lambda chance: chance == 0 or chance > 1e-300)


@given(chances, chances, chances)
def test_what_is_possible_stays_possible_and_little_is_lost(fold: float, call: float, raise_: float) -> None:
    total = fold + call + raise_
    if total == 0:
        with pytest.raises(ValueError, match="one positive"):
            chances_as_numbers(fold, call, raise_)
        return

    folds, raises = chances_as_numbers(fold, call, raise_)

    calls = ONE - folds - raises
    for number, chance in zip((folds, calls, raises), (fold, call, raise_), strict=True):
        assert number / ONE == pytest.approx(chance / total, abs=2.5 / ONE)
        assert (number > 0) >= (chance / total > 0)


@settings(max_examples=30)
@given(
    st.sampled_from((1, 3, 6, 169, 1326)),
    st.integers(2, 3),
    st.integers(0, 2**32),
    st.text("crf/", max_size=12),
)
def test_policies_survive_the_wire_and_the_file(rows: int, columns: int, seed: int, betting: str) -> None:
    rng = random.Random(seed)
    folds = [rng.choice((0, ONE, rng.randrange(1000))) for _ in range(rows)]
    raises = [min(rng.choice((0, 500, rng.randrange(ONE))), ONE - fold) for fold in folds]
    sizes = [rng.choice((0, ONE)) for _ in range(rows)]
    sent = [write_numbers(numbers) for numbers in (folds, raises, sizes)[:columns]]

    line = format_policy(17, betting, sent).encode() + b"\r\n"
    record = parse_record(format_record(1, line))

    assert len(line) <= MAX_LINE
    assert names_state(line, 17, betting)
    assert not names_state(line.rstrip(), 17, betting)
    assert not names_state(line, 18, betting)
    assert not names_state(line, 17, betting + "c")
    assert record is not None
    assert (record.seat, record.hand_number, record.betting, record.rows) == (1, 17, betting, rows)
    for received, numbers in zip(record.columns, (folds, raises, sizes), strict=False):
        assert max(abs(a - b) for a, b in zip(read_numbers(received), numbers, strict=True)) <= ONE / 1000


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_the_worst_of_policies_fits_and_stays_possible(seed: int) -> None:
    rng = random.Random(seed)
    triples = [chances_as_numbers(rng.random(), rng.random(), rng.random()) for _ in range(1326)]
    folds, raises = zip(*triples, strict=True)
    columns = [
        write_numbers(folds),
        write_numbers(raises),
        write_numbers([rng.randrange(ONE) for _ in folds]),
    ]

    line = format_policy(10**9, "r20000" * 8, columns[:2])
    record = parse_record(format_record(0, line.encode()))

    assert len(line) + 2 <= MAX_LINE
    assert record is not None
    for fold, raise_, old_fold, old_raise in zip(
        *map(read_numbers, record.columns), folds, raises, strict=True
    ):
        assert abs(fold - old_fold) <= ONE / 128
        assert abs(raise_ - old_raise) <= ONE / 128
        assert min(fold, raise_, ONE - fold - raise_) > 0


def packed(*columns: list[int]) -> str:
    raw = b"".join(write_numbers(column)[::2] + write_numbers(column)[1::2] for column in columns)
    return base64.b85encode(zlib.compress(raw)).decode()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "expected SEAT HAND"),
        ("0 1 - 1", "expected SEAT HAND"),
        ("0 1 - 1 " + packed([0], [0]) + " more", "expected SEAT HAND"),
        ("x 1 - 1 " + packed([0], [0]), "whole numbers"),
        ("0 -1 - 1 " + packed([0], [0]), "whole numbers"),
        ("0 1 - " + "9" * 5000 + " " + packed([0], [0]), "whole numbers"),
        ("0 1 - 0 " + packed([], []), "1 to 1326"),
        ("0 1 - 1 é", "base 85"),
        ("0 1 - 1 abcde", "decompressed"),
        ("0 1 - 1 ~~~~~", "base 85"),
        ("0 1 - 1 " + packed([0], [0])[:-5], "columns of 1"),
        ("0 1 - 1 " + packed([0]), "columns of 1"),
        ("0 1 - 169 " + packed([0] * 168, [0] * 168), "columns of 169"),
        ("0 1 - 1 " + base64.b85encode(zlib.compress(bytes(10**7))).decode(), "columns of 1"),
        ("0 1 - 1 " + packed([40000], [40000]), "more than one"),
    ],
)
def test_what_is_not_a_policy_is_refused(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_record(line)


def test_the_header_is_a_comment() -> None:
    assert parse_record(FILE_HEADER) is None


@pytest.mark.parametrize(
    "line", [b"#policy 1 - 1 a b", b"#policy 1 - 1", b"#policy 1  - 1 a", b"#Policy 1 - 1 a"]
)
def test_the_house_keeps_only_lines_of_five_words(line: bytes) -> None:
    assert not names_state(line + b"\n", 1, "")


@pytest.mark.parametrize("columns", [[], [b"ab"], [b"ab", b"abcd"], [b"ab" * 1327] * 2, [b"ab"] * 4])
def test_other_columns_are_refused(columns: list[bytes]) -> None:
    with pytest.raises(ValueError, match="expected 2 or 3 columns"):
        format_policy(0, "", columns)
