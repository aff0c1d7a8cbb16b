"""Hands as ACPC logs: one log for each game that was played, and the game's file beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from engine.rules import GameDefinition, format_game
from protocol.records import format_hand, format_score
from server.formats.hands import FormatError, PlayedHand
from server.report.logs import open_log, rotation

__all__ = ["AcpcLog", "acpc_logs", "read_acpc"]

UNKNOWN_SEED = "unknown"
"""What stands in the seed's place in a header."""


def read_acpc(path: Path, game: GameDefinition | str | None) -> Iterator[PlayedHand | FormatError]:
    """The hands of an ACPC log.

    Raises:
        LogError: it cannot be read.
    """
    log = open_log(path, game)
    for hand in log.hands():
        where = f"{path}:{hand.line}"
        missing = [
            position
            for position, cards in enumerate(hand.state.deal.hole_cards)
            if not cards and not hand.state.betting.folded[position]
        ]
        if hand.state.betting.is_showdown and any(hand.chips[position] > 0 for position in missing):
            yield FormatError(f"{where}: the cards of a winner of the showdown are not known")
        else:
            yield PlayedHand(hand.number, where, hand.state, hand.chips, hand.names)


@attrs.frozen
class AcpcLog:
    """A log, and the game it is of."""

    game: GameDefinition
    hands: tuple[PlayedHand, ...]
    notes: tuple[str, ...]
    """What names had to be changed."""

    def game_file(self) -> str:
        """The game's file."""
        return format_game(self.game)

    def text(self, name: str, game_file: str) -> str:
        """The log.

        Args:
            name: of the match, one word.
            game_file: the name of the game's file.
        """
        lines = [f"# name/game/hands/seed {name} {game_file} {len(self.hands)} {UNKNOWN_SEED}\n"]
        totals: dict[str, float] = {}
        seats: dict[int, str] = {}
        for hand in self.hands:
            names = list(map(acpc_name, hand.names))
            lines.append(format_hand(hand.state, hand.chips, names))
            for seat, player, chips in zip(rotation(hand.number, len(names)), names, hand.chips, strict=True):
                seats.setdefault(seat, player)
                totals[player] = totals.get(player, 0.0) + chips
        in_seats = [seats[seat] for seat in sorted(seats)]
        if sorted(in_seats) == sorted(totals):
            lines.append(format_score([totals[player] for player in in_seats], in_seats))
        return "".join(lines)


def acpc_logs(hands: Sequence[PlayedHand]) -> tuple[AcpcLog, ...]:
    """Hands by the games they are of, in the order of their first hands."""
    by_game: dict[GameDefinition, list[PlayedHand]] = {}
    for hand in hands:
        by_game.setdefault(hand.game, []).append(hand)
    logs = []
    for game, played in by_game.items():
        changed = {name: acpc_name(name) for hand in played for name in hand.names if acpc_name(name) != name}
        notes = tuple(f"the name {name!r} is written {new}" for name, new in changed.items())
        logs.append(AcpcLog(game, tuple(played), notes))
    return tuple(logs)


def acpc_name(name: str) -> str:
    """A name that a log can hold: without blanks, bars and colons."""
    return re.sub(r"[\s|:\x00-\x1f\x7f]+", "_", name.strip()) or "_"
