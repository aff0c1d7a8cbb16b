"""What a player's process may use: processor time, memory, processes, file sizes; it leaves no core files.

``setrlimit`` does it, in a program of ours that then becomes the player (``entry``), so that there is no
moment without limits.  They apply to each process separately, except the number of processes, which Linux
counts for the whole user (in a sandbox: for the user there), and does not limit for root.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from engine.support.user_input import did_you_mean, parse_whole

_ENTRY: Final = Path(__file__).with_name("entry.py")
_MEGABYTE: Final = 2**20


@attrs.frozen
class ProcessLimits:
    """What a process may use; None for no limit."""

    cpu: int | None = None
    """Seconds of processor time, over its whole life."""
    memory: int | None = None
    """Megabytes of its own memory: data, heap, private mappings; not programs or memory only reserved."""
    processes: int | None = None
    """Processes and threads of the user."""
    file_size: int | None = None
    """Megabytes of a file that it writes."""

    def as_argument(self) -> str:
        """The text that `parse_limits` reads back."""
        known = attrs.asdict(self).items()
        return ",".join(f"{name.replace('_', '-')}={value}" for name, value in known if value is not None)

    def command_line(self, line: Sequence[str]) -> list[str]:
        """What to execute in place of a command line."""
        items = [
            f"{name}={value * (_MEGABYTE if name in ('memory', 'file_size') else 1)}"
            for name, value in attrs.asdict(self).items()
            if value is not None
        ]
        # -I -S: nothing from the environment, and no packages, so that it takes a hundredth of a second.
        return [sys.executable, "-I", "-S", str(_ENTRY), ",".join(items) or "-", *line]


_NAMES: Final = {field.name.replace("_", "-"): field.name for field in attrs.fields(ProcessLimits)}


def parse_limits(text: str) -> ProcessLimits:
    """The limits of a text such as ``cpu=600,memory=1024,processes=64,file-size=100``.

    Raises:
        ValueError: it means none; the message is part of a line for people.
    """
    found: dict[str, int] = {}
    for item in text.split(","):
        name, equals, value = (part.strip() for part in item.partition("="))
        if name not in _NAMES or not equals:
            known = ", ".join(f"{each}=N" for each in _NAMES)
            raise ValueError(f"expected {known}, got {item!r}{did_you_mean(name, _NAMES)}")
        number = parse_whole(value)
        if number == 0:
            raise ValueError(f"expected a number above 0, got {item!r}")
        found[_NAMES[name]] = number
    return ProcessLimits(**found)
