"""The contents of a knowledge file as a table: ``riverboat knowledge`` for every kind of learner.

A learner plugs in with a line in `REPORTS`: its kind, and the function that makes its report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import attrs

from clients.learners.knowledge_file import Knowledge, KnowledgeError, read_knowledge


@attrs.frozen
class StateQuery:
    """The rows of a knowledge file to show."""

    hand: int | None = None
    """Only this starting hand, numbered as in `engine.poker.combos`; None for all."""
    min_updates: int = 1
    """Only values that were updated at least this often."""


@attrs.frozen
class KnowledgeReport:
    """A knowledge file as a table."""

    summary: Mapping[str, Any]
    """Facts about the whole file, by name, as JSON values."""
    columns: tuple[str, ...]
    """The names of the columns, also in JSON."""
    rows: tuple[tuple[Any, ...], ...]
    """Texts and numbers, in the order of the columns; shares are whole percentages, in columns whose names
    end in ``%``."""


REPORTS: Final[dict[str, str]] = {
    "hole-cards-learner": "clients.learners.preflop.knowledge:report",
    "winning-hand-learner": "clients.learners.preflop.knowledge:report",
    "name-learner": "clients.learners.preflop.knowledge:report",
    "poker-learner": "clients.learners.preflop.knowledge:report",
    "street-learner": "clients.learners.street.knowledge:report",
}
"""By kind: ``module:function`` of ``(knowledge, path, query) -> KnowledgeReport``, which may raise
`KnowledgeError`."""


def report_on(path: Path, query: StateQuery) -> tuple[Knowledge, KnowledgeReport]:
    """A file's knowledge, and its contents as a table.

    Raises:
        KnowledgeError: the file cannot be read, or is of an unknown kind of learner.
    """
    knowledge = read_knowledge(path)
    place = REPORTS.get(knowledge.kind)
    if place is None:
        known = ", ".join(REPORTS)
        raise KnowledgeError(f"{path} holds what a {knowledge.kind} has learnt; expected one of {known}")
    module, _, name = place.partition(":")
    report: Callable[[Knowledge, Path, StateQuery], KnowledgeReport] = getattr(import_module(module), name)
    return knowledge, report(knowledge, path, query)
