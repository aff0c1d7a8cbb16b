"""How a program that launches a match learns where its seats are: JSON lines on a descriptor of its choice.

``riverboat match --announce FD`` writes a line for each table, when it is open::

    {"pass": 0, "seats": [
        {"seat": 0, "name": "you", "host": "127.0.0.1", "port": 40123, "awaited": true}, ...]}

``awaited`` says that nobody is launched for the seat: somebody is to connect from outside.  Where several
tables share the hands of a pass, those beside the first have ``"table": 1`` and so on.  Or one line says why
there is no table::

    {"error": "there is no game 'limit-22p'"}
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from server.match.launching.players import Player


class Announcer:
    """Writes announcements to a descriptor; without one, nowhere.

    Args:
        descriptor: open for writing, as long as this process lives.

    Raises:
        OSError: the descriptor is not open.
    """

    def __init__(self, descriptor: int | None) -> None:
        if descriptor is not None:
            os.fstat(descriptor)
        self._descriptor = descriptor

    def table_is_open(
        self, number: int, host: str, players: Sequence[Player], ports: Sequence[int], table: int = 0
    ) -> None:
        """Announce a table: which pass is played at it, its seats, and its number, if it is not the first."""
        seats = [
            {
                "seat": seat,
                "name": player.name,
                "host": host,
                "port": port,
                "awaited": player.command is None,
            }
            for seat, (player, port) in enumerate(zip(players, ports, strict=True))
        ]
        self._write({"pass": number, **({"table": table} if table else {}), "seats": seats})

    def failed(self, why: str) -> None:
        """Say that there is no table, in one line for people."""
        self._write({"error": why})

    def _write(self, message: dict[str, Any]) -> None:
        if self._descriptor is not None:
            try:
                os.write(self._descriptor, json.dumps(message).encode() + b"\n")
            except OSError:
                self._descriptor = None  # nobody reads it any more: the match goes on without them
