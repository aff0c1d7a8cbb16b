"""Knowledge files: what a learner has learnt, stored so that nothing is lost and damage is noticed.

A knowledge file is an archive (`engine.support.files.archive`) of named arrays.  Its meta object has the kind
of learner, the version of what it stores, the game, and whatever else the learner notes.

* **Replaced, never changed.**  A new version is written beside the file, synced to the disk, and renamed
  over it: the file is complete at every moment, either the old one or the new one.
* **One writer.**  A program that may write holds a lock (`engine.support.files.lock`) as long as the file is
  open; the operating system releases it when the process ends, however it ends.  Readers need no lock.
* **A journal** (``FILE.journal``, optional) keeps what is learnt between two writes, one record per hand.
  `write` empties it.  A reader gets its records with the arrays.  A record states new values, not
  differences, since a crash at the wrong moment can make it count twice.

The journal is a text::

    riverboat journal 1 <digest of the knowledge that it continues>
    <CRC-32 of the rest of the line, 8 hex digits> <record>
    ...

Each record is appended by a single write, so a program that is killed loses none of them.  An incomplete last
line was left by a machine that crashed, and counts as never written.  The digest distinguishes a journal that
continues the file beside it from one that the file already contains.

Typical use::

    with contextlib.closing(KnowledgeFile(path, "street-learner", write=True)) as file:
        knowledge = file.read()   # None if there is no file yet
        ...
        file.write("limit Texas hold'em, 2 players", {"values": values}, {"hands": 10_000})

or `read_knowledge`, for those who do not write.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from clients.core.options import OptionError
from engine.poker.rules import GameDefinition
from engine.support.files.archive import Archive, ArchiveError, find_archive, lock_archive, write_archive
from engine.support.files.formats import shown
from engine.support.files.lock import FileLock

if TYPE_CHECKING:
    from numpy.typing import NDArray


SCHEMA_VERSION: Final = 1
"""The version of the meta object.  What a learner stores has a version of its own."""

_KIND: Final = "riverboat knowledge"
_META: Final = {"learner": str, "version": int, "game": str, "notes": dict}
_JOURNAL: Final = b"riverboat journal "
_JOURNAL_VERSION: Final = b"1"
_ATTEMPTS: Final = 20
# How often a reader tries again if a writer replaces file and journal meanwhile.


class KnowledgeError(OptionError):
    """A knowledge file that cannot be used; the message is one line that names the file.  Exit status 2."""


@attrs.frozen(eq=False)
class Knowledge:
    """The content of a knowledge file."""

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
            newer = f"{path} was written by a newer riverboat: version {self.version}"
            raise KnowledgeError(f"{newer} of what a {self.kind} stores, this one reads up to {newest}")


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

    *Resource handling*: `close` it; the end of the process closes it, too.
    """

    def __init__(self, path: Path, kind: str | None, *, version: int = 1, write: bool = False) -> None:
        self.path = path
        self._journal_path = journal_path(Path(os.path.realpath(path)))  # beside what a link points to
        self._kind = kind
        self._version = version
        self._lock: FileLock | None = None
        self._journal: int | None = None
        self._digest = ""  # of the file as it is now, if there is one
        self._has_unwritten_records = False
        if write:
            if kind is None:
                raise ValueError("a writer says whose knowledge it writes")
            with _refused(path):
                self._lock = lock_archive(path, "one learner at a time (others may read it: learn=off)")

    @property
    def is_writable(self) -> bool:
        """Whether we hold the lock."""
        return self._lock is not None

    @property
    def exists(self) -> bool:
        """Whether the file has been read or written."""
        return bool(self._digest)

    # --- reading -------------------------------------------------------------------------------------------

    def read(self) -> Knowledge | None:
        """What the file holds, with its journal; None if there is no file.

        Raises:
            KnowledgeError: it is truncated, damaged, not a knowledge file, for another learner, or newer than
                this program; or its journal belongs to another file.
        """
        for _ in range(1 if self.is_writable else _ATTEMPTS):
            with _refused(self.path):
                archive = find_archive(self.path, _KIND, SCHEMA_VERSION)
                knowledge = None if archive is None else _knowledge_of(archive)
                if knowledge is not None:
                    self._check(knowledge)
                base, records = read_journal(self._journal_path)
            if not records or (knowledge and base in (knowledge.digest, knowledge.previous)):
                break
        else:
            raise KnowledgeError(
                f"{self.path}.journal does not go on from {self.path}: expected what was learnt since that "
                "file was written; put that file back, or remove the journal to do without it"
            )
        if knowledge is None:
            return None
        self._digest = knowledge.digest
        if records and base == knowledge.digest:  # they are not in the file already
            self._has_unwritten_records = True
            knowledge = attrs.evolve(knowledge, records=records)
        return knowledge

    def _check(self, knowledge: Knowledge) -> None:
        if self._kind is None:
            return
        if knowledge.kind != self._kind:
            found = f"{self.path} holds what a {knowledge.kind} has learnt"
            raise KnowledgeError(f"{found}, expected a {self._kind}'s")
        knowledge.check_version(self._version, self.path)

    # --- writing -------------------------------------------------------------------------------------------

    def write(self, game: str, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Knowledge:
        """Replace the file in one step and empty its journal; returns what it now holds.

        Args:
            game: the game it was learnt in.
            arrays: any names except ``header``, any shapes, no object dtypes.
            meta: anything that JSON can hold.

        Raises:
            KnowledgeError: it cannot be written; the old file is then untouched.
        """
        assert self._kind is not None
        assert self.is_writable, "open the file with write=True"
        stored = {"learner": self._kind, "version": self._version, "game": game, "notes": dict(meta)}
        archive = Archive(_KIND, SCHEMA_VERSION, stored, dict(arrays), self._digest)
        if archive.digest != self._digest or self._journal is not None or self._has_unwritten_records:
            with _refused(self.path):
                if not self.exists:  # a journal that was not read goes with the file that was not read
                    self._journal_path.unlink(missing_ok=True)
                write_archive(self.path, archive, durable=True)
                self._close_journal()
                # A crash before this line leaves a journal that continues `previous`, which `read` skips.
                self._journal_path.unlink(missing_ok=True)
            self._digest = archive.digest
            self._has_unwritten_records = False
        return _knowledge_of(archive)

    def append(self, record: str) -> None:
        """Add a record, a text without line ends, to the journal.

        Once this has returned, the record survives the process, however that ends.  The file must exist,
        and a journal that was found must have been written into it first.

        Raises:
            KnowledgeError: it cannot be written, for example because the disk is full.
        """
        assert self.is_writable, "open the file with write=True"
        assert self.exists, "write the file before its journal"
        assert not self._has_unwritten_records, "write the journal that was found into the file first"
        with _refused(self._journal_path):
            if self._journal is None:
                self._journal = _new_journal(self._journal_path, self._digest)
            payload = record.encode("utf-8")
            _append(self._journal, _checksum(payload) + b" " + payload + b"\n")

    def _close_journal(self) -> None:
        if self._journal is not None:
            os.close(self._journal)
            self._journal = None

    def close(self) -> None:
        """Release the lock; the journal stays for the next reader."""
        self._close_journal()
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def read_knowledge(path: Path, kind: str | None = None) -> Knowledge:
    """What a file holds, with its journal; needs no lock.

    Raises:
        KnowledgeError: there is no such file, or `KnowledgeFile.read` refuses it.
    """
    knowledge = KnowledgeFile(path, kind).read()
    if knowledge is None:
        raise KnowledgeError(f"{path}: there is no such file")
    return knowledge


def _knowledge_of(archive: Archive) -> Knowledge:
    """The content of an archive, without the journal."""
    found: list[Any] = [archive.meta.get(name) for name in _META]
    if list(map(type, found)) != list(_META.values()):
        raise ArchiveError(f"{archive.source} is damaged: expected {', '.join(_META)} in its meta object")
    kind, version, game, notes = found
    return Knowledge(kind, version, game, archive.arrays, notes, archive.digest, archive.previous)


@contextlib.contextmanager
def _refused(path: Path) -> Iterator[None]:
    """A context in which errors of files become errors of options."""
    try:
        yield
    except ArchiveError as error:
        raise KnowledgeError(str(error)) from error
    except OSError as error:
        raise KnowledgeError(f"{path} cannot be read or written: {error.strerror or error}") from error


# --- the journal -------------------------------------------------------------------------------------------


def journal_path(path: Path) -> Path:
    """The path of a knowledge file's journal."""
    return path.with_name(path.name + ".journal")


def read_journal(path: Path) -> tuple[str, tuple[str, ...]]:
    """The digest that a journal continues, and its complete records, oldest first; of none, nothing.

    Raises:
        ArchiveError: the file is not a journal, is of a newer version, or is damaged before its last line.
        OSError: it cannot be read.
    """
    data = b""
    with contextlib.suppress(FileNotFoundError):
        data = path.read_bytes()
    header, newline, body = data.partition(b"\n")
    if not (header.startswith(_JOURNAL) or (not newline and _JOURNAL.startswith(header))):
        raise ArchiveError(f"{path} is not a journal of a knowledge file")
    if not newline:
        return "", ()
    version, _, base = header.removeprefix(_JOURNAL).partition(b" ")
    if version != _JOURNAL_VERSION:
        found = shown(version.decode("ascii", "replace"))
        raise ArchiveError(f"{path} is a journal of version {found}; this riverboat reads version 1")
    lines = body.split(b"\n")
    records: list[str] = []
    for number, line in enumerate(lines):
        if not _is_whole(line):
            # What follows the last newline, or was being written when the machine crashed.
            if any(map(_is_whole, lines[number + 1 :])):
                raise ArchiveError(f"{path} is damaged in line {number + 2}, with good lines after it")
            break
        try:
            records.append(line.partition(b" ")[2].decode("utf-8"))
        except UnicodeDecodeError as error:  # it was written like this, since its checksum is right
            raise ArchiveError(f"{path} is damaged in line {number + 2}, which is not UTF-8") from error
    return base.decode("ascii", "replace"), tuple(records)


def _is_whole(line: bytes) -> bool:
    checksum, blank, payload = line.partition(b" ")
    return bool(blank) and checksum == _checksum(payload)


def _checksum(payload: bytes) -> bytes:
    return b"%08x" % zlib.crc32(payload)


def _new_journal(path: Path, base: str) -> int:
    """The handle of a new journal that continues the knowledge with a digest."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
    try:
        _append(handle, _JOURNAL + _JOURNAL_VERSION + b" " + base.encode("ascii") + b"\n")
    except OSError:
        os.close(handle)
        raise
    return handle


def _append(handle: int, data: bytes) -> None:
    """Write all of it, or nothing."""
    written = 0
    try:
        while written < len(data):
            written += os.write(handle, data[written:])
    except OSError:
        if written:  # half a record
            with contextlib.suppress(OSError):
                os.ftruncate(handle, os.fstat(handle).st_size - written)
        raise
