"""An open room: its ledger, its tables, its door, its bots, and how it closes.

A fault of ours at one table ends only that table: its people are cut off, and it is opened again from the
ledger, which has every finished hand.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Awaitable, Callable, Mapping
from traceback import format_exception
from typing import Final

import attrs
import trio

from engine.support.interruption import first_of
from server.room.config import RoomConfig, RoomError, TableConfig
from server.room.door import Door, listen
from server.room.house_bots import HouseBots
from server.room.identities import Identities
from server.room.ledger.copying import copy_back
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import Ledger, LedgerIsFull
from server.room.ledger.sit_and_gos import SitAndGos
from server.room.reporting import OperatorConsole
from server.room.tables.log import FOLDER
from server.room.tables.table import RoomTable
from server.room.tls import server_context
from server.support.console import Console
from server.support.errors import MatchAborted

_AGAIN_S: Final = 1.0
# Before a table that had a fault is opened again.


@attrs.frozen
class Addresses:
    """The address of the room."""

    host: str
    port: int
    table_ports: Mapping[str, int]
    """For plain ACPC clients, by table."""


class Room:
    """A room.

    Args:
        config: what it is.
        console: for the operator.

    Raises:
        LedgerError: the ledger cannot be opened.
        RoomError: the certificate cannot be read.

    *Resource handling*: `run` closes everything; call `close` if it is never run.
    """

    def __init__(self, config: RoomConfig, console: Console) -> None:
        self.config: Final = config
        self._console = console
        tls = None if config.tls is None else server_context(config.tls)
        self.ledger: Final = Ledger(config.data)
        try:
            (config.data / FOLDER).mkdir(mode=0o700, exist_ok=True)
        except BaseException:
            self.ledger.close()
            raise
        self.identities: Final = Identities(config, self.ledger)
        self._bots = HouseBots(self.identities, console, self._bot_has_failed)
        self.tables: Final[dict[str, RoomTable]] = {}
        """The open tables, by name."""
        self.door: Final = Door(config, self.identities, self.tables, console, tls)
        self._has_tls = tls is not None
        self._is_closing: str | None = None
        self._tasks: trio.Nursery | None = None
        self.closed: Final = trio.Event()
        """Set when all is over."""
        self.faults = 0
        """Faults of ours that have ended a table."""

    @property
    def is_closing(self) -> bool:
        """Whether it has been told to close."""
        return self._is_closing is not None

    def close(self) -> None:
        """Release the ledger."""
        self.ledger.close()

    async def run(self, *, task_status: trio.TaskStatus[Addresses] = trio.TASK_STATUS_IGNORED) -> None:
        """Open the room, and play until `drain` and the end of all hands.

        Reports as started, with the addresses, when everybody may come in.

        Raises:
            RoomError: a port or a log cannot be opened.
        """
        config = self.config
        try:
            self._settle_guests()
            listener = listen(config.host, config.port, RoomError)
            port = listener.getsockname()[1]
            async with trio.open_nursery() as services:
                services.start_soon(copy_back, self.ledger, self._console)
                services.start_soon(self.door.serve, listener)
                ports = self._open_table_ports(services)
                bots_host, bots_port = config.host, port
                if self._has_tls or config.host not in ("127.0.0.1", "localhost"):
                    own = listen("127.0.0.1", 0, RoomError)
                    bots_host, bots_port = own.getsockname()[:2]
                    services.start_soon(functools.partial(self.door.serve, own, is_trusted=True))
                if any(table.fill for table in config.tables):
                    services.start_soon(self._bots.run, bots_host, bots_port, dict(os.environ))
                async with trio.open_nursery() as self._tasks:
                    for table in config.tables:
                        self.open_table(table)
                    task_status.started(Addresses(config.host, port, ports))
                services.cancel_scope.cancel()
        finally:
            self.close()
            self.closed.set()

    def _open_table_ports(self, services: trio.Nursery) -> dict[str, int]:
        ports = {}
        for table in self.config.tables:
            if table.port is not None:
                listener = listen(self.config.host, table.port, RoomError)
                ports[table.name] = listener.getsockname()[1]
                serve = functools.partial(self.door.serve, listener, table, is_trusted=table.port_without_tls)
                services.start_soon(serve)
        return ports

    def _settle_guests(self) -> None:
        """Return the chips of an earlier run's guests, who do not come back, to the house.

        Sit-and-gos in which they were playing are settled first.  At a table that the room has no more, such
        as a private one, everybody stands up.
        """
        here = {config.name for config in self.config.tables}
        for name in here:
            self.ledger.open_table(name)
        for name in self.ledger.tables():
            SitAndGos(self.ledger).call_off(name)
            for place in self.ledger.places(name):
                if name not in here or place.player.kind != "registered":
                    self.ledger.stand_up(name, place.seat)
        for player in self.ledger.players():
            if player.kind == "guest":
                self.ledger.take_back(player)

    # --- tables ----------------------------------------------------------------------------------------

    def start_soon(self, task: Callable[..., Awaitable[object]], *words: object) -> None:
        """Run a task for as long as tables are open."""
        assert self._tasks is not None  # the room is open
        self._tasks.start_soon(task, *words)

    def open_table(
        self, config: TableConfig, furnish: Callable[[RoomTable], object] = lambda table: None
    ) -> None:
        """Open a table, one of the room's or another.

        Args:
            config: the table.
            furnish: gives it what it needs besides, also when it is opened again after a fault.

        Raises:
            RoomError: its log cannot be opened, or the table is already open.
        """
        if config.name in self.tables:
            raise RoomError(f"the table {config.name} is open")
        assert self._tasks is not None  # the room is open
        self._tasks.start_soon(self._keep, self._new_table(config, furnish), furnish)

    def _new_table(self, config: TableConfig, furnish: Callable[[RoomTable], object]) -> RoomTable:
        console = self._console
        if isinstance(console, OperatorConsole):
            console = console.of_table(config.name)
        try:
            table = RoomTable(config, self.ledger, self.config.data, console, self._bots.send)
        except MatchAborted as error:
            raise RoomError(error.lines.strip().replace("\n", ": ")) from error
        self.tables[config.name] = table
        furnish(table)
        return table

    async def _keep(self, table: RoomTable, furnish: Callable[[RoomTable], object]) -> None:
        """Let a table play; after a fault it is opened again."""
        name = table.config.name
        try:
            while True:
                try:
                    await table.run()
                    return
                except Exception as error:
                    self.faults += 1
                    fault = first_of(error)
                    is_known = isinstance(fault, LedgerError)
                    why = f"riverboat: {name}: {fault}\n" if is_known else "".join(format_exception(error))
                    self._console.err(why)
                    table.abandon()
                await trio.sleep(_AGAIN_S)
                if self._is_closing is not None:
                    return
                try:
                    table = self._new_table(table.config, furnish)
                except (RoomError, LedgerError, LedgerIsFull) as error:
                    self._console.err(f"riverboat: {name} stays closed: {error}\n")
                    return
        finally:
            self.tables.pop(name, None)

    def _bot_has_failed(self, name: str, why: str) -> None:
        self._console.err(f"riverboat: {name}: {why}\n")
        for table in self.tables.values():
            table.company.bot_has_failed(name, why)

    def close_table(self, name: str, reason: str) -> None:
        """Close a table when its hand is over.

        Raises:
            RoomError: there is no table of that name.
        """
        table = self.tables.get(name)
        if table is None:
            raise RoomError(f"there is no table {name!r}")
        table.close(reason)

    def drain(self, reason: str = "the room closes") -> None:
        """Close: every table finishes its hand."""
        self._is_closing = reason
        for table in self.tables.values():
            table.close(reason)

    # --- people ----------------------------------------------------------------------------------------

    def kick(self, name: str, reason: str) -> bool:
        """Take a player's seats when the hand is over; returns whether there were any."""
        kicked = [table.company.dismiss(name, reason) for table in self.tables.values()]
        return any(kicked)

    def message(self, text: str, table: str | None = None) -> None:
        """Send a message to everybody at a table, or at all tables."""
        for name, each in self.tables.items():
            if table in (None, name):
                each.company.tell([text])
