"""What the tasks of all parts have in common: the files in which their results are kept."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs

from clients.lab.experiments.resuming import TASKS

__all__ = ["PartTask"]


@attrs.frozen
class PartTask:
    """A task whose fields are the settings on which its result depends."""

    folder: Path

    def result_file(self) -> Path:
        """The file of its result."""
        part = type(self).__module__.rpartition(".")[2].replace("_", "-")
        known = hashlib.sha256(json.dumps(self.played()).encode()).hexdigest()[:16]
        return self.folder / TASKS / f"{part}-{known}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends: the values of all fields."""
        fields = attrs.asdict(self, filter=lambda field, _: field.name != "folder")
        return {"version": version("riverboat"), **fields}
