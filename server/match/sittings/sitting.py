"""A sitting: the time from the beginning of a match, or its resumption, to its end or until it is cut short.

In the folder of a match are, beside its logs and its result,

================  ==========================================================================================
``plan.json``     what the match is, written before its first hand: the words of the command line as
                  `riverboat match` understood them, so that ``--resume`` can understand them again
``secrets.json``  the key of the cards and the tokens of seats; gone when the match is over.  While players
                  play who could read it, it holds blanks: `server.match.sittings.keeper` has the secrets
``progress.json`` what the logs do not tell, like times and failures, slightly old; gone with the match
``match.lock``    is locked while a process plays the match
================  ==========================================================================================
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from engine.poker.match_key import MatchKey
from engine.support.files import write_whole
from engine.support.files.formats import parse_json
from engine.support.files.lock import FileIsLocked, FileLock
from server.match.sittings.keeper import Keeper, wait_for_keeper
from server.support.private_files import FOLDER_MODE
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome

PLAN: Final = "plan.json"
SECRETS: Final = "secrets.json"
PROGRESS: Final = "progress.json"
RESULT: Final = "result.json"
_SCHEMA: Final = 1
_LOCK: Final = "match"
_HOME: Final = Path("matches")
_MODE: Final = 0o600
_NAMES: Final = (
    "match.log", RESULT, "report.html", "dealer.err", "players", PLAN, SECRETS, PROGRESS,
)  # fmt: skip
"""Of a match, beside ``pass-K``."""


def result_of(folder: Path) -> dict[str, Any] | None:
    """The result of a match that is over; None while it can be resumed."""
    try:
        result = parse_json((folder / RESULT).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and "cut_short" not in result else None


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
    commitment: str | None
    """The commitment to the key of the cards; None if they follow from a seed."""
    started: str
    """When the first sitting began, in ISO 8601."""
    version: str = version("riverboat")

    def write(self, folder: Path) -> None:
        """Store it so that it survives a power cut.

        Raises:
            OSError: it cannot be written.
        """
        text = json.dumps({"schema": _SCHEMA, **attrs.asdict(self)}) + "\n"
        write_whole(folder / PLAN, text, durable=True, mode=_MODE)

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
            raise NoPlan(f"{path} is damaged: it is no JSON object") from None
        if not isinstance(value, dict):
            raise NoPlan(f"{path} is damaged: it is no JSON object")
        schema = value.pop("schema", None)
        if schema != _SCHEMA:
            raise NoPlan(
                f"{path} was written by riverboat {value.get('version', 'of another version')}, "
                f"with schema {schema!r}; this one understands schema {_SCHEMA}"
            )
        kinds = {
            "working_directory": str,
            "folder": str,
            "definition": str,
            "parameters": dict,
            "commitment": str | None,
            "started": str,
            "version": str,
        }
        for name, kind in kinds.items():
            if not isinstance(value.get(name), kind):
                raise NoPlan(f"{path} is damaged: it has no {name}")
        return cls(**{name: value[name] for name in kinds})


@attrs.frozen
class Secrets:
    """Secrets that only the house may know before the last hand."""

    key: str | None
    """The key of the cards; None if they follow from a seed that is not secret."""
    seat_tokens: tuple[str | None, ...]

    def as_bytes(self) -> bytes:
        """The contents of the file."""
        return json.dumps(attrs.asdict(self)).encode() + b"\n"

    @classmethod
    def parse(cls, data: bytes) -> Secrets:
        """What `as_bytes` has made.

        Raises:
            ValueError: it is something else.
        """
        value = parse_json(data.decode("utf-8"))
        key, tokens = value["key"], value["seat_tokens"]
        if not isinstance(key, str | None) or not all(isinstance(token, str | None) for token in tokens):
            raise ValueError("expected a key and tokens")
        return cls(key, tuple(tokens))


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
    _keeper: Keeper | None = None
    _secrets: Secrets = Secrets(None, ())
    _started: str = ""

    @classmethod
    def first(cls, out: Path | None, game: str) -> Sitting:
        """The sitting of a new match, in a folder of its own.

        Raises:
            FileIsLocked: another match is being played there.
            OSError: the folder cannot be made.
        """
        folder = _match_folder(out, game)
        lock = FileLock(folder / _LOCK)
        try:
            _move_aside(folder)
        except BaseException:
            lock.release()
            raise
        return cls(folder, lock)

    @classmethod
    def resumed(cls, folder: Path) -> tuple[Sitting, Secrets]:
        """Another sitting of the match in a folder, with its secrets.

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
        try:
            if not wait_for_keeper(folder):
                raise NoPlan(f"the secrets of the match in {folder} are still being written: try again")
            plan = StoredPlan.read(folder)
            secrets = Secrets(None, ()) if result_of(folder) is not None else _read_secrets(folder, plan)
            return cls(folder, lock, plan, _read_progress(folder), started=plan.started), secrets
        except BaseException:
            lock.release()
            raise

    @property
    def is_resumed(self) -> bool:
        """Whether the match has been played before."""
        return self.plan is not None

    @property
    def started(self) -> str:
        """When the first sitting began, in ISO 8601."""
        return self._started

    @property
    def command(self) -> str:
        """The command that resumes the match."""
        return f"riverboat match --resume {shlex.quote(str(self.folder))}"

    def begin(self, plan: StoredPlan, secrets: Secrets, *, are_safe_on_disk: bool) -> None:
        """Store what is needed to resume the match, even if we are killed.

        Args:
            plan: what is played.
            secrets: what nobody may know.
            are_safe_on_disk: no player can read the folder.

        Raises:
            OSError: it cannot be written.
        """
        self._secrets, self._started = secrets, plan.started
        if not are_safe_on_disk:
            self._keeper = Keeper(self.folder, self._write_secrets)
        data = secrets.as_bytes()
        blanks = b" " * (len(data) - 1) + b"\n"
        write_whole(self.folder / SECRETS, data if are_safe_on_disk else blanks, durable=True, mode=_MODE)
        if self.plan is None:
            plan.write(self.folder)

    def hold(self, path: str, descriptor: int) -> None:
        """Note that a file without a name has been created: see `Keeper.hold`."""
        if self._keeper is not None:
            self._keeper.hold(path, descriptor)

    def watch(self, process: int) -> None:
        """Note that a player has been launched: see `Keeper.watch`."""
        if self._keeper is not None:
            self._keeper.watch(process)

    def note_progress(self, outcomes: Mapping[int, MatchOutcome]) -> None:
        """Store what the logs do not tell; if it cannot be written, an earlier note stays."""
        passes = {
            str(number): {"seconds": each.seconds, "seats": [seat.as_json() for seat in each.seats]}
            for number, each in outcomes.items()
        }
        with contextlib.suppress(OSError):
            write_whole(self.folder / PROGRESS, json.dumps({"passes": passes}) + "\n", mode=_MODE)

    def end(self, *, is_over: bool) -> None:
        """Note that the players have ended, and nobody waits for them any more.

        Args:
            is_over: nothing is left to be resumed.
        """
        if is_over:
            for name in (SECRETS, PROGRESS):
                with contextlib.suppress(OSError):  # then it stays
                    (self.folder / name).unlink(missing_ok=True)
        else:
            self._write_secrets()
        if self._keeper is not None:
            self._keeper.let_go()
            self._keeper = None

    def close(self) -> None:
        """Release the folder."""
        self._lock.release()

    def _write_secrets(self) -> None:
        """Fill the blanks; this takes no space even if the disk is full."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self.folder / SECRETS, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.pwrite(descriptor, self._secrets.as_bytes(), 0)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _read_secrets(folder: Path, plan: StoredPlan) -> Secrets:
    try:
        secrets = Secrets.parse((folder / SECRETS).read_bytes())
        if plan.commitment is None or (
            secrets.key is not None and MatchKey.parse(secrets.key).commitment == plan.commitment
        ):
            return secrets
    except (OSError, ValueError, TypeError, KeyError):
        pass  # this is as good as having none
    raise NoPlan(
        f"{folder} cannot be resumed: the secrets of the match are not in {SECRETS}; "
        "they are lost if both the house and its keeper were killed, as in a power cut"
    )


def _read_progress(folder: Path) -> dict[int, EarlierSittings]:
    """The last note; nothing if it cannot be read."""
    try:
        passes: dict[str, Any] = parse_json((folder / PROGRESS).read_text("utf-8"))["passes"]
        return {
            int(number): EarlierSittings(
                float(value["seconds"]), tuple([SeatOutcome.from_json("", seat) for seat in value["seats"]])
            )
            for number, value in passes.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _why_there_is_none(folder: Path) -> str:
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if (folder / "match.log").exists() or any(folder.glob("pass-*/match.log")):
        return f"{folder} cannot be resumed: it has no {PLAN}, which earlier versions did not write"
    return f"{folder} is no match folder: there is no {PLAN}"


def _match_folder(out: Path | None, game: str) -> Path:
    """The folder of a match, which is created.

    Args:
        out: where the user wants it; None for a new one under ``matches/``.
        game: as the user named it.

    Raises:
        OSError: it cannot be made.
    """
    if out is None:
        return new_folder(_HOME, Path(game).name.removesuffix(".game"))
    out.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    return out


def _move_aside(out: Path) -> None:
    """Move what an earlier match left in a folder into one below it: nothing is ever overwritten.

    Raises:
        OSError: it cannot be moved.
    """
    earlier = [path for path in [*(out / name for name in _NAMES), *out.glob("pass-*")] if path.exists()]
    if earlier:
        number = 1
        while (out / f"earlier-{number}").exists():
            number += 1
        aside = out / f"earlier-{number}"
        aside.mkdir(mode=FOLDER_MODE)
        for path in earlier:
            path.rename(aside / path.name)


def new_folder(parent: Path, game: str) -> Path:
    """A folder that nobody else has, although many matches may begin in the same second."""
    parent.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        folder = parent / (f"{stamp}-{game}" if number == 1 else f"{stamp}-{game}-{number}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=FOLDER_MODE)
            return folder
    raise AssertionError  # unreachable
