"""Spectators in browsers: one task for each watched table, however many watch it, and the streams they read.

What they are sent is made from what `server.room.tables.spectating` shows and from nothing else: no hole
cards before the showdown, and those it shows only after the room's delay.  A table may play a thousand hands
per second; watchers are sent its current state a few times per second.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import attrs
import trio

from engine.poker.rules.hand_words import tell_winnings
from server.room.room import Room
from server.room.tables.spectating import Shown
from server.room.tables.table import RoomTable
from server.room.web.scenes import company, draw, texts

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

EVERY_S: Final = 0.1
"""Time between two scenes of a table."""
_LOOK_S: Final = 5.0
# After which we notice that nobody watches any more, if nothing happens at a table.
_MOST_UNREAD: Final = 64
# Messages that a browser may leave unread before its stream is ended; it then asks again.
_MOST_RESULTS: Final = 10
# Results of hands that end between two scenes.


class Broadcasts:
    """What is sent to browsers, by table.

    Args:
        room: whose tables are watched.
        nursery: for the tasks.
    """

    def __init__(self, room: Room, nursery: trio.Nursery) -> None:
        self._room = room
        self._nursery = nursery
        self._by_table: dict[str, _Broadcast] = {}

    @property
    def watchers(self) -> int:
        """How many are watching."""
        return sum(len(each.watchers) for each in self._by_table.values())

    def watch(self, name: str) -> trio.MemoryReceiveChannel[str] | None:
        """The messages about a table from now on, each in JSON; None if there is no such table.

        They end when the table closes, or the reader is too slow.
        """
        table = self._room.tables.get(name)
        if table is None:
            return None
        broadcast = self._by_table.get(name)
        if broadcast is None:
            broadcast = _Broadcast(self._room.config.show_cards_after, table)
            self._by_table[name] = broadcast
            self._nursery.start_soon(self._run, name, broadcast, table.audience.watch())
        return broadcast.watch()

    async def _run(self, name: str, broadcast: _Broadcast, events: trio.MemoryReceiveChannel[Shown]) -> None:
        with events:
            try:
                await broadcast.run(events)
            finally:
                del self._by_table[name]
                broadcast.end()


class _Broadcast:
    """The broadcast of one table."""

    def __init__(self, delay_s: float, table: RoomTable) -> None:
        self._delay_s = delay_s
        self._table = table
        self.watchers: set[trio.MemorySendChannel[str]] = set()
        self._shown: Shown | None = None
        self._results: list[dict[str, Any]] = []  # not sent yet
        self._last = ""  # the last one sent
        self._news = trio.Event()

    def watch(self) -> trio.MemoryReceiveChannel[str]:
        """The last scene, and all that follow."""
        send, receive = trio.open_memory_channel[str](_MOST_UNREAD)
        if self._last:
            send.send_nowait(self._last)
        self.watchers.add(send)
        return receive

    def end(self) -> None:
        """End the streams of all watchers."""
        for watcher in self.watchers:
            watcher.close()
        self.watchers.clear()

    async def run(self, events: trio.MemoryReceiveChannel[Shown]) -> None:
        """Send what happens, until the table closes or nobody watches any more."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send_scenes, nursery.cancel_scope)
            async for shown in events:
                self._hear(shown, nursery)
            nursery.cancel_scope.cancel()

    def _hear(self, shown: Shown, nursery: trio.Nursery) -> None:
        if shown.chips:
            result = {"hand": shown.hand, "text": tell_winnings(shown.chips, shown.names)}
            self._results = [*self._results[1 - _MOST_RESULTS :], result]
            if self._delay_s:
                if any(shown.holes):
                    nursery.start_soon(self._show_later, shown)
                shown = attrs.evolve(shown, holes=((),) * len(shown.holes))
        self._shown = shown
        self._news.set()

    async def _show_later(self, shown: Shown) -> None:
        await trio.sleep(self._delay_s)
        cards = [
            {"name": name, "cards": texts(hole)}
            for name, hole in zip(shown.names, shown.holes, strict=True)
            if hole
        ]
        self._send(json.dumps({"kind": "shown", "hand": shown.hand, "players": cards}))

    async def _send_scenes(self, scope: trio.CancelScope) -> None:
        while True:
            with trio.move_on_after(_LOOK_S):
                await self._news.wait()
            self._news = trio.Event()
            if self._shown is not None:
                results, self._results = self._results, []
                self._last = json.dumps(draw(self._shown, company(self._table.places)))
                self._send(self._last)
                if results:
                    self._send(json.dumps({"kind": "results", "results": results}))
            await trio.sleep(EVERY_S)
            for watcher in list(self.watchers):
                if not watcher.statistics().open_receive_channels:  # whose browser has gone
                    watcher.close()
                    self.watchers.discard(watcher)
            if not self.watchers:
                scope.cancel()

    def _send(self, message: str) -> None:
        for watcher in list(self.watchers):
            try:
                watcher.send_nowait(message)
            except (trio.WouldBlock, trio.BrokenResourceError):
                watcher.close()
                self.watchers.discard(watcher)


_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)
_ALIVE_S: Final = 15.0
# Between signs of life in a stream in which nothing happens.
_AGAIN_MS: Final = 2000
# After which a browser asks again when a stream has ended.


class EventStream:
    """A response made of messages.

    Args:
        messages: each in JSON; the stream ends with them.
    """

    def __init__(self, messages: trio.MemoryReceiveChannel[str]) -> None:
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them until they end, or the browser has gone."""
        with self._messages:
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_await_end, receive, nursery.cancel_scope)
                text: str | None = f"retry: {_AGAIN_MS}"
                while text is not None:
                    await _write(send, f"{text}\n\n")
                    text = await self._next()
                await _write(send, "", is_last=True)
                nursery.cancel_scope.cancel()

    async def _next(self) -> str | None:
        """The next message, or a sign of life; None at the end."""
        with trio.move_on_after(_ALIVE_S):
            try:
                return f"data: {await self._messages.receive()}"
            except trio.EndOfChannel:
                return None
        return ": alive"


async def _await_end(receive: Receive, listening: trio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listening.cancel()


async def _write(send: Send, text: str, *, is_last: bool = False) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": not is_last})
