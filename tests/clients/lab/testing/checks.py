"""Quick checks of an agent, and agents that play what a function says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clients.core.agent import Agent
from clients.lab.testing import AgentReport, Fault, check_agent
from engine.poker.rules import HandView

Chooser = Callable[[HandView], Any]


def choosing(choose: Chooser) -> type[Agent]:
    """A class of agents that play what a function says."""

    class Chosen(Agent):
        def choose_action(self, view: HandView) -> Any:
            return choose(view)

    return Chosen


def checked(agent: Any, game: str = "nolimit-2p", **options: Any) -> AgentReport:
    """A quick check: few hands of each situation."""
    return check_agent(agent, game, **{"hands": 6, **options})


def only_fault(report: AgentReport) -> Fault:
    """The fault of a report that has exactly one."""
    [fault] = report.faults
    return fault
