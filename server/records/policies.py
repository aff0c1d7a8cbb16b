"""Reads the strategies that clients stated from a match's folder (`protocol.policy`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from protocol.policy import parse_record
from server.support.record_file import read_lines

__all__ = ["POLICY_FILE", "PolicyFile"]

POLICY_FILE: Final = "policies"
"""The name of the file, which is beside the log."""

Told = Mapping[str, Callable[[], Sequence[bytes]]]


class PolicyFile:
    """The policies of one log; empty if there is no such file.

    Args:
        path: the file.

    Raises:
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # By hand, the lines by betting: the last statement about a state counts.
        self._lines: dict[str, dict[str, tuple[int, str]]] = {}
        for number, line in enumerate(read_lines(path), 1):
            words = line.split(" ", 3)
            if len(words) == 4 and not line.startswith("#"):
                _, hand, betting, _ = words
                self._lines.setdefault(hand, {})[betting.strip("-")] = number, line

    def told(self, hand_number: int) -> Told:
        """The policies stated in a hand, by betting; each is parsed when it is looked up.

        Looking one up raises ValueError if what the client sent is not a policy.
        """
        lines = self._lines.get(str(hand_number), {})
        return {betting: functools.partial(self._columns, *line) for betting, line in lines.items()}

    def _columns(self, number: int, line: str) -> Sequence[bytes]:
        try:
            record = parse_record(line)
        except ValueError as error:
            raise ValueError(f"{self._path}:{number}: {error}") from None
        assert record is not None  # comments were left out
        return record.columns
