"""The game of a room's or a sit-and-go's next hand, where chips carry over from hand to hand."""

from __future__ import annotations

import attrs

from engine.poker.rules import GameDefinition, GameDefinitionError
from engine.support.user_input import parse_whole, told_as
from protocol.errors import RemoteProtocolError


@attrs.define
class RoomGame:
    """The game of a room's or a sit-and-go's next hand, from what its ``#game`` and ``#stacks`` lines say."""

    game: GameDefinition | None = None
    """Of the last ``#game`` line."""
    stacks: tuple[int, ...] = ()
    """Of the last ``#stacks`` line, by position."""

    def with_game(self, game: GameDefinition) -> GameDefinition | None:
        """The game after a ``#game`` line.

        The stacks known so far may be those of an earlier hand, in which a player had less than they post
        now.
        """
        self.game = game
        try:
            return self._both()
        except RemoteProtocolError:
            return game  # the stacks of this hand come next

    def with_stacks(self, text: str) -> GameDefinition | None:
        """The game after a ``#stacks`` line.

        Raises:
            RemoteProtocolError: it cannot be read.
        """
        with told_as(RemoteProtocolError, ValueError, what="the server's #stacks line: "):
            self.stacks = tuple(map(parse_whole, text.split("|")))
        return self._both()

    def _both(self) -> GameDefinition | None:
        game = self.game
        if game is None or len(self.stacks) != game.num_players:
            return game
        with told_as(RemoteProtocolError, GameDefinitionError, what="the server's #stacks line: "):
            return attrs.evolve(game, stacks=self.stacks)
