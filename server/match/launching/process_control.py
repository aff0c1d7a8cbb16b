"""What a process may ask of Linux for itself; elsewhere, or if Linux refuses, nothing happens."""

from __future__ import annotations

import contextlib
import sys
from typing import Final

_SET_DUMPABLE: Final = 4  # PR_SET_DUMPABLE of <linux/prctl.h>
_SET_CHILD_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER


def keep_others_out() -> None:
    """Close this process's memory and descriptors to other processes of the same user, but not to root's."""
    _control(_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Become the parent of processes that our descendants leave behind, instead of process 1."""
    _control(_SET_CHILD_SUBREAPER, 1)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # loads libffi: only for those who launch others

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
