"""Finds out who sits where in a match, from the names in its next hands.

A log says so in every line.  If one of the lines is wrong, most of them are still right.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Final

from protocol.records import HandRecord
from server.records.logs import LogError, by_seat

_LOOK_AHEAD: Final = 64
"""The number of lines looked at in advance."""

Names = tuple[str, ...]


class LinesAhead:
    """Numbered lines, of which the next ones can be looked at in advance."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self._ahead: deque[tuple[int, str]] = deque()
        self._error: LogError | None = None  # after what has been read

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        if self._ahead:
            return self._ahead.popleft()
        if self._error is not None:
            raise self._error
        return next(self._lines)

    def ahead(self) -> list[str]:
        """The texts of some of the next lines, which are not consumed."""
        try:
            self._ahead.extend(itertools.islice(self._lines, max(0, _LOOK_AHEAD - len(self._ahead))))
        except LogError as error:
            self._error = error
        return [text for _, text in self._ahead]


def most_frequent_seats(record: HandRecord, following: Sequence[str]) -> tuple[Names, bool]:
    """Names by seat, and whether the button moves, according to most hands.

    Args:
        record: the first hand of a match.
        following: the lines after it.
    """
    players = len(record.names)
    moving, fixed = Counter[Names](), Counter[Names]()
    first = [(record.hand_number, record.names)]
    for number, names in itertools.chain(first, _following_names(following, record.hand_number)):
        if len(names) == players:
            fixed[names] += 1
            moving[names if number is None else by_seat(names, number)] += 1
    (most_moving, times_moving), (most_fixed, times_fixed) = moving.most_common(1)[0], fixed.most_common(1)[0]
    return (most_fixed, False) if times_fixed > times_moving else (most_moving, True)


def _following_names(texts: Sequence[str], number: int) -> Iterator[tuple[int | None, Names]]:
    """Numbers and names of the hands of the same match; and those of its score, without a number."""
    for text in texts:
        parts = text.rstrip("\r\n").split(":")
        names = tuple(parts[-1].split("|"))
        if parts[0] == "STATE" and len(parts) == 6 and parts[1].isdecimal() and len(parts[1]) < 20:
            if int(parts[1]) <= number:
                return
            number = int(parts[1])
            yield number, names
        elif parts[0] == "SCORE" and len(parts) == 3:
            yield None, names
            return
