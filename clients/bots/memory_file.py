"""A bot's memory: what it knows of other players, kept by their names between matches.

All bots write the same form of file: for each name an object of parts.  A bot reads and writes its own parts
and keeps those of others as they are, so that one file may serve several bots in turn.  One bot at a time
writes it, now and then and at its end.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

import attrs

from clients.core.agent import Agent
from engine.players.statistics import numbers_of
from engine.poker.rules import HandView
from engine.support.files.archive import Archive, ArchiveError, find_archive, lock_archive, write_archive
from engine.support.files.lock import FileLock
from engine.support.user_input import told_as
from protocol import variables

Contents = Callable[[], Archive | None]
"""Returns what a file is to hold; None for nothing."""
Known = TypeVar("Known")
"""What a bot knows of a player."""
Parts = Mapping[str, Any]
"""What a file has about a player: JSON values."""

KIND: Final = "riverboat opponent models"
SCHEMA_VERSION: Final = 3
"""Earlier files had counts of models that are no more, and statistics."""
SAVE_EVERY: Final = 100
"""Hands between two writings of the file."""


class KnownPlayers(Generic[Known]):
    """Knowledge of players: by seat, and by name of those of earlier matches."""

    def __init__(self) -> None:
        self.here: dict[int, Known] = {}
        """Of each seat's player; of our own seat what the others may think."""
        self.earlier: dict[str, Known] = {}
        """Of players of earlier matches who have not been met in this one."""
        self.said: set[str] = set()
        """What a file could not bring, to be told to people."""
        self.hands = 0
        """Finished hands that were counted."""
        self._seat = 0
        self._names: tuple[str, ...] = ()

    part: ClassVar[str]
    """The name of our part of a file."""
    kind: ClassVar[type[Any]]
    """An attrs class of numbers: `Known`."""
    learns: bool = True
    """Whether there will be anything to write."""

    def stranger(self) -> Known:
        """Knowledge of a player who has not been met."""
        return cast("Known", self.kind())

    def read(self, parts: Parts) -> Known:
        """What a file has about a player: that of a stranger where our own parts are missing.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: a part makes no sense.
        """
        return cast("Known", numbers_of(self.kind, parts[self.part]) if self.part in parts else self.kind())

    def written(self, known: Known) -> Parts:
        """Our own parts of a file about a player."""
        return {self.part: attrs.asdict(cast("Any", known))}

    def sit_down(self, seat: int, players: int, names: tuple[str, ...] | None) -> None:
        """A match begins: meet the players who are new.

        Args:
            seat: our own.
            players: their number.
            names: by seat, if they are known.
        """
        self._seat, self._names = seat, names or ()
        for other in range(players):
            if other not in self.here:
                self.here[other] = self.earlier.pop(self._name_of(other), None) or self.stranger()

    def of_seat(self, seat: int) -> Known:
        """Knowledge of the player in a seat."""
        if seat not in self.here:
            self.here[seat] = self.stranger()
        return self.here[seat]

    def seat_of(self, view: HandView, position: int) -> int:
        """The seat of the player in a position of our view."""
        return view.seat_of(position, self._seat)

    def of(self, view: HandView, position: int) -> Known:
        """Knowledge of the player in a position of our view."""
        return self.of_seat(self.seat_of(view, position))

    def _name_of(self, seat: int) -> str:
        return self._names[seat] if seat < len(self._names) else f"seat {seat}"

    def by_name(self) -> dict[str, Known]:
        """All that is known of other players, including those of earlier matches."""
        here = {self._name_of(seat): known for seat, known in self.here.items() if seat != self._seat}
        return {**self.earlier, **here}


def archive_of(players: Sequence[KnownPlayers[Any]], kept: Mapping[str, Parts] | None = None) -> Archive:
    """A file with what is known of players.

    Args:
        players: what the parts of a bot know.
        kept: what there was in the file before.
    """
    entries = {name: dict(parts) for name, parts in (kept or {}).items()}
    for each in players:
        for name, known in each.by_name().items():
            entries.setdefault(name, {}).update(each.written(known))
    return Archive(KIND, SCHEMA_VERSION, {"players": entries})


def recall(archive: Archive, players: Sequence[KnownPlayers[Any]]) -> dict[str, Parts]:
    """Know what a file has; returns all its parts by name.

    Before schema 3 models were counts, which cannot be learnt from: they begin anew.

    Raises:
        ArchiveError: something in it makes no sense.
    """
    with archive.checked():
        entries: dict[str, Parts] = dict(archive.meta["players"])
        if archive.schema < SCHEMA_VERSION:
            entries = {name: {"statistics": parts["statistics"]} for name, parts in entries.items()}
        for each in players:
            each.earlier.update({name: each.read(parts) for name, parts in entries.items()})
    return entries


class Remembering(Agent):
    """An agent that may have a memory file.

    *Resource handling*: `close_memory` saves and lets go of the file; it happens by itself when nobody plays
    with the bot any more.
    """

    _closing: weakref.finalize[Any, Any] | None = None
    _write: Callable[[], None]
    _finished = -1

    def is_news(self, view: HandView) -> bool:
        """Whether the end of a hand, which may be reported twice, is reported for the first time."""
        is_news, self._finished = view.hand_number != self._finished, view.hand_number
        return is_news

    def open_memory(
        self, path: Path, contents: Contents, load: Callable[[Path], object], *, learns: bool
    ) -> None:
        """Load a memory file, and keep it to write if anything will be learnt.

        Args:
            path: the file, which need not exist; its folder must.
            contents: what to write; it must not hold a reference to the bot.
            load: knows what the file has.
            learns: whether there will be anything to write.

        Raises:
            ArchiveError: it cannot be read, written or locked.
        """
        # In a duplicate match there is nothing to write: the bot would know the cards.
        if learns and not os.environ.get(variables.DUPLICATE):
            write = functools.partial(_write, type(self).__name__.lower(), path, contents)
            self._closing, self._write = weakref.finalize(self, _close, lock_archive(path), write), write
        try:
            load(path)
        except ArchiveError:
            self.close_memory()
            raise

    def remember(self, path: Path | None, *players: KnownPlayers[Any]) -> None:
        """Keep what is known of players in a file, if there is to be one.

        Raises:
            ArchiveError: it cannot be read, written or locked.
        """
        if path is not None:
            kept: dict[str, Parts] = {}
            load = functools.partial(_load, type(self).__name__.lower(), players, kept)
            contents = functools.partial(_contents, players, kept)
            self.open_memory(path, contents, load, learns=any(each.learns for each in players))

    def save_memory(self, hands: int = 0) -> None:
        """Write the memory file, if there is one to keep; what goes wrong is a line on stderr.

        hands: those that have been played; only every `SAVE_EVERY` of them it is written.
        """
        if self._closing is not None and self._closing.alive and hands % SAVE_EVERY == 0:
            self._write()

    def close_memory(self) -> None:
        """Save, and let another bot have the file."""
        if self._closing is not None:
            self._closing()


def _load(bot: str, players: Sequence[KnownPlayers[Any]], kept: dict[str, Parts], path: Path) -> None:
    """Know what a file has, if there is one, and say in a line what it cannot bring.

    A file of an earlier version is kept beside as ``.schema2``.
    """
    archive = find_archive(path, KIND, SCHEMA_VERSION)
    if archive is None:
        return
    kept.update(recall(archive, players))
    told = sorted(set().union(*(each.said for each in players)))
    if archive.schema < SCHEMA_VERSION:
        beside = path.with_name(f"{path.name}.schema{archive.schema}")
        anew = f"models of {len(kept)} players begin anew, statistics stay"
        told = [f"{anew}; the file is kept as {beside.name}"]
        with told_as(ArchiveError, OSError, what=f"{beside} cannot be written: "):
            shutil.copyfile(path, beside)
    for line in told:
        print(f"{bot}: {path}: {line}", file=sys.stderr)


def _contents(players: Sequence[KnownPlayers[Any]], kept: Mapping[str, Parts]) -> Archive | None:
    """The contents of a file; None before the first match."""
    return archive_of(players, kept) if any(each.here for each in players) else None


def _close(lock: FileLock, write: Callable[[], None]) -> None:
    try:
        write()
    finally:
        lock.release()


def _write(bot: str, path: Path, contents: Contents) -> None:
    """Write a file in one step; an error becomes a line on stderr and does not stop the match."""
    archive = contents()
    try:
        if archive is not None:
            write_archive(path, archive)
    except ArchiveError as error:  # a full disk costs the memory, not the match
        print(f"{bot}: {error}", file=sys.stderr)
