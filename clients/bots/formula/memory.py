"""What a formula bot remembers of its opponents between matches: one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clients.bots.opponent_book import LEARNING, ModelName
from engine.players.models.specific import SpecificModel
from engine.players.predictors.model import PREDICTORS, PredictedModel
from engine.players.statistics import PlayerStatistics
from engine.support.files import write_whole
from engine.support.files.formats import parse_json, shown
from engine.support.files.lock import FileIsLocked, FileLock

SCHEMA_VERSION: Final = 2
_KIND: Final = "riverboat opponent models"


class InvalidMemoryError(ValueError):
    """A file that does not hold models of this version, or that cannot be kept."""


Remembered = tuple[SpecificModel, PlayerStatistics]
"""What is remembered of a player."""


def format_memory(players: Mapping[str, Remembered]) -> str:
    """What is remembered of players, by name, as JSON text."""
    entries = {
        name: {"model": model.as_dict(), "statistics": statistics.as_dict()}
        for name, (model, statistics) in players.items()
    }
    return json.dumps({"kind": _KIND, "schema": SCHEMA_VERSION, "players": entries}) + "\n"


def parse_memory(text: str) -> dict[str, Remembered]:
    """The models and statistics of a text made by `format_memory`.

    Raises:
        InvalidMemoryError: not JSON, another kind or version of file, or numbers that make no sense.
    """
    try:
        data: Any = parse_json(text)
    except ValueError as error:
        raise InvalidMemoryError(f"opponent models: not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("kind") != _KIND:
        raise InvalidMemoryError(f"opponent models: expected an object whose kind is {_KIND!r}")
    if data.get("schema") != SCHEMA_VERSION:
        raise InvalidMemoryError(
            f"opponent models: expected schema {SCHEMA_VERSION}, got {shown(data.get('schema'))}"
        )
    try:
        return {
            str(name): (
                _model_of(entry["model"]),
                PlayerStatistics.from_dict(entry["statistics"]),
            )
            for name, entry in data["players"].items()
        }
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidMemoryError(f"opponent models: {error}") from error


def _model_of(data: Mapping[str, Any]) -> SpecificModel:
    return (PredictedModel if PREDICTORS.keys() & data.keys() else SpecificModel).from_dict(data)


def _kind_of(model: SpecificModel) -> ModelName:
    return model.name if isinstance(model, PredictedModel) else "specific"


def load(path: Path, model: ModelName) -> dict[str, Remembered]:
    """What a file remembers; nothing if there is none yet, or if the model is one that remembers nothing.

    Raises:
        InvalidMemoryError: it is there and cannot be read, or holds models of another kind.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidMemoryError(f"{path} cannot be read: {error}") from error
    try:
        players = parse_memory(text)
    except InvalidMemoryError as error:
        raise InvalidMemoryError(f"{path}: {error}") from error
    if model not in LEARNING:
        return {}
    for name, (known, _) in players.items():
        kind = _kind_of(known)
        if kind != model:
            raise InvalidMemoryError(
                f"{path}: {name!r} is remembered by model={kind}, not {model}: take that, or another file"
            )
    return players


def save(path: Path, players: Mapping[str, Remembered]) -> None:
    """Write in one step, so that nobody ever reads half a file.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, format_memory(players))


def lock(path: Path) -> FileLock:
    """The right to write a file, for one bot at a time; `save` will then find its folder.

    Raises:
        InvalidMemoryError: another bot has it, or the folder is missing or cannot be written.
    """
    try:
        return FileLock(path)
    except FileIsLocked as error:
        raise InvalidMemoryError(f"{path} is being written by another bot: one at a time") from error
    except OSError as error:
        raise InvalidMemoryError(f"{path} cannot be written: {error.strerror or error}") from error
