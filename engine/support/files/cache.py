"""What is computed once for a user and kept: compiled kernels, and arrays that take seconds to compute.

They lie in the `cache_directory`.  Nothing there is needed: a folder that cannot be read or written, or a
file that is damaged, costs the computation.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from engine.support.files.cache_directory import cache_directory
from engine.support.files.formats import format_arrays, parse_arrays
from engine.support.files.whole import write_whole

__all__ = ["load_cached", "store_cached"]

_SCHEMA: Final = "schema"
"""The name of the number that says how a file's arrays are to be understood."""


def load_cached(
    name: str, schema: int, expected: Mapping[str, tuple[tuple[int, ...], DTypeLike]]
) -> dict[str, NDArray[Any]] | None:
    """The arrays that `store_cached` kept, or None if they have to be computed.

    Args:
        name: of the file in the cache directory, without its suffix; may have folders, as ``deals/2-0``.
        schema: the version of the arrays' meaning; a file with another is not read.
        expected: shape and dtype of each array, by name; a file with others is not read.
    """
    try:
        found = parse_arrays(_path(name).read_bytes())
    except (OSError, ValueError):  # the arrays are then computed again
        return None
    if not np.array_equal(found.get(_SCHEMA, np.array(None)), schema):
        return None
    arrays: dict[str, NDArray[Any]] = {}
    for array, (shape, dtype) in expected.items():
        if array not in found or found[array].shape != shape or found[array].dtype != dtype:
            return None
        arrays[array] = np.ascontiguousarray(found[array])
    return arrays


def store_cached(name: str, schema: int, arrays: Mapping[str, ArrayLike]) -> None:
    """Keep arrays for `load_cached`; a cache directory that cannot be written is no fault.

    Args:
        name: of the file in the cache directory, without its suffix; may have folders, as ``deals/2-0``.
        schema: the version of the arrays' meaning, to be raised whenever they come to mean something else.
        arrays: by name; ``schema`` is taken.
    """
    data = format_arrays({_SCHEMA: schema, **arrays})
    with contextlib.suppress(OSError):
        path = _path(name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, data)


def _path(name: str) -> Path:
    return cache_directory() / f"{name}.npz"
