"""A sitting: the time from the beginning of a match, or its resumption, to its end or until it is cut short.

In the folder of a match are, beside its logs and its result,

================  ==========================================================================================
``plan.json``     what the match is
``secrets.json``  the key of the cards and the tokens of seats; gone when the match is over.  While players
                  play who could read it, it holds blanks: `server.match.sittings.keeper` has the secrets
``progress.json`` what the logs do not tell, like times and failures, slightly old; gone with the match
``match.lock``    is locked while a process plays the match
================  ==========================================================================================
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from engine.poker.match_key import MatchKey
from engine.support.files import write_whole
from engine.support.files.formats import parse_json
from engine.support.files.lock import FileIsLocked, FileLock
from server.match.launching.match_folder import match_folder, move_aside
from server.match.sittings.keeper import Keeper, wait_for_keeper
from server.match.sittings.plan_file import NoPlan, StoredPlan
from server.table.outcome import EarlierSittings, MatchOutcome, SeatOutcome

SECRETS: Final = "secrets.json"
PROGRESS: Final = "progress.json"
RESULT: Final = "result.json"
_LOCK: Final = "match"
_MODE: Final = 0o600


def result_of(folder: Path) -> dict[str, Any] | None:
    """The result of a match that is over; None while it can be resumed."""
    try:
        result = parse_json((folder / RESULT).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and "cut_short" not in result else None


@attrs.frozen
class Secrets:
    """What nobody but the house may know before the last hand."""

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
        folder = match_folder(out, game)
        lock = FileLock(folder / _LOCK)
        try:
            move_aside(folder)
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
    """What was noted last; nothing if that cannot be read."""
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
