"""``plan.json``: what a match is, written to its folder before its first hand.

It has the words of the command line as `riverboat match` understood them, so that ``--resume`` can
understand them again.  The key of the cards and the tokens of seats are not part of it
(`server.match.sittings.sitting`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from engine.support.files import write_whole
from engine.support.files.formats import parse_json

PLAN: Final = "plan.json"
_SCHEMA: Final = 1
_MODE: Final = 0o600


class NoPlan(ValueError):
    """There is no match that could be resumed; the message is one line for people."""


@attrs.frozen
class StoredPlan:
    """A match as it was asked for."""

    working_directory: str
    """The folder in which the players are run, and from which relative paths start."""
    folder: str
    """Of the match, as it was named."""
    definition: str
    """The game, as a game file."""
    parameters: Mapping[str, Any]
    """Parameters of the command, by name, that can be written as JSON."""
    commitment: str | None
    """The commitment to the key of the cards; None if they follow from a seed."""
    started: str
    """When the first sitting began, in ISO 8601."""
    version: str = version("riverboat")

    def write(self, folder: Path) -> None:
        """Store it so that it survives a power cut.

        Raises:
            OSError: it cannot be written.
        """
        text = json.dumps({"schema": _SCHEMA, **attrs.asdict(self)}) + "\n"
        write_whole(folder / PLAN, text, durable=True, mode=_MODE)

    @classmethod
    def read(cls, folder: Path) -> StoredPlan:
        """The plan of the match in a folder.

        Raises:
            NoPlan: there is none, or none that this version understands.
        """
        path = folder / PLAN
        try:
            value = parse_json(path.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise NoPlan(_why_there_is_none(folder)) from None
        except OSError as error:
            raise NoPlan(f"{path} cannot be read: {error.strerror or error}") from None
        except ValueError:
            raise NoPlan(f"{path} is damaged: it is no JSON object") from None
        if not isinstance(value, dict):
            raise NoPlan(f"{path} is damaged: it is no JSON object")
        schema = value.pop("schema", None)
        if schema != _SCHEMA:
            raise NoPlan(
                f"{path} was written by riverboat {value.get('version', 'of another version')}, "
                f"with schema {schema!r}; this one understands schema {_SCHEMA}"
            )
        kinds = {
            "working_directory": str,
            "folder": str,
            "definition": str,
            "parameters": dict,
            "commitment": str | None,
            "started": str,
            "version": str,
        }
        for name, kind in kinds.items():
            if not isinstance(value.get(name), kind):
                raise NoPlan(f"{path} is damaged: it has no {name}")
        return cls(**{name: value[name] for name in kinds})


def _why_there_is_none(folder: Path) -> str:
    if not folder.is_dir():
        return f"there is no folder {folder}"
    if (folder / "match.log").exists() or any(folder.glob("pass-*/match.log")):
        return f"{folder} cannot be resumed: it has no {PLAN}, which earlier versions did not write"
    return f"{folder} is no match folder: there is no {PLAN}"
