"""One client's socket: writes that never block, reads that can be tried.

A stream class would cost a scheduler turn for every message.  A local player answers within some 20
microseconds, which is less than that; so messages are written straight to the non-blocking socket, and after
a write a lone table may wait for the answer in the system itself (`Channel.receive_soon`).
Bytes that a client does not read are kept here up to a limit, and a separate task flushes them
(`Channel.keep_flushing`).
"""

from __future__ import annotations

import math
import select
import socket
from typing import Final

import trio

from server.support import turns

MAX_UNSENT: Final = 256 * 1024
"""Bytes kept for a client that does not read, in addition to what the kernel keeps: some 3000 messages."""
_CHUNK: Final = 64 * 1024
_SOON_MS: Final = 1
"""How long a lone table lets nobody else run while it waits."""
_PATIENCE: Final = 3
"""Answers in a row that did not come soon, after which a client is considered slow."""
_RETRY_EVERY: Final = 64
"""How often a slow client is waited for again: every 64th time, since it may have become fast."""


class ChannelBroken(Exception):
    """Writing failed: the client is gone, or has left too much unread.  `is_full` tells which."""

    def __init__(self, message: str, *, is_full: bool) -> None:
        super().__init__(message)
        self.is_full = is_full


class Channel:
    """A connected client.

    Args:
        sock: its connection.

    *Resource handling*: `close` must be called; it may be called twice.  `keep_flushing` runs as long as
    there may be something to write.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._turns = turns.here()
        self._arrivals = select.poll()
        self._arrivals.register(sock, select.POLLIN)
        self._unsent = bytearray()
        self._has_unsent = trio.Event()
        self.is_closed = False
        """Whether we have closed it."""
        self._broken: str | None = None
        self._misses = 0  # answers in a row that did not come soon

    def send(self, data: bytes) -> None:
        """Write, or keep for later, without ever waiting.

        Raises:
            ChannelBroken: the connection is gone, or more than `MAX_UNSENT` bytes are waiting.
        """
        if self._broken is not None or self.is_closed:
            raise ChannelBroken(self._broken or "the connection is closed", is_full=False)
        if not self._unsent:
            try:
                sent = self._sock.send(data)
            except BlockingIOError:
                sent = 0
            except OSError as error:
                self._broken = error.strerror or str(error)
                raise ChannelBroken(self._broken, is_full=False) from error
            if sent == len(data):
                return
            data = data[sent:]
        if len(self._unsent) + len(data) > MAX_UNSENT:
            raise ChannelBroken(f"{len(self._unsent)} bytes are waiting to be read", is_full=True)
        self._unsent += data
        self._has_unsent.set()

    async def keep_flushing(self) -> None:
        """Write what `send` had to keep as the client reads; for a task of its own."""
        while True:
            await self._has_unsent.wait()
            self._has_unsent = trio.Event()
            await self._flush()

    async def _flush(self) -> None:
        """Write what is unsent; if that fails, the next `send` reports it."""
        try:
            while self._unsent and not self.is_closed:
                await trio.lowlevel.wait_writable(self._sock)
                sent = self._sock.send(self._unsent)
                del self._unsent[:sent]
        except trio.ClosedResourceError:
            pass  # closed while waiting: what was unsent does not matter any more
        except OSError as error:
            self._broken = error.strerror or str(error)  # the next send reports it

    def try_receive(self) -> bytes | None:
        """The bytes that have arrived; None if there are none, empty at the end of the stream or a reset."""
        try:
            return self._sock.recv(_CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""  # reset by the client: it is gone either way

    def receive_soon(self) -> bytes | None:
        """What arrives before anybody else would have run; None if nothing does, or did the last few times.

        For a table that plays alone: nobody in this thread runs meanwhile.
        """
        if self._misses >= _PATIENCE:
            self._misses += 1
            if self._misses % _RETRY_EVERY:
                return None
        if self._arrivals.poll(_SOON_MS):
            self._misses = 0
            return self.try_receive()
        self._misses += 1
        return None

    async def receive(self, deadline: float) -> bytes | None:
        """The bytes that arrive next; None if none do by `deadline`, empty at the end of the stream."""
        while await self._turns.until_readable(self._sock, deadline):  # who has spoken earlier comes first
            data = self.try_receive()
            if data is not None:
                return data
        return None

    @property
    def num_unsent(self) -> int:
        """Number of bytes kept here because the client does not read."""
        return len(self._unsent)

    async def wait_readable(self) -> None:
        """Wait until something has arrived, or the client has gone.

        Raises:
            trio.ClosedResourceError: we have closed it.
        """
        if self.is_closed:
            raise trio.ClosedResourceError
        await trio.lowlevel.wait_readable(self._sock)

    async def finish(self, seconds: float) -> None:
        """Close so that the client does not see a reset instead of the last state (docs/acpc-dealer.md 8.8).

        Flush, half-close, and read what the client still sends until it closes; then close.
        """
        with trio.move_on_after(seconds):
            try:
                await self._flush()
                self._sock.shutdown(socket.SHUT_WR)
                while await self.receive(math.inf):
                    await trio.lowlevel.checkpoint()  # it may keep sending without end
            except OSError:
                pass  # it has already gone
            except trio.ClosedResourceError:
                pass
        self.close()

    def close(self) -> None:
        """Close the socket at once; waiting tasks see it as closed."""
        if not self.is_closed:
            self.is_closed = True
            trio.lowlevel.notify_closing(self._sock)
            self._turns.is_closing(self._sock)
            self._sock.close()
