"""What stands in files, read without trust: JSON texts and ``.npz`` archives of arrays.

A file may be truncated, damaged or made by somebody who means no good.  Whatever is wrong with it, these
readers raise a ValueError whose message is part of a line for people; what the libraries below them raise is
far more: RecursionError for JSON nested too deeply, `tokenize.TokenError`, SyntaxError and struct.error for
damaged headers of arrays, MemoryError for a header that promises too much.
"""

from __future__ import annotations

import hashlib
import io
import json
import reprlib
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none, is nested too deeply, or holds a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise ValueError(f"JSON that cannot be read: {why_unreadable(error)}") from None


def why_unreadable(error: Exception) -> str:
    """Why Python's reader of JSON or TOML gave a text up, in words for people."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    said = str(error)
    return "a number of thousands of digits" if said.startswith("Exceeds the limit") else said


def format_arrays(arrays: Mapping[str, ArrayLike], *, compressed: bool = False) -> bytes:
    """Arrays by name as an ``.npz`` archive, without pickles.

    Args:
        arrays: by name.
        compressed: to whoever reads it, `parse_arrays` must be told how large it may be.

    Raises:
        ValueError: an array of objects.
    """
    import numpy as np

    named = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in named.items():
        if array.dtype.hasobject:
            raise ValueError(f"the array {name!r} cannot be stored: it holds objects")
    file = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(file, allow_pickle=False, **named)
    return file.getvalue()


def parse_arrays(data: bytes, most: int = 0) -> dict[str, NDArray[Any]]:
    """The arrays of an archive made by `format_arrays`, by name.

    Args:
        data: the archive.
        most: bytes that it may grow to if it is compressed; a few bytes may promise any number.

    Raises:
        ValueError: it is truncated, damaged, or something else.
    """
    import numpy as np

    if not data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise ValueError("expected an .npz archive")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that look like Python 2's
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                if sum(member.file_size for member in archive.zip.infolist()) > max(len(data), most):
                    raise ValueError("its arrays are larger than the archive")
                return {name: archive[name] for name in archive.files}
    except Exception as error:  # a damaged archive may raise anything
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ValueError(f"no whole .npz archive: {reason}") from error


def digest_of(values: object, arrays: Mapping[str, NDArray[Any]]) -> str:
    """A checksum of JSON values, and of arrays with their names, types and shapes: 32 hex digits."""
    sha = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for name in sorted(arrays):
        import numpy as np

        array = np.ascontiguousarray(arrays[name])  # gives a single number the shape (1,)
        sha.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()[:32]


def shown(value: object) -> str:
    """A value from a file, to repeat in a message: on one line, and no more of it than helps."""
    return reprlib.repr(value)
