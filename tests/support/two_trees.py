"""Bots of two versions at one table: a process for each, with the same hands, that send each other actions.

Each process has an in-process table, where an `Overheard` sits in each seat of the other version; all other
agents are `spoken`: each of their actions goes to the other process.  The two versions have only the notation
of actions in common.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, TypeVar

from clients.agent import Agent
from engine.rules import Action, HandView
from protocol.actions import read_action

_HERE: Final = Path(__file__).parents[2]
AnyAgent = TypeVar("AnyAgent", bound=Agent)


class Overheard(Agent):
    """Does what the next line says.

    Args:
        lines: the actions of the other process.
    """

    def __init__(self, lines: IO[str]) -> None:
        self._lines = lines

    def choose_action(self, view: HandView) -> Action:
        """Wait for the next line."""
        line = self._lines.readline().strip()
        if not line:
            raise SystemExit(f"the other version ended in hand {view.hand_number}; it has said why, above")
        return read_action(line, 0, view.game.is_limit)[0]


def spoken(agent: AnyAgent, lines: IO[str]) -> AnyAgent:
    """The agent, which from now on sends a line with each of its actions."""
    choose = agent.choose_action

    def choose_and_say(view: HandView) -> Action:
        action = choose(view)
        if not isinstance(action, Action):
            raise TypeError(f"expected an agent that answers at once, got {type(action).__name__}")
        lines.write(f"{action}\n")
        lines.flush()
        return action

    agent.choose_action = choose_and_say  # type: ignore[method-assign]
    return agent


@contextmanager
def other_version(tree: Path, module: str, words: Sequence[str]) -> Iterator[tuple[IO[str], IO[str]]]:
    """Run a module of another version; yields the lines that it writes and those that it reads.

    In a cache of both, its kernels would replace ours: it has its own, in its tree.
    """
    cache = {} if tree == _HERE else {"RIVERBOAT_CACHE_DIR": str(tree / ".riverboat")}
    with subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), **cache},
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
