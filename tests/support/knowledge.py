"""Knowledge files as a learner would leave them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from clients.learners.knowledge_file import KnowledgeFile


def write_knowledge(
    path: Path,
    kind: str,
    game: str,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
    *,
    version: int = 1,
) -> None:
    """Create or replace a file in one step, whatever it held."""
    with contextlib.closing(KnowledgeFile(path, kind, version=version, write=True)) as file:
        file.write(game, arrays, meta)
