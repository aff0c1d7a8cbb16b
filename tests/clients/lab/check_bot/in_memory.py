"""Examinations of players that are coroutines, at the other end of a stream in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio
import trio.testing

from clients.lab.check_bot.client import Client, End, Order
from clients.lab.check_bot.conversation import Limits
from clients.lab.check_bot.examination import Examination, Game
from clients.lab.check_bot.findings import Examined, Status
from engine.poker.rules import game_path, load_game
from tests.misbehaving_bots.planted import Planted


class MemoryClient(Client):
    """A bot that runs as a task."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self.stream = stream
        self.end: End | None = None
        self.is_over = trio.Event()

    async def ended(self, within_s: float) -> End | None:
        with trio.move_on_after(within_s):
            await self.is_over.wait()
        return self.end


class MemoryLaunching:
    """Launches a planted player as a task."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    @asynccontextmanager
    async def __call__(self, order: Order) -> AsyncIterator[Client]:
        ours, theirs = trio.testing.memory_stream_pair()
        client = MemoryClient(ours)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._play, client, theirs, str(game_path(order.game_text)))
            try:
                yield client
            finally:
                nursery.cancel_scope.cancel()

    async def _play(self, client: MemoryClient, stream: trio.abc.HalfCloseableStream, path: str) -> None:
        player = Planted(self.fault, path)
        client_end = End(0, "ended with exit status 0")
        try:
            await stream.send_all(b"VERSION:2.0.0\n")
            while data := bytes(await stream.receive_some()):
                for step in player.receive(data):
                    if isinstance(step, bytes):
                        await stream.send_all(step)
                    else:
                        await trio.sleep(step)
            if self.fault == "no-exit":
                await trio.sleep_forever()
        except RuntimeError as error:
            client_end = End(1, f"ended with exit status 1: RuntimeError: {error}")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            client_end = End(1, "ended with exit status 1: BrokenPipeError")
        await stream.aclose()
        client.end = client_end
        client.is_over.set()


async def examine(
    fault: str,
    games: Sequence[str],
    folder: Path,
    *,
    hands: int = 4,
    are_named: bool = True,
    knows_games: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Examined:
    """What an examination of a planted player finds."""
    plan = Examination(
        launch=MemoryLaunching(fault),
        games=[Game(name, load_game(name), name) for name in games],
        are_named=are_named,
        knows_games=knows_games,
        limits=Limits(),
        hands=hands,
        seed=1,
        most_memory=2**30,
        folder=folder,
        say=say,
    )
    return await plan.run()


def failed(findings: Examined) -> dict[str, str]:
    """The checks that failed, with their details."""
    return {each.name: each.detail for each in findings.verdicts() if each.status is Status.FAILED}
