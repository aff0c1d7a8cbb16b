"""Archives: the one form of all files that this program writes for itself to read.

An archive has a kind, a schema number, a meta object and named arrays::

    Archive("riverboat strategy", 3, {"game": text, "notes": notes}, {"policy": policy})

Without arrays it is a JSON text: an object of ``kind``, ``schema``, the members of the meta object and
``digest``, each on a line.  With arrays it is an ``.npz`` file without pickles, and that text is its array
``header``.

It is written in one step, and read without trust: an `ArchiveError` says which file cannot be used, and why.
Earlier forms are read by `engine.support.files.earlier`.  NumPy is loaded with the first arrays.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.support.files.earlier import earlier_form
from engine.support.files.formats import digest_of, format_arrays, parse_arrays, parse_json, shown
from engine.support.files.lock import FileIsLocked, FileLock
from engine.support.files.whole import write_whole
from engine.support.user_input import told_as

if TYPE_CHECKING:
    from numpy.typing import NDArray


_HEADER: Final = "header"
_OWN: Final = frozenset({"kind", "schema", "digest", "previous"})
"""What the header has besides the meta object."""


class ArchiveError(ValueError):
    """A file cannot be used; the message is one line for people and names the file."""


@attrs.frozen(eq=False)
class Archive:
    """The contents of an archive."""

    kind: str
    """Whose file it is, as ``riverboat strategy``."""
    schema: int
    """The version of its contents, by the count of its kind; raised when they change their meaning."""
    meta: Mapping[str, Any]
    """JSON values by name."""
    arrays: Mapping[str, NDArray[Any]] = attrs.field(factory=dict)
    previous: str = ""
    """The digest of the archive that this one replaces, where that matters."""
    source: str = "the archive"
    """The file it was read from, for messages."""
    digest: str = attrs.field()
    """A checksum of kind, schema, meta and arrays: equal for equal contents."""

    @digest.default
    def _digest(self) -> str:
        return digest_of([self.kind, self.schema, self.meta], self.arrays)

    def encode(self, *, compressed: bool = False) -> bytes:
        """The bytes of the file.

        Args:
            compressed: pack the arrays; who reads them has to say how large they may be.

        Raises:
            ValueError: a name that is taken, or an array of objects.
        """
        taken = [*sorted(_OWN & self.meta.keys()), *({_HEADER} & self.arrays.keys())]
        if taken:
            raise ValueError(f"{taken[0]!r} cannot be stored: the name is taken")
        header = {"kind": self.kind, "schema": self.schema, **self.meta, "digest": self.digest}
        if self.previous:
            header["previous"] = self.previous
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in header.items()]
        text = ("{\n " + ",\n ".join(lines) + "\n}\n").encode()
        if not self.arrays:
            return text
        import numpy as np

        arrays = {_HEADER: np.frombuffer(text, np.uint8), **self.arrays}
        return format_arrays(arrays, compressed=compressed)

    @contextlib.contextmanager
    def checked(self) -> Iterator[None]:
        """A context in which errors about missing or wrong contents become an `ArchiveError`."""
        try:
            yield
        except ArchiveError:
            raise
        except KeyError as error:
            raise ArchiveError(f"{self.source} is damaged: {error} is missing") from error
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise ArchiveError(f"{self.source} is damaged: {error}") from error


def array_of(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    shape: tuple[int, ...],
    types: str,
    least: float | None = None,
    most: float | None = None,
) -> NDArray[Any]:
    """One of the arrays of a file, checked.

    Args:
        arrays: by name.
        name: which.
        shape: the shape it must have; -1 stands for any length.
        types: its dtype (``<i4``) or kind (``f``); or several of them, with blanks between.
        least: the least number that it may hold; None for any.
        most: the greatest; with one of the two, nan is refused.

    Raises:
        ValueError: it is missing, or otherwise.
    """
    array = arrays.get(name)
    expected = f"expected {name!r}, an array of shape {str(shape).replace('-1', 'any')} and type {types}"
    if array is None:
        raise ValueError(f"{expected}, got none")
    fits = len(array.shape) == len(shape) and all(
        wanted in (-1, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not fits or {array.dtype.kind, array.dtype.str}.isdisjoint(types.split()):
        raise ValueError(f"{expected}, got one of shape {array.shape} and type {array.dtype.str}")
    if not ((least is None or (array >= least).all()) and (most is None or (array <= most).all())):
        raise ValueError(f"expected numbers from {least} to {most} in {name!r}")
    return array


def check_state(found: Mapping[str, NDArray[Any]], own: Mapping[str, NDArray[Any]]) -> None:
    """Check that saved arrays can take the place of a program's own.

    Args:
        found: the saved ones.
        own: the present ones, which have the right names, shapes and kinds of numbers.

    Raises:
        ValueError: an array is missing, has another shape or kind, or holds a number that is not finite.
    """
    import numpy as np

    for name, array in own.items():
        if not np.isfinite(array_of(found, name, array.shape, array.dtype.kind)).all():
            raise ValueError(f"expected finite numbers in {name!r}")


# --- reading -----------------------------------------------------------------------------------------------


def decode_archive(data: bytes, kind: str, newest: int, source: str, most: int = 0) -> Archive:
    """The archive whose bytes these are.

    Args:
        data: the bytes of the file.
        kind: the kind that it must be of.
        newest: the newest schema that the caller understands.
        source: the file, for messages.
        most: bytes that compressed arrays may grow to.

    Raises:
        ArchiveError: it is truncated, damaged, of another kind, or newer.
    """
    try:
        header, arrays = _header_and_arrays(data, most)
        is_of_today = isinstance(header, dict) and "digest" in header and "format" not in header
        if is_of_today:
            meta = {name: value for name, value in header.items() if name not in _OWN}
            own = {name: header.get(name) for name in ("kind", "schema", "digest")}
            fields = {**own, "previous": str(header.get("previous", "")), "meta": meta, "arrays": arrays}
        else:
            fields = earlier_form(kind, header, arrays)
    except ValueError as error:
        what = kind.removeprefix("riverboat ")
        raise ArchiveError(f"{source} is not a whole {what} file: {error}") from error
    found, schema, digest = fields["kind"], fields["schema"], fields.get("digest")
    if found != kind:
        raise ArchiveError(f"{source} is of another kind: expected {kind!r}, got {shown(found)}")
    if type(schema) is not int:  # True is none
        raise ArchiveError(f"{source} is damaged: expected a schema from 1 to {newest}, got {shown(schema)}")
    if schema > newest:
        raise ArchiveError(
            f"{source} was written by a newer riverboat: schema {shown(schema)}, this one reads up to "
            f"{newest}"
        )
    archive = Archive(**fields, source=source)
    if is_of_today and digest != digest_of([kind, schema, archive.meta], archive.arrays):
        raise ArchiveError(f"{source} is damaged: its contents are not those it was written with")
    return archive


def _header_and_arrays(data: bytes, most: int) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The JSON value that tells what a file is, None if there is none, and the arrays beside it."""
    if not data.startswith(b"PK"):
        return parse_json(data.decode()), {}
    arrays = parse_arrays(data, most)
    header = arrays.pop(_HEADER, None)
    if header is None:
        return None, arrays
    return parse_json(header.tobytes().decode() if header.dtype == "u1" else str(header)), arrays


def find_archive(path: Path, kind: str, newest: int, most: int = 0) -> Archive | None:
    """The archive in a file; None if there is no such file.

    Raises:
        ArchiveError: it cannot be read, or as `decode_archive`, which describes the arguments.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}") from error
    return decode_archive(data, kind, newest, str(path), most)


def read_archive(path: Path, kind: str, newest: int, most: int = 0) -> Archive:
    """The archive in a file.

    Raises:
        ArchiveError: there is no such file, or as `find_archive`.
    """
    archive = find_archive(path, kind, newest, most)
    if archive is None:
        raise ArchiveError(f"{path}: there is no such file")
    return archive


# --- writing -----------------------------------------------------------------------------------------------


def write_archive(path: Path, archive: Archive, *, compressed: bool = False, durable: bool = False) -> None:
    """Replace a file in one step, or leave it as it is.

    Args:
        path: the file; its folder must exist.
        archive: the contents.
        compressed: as in `Archive.encode`.
        durable: return only when the new contents will survive a power cut.

    Raises:
        ArchiveError: it cannot be written; an old file is as it was.
    """
    data = archive.encode(compressed=compressed)
    with told_as(ArchiveError, OSError, what=f"{path} cannot be written: "):
        write_whole(path, data, durable=durable)


def lock_archive(path: Path, rule: str = "one at a time") -> FileLock:
    """The right to write a file, for one program at a time.

    Raises:
        ArchiveError: another one has it, or the folder is missing or cannot be written.
    """
    try:
        return FileLock(path)
    except FileIsLocked as error:
        raise ArchiveError(f"{path} is being written by another program: {rule}") from error
    except OSError as error:
        raise ArchiveError(f"{path} cannot be written: {error.strerror or error}") from error
