"""``riverboat seat-bots``: seats as many bots at the tables of a room as the room asks for.

It is meant for programs: each line on stdin is a JSON object with ``bot`` (as in ``riverboat match``),
``table``, ``name`` and ``token``.  A bot plays until the room takes its seat; the program ends when stdin
ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import click
import trio

from clients.core.agent import Agent
from clients.core.guess import RoomSeat
from clients.core.options import OptionError, make_agent, parse_settings
from clients.core.program import ProgramError, TableAddress, join_table, read_port
from clients.core.registry import UnknownBot, load_bot
from clients.core.session import Refusal, SessionError
from engine.support.interruption import die_of
from engine.support.seeds import parse_seed


@click.command(hidden=True)
@click.argument("host")
@click.argument("port")
def seat_bots(host: str, port: str) -> None:
    """Seat bots at the tables of the room HOST PORT, as it asks on stdin."""
    die_of(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the room continues without us, or ends us
    try:
        trio.run(_seat_all, host, read_port(port))
    except ProgramError as error:
        _say(str(error))
        sys.exit(error.status)


def _say(line: str) -> None:
    print(f"seat-bots: {line}", file=sys.stderr, flush=True)


async def _seat_all(host: str, port: int) -> None:
    """Start a task for each line of stdin; end when stdin ends."""
    async with trio.open_nursery() as nursery, trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        text = b""
        while data := await stdin.receive_some():
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                nursery.start_soon(_seat, host, port, json.loads(line))
        nursery.cancel_scope.cancel()


async def _seat(host: str, port: int, order: dict[str, Any]) -> None:
    """Run one bot, from taking its seat to the end; its errors do not affect others."""
    try:
        agent = _make_agent(str(order["bot"]))
        agent.seed = parse_seed("random")
        seat = RoomSeat(str(order["table"]), name=str(order["name"]))
        await join_table(
            agent, TableAddress(host, port, token=str(order["token"]), room=seat), lambda line: None
        )
    except Refusal:
        pass  # somebody else took the seat first; the room asks again
    except (ProgramError, SessionError, OptionError, UnknownBot) as error:
        _say(f"{order['name']}: {error}")
    except Exception as error:
        _say(f"{order['name']}: {type(error).__name__}: {error}")


def _make_agent(text: str) -> Agent:
    """The bot of a text ``NAME`` or ``NAME:KEY=VALUE,...``."""
    name, _, settings = text.partition(":")
    pairs = tuple(settings.split(",")) if settings else ()
    return make_agent(name, load_bot(name), parse_settings(pairs))
