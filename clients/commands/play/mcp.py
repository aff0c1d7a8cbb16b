"""``riverboat mcp``: a seat for an MCP client, over standard input and output or over HTTP."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import trio
from click import IntRange

from clients.commands.play.seat_options import ending, read_token, seat_options
from clients.core.mailbox import Mailbox
from clients.core.one_line import CommandError, OneLineCommand
from clients.core.program import ProgramError, TableAddress, connect, join_table, table_of_words
from clients.core.session import SessionError
from protocol.agents.desk import RoomDesk
from protocol.agents.tools import Desk
from protocol.agents.turns import SeatError
from server.support.options import GAME, PATH, option

if TYPE_CHECKING:
    from mcp.server import Server

_NEEDED: Final = "riverboat mcp needs the package mcp: pip install 'riverboat[mcp]'"
_HTTP_HOST: Final = "127.0.0.1"


@click.command("mcp", cls=OneLineCommand)
@click.argument("host", metavar="HOST")
@click.argument("port", metavar="PORT", required=False)
@option("--game GAME", "What is being played, where the table does not say it.", GAME)
@option(
    "--http http_port PORT",
    f"Serve streamable HTTP at {_HTTP_HOST} instead of standard input and output; 0: any port.",
    IntRange(0, 65535),
)
@option(
    "--http-token-file FILE",
    "The bearer token that clients must have; by default a new one, printed on stderr.",
    PATH,
)
@seat_options()
def mcp(
    host: str,
    port: str | None,
    game: str | None,
    http_port: int | None,
    http_token_file: Path | None,
    **seat: Any,
) -> None:
    """Give an MCP client a seat: at a match's NAME=wait (HOST PORT), or in a room (HOST:PORT/TABLE).

    One process is one seat.  Standard output belongs to the protocol.  In a room without a TABLE the client
    chooses one by itself.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise CommandError(_NEEDED)
    bearer = _bearer(http_token_file) if http_port is not None else ""
    with ending("riverboat mcp"):
        table = table_of_words((host,) if port is None else (host, port), game=game, **seat)
        sys.exit(trio.run(_serve, table, "/" in host, http_port, bearer))


def _bearer(file: Path | None) -> str:
    if file is not None:
        return read_token(file)
    token = secrets.token_hex(20)
    click.echo(f"riverboat mcp: Authorization: Bearer {token}", err=True)
    return token


async def _serve(table: TableAddress, has_table: bool, http_port: int | None, bearer: str) -> int:
    """Serve the client until it goes; returns the exit status."""
    from server.support.mcp_server import server_of

    faults: list[str] = []
    async with _desk(table, has_table, faults) as desk:

        async def desk_of(ctx: Any) -> Desk:
            return desk

        server = server_of(desk_of, in_room=table.room is not None)
        if http_port is None:
            from mcp.server.stdio import stdio_server

            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
        else:
            await serve_http(server, http_port, bearer)
    return 1 if faults else 0


@contextlib.asynccontextmanager
async def _desk(table: TableAddress, has_table: bool, faults: list[str]) -> AsyncIterator[Desk]:
    """The seat, as long as the client wants it.

    Args:
        table: where it is.
        has_table: the user has named it.
        faults: takes what has ended it before its time.

    Raises:
        ProgramError: nobody answers there.
    """

    def say(line: str) -> None:
        click.echo(f"riverboat mcp: {line}", err=True)

    async with trio.open_nursery() as nursery:
        if table.room is None:
            mailbox = Mailbox()

            async def play() -> None:
                try:
                    with mailbox.leaving:
                        await join_table(mailbox, table, say)
                except (SessionError, ProgramError) as error:
                    faults.append(str(error))
                    say(str(error))
                mailbox.book.leave("closed")

            mailbox.book.sits_down()
            nursery.start_soon(play)
            yield mailbox
        else:
            from server.support.talk import Talk

            stream = await connect(table)
            room = table.room
            desk = RoomDesk(Talk(stream), trio.Event, trio.current_time, name=room.name, token=table.token)
            nursery.start_soon(desk.run)
            if has_table:
                try:
                    await desk.sit(room.table, room.chips)
                except SeatError as error:
                    say(str(error))  # the client may choose another
            try:
                yield desk
            finally:
                await trio.aclose_forcefully(stream)
        nursery.cancel_scope.cancel()


async def serve_http(
    server: Server[Any],
    port: int,
    bearer: str,
    *,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve streamable HTTP on loopback until cancelled; reports as started with the port.

    Args:
        server: of the seat.
        port: 0 for any.
        bearer: the token that clients must have.
        task_status: of the task.

    Raises:
        ProgramError: the port is taken.
    """
    from hypercorn.config import Config
    from hypercorn.trio import serve

    from server.support.mcp_server import MOST_BODY, Bearer

    app = server.streamable_http_app(json_response=True, max_request_body_size=MOST_BODY, host=_HTTP_HOST)
    config = Config()
    config.bind = [f"{_HTTP_HOST}:{port}"]
    config.accesslog = None
    try:
        async with trio.open_nursery() as nursery:
            binds: list[str] = await nursery.start(serve, Bearer(app, bearer), config)
            number = int(binds[0].rpartition(":")[2])
            click.echo(f"riverboat mcp: http://{_HTTP_HOST}:{number}/mcp", err=True)
            task_status.started(number)
    except* OSError as group:
        raise ProgramError(f"cannot listen on port {port}: {group.exceptions[0]}") from group
