"""What is being played, when nobody says: the packaged games a match state fits, likeliest first.

The ACPC's dealer never names the game: its players learn it from their command lines.  A state shows the
number of players, of hole cards, and which cards there are; betting shows the rest bit by bit.  No-limit
comes before limit because that error heals itself: a limit dealer takes the ``r200`` of a player who
believes in no-limit for a raise, and then shows it without a number; a no-limit dealer takes a bare ``r``
for a call, for ever.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Final

from engine.cards import InvalidCardError, parse_cards
from engine.rules import GameDefinition, load_game, packaged_games

_STATE: Final = re.compile(r"MATCHSTATE:(\d+):\d+:[^:]*:([^:]*)")


@functools.cache
def _games() -> tuple[tuple[str, GameDefinition], ...]:
    games = [(name, load_game(name)) for name in packaged_games()]
    return tuple(sorted(games, key=lambda named: named[1].is_limit))


def name_of(game: GameDefinition) -> str:
    """The packaged game's name; ``"a game that is not packaged"`` for any other."""
    return next((name for name, known in _games() if known == game), "a game that is not packaged")


class GameGuess:
    """Guesses what is being played, and does not guess again what was found wrong."""

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
            if (
                game.num_players == len(hands)
                and game.num_hole_cards == len(own_cards)
                and seen.issubset(game.deck)
                and game not in self._ruled_out
            ):
                self._last = game
                yield game
        self._last = None
