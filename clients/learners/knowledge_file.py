"""Knowledge files: what a learner has learnt, stored so that nothing is lost and damage is noticed.

A knowledge file is a NumPy ``.npz`` archive: named arrays, and beside them a JSON header with the schema
version, the kind of learner, the game, whatever else the learner notes, and a digest of it all.  It contains
no pickles.  The format does not depend on the learner: each learner names its kind and its arrays.

* **Replaced, never changed.**  A new version is written beside the file, synced to the disk, and renamed
  over it: the file is complete at every moment, either the old one or the new one.
* **One writer.**  A program that may write holds a lock (`engine.support.files.lock`) as long as the file is
  open; the operating system releases it when the process ends, however it ends.  Readers need no lock.
* **A journal** (``FILE.journal``, optional) keeps what is learnt between two writes, one record per hand.
  `write` empties it.  A reader gets its records with the arrays.  A record states new values, not
  differences, since a crash at the wrong moment can make it count twice.

Typical use::

    with KnowledgeFile(path, "street-learner", write=True) as file:
        knowledge = file.read(game="limit Texas hold'em, 2 players")   # None if there is no file yet
        ...
        file.write("limit Texas hold'em, 2 players", {"values": values}, {"hands": 10_000})

or `read_knowledge` and `write_knowledge`, which do it in one call.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.options import OptionError
from clients.learners.journal import Journal, JournalError, JournalWriter, journal_path, read_journal
from engine.poker.rules import GameDefinition
from engine.support.files import write_whole
from engine.support.files.formats import format_arrays, parse_arrays, parse_json, shown
from engine.support.files.lock import FileIsLocked, FileLock

__all__ = [
    "SCHEMA_VERSION",
    "Knowledge",
    "KnowledgeError",
    "KnowledgeFile",
    "betting_of",
    "read_knowledge",
    "write_knowledge",
]

SCHEMA_VERSION: Final = 1
"""The version of the file format and its header.  What a learner stores has a version of its own."""

_FORMAT: Final = "riverboat knowledge"
_HEADER: Final = "header"
_ATTEMPTS: Final = 20
# How often a reader tries again if a writer replaces file and journal meanwhile.


class KnowledgeError(OptionError):
    """A knowledge file that cannot be used; the message is one line that names the file.  Exit status 2."""


@attrs.frozen(eq=False)
class Knowledge:
    """What a knowledge file holds."""

    kind: str
    """The kind of learner: its name as a bot."""
    version: int
    """The version of what the learner stores, by the learner's own count."""
    game: str
    """The game it was learnt in: a text of the learner's choice, the same for games it treats as the same."""
    arrays: Mapping[str, NDArray[Any]]
    meta: Mapping[str, Any]
    """Whatever else the learner noted, as JSON values."""
    digest: str
    """The digest of kind, version, game, arrays and meta: equal for equal knowledge."""
    previous: str = ""
    """The digest of the knowledge that this replaced, whose journal it includes."""
    records: tuple[str, ...] = ()
    """The journal: the records of what was learnt since, oldest first."""

    def check_version(self, newest: int, path: Path) -> None:
        """Refuse what a newer program has stored in the file at `path`.

        Raises:
            KnowledgeError: the version is above `newest`.
        """
        if self.version > newest:
            raise KnowledgeError(
                f"{path} was written by a newer riverboat: version {self.version} of what a "
                f"{self.kind} stores, this one reads up to {newest}"
            )


def betting_of(game: GameDefinition) -> str:
    """The common name of a game's betting: ``no-limit`` or ``limit``."""
    return "limit" if game.is_limit else "no-limit"


class KnowledgeFile:
    """An open knowledge file, either for its only writer or for a reader.

    Args:
        path: the file, which need not exist yet.
        kind: the kind of learner expected; None to read any.
        version: the version of what this learner stores.  A file of a greater version is refused; the
            learner itself handles a smaller one.
        write: hold the lock, so that `write` and `append` are allowed.

    Raises:
        KnowledgeError: another writer has it open, or its folder cannot be written.

    *Resource handling*: `close` it, or use it in a ``with``; the end of the process closes it, too.
    """

    def __init__(self, path: Path, kind: str | None, *, version: int = 1, write: bool = False) -> None:
        self.path = path
        self._place = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
        self._kind = kind
        self._version = version
        self._lock: FileLock | None = None
        self._journal: JournalWriter | None = None
        self._digest = ""  # of the file as it is now
        self._has_unwritten_records = False
        if write:
            if kind is None:
                raise ValueError("a writer says whose knowledge it writes")
            self._lock = _acquire(path)

    @property
    def is_writable(self) -> bool:
        """Whether we hold the lock."""
        return self._lock is not None

    # --- reading -------------------------------------------------------------------------------------------

    def read(self, game: str | None = None) -> Knowledge | None:
        """What the file holds, with its journal; None if there is no file.

        Args:
            game: the game it must have been learnt in; None for any.

        Raises:
            KnowledgeError: it is truncated, damaged, not a knowledge file, for another learner or game, or
                newer than this program; or its journal belongs to another file.
        """
        for _ in range(1 if self.is_writable else _ATTEMPTS):
            knowledge = self._read_base()
            if knowledge is not None:
                self._check(knowledge, game)
            try:
                journal = read_journal(journal_path(self._place))
            except JournalError as error:
                raise KnowledgeError(f"{self.path}.journal {error}") from error
            except OSError as error:
                raise KnowledgeError(f"{self.path}.journal cannot be read: {_reason(error)}") from error
            if _is_current(knowledge, journal):
                break
        else:
            raise KnowledgeError(
                f"{self.path}.journal does not go on from {self.path}: expected what was learnt since that "
                "file was written; put that file back, or remove the journal to do without it"
            )
        if knowledge is None:
            return None
        self._digest = knowledge.digest
        if journal.base == knowledge.digest and journal.records:
            self._has_unwritten_records = True
            knowledge = attrs.evolve(knowledge, records=journal.records)
        return knowledge

    def _read_base(self) -> Knowledge | None:
        try:
            return _parse(self._place.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise KnowledgeError(f"{self.path} cannot be read: {_reason(error)}") from error
        except ValueError as error:
            raise KnowledgeError(f"{self.path} {error}") from error

    def _check(self, knowledge: Knowledge, game: str | None) -> None:
        if self._kind is not None:
            if knowledge.kind != self._kind:
                raise KnowledgeError(
                    f"{self.path} holds what a {knowledge.kind} has learnt, expected a {self._kind}'s"
                )
            knowledge.check_version(self._version, self.path)
        if game is not None and knowledge.game != game:
            raise KnowledgeError(f"{self.path} was learnt in {knowledge.game}, expected {game}")

    # --- writing -------------------------------------------------------------------------------------------

    def write(self, game: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Knowledge:
        """Replace the file in one step and empty its journal; returns what it now holds.

        Args:
            game: the game it was learnt in, which `read` will check.
            arrays: any names except ``header``, any shapes, no object dtypes.
            meta: anything that JSON can hold.

        Raises:
            KnowledgeError: it cannot be written; the old file is then untouched.
        """
        assert self._kind is not None
        assert self.is_writable, "open the file with write=True"
        digest = _digest(self._kind, self._version, game, arrays, meta)
        knowledge = Knowledge(self._kind, self._version, game, dict(arrays), dict(meta), digest, self._digest)
        if digest == self._digest and self._journal is None and not self._has_unwritten_records:
            return knowledge  # that is what the file holds
        try:
            if not self._digest:  # a journal that was not read goes with the file that was not read
                journal_path(self._place).unlink(missing_ok=True)
            write_whole(self._place, _format(knowledge), durable=True)
            if self._journal is not None:
                self._journal.close()
                self._journal = None
            # A crash before this line leaves a journal that continues `previous`, which `read` skips.
            journal_path(self._place).unlink(missing_ok=True)
        except OSError as error:
            raise KnowledgeError(f"{self.path} cannot be written: {_reason(error)}") from error
        self._digest = digest
        self._has_unwritten_records = False
        return knowledge

    def append(self, record: str) -> None:
        """Add a record, a text without line ends, to the journal.

        The file must exist, and a journal that was found must have been written into it first.

        Raises:
            KnowledgeError: it cannot be written.
        """
        assert self.is_writable, "open the file with write=True"
        assert self._digest, "write the file before its journal"
        assert not self._has_unwritten_records, "write the journal that was found into the file first"
        try:
            if self._journal is None:
                self._journal = JournalWriter(journal_path(self._place), self._digest)
            self._journal.append(record)
        except OSError as error:
            raise KnowledgeError(f"{self.path}.journal cannot be written: {_reason(error)}") from error

    def close(self) -> None:
        """Release the lock; the journal stays for the next reader."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def read_knowledge(
    path: Path, kind: str | None = None, game: str | None = None, *, version: int = 1
) -> Knowledge:
    """What a file holds, with its journal; needs no lock.

    Raises:
        KnowledgeError: there is no such file, or `KnowledgeFile.read` refuses it.
    """
    knowledge = KnowledgeFile(path, kind, version=version).read(game)
    if knowledge is None:
        raise KnowledgeError(f"{path}: there is no such file")
    return knowledge


def write_knowledge(
    path: Path,
    kind: str,
    game: str,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
    *,
    version: int = 1,
) -> None:
    """Create or replace a file in one step, whatever it held.

    Raises:
        KnowledgeError: another writer has it open, or it cannot be written.
    """
    with KnowledgeFile(path, kind, version=version, write=True) as file:
        file.write(game, arrays, meta)


# --- the bytes -------------------------------------------------------------------------------------------


def _is_current(knowledge: Knowledge | None, journal: Journal) -> bool:
    """Whether the journal continues this knowledge, is already part of it, or is empty."""
    if not journal.records:
        return True
    return knowledge is not None and journal.base in (knowledge.digest, knowledge.previous)


def _digest(
    kind: str, version: int, game: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]
) -> str:
    sha = hashlib.sha256(json.dumps([kind, version, game, meta], sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()[:32]


def _format(knowledge: Knowledge) -> bytes:
    header = {
        "format": _FORMAT,
        "schema": SCHEMA_VERSION,
        "kind": knowledge.kind,
        "version": knowledge.version,
        "game": knowledge.game,
        "meta": knowledge.meta,
        "digest": knowledge.digest,
        "previous": knowledge.previous,
    }
    if _HEADER in knowledge.arrays:
        raise ValueError(f"the array {_HEADER!r} cannot be stored: its name is taken")
    return format_arrays({_HEADER: json.dumps(header), **knowledge.arrays})


def _parse(data: bytes) -> Knowledge:
    """The knowledge of a file's bytes, without the journal.

    Raises:
        ValueError: what is wrong, as a phrase that follows the file's name.
    """
    try:
        arrays = parse_arrays(data)
    except ValueError as error:
        what = "is truncated or damaged" if data.startswith(b"PK") else "is not a knowledge file"
        raise ValueError(f"{what}: {error}") from error
    header_array = arrays.pop(_HEADER, None)
    try:
        header = parse_json(str(header_array)) if header_array is not None else None
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ValueError("is not a knowledge file: the archive has no header of one")
    schema = header.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA_VERSION:
        raise ValueError(
            f"was written by a newer riverboat: schema {shown(schema)}, this one reads {SCHEMA_VERSION}"
        )
    kind, version, game, meta = (header.get(name) for name in ("kind", "version", "game", "meta"))
    is_complete = isinstance(kind, str) and isinstance(version, int)
    if not (is_complete and isinstance(game, str) and isinstance(meta, dict)):
        raise ValueError("is damaged: its header is not complete")
    assert isinstance(kind, str)
    assert isinstance(version, int)
    digest = _digest(kind, version, game, arrays, meta)
    if header.get("digest") != digest:
        raise ValueError("is damaged: its contents do not match their digest")
    return Knowledge(kind, version, game, arrays, meta, digest, str(header.get("previous", "")))


def _acquire(path: Path) -> FileLock:
    """The lock on a file, which we then may write.

    Raises:
        KnowledgeError: another program holds it, or the file cannot be opened for writing.
    """
    try:
        return FileLock(path)
    except FileIsLocked as error:
        raise KnowledgeError(
            f"{path} is being written by another program: one learner at a time (others may read it: "
            "learn=off)"
        ) from error
    except OSError as error:
        raise KnowledgeError(f"{path} cannot be opened to write: {_reason(error)}") from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
