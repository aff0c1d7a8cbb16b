"""The knowledge base of the pre-flop learners: the values of all states they have met, in memory and on disk.

`KnowledgeBase` is the dictionary from states to values; `KnowledgeStore` keeps one in a knowledge file;
`report` shows one as the tables of ``riverboat knowledge``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clients.learners.knowledge_file import Knowledge, KnowledgeError, betting_of
from clients.learners.preflop.action_values import (
    HOLE_CARDS,
    NUM_VALUES,
    UPDATES,
    WINNING_HAND,
    proportional_triple,
    start_values,
)
from clients.learners.preflop.state import ACTIONS, POSITIONS, split_key
from clients.learners.reports import KnowledgeReport, StateQuery
from clients.learners.store import Contents, LearnerStore
from engine.players.statistics import PlayingStyle
from engine.poker.rules import GameDefinition
from engine.support.files.archive import array_of
from engine.support.files.formats import parse_json, shown
from engine.support.user_input import told_as

VERSION: Final = 1
"""The version of the arrays and notes in the file."""

_LARGEST: Final = 2**31 - 1
_NEW_NOTES: Final = {"last-action": "carried-over"}
"""The notes of a new file, unless others are asked for."""
_FORMER_NOTES: Final = {"last-action": "blind"}
"""The notes of files that have none: those of former versions, and their continuations."""


class KnowledgeBase:
    """The values of each state, and the names of players that states refer to."""

    def __init__(self) -> None:
        self.states: dict[int, list[int]] = {}
        """The values of each state (`clients.learners.preflop.action_values`), by its key."""
        self.names: list[str] = []
        """Names of last players, by number; empty if players are distinguished by style."""
        self.hands = 0
        """Hands played while learning."""

    def values(self, key: int, seed: int) -> list[int]:
        """The values of a state; a new state is added with start values from the seed."""
        if key not in self.states:
            self.states[key] = start_values(seed, key)
        return self.states[key]

    def peek(self, key: int, seed: int) -> list[int]:
        """The values of a state; a new state is not added."""
        return self.states.get(key) or start_values(seed, key)

    def name_number(self, name: str) -> int:
        """The number of a name; a new name is added."""
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    # --- a record of the journal ---------------------------------------------------------------------------

    def record(self, touched: Iterable[int], known_names: int) -> str:
        """The current values of some states, as a text, with the names after the first `known_names`."""
        states = [[key, *self.states[key]] for key in touched]
        names = self.names[known_names:]
        return json.dumps([self.hands, states, known_names, names], separators=(",", ":"))

    def apply_record(self, record: str) -> None:
        """Take over the values of a record.

        Raises:
            ValueError: the text is not a record.
        """
        hands, states, known_names, names = _lists(parse_json(record), 4)
        is_readable = isinstance(known_names, int) and isinstance(names, list)
        if not (is_readable and 0 <= known_names <= len(self.names)):
            wanted = f"expected a list of names that goes on from {len(self.names)} or fewer"
            raise ValueError(f"{wanted}, got {shown(known_names)} and {shown(names)}")
        names = self.names[:known_names] + names
        _check(hands, names, states)
        if names[: len(self.names)] != self.names[: len(names)]:
            raise ValueError(f"expected the names that were there, got {shown(names)}")
        self.hands, self.names = hands, max(self.names, names, key=len)
        for key, *values in states:
            self.states[key] = values

    # --- the arrays of a knowledge file --------------------------------------------------------------------

    def arrays(self) -> dict[str, Any]:
        """``keys``, shape (N,), and ``values``, shape (N, 6), both int32, in the order of the keys."""
        import numpy as np

        keys = sorted(self.states)
        values = np.array([self.states[key] for key in keys], dtype=np.int32).reshape(len(keys), NUM_VALUES)
        return {"keys": np.array(keys, dtype=np.int32), "values": values}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], hands: Any, names: Any) -> KnowledgeBase:
        """The knowledge base of what `arrays` returned.

        Raises:
            ValueError: an array is missing, or a value is out of range.
        """
        base = cls()
        keys = array_of(arrays, "keys", (-1,), "i")
        values = array_of(arrays, "values", (len(keys), NUM_VALUES), "i")
        states = [[key, *row] for key, row in zip(keys.tolist(), values.tolist(), strict=True)]
        _check(hands, names, states)
        base.hands, base.names = hands, list(names)
        base.states = {key: row for key, *row in states}
        return base


def _check(hands: Any, names: Any, states: Any) -> None:
    """Raise ValueError unless these are a number of hands, names, and states with their values."""
    if not isinstance(hands, int) or hands < 0:
        raise ValueError(f"expected a number of hands, got {shown(hands)}")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"expected a list of names, got {shown(names)}")
    if len(set(names)) != len(names):
        raise ValueError(f"expected different names, got {shown(names)}")
    players = len(names) or 4
    for state in states:
        key, *values = numbers = _lists(state, 1 + NUM_VALUES)
        if not all(isinstance(number, int) and abs(number) <= _LARGEST for number in numbers):
            raise ValueError(f"expected whole numbers, got {shown(state)}")
        if key < 0 or split_key(key).last_player >= players or min(values[: UPDATES + 1]) < 0:
            raise ValueError(f"{shown(state)} is no state with its values")


def _lists(value: Any, length: int) -> list[Any]:
    if not isinstance(value, list) or len(value) != length:
        raise ValueError(f"expected a list of {length}, got {shown(value)}")
    return value


class KnowledgeStore(LearnerStore):
    """A knowledge base and the file that keeps it.

    Args:
        path: the file; None to keep nothing.
        kind: the kind of learner.
        learn: whether anything will be written.
        journal: record every hand when it ends; off, only `save` writes.
        notes: options that must be the same as when the file was written; None takes the file's.

    Raises:
        KnowledgeError: the file cannot be used, or is missing although nothing will be learnt.
    """

    def __init__(
        self, path: Path | None, kind: str, *, learn: bool, journal: bool, notes: Mapping[str, str | None]
    ) -> None:
        super().__init__(path, kind, version=VERSION, learn=learn, journal=journal)
        self.base = KnowledgeBase()
        self.notes: dict[str, str] = {}
        """The options with which the knowledge was, and will be, learnt."""
        self._game: str | None = None
        try:
            self._take_in(notes)
            self._settle()
        except BaseException:
            self._let_go()
            raise
        self._names_written = len(self.base.names)

    def _take_in(self, asked: Mapping[str, str | None]) -> None:
        """Take over what was found in the file, if its notes are those that are asked for."""
        if self._found is None or self._file is None:
            self.notes = {name: value or _NEW_NOTES[name] for name, value in asked.items()}
            return
        path = self._file.path
        self.base, notes = read_base(self._found, path)
        for name, value in asked.items():
            written = notes.get(name, _FORMER_NOTES.get(name))
            if written is None or value not in (None, written):
                found = f"{path} was learnt with {name}={written}"
                raise KnowledgeError(f"{found}, and {name}={value} is asked for")
            self.notes[name] = written
        self._game = self._found.game

    def match_started(self, game: GameDefinition) -> None:
        """Make the file ready for a game.

        Raises:
            KnowledgeError: the file was learnt in another game, or cannot be written.
        """
        if self._file is None:
            return
        # The four learners ignore blinds, stacks and the number of seats.
        name = f"{betting_of(game)} Texas hold'em"
        if self._game not in (None, name):
            raise KnowledgeError(f"{self._file.path} was learnt in {self._game}, expected {name}")
        self._game = name
        self._settle()

    def hand_learnt(self, touched: Iterable[int]) -> None:
        """Record a finished hand.

        Args:
            touched: the keys of the states that are new or changed.

        Raises:
            KnowledgeError: it cannot be written.
        """
        record = self.base.record(touched, self._names_written)
        self._names_written = len(self.base.names)
        self._append(record)

    def save(self) -> None:
        """Replace the file with what is known now, if there is a file to write.

        Raises:
            KnowledgeError: it cannot be written.
        """
        super().save()
        self._names_written = len(self.base.names)

    def _contents(self) -> Contents | None:
        if self._game is None:
            return None
        notes = {name: value for name, value in self.notes.items() if value != _FORMER_NOTES.get(name)}
        meta = {"hands": self.base.hands, "names": self.base.names, "notes": notes}
        return self._game, self.base.arrays(), meta


def read_base(knowledge: Knowledge, path: Path) -> tuple[KnowledgeBase, Mapping[str, Any]]:
    """The knowledge base of a file, including its journal, and the file's notes.

    Raises:
        KnowledgeError: the file holds something else.
    """
    meta = knowledge.meta
    with told_as(KnowledgeError, TypeError, ValueError, what=f"{path} is damaged: "):
        base = KnowledgeBase.from_arrays(knowledge.arrays, meta.get("hands"), meta.get("names"))
        for record in knowledge.records:
            base.apply_record(record)
        notes = dict(meta.get("notes", ()))
    return base, notes


# --- a file as a table --------------------------------------------------------------------------------------

_COLUMNS = ("hand", "position", "last player", "last action", "fold %", "call %", "raise %", "updates")
_WAYS = ("hole cards", "winning hand")


def report(knowledge: Knowledge, path: Path, query: StateQuery) -> KnowledgeReport:
    """A row for each state, strongest hands first; with the values of the ways of judging if learnt.

    Actions are in percent, as in Tables 5.5 to 5.8.

    Raises:
        KnowledgeError: the file is newer or damaged.
    """
    from engine.poker.combos import STARTING_HAND_NAMES  # and NumPy

    knowledge.check_version(VERSION, path)
    base, notes = read_base(knowledge, path)
    chooses_way = knowledge.kind in ("name-learner", "poker-learner")
    styles = [style.name.lower().replace("_", " ") for style in PlayingStyle]
    rows: list[tuple[Any, ...]] = []
    for key in sorted(base.states, key=lambda key: (-split_key(key).group, key)):
        values, state = base.states[key], split_key(key)
        if values[UPDATES] < query.min_updates or query.hand not in (None, state.group):
            continue
        place = STARTING_HAND_NAMES[state.group], POSITIONS[state.position]
        last = (base.names or styles)[state.last_player], ACTIONS[state.last_action]
        shares = [round(100 * chance) for chance in proportional_triple(values)]
        row: tuple[Any, ...] = (*place, *last, *shares, values[UPDATES])
        rows.append((*row, values[HOLE_CARDS], values[WINNING_HAND]) if chooses_way else row)
    summary = {"hands": base.hands, "states": len(base.states), **notes}
    return KnowledgeReport(summary, _COLUMNS + _WAYS if chooses_way else _COLUMNS, tuple(rows))
