"""A table over sockets, with the players launched for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.poker.rules import game_path
from server.match.launching.announcement import Announcer
from server.match.launching.doorman import Doorman
from server.match.launching.launcher import Launcher, Patience
from server.match.launching.orphanage import Orphanage
from server.match.launching.players import Player
from server.match.launching.sandbox import Sandbox
from server.support.private_files import PrivateFiles
from server.table.config import MatchConfig
from server.table.match import MatchServer

_LOCAL: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}
# Where a player on this machine reaches a house that listens on every address.


@attrs.frozen
class House:
    """What the tables of a match have in common."""

    say: Callable[[str], None]
    """Takes lines for people."""
    announcer: Announcer
    orphanage: Orphanage
    files: PrivateFiles
    patience: Patience
    sandbox: Sandbox | None


@attrs.frozen
class PassOrder:
    """A pass to be played."""

    number: int
    config: MatchConfig
    seated: tuple[Player, ...]
    """By seat, like the next."""
    seeds: tuple[int, ...]
    variables: Mapping[str, str]
    """For the players' environment, in addition to those of their seats."""
    output: Path
    """A folder for what the players write."""


class StaffedTable:
    """A table and its players: `open`, `run`.

    Args:
        house: that it is in.
        order: who plays what.
        make_server: called with the match and its door.
        number: of the table, from 0, where several play the pass.

    *Resource handling*: `run` ends everything when it ends, however it ends; call `close` if it is never run.
    """

    def __init__(
        self,
        house: House,
        order: PassOrder,
        make_server: Callable[[MatchConfig], MatchServer],
        number: int = 0,
    ) -> None:
        self._house = house
        self._order = order
        self._number = number
        has_sandboxes = house.sandbox is not None
        self._doorman = Doorman(
            order.seated, order.config.seat_tokens, house.say, has_sandboxes=has_sandboxes
        )
        self._launcher = Launcher(
            order.output / f"table-{number + 1}" if number else order.output,
            house.files,
            house.patience,
            house.say,
            order.variables,
            self._doorman,
            house.orphanage,
            house.sandbox,
        )
        self.server = make_server(attrs.evolve(order.config, door=self._doorman))

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

    def close(self) -> None:
        """Close files and ports."""
        self.server.close()

    async def run(self) -> None:
        """Launch the players, and play."""
        order, server = self._order, self.server
        try:
            async with trio.open_nursery() as nursery:
                if server.needs_players:
                    nursery.start_soon(
                        self._launcher.start,
                        order.seated,
                        order.seeds,
                        _LOCAL.get(order.config.host, order.config.host),
                        str(game_path(order.config.game_text)),
                        server.table.seating,
                        nursery,
                    )
                await server.run()
                await self._launcher.settle()
                nursery.cancel_scope.cancel()
        finally:
            await self._launcher.end()

    @property
    def was_in_vain(self) -> bool:
        """Whether a player could not be started, or never joined."""
        return self._launcher.was_in_vain

    def crashes(self) -> dict[int, str]:
        """See `Launcher.crashes`."""
        return self._launcher.crashes()

    def replaced(self) -> dict[int, str]:
        """See `Launcher.replaced`."""
        return self._launcher.replaced()
