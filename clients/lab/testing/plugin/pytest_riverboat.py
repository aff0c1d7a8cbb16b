"""pytest fixtures for tests of bots.  pytest loads this in every environment that Riverboat is installed in.

So it may neither cost anything nor get in anybody's way, and imports nothing of ours before a test asks for a
fixture.  That is also why an installation has this module at its top level, under a name nobody else uses:
packages called `clients` or `server` are common, and ours, imported with pytest, would be found by tests that
mean their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from clients import Agent, GameDefinition
    from clients.core.arena import Arena
    from clients.lab.testing import AgentReport, Recorder, Scripted


@pytest.fixture
def riverboat_game() -> Callable[[str], GameDefinition]:
    """``riverboat_game("limit-2p")``: a packaged game by its name, or the game of a file."""
    from engine.poker.rules import load_game

    return load_game


@pytest.fixture
def check_agent() -> Callable[..., AgentReport]:
    """``check_agent(MyBot, "nolimit-2p")``: fails the test on any fault."""
    from clients.lab import testing

    def check(
        agent: str | Agent | Callable[[], Agent], game: str | GameDefinition, **options: Any
    ) -> AgentReport:
        __tracebackhide__ = True
        report = testing.check_agent(agent, game, **options)
        report.raise_if_wrong()
        return report

    return check


@pytest.fixture
def arena() -> Callable[..., Arena]:
    """``arena("limit-2p", MyBot(), "always-call", seed=7)``: a table in this process."""
    from clients.core.arena import Arena
    from clients.core.registry import make_bot
    from engine.poker.rules import load_game

    def table(game: str | GameDefinition, *players: str | Agent, seed: int = 0, **options: Any) -> Arena:
        agents = [make_bot(player) if isinstance(player, str) else player for player in players]
        return Arena(load_game(game) if isinstance(game, str) else game, agents, seed, **options)

    return table


@pytest.fixture
def scripted() -> type[Scripted]:
    """``scripted([raise_to(300), FOLD])``: a player who follows a script (`clients.lab.testing.Scripted`)."""
    from clients.lab.testing import Scripted

    return Scripted


@pytest.fixture
def recorder() -> type[Recorder]:
    """``recorder(MyBot())``: keeps all that an agent is shown and does (`clients.lab.testing.Recorder`)."""
    from clients.lab.testing import Recorder

    return Recorder
