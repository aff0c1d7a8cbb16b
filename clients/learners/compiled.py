"""A pre-flop learner at a table of players who go by rules, played by a compiled loop.

What comes out is the same, bit for bit, as at a table in this process; it takes a fiftieth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from clients.agent import Agent, Script
from engine.learning.preflop import KINDS, Learner, PreflopTable, can_be_played
from engine.rules import GameDefinition

__all__ = ["CompiledTable", "compiled_table"]


@runtime_checkable
class _Compilable(Protocol):
    """A learner that such a loop plays."""

    def as_arrays(self, game: GameDefinition) -> Learner | None:
        """All that it goes by, and knows; None where the loop cannot play it."""

    def take_in(self, arrays: Learner) -> None:
        """Know what the loop has brought."""


@runtime_checkable
class _Scripted(Protocol):
    """A player who goes by rules alone."""

    def script(self, game: GameDefinition) -> Script | None:
        """The rules; None where there are others as well."""


def compiled_table(agents: Sequence[Agent], game: GameDefinition, seed: int) -> CompiledTable | None:
    """The table of some agents who are seated already; None where the loop does not know how.

    Args:
        agents: in seat order, the learner first; nothing has been played.
        game: what is played.
        seed: of the cards.
    """
    learner, *others = agents
    if not isinstance(learner, _Compilable) or not can_be_played(game):
        return None
    scripts = [agent.script(game) if isinstance(agent, _Scripted) else None for agent in others]
    known = [script for script in scripts if script is not None and script.rules in KINDS]
    if len(known) < len(others):
        return None
    learner.match_started(game, 0)
    arrays = learner.as_arrays(game)
    if arrays is None:
        return None
    seeds = [agent.seed for agent in others]
    return CompiledTable(learner, arrays, PreflopTable(game, seed, known, seeds, arrays))


class CompiledTable:
    """A table with a learner in seat 0, who after `play` knows what has been learnt.

    Args:
        learner: in seat 0.
        arrays: all that it goes by, and knows.
        table: with the same arrays.
    """

    def __init__(self, learner: _Compilable, arrays: Learner, table: PreflopTable) -> None:
        self._learner = learner
        self._arrays = arrays
        self._table = table

    @property
    def hands(self) -> int:
        """Played so far."""
        return self._table.hands

    @property
    def chips(self) -> tuple[float, ...]:
        """Won by each seat so far."""
        return self._table.chips

    @property
    def squares(self) -> float:
        """Of what seat 0 has won, hand by hand."""
        return self._table.squares

    def play(self, hands: int) -> None:
        """Play some hands more."""
        self._table.play(hands)
        self._learner.take_in(self._arrays)
