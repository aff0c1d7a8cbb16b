"""A room of 200 tables with 1,000 connections in one process: how long tables wait, what a connection takes.

    python -m tests.benchmarks.bench_room [--tables 200] [--seats 5] [--seconds 60] [--think MS] [--door DOOR]

The room is a process of its own.  All players are in this process, on bare sockets.  They check or call, and
one in four makes the first raise of a hand before the flop: hands of one length would keep all tables in
step, and two hundred hands would end at once.  Each answers at once, or after a time to think.  The *wait* is
the time from when a reply is sent to when the next player at its table is asked, in the same hand or the
next: the room's own time, that of booking a hand, and that of the players' process to notice.

With watchers of the first table, its speed is told as a share of what it is without them.  At a door all
players speak JSON: through a WebSocket, by long polls, or by MCP's tools.
"""

import argparse
import heapq
import json
import os
import random
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import Request, TextMessage

from engine.poker.rules import load_game
from protocol.agents.openapi import ADDRESSES
from server.room.collecting import collected_in_parts
from server.room.config import RoomConfig, TableConfig
from server.room.room import Room
from server.room.web.serving import serve_web
from server.support.console import Console
from server.table.config import TimeLimits
from tests.support.benchmarks import BenchmarkParser, memory_kib, process_seconds
from tests.support.rooms import account

_GREETING = b"VERSION:2.0.0\r\n#riverboat/1 lobby seat names game stacks clock\r\n"
_GAME = "limit-6p"
_RAISES = 0.25
# How often somebody who may makes the first raise before the flop.
_SHARES = (0.5, 0.99, 0.999)
_COLUMNS = (
    "tables", "connections", "think", "decisions/s", "wait: median, p99, p99.9, longest, ms",
    "a connection takes", "growth in the run", "of a core", "CPU a decision", "load",
)  # fmt: skip


def house(folder: Path, tables: int) -> None:
    """The room; its port is printed."""

    async def run() -> None:
        game = load_game(_GAME)
        limits = TimeLimits(30.0, 600.0, 1e6, grace=0.0)
        configs = [
            TableConfig(f"t{number}", game, _GAME, least=2000, most=2000, limits=limits)
            for number in range(tables)
        ]
        config = RoomConfig(
            tuple(configs), port=0, data=folder, guest_chips=2**30, guests_per_minute=10**6, http=0,
            requests_per_second=1e6,
        )  # fmt: skip
        async with trio.open_nursery() as nursery:
            room = Room(config, Console())
            addresses = await nursery.start(room.run)
            pages = await nursery.start(serve_web, room, Console())
            print(addresses.port, pages.rstrip("/").rpartition(":")[2], flush=True)

    with collected_in_parts():
        trio.run(run)


@attrs.define(eq=False)
class Client:
    """One player."""

    sock: socket.socket
    table: int
    talk: Generator[bytes, Any, None] | None = None
    """What is sent for each message, for a client that speaks JSON."""
    websocket: WSConnection | None = None
    unread: bytes = b""
    is_asked: bool = False
    has_asked_for_seat: bool = False


def by_websocket(client: Client) -> Generator[bytes, Any, None]:
    """Answers what it is told."""
    peer = client.websocket = WSConnection(ConnectionType.CLIENT)
    yield peer.send(Request(host="localhost", target="/api/v1/seat"))
    seen = yield peer.send(TextMessage(json.dumps({"sit": {"table": f"t{client.table}"}})))
    while True:
        said = TextMessage(json.dumps({"act": seen.get("answer")}))
        seen = yield peer.send(said) if "answer" in seen else b""


def by_tools(client: Client, token: str) -> Generator[bytes, Any, None]:
    """Asks for one thing after another: of MCP with a token, else by HTTP."""
    seat = seen = yield asking("sit", {"table": f"t{client.table}"}, token, {})
    while True:
        tool, given = ("act", {**seen["answer"], "wait": True}) if "answer" in seen else ("wait_for_turn", {})
        seen = yield asking(tool, given, token, seat)


def asking(tool: str, given: dict[str, Any], token: str, seat: dict[str, Any]) -> bytes:
    """A request for what a tool does."""
    method, path, *_ = ("POST", "/mcp") if token else ADDRESSES[tool]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    body = json.dumps(call if token else given) if method == "POST" else ""
    key = f"authorization: Bearer {token or seat['key']}\r\n" if token or seat else ""
    return (
        f"{method} {path.format(seat=seat.get('id'))}?wait=50 HTTP/1.1\r\nhost: localhost\r\n{key}"
        "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n{body}"
    ).encode()


def messages(client: Client, data: bytes) -> Iterator[dict[str, Any]]:
    """The messages in JSON that are whole with what has come."""
    if client.websocket is not None:
        client.websocket.receive_data(data)
        for event in client.websocket.events():
            yield json.loads(event.data) if isinstance(event, TextMessage) else {}
        return
    client.unread += data
    head, _, body = client.unread.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    if length is not None and len(body) == int(length[1]):
        client.unread = b""
        found = json.loads(body)
        found = found.get("result", {}).get("structuredContent", found)
        yield found.get("next", found)


@attrs.define
class Bench:
    """All players."""

    think_s: float
    replied: dict[int, float] = attrs.Factory(dict)
    """By table, when the last reply was sent; none where the next player has been asked."""
    waits: list[float] = attrs.Factory(list)
    seated: int = 0
    later: list[tuple[float, int, Client, bytes]] = attrs.Factory(list)
    number: int = 0
    chance: random.Random = attrs.Factory(lambda: random.Random(1))

    def hear(self, client: Client, data: bytes) -> None:
        """What a client has been sent."""
        if client.talk is not None:
            for seen in messages(client, data):
                self.seated += "stack" in seen
                if seen.get("status") == "your_turn":
                    may_raise = seen["legal"]["raise"] and self.action(seen["match_state"].encode()) == b":r"
                    do = "raise" if may_raise else "call" if seen["legal"]["call"] else "check"
                    said = client.talk.send({"answer": {"turn": seen["turn"], "do": do}})
                    self.answer(client, said)
                elif said := client.talk.send(seen):
                    client.sock.send(said)
            return
        *lines, client.unread = (client.unread + data).split(b"\n")
        for line in lines:
            if line.startswith(b"MATCHSTATE"):
                if client.is_asked:
                    client.is_asked = False
                    self.answer(client, line.rstrip(b"\r") + self.action(line) + b"\r\n")
            elif line.startswith(b"#clock"):
                client.is_asked = True
            elif line.startswith(b"#lobby") and not client.has_asked_for_seat:
                client.has_asked_for_seat = True
                client.sock.send(b"#join t%d\r\n" % client.table)
            elif line.startswith(b"#seated"):
                self.seated += 1

    def action(self, line: bytes) -> bytes:
        """What is played in a state, as the end of a reply; legal in all states."""
        betting = line.split(b":", 4)[3]
        is_first_raise = b"r" not in betting and b"/" not in betting
        return b":r" if is_first_raise and self.chance.random() < _RAISES else b":c"

    def answer(self, client: Client, reply: bytes) -> None:
        """Send the reply of a player who is asked, now or when it has been thought over."""
        sent = self.replied.pop(client.table, None)
        if sent is not None:
            self.waits.append(time.perf_counter() - sent)
        if not self.think_s:
            self.replied[client.table] = time.perf_counter()
            client.sock.send(reply)
            return
        self.number += 1  # a table's thoughts do not all end together
        due = time.perf_counter() + self.think_s * (0.5 + self.number % 97 / 97)
        heapq.heappush(self.later, (due, self.number, client, reply))

    def send_what_is_due(self) -> float | None:
        """Seconds until the next reply; None where none is thought over."""
        while self.later:
            now = time.perf_counter()
            due, _, client, reply = self.later[0]
            if due > now:
                return due - now
            heapq.heappop(self.later)
            self.replied[client.table] = time.perf_counter()
            client.sock.send(reply)
        return None

    def run(self, selector: selectors.BaseSelector, until: float) -> None:
        """Play until a time."""
        while (left := until - time.perf_counter()) > 0:
            due = self.send_what_is_due()
            for key, _ in selector.select(left if due is None else min(left, due)):
                data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                if key.data is not None:  # one who plays
                    self.hear(key.data, data)


def measure(
    tables: int, seats: int, seconds: float, think_ms: float, watchers: int = 0, door: str = ""
) -> float:
    """One run, and its figures; returns the decisions per second."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * tables * seats)), hard))
    with tempfile.TemporaryDirectory(prefix="riverboat-bench-") as folder:
        config, players = RoomConfig((), data=Path(folder)), range(tables * seats if door == "mcp" else 0)
        tokens = [account(config, f"p{number}", 10**6)[5:].replace(" token=", ".") for number in players]
        words = [sys.executable, "-m", __spec__.name, "--house", folder, "--tables", str(tables)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as room:
            try:
                assert room.stdout is not None
                port, http = map(int, room.stdout.readline().split())
                empty = memory_kib(room.pid)
                bench = Bench(think_ms / 1000)
                selector = selectors.DefaultSelector()
                for number in range(tables * seats):
                    sock = socket.create_connection(("127.0.0.1", http if door else port))
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    client = Client(sock, number % tables)
                    if door:
                        token = tokens[number] if tokens else ""
                        client.talk = by_websocket(client) if door == "websocket" else by_tools(client, token)
                    sock.send(_GREETING if client.talk is None else next(client.talk))
                    selector.register(sock, selectors.EVENT_READ, client)
                while bench.seated < tables * seats:
                    bench.run(selector, time.perf_counter() + 0.2)
                for _ in range(watchers):
                    sock = socket.create_connection(("127.0.0.1", http))
                    sock.send(b"GET /tables/t0/events HTTP/1.1\r\nhost: localhost\r\n\r\n")
                    selector.register(sock, selectors.EVENT_READ)
                bench.run(selector, time.perf_counter() + seconds / 4)  # all that is kept is there
                full = memory_kib(room.pid)
                bench.waits.clear()
                cpu, began = process_seconds(room.pid), time.perf_counter()
                bench.run(selector, began + seconds)
                took, cpu = time.perf_counter() - began, process_seconds(room.pid) - cpu
                later = memory_kib(room.pid)
            finally:
                room.kill()
    waits = sorted(bench.waits)
    shares = ", ".join(f"{1000 * waits[int(share * (len(waits) - 1))]:.1f}" for share in _SHARES)
    cells = [
        f"{tables} | {tables * seats} | {think_ms:g} ms | {len(waits) / took:.0f}",
        f"{shares}, {1000 * waits[-1]:.1f}",
        f"{(full - empty) / tables / seats:.1f} KiB | {(later - full) / 1024:+.1f} MiB",
        f"{cpu / took:.0%} | {1e6 * cpu / len(waits):.0f} µs | {os.getloadavg()[0]:.1f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    return len(waits) / took


def main(words: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = BenchmarkParser("bench_room", __doc__, tables=200, seats=5)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each run; default 20")
    parser.add_argument(
        "--think", type=float, action="append", help="ms for a decision; default 0, then 1000"
    )
    parser.add_argument("--watchers", type=int, default=0, help="of the first table; default 0")
    parser.add_argument("--door", choices=["websocket", "http", "mcp"], default="", help="default: lines")
    parser.add_argument("--house", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.house is not None:
        house(arguments.house, arguments.tables)
        return
    print("| " + " | ".join(_COLUMNS) + " |")
    print("|" + " --- |" * len(_COLUMNS))
    for think in arguments.think or (0.0, 1000.0):
        sizes = arguments.tables, arguments.seats, arguments.seconds, think
        alone = measure(*sizes, door=arguments.door)
        if arguments.watchers:
            share = measure(*sizes, arguments.watchers) / alone
            print(f"{arguments.watchers} watchers: {share:.0%} of the speed", flush=True)


if __name__ == "__main__":
    main()
