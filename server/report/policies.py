"""What clients told of their strategies, read back from a match's folder (`protocol.policy`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from protocol.policy import parse_record
from server.record_file import read_lines

__all__ = ["POLICY_FILE", "PolicyFile"]

POLICY_FILE: Final = "policies"
"""Its name, beside the log."""

Told = Mapping[str, Callable[[], Sequence[bytes]]]


class PolicyFile:
    """The policies of one log; none where there is no such file.

    Args:
        path: of the file.

    Raises:
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # By hand, the lines by betting: the last that was told of a state counts.
        self._lines: dict[str, dict[str, tuple[int, str]]] = {}
        for number, line in enumerate(read_lines(path), 1):
            words = line.split(" ", 3)
            if len(words) == 4 and not line.startswith("#"):
                _, hand, betting, _ = words
                self._lines.setdefault(hand, {})[betting.strip("-")] = number, line

    def told(self, hand_number: int) -> Told:
        """What was told in a hand, by betting; each is read when it is asked for.

        Asking raises a ValueError where a client sent what is no policy.
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
