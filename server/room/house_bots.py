"""The house's own bots: all of them run in one process beside the room, which sends them to tables.

The house does not know the bots: it runs ``riverboat seat-bots``, which the players' package declares, and
writes a line to it for each seat.  The bots come through the door like everybody else, with a token
that is good once.  If the process ends, it is started again, and missing bots are asked for again.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Final

import trio

from engine.support.user_input import printable
from server.match.launching.players import own_command, players_environment
from server.room.config import RoomConfig, RoomError, TableConfig
from server.room.identities import Identities
from server.support.console import Console

_AGAIN_S: Final = 2.0
_MOST_ORDERS: Final = 1000
_GOODBYE_S: Final = 2.0


def check_house_bots(config: RoomConfig) -> None:
    """Make each bot of the tables once, in a process of its own.

    Raises:
        RoomError: one of them cannot be made; the message says why.
    """
    wanted = [(bot, f"table {each.name}: fill") for each in config.tables for bot in each.fill]
    wanted += [
        (bot, f"table {each.name}: advice") for each in config.tables if each.fill for bot in each.advice
    ]
    tables = dict(reversed(wanted))
    if not tables:
        return
    command = own_command("seat-bots", *[word for bot in tables for word in ("--check", bot)])
    environment = players_environment(command, dict(os.environ))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    for line in done.stdout.splitlines():
        bot, why = _failure(line)
        raise RoomError(f"{tables.get(bot)}: {bot!r} cannot play: {why}")


def _failure(line: bytes) -> tuple[str, str]:
    """The bot and the error that a line of the bots' process tells."""
    told = json.loads(line)
    return str(told["name"]), printable(str(told["error"]))


class HouseBots:
    """Sends bots to tables.

    Args:
        identities: give the bots their tokens.
        console: for the operator.
        has_failed: told the name of a bot that has ended, and why.
    """

    def __init__(
        self, identities: Identities, console: Console, has_failed: Callable[[str, str], object]
    ) -> None:
        self._identities = identities
        self._console = console
        self._has_failed = has_failed
        self._orders, self._to_send = trio.open_memory_channel[bytes](_MOST_ORDERS)

    def send(self, table: TableConfig, bot: str) -> str:
        """Ask a bot to come to a table; returns the name under which it comes."""
        name, token = self._identities.expect_bot(bot)
        order = {"bot": bot, "table": table.name, "name": name, "token": token}
        try:
            self._orders.send_nowait(json.dumps(order).encode() + b"\n")
        except trio.WouldBlock:  # the process does not respond; the table will ask again
            self._identities.forget_bot(token)
        return name

    async def run(self, host: str, port: int, environment: dict[str, str]) -> None:
        """Keep the process running, until cancelled.

        Args:
            host: of the bots' door.
            port: of the same.
            environment: the room's own.
        """
        while True:
            await self._one_process(host, port, environment)
            self._identities.forget_bots()
            self._console.err("riverboat: the process of the house's bots has ended; it is started again\n")
            await trio.sleep(_AGAIN_S)

    async def _one_process(self, host: str, port: int, environment: dict[str, str]) -> None:
        command = own_command("seat-bots", host, str(port))
        process = await trio.lowlevel.open_process(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=players_environment(command, environment),
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, process.stdin)
                nursery.start_soon(self._read, process.stdout)
                await process.wait()
                nursery.cancel_scope.cancel()
        finally:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + _GOODBYE_S):
                await process.stdin.aclose()  # which ends it
                await process.wait()
            if process.returncode is None:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()

    async def _read(self, stdout: trio.abc.ReceiveStream) -> None:
        text = b""
        async for data in stdout:
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                self._has_failed(*_failure(line))

    async def _write(self, stdin: trio.abc.SendStream) -> None:
        async for order in self._to_send:
            try:
                await stdin.send_all(order)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
