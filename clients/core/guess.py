"""What is being played: as a room says; or, when nobody says, the packaged game that fits best.

The ACPC's dealer never names the game: its players learn it from their command lines.  A state shows the
number of players, of hole cards, and which cards there are; betting shows the rest bit by bit.  No-limit
comes before limit because that error corrects itself: a limit dealer takes the ``r200`` of a player who
assumes no-limit for a raise, and then shows it without a number; a no-limit dealer would take a bare ``r``
for a call, for ever.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Final

import attrs

from engine.poker.cards import InvalidCardError, parse_cards
from engine.poker.rules import GameDefinition, load_game, packaged_games

_STATE: Final = re.compile(r"MATCHSTATE:(\d+):\d+:[^:]*:([^:]*)")


@functools.cache
def _games() -> tuple[tuple[str, GameDefinition], ...]:
    games = [(name, load_game(name)) for name in packaged_games()]
    return tuple(sorted(games, key=lambda named: named[1].is_limit))


def name_of(game: GameDefinition) -> str:
    """The packaged game's name; ``"a game that is not packaged"`` for any other."""
    return next((name for name, known in _games() if known == game), "a game that is not packaged")


class GameGuess:
    """Guesses what is being played, and does not repeat a guess that was wrong."""

    def __init__(self) -> None:
        self._ruled_out: list[GameDefinition] = []
        self._last: GameDefinition | None = None
        self._is_settled = False

    def settle(self) -> None:
        """Somebody has said what is being played: no more guesses."""
        self._is_settled = True

    def candidates(self, text: str) -> Iterator[GameDefinition]:
        """The games a match state may belong to.

        The caller takes the first game that can explain the state, and asks again when a later state
        cannot be read in that game: it is then ruled out.
        """
        if self._last is not None:
            self._ruled_out.append(self._last)
        self._last = None
        state = _STATE.fullmatch(text)
        if state is None or self._is_settled:
            return
        hole_text, _, board_text = state.group(2).partition("/")
        hands = hole_text.split("|")
        try:
            own_cards = parse_cards(hands[int(state.group(1))])
            seen = {*parse_cards("".join(hands)), *parse_cards(board_text.replace("/", ""))}
        except (InvalidCardError, IndexError):
            return
        for _, game in _games():
            is_so_large = game.num_players == len(hands) and game.num_hole_cards == len(own_cards)
            if is_so_large and seen.issubset(game.deck) and game not in self._ruled_out:
                self._last = game
                yield game
        self._last = None


# --- where chips carry over from hand to hand, and the house says before each what is played ---------------


@attrs.frozen
class RoomSeat:
    """A seat to ask for in a room of many tables."""

    table: str = "any"
    """Its table's name."""
    name: str | None = None
    """Our name there, if we have one; the token goes with it."""
    chips: int | None = None
    """Chips to bring; None for the usual number there."""


def is_same_but_for_chips(game: GameDefinition, other: GameDefinition) -> bool:
    """Whether two games differ only in stacks, and in who posts what."""
    if game.num_players != other.num_players:
        return False
    return game == attrs.evolve(
        other, stacks=game.stacks, blinds=game.blinds, antes=game.antes, first_positions=game.first_positions
    )
