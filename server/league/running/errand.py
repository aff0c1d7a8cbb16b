"""What a worker of a cluster does for a tournament: play one match, and return its folder.

An errand may be run again, also on another worker: it works in a folder of its own, leaves nothing behind,
and the same match has the same cards.  Nothing here loads Dask.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Final

import attrs

from engine.support.user_input import printable

__all__ = ["Errand", "Report", "run_errand", "unpack", "versions_here"]

_COMMAND: Final = ("-P", "-m", "server", "match")
_MATCH: Final = "match"
_KEPT: Final = 100_000
# Bytes of a match's output.


@attrs.frozen
class Errand:
    """A match to be played."""

    label: str
    words: tuple[str, ...]
    """The command line of ``riverboat match``, without ``--out``."""
    cards: str
    """The seed or key of its cards; it travels to the worker in the clear."""
    working_directory: str
    """Where players are run: it must exist on the worker, too."""


@attrs.frozen
class Report:
    """The result of an errand."""

    status: int
    """The exit status of ``riverboat match``."""
    said: str
    """The last line that it wrote to stderr."""
    folder: bytes
    """The match folder, as a tar archive; empty if there is none."""
    seconds: float = 0.0


def versions_here() -> dict[str, str]:
    """What must be the same on all machines."""
    return {
        "riverboat": version("riverboat"),
        "python": ".".join(map(str, sys.version_info[:2])),
        "distributed": version("distributed"),
    }


def run_errand(errand: Errand) -> Report:
    """Play the match in a process of its own, and wait for its end.

    The match ends when this process does, since it reads from our pipe.
    """
    if not os.path.isdir(errand.working_directory):
        return Report(
            2,
            f"there is no folder {errand.working_directory} on {os.uname().nodename}, where players are run",
            b"",
        )
    with tempfile.TemporaryDirectory(prefix="riverboat-match-") as temporary:
        folder = Path(temporary, _MATCH)
        reading, writing = os.pipe()
        try:
            os.write(writing, f"{errand.cards}\n".encode())
        finally:
            os.close(writing)
        try:
            line = [
                sys.executable, *_COMMAND, *errand.words, "--out", str(folder), "--json", "--end-with-stdin",
                "--seed-file", f"/dev/fd/{reading}",
            ]  # fmt: skip
            process = subprocess.Popen(
                line,
                cwd=errand.working_directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(reading,),
                start_new_session=True,
            )
        finally:
            os.close(reading)
        with process:
            assert process.stderr is not None  # as requested
            said = b""
            while chunk := os.read(process.stderr.fileno(), _KEPT):
                said = (said + chunk)[-_KEPT:]
            status = process.wait()
        return Report(status, last_line(said), _packed(folder) if folder.is_dir() else b"")


def last_line(said: bytes) -> str:
    """The last line of a match's output that is about the match itself."""
    lines = [printable(line.strip()) for line in said.decode("utf-8", "replace").splitlines()]
    about = [line for line in lines if line and not line.startswith("to go on with it")]
    return about[-1].removeprefix("Error: ") if about else ""


def _packed(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        archive.add(folder, arcname=".")
    return buffer.getvalue()


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write one file or folder below a folder; tarfile's own filter for that came with Python 3.11.4.

    Raises:
        TarError: it is something else, or would stand elsewhere.
    """
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise tarfile.ExtractError(f"{member.name} is not below it")
    place = folder / name
    content = archive.extractfile(member) if member.isfile() else None
    if content is not None:
        place.write_bytes(content.read())
        place.chmod(member.mode & 0o755 | 0o600)
    elif member.isdir():
        place.mkdir(mode=0o700, exist_ok=True)
    else:
        raise tarfile.ExtractError(f"{member.name} is neither a file nor a folder")


def unpack(data: bytes, folder: Path) -> None:
    """Make a match's folder from what a worker has returned, in one step.

    Raises:
        OSError: it cannot be written.
        ValueError: it is not an archive.
    """
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".arriving-") as temporary:
        whole = Path(temporary, _MATCH)
        whole.mkdir(mode=0o700)
        try:
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                for member in archive:
                    _extract(archive, member, whole)
        except tarfile.TarError as error:
            raise ValueError(f"a worker handed back what is no match folder: {error}") from None
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()
        whole.rename(folder)
