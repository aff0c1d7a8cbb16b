"""The players: agents, and the trio shell that seats them at a table.

A bot of your own is a sub-class of `Agent` and a call of `run`; README.md in this folder shows one::

    from clients import CALL, Agent, run

    class Caller(Agent):
        def choose_action(self, view):
            return CALL

    run(Caller)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from clients.core.agent import Agent, ProbabilityTriple
from engine.poker.cards import rank_of
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, GameDefinition, HandView, raise_to


def run(factory: Callable[[], Agent]) -> NoReturn:
    """Play a match as a program: ``python my_bot.py HOST PORT``.  Ends the process.

    The agent's seed comes from ``RIVERBOAT_SEED``; ``RIVERBOAT_GAME`` names the game for a dealer that
    does not.

    Args:
        factory: makes the agent; usually its class.
    """
    from clients.core.program import run_agent  # trio only where a bot connects

    raise SystemExit(run_agent(factory))


__all__ = [
    "CALL", "FOLD", "LIMIT_RAISE", "Action", "Agent", "GameDefinition", "HandView", "ProbabilityTriple",
    "raise_to", "rank_of", "run",
]  # fmt: skip
