"""Compiling before a clock runs: once per machine, and checked without loading the compiler.

A rule-based bot starts in a fifth of a second because it loads no compiler until it needs a kernel.  On a new
machine that moment would last many seconds, in mid-hand.  So its kernels are compiled before it sits down,
and a *mark* beside the compiled kernels says that this has been done for these sources, this Python, this
numba and this processor.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from engine.support.files.cache import cache_directory

__all__ = ["compiled_once", "prepare_hand_strength"]

_KEPT_S: Final = 30 * 24 * 3600.0
"""The age, in seconds, up to which marks are kept, since several versions of the program may be in use."""
_ENGINE: Final = Path(__file__).parents[1]


def compiled_once(subject: str, compile_all: Callable[[], None]) -> None:
    """Call a function that compiles, unless it is known to have been called on this machine.

    Args:
        subject: a word for what is compiled.
        compile_all: a function that calls every kernel to be compiled.
    """
    mark = cache_directory() / "kernels" / f"{subject}-{_state()}.compiled"
    if mark.exists():
        return
    compile_all()
    with contextlib.suppress(OSError):  # a cache that cannot be written: the next process compiles as well
        mark.touch()
        for former in mark.parent.glob(f"{subject}-*.compiled"):
            if former.stat().st_mtime < mark.stat().st_mtime - _KEPT_S:
                former.unlink(missing_ok=True)


def prepare_hand_strength() -> None:
    """Compile the kernel of `engine.hands.hand_strength.hand_strength`."""
    compiled_once("hand_strength", _compile_hand_strength)


def _compile_hand_strength() -> None:
    from engine.hands.hand_strength import hand_strength

    for board in ((8, 17, 30), (8, 17, 30, 43), (8, 17, 30, 43, 50)):
        hand_strength((0, 5), board)


@functools.cache
def _state() -> str:
    """A digest of everything that compiled code depends on."""
    digest = hashlib.sha256()
    for source in sorted(_ENGINE.rglob("*.py")):
        seen = source.stat()
        digest.update(f"{source.relative_to(_ENGINE)} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    with contextlib.suppress(PackageNotFoundError):
        digest.update(version("numba").encode())
    # numba compiles for the processor it finds, or for the one it is told.
    processor = os.environ.get("NUMBA_CPU_NAME") or _processor()
    digest.update(f"{sys.version} {platform.machine()} {processor}".encode())
    return digest.hexdigest()[:20]


def _processor() -> str:
    """The processor's name and features, if the system tells them (Linux)."""
    try:
        first = Path("/proc/cpuinfo").read_text("utf-8", "replace").partition("\n\n")[0]
    except OSError:
        return platform.processor()
    return "\n".join(
        line for line in first.splitlines() if line.startswith(("model name", "flags", "Features"))
    )
