"""What a street-learner knows, in memory and in a knowledge file.

The file holds only the values that have been learnt: their indices, the values, and the number of
observations behind each.  A record of its journal holds the values that one hand has changed.

`report` shows a file as a table: what the learner does before the flop, by starting hand, position and style.
Only the first decisions of a hand are shown: opening, and answering a call or the smallest raise.  Later
decisions depend on too many things for a readable table.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

from clients.learners.knowledge_file import Knowledge, KnowledgeError, betting_of
from clients.learners.reports import KnowledgeReport, StateQuery
from clients.learners.store import Contents, LearnerStore
from engine.hands.preflop.tables import shipped_tables
from engine.learning.deal_pool import bucket_of
from engine.learning.decision import HandInRound, opening_values
from engine.learning.street import ActionValues
from engine.poker import rules
from engine.poker.combos import STARTING_HAND_NAMES
from engine.poker.rules.betting import BettingState
from engine.poker.rules.game_definition import UNLIMITED_RAISES, UNLIMITED_STACK
from engine.support.files.archive import array_of
from engine.support.files.formats import parse_json, shown
from engine.support.user_input import told_as

KIND: Final = "street-learner"

VERSION: Final = 1
"""The version of the arrays and their meaning (buckets, styles, situations); raised when these change."""

_LARGEST_VALUE: Final = float(np.finfo(np.float32).max)
_MOST_OBSERVATIONS: Final = 2**31 - 1


def describe_game(game: rules.GameDefinition) -> str:
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

    Raises:
        KnowledgeError: the file cannot be used, or is missing although nothing will be learnt.
    """

    def __init__(self, path: Path | None, *, learn: bool, journal: bool) -> None:
        super().__init__(path, KIND, version=VERSION, learn=learn, journal=journal)
        self._values: ActionValues | None = None

    @property
    def values(self) -> ActionValues:
        """The action values; only after `begin`."""
        assert self._values is not None, "begin first"
        return self._values

    def begin(self, game: rules.GameDefinition) -> None:
        """Make the values and the file ready for a game.

        Raises:
            KnowledgeError: the file was learnt in another game, is damaged, or cannot be written.
            ValueError: the game is not Texas hold'em.
        """
        if self._values is not None and self._values.game == game:
            return
        values, played = ActionValues.unlearnt(game), describe_game(game)
        if self._values is not None and self._file is not None:
            known = describe_game(self._values.game)
            raise KnowledgeError(f"{self._file.path} is for {known}, but the game played now is {played}")
        if self._found is not None:
            assert self._file is not None
            if self._found.game != played:
                raise KnowledgeError(f"{self._file.path} was learnt in {self._found.game}, expected {played}")
            with told_as(KnowledgeError, TypeError, ValueError, what=f"{self._file.path} is damaged: "):
                fill_values(values, self._found)
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
        changed = [[*place, float(learnt.values[place]), int(learnt.counts[place])] for place in touched]
        self._append(json.dumps([learnt.hands, changed], separators=(",", ":")))

    def _contents(self) -> Contents | None:
        learnt = self._values
        if learnt is None:
            return None
        places = np.flatnonzero(learnt.counts)
        values, counts = learnt.values.ravel()[places], learnt.counts.ravel()[places]
        arrays = {"places": places.astype(np.int32), "values": values, "counts": counts}
        meta = {"hands": learnt.hands, "game": rules.format_game(learnt.game)}
        return describe_game(learnt.game), arrays, meta


def fill_values(learnt: ActionValues, knowledge: Knowledge) -> None:
    """Fill in the values of a file, including its journal.

    Args:
        learnt: the values, filled in place.
        knowledge: what the file holds.

    Raises:
        TypeError, ValueError: the file holds something else.
    """
    arrays = knowledge.arrays
    places = array_of(arrays, "places", (-1,), "<i4", 0, learnt.counts.size - 1)
    values = array_of(arrays, "values", places.shape, "<f4", -_LARGEST_VALUE, _LARGEST_VALUE)
    counts = array_of(arrays, "counts", places.shape, "<i4", 1)
    if (np.diff(places) <= 0).any():
        raise ValueError("expected ascending places")
    learnt.values.ravel()[places] = values
    learnt.counts.ravel()[places] = counts
    learnt.hands = _count(knowledge.meta.get("hands"))
    for record in knowledge.records:
        hands, changed = parse_json(record)
        learnt.hands = _count(hands)
        rows, columns = learnt.counts.shape
        for row, column, value, count in changed:
            if not (_count(row) < rows and _count(column) < columns):
                place = f"({shown(row)}, {shown(column)})"
                raise ValueError(f"the journal refers to value {place}, which does not exist")
            if not isinstance(value, int | float) or not abs(value) <= _LARGEST_VALUE:
                raise ValueError(f"expected a finite value, got {shown(value)}")
            learnt.values[row, column] = value
            learnt.counts[row, column] = _count(count, _MOST_OBSERVATIONS)


def _count(number: Any, most: float = math.inf) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
        raise ValueError(f"expected a number of 0 or more, got {shown(number)}")
    return number


# --- a file as a table --------------------------------------------------------------------------------------

_LOOSENESS: Final = ("tight", "rather tight", "medium", "rather loose", "loose")
_AGGRESSION: Final = ("passive", "rather passive", "aggressive", "very aggressive")
_DOES: Final = {True: ("fold", "call", "raise"), False: ("fold", "call", "half the pot", "the pot", "all-in")}


def report(knowledge: Knowledge, path: Path, query: StateQuery) -> KnowledgeReport:
    """A row for each starting hand and situation, strongest hands first; for one hand, also for each style.

    Raises:
        KnowledgeError: the file is newer or damaged.
    """
    knowledge.check_version(VERSION, path)
    with told_as(KnowledgeError, TypeError, ValueError, what=f"{path} is damaged: "):
        game = rules.parse_game(str(knowledge.meta.get("game")))
        learnt = ActionValues.unlearnt(game)
        fill_values(learnt, knowledge)
    strengths = shipped_tables().raw_odds[:, 0]
    hands = np.argsort(-strengths, kind="stable").tolist() if query.hand is None else [query.hand]
    styles, actions = _styles(game), _DOES[game.is_limit]
    rows: list[tuple[Any, ...]] = []
    for name, betting in _openings(game):
        for hand in hands:
            strength = float(strengths[hand])
            in_round = HandInRound(bucket_of(0, strength), strength)
            for style, opponents in enumerate(styles if query.hand is not None else styles[:1]):
                considered, seen = opening_values(learnt, betting, in_round, style)
                if seen < max(1, query.min_updates):
                    continue
                values: list[Any] = ["-"] * len(actions)
                for offer, value in zip(considered.offers, considered.values, strict=True):
                    values[offer] = round(value, 2)
                does = actions[considered.offers[considered.best]]
                rows.append((STARTING_HAND_NAMES[hand], name, opponents, does, *values[1:], seen))
    columns = ("hand", "situation", "opponents", "does", *actions[1:], "updates")
    summary = {"hands": learnt.hands, "values": int((learnt.counts > 0).sum())}
    return KnowledgeReport(summary, columns, tuple(rows))


def _styles(game: rules.GameDefinition) -> list[str]:
    """The styles of opponents in the order of their numbers."""
    if game.num_players == 2:
        return ["any", *(f"{loose}, {pressing}" for loose in _LOOSENESS for pressing in _AGGRESSION)]
    return ["any", *(f"{loose}, {pressing}" for loose in _LOOSENESS[::4] for pressing in _AGGRESSION[::2])]


def _openings(game: rules.GameDefinition) -> list[tuple[str, BettingState]]:
    """The first decision of a hand, and the next player's after a call or the smallest raise."""
    first = rules.initial_betting(game)
    if first.position_to_act is None:
        return []
    after = {"after a call": rules.CALL, "after a raise": first.legal_actions().raising_to()}
    found = [("first to act", first), *((name, first.apply(action)) for name, action in after.items())]
    return [each for each in found if each[1].betting_round == 0 and each[1].position_to_act is not None]
