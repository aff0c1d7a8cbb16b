"""A person with ``telnet`` at a table of a room, in this process."""

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from clients.core.program import TableAddress, join_table
from clients.human.agent import Human
from clients.human.shell import sit_down
from clients.human.style import PLAIN
from clients.human.telnet import TelnetDesk, open_telnet_port


class Nc:
    """A person who uses ``nc``: sends and reads plain bytes."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.text = ""

    async def until(self, text: str, count: int = 1) -> None:
        """Read until a text has been received this many times."""
        while self.text.count(text) < count:
            data = await self.stream.receive_some(4096)
            assert data, f"the connection ended before {text!r}: {self.text[-500:]}"
            self.text += bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")

    async def type(self, line: str) -> None:
        """Type a line and press return."""
        await self.send(f"{line}\n".encode())

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        await self.stream.send_all(data)

    async def rest(self) -> str:
        """Read to the end."""
        async for data in self.stream:
            self.text += bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")
        return self.text


@asynccontextmanager
async def telnet_person(table: TableAddress) -> AsyncIterator[Nc]:
    """A person who has connected by telnet, and for whom a seat is being taken, for the block."""
    telnet = TelnetDesk(PLAIN, lambda line: None)
    human = Human(telnet, None)
    listeners = await open_telnet_port("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:

        async def serve() -> None:
            async def join() -> int:
                await telnet.first_person.wait()
                return await join_table(human, table, human.say)

            try:
                await sit_down(human, join, functools.partial(telnet.listen, human, listeners))
            finally:
                with trio.CancelScope(shield=True):
                    await telnet.finish()
                listeners[0].socket.close()

        nursery.start_soon(serve)
        nc = Nc(await trio.open_tcp_stream("127.0.0.1", listeners[0].socket.getsockname()[1]))
        try:
            yield nc
        finally:
            nc.stream.socket.close()
            nursery.cancel_scope.cancel()
