"""A sitting: the time from the beginning of a match, or its resumption, to its end or until it is cut short.

In the folder of a match are, beside its logs and its result,

================  ==========================================================================================
``plan.json``     what the match is, written before its first hand: the words of the command line as
                  `riverboat match` understood them, so that ``--resume`` can understand them again
``progress.json`` what the logs do not tell, like times and failures, slightly old; gone with the match
``match.lock``    is locked while a process plays the match
================  ==========================================================================================

Nothing secret is among them: keys that are drawn for a sitting end with it, and what is left of the match is
dealt from new ones.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from engine.support.files import write_whole
from engine.support.files.formats import parse_json
from engine.support.files.lock import FileIsLocked, FileLock
from server.records.logs import LOG_FILE, RESULT_FILE, read_object
from server.support.private_files import FILE_MODE, FOLDER_MODE, first_free
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome

PLAN: Final = "plan.json"
PROGRESS: Final = "progress.json"
_SCHEMA: Final = 1
_LOCK: Final = "match"
_HOME: Final = Path("matches")
_NAMES: Final = (
    LOG_FILE, RESULT_FILE, "report.html", "dealer.err", "players", PLAN, PROGRESS,
)  # fmt: skip
"""Of a match, beside ``pass-K``."""


def result_of(folder: Path) -> dict[str, Any] | None:
    """The result of a match that is over; None while it can be resumed."""
    result = read_object(folder / RESULT_FILE)
    return None if result is None or "cut_short" in result else result


_KINDS: Final[dict[str, Any]] = {"parameters": dict, "commitment": str | None}
"""Of the values of `StoredPlan` that are no texts."""


@contextlib.contextmanager
def kept_locked(lock: FileLock) -> Iterator[FileLock]:
    """A context whose lock outlives it, unless it fails."""
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


class NoPlan(ValueError):
    """There is no match that could be resumed; the message is one line for people."""


@attrs.frozen
class StoredPlan:
    """A match as it was asked for."""

    working_directory: str
    """The folder in which the players are run, and from which relative paths start."""
    folder: str
    """Of the match, as it was named."""
    definition: str
    """The game, as a game file."""
    parameters: Mapping[str, Any]
    """Parameters of the command, by name, that can be written as JSON."""
    started: str
    """When the first sitting began, in ISO 8601."""
    version: str = version("riverboat")
    commitment: str | None = None
    """The commitment to the one key of the cards, in a match that an earlier version began."""

    def write(self, folder: Path) -> None:
        """Store it so that it survives a power cut.

        Raises:
            OSError: it cannot be written.
        """
        text = json.dumps({"schema": _SCHEMA, **attrs.asdict(self)}) + "\n"
        write_whole(folder / PLAN, text, durable=True, mode=FILE_MODE)

    @classmethod
    def read(cls, folder: Path) -> StoredPlan:
        """The plan of the match in a folder.

        Raises:
            NoPlan: there is none, or none that this version understands.
        """
        path = folder / PLAN
        try:
            value = parse_json(path.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise NoPlan(_why_there_is_none(folder)) from None
        except OSError as error:
            raise NoPlan(f"{path} cannot be read: {error.strerror or error}") from None
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise NoPlan(f"{path} is damaged: it is no JSON object")
        schema = value.pop("schema", None)
        if schema != _SCHEMA:
            raise NoPlan(
                f"{path} was written by riverboat {value.get('version', 'of another version')}, "
                f"with schema {schema!r}; this one understands schema {_SCHEMA}"
            )
        names = [field.name for field in attrs.fields(cls)]
        for name in names:
            if not isinstance(value.get(name), _KINDS.get(name, str)):
                raise NoPlan(f"{path} is damaged: it has no {name}")
        return cls(**{name: value[name] for name in names if name in value})


@attrs.define(eq=False)
class Sitting:
    """One sitting of a match.

    *Resource handling*: `close` on every way out; `begin` before the first hand, and then `end`.
    """

    folder: Path
    _lock: FileLock
    plan: StoredPlan | None = None
    """Of the match that is resumed; None for a new match."""
    earlier: Mapping[int, EarlierSittings] = attrs.Factory(dict)
    """By pass, the results of earlier sittings."""
    dropped: int = 0
    """Finished hands that do not count, since not all passes of a duplicate match had played their deals."""

    @classmethod
    def first(cls, out: Path | None, game: str) -> Sitting:
        """The sitting of a new match, in a folder of its own.

        Raises:
            FileIsLocked: another match is being played there.
            OSError: the folder cannot be made.
        """
        folder = out or new_folder(_HOME, Path(game).name.removesuffix(".game"))
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        with kept_locked(FileLock(folder / _LOCK)) as lock:
            _move_aside(folder)
        return cls(folder, lock)

    @classmethod
    def resumed(cls, folder: Path) -> Sitting:
        """Another sitting of the match in a folder.

        Raises:
            NoPlan: there is no match, or none that can be resumed; the message is one line.
        """
        StoredPlan.read(folder)  # before anything is created there
        try:
            lock = FileLock(folder / _LOCK)
        except FileIsLocked:
            raise NoPlan(f"the match in {folder} is being played: it has not been cut short") from None
        except OSError as error:
            raise NoPlan(f"{folder} cannot be written: {error.strerror or error}") from None
        with kept_locked(lock):
            for left in folder.glob(".*.new"):  # by a kill in the middle of `write_whole`
                left.unlink(missing_ok=True)
            plan = StoredPlan.read(folder)
            if plan.commitment is not None and result_of(folder) is None:
                raise NoPlan(
                    f"{folder} cannot be resumed: riverboat {plan.version} began it, and dealt all its cards "
                    "from one secret key, which is no longer kept"
                )
            return cls(folder, lock, plan, *_read_progress(folder))

    @property
    def is_resumed(self) -> bool:
        """Whether the match has been played before."""
        return self.plan is not None

    @property
    def command(self) -> str:
        """The command that resumes the match."""
        return f"riverboat match --resume {shlex.quote(str(self.folder))}"

    def note_progress(self, outcomes: Mapping[int, MatchOutcome]) -> None:
        """Store what the logs do not tell; if it cannot be written, an earlier note stays."""
        passes = {
            str(number): {"seconds": each.seconds, "seats": [seat.as_json() for seat in each.seats]}
            for number, each in outcomes.items()
        }
        text = json.dumps({"passes": passes, "dropped": self.dropped}) + "\n"
        with contextlib.suppress(OSError):
            write_whole(self.folder / PROGRESS, text, mode=FILE_MODE)

    def end(self, *, is_over: bool) -> None:
        """Note that the players have ended, and whether nothing is left to be resumed."""
        if is_over:
            with contextlib.suppress(OSError):  # then it stays
                (self.folder / PROGRESS).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the folder; one that was made for a match which never began goes."""
        self._lock.release()
        if self.folder.parent == _HOME:
            with contextlib.suppress(OSError):  # there is something in it
                self.folder.rmdir()
                _HOME.rmdir()


def _read_progress(folder: Path) -> tuple[dict[int, EarlierSittings], int]:
    """The last note, and how many hands had been dropped; nothing if it cannot be read."""
    try:
        note: dict[str, Any] = parse_json((folder / PROGRESS).read_text("utf-8"))
        passes: dict[str, Any] = note["passes"]
        earlier = {
            int(number): EarlierSittings(
                float(value["seconds"]), tuple([SeatOutcome.from_json("", seat) for seat in value["seats"]])
            )
            for number, value in passes.items()
        }
        return earlier, int(note.get("dropped", 0))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}, 0


def _why_there_is_none(folder: Path) -> str:
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if (folder / "match.log").exists() or any(folder.glob("pass-*/match.log")):
        return f"{folder} cannot be resumed: it has no {PLAN}, which earlier versions did not write"
    return f"{folder} is no match folder: there is no {PLAN}"


def _move_aside(out: Path) -> None:
    """Move what an earlier match left in a folder into one below it: nothing is ever overwritten.

    Raises:
        OSError: it cannot be moved.
    """
    earlier = [path for path in [*(out / name for name in _NAMES), *out.glob("pass-*")] if path.exists()]
    if earlier:
        aside = first_free(out / f"earlier-{k}" for k in itertools.count(1))
        for path in earlier:
            path.rename(aside / path.name)


def new_folder(parent: Path, game: str) -> Path:
    """A folder that nobody else has, although many matches may begin in the same second."""
    parent.mkdir(parents=True, exist_ok=True)
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{game}"
    return first_free(parent / (name if number == 1 else f"{name}-{number}") for number in itertools.count(1))
