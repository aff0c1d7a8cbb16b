"""The journal: what has been learnt since a knowledge file was last written, one line per hand.

It lies beside the file, as ``FILE.journal``::

    riverboat journal 1 <digest of the knowledge that it continues>
    <CRC-32 of the rest of the line, 8 hex digits> <record>
    ...

Each record is appended by a single write, so a program that is killed loses none of them.  An incomplete last
line was left by a machine that crashed, and counts as never written.  The digest distinguishes a journal that
continues the file beside it from one that the file already contains.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path
from typing import Final

import attrs

from engine.support.files.formats import shown

__all__ = ["Journal", "JournalError", "JournalWriter", "journal_path", "read_journal"]

_MAGIC: Final = b"riverboat journal "
_VERSION: Final = b"1"


class JournalError(ValueError):
    """A file that is not a journal, or is damaged; the message does not name the file."""


@attrs.frozen
class Journal:
    """The complete records of a journal."""

    base: str
    """The digest of the knowledge that the records continue; empty if nothing has been recorded."""
    records: tuple[str, ...]
    """The records, oldest first."""


def journal_path(path: Path) -> Path:
    """Where the journal of a knowledge file lies."""
    return path.with_name(path.name + ".journal")


def read_journal(path: Path) -> Journal:
    """The journal at a path; an empty one if there is none.

    Raises:
        JournalError: the file is not a journal, is of a newer version, or is damaged before its last line.
        OSError: it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    header, newline, body = data.partition(b"\n")
    if not (header.startswith(_MAGIC) or (not newline and _MAGIC.startswith(header))):
        raise JournalError("is not a journal of a knowledge file")
    if not newline:
        return Journal("", ())
    version, _, base = header[len(_MAGIC) :].partition(b" ")
    if version != _VERSION:
        raise JournalError(
            f"is a journal of version {shown(version.decode('ascii', 'replace'))}; this riverboat reads "
            "version 1"
        )
    lines = body.split(b"\n")
    records: list[str] = []
    for number, line in enumerate(lines):
        try:
            record = _record_of(line)
        except UnicodeDecodeError as error:  # it was written like this, since its checksum is right
            raise JournalError(f"is damaged in line {number + 2}, which is not UTF-8") from error
        if record is None:
            # What follows the last newline, or was being written when the machine crashed.
            if any(_is_whole(later) for later in lines[number + 1 :]):
                raise JournalError(f"is damaged in line {number + 2}, with good lines after it")
            break
        records.append(record)
    return Journal(base.decode("ascii", "replace"), tuple(records))


def _record_of(line: bytes) -> str | None:
    """The record of a line; None if the line is incomplete.

    Raises:
        UnicodeDecodeError: the line is complete, but not text.
    """
    return line.partition(b" ")[2].decode("utf-8") if _is_whole(line) else None


def _is_whole(line: bytes) -> bool:
    checksum, blank, payload = line.partition(b" ")
    return bool(blank) and checksum == _checksum(payload)


def _checksum(payload: bytes) -> bytes:
    return b"%08x" % zlib.crc32(payload)


class JournalWriter:
    """Starts a new journal and appends records to it.

    *Resource handling*: `close` it.  Once `append` has returned, its record survives the process, however
    that ends.
    """

    def __init__(self, path: Path, base: str) -> None:
        """Start the journal.

        Raises:
            OSError: it cannot be written.
        """
        self._path = path
        self._file: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
        self._write(_MAGIC + _VERSION + b" " + base.encode("ascii") + b"\n")

    def append(self, record: str) -> None:
        """Add a record, a text without line ends.

        Raises:
            OSError: the record cannot be written, for example because the disk is full.
        """
        payload = record.encode("utf-8")
        self._write(_checksum(payload) + b" " + payload + b"\n")

    def _write(self, data: bytes) -> None:
        assert self._file is not None  # nobody writes to a closed journal
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError:
            if written:  # half a record
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise

    def close(self) -> None:
        """Close the journal; the file stays."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
