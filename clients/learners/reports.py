"""What a knowledge file says, as a table: ``riverboat knowledge`` for every kind of learner.

A learner plugs in with a line in `REPORTS`: its kind, and where the function is that makes its report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import attrs

from clients.learners.knowledge_file import Knowledge, KnowledgeError, read_knowledge

__all__ = ["REPORTS", "KnowledgeReport", "Query", "report_on"]


@attrs.frozen
class Query:
    """What of a knowledge file is wanted."""

    hand: int | None = None
    """Only this starting hand, numbered as in `engine.combos`."""
    min_updates: int = 1
    """Only what was learnt from at least this often."""


@attrs.frozen
class KnowledgeReport:
    """A knowledge file as a table."""

    summary: Mapping[str, Any]
    """Facts about the whole, by name, as JSON has them."""
    columns: tuple[str, ...]
    """Names of the columns, as JSON will have them."""
    rows: tuple[tuple[Any, ...], ...]
    """Texts and numbers, in the order of the columns; shares are whole percentages, their columns' names end
    in ``%``."""


REPORTS: Final[dict[str, str]] = {
    "hole-cards-learner": "clients.learners.preflop.report:report",
    "winning-hand-learner": "clients.learners.preflop.report:report",
    "name-learner": "clients.learners.preflop.report:report",
    "poker-learner": "clients.learners.preflop.report:report",
    "street-learner": "clients.learners.street.report:report",
}
"""By kind: ``module:function`` of ``(knowledge, path, query) -> KnowledgeReport``, which may raise
`KnowledgeError`."""


def report_on(path: Path, query: Query) -> tuple[Knowledge, KnowledgeReport]:
    """A file and the table of what it says.

    Raises:
        KnowledgeError: it cannot be read, or is of a learner that nothing is known of.
    """
    knowledge = read_knowledge(path)
    place = REPORTS.get(knowledge.kind)
    if place is None:
        known = ", ".join(REPORTS)
        raise KnowledgeError(f"{path} holds what a {knowledge.kind} has learnt; expected one of {known}")
    module, _, name = place.partition(":")
    report: Callable[[Knowledge, Path, Query], KnowledgeReport] = getattr(import_module(module), name)
    return knowledge, report(knowledge, path, query)
