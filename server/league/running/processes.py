"""How a match of a tournament is played: by ``riverboat match``, in a process of its own.

`Runner.play` leaves the folder of a match that is over, or raises.  It may be called again for a match that
was cut short, here or elsewhere: what was played stands, and the rest has the same cards.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import attrs
import trio

from engine.poker.match_key import MatchKey, MatchSeed
from engine.support.files.lock import FileIsLocked, FileLock
from engine.support.user_input import printable
from server.league.journal import move_aside
from server.league.match import Match, match_cards
from server.league.plan import Rule, TournamentPlan
from server.match.sittings.plan_file import PLAN
from server.match.sittings.sitting import PROGRESS, SECRETS, result_of
from server.support.private_files import FOLDER_MODE

__all__ = [
    "CannotPlay",
    "LocalRunner",
    "ProcessRunner",
    "Runner",
    "clear",
    "is_over",
    "match_words",
]

_COMMAND: Final = ("-P", "-m", "server", "match")
# -P: a folder in the user's folder that is named like one of our packages must not get in the way
_EXIT_USAGE: Final = 2
_EXIT_FAILED: Final = 3
_TIDYING_S: Final = 20.0
"""Time for a match to end in good order when it is cut short."""
_RELEASE_S: Final = 30.0
"""Time for an earlier sitting's house to end that was not killed with the tournament."""
_LOOK_S: Final = 0.1


class CannotPlay(Exception):
    """A match that cannot be played, through no player's fault: one line."""


class Runner(Protocol):
    """Plays matches."""

    async def play(self, match: Match, folder: Path) -> None:
        """Play a match to its end, from where it was.

        Raises:
            CannotPlay: it cannot be played.
        """


class LocalRunner(Runner, Protocol):
    """Plays matches on this machine.

    *Resource handling*: `close` on every way out.
    """

    async def close(self) -> None:
        """End everything that is still running."""


@attrs.frozen
class ProcessRunner:
    """Plays matches as processes."""

    plan: TournamentPlan
    root: MatchSeed | MatchKey
    """The seed or key from which all cards follow."""

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        await self._wait_for_lock(folder)
        if _can_resume(folder):
            status, said = await self._run(["--resume", str(folder)], None)
            if is_over(status, folder):
                return
            if status != _EXIT_USAGE:
                raise CannotPlay(f"{match.label}: {said or f'exit status {status}'}")
        clear(folder)
        cards = match_cards(self.root, match, common=self.plan.common_seeds)
        words = [*match_words(self.plan, match), "--out", str(folder)]
        status, said = await self._run(words, cards)
        if not is_over(status, folder):
            raise CannotPlay(f"{match.label}: {said or f'exit status {status}'}")

    async def close(self) -> None:
        """Do nothing: nothing is left running."""

    async def _wait_for_lock(self, folder: Path) -> None:
        """Wait until the house of an earlier sitting has released the folder."""
        with trio.move_on_after(_RELEASE_S):
            while True:
                if not _is_locked(folder):
                    return
                await trio.sleep(_LOOK_S)
        raise CannotPlay(f"{folder}: somebody plays this match")

    async def _run(self, words: Sequence[str], cards: MatchSeed | MatchKey | None) -> tuple[int, str]:
        """Run ``riverboat match``: its exit status, and the last line that it wrote to stderr."""
        process = await self._start(words, cards)
        try:
            said = await _read_all(process)
        finally:
            await _end(process)
        return process.returncode or 0, said

    async def _start(self, words: Sequence[str], cards: MatchSeed | MatchKey | None) -> trio.Process:
        """Start it; the cards' seed goes through a pipe, where other users cannot see it."""
        handed: tuple[int, ...] = ()
        if cards is not None:
            ours, theirs = os.pipe()[::-1]
            text = cards.text if isinstance(cards, MatchKey) else str(cards.number)
            os.write(ours, f"{text}\n".encode())
            os.close(ours)
            handed = (theirs,)
            words = [*words, "--seed-file", f"/dev/fd/{theirs}"]
        try:
            return await trio.lowlevel.open_process(
                [sys.executable, *_COMMAND, *words, "--json", "--end-with-stdin"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=handed,
                start_new_session=True,  # Ctrl-C goes to us, and we tell it
            )
        except OSError as error:
            raise CannotPlay(f"no further process can be started: {error.strerror}") from None
        finally:
            for descriptor in handed:
                os.close(descriptor)


def match_words(plan: TournamentPlan, match: Match) -> list[str]:
    """The arguments of ``riverboat match``, without the cards and the folder."""
    event = plan.events[match.event]
    limits, failures = plan.limits, plan.failures
    words = [event.name, *[_named(plan, name) for name in match.players]]
    words += ["--hands", str(event.hands)]
    words += ["--duplicate"] if event.duplicate else []
    words += ["--until", event.until.as_argument()] if event.until is not None else []
    if plan.in_process:
        return [*words, "--in-process", "--luck", "off"]
    for name in (
        "response_time",
        "first_response_time",
        "hand_time",
        "match_time",
        "start_time",
        "grace",
    ):
        words += [f"--{name.replace('_', '-')}", f"{getattr(limits, name):g}"]
    words += ["--on-failure", "abort" if failures.rule is Rule.FORFEIT else "fold"]
    words += ["--recover", str(failures.restarts)] if failures.rule is Rule.RESTART else []
    words += ["--sandbox"] if limits.sandbox else []
    words += [] if limits.process is None else ["--limits", limits.process]
    return [*words, "--luck", "off"]


def _can_resume(folder: Path) -> bool:
    """Whether a match that was cut short there can be resumed."""
    return (folder / PLAN).exists() and any((folder / name).exists() for name in (SECRETS, PROGRESS))


def is_over(status: int, folder: Path) -> bool:
    """Whether a match that ended with an exit status was played to its end."""
    return status in (0, _EXIT_FAILED) and result_of(folder) is not None


def clear(folder: Path) -> None:
    """Make room for a match; the remains of one that cannot be resumed are put aside."""
    if (folder / PLAN).exists():
        move_aside(folder)
    elif folder.exists():  # killed before it had a plan
        shutil.rmtree(folder)
    folder.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def _is_locked(folder: Path) -> bool:
    """Whether a process plays there."""
    if not folder.exists():
        return False
    try:
        FileLock(folder / "match").release()
    except FileIsLocked:
        return True
    return False


def _named(plan: TournamentPlan, name: str) -> str:
    """A player as ``riverboat match`` takes it, under its name in the tournament."""
    return f"{name}={plan.entrant(name).text}"


async def _read_all(process: trio.Process) -> str:
    """Wait for the end; the last line of stderr that is not about how far the match is."""
    assert process.stderr is not None
    data = bytearray()
    async for chunk in process.stderr:
        data += chunk
        del data[:-100_000]
    await process.wait()
    lines = [printable(line.strip()) for line in data.decode("utf-8", "replace").splitlines()]
    said = [line for line in lines if line and not line.startswith("to go on with it")]
    return said[-1].removeprefix("Error: ") if said else ""


async def _end(process: trio.Process) -> None:
    """End a match in good order, or else at once; no process is left."""
    with trio.CancelScope(shield=True):
        if process.returncode is None:
            process.terminate()
            with trio.move_on_after(_TIDYING_S):
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
        for stream in (process.stdin, process.stderr):
            if stream is not None:
                await stream.aclose()
