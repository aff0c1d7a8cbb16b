"""A signal ends the program at once, from its first moments on; `interruption` has the other ways.

Nothing is imported here that takes time: Python's own `signal` takes long enough to be interrupted, hence its
part in C.
"""

import os
from _signal import SIG_DFL, SIGHUP, SIGINT, SIGTERM, default_int_handler, getsignal, signal  # type: ignore[import-not-found]

_SHOW_CURSOR = b"\r\x1b[K\x1b[?25h"
"""For a terminal on which a bar has been drawn."""


def end_at_once() -> None:
    """From now on a signal ends this process as soon as Python sees it, with nothing tidied up.

    What our caller wants ignored stays so, as under nohup.
    """
    for number in (SIGINT, SIGTERM, SIGHUP):
        if getsignal(number) in (SIG_DFL, default_int_handler):
            signal(number, leave)


def leave(number: int, frame: object = None) -> None:
    """End this process with 128 and the signal's number; also a signal's handler."""
    try:
        if os.isatty(2):
            os.write(2, _SHOW_CURSOR)
    except OSError:
        pass  # nobody is there to see it
    os._exit(128 + number)
