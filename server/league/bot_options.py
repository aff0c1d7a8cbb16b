"""Checks the options of installed bots before a hand is played: a misspelt one is a mistake in the file."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from protocol import variables
from server.league.plan import Contestant
from server.match.launching.players import Player, players_environment

__all__ = ["first_fault"]

_NOWHERE: Final = ("127.0.0.1", 1)
"""An address without a table: a bot that gets as far as connecting has accepted its options."""
_EXIT_USAGE: Final = 2
_MOST_S: Final = 60.0
_AT_ONCE: Final = 4


def first_fault(entrants: Sequence[Contestant]) -> tuple[int, str] | None:
    """The first player whose bot rejects its options: the line in the file, and what the bot says."""
    asked = {entrant.text: entrant for entrant in entrants if entrant.player.settings}
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
            timeout=_MOST_S,
            check=False,
        )
        words = done.stderr.strip().splitlines()
        if done.returncode == _EXIT_USAGE and words:
            return words[-1].removeprefix(f"{player.bot}: ")
    return None
