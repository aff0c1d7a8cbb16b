"""One writer of a file at a time: a lock that ends with the process that holds it, in whatever way it ends.

The lock of FILE is ``FILE.lock``, held with `flock`.  Readers need none.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os


class FileIsLocked(Exception):
    """Another program, or another object of this one, writes the file."""


class FileLock:
    """The lock of a file, held from the start.

    Args:
        path: the file, which need not exist; where it is a link, its target is locked.

    Raises:
        FileIsLocked: somebody else holds it.
        OSError: the file's folder is missing or cannot be written.

    *Resource handling*: `release` it; the end of the process does as well.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.realpath(path) + ".lock"
        self._descriptor: int | None = _acquire(self._path)

    def release(self) -> None:
        """Let go; once is enough."""
        if self._descriptor is None:
            return
        # While we hold it; a program that waits for the lock of a file that is gone notices (`_acquire`).
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)
        os.close(self._descriptor)
        self._descriptor = None


def _acquire(path: str) -> int:
    """The descriptor of a lock that we hold."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise FileIsLocked(path) from error
            raise
        try:
            if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)  # its last holder has removed it in the meantime: make a new one
