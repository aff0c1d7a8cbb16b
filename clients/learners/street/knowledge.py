"""What a street-learner knows, in memory and in a knowledge file.

The file holds only the values that have been learnt: their indices, the values, and the number of
observations behind each.  A record of its journal holds the values that one hand has changed.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from clients.learners.knowledge_file import Knowledge, KnowledgeError, betting_of
from clients.learners.store import Contents, LearnerStore
from engine.learning.street import ActionValues
from engine.poker.rules import GameDefinition, format_game
from engine.poker.rules.game_definition import UNLIMITED_RAISES, UNLIMITED_STACK
from engine.support.files.formats import parse_json, shown

__all__ = ["KIND", "VERSION", "StreetKnowledge", "describe_game", "fill_values"]

KIND: Final = "street-learner"

VERSION: Final = 1
"""The version of the arrays and their meaning (buckets, styles, situations); raised when these change."""

_LARGEST_VALUE: Final = float(np.finfo(np.float32).max)
_MOST_OBSERVATIONS: Final = 2**31 - 1


def describe_game(game: GameDefinition) -> str:
    """The game as a text; games with the same text are the same to a learner."""
    text = f"{betting_of(game)} hold'em, {game.num_players} players, blinds {_numbers(game.blinds)}"
    if min(game.stacks) < UNLIMITED_STACK:
        text += f", stacks {_numbers(game.stacks)}"
    if game.is_limit:
        text += f", raises by {_numbers(game.raise_sizes)}"
    if min(game.max_raises) < UNLIMITED_RAISES:
        text += f", at most {_numbers(game.max_raises)} a round"
    return text


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


class StreetKnowledge(LearnerStore):
    """Action values and the file that keeps them.

    Args:
        path: the file; None to keep nothing.
        learn: whether anything will be written.
        journal: record every hand when it ends; off, only `save` writes.
        environment: the variables among which a duplicate match sets its own; the file is then only read.

    Raises:
        KnowledgeError: the file cannot be used, or is missing although nothing will be learnt.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        learn: bool,
        journal: bool,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        super().__init__(path, KIND, version=VERSION, learn=learn, journal=journal, environment=environment)
        self._values: ActionValues | None = None

    @property
    def values(self) -> ActionValues:
        """The action values; only after `begin`."""
        assert self._values is not None, "begin first"
        return self._values

    def begin(self, game: GameDefinition) -> None:
        """Make the values and the file ready for a game.

        Raises:
            KnowledgeError: the file was learnt in another game, is damaged, or cannot be written.
            ValueError: the game is not Texas hold'em.
        """
        if self._values is not None and self._values.game == game:
            return
        values = ActionValues.unlearnt(game)
        if self._values is not None and self._file is not None:
            raise KnowledgeError(
                f"{self._file.path} is for {describe_game(self._values.game)}, but the game played now is "
                f"{describe_game(game)}"
            )
        if self._found is not None:
            assert self._file is not None
            if self._found.game != describe_game(game):
                raise KnowledgeError(
                    f"{self._file.path} was learnt in {self._found.game}, expected {describe_game(game)}"
                )
            try:
                fill_values(values, self._found)
            except (TypeError, ValueError) as error:
                raise KnowledgeError(f"{self._file.path} is damaged: {error}") from error
        self._values = values
        self._settle()

    def hand_learnt(self, touched: Iterable[tuple[int, int]]) -> None:
        """Record what a hand has changed.

        Args:
            touched: rows and columns of the changed values.

        Raises:
            KnowledgeError: it cannot be written.
        """
        learnt = self.values
        changed = [
            [row, column, float(learnt.values[row, column]), int(learnt.counts[row, column])]
            for row, column in touched
        ]
        self._append(json.dumps([learnt.hands, changed], separators=(",", ":")))

    def _contents(self) -> Contents | None:
        learnt = self._values
        if learnt is None:
            return None
        places = np.flatnonzero(learnt.counts)
        arrays = {
            "places": places.astype(np.int32),
            "values": learnt.values.ravel()[places],
            "counts": learnt.counts.ravel()[places],
        }
        meta = {"hands": learnt.hands, "game": format_game(learnt.game)}
        return Contents(describe_game(learnt.game), arrays, meta)


def fill_values(learnt: ActionValues, knowledge: Knowledge) -> None:
    """Fill in the values of a file, including its journal.

    Args:
        learnt: the values, filled in place.
        knowledge: what the file holds.

    Raises:
        TypeError, ValueError: the file holds something else.
    """
    try:
        places, values, counts = (knowledge.arrays[name] for name in ("places", "values", "counts"))
    except KeyError as error:
        raise ValueError(f"the array {error} is missing") from None
    if [array.dtype.str for array in (places, values, counts)] != ["<i4", "<f4", "<i4"]:
        raise ValueError("expected places and counts as int32, values as float32")
    if places.ndim != 1 or not places.shape == values.shape == counts.shape:
        raise ValueError("expected three arrays of one length")
    size = learnt.counts.size
    if len(places) and not (places[0] >= 0 and places[-1] < size and (np.diff(places) > 0).all()):
        raise ValueError(f"expected ascending places below {size}")
    if not np.isfinite(values).all() or (counts <= 0).any():
        raise ValueError("expected finite values with one observation or more")
    learnt.values.ravel()[places] = values
    learnt.counts.ravel()[places] = counts
    learnt.hands = _count(knowledge.meta.get("hands"))
    for record in knowledge.records:
        hands, changed = parse_json(record)
        learnt.hands = _count(hands)
        rows, columns = learnt.counts.shape
        for row, column, value, count in changed:
            if not (_count(row) < rows and _count(column) < columns):
                raise ValueError(
                    f"the journal refers to value ({shown(row)}, {shown(column)}), which does not exist"
                )
            if not isinstance(value, int | float) or not abs(value) <= _LARGEST_VALUE:
                raise ValueError(f"expected a finite value, got {shown(value)}")
            learnt.values[row, column] = value
            learnt.counts[row, column] = _count(count, _MOST_OBSERVATIONS)


def _count(number: Any, most: float = math.inf) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
        raise ValueError(f"expected a number of 0 or more, got {shown(number)}")
    return number
