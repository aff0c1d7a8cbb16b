"""Spectators in browsers: one task for each watched table, however many watch it, and the streams they read.

What they are sent is made from what `server.room.tables.spectating` shows and from nothing else: no hole
cards before the showdown, and those it shows only after the room's delay.  A table may play a thousand hands
per second; watchers are sent one of them per second, as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs
import trio

from engine.poker.rules.hand_words import tell_winnings
from protocol.agents.observation import texts
from server.room.config import RoomConfig
from server.room.room import Room
from server.room.tables.spectating import Audience, Shown
from server.room.tables.table import RoomTable
from server.room.web.scenes import company, draw
from server.support.talk import beside

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

EVERY_S: Final = 0.1
"""Time between two messages to the watchers of a table."""
PER_WATCHER_S: Final = 0.0025
"""Added to it for each of them: a crowd is told less often, and costs the table no more."""
HAND_EVERY_S: Final = 1.0
"""Time between the beginnings of two hands that watchers are told; faster ones are left out as a whole."""
_LOOK_S: Final = 5.0
# After which we notice that nobody watches any more, if nothing happens at a table.
_MOST_UNREAD: Final = 64
# Messages that a browser may leave unread before its stream is ended; it then asks again.
_AT_ONCE: Final = 10
# Watchers who are written to before others have their turn.
_MOST_RESULTS: Final = 10
# Results of hands that end between two messages.


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

    def watch(self, name: str) -> trio.MemoryReceiveChannel[bytes] | None:
        """What is told about a table from now on, as server-sent events; None if there is no such table.

        It ends when the table closes, or the reader is too slow.
        """
        table = self._room.tables.get(name)
        if table is None:
            return None
        broadcast = self._by_table.get(name)
        if broadcast is None:
            broadcast = self._by_table[name] = _Broadcast(self._room.config, table)
            self._nursery.start_soon(self._run, name, broadcast, table.audience)
        return broadcast.watch()

    async def _run(self, name: str, broadcast: _Broadcast, audience: Audience) -> None:
        audience.listen(broadcast)
        try:
            await broadcast.run()
        finally:
            audience.leave(broadcast)
            del self._by_table[name]
            broadcast.end()


class _Broadcast:
    """The broadcast of one table: a message is made and encoded once, however many watch.

    A hand is told from its beginning to its end, each state as one scene, or not at all.
    """

    def __init__(self, config: RoomConfig, table: RoomTable) -> None:
        self._config = config
        self._table = table
        self.watchers: set[trio.MemorySendChannel[bytes]] = set()
        self._scope = trio.CancelScope()
        self._shown: Shown | None = None
        self._is_stale = False  # it was shown some time ago, and nothing has happened since
        self._told_hand = -1  # the one that is told
        self._next_at = 0.0  # when another one may be
        self._untold: list[Shown] = []
        self._results: list[dict[str, Any]] = []
        self._cards: list[dict[str, Any]] = []
        self._last = b""  # the last scene sent
        self._news = trio.Event()
        self._sending = trio.Lock()

    def watch(self) -> trio.MemoryReceiveChannel[bytes]:
        """The last scene, and all that follow."""
        send, receive = trio.open_memory_channel[bytes](_MOST_UNREAD)
        if self._last:
            send.send_nowait(self._last)
        self.watchers.add(send)
        return receive

    def end(self) -> None:
        """End the streams of all watchers."""
        for watcher in self.watchers:
            watcher.close()
        self.watchers.clear()

    def hear(self, shown: Shown) -> None:
        """Note how a hand stands."""
        if shown.chips:
            result = {"hand": shown.hand, "text": tell_winnings(shown.chips, shown.names)}
            self._results = [*self._results[1 - _MOST_RESULTS :], result]
        is_due = shown.betting.last_step is None and trio.current_time() >= self._next_at
        if is_due or shown.hand == self._told_hand:
            self._tell(shown)
        self._shown, self._is_stale = shown, False
        self._news.set()

    def hear_cards(self, hand: int, name: str, cards: tuple[int, ...]) -> None:
        """Note cards that a player shows."""
        self._cards.append(_shown_cards(hand, [(name, cards)]))
        self._news.set()

    def hear_end(self) -> None:
        """Note that the table has closed."""
        self._scope.cancel()

    def _tell(self, shown: Shown) -> None:
        if shown.hand != self._told_hand:
            self._told_hand, self._next_at = shown.hand, trio.current_time() + HAND_EVERY_S
        self._untold.append(shown)

    async def run(self) -> None:
        """Send what happens, until the table closes or nobody watches any more."""
        async with trio.open_nursery() as nursery:
            with self._scope:
                while True:
                    with trio.move_on_after(_LOOK_S):
                        await self._news.wait()
                    self._news = trio.Event()
                    self._look()
                    messages = self._messages(nursery)
                    if messages:
                        nursery.start_soon(self._send, events(messages), self._config.watch_after)
                    await trio.sleep(EVERY_S + PER_WATCHER_S * len(self.watchers))
                    for watcher in list(self.watchers):
                        if not watcher.statistics().open_receive_channels:  # whose browser has gone
                            watcher.close()
                            self.watchers.discard(watcher)
                    if not self.watchers:
                        break
            nursery.cancel_scope.cancel()

    def _look(self) -> None:
        """Begin to tell a hand in the middle if it was left out and turns out to be slow."""
        if self._shown is None or self._shown.hand == self._told_hand:
            return
        if self._is_stale:
            self._tell(self._shown)
        else:
            self._is_stale = True
            self._news.set()

    def _messages(self, nursery: trio.Nursery) -> list[dict[str, Any]]:
        """The messages that have not been sent yet; with a delay, a showdown's cards come later."""
        untold, self._untold = self._untold, []
        seats, messages = company(self._table.places), []
        for shown in untold:
            if self._config.show_cards_after and any(shown.holes):
                later = events([_shown_cards(shown.hand, zip(shown.names, shown.holes, strict=True))])
                seconds = self._config.show_cards_after + self._config.watch_after
                nursery.start_soon(self._send, later, seconds)
                shown = attrs.evolve(shown, holes=((),) * len(shown.holes))
            messages.append(draw(shown, seats))
        results, self._results = self._results, []
        cards, self._cards = self._cards, []
        return [*messages, *([{"kind": "results", "results": results}] if results else []), *cards]

    async def _send(self, message: bytes, seconds: float) -> None:
        """Send to all who watch, after some time."""
        if seconds:
            await trio.sleep(seconds)
        _, scene, rest = message.rpartition(_SCENE)
        if scene:
            self._last = scene + rest.partition(_END)[0] + _END
        async with self._sending:  # one message after another
            for number, watcher in enumerate(list(self.watchers), 1):
                try:
                    watcher.send_nowait(message)
                except (trio.WouldBlock, trio.BrokenResourceError, trio.ClosedResourceError):
                    watcher.close()
                    self.watchers.discard(watcher)
                if number % _AT_ONCE == 0:
                    await trio.lowlevel.checkpoint()  # the tables go on meanwhile


def _shown_cards(hand: int, holes: Iterable[tuple[str, tuple[int, ...]]]) -> dict[str, Any]:
    """The message that players, by name, have shown their cards."""
    players = [{"name": name, "cards": texts(cards)} for name, cards in holes if cards]
    return {"kind": "shown", "hand": hand, "players": players}


_SCENE: Final = b'data: {"kind": "scene"'
_END: Final = b"\n\n"


def events(messages: Iterable[Mapping[str, Any]]) -> bytes:
    """Messages as server-sent events."""
    return b"".join([b"data: %s%s" % (json.dumps(each).encode(), _END) for each in messages])


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
        messages: as server-sent events; the stream ends with them.
    """

    def __init__(self, messages: trio.MemoryReceiveChannel[bytes]) -> None:
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them until they end, or the browser has gone."""
        with self._messages:
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
            async with beside(until_gone, receive):
                data: bytes | None = b"retry: %d\n\n" % _AGAIN_MS
                while data is not None:
                    await _write(send, data)
                    data = await self._next()
                await _write(send, b"", is_last=True)

    async def _next(self) -> bytes | None:
        """The next message, or a sign of life; None at the end."""
        with trio.move_on_after(_ALIVE_S):
            try:
                return await self._messages.receive()
            except trio.EndOfChannel:
                return None
        return b": alive\n\n"


async def until_gone(receive: Receive) -> None:
    """Wait until whoever has asked has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _write(send: Send, data: bytes, *, is_last: bool = False) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": not is_last})
