"""How a match of a tournament is played: by ``riverboat match``, in a process of its own.

`Runner.play` leaves the folder of a match that is over, or raises.  It may be called again for a match that
was cut short, here or elsewhere: what was played stands, and the rest has the same cards if there is a seed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol

import attrs
import trio

from engine.support.files.lock import FileIsLocked, FileLock
from engine.support.user_input import printable
from protocol import variables
from server.league.match import move_aside
from server.league.plan import Contestant, Match, Rule, TournamentPlan
from server.match.launching.confinement import UNCONFINED, Sandbox, program_of, why_there_are_none
from server.match.launching.players import Player, own_command, players_environment
from server.match.sittings.sitting import PLAN, result_of
from server.records.evidence import Luck
from server.records.match_defaults import Times
from server.support.private_files import FOLDER_MODE

_OPTIONS: Final = ("--json", "--end-with-stdin")
_EXIT_USAGE: Final = 2
EXIT_FAILED: Final = 3
_TIDYING_S: Final = 20.0
"""Time for a match to end in good order when it is cut short."""
_RELEASE_S: Final = 30.0
"""Time for an earlier sitting's house to end that was not killed with the tournament."""
_LOOK_S: Final = 0.1
_MOST_STOPS: Final = 100
"""How often a match may be stopped, by SIGSTOP, before it is killed."""
_KEPT: Final = 100_000
"""Bytes of what a match says."""


class CannotPlay(Exception):
    """A match that cannot be played, through no player's fault: one line."""


class Runner(Protocol):
    """Plays matches."""

    async def play(self, match: Match, folder: Path) -> None:
        """Play a match to its end, from where it was.

        Raises:
            CannotPlay: it cannot be played.
        """


class LocalRunner(Runner):
    """Plays matches on this machine.

    *Resource handling*: `close` on every way out.
    """

    async def close(self) -> None:
        """End everything that is still running; by itself, nothing is."""


@attrs.frozen
class Ended:
    """How a process of ``riverboat match`` has ended."""

    status: int
    """Its exit status."""
    why: str
    """What went wrong, in one line; empty if nothing did."""


@attrs.frozen
class ProcessRunner(LocalRunner):
    """Plays matches as processes."""

    plan: TournamentPlan
    cards: Callable[[Match], str | None]
    """The seed or key of a match's cards, as text; None if it draws keys of its own."""
    path: Path
    """Of the tournament's folder."""

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        await self._wait_for_lock(folder)
        if (folder / PLAN).exists():
            ended = await run_match(["--resume", str(folder)])
            if is_over(ended.status, folder):
                return
            if ended.status != _EXIT_USAGE:
                raise CannotPlay(f"{match.label}: {ended.why}")
        clear(folder)
        words = [*match_words(self.plan, match, self.path), "--out", str(folder)]
        ended = await run_match(words, self.cards(match))
        if not is_over(ended.status, folder):
            raise CannotPlay(f"{match.label}: {ended.why}")

    async def _wait_for_lock(self, folder: Path) -> None:
        """Wait until the house of an earlier sitting has released the folder."""
        with trio.move_on_after(_RELEASE_S):
            while True:
                if not _is_locked(folder):
                    return
                await trio.sleep(_LOOK_S)
        raise CannotPlay(f"{folder}: somebody plays this match")


async def run_match(words: Sequence[str], cards: str | None = None, place: Path | None = None) -> Ended:
    """Run ``riverboat match``, and wait for its end; cancelled, it ends the match in good order.

    It ends when this process does, since it reads from our pipe.  What goes wrong it announces.

    Args:
        words: its arguments.
        cards: the seed or key of its cards, which goes through a pipe: other users see command lines.  None
            for keys that it draws itself.
        place: where players are run; None for the current folder.

    Raises:
        CannotPlay: there can be no further process.
    """
    handed, given = os.pipe()
    announced, announcing = os.pipe()
    try:
        with os.fdopen(given, "w") as pipe:
            pipe.write(f"{cards}\n")
        seed = [] if cards is None else ["--seed-file", f"/dev/fd/{handed}"]
        process = await trio.lowlevel.open_process(
            own_command("match", *words, *seed, *_OPTIONS, "--announce", str(announcing)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=place,
            pass_fds=(handed, announcing),
            start_new_session=True,  # Ctrl-C goes to us, and we tell it
        )
    except OSError as error:
        os.close(announced)
        raise CannotPlay(f"no further process can be started: {error.strerror}") from None
    finally:
        os.close(handed)
        os.close(announcing)
    assert process.stdin is not None  # as requested
    assert process.stderr is not None
    announcements, stderr = bytearray(), bytearray()
    said = trio.lowlevel.FdStream(announced)
    async with process.stdin, process.stderr, said, trio.open_nursery() as nursery:
        nursery.start_soon(_read, said, announcements)
        nursery.start_soon(_read, process.stderr, stderr)
        watch = await nursery.start(_keep_going, process)
        try:
            await process.wait()
        finally:
            watch.cancel()
            await _end(process)
    if not watch.cancelled_caught:
        return Ended(process.returncode or 0, f"it was stopped {_MOST_STOPS} times by another process")
    status = process.returncode or 0
    return Ended(status, _announced_fault(announcements) or _last_line(stderr) or f"exit status {status}")


async def _keep_going(
    process: trio.Process, *, task_status: trio.TaskStatus[trio.CancelScope] = trio.TASK_STATUS_IGNORED
) -> None:
    """Let a match go on whenever it has been stopped: a player that runs as our user can do that.

    One that is stopped again and again is killed.
    """
    with trio.CancelScope() as scope:
        task_status.started(scope)
        for _ in range(_MOST_STOPS):
            while not _is_stopped(process.pid):  # noqa: ASYNC110 - no event says so
                await trio.sleep(_LOOK_S)
            process.send_signal(signal.SIGCONT)
            await trio.sleep(_LOOK_S)
        process.kill()


def _is_stopped(process: int) -> bool:
    """Whether a child has been stopped and not been continued."""
    try:
        return os.waitid(os.P_PID, process, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # it has ended
        return False


async def _read(stream: trio.abc.ReceiveStream, end: bytearray) -> None:
    """Read a stream to its end, of which the last part is kept."""
    async for chunk in stream:
        end += chunk
        del end[:-_KEPT]


def _announced_fault(announcements: bytearray) -> str:
    """The fault that a match has announced."""
    for line in reversed(announcements.splitlines()):
        with contextlib.suppress(ValueError, KeyError):  # the first may be cut; others say where seats are
            return str(json.loads(line)["error"])
    return ""


def _last_line(stderr: bytearray) -> str:
    """The last words of a match that had no time to announce anything."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return printable(lines[-1].strip()) if lines else ""


def match_words(plan: TournamentPlan, match: Match, path: Path) -> list[str]:
    """The arguments of ``riverboat match``, without the cards and the folder.

    Args:
        plan: of the tournament.
        match: to be played.
        path: of the tournament's folder, which no player may see.
    """
    event = plan.events[match.event]
    limits, failures = plan.limits, plan.failures
    words = [event.name, *[f"{name}={plan.entrant(name).text}" for name in match.players]]
    words += ["--hands", str(event.hands)]
    words += ["--duplicate"] if event.duplicate else []
    words += ["--until", event.until.as_argument()] if event.until is not None else []
    luck = Luck.AIVAT if plan.luck is Luck.AIVAT else Luck.OFF  # only AIVAT asks players
    words += ["--luck", luck.value]
    if plan.in_process:
        return [*words, "--in-process"]
    for name in attrs.fields_dict(Times):
        words += [f"--{name.replace('_', '-')}", f"{getattr(limits, name):g}"]
    words += ["--on-failure", failures.rule.policy.value]
    words += ["--recover", str(failures.restarts)] if failures.rule in (Rule.RESTART, Rule.PATIENT) else []
    words += plan.grants.as_words(is_confined=bool(limits.sandbox))
    if limits.sandbox:
        others = {str(program_of(each.player)) for each in plan.entrants if each.player.is_program}
        others -= {str(program_of(plan.entrant(name).player)) for name in match.players}
        private = [str(path.absolute()), str(plan.file.absolute()), *sorted(others)]
        words += ["--sandbox", *[f"--private={each}" for each in private]]
    return words if limits.process is None else [*words, "--limits", limits.process]


def sandbox_of(plan: TournamentPlan, path: Path) -> Sandbox:
    """The sandbox of all players of a tournament, whose folder is given."""
    return Sandbox.of([each.player for each in plan.entrants], (path, plan.file), plan.grants)


def with_sandboxes(plan: TournamentPlan, path: Path, say: Callable[[str], None]) -> TournamentPlan:
    """The plan with its programs in sandboxes, unless its file says otherwise or there are none here.

    Args:
        plan: as its file has it.
        path: of the tournament's folder.
        say: is told what players may miss in their sandboxes, or that they have none.

    Raises:
        CannotPlay: there are none, and the file asks for them.
    """
    limits = plan.limits
    programs = [each.player for each in plan.entrants if each.player.is_program]
    fault = why_there_are_none() if programs and limits.sandbox is not False else None
    if limits.sandbox and fault is not None:
        raise CannotPlay(f"{plan.file}: sandbox: {fault}")
    has_any = bool(programs) and fault is None and limits.sandbox is not False
    if programs and not has_any:
        say(f"{UNCONFINED}: " + (fault or "sandbox = true shows each its own"))
    for line in [line for each in programs for line in sandbox_of(plan, path).remarks(each) if has_any]:
        say(line)
    return attrs.evolve(plan, limits=attrs.evolve(limits, sandbox=has_any))


def is_over(status: int, folder: Path) -> bool:
    """Whether a match that ended with an exit status was played to its end."""
    return status in (0, EXIT_FAILED) and result_of(folder) is not None


def clear(folder: Path) -> None:
    """Make room for a match; the remains of one that cannot be resumed are put aside."""
    if (folder / PLAN).exists():
        move_aside(folder)
    elif folder.exists():  # killed before it had a plan
        shutil.rmtree(folder)
    folder.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def _is_locked(folder: Path) -> bool:
    """Whether a process plays there."""
    try:
        if folder.exists():
            FileLock(folder / "match").release()
    except FileIsLocked:
        return True
    return False


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


_NOWHERE: Final = ("127.0.0.1", 1)
"""An address without a table: a bot that gets as far as connecting has accepted its options."""
_ANSWER_S: Final = 60.0
_AT_ONCE: Final = 4


def first_fault(entrants: Sequence[Contestant]) -> tuple[int, str] | None:
    """The first player whose bot rejects its options: the line in the file, and what the bot says."""
    ours = [entrant for entrant in entrants if entrant.player.settings and entrant.player.is_ours]
    asked = {entrant.text: entrant for entrant in ours}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        said = list(pool.map(lambda entrant: _fault(entrant.player), asked.values()))
    faults = [(entrant.line, fault) for entrant, fault in zip(asked.values(), said, strict=True) if fault]
    return min(faults, default=None)


def _fault(player: Player) -> str | None:
    """A bot's words when it rejects its options."""
    line = player.command_line(*_NOWHERE)
    assert line is not None  # installed bots are launched
    environment = players_environment(player.command or (), os.environ)
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):  # the match will tell
        done = subprocess.run(
            line,
            env={**environment, variables.DUPLICATE: "0"},  # so that it keeps nothing
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_S,
            check=False,
        )
        words = done.stderr.strip().splitlines()
        if done.returncode == _EXIT_USAGE and words:
            return words[-1].removeprefix(f"{player.bot}: ")
    return None
