"""What a process may ask of Linux for itself; elsewhere, and where it is refused, nothing happens."""

from __future__ import annotations

import contextlib
import sys
from typing import Final

_SET_DUMPABLE: Final = 4  # PR_SET_DUMPABLE of <linux/prctl.h>


def keep_others_out() -> None:
    """Close this process's memory and descriptors to other processes of the same user, but not to root's."""
    _control(_SET_DUMPABLE, 0)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # loads libffi: only for those who launch others

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
