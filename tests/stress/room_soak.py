"""A room for an hour: people come and go, watch, play in browsers, and what the room takes stays what it is.

``python -m tests.stress.room_soak [--minutes 60]``: the room is a process of its own, with a ring table, a
sit-and-go, and a table with bots of the house's; memory, descriptors and tasks are looked at every minute.
"""

import json
import random
import statistics
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import attrs
import httpx2
import trio

from server.room.collecting import collected_in_parts
from server.room.config import Policy, RoomConfig
from server.room.room import Room
from server.room.web.serving import serve_web
from server.support.console import Console
from server.table.config import TimeLimits
from server.table.rules.sit_and_go import DEFAULT_PAYOUTS, Level, SitAndGo
from tests.stress.common import Stress, Usage, begin, folder, main, role, usage
from tests.support.rooms import Guest, room_config, table_config
from tests.support.web import BrowserSeat, Rejected, WebSocket

_EVERY_S: Final = 60.0
_PLAYERS: Final = "aabee"
# Where each of them goes again and again: somebody who is alone at a table without bots waits for ever.
_BROWSERS: Final = 3
_WATCHERS: Final = 4
_SLACK_KIB: Final = 1024
_TERMS: Final = SitAndGo(1500, (Level(5, (50, 100)), Level(5, (200, 400))), DEFAULT_PAYOUTS)
_SETTLE_S: Final = 5.0
_GONE_S: Final = 60.0
_MORE: Final = 2
# Tasks, and descriptors, beyond what an empty room and its bots have: a page may be on its way.
_PATHS: Final = ("/", "/tables.json", "/tables/a", "/tables/a/hands", "/standings", "/tables/e", "/metrics")


# --- the room ---------------------------------------------------------------------------------------------


def _config(place: Path) -> RoomConfig:
    limits = TimeLimits(5.0, 600.0, 1e6, grace=0.0)
    return room_config(
        place,
        table_config("a", limits=limits, keep_seat_s=5.0, pause_s=0.3),
        table_config("b", limits=limits, keep_seat_s=5.0, pause_s=0.3, fill=("random",)),
        table_config(
            "e", "nolimit-2p-100bb", limits=limits, keep_seat_s=5.0, pause_s=0.1,
            policy=Policy.SIT_AND_GO, least=60, most=60, sit_and_go=_TERMS,
        ),
        http=0,
        requests_per_second=1000.0,
        guest_chips=10_000,
    )  # fmt: skip


async def _house(place: Path) -> None:
    """The room; says its ports, then in each line of stdin's answer how many tasks and hands there are."""
    async with trio.open_nursery() as nursery:
        room = Room(_config(place), Console())
        addresses = await nursery.start(room.run)
        pages = await nursery.start(serve_web, room, Console())
        print(addresses.port, pages.rstrip("/").rpartition(":")[2], flush=True)
        async for _ in trio.lowlevel.FdStream(0):
            tasks = trio.lowlevel.current_statistics().tasks_living
            hands = sum(table.hands_played for table in room.tables.values())
            players = [visitor.player for visitor in room.door.visitors]
            bots = sum(player is not None and player.kind == "house" for player in players)
            said = {"tasks": tasks, "hands": hands, "bots": bots, "others": len(players) - bots}
            print(json.dumps({**said, "faults": room.faults}), flush=True)
        nursery.cancel_scope.cancel()


# --- those who come ----------------------------------------------------------------------------------------


@attrs.frozen
class _Crowd:
    """Where everybody goes."""

    port: int
    http: int
    dice: random.Random

    async def stream(self, port: int) -> trio.SocketStream:
        return await trio.open_tcp_stream("127.0.0.1", port)

    async def player(self, table: str) -> None:
        """Comes, plays some hands at a table, and leaves in order or without a word."""
        guest = Guest(await self.stream(self.port))
        try:
            await guest.enter()
            await guest.say(f"#join {table}")
            while not (await guest.until("#")).startswith("#seated"):
                if guest.lines[-1].startswith("#refused"):
                    return
            await guest.play_hands(
                self.dice.randint(1, 40), lambda _: self.dice.choice(["c", "c", "c", "f", "r100", "r400"])
            )
            if self.dice.random() < 0.5:
                await guest.say("#leave")
                # Whose last hand was the sit-and-go's is in the lobby already.
                while not (await guest.until("#")).startswith(("#lobby", "#refused leave")):
                    pass
        finally:
            await guest.leave()

    async def visit(self, table: str, hands: int) -> None:
        """Somebody plays some hands at a table."""
        guest = Guest(await self.stream(self.port))
        await guest.sit_down(table)
        await guest.play_hands(hands)
        await guest.leave()

    async def browser(self) -> None:
        """Plays some hands in a browser."""
        websocket = WebSocket(await self.stream(self.http), "/seat", f"127.0.0.1:{self.http}")
        seat = BrowserSeat(websocket)
        try:
            await websocket.open()
            await seat.say("VERSION:2.0.0", "#riverboat/1 lobby seat names game stacks clock")
            await seat.until("lobby")
            await seat.say(f"#join {self.dice.choice('ab')}")
            while (message := await seat.next()) is not None and message.get("name") != "refused":
                if message.get("name") == "seated":
                    await seat.play_hands(self.dice.randint(1, 10))
                    return
        finally:
            await seat.leave()

    async def watcher(self) -> None:
        """Watches a table for a while."""
        async with await self.stream(self.http) as stream:
            table = self.dice.choice("abe")
            await stream.send_all(f"GET /tables/{table}/events HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
            with trio.move_on_after(self.dice.uniform(1, 30)):
                while await stream.receive_some():
                    pass

    async def reader(self) -> None:
        """Reads some pages."""
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{self.http}", timeout=60.0) as pages:
            for _ in range(self.dice.randint(1, 20)):
                (await pages.get(self.dice.choice(_PATHS))).raise_for_status()
                await trio.sleep(1.0)


async def _again(stress: Stress, come: Callable[..., Coroutine[Any, Any, None]], *where: str) -> None:
    """Somebody comes again and again, whatever happens to them."""
    while True:
        try:
            with trio.fail_after(300):
                await come(*where)
        except (AssertionError, trio.BrokenResourceError, Rejected):
            pass  # refused, or cut off for what they did
        except trio.TooSlowError:
            stress.find(f"a {come.__name__} was not served for five minutes")
        except httpx2.HTTPError as error:
            stress.find("a page was not served", repr(error))
        await trio.sleep(0.5)


# --- looking -----------------------------------------------------------------------------------------------


@attrs.frozen
class Sample:
    """What the room takes."""

    seconds: float
    usage: Usage
    tasks: int
    hands: int
    bots: int
    """Of the house's, at their tables."""
    others: int
    """Connections of players."""


def _sample(stress: Stress, process: subprocess.Popen[str]) -> Sample:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("?\n")
    process.stdin.flush()
    said = json.loads(process.stdout.readline())
    if said["faults"]:
        stress.find("a table had a fault")
    taken = usage(process.pid)
    assert taken is not None
    return Sample(stress.seconds, taken, said["tasks"], said["hands"], said["bots"], said["others"])


def _tell(stress: Stress, sample: Sample) -> None:
    stress.say(
        f"{sample.seconds / 60:5.1f} min: {sample.usage.memory_kib / 1024:.1f} MiB, "
        f"{sample.usage.descriptors} descriptors, {sample.tasks} tasks, {sample.bots} bots, "
        f"{sample.others} others, {sample.hands} hands, "
        f"{sample.usage.cpu_s:.0f} s CPU"
    )


@attrs.frozen
class Frame:
    """What a room takes in which nobody is: an empty one, and what each bot of the house's adds to it."""

    empty: Sample
    alone: Sample
    """With bots of the house's and nobody else."""

    def expected(self, bots: int) -> tuple[float, float]:
        """Tasks and descriptors with so many bots."""
        share = bots / (self.alone.bots - self.empty.bots)
        return (
            self.empty.tasks + share * (self.alone.tasks - self.empty.tasks),
            self.empty.usage.descriptors
            + share * (self.alone.usage.descriptors - self.empty.usage.descriptors),
        )

    def left(self, sample: Sample) -> tuple[float, float]:
        """Tasks and descriptors beyond that."""
        tasks, descriptors = self.expected(sample.bots)
        return sample.tasks - tasks, sample.usage.descriptors - descriptors


async def _frame(stress: Stress, process: subprocess.Popen[str], crowd: _Crowd) -> Frame:
    await trio.sleep(_SETTLE_S)
    empty = _sample(stress, process)
    _tell(stress, empty)
    await crowd.visit("b", 3)  # bots of the house's stay when their guests have gone
    alone = await _when_all_have_gone(stress, process, lambda sample: sample.bots > 0)
    _tell(stress, alone)
    return Frame(empty, alone)


async def _when_all_have_gone(
    stress: Stress, process: subprocess.Popen[str], is_done: Callable[[Sample], bool]
) -> Sample:
    """The room when it is as it should be, or after a minute."""
    deadline = trio.current_time() + _GONE_S
    while True:
        await trio.sleep(_SETTLE_S)
        sample = _sample(stress, process)
        if (not sample.others and is_done(sample)) or trio.current_time() > deadline:
            return sample


async def _soak(stress: Stress, process: subprocess.Popen[str], crowd: _Crowd) -> str:
    frame = await _frame(stress, process, crowd)
    samples: list[Sample] = []
    async with trio.open_nursery() as people:
        for table in _PLAYERS:
            people.start_soon(_again, stress, crowd.player, table)
        for each in [*[crowd.browser] * _BROWSERS, *[crowd.watcher] * _WATCHERS, crowd.reader]:
            people.start_soon(_again, stress, each)
        while not stress.is_over:
            await trio.sleep(min(_EVERY_S, max(1.0, 60 * stress.minutes - stress.seconds)))
            samples.append(await trio.to_thread.run_sync(_sample, stress, process))
            _tell(stress, samples[-1])
        people.cancel_scope.cancel()
    after = await _when_all_have_gone(stress, process, lambda sample: max(frame.left(sample)) <= _MORE)
    _tell(stress, after)
    return _judge(stress, frame, samples, after)


def _judge(stress: Stress, frame: Frame, samples: list[Sample], after: Sample) -> str:
    quarter = max(1, len(samples) // 4)
    early = statistics.mean(each.usage.memory_kib for each in samples[quarter : 2 * quarter] or samples)
    late = statistics.mean(each.usage.memory_kib for each in samples[-quarter:])
    if late - early > _SLACK_KIB:
        stress.find("memory grows", f"{early:.0f} KiB in the second quarter, {late:.0f} KiB in the last")
    if after.others:
        stress.find("players are left", f"{after.others} connections when all have gone")
    tasks, descriptors = frame.expected(after.bots)
    for what, number, wanted in (
        ("tasks", after.tasks, tasks),
        ("descriptors", after.usage.descriptors, descriptors),
    ):
        if number > wanted + _MORE:
            stress.find(f"{what} are left", f"{number} when all have gone, {wanted:g} with so many bots")
    return (
        f"{after.hands} hands; {early / 1024:.1f} MiB in the second quarter, {late / 1024:.1f} in the last; "
        f"with {after.bots} bots and nobody else {after.usage.descriptors} descriptors, {after.tasks} tasks; "
        f"{descriptors:g} and {tasks:g} are theirs and an empty room's"
    )


def script() -> int:
    """The script."""
    stress = begin("room_soak", __doc__, 60, ("role", str, "", "house or nothing"), ("place", Path, None, ""))
    if stress.arguments.role == "house":
        with collected_in_parts():
            trio.run(_house, stress.arguments.place)
        return 0
    with folder() as place, role("room_soak", "--role", "house", "--place", place) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port, http = map(int, process.stdout.readline().split())
            crowd = _Crowd(port, http, stress.generator("crowd"))
            return stress.end(trio.run(_soak, stress, process, crowd))
        finally:
            process.stdin.close()
            process.wait(30)


if __name__ == "__main__":
    main(script)
