"""Matches of a tournament on the workers of a Dask cluster.

Dask runs an event loop in a thread of its own; we wait for it from trio, through threads and tokens, and
never pass it one of our loops.  A match is a task: its key names the match, so that it is played again if its
worker dies, and its folder comes back as soon as it is over.

What a worker does for a tournament is an errand: it plays one match, and returns its folder.  An errand may
be run again, also on another worker: it works in a folder of its own, leaves nothing behind, and the same
match has the same cards if there is a seed.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import secrets
import sys
import tempfile
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Final

import attrs
import trio

from engine.support.user_input import fault_text, told_as
from server.league.plan import Match
from server.league.running.processes import CannotPlay, clear, is_over, run_match
from server.support.private_files import FILE_MODE, FOLDER_MODE

NEEDED: Final = "--scheduler needs dask and distributed: pip install 'riverboat[cluster]'"
WORKER: Final = "worker"
"""The file in a match's folder that names the worker that played it."""
_MATCH: Final = "match"
_CONNECT_S: Final = 30.0
_LOOK_S: Final = 1.0
_TALKATIVE: Final = ("distributed", "tornado")
_GONE_S: Final = 20.0
"""How long a scheduler may be silent before it is given up."""
_RETRIES: Final = 2
"""How often a task that raised is tried again; those whose worker died are played again anyway."""


def is_installed() -> bool:
    """Whether Dask is installed."""
    from importlib.util import find_spec

    return find_spec("distributed") is not None


@contextlib.asynccontextmanager
async def connected(address: str, say: Callable[[str], None]) -> AsyncIterator[Any]:
    """A client of the scheduler at an address, whose workers have our versions.

    Raises:
        CannotPlay: nobody answers there, there are no workers, or they have other versions.
    """
    from distributed import Client

    _silence()
    say(f"connecting to the scheduler at {address} ...")
    try:
        client = await trio.to_thread.run_sync(
            functools.partial(Client, address, timeout=_CONNECT_S, set_as_default=False)
        )
    except (OSError, ValueError, TimeoutError) as error:
        raise CannotPlay(f"the scheduler at {address} cannot be reached: {fault_text(error)}") from None
    try:
        await trio.to_thread.run_sync(_compare_versions, client, address)
        yield client
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(functools.partial(client.close, timeout=5))


def _silence() -> None:
    """Hide Dask's own messages from people: anything that matters is reported in a line."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _TALKATIVE:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = False


def _compare_versions(client: Any, address: str) -> None:
    """Refuse a cluster whose workers have other versions: they would play other matches."""
    ours = versions_here()
    try:
        found: Mapping[str, Any] = client.run(versions_here, on_error="return")
    except (OSError, TimeoutError) as error:
        raise CannotPlay(f"the workers of {address} do not answer: {fault_text(error)}") from None
    if not found:
        raise CannotPlay(
            f"the scheduler at {address} has no workers: start some with `dask worker {address}`"
        )
    for worker, theirs in found.items():
        if not isinstance(theirs, Mapping):
            raise CannotPlay(f"worker {worker} cannot run riverboat: {fault_text(theirs)}")
        for name, value in ours.items():
            if theirs.get(name) != value:
                raise CannotPlay(
                    f"worker {worker} has {name} {theirs.get(name)}, here it is {value}: the same versions "
                    "must be installed on all machines"
                )


def num_threads(client: Any) -> int:
    """How many matches the workers play at a time."""
    return max(1, sum(map(int, client.nthreads().values())))


@attrs.frozen
class Errand:
    """A match to be played."""

    label: str
    words: tuple[str, ...]
    """The command line of ``riverboat match``, without ``--out``."""
    cards: str | None
    """The seed or key of its cards, which travels to the worker in the clear; None if it draws its own."""
    working_directory: str
    """Where players are run: it must exist on the worker, too."""


@attrs.frozen
class Report:
    """The result of an errand."""

    status: int
    """The exit status of ``riverboat match``."""
    said: str
    """What went wrong, in one line."""
    files: Mapping[str, bytes]
    """Of the match folder, by their places in it, and `WORKER`."""


def versions_here() -> dict[str, str]:
    """The versions that must be the same on all machines."""
    return {
        "riverboat": version("riverboat"),
        "python": ".".join(map(str, sys.version_info[:2])),
        "distributed": version("distributed"),
    }


@attrs.define(eq=False)
class ClusterRunner:
    """Plays matches on workers of a cluster; see `Runner`."""

    client: Any
    """A ``distributed.Client``, which has no types to speak of."""
    address: str
    """Of the scheduler."""
    words: Callable[[Match], list[str]]
    """The command line of ``riverboat match``, without a folder."""
    cards: Callable[[Match], str | None]
    """The seed or key of a match's cards; None if it draws keys of its own."""
    _run: str = attrs.field(factory=functools.partial(secrets.token_hex, 4), init=False)

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`: a match is played as a whole, or again."""
        clear(folder)
        errand = Errand(match.label, tuple(self.words(match)), self.cards(match), os.getcwd())
        report = await self._report(errand, f"riverboat-{self._run}-{match.id}")
        if report.files:
            with told_as(CannotPlay, ValueError, what=f"{match.label}: "):
                await trio.to_thread.run_sync(unpack, report.files, folder)
        if not is_over(report.status, folder):
            raise CannotPlay(f"{match.label}: {report.said or f'exit status {report.status}'}")

    async def _report(self, errand: Errand, key: str) -> Report:
        token = trio.lowlevel.current_trio_token()
        done = trio.Event()

        def tell(_: object) -> None:
            token.run_sync_soon(done.set)

        submit = functools.partial(
            self.client.submit, run_errand, errand, key=key, pure=False, retries=_RETRIES
        )
        future = await trio.to_thread.run_sync(submit)
        future.add_done_callback(tell)
        try:
            await self._wait(done)
            report: Report = await trio.to_thread.run_sync(future.result)
        except CannotPlay:
            raise
        except Exception as error:  # whatever Dask or a broken worker raises
            if future.cancelled():  # as Dask does with all of them when it loses its scheduler
                raise self._gone() from None
            raise CannotPlay(f"{errand.label}: the cluster did not play it: {fault_text(error)}") from error
        finally:
            future.release()
        return report

    async def _wait(self, done: trio.Event) -> None:
        """Wait until a task is over, as long as the scheduler responds."""
        silent = 0.0
        while not done.is_set():
            with trio.move_on_after(_LOOK_S):
                await done.wait()
            silent = 0.0 if self.client.status == "running" else silent + _LOOK_S
            if silent >= _GONE_S and not done.is_set():
                raise self._gone()

    def _gone(self) -> CannotPlay:
        return CannotPlay(f"the scheduler at {self.address} has gone")


def run_errand(errand: Errand) -> Report:
    """Play the match in a process of its own, and wait for its end."""
    place = Path(errand.working_directory)
    if not place.is_dir():
        return Report(2, f"there is no folder {place} on {os.uname().nodename}, where players are run", {})
    with tempfile.TemporaryDirectory(prefix="riverboat-match-") as temporary:
        folder = Path(temporary, _MATCH)
        ended = trio.run(run_match, [*errand.words, "--out", str(folder)], errand.cards, place)
        worker = f"{os.uname().nodename} {os.getpid()}"
        return Report(ended.status, ended.why, _packed(folder) | {WORKER: zlib.compress(worker.encode(), 1)})


def _packed(folder: Path) -> dict[str, bytes]:
    """The files below a folder, compressed, by their places."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): zlib.compress(path.read_bytes(), 1) for path in files}


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Make a match's folder from what a worker has returned, in one step.

    Raises:
        OSError: it cannot be written.
        ValueError: a file would stand elsewhere, or is damaged.
    """
    folder.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".arriving-") as temporary:
        whole = Path(temporary, _MATCH)
        for name, data in files.items():
            place = PurePosixPath(name)
            if place.is_absolute() or ".." in place.parts:
                raise ValueError(f"a worker returned {name!r}, which is not below the match folder")
            path = whole / place
            path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            with told_as(ValueError, zlib.error, what=f"a worker returned a damaged {name}: "):
                path.write_bytes(zlib.decompress(data))
            path.chmod(FILE_MODE)
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()
        whole.rename(folder)
