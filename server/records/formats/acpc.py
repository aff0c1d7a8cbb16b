"""Hands as ACPC logs: one log for each game that was played, and the game's file beside it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from engine.poker.rules import GameDefinition, HandState, format_game, parse_betting
from engine.poker.rules.game_definition import NO_RAKE
from protocol.records import format_hand, format_score
from server.records.formats.hands import FormatError, PlayedHand, settle
from server.records.logs import open_log, rotation

UNKNOWN_SEED = "unknown"
"""The text in place of the seed in a header."""


def read_acpc(path: Path, game: GameDefinition | str | None) -> Iterator[PlayedHand | FormatError]:
    """The hands of an ACPC log.

    Raises:
        LogError: it cannot be read.
    """
    log = open_log(path, game)
    unraked = attrs.evolve(log.game, rake=NO_RAKE)
    for hand in log.hands():
        where = f"{path}:{hand.line}"
        missing = [
            position
            for position, cards in enumerate(hand.state.deal.hole_cards)
            if not cards and not hand.state.betting.folded[position]
        ]
        if hand.state.betting.is_showdown and any(hand.chips[position] > 0 for position in missing):
            yield FormatError(f"{where}: the cards of a winner of the showdown are not known")
        elif log.game.has_rake:
            betting = parse_betting(unraked, hand.state.betting.text)
            state = HandState(betting, hand.number, hand.state.deal)
            yield PlayedHand(hand.number, where, state, settle(state), hand.names, ("the rake is left out",))
        else:
            yield PlayedHand(hand.number, where, hand.state, hand.chips, hand.names)


@attrs.frozen
class AcpcLog:
    """A log and its game."""

    game: GameDefinition
    hands: tuple[PlayedHand, ...]
    notes: tuple[str, ...]
    """What had to be changed, in lines."""

    def game_file(self) -> str:
        """The contents of the game's file."""
        return format_game(self.game)

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
        seats = {_names_by_seat(hand) for hand in self.hands}
        if len(seats) > 1 or any(later <= earlier for earlier, later in itertools.pairwise(numbers)):
            return ""
        names = list(map(acpc_name, seats.pop()))
        totals = [0.0] * len(names)
        for hand in self.hands:
            for seat, chips in zip(rotation(hand.number, len(names)), hand.chips, strict=True):
                totals[seat] += chips
        return format_score(totals, names)


def _names_by_seat(hand: PlayedHand) -> tuple[str, ...]:
    seats = rotation(hand.number, len(hand.names))
    return tuple([hand.names[seats.index(seat)] for seat in range(len(seats))])


def acpc_logs(hands: Sequence[PlayedHand]) -> tuple[AcpcLog, ...]:
    """Hands grouped by their games, in the order of each game's first hand."""
    by_game: dict[GameDefinition, list[PlayedHand]] = {}
    for hand in hands:
        by_game.setdefault(hand.game, []).append(hand)
    logs = []
    for game, played in by_game.items():
        changed = {name: acpc_name(name) for hand in played for name in hand.names if acpc_name(name) != name}
        notes = [f"the name {name!r} is written {new}" for name, new in changed.items()]
        if not _are_numbered(played):
            played = [_numbered(hand, number) for number, hand in enumerate(played)]
            notes.append("the hands are numbered from 0: their own numbers are too large, or do not rise")
        logs.append(AcpcLog(game, tuple(played), tuple(notes)))
    return tuple(logs)


def _numbered(hand: PlayedHand, number: int) -> PlayedHand:
    return attrs.evolve(hand, number=number, state=attrs.evolve(hand.state, hand_number=number))


def _are_numbered(hands: Sequence[PlayedHand]) -> bool:
    """Whether the numbers can stay: they are those of one match, or of several, one after another."""
    numbers = [hand.number for hand in hands]
    return max(numbers) < 2**32 and all(
        later > earlier or later <= 1 for earlier, later in itertools.pairwise(numbers)
    )


def acpc_name(name: str) -> str:
    """A name in the form that a log can hold: without blanks, bars and colons."""
    return re.sub(r"[\s|:\x00-\x1f\x7f]+", "_", name.strip()) or "_"
