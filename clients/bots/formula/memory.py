"""The memory of a formula bot: the models of its opponents between matches, in an archive without arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clients.bots.opponent_book import LEARNING, ModelName
from engine.players.models.specific import SpecificModel
from engine.players.predictors.model import PREDICTORS, PredictedModel
from engine.players.statistics import PlayerStatistics
from engine.support.files.archive import Archive, ArchiveError, find_archive

KIND: Final = "riverboat opponent models"
SCHEMA_VERSION: Final = 2

Remembered = tuple[SpecificModel, PlayerStatistics]
"""What is remembered of a player."""


def archive_of(players: Mapping[str, Remembered]) -> Archive:
    """Remembered players, by name."""
    entries = {
        name: {"model": model.as_dict(), "statistics": statistics.as_dict()}
        for name, (model, statistics) in players.items()
    }
    return Archive(KIND, SCHEMA_VERSION, {"players": entries})


def players_of(archive: Archive) -> dict[str, Remembered]:
    """The models and statistics of an archive made by `archive_of`.

    Raises:
        ArchiveError: numbers that make no sense.
    """
    with archive.checked():
        return {
            name: (_model_of(entry["model"]), PlayerStatistics.from_dict(entry["statistics"]))
            for name, entry in archive.meta["players"].items()
        }


def _model_of(data: Mapping[str, Any]) -> SpecificModel:
    return (PredictedModel if PREDICTORS.keys() & data.keys() else SpecificModel).from_dict(data)


def load(path: Path, model: ModelName) -> dict[str, Remembered]:
    """The contents of a file; nothing if there is none yet, or if the model is one that remembers nothing.

    Raises:
        ArchiveError: it is there and cannot be read, or holds models of another kind.
    """
    archive = find_archive(path, KIND, SCHEMA_VERSION)
    players = {} if archive is None else players_of(archive)
    if model not in LEARNING:
        return {}
    for name, (known, _) in players.items():
        kind = known.name if isinstance(known, PredictedModel) else "specific"
        if kind != model:
            raise ArchiveError(
                f"{path}: {name!r} is remembered by model={kind}, not {model}: take that, or another file"
            )
    return players
