"""Where a user's cache lies.

That is ``$RIVERBOAT_CACHE_DIR``, else ``$XDG_CACHE_HOME/riverboat``, else ``~/.cache/riverboat``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["CACHE_VARIABLE", "cache_directory"]

CACHE_VARIABLE: Final = "RIVERBOAT_CACHE_DIR"
"""Names another folder."""


def cache_directory() -> Path:
    """The folder of this user's compiled kernels and computed tables (not necessarily existing yet)."""
    override = os.environ.get(CACHE_VARIABLE)
    if override:
        return Path(override).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    # The base directory specification says that a relative path is to be ignored.
    if base and os.path.isabs(base):
        return Path(base) / "riverboat"
    try:
        return Path.home() / ".cache" / "riverboat"
    except RuntimeError:  # no home directory, as in some containers
        return Path(os.devnull) / "riverboat"  # cannot be created: nothing is kept
