"""Bots of two versions at one table: a process for each, with the same hands, that send each other actions.

Each process has an in-process table.  There, an `Overheard` sits in each seat of the other version, and a
`Spoken` in all others.  The two versions have only the notation of actions in common.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from clients.core.agent import Agent
from clients.lab.testing import StandIn
from engine.poker.rules import Action, HandView
from protocol.match_state import read_action


class Overheard(Agent):
    """Does what the other process says.

    Args:
        lines: what that writes, an action a line.
    """

    def __init__(self, lines: IO[str]) -> None:
        self._lines = lines

    def choose_action(self, view: HandView) -> Action:
        """The action of the next line; waits for it."""
        line = self._lines.readline().strip()
        if not line:
            raise _ended(view)
        return read_action(line, 0, view.game.is_limit)[0]


class Spoken(StandIn):
    """Lets an agent play and tells the other process what it does.

    Args:
        agent: the one that plays.
        lines: what that process reads.
    """

    def __init__(self, agent: Agent, lines: IO[str]) -> None:
        super().__init__(agent)
        self._lines = lines

    def chosen(self, view: HandView, action: Action) -> Action:
        """Played as it is, and written to a line."""
        try:
            print(action, file=self._lines, flush=True)
        except BrokenPipeError:
            raise _ended(view) from None
        return action


def _ended(view: HandView) -> SystemExit:
    return SystemExit(f"the other version ended before hand {view.hand_number} did: it has said why, above")


@contextmanager
def other_version(tree: Path, module: str, words: Sequence[str]) -> Iterator[tuple[IO[str], IO[str]]]:
    """Run a module of another version; yields the lines that it writes and those that it reads.

    Its kernels would replace ours in a common cache: it has a cache of its own, in its tree.
    """
    own = {"PYTHONPATH": str(tree), "RIVERBOAT_CACHE_DIR": str(tree / ".riverboat")}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", module, *words],
        env=os.environ | own,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout, process.stdin
        finally:
            process.terminate()
            with suppress(BrokenPipeError):  # of a line that was never read: `Spoken` has told of it
                process.stdin.close()
