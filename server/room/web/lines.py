"""What a room says to a player, line by line, and what it means: JSON for the script in the browser.

Sans-I/O.  Nothing is known here but what the player's own connection says; what the player says goes to the
room's door unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from engine.poker.rules import GameDefinition, RulesError, parse_game
from protocol.errors import ProtocolError
from protocol.extension import parse_note, parse_seated
from protocol.framing import LineBuffer
from protocol.state_reader import MatchStateReader
from server.room.web.scenes import draw, seen_by_player

_STATE: Final = "MATCHSTATE:"


class DoorReader:
    """Reads one conversation."""

    def __init__(self) -> None:
        self._lines = LineBuffer()
        self._game: GameDefinition | None = None
        self._stacks: tuple[int, ...] = ()
        self._names: tuple[str, ...] = ()
        self._reader: MatchStateReader | None = None

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages that some bytes complete: every line as ``line``, together with its meaning.

        ``kind`` is ``scene`` for a hand (`server.room.web.scenes`), ``note`` with ``name`` and ``text``,
        or ``line``.
        """
        self._lines.feed(data)
        while (line := self._lines.next_line()) is not None:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            yield {"line": text, **self._meaning(text)}

    def _meaning(self, text: str) -> dict[str, Any]:
        try:
            if text.startswith(_STATE):
                return self._state(text)
            seated = parse_seated(text)
            if seated is not None:
                table, seat, stack = seated
                return {"kind": "note", "name": "seated", "table": table, "seat": seat, "stack": stack}
            note = parse_note(text)
            if note is not None:
                self._hear(*note)
                return {"kind": "note", "name": note[0], "text": note[1]}
        except (ProtocolError, RulesError, ValueError):
            self._reader = None  # the line is shown as it is
        return {"kind": "line"}

    def _hear(self, name: str, text: str) -> None:
        """Take in a note about the next hand."""
        match name:
            case "game":
                self._game = parse_game(text.replace(";", "\n"))
            case "stacks":
                self._stacks = tuple(map(int, text.split("|")))
            case "names":
                self._names = tuple(text.split("|"))
            case _:
                return
        game = self._game
        if game is not None and len(self._stacks) == game.num_players:
            self._reader = MatchStateReader(attrs.evolve(game, stacks=self._stacks))

    def _state(self, text: str) -> dict[str, Any]:
        if self._reader is None:
            return {"kind": "line"}
        return draw(seen_by_player(self._reader.read(text), self._names))
