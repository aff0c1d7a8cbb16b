"""What a client tells the house about its strategy, and the house tells nobody: ``#policy`` lines.

A client that was granted ``policy`` (`protocol.extension`) sends with a reply, before it and in the same
write, what it would have done with every hand it could hold::

    #policy HAND BETTING ROWS DATA

HAND and BETTING are those of the state it answers; BETTING is ``-`` at the beginning of a hand.  ROWS is the
number of hands it distinguishes: 1 if it does the same with all; in hold'em the 169 starting hands or the
1326 combos (both in the order of ``engine.poker.combos``); in other games all sets of hole cards, cards
ascending, in lexicographic order, up to 1326.  DATA has two columns, the chances of folding and of raising
by hand, or three: in no-limit games the third is how likely a raise is to be to exactly the total chosen, by
hand, on any scale. A number is a 16-bit integer, 65535 for one, big-endian; a column is the high bytes of
all hands followed by the low bytes; the columns follow each other, are compressed (RFC 1950) and written in
base 85 (the alphabet of RFC 1924).

A line has at most `MAX_LINE` bytes.  If a policy does not fit, its numbers are rounded to as many bits as do
fit, in such a way that possible actions stay possible.

The house keeps a line for each decision, preceded by the seat (`format_record`), in a file of the match
folder.  It does not look at DATA; the reader of the file does (`parse_record`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from protocol.framing import MAX_LINE

CAPABILITY: Final = "policy"
"""The word of the greeting."""
PREFIX: Final = b"#policy "
MOST_ROWS: Final = 1326
"""How many hands a policy may distinguish."""
ONE: Final = 65535
"""The number that stands for a chance of one."""
FILE_HEADER: Final = "# policies: SEAT HAND BETTING ROWS DATA\n"
"""The first line of a file of records."""

_START: Final = "-"
_BITS: Final = (16, 14, 12, 11, 10, 9, 8)
_MOST_BYTES: Final = 2 * 3 * MOST_ROWS


def format_policy(hand_number: int, betting: str, columns: Sequence[bytes]) -> str:
    """A ``#policy`` line, without line end.

    Args:
        hand_number: of the state that is answered.
        betting: its text.
        columns: two or three, each of 16-bit numbers by hand, big-endian, up to `MOST_ROWS`.

    Raises:
        ValueError: other columns, or numbers that cannot be compressed into a line.
    """
    rows = len(columns[0]) // 2 if columns else 0
    got = [len(column) for column in columns]
    if len(columns) not in (2, 3) or not 0 < rows <= MOST_ROWS or {*got} != {2 * rows}:
        raise ValueError(f"expected 2 or 3 columns for 1 to {MOST_ROWS} hands, got {got} bytes")
    start = f"{PREFIX.decode()}{hand_number} {betting or _START} {rows} "
    for bits in _BITS:
        line = start + _packed(columns if bits == 16 else _rounded(columns, bits))
        if len(line) + 2 <= MAX_LINE:
            return line
    raise ValueError(f"a policy that does not fit into a line of {MAX_LINE} bytes after {betting!r}")


def _packed(columns: Sequence[bytes]) -> str:
    from base64 import b85encode  # only clients that disclose something wait for these imports
    from zlib import compress

    return b85encode(compress(b"".join(column[::2] + column[1::2] for column in columns), 6)).decode("ascii")


def _rounded(columns: Sequence[bytes], bits: int) -> list[bytes]:
    """Numbers rounded to 2^bits steps from 0 to one; possible actions stay possible, also calls."""
    steps = (1 << bits) - 1

    def nearest(number: int) -> int:
        step = (number * steps * 2 + ONE) // (2 * ONE)
        return min(max(step, 1), steps - 1) if 0 < number < ONE else step

    numbers = [read_numbers(column) for column in columns]
    rounded = [[nearest(number) for number in column] for column in numbers]
    for row, (fold, raise_) in enumerate(zip(numbers[0], numbers[1], strict=True)):
        most = steps - 1 if fold + raise_ < ONE else steps
        while rounded[0][row] + rounded[1][row] > most:
            rounded[rounded[0][row] < rounded[1][row]][row] -= 1
    return [write_numbers([step * ONE // steps for step in column]) for column in rounded]


def write_numbers(numbers: Sequence[int]) -> bytes:
    """A column of numbers, big-endian."""
    return b"".join([number.to_bytes(2, "big") for number in numbers])


def read_numbers(column: bytes) -> list[int]:
    """The numbers of a column."""
    return [high << 8 | low for high, low in zip(column[::2], column[1::2], strict=True)]


def names_state(line: bytes, hand_number: int, betting: str) -> bool:
    """Whether a comment, with its line end, is a ``#policy`` line for a state: the house's only check."""
    if not line.startswith(b"#policy %d %s " % (hand_number, (betting or _START).encode())):
        return False
    return line.count(b" ") == 4 and line.endswith(b"\n")  # else it was too long


def format_record(seat: int, line: bytes) -> str:
    """A ``#policy`` line as the house keeps it, line end included: it is always one line of text."""
    text = line[len(PREFIX) :].rstrip(b"\r\n").decode("ascii", "replace").replace("\ufffd", "?")
    return f"{seat} {text}\n"


@attrs.frozen
class PolicyRecord:
    """A line of the house's file, parsed."""

    seat: int
    hand_number: int
    betting: str
    rows: int
    columns: tuple[bytes, ...]
    """Two or three columns of 16-bit numbers, big-endian."""


def parse_record(line: str) -> PolicyRecord | None:
    """The record in a line of the house's file; None for a comment.

    Raises:
        ValueError: what a client sent is not a policy, or the line is incomplete.
    """
    if line.startswith("#"):
        return None
    words = line.split()
    if len(words) != 5:
        raise ValueError(f"expected SEAT HAND BETTING ROWS DATA, got {line[:60]!r}")
    seat, hand, betting, rows, data = words
    if not all(word.isascii() and word.isdecimal() and len(word) < 12 for word in (seat, hand, rows)):
        raise ValueError(f"expected whole numbers for seat, hand and rows, got {line[:60]!r}")
    number = int(rows)
    if not 0 < number <= MOST_ROWS:
        raise ValueError(f"expected a policy for 1 to {MOST_ROWS} hands, got {number}")
    columns = _unpacked(data, number)
    if any(fold + raise_ > ONE for fold, raise_ in zip(*map(read_numbers, columns[:2]), strict=True)):
        raise ValueError("a policy whose chances of folding and raising add up to more than one")
    return PolicyRecord(int(seat), int(hand), "" if betting == _START else betting, number, columns)


def _unpacked(data: str, rows: int) -> tuple[bytes, ...]:
    from base64 import b85decode
    from zlib import decompressobj, error

    try:
        compressed = b85decode(data)
    except ValueError as fault:
        raise ValueError(f"a policy that is not in base 85: {fault}") from None
    reader = decompressobj()
    try:
        raw = reader.decompress(compressed, _MOST_BYTES + 1)
    except error as fault:
        raise ValueError(f"a policy that cannot be decompressed: {fault}") from None
    if not reader.eof or len(raw) not in (4 * rows, 6 * rows):
        raise ValueError(f"expected two or three columns of {rows} numbers, got {len(raw)} bytes")
    columns = []
    for start in range(0, len(raw), 2 * rows):
        interleaved = bytearray(2 * rows)
        interleaved[::2] = raw[start : start + rows]
        interleaved[1::2] = raw[start + rows : start + 2 * rows]
        columns.append(bytes(interleaved))
    return tuple(columns)
