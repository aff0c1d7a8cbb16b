"""Files that are replaced in one step: their readers find the old contents or the new, never half.

The contents are written to a temporary file in the same folder, ``.<random>.new``, which then takes the place
of the old file.  A process that is killed meanwhile leaves the old file as it was, and the temporary one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import signal
import stat
from collections.abc import Iterator
from typing import Final

from engine.support.interruption import SIGNALS

_ORDINARY: Final = 0o666
"""The permissions that `open` asks for; the umask takes from them."""


def write_whole(
    path: str | os.PathLike[str], data: str | bytes, *, durable: bool = False, mode: int = _ORDINARY
) -> None:
    """Replace a file in one step, or leave it as it is.

    Permissions and symbolic links are treated as ``open(path, "w")`` treats them: a file that exists keeps
    its permissions, and a link goes on pointing to the file, which is the one that is replaced.  Other hard
    links to the old file keep the old contents.  What is not a regular file, like ``/dev/stdout``, is
    written to.

    Args:
        path: the file; its folder must exist and be writable.
        data: all of its contents; text is written as UTF-8.
        durable: return only when the new contents will survive a power cut.
        mode: permissions of a file that is new, less the umask.

    Raises:
        OSError: it cannot be written; the old file is as it was and no temporary file is left.
    """
    contents = data.encode() if isinstance(data, str) else data
    place = os.path.realpath(path)
    try:
        found = os.lstat(place)
    except FileNotFoundError:
        found = None
    if found is not None and stat.S_ISLNK(found.st_mode):  # cannot be resolved
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    if found is not None and not stat.S_ISREG(found.st_mode):
        with open(place, "wb") as file:
            file.write(contents)
        return
    folder = os.path.dirname(place)
    temporary = os.path.join(folder, f".{secrets.token_hex(8)}.new")
    with _undisturbed():
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            with open(handle, "wb") as file:
                file.write(contents)
                if found is not None:
                    os.fchmod(handle, stat.S_IMODE(found.st_mode))
                if durable:
                    file.flush()
                    os.fsync(handle)
            os.replace(temporary, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    if durable:
        _keep_names(folder)


def _keep_names(folder: str) -> None:
    """Returns when the names of a folder's files will survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A context in which Ctrl-C and its like wait: ending at once would leave the temporary file."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
