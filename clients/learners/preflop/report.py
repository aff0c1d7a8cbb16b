"""The tables of the pre-flop learners: actions of each state in percent (Poker Learner, Tables 5.5-5.8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clients.learners.knowledge_file import Knowledge
from clients.learners.preflop.action_values import HOLE_CARDS, UPDATES, WINNING_HAND, proportional_triple
from clients.learners.preflop.knowledge import VERSION, read_base
from clients.learners.preflop.state import ACTIONS, POSITIONS, split_key
from clients.learners.reports import KnowledgeReport, Query
from engine.players.statistics import PlayingStyle
from engine.poker.combos import STARTING_HAND_NAMES

__all__ = ["report"]

_COLUMNS = ("hand", "position", "last player", "last action", "fold %", "call %", "raise %", "updates")
_WAYS = ("hole cards", "winning hand")


def report(knowledge: Knowledge, path: Path, query: Query) -> KnowledgeReport:
    """A row for each state, strongest hands first; with the values of the ways of judging if learnt.

    Raises:
        KnowledgeError: the file is newer or damaged.
    """
    knowledge.check_version(VERSION, path)
    base, notes = read_base(knowledge, path)
    chooses_way = knowledge.kind in ("name-learner", "poker-learner")
    styles = [style.name.lower().replace("_", " ") for style in PlayingStyle]
    rows: list[tuple[Any, ...]] = []
    for key in sorted(base.states, key=lambda key: (-split_key(key).group, key)):
        values, state = base.states[key], split_key(key)
        if values[UPDATES] < query.min_updates or query.hand not in (None, state.group):
            continue
        row: tuple[Any, ...] = (
            STARTING_HAND_NAMES[state.group],
            POSITIONS[state.position],
            (base.names or styles)[state.last_player],
            ACTIONS[state.last_action],
            *(round(100 * chance) for chance in proportional_triple(values)),
            values[UPDATES],
        )
        rows.append((*row, values[HOLE_CARDS], values[WINNING_HAND]) if chooses_way else row)
    summary = {"hands": base.hands, "states": len(base.states), **notes}
    return KnowledgeReport(summary, _COLUMNS + _WAYS if chooses_way else _COLUMNS, tuple(rows))
