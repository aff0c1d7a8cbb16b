"""Collects cyclic garbage among new objects, and only seldom among all objects.

Python's full collection looks at every object, and nobody is served meanwhile: 70 ms and more with a thousand
connections.  Nearly all of these objects belong to people who are still there.  So objects that survive a
full collection are set aside (`gc.freeze`), and the next one looks only at those created since.
Objects that became garbage after they were set aside, such as those of people who have left, are found when
all objects are looked at again: as soon as that takes no more than a small share of the time.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

SHARE: Final = 1 / 200
"""The largest share of time spent looking at everything: well below the hundredth that matters to a p99."""
_FULL: Final = 2
# The generation that a full collection collects.


@contextlib.contextmanager
def collected_in_parts(now: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Within this, the process collects garbage in parts; for a process that is a room and nothing else.

    Args:
        now: seconds.
    """
    due = began = now()
    looks_at_all = False

    def on_collection(phase: str, info: Mapping[str, Any]) -> None:
        nonlocal due, began, looks_at_all
        if info["generation"] != _FULL:
            return
        if phase == "start":
            began = now()
            looks_at_all = began >= due
            if looks_at_all:
                gc.unfreeze()
            return
        gc.freeze()
        if looks_at_all:
            ended = now()
            due = ended + (ended - began) / SHARE

    gc.callbacks.append(on_collection)
    try:
        yield
    finally:
        gc.callbacks.remove(on_collection)
        gc.unfreeze()
