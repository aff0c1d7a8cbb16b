"""The house of a tournament: what has been played, what remains, and the workers that play it.

`Folder` is a tournament on disk; `play` plays it to its end, from wherever it was.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from engine.poker.match_key import MatchKey, MatchSeed, parse_match_seed
from engine.poker.rules import format_game
from engine.support.files import write_whole
from engine.support.files.formats import parse_json
from engine.support.files.lock import FileIsLocked, FileLock
from engine.support.user_input import told_as
from server.league.formats.schedule import schedule
from server.league.match import MATCHES, DamagedMatch, Played, move_aside, read_match
from server.league.plan import Event, Match, Rule, Schedule, TournamentPlan
from server.league.plan_file import parse_plan
from server.league.running.processes import Runner
from server.league.sit_and_go.log import read_sit_and_go
from server.match.sittings.sitting import kept_locked
from server.records.logs import MatchLog, find_logs, open_log
from server.support.private_files import FILE_MODE, FOLDER_MODE

PLAN: Final = "tournament.json"
_LOCK: Final = "tournament"
_TIME: Final = "time.json"
_SCHEMA: Final = 1
_SAYS_BUTTON: Final = re.compile(r"^\s*button\s*=", re.MULTILINE)
_PUT_BACK: Final = "put it back, or name another folder"


class TournamentFault(Exception):
    """Why a tournament cannot be played here: one line."""


@attrs.define(eq=False)
class Folder:
    """A tournament on disk.

    *Resource handling*: `close` on every way out.
    """

    path: Path
    plan: TournamentPlan
    root: MatchSeed | MatchKey | None
    """The seed or key from which all cards follow; None if every match draws keys of its own."""
    played: dict[Match, Played]
    """The matches that are over."""
    say: Callable[[str], None]
    id: str = ""
    """Tells it from others where no seed does."""
    ends_at: float | None = None
    """When the budget of seconds is used up, on trio's clock; no match begins after that."""
    _lock: FileLock | None = attrs.field(default=None, alias="lock")

    @classmethod
    def open(
        cls, path: Path, plan: TournamentPlan, source: str, say: Callable[[str], None], *, resume: bool
    ) -> Folder:
        """Begin a tournament in a folder, or continue the one that is there.

        Args:
            path: of the folder.
            plan: what the file says.
            source: the file's contents, which are kept.
            say: takes lines for people.
            resume: continue what is there, if there is anything.

        Raises:
            TournamentFault: another tournament is there, another process plays it, or the folder cannot be
                written.
        """
        with kept_locked(locked(path)) as lock:
            kept = _begin(path, plan, source, resume=resume)
            folder = cls(path, *_cards(kept, plan), {}, say, str(kept.get("id", "")), lock=lock)
            folder.read()
            if folder.root is None and plan.common_seeds and not folder.played:
                say("without a seed every match has cards of its own, not those of others (common_seeds)")
        return folder

    @classmethod
    def reading(cls, path: Path) -> Folder:
        """A tournament opened for reading only.

        Raises:
            TournamentFault: there is none.
            FileMistake: its file can no longer be understood.
            DamagedMatch: files of a match do not agree.
        """
        kept = _kept(path / PLAN)
        if kept is None:
            raise TournamentFault(f"there is no tournament in {path}: {PLAN} is missing")
        plan = parse_plan(str(kept["file"]), path / PLAN)
        folder = cls(path, *_cards(kept, plan), {}, _nobody, str(kept.get("id", "")))
        folder.read()
        return folder

    def close(self) -> None:
        """Release the folder."""
        if self._lock is not None:
            self._lock.release()

    def place(self, match: Match) -> Path:
        """The folder of a match."""
        return self.path / MATCHES / match.id

    def logs(self, match: Match) -> tuple[MatchLog, ...]:
        """The logs of a match that has been played: its passes.

        Raises:
            LogError: one cannot be read.
        """
        game = self.plan.events[match.event].game
        return tuple([open_log(log, game) for log in find_logs([self.place(match)])])

    def read(self) -> None:
        """Read what has been played; damaged matches are put aside, to be played again."""
        before = -1
        while before < len(self.played):
            before = len(self.played)
            for match in [match for match in self.schedule().matches if match not in self.played]:
                self.take(match)

    def take(self, match: Match) -> None:
        """Read a match, if it is over; a damaged one is put aside."""
        place = self.place(match)
        try:
            played = self._read(match)
        except DamagedMatch as error:
            if self._lock is None:
                raise DamagedMatch(f"{place}: {error}") from None
            aside = move_aside(place)
            self.say(f"{match.label} is damaged, and is played again: {error}; what was there is in {aside}")
            return
        if played is not None:
            self.played[match] = played

    def _read(self, match: Match) -> Played | None:
        """A match that is over; None if it is not.

        Raises:
            DamagedMatch: its files do not agree.
        """
        if self.plan.sit_and_go is not None:
            return read_sit_and_go(self.place(match), match, self.plan)
        return read_match(self.place(match), match, self.plan.events[match.event])

    def note(self, match: Match) -> None:
        """Note that a match has been played.

        Raises:
            TournamentFault: what it left cannot be read.
        """
        with told_as(TournamentFault, DamagedMatch, what=f"{match.label}: "):
            played = self._read(match)
        if played is None:
            raise TournamentFault(f"{match.label} has left no result in {self.place(match)}")
        self.played[match] = played

    def spent(self) -> float:
        """Seconds that earlier sittings took, except those that were killed."""
        try:
            return float(parse_json((self.path / _TIME).read_text("utf-8"))["seconds"])
        except (OSError, ValueError, TypeError, KeyError):
            return 0.0

    def note_spent(self, seconds: float) -> None:
        """Store how long all sittings took; on a full disk this is lost."""
        with contextlib.suppress(OSError):
            write_whole(self.path / _TIME, json.dumps({"seconds": seconds}) + "\n", mode=FILE_MODE)

    @property
    def disqualified(self) -> frozenset[str]:
        """Players who are out because they have failed."""
        if self.plan.failures.rule is not Rule.DISQUALIFY:
            return frozenset()
        return frozenset(name for played in self.played.values() for name in played.faults)

    def counting(self) -> dict[Match, Played]:
        """The matches that count: those without a player who is out."""
        out = self.disqualified
        return {match: played for match, played in self.played.items() if not out & set(match.players)}

    def schedule(self) -> Schedule:
        """The matches to be played, as far as known."""
        scores = {
            match: {name: played.total(name) for name in match.players}
            for match, played in self.counting().items()
        }
        return schedule(self.plan, scores, self.disqualified)


def locked(path: Path) -> FileLock:
    """The lock of a folder in which matches are to be played; makes the folder.

    Raises:
        TournamentFault: another process plays there, or the folder cannot be written.
    """
    try:
        path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return FileLock(path / _LOCK)
    except FileIsLocked:
        raise TournamentFault(f"something else is being played in {path}: name another folder") from None
    except OSError as error:
        raise TournamentFault(f"the folder {path} cannot be written: {error.strerror or error}") from None


def _cards(kept: dict[str, Any], plan: TournamentPlan) -> tuple[TournamentPlan, MatchSeed | MatchKey | None]:
    """The plan of a tournament, and what its cards follow from: without that no cards are common."""
    terms = plan.sit_and_go
    if terms is not None and kept.get("button") is None and not _SAYS_BUTTON.search(str(kept["file"])):
        plan = attrs.evolve(plan, sit_and_go=attrs.evolve(terms, button_moves=True))  # an earlier default
    if kept["cards"] is None:
        return attrs.evolve(plan, common_seeds=False), None
    return plan, parse_match_seed(str(kept["cards"]))


def _begin(path: Path, plan: TournamentPlan, source: str, *, resume: bool) -> dict[str, Any]:
    """Store what is played, and return it; keys that nobody may know are not among it.

    Raises:
        TournamentFault: another tournament is there.
    """
    kept = path / PLAN
    earlier = _kept(kept)
    before = earlier or {}
    if earlier is not None and not resume:
        raise TournamentFault(
            f"{path} has a tournament, {earlier.get('name')!r}: add --resume to go on with it, or name "
            "another folder"
        )
    if earlier is None and (path / MATCHES).exists():
        raise TournamentFault(f"{path / MATCHES} is there, and {kept} is not: name another folder")
    if earlier is not None:
        _check_same(kept, earlier, plan)
    stored = {
        "schema": _SCHEMA,
        "name": plan.name,
        "version": version("riverboat"),
        "id": before.get("id", secrets.token_hex(8)),
        "cards": None if plan.seed == "random" else parse_match_seed(plan.seed).text,
        "seed": plan.seed,
        "common_seeds": plan.common_seeds,
        "events": list(map(_event_facts, plan.events)),
        "players": before.get("players", {}) | {each.name: each.text for each in plan.entrants},
        "versions": before.get("versions", {})
        | {each.name: each.version for each in plan.entrants if each.version},
        "button": "dead" if earlier is None else earlier.get("button"),
        "file": source,
    }
    with told_as(TournamentFault, OSError, what=f"{kept} cannot be written, no hand is played: "):
        write_whole(kept, json.dumps(stored, indent=2) + "\n", mode=FILE_MODE, durable=True)
    return stored


def _kept(path: Path) -> dict[str, Any] | None:
    """The matches that an earlier sitting has begun."""
    try:
        value = parse_json(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise TournamentFault(f"{path} is not a tournament: {error}") from None
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        raise TournamentFault(f"{path} is of another version of riverboat")
    return value


def _event_facts(event: Event) -> dict[str, Any]:
    """The settings that must not change while a tournament is played."""
    return {
        "game": event.name,
        "hands": event.hands,
        "duplicate": event.duplicate,
        "definition": format_game(event.game),
    }


def _check_same(kept: Path, earlier: dict[str, Any], plan: TournamentPlan) -> None:
    """Check that the file still describes what was begun; players, matches and games may have been added."""

    def check(what: str, was: object, now: object, of: str = "", *, advice: str = _PUT_BACK) -> None:
        if was != now:
            begun = f"{what} {was!r} when {kept.parent} was begun"
            raise TournamentFault(f"{begun}, and is {of}{now!r} now: {advice}")

    for key, value in (("seed", plan.seed), ("common_seeds", plan.common_seeds)):
        check(f"{key} was", earlier.get(key), value)
    for number, (was, event) in enumerate(zip(earlier.get("events", []), plan.events, strict=False), 1):
        for key, value in _event_facts(event).items():
            check(f"{key} of game {number} was", was.get(key), value)
    for entrant in plan.entrants:
        text = earlier.get("players", {}).get(entrant.name)
        if text is not None:
            who = f"player {entrant.name!r} was"
            check(who, text, entrant.text, advice="give the new one a name of its own")
            version = earlier.get("versions", {}).get(entrant.name, "")
            check(f"{who} of version", version, entrant.version, "of ", advice="name another folder")
    if plan.seed == "random" and earlier.get("cards") is not None:
        raise TournamentFault(
            f"{kept.parent} was begun by an earlier version of riverboat, which kept the key of the cards in "
            f"{kept.name}, where players can read it: name another folder"
        )


def _nobody(line: str) -> None:
    """Takes lines for people, and drops them."""


async def play(folder: Folder, runner: Runner, workers: int) -> bool:
    """Play everything that is to be played; returns whether the budget ended it.

    Args:
        folder: of the tournament.
        runner: plays a match.
        workers: how many matches are played in parallel.

    Raises:
        CannotPlay: a match cannot be played.
        TournamentFault: what a match left cannot be read.
    """
    seconds = folder.plan.budget.seconds
    if seconds is None:
        return await _play_all(folder, runner, workers)
    before = max(folder.spent(), sum(played.seconds for played in folder.played.values()) / workers)
    began = trio.current_time()
    folder.ends_at = began + seconds - before
    try:
        return await _play_all(folder, runner, workers)
    finally:
        folder.note_spent(before + trio.current_time() - began)


async def _play_all(folder: Folder, runner: Runner, workers: int) -> bool:
    """See `play`."""

    def is_over() -> bool:
        return folder.ends_at is not None and trio.current_time() >= folder.ends_at

    while True:
        todo = [match for match in folder.schedule().matches if match not in folder.played]
        if not todo:
            return False
        queue = iter(todo)

        async def work() -> None:
            for match in queue:  # noqa: B023 - the workers of this round end before the next begins
                if is_over():
                    return
                if folder.disqualified & set(match.players):
                    continue
                await runner.play(match, folder.place(match))
                folder.note(match)

        async with trio.open_nursery() as nursery:
            for _ in range(min(workers, len(todo))):
                nursery.start_soon(work)
        if is_over():
            return True
