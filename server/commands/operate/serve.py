"""``riverboat serve``: opens a room until it is told to close."""

from __future__ import annotations

import contextlib
import resource
import signal
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import click
import trio
from click import IntRange

from engine.support.user_input import parse_whole
from server.room.collecting import collected_in_parts
from server.room.config import RoomConfig, RoomError, default_room, load_room
from server.room.house_bots import check_house_bots
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import LedgerIsFull
from server.room.operator import Operator
from server.room.reporting import OperatorConsole, operator_console
from server.room.room import Addresses, Room
from server.room.tls import self_signed as make_certificate
from server.support.addresses import is_loopback
from server.support.errors import only
from server.support.options import ADDRESS, FOLDER, Parsed, flag, option

_FAULTS: Final = (RoomError, LedgerError, LedgerIsFull)
_PORTS: Final = 65535
_PER_CONNECTION: Final = 4
# Descriptors: one of a browser, and three of a seat with TLS.
_RESERVED: Final = 128
# Descriptors for everything else: ledger, logs, listeners, bots.
_CTRL_C: Final = 128 + signal.SIGINT


def _http_port(text: str) -> int | Literal["off"]:
    """The number of a port, or ``off``."""
    if text == "off":
        return "off"
    with contextlib.suppress(ValueError):
        if (port := parse_whole(text)) <= _PORTS:
            return port
    raise ValueError(f"expected a port, 0 to {_PORTS}, or off, got {text!r}")


@click.command("serve")
@click.argument(
    "room", required=False, metavar="[ROOM.toml]", type=click.Path(path_type=Path, dir_okay=False)
)
@option("--host", "Address to listen on.  Default: loopback, 127.0.0.1.", ADDRESS)
@option("--port PORT", "The players' port; 0 for any.  Default: 4000.", IntRange(0, 65535))
@option(
    "--http PORT|off",
    "The port of the pages; 0 for any, off for none.  Default: 8000, or any if that is taken.",
    Parsed("port", _http_port),
)
@option("--data DIR", "The folder of ledger and logs.  Default: room, beside the file.", FOLDER)
@flag("--self-signed", "Speak TLS with a certificate of the room's own, kept in its folder.")
def serve(
    room: Path | None,
    host: str | None,
    port: int | None,
    http: int | Literal["off"] | None,
    data: Path | None,
    self_signed: bool,
) -> None:
    """Open a room: many tables behind one port, where chips carry over.

    Without a file it has three ring tables, limit-2p, limit-6p and nolimit-6p, each with bots that leave when
    others need their seats.  When players may come in it prints `players HOST:PORT`, to be used in `riverboat
    play HOST:PORT` or `riverboat bot formula HOST:PORT/limit-6p`; then `people http://HOST:PORT/`, pages for
    playing, watching and looking back, which need `pip install 'riverboat[web]'`.

    `riverboat room` manages it.  SIGTERM and Ctrl-C close it when every table has finished its hand; a second
    signal closes it at once.
    """
    try:
        config = default_room() if room is None else load_room(room)
        given: dict[str, Any] = {"host": host, "port": port, "data": data}
        given = {name: value for name, value in given.items() if value is not None}
        if http is not None:
            given |= {"http": None if http == "off" else http, "is_http_chosen": True}
        config = attrs.evolve(config, **given)
        check_house_bots(config)
        if self_signed:
            config = attrs.evolve(config, tls=make_certificate(config.data, config.host))
        console = operator_console()
        config = _within_descriptors(config, console)
        if not is_loopback(config.host) and config.tls is None:
            console.err(
                f"riverboat: {config.host} is open to others without TLS: "
                "tokens and cards can be read on the way (--self-signed)\n"
            )
        with collected_in_parts(), contextlib.closing(console):
            status = trio.run(_serve, Room(config, console), console)
    except (*_FAULTS, BaseExceptionGroup) as error:
        fault = only(error, *_FAULTS)
        if fault is None:
            raise
        raise click.ClickException(str(fault)) from None
    raise click.exceptions.Exit(status)


def _within_descriptors(config: RoomConfig, console: OperatorConsole) -> RoomConfig:
    """The room with as many connections as the process may have; its soft limit is raised for them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = config.connections * _PER_CONNECTION + _RESERVED
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return config
    most = max(1, (soft - _RESERVED) // _PER_CONNECTION)
    # In the same proportion, or one address could have them all.
    per_address = max(1, config.connections_per_address * most // config.connections)
    console.err(
        f"riverboat: the system allows {soft} open files, enough for {most} connections, "
        f"{per_address} from one address (ulimit -Hn)\n"
    )
    return attrs.evolve(config, connections=most, connections_per_address=per_address)


async def _serve(room: Room, console: OperatorConsole) -> int:
    """Play until a signal comes and all hands are finished; returns the exit status."""
    status = 0
    async with trio.open_nursery() as nursery:

        async def await_signals(*, task_status: trio.TaskStatus[None]) -> None:
            nonlocal status
            with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
                task_status.started()
                async for number in signals:
                    if room.is_closing:
                        nursery.cancel_scope.cancel()
                    status = _CTRL_C if number == signal.SIGINT else 0
                    room.drain()

        await nursery.start(await_signals)
        addresses: Addresses = await nursery.start(room.run)
        for name, port in addresses.table_ports.items():
            console.of_table(name).err(f"riverboat: {name}: ACPC clients at {addresses.host} port {port}\n")
        await nursery.start(Operator(room).serve)
        pages = None
        if room.config.http is not None:
            from server.room.web.serving import serve_web, what_is_missing

            missing = what_is_missing()
            if missing is None:
                pages = await nursery.start(serve_web, room, console)
            else:
                console.err(f"riverboat: {missing}\n")
        with contextlib.suppress(OSError):  # nobody may be reading
            print(f"players {addresses.host}:{addresses.port}", flush=True)
            if pages is not None:
                print(f"people {pages}", flush=True)
        console.event("open", players=f"{addresses.host}:{addresses.port}", people=pages)
        await room.closed.wait()
        console.event("closed")
        nursery.cancel_scope.cancel()
    return status
