"""Bots, commands and experiments by name: what installed packages declare in a group of entry points."""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points


@functools.cache  # to look through all that is installed takes some 10 ms
def declared(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, sorted; nothing of theirs is imported."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}
