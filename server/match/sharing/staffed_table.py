"""A table over sockets, with the players launched for it.

A program that launches a match learns where its seats are from JSON lines on a descriptor of its choice.
``riverboat match --announce FD`` writes a line for each table, when it is open::

    {"pass": 0, "seats": [
        {"seat": 0, "name": "you", "host": "127.0.0.1", "port": 40123, "awaited": true}, ...]}

``awaited`` says that nobody is launched for the seat: somebody is to connect from outside.  Where several
tables share the hands of a pass, those beside the first have ``"table": 1`` and so on.  One line says why
there is no table, or what else went wrong::

    {"error": "there is no game 'limit-22p'"}
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

import attrs
import click
import trio

from engine.poker.rules import game_path
from server.match.launching.doorman import Doorman
from server.match.launching.launcher import Launcher, Terms
from server.match.launching.players import Player
from server.match.launching.processes import Orphanage
from server.match.plan import PassOrder
from server.support.errors import in_words, os_error_in_words
from server.table.config import MatchConfig
from server.table.match import MatchServer

_Server = TypeVar("_Server", bound=MatchServer)
_LOCAL: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
# Where a player on this machine reaches a house that listens on every address.


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
            {"seat": seat, "name": player.name, "host": host, "port": port, "awaited": player.command is None}
            for seat, (player, port) in enumerate(zip(players, ports, strict=True))
        ]
        self._write({"pass": number, **({"table": table} if table else {}), "seats": seats})

    def failed(self, why: str) -> None:
        """Say what went wrong, in one line for people."""
        self._write({"error": in_words(why)})

    @contextlib.contextmanager
    def telling_what_fails(self) -> Iterator[None]:
        """A context whose faults are announced as well, if they end a command with a message."""
        try:
            yield
        except click.ClickException as error:
            self.failed(error.format_message())
            raise
        except OSError as error:
            self.failed(os_error_in_words(error))
            raise

    def _write(self, message: dict[str, Any]) -> None:
        if self._descriptor is not None:
            try:
                os.write(self._descriptor, json.dumps(message).encode() + b"\n")
            except OSError:
                self._descriptor = None  # nobody reads it any more: the match goes on without them


@attrs.frozen
class House:
    """The common state of a match's tables."""

    say: Callable[[str], None]
    """Takes lines for people."""
    announcer: Announcer
    orphanage: Orphanage
    terms: Terms


class StaffedTable(Generic[_Server]):
    """A table and its players: `open`, `run`.

    Args:
        house: that it is in.
        order: who plays what.
        make_server: called with the match and its door.
        number: of the table, from 0, where several play the pass.

    *Resource handling*: `run` ends everything when it ends; close the server if it never runs.
    """

    def __init__(
        self, house: House, order: PassOrder, make_server: Callable[[MatchConfig], _Server], number: int = 0
    ) -> None:
        self._house = house
        self._order = order
        self._number = number
        has_sandboxes = house.terms.sandbox is not None
        tokens, output = order.config.seat_tokens, order.output
        door = Doorman(order.seated, tokens, house.say, has_sandboxes=has_sandboxes)
        output = output / f"table-{number + 1}" if number else output
        self.launcher = Launcher(output, house.terms, house.say, order.variables, door, house.orphanage)
        self.server = make_server(attrs.evolve(order.config, door=door))

    def open(self) -> None:
        """Open the table, and say where it is.

        Raises:
            MatchAborted: with the line that says which file or port cannot be opened.
        """
        order, server, house = self._order, self.server, self._house
        server.open()
        host = order.config.host
        house.announcer.table_is_open(order.number, host, order.seated, server.ports, self._number)
        at = f" at table {self._number + 1}" if self._number else ""
        for seat, player in enumerate(order.seated):
            if player.command is None:
                again = ", who is not shown the finished hands again" if order.config.resumes else ""
                where = f"{host} port {server.ports[seat]}"
                house.say(f"seat {seat + 1} ({player.name}){at}: waiting for a player on {where}{again}")

    async def run(self) -> None:
        """Launch the players, and play."""
        order, server = self._order, self.server
        try:
            async with trio.open_nursery() as nursery:
                if server.needs_players:
                    host, game = order.config.host, str(game_path(order.config.game_text))
                    where = _LOCAL.get(host, host), game, server.table.seating, nursery
                    nursery.start_soon(self.launcher.start, order.seated, order.seeds, *where)
                await server.run()
                await self.launcher.settle()
                nursery.cancel_scope.cancel()
        finally:
            await self.launcher.end()
