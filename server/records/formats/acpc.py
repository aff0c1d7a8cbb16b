"""Hands as ACPC logs: one log for each game that was played, and the game's file beside it."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import attrs

from engine.poker.rules import GameDefinition
from engine.support.files.formats import parse_json
from protocol.records import format_hand, format_score
from server.records.formats.hands import PlayedHand, folds_for_nothing, settle
from server.records.formats.said import FormatError
from server.records.log_lines import LogError
from server.records.logs import RESULT_FILE, MatchLog, by_seat, open_log, rotation

UNKNOWN_SEED = "unknown"
"""The text in place of the seed in a header."""


def read_acpc(path: Path, game: GameDefinition | str | None) -> Iterator[PlayedHand | FormatError]:
    """The hands of an ACPC log, each with its own game; for a hand that cannot be read, the error.

    Raises:
        LogError: it is not a log at all.
    """
    log = open_log(path, game)
    match = _match_number(log)
    time = _time_of(path) if log.commitments or (path.parent / RESULT_FILE).is_file() else None
    for row in log.rows():
        where = f"{path}:{row.line}"
        if isinstance(row, LogError):
            yield FormatError(str(row), row.what)
            continue
        try:
            hand = row.played()
            expected = settle(hand.state)
        except ValueError as error:  # of the rules, or nobody's cards at the showdown are known
            yield FormatError.at(where, error)
            continue
        wrong = [p for p, should in enumerate(expected) if abs(hand.chips[p] - should) >= 1]
        if wrong:  # whole chips are off by less
            chips, should = hand.chips[wrong[0]], expected[wrong[0]]
            what = f"position {wrong[0]} wins {chips:g} by the log, and {should:g} by the rules"
            yield FormatError.at(where, what)
        else:
            yield PlayedHand(hand.number, where, hand.state, hand.chips, hand.names, time=time, match=match)
    yield from map(FormatError, log.warnings)


def _match_number(log: MatchLog) -> int:
    """A number for a match, from its commitment, or from its header and players."""
    named = [log.commitments[0]] if log.commitments else [str(log.header), *log.players]
    return 1 + int.from_bytes(hashlib.sha256("\n".join(named).encode("utf-8", "replace")).digest()[:4])


def _time_of(path: Path) -> datetime | None:
    """When the match of a log of ours began, by its result; else when the log was last written."""
    try:
        for folder in (path.parent, path.parent.parent):
            result = folder / RESULT_FILE
            if result.is_file() and (value := parse_json(result.read_text("utf-8"))) and "started" in value:
                return datetime.fromisoformat(value["started"]).astimezone(UTC)
        return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except (OSError, ValueError, TypeError, OverflowError):
        return None


@attrs.frozen
class AcpcLog:
    """A log and its game."""

    game: GameDefinition
    hands: tuple[PlayedHand, ...]
    notes: tuple[str, ...]
    """What had to be changed, in lines."""

    def text(self, name: str, game_file: str) -> str:
        """The contents of the log.

        Args:
            name: the match's name, one word.
            game_file: the name of the game's file.
        """
        header = f"# name/game/hands/seed {name} {game_file} {len(self.hands)} {UNKNOWN_SEED}\n"
        lines = [format_hand(hand.state, hand.chips, list(map(acpc_name, hand.names))) for hand in self.hands]
        return "".join([header, *lines, self._score()])

    def _score(self) -> str:
        """The ``SCORE:`` line if the hands form one match; otherwise empty."""
        numbers = [hand.number for hand in self.hands]
        seats = {by_seat(hand.names, hand.number) for hand in self.hands}
        if len(seats) > 1 or any(later <= earlier for earlier, later in itertools.pairwise(numbers)):
            return ""
        names = list(map(acpc_name, seats.pop()))
        totals = [0.0] * len(names)
        for hand in self.hands:
            for seat, chips in zip(rotation(hand.number, len(names)), hand.chips, strict=True):
                totals[seat] += chips
        return format_score(totals, names)


def acpc_logs(hands: Sequence[PlayedHand]) -> tuple[AcpcLog, ...]:
    """Hands grouped by their games, in the order of each game's first hand."""
    by_game: dict[GameDefinition, list[PlayedHand]] = {}
    for hand in hands:
        game = attrs.evolve(hand.game, short_raises_reopen=True)  # which allows the same, and more
        by_game.setdefault(game, []).append(attrs.evolve(hand, chips=settle(hand.state)))
    logs = []
    for game, played in by_game.items():
        changed = {name: acpc_name(name) for hand in played for name in hand.names if acpc_name(name) != name}
        notes = [f"the name {name!r} is written {new}" for name, new in changed.items()]
        if not _are_numbered(played):
            played = [
                attrs.evolve(hand, number=number, state=attrs.evolve(hand.state, hand_number=number))
                for number, hand in enumerate(played)
            ]
            notes.append("the hands are numbered from 0: their own numbers are too large, or do not rise")
        logs.append(AcpcLog(game, tuple(played), tuple(notes)))
    return tuple(logs)


def check_acpc(hand: PlayedHand) -> None:
    """Refuse hands that the ACPC's format cannot express.

    Raises:
        FormatError: it is such a hand; the message has the reason.
    """
    if hand.game.least_bet:
        raise FormatError("a least bet other than the largest blind posted cannot be written in this format")
    if folds_for_nothing(hand):
        raise FormatError("a fold where a check is free cannot be written in this format")


def _are_numbered(hands: Sequence[PlayedHand]) -> bool:
    """Whether the numbers can stay: they are those of one match, or of several, one after another."""
    numbers = [hand.number for hand in hands]
    return max(numbers) < 2**32 and all(
        later > earlier or later <= 1 for earlier, later in itertools.pairwise(numbers)
    )


def acpc_name(name: str) -> str:
    """A name in the form that a log can hold: without blanks, bars and colons."""
    return re.sub(r"[\s|:\x00-\x1f\x7f]+", "_", name.strip()) or "_"
