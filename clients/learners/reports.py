"""The contents of a knowledge file as a table: ``riverboat knowledge`` for every kind of learner.

A learner plugs in with a line in `REPORTS`: its kind, and the module that makes its report.
"""

from __future__ import annotations

from collections.abc import Mapping
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


_OF_THE_THESIS: Final = ("hole-cards-learner", "winning-hand-learner", "name-learner", "poker-learner")
_PREFLOP, _STREET = "clients.learners.preflop.knowledge", "clients.learners.street.knowledge"
REPORTS: Final = {**dict.fromkeys(_OF_THE_THESIS, _PREFLOP), "street-learner": _STREET}
"""By kind: the module of its ``report(knowledge, path, query) -> KnowledgeReport``, which may raise
`KnowledgeError`."""


def report_on(path: Path, query: StateQuery) -> tuple[Knowledge, KnowledgeReport]:
    """A file's knowledge, and its contents as a table.

    Raises:
        KnowledgeError: the file cannot be read, or is of an unknown kind of learner.
    """
    knowledge = read_knowledge(path)
    if knowledge.kind not in REPORTS:
        known = ", ".join(REPORTS)
        raise KnowledgeError(f"{path} holds what a {knowledge.kind} has learnt; expected one of {known}")
    return knowledge, import_module(REPORTS[knowledge.kind]).report(knowledge, path, query)
