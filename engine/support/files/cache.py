"""The user's cache: compiled kernels, and arrays that take seconds to compute.

It lies in ``$RIVERBOAT_CACHE_DIR``, else ``$XDG_CACHE_HOME/riverboat``, else ``~/.cache/riverboat``.  Nothing
there is needed: a folder that cannot be read or written, or a file that is damaged, costs the computation.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.support.files.archive import Archive, ArchiveError, array_of, read_archive, write_archive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


CACHE_VARIABLE: Final = "RIVERBOAT_CACHE_DIR"
"""Names another folder."""
BOX_VARIABLE: Final = "RIVERBOAT_KERNELS"
"""``compile`` leaves alone the kernels that ``riverboat-kernels`` brings, for those who build it."""
_KIND: Final = "riverboat cache"


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


def is_taken(path: Path) -> bool:
    """Whether something that is no file is in a file's place, as a pipe, in which a process waits forever."""
    return path.exists() and not path.is_file()


def load_cached(
    name: str, schema: int, expected: Mapping[str, tuple[tuple[int, ...], DTypeLike]]
) -> dict[str, NDArray[Any]] | None:
    """The arrays that `store_cached` kept, or None if they have to be computed.

    Args:
        name: of the file in the cache directory, without its suffix; may have folders, as ``deals/2-0``.
        schema: the version of the arrays' meaning; a file with another is not read.
        expected: shape and dtype of each array, by name; a file with others is not read.
    """
    import numpy as np

    try:
        archive = None if is_taken(_path(name)) else read_archive(_path(name), _KIND, schema)
        if archive is None or archive.schema != schema:
            return None
        return {
            array: np.ascontiguousarray(array_of(archive.arrays, array, shape, np.dtype(dtype).str))
            for array, (shape, dtype) in expected.items()
        }
    except ValueError:  # the arrays are then computed again
        return None


def cached(
    name: str,
    schema: int,
    expected: Mapping[str, tuple[tuple[int, ...], DTypeLike]],
    make: Callable[[], dict[str, NDArray[Any]]],
) -> dict[str, NDArray[Any]]:
    """The arrays that were kept, or new ones by `make`, which are kept from now on; see `load_cached`."""
    kept = load_cached(name, schema, expected)
    if kept is None:
        kept = make()
        store_cached(name, schema, kept)
    return kept


def store_cached(name: str, schema: int, arrays: Mapping[str, ArrayLike]) -> None:
    """Keep arrays for `load_cached`; a cache directory that cannot be written is no fault.

    Args:
        name: of the file in the cache directory, without its suffix; may have folders, as ``deals/2-0``.
        schema: the version of the arrays' meaning, to be raised whenever they come to mean something else.
        arrays: by name.
    """
    import numpy as np

    archive = Archive(_KIND, schema, {}, {array: np.asarray(value) for array, value in arrays.items()})
    path = _path(name)
    with contextlib.suppress(OSError, ArchiveError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_taken(path):
            write_archive(path, archive)


def _path(name: str) -> Path:
    return cache_directory() / f"{name}.npz"
