"""Python's collector of cycles in a room: all tables would wait while it looks at everything."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_RARELY: Final = 100
"""Collections of what is young between two of everything; Python's own number is ten."""


@contextmanager
def seldom_of_everything() -> Iterator[None]:
    """Within the block everything is collected ten times more rarely.

    With a thousand connections that takes a fifth of a second, and Python would do it every second at full
    speed.  What is young is collected as before; the rest waits, some 7 MB for each second at full speed.
    """
    before = gc.get_threshold()
    gc.set_threshold(before[0], before[1], _RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
