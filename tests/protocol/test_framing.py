"""Lines from bytes, however these are chopped up."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.framing import MAX_LINE, LineBuffer
from tests.support.hands.strategies import chunkings


def lines_of(pieces: list[bytes], *, end: bool = True) -> list[bytes]:
    buffer = LineBuffer()
    lines = []
    for piece in [*pieces, b""] if end else pieces:
        buffer.feed(piece)
        while (line := buffer.next_line()) is not None:
            lines.append(line)
    return lines


def fgets_lines(data: bytes) -> list[bytes]:
    """What reading with a buffer of 4096 bytes gives in C (docs/acpc-dealer.md 5.6)."""
    lines = []
    while data:
        end = data.find(b"\n") + 1 or len(data)
        end = min(end, 4095)
        lines.append(data[:end])
        data = data[end:]
    return lines


streams = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.sampled_from([b"\n", b"\r\n", b"a", b"MATCHSTATE:0:0::\r\n", b"x" * 4094, b"x" * 4095]), max_size=8
    ).map(b"".join),
)


@given(st.data())
def test_lines_do_not_depend_on_how_the_bytes_arrive(data: st.DataObject) -> None:
    stream = data.draw(streams)

    assert lines_of(data.draw(chunkings(stream))) == fgets_lines(stream)


@pytest.mark.parametrize("length", [4093, 4094, 4095, 4096, 8189, 8190, 8191])
def test_long_lines_are_cut_where_the_acpc_cuts_them(length: int) -> None:
    stream = b"x" * length + b"\n"

    assert lines_of([stream]) == fgets_lines(stream)
    assert max(map(len, lines_of([stream]))) <= MAX_LINE


def test_an_incomplete_line_waits_and_an_unterminated_last_one_is_a_line() -> None:
    assert lines_of([b"one\ntwo"], end=False) == [b"one\n"]
    assert lines_of([b"one\ntwo"]) == [b"one\n", b"two"]


@given(st.data())
def test_a_line_is_taken_from_behind_those_that_may_be_skipped_and_no_others(data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from([b"#x\n", b"#\n", b"wanted #\n", b"#wanted\n", b"one\n"])))
    buffer = LineBuffer()
    for piece in data.draw(chunkings(b"".join(lines))):
        buffer.feed(piece)

    taken = buffer.take_behind(lambda line: line.startswith(b"#"), lambda line: line == b"#wanted\n")

    position = next((k for k, line in enumerate(lines) if line == b"#wanted\n" or line[:1] != b"#"), None)
    if position is None or lines[position] != b"#wanted\n":
        assert taken is None
    else:
        assert taken == lines.pop(position)
    buffer.feed(b"")
    assert list(iter(buffer.next_line, None)) == lines
    assert buffer.at_end


def test_no_line_is_taken_from_behind_an_incomplete_one() -> None:
    buffer = LineBuffer()
    buffer.feed(b"#x\n#wan")

    assert buffer.take_behind(lambda _: True, lambda line: line.startswith(b"#wan")) is None
    buffer.feed(b"ted\n")
    assert buffer.take_behind(lambda _: True, lambda line: line.startswith(b"#wan")) == b"#wanted\n"
    assert len(buffer) == 3


def test_the_end_is_reached_when_every_line_has_been_handed_out() -> None:
    buffer = LineBuffer()
    buffer.feed(b"one\n")
    buffer.feed(b"")

    assert not buffer.at_end
    buffer.next_line()
    assert buffer.at_end


@pytest.mark.parametrize("stream", [b"x" * 2_000_000, b"\n" * 300_000], ids=["no line end", "line ends only"])
@pytest.mark.parametrize("size", [1, 100_000], ids=["byte by byte", "in large pieces"])
def test_time_is_linear(stream: bytes, size: int) -> None:
    """A quadratic buffer would need minutes for this."""
    stream = stream[: 300_000 * min(size, 7)]
    started = time.process_time()

    lines_of([stream[start : start + size] for start in range(0, len(stream), size)])

    assert time.process_time() - started < 5
