"""Verifies a tournament: its logs are checked line by line, and its standings derived again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

import attrs

from engine.support.files.formats import parse_json
from engine.support.user_input import how_many
from server.league.house import PLAN, Folder, TournamentFault
from server.league.match import DamagedMatch, match_cards
from server.league.sit_and_go.log import check_log, table_of_match
from server.records.logs import LOG_FILE, RESULT_FILE, LogError, find_logs
from server.records.verification.log_checker import verify_log
from server.support.toml_text import FileMistake

_DERIVED: Final = (
    "players", "pairs", "hands", "matches", "failures", "run_off", "bootstrap", "cycles", "rounds",
)  # fmt: skip
"""The parts of ``result.json`` that follow from the logs alone."""


@attrs.frozen
class CheckedTournament:
    """The result of checking a tournament."""

    path: Path
    matches: int
    logs: int
    hands: int
    problem: str | None
    """The first fault, in one line with file and line number."""
    place: tuple[str, int | None] = ("", None)
    """Its file and line."""

    def __str__(self) -> str:
        if self.problem is not None:
            return self.problem
        found = f"{how_many(self.matches, 'match')}, {how_many(self.hands, 'hand')}"
        return f"{self.path}: true: {found}; {RESULT_FILE} follows from them"


def is_tournament(path: Path) -> bool:
    """Whether a folder holds a tournament."""
    return (path / PLAN).is_file()


def check_tournament(path: Path) -> CheckedTournament:
    """Check the logs of a tournament and everything derived from them, up to the first fault."""
    matches = logs = hands = 0
    try:
        folder = Folder.reading(path)
        for match in sorted(folder.played):
            place = folder.place(match)
            root, common = folder.root, folder.plan.common_seeds
            cards = None if root is None else match_cards(root, match, common=common)
            if folder.plan.sit_and_go is not None:
                log = place / LOG_FILE
                fault = check_log(log, table_of_match(folder.plan, match), cards)
                logs, matches, hands = logs + 1, matches + 1, hands + folder.played[match].hands
                if fault is not None:
                    said = f"{log}:{fault[0]}: {fault[1]}"
                    return CheckedTournament(path, matches, logs, hands, said, (str(log), fault[0]))
                continue
            event = folder.plan.events[match.event]
            for log in find_logs([place]) if folder.played[match].hands else ():
                checked = verify_log(log, event.game, cards)
                logs, hands = logs + 1, hands + checked.hands
                if checked.problem is not None:
                    where = (str(log), checked.problem.line)
                    return CheckedTournament(path, matches, logs, hands, str(checked.problem), where)
            matches += 1
        problem = _difference(folder)
    except (DamagedMatch, FileMistake, LogError, TournamentFault) as error:
        problem = str(error)
    return CheckedTournament(path, matches, logs, hands, problem)


def _difference(folder: Folder) -> str | None:
    """How ``result.json`` differs from what follows from the logs."""
    from server.league.standings import standings  # loads numpy

    path = folder.path / RESULT_FILE
    try:
        said = parse_json(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return f"{path} cannot be read: {error}"
    derived = parse_json(json.dumps(standings(folder, is_complete=bool(said.get("complete")))))
    for key in _DERIVED:
        where = _first_difference(said.get(key), derived[key], key)
        if where is not None:
            return f"{path}: {where}"
    return None


def _first_difference(said: Any, derived: Any, place: str) -> str | None:
    """The place where two values differ by more than rounding."""
    if isinstance(derived, dict) and isinstance(said, dict) and said.keys() == derived.keys():
        parts = [(said[key], derived[key], f"{place}.{key}") for key in derived]
    elif isinstance(derived, list) and isinstance(said, list) and len(said) == len(derived):
        parts = [(said[k], derived[k], f"{place}[{k}]") for k in range(len(derived))]
    else:
        is_number = isinstance(said, int | float) and isinstance(derived, int | float)
        if said == derived or (is_number and math.isclose(said, derived, rel_tol=1e-6, abs_tol=1e-6)):
            return None
        return f"{place}: expected {derived!r}, by the logs; got {said!r}"
    return next((found for part in parts if (found := _first_difference(*part)) is not None), None)
