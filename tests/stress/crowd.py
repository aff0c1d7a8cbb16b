"""A hundred tables in one process, 180 players who want to play and 20 who do not: no table starves.

``python -m tests.stress.crowd [--tables N] [--hostile N]``: the tables in one process, the players in a
second, the hostile ones in a third.  At every table the hands go on; at those without a hostile player nobody
waits long.
"""

import contextlib
import json
import random
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from server.support.console import Console
from server.table.config import OnFailure, TimeLimits
from server.table.match import MatchServer
from server.table.outcome import Durations
from tests.stress.common import Stress, begin, folder, main, role, usage
from tests.support.cheap_client import reply
from tests.support.tables import match_config

# --- hostile ------------------------------------------------------------------------------------------------

VERSION: Final = b"VERSION:2.0.0\r\n"
_PAUSE_S: Final = 0.01
"""Between two writes of one who floods: 2 MB a second are enough to see."""
_STAY_S: Final = 5.0

Behaviour = Callable[[trio.SocketStream, random.Random], Awaitable[None]]


async def _hear(stream: trio.SocketStream) -> None:
    while await stream.receive_some(65536):
        pass


async def is_silent(stream: trio.SocketStream, rng: random.Random) -> None:
    """Says its version and nothing more."""
    await stream.send_all(VERSION)
    await _hear(stream)


async def is_mute(stream: trio.SocketStream, rng: random.Random) -> None:
    """Says nothing at all."""
    await _hear(stream)


def _flooding(data: bytes) -> Behaviour:
    """Sends the same, again and again."""

    async def behave(stream: trio.SocketStream, rng: random.Random) -> None:
        await stream.send_all(VERSION)
        while True:
            await stream.send_all(data)
            await trio.sleep(_PAUSE_S)

    return behave


floods, floods_with_comments = _flooding(b"junk\n" * 4000), _flooding(b"# comment\n" * 2000)
floods_without_line_end = _flooding(b"x" * 20_000)


async def greets_and_half_closes(stream: trio.SocketStream, rng: random.Random) -> None:
    """Greets some hundred times, closes its half, and reads nothing of what it has asked for."""
    greeting = b"#riverboat/1 seat names game clock\r\n"
    await stream.send_all(VERSION + greeting * rng.randint(300, 800))
    await stream.send_eof()
    await trio.sleep(_STAY_S)


async def leaves(stream: trio.SocketStream, rng: random.Random) -> None:
    """Comes and goes."""
    await stream.send_all(VERSION)
    await stream.receive_some(100)


async def is_reset(stream: trio.SocketStream, rng: random.Random) -> None:
    """Comes and goes without a goodbye."""
    await stream.send_all(VERSION)
    await stream.receive_some(100)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def is_no_client(stream: trio.SocketStream, rng: random.Random) -> None:
    """Takes the port for another service's."""
    await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await _hear(stream)


async def drips(stream: trio.SocketStream, rng: random.Random) -> None:
    """Sends a byte at a time."""
    for byte in VERSION + b"#" * 40:
        await stream.send_all(bytes([byte]))
        await trio.sleep(0.1)


async def never_reads(stream: trio.SocketStream, rng: random.Random) -> None:
    """Calls in the state it guesses, and reads nothing."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    await stream.send_all(VERSION)
    while True:
        await stream.send_all(b"MATCHSTATE:0:0::AsKs|:c\r\n" * 20)
        await trio.sleep(0.1)


async def is_late(stream: trio.SocketStream, rng: random.Random) -> None:
    """Answers everything, a little too late."""
    await stream.send_all(VERSION)
    while data := await stream.receive_some(65536):
        await trio.sleep(_STAY_S / 4)
        await stream.send_all(data.rpartition(b"\r\n")[0].rpartition(b"\r\n")[2] + b":c\r\n")


async def talks_nonsense(stream: trio.SocketStream, rng: random.Random) -> None:
    """Answers with random bytes."""
    await stream.send_all(VERSION)
    while await stream.receive_some(65536):
        await stream.send_all(rng.randbytes(rng.randint(1, 20_000)))
        await trio.sleep(_PAUSE_S)


BEHAVIOURS: Final[tuple[Behaviour, ...]] = (
    is_silent, is_mute, floods, floods_with_comments, floods_without_line_end, greets_and_half_closes, leaves,
    is_reset, is_no_client, drips, never_reads, is_late, talks_nonsense,
)  # fmt: skip


async def pester(port: int, behave: Behaviour, rng: random.Random) -> None:
    """Behave so on one connection after the other, for ever."""
    while True:
        try:
            with trio.move_on_after(_STAY_S):
                stream = await trio.open_tcp_stream("127.0.0.1", port)
                async with stream:
                    if behave is greets_and_half_closes:
                        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
                    await behave(stream, rng)
        except (OSError, trio.BrokenResourceError):
            pass  # turned away, or the seat is taken
        await trio.sleep(rng.uniform(0.01, 0.1))


# --- crowd --------------------------------------------------------------------------------------------------

_RESPONSE_S: Final = 1.0
_LONGEST_GAP_S: Final = 3 * _RESPONSE_S
"""Between two hands of a table without a hostile player, on two busy cores."""
_LONGEST_HOSTILE_GAP_S: Final = 20 * _RESPONSE_S
"""A hostile player may be late in each of its decisions, until it loses its seat."""
_LAG_EVERY_S: Final = 0.02
_SPREAD: Final = 2.0
"""The fastest of the tables without a hostile player plays at most so much faster than the slowest."""
_CLOSE_S: Final = 30.0


@attrs.define(eq=False)
class Watch(Console):
    """Counts the hands of a table and the time between them."""

    hands: int = 0
    last_s: float = attrs.Factory(time.monotonic)
    longest_gap_s: float = 0.0

    def hand_finished(self, hand_number: int) -> None:
        """One more."""
        now = time.monotonic()
        if self.hands:
            self.longest_gap_s = max(self.longest_gap_s, now - self.last_s)
        self.hands, self.last_s = self.hands + 1, now


# --- the house -------------------------------------------------------------------------------------------


async def house(tables: int, seed: int) -> None:
    """Open tables, say their ports, serve until stdin is closed; say what became of them."""
    limits = TimeLimits(response=_RESPONSE_S, hand=1e9, per_hand=1e9, handshake=_RESPONSE_S)
    watches: list[Watch] = []
    servers: list[MatchServer] = []
    lags = Durations()
    async with trio.open_nursery() as nursery:
        for number in range(tables):
            failing = {"on_failure": OnFailure.FAIR, "comment_failures": True}
            config = match_config("limit-2p", 2**31, seed + number, limits=limits, **failing)
            watches.append(Watch())
            servers.append(MatchServer(config, watches[-1]))
            servers[-1].open()
            nursery.start_soon(servers[-1].run)
        print(json.dumps([server.ports for server in servers]), flush=True)
        nursery.start_soon(measure_lag, lags)
        await until_closed()
        now = time.monotonic()
        report = {
            "hands": [watch.hands for watch in watches],
            "gaps": [max(watch.longest_gap_s, now - watch.last_s) for watch in watches],
            "failures": [[len(seat.failures) for seat in server.seats] for server in servers],
            "lag": [lags.percentile(share) for share in (0.5, 0.99, 1)],
        }
        print(json.dumps(report), flush=True)
        nursery.cancel_scope.cancel()


async def until_closed() -> None:
    """Wait until our stdin is closed."""
    async with trio.lowlevel.FdStream(sys.stdin.fileno()) as stdin:
        while await stdin.receive_some():
            pass


async def measure_lag(lags: Durations) -> None:
    """How much later than it should this process turns to a task that wants to run."""
    while True:
        due = trio.current_time() + _LAG_EVERY_S
        await trio.sleep_until(due)
        lags.add(max(0.0, trio.current_time() - due))


# --- the players -----------------------------------------------------------------------------------------


async def call(port: int, waits: Durations) -> None:
    """Call in every hand, and measure how long it takes from a reply to the next message."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    with contextlib.suppress(trio.BrokenResourceError):  # the house has closed before us
        await call_over(stream, waits)


async def call_over(stream: trio.SocketStream, waits: Durations) -> None:
    """The same over a connection."""
    async with stream:
        await stream.send_all(VERSION)
        rest, replied_at = b"", 0.0
        while data := await stream.receive_some(65536):
            if replied_at:
                waits.add(time.perf_counter() - replied_at)
                replied_at = 0.0
            *lines, rest = (rest + data).split(b"\r\n")
            answers = b"".join(reply(line) for line in lines if b"f" not in line.split(b":")[3])
            if answers:
                await stream.send_all(answers)
                replied_at = time.perf_counter()


async def players(ports: Sequence[Sequence[int]], hostile: int) -> None:
    """A player who calls on every seat that is not a hostile one's, until stdin is closed."""
    waits = {"apart": Durations(), "hostile": Durations()}
    async with trio.open_nursery() as nursery:
        for number, seats in enumerate(ports):
            is_apart = number >= hostile
            for port in seats if is_apart else seats[:1]:
                nursery.start_soon(call, port, waits["apart" if is_apart else "hostile"])
        await until_closed()
        nursery.cancel_scope.cancel()
    print(json.dumps({name: summary(each) for name, each in waits.items()}), flush=True)


async def pests(ports: Sequence[Sequence[int]], hostile: int, stress: Stress) -> None:
    """A hostile player on the second seat of the first tables, until stdin is closed."""
    async with trio.open_nursery() as nursery:
        for number in range(hostile):
            behave = BEHAVIOURS[number % len(BEHAVIOURS)]
            nursery.start_soon(pester, ports[number][1], behave, stress.generator(number))
        await until_closed()
        nursery.cancel_scope.cancel()
    print("{}", flush=True)


def summary(waits: Durations) -> list[float]:
    """Number, median, p99 and longest."""
    return (
        [len(waits), waits.percentile(0.5), waits.percentile(0.99), waits.longest] if waits else [0, 0, 0, 0]
    )


# --- all together ----------------------------------------------------------------------------------------


def launch(name: str, stress: Stress, place: Path, *words: str) -> subprocess.Popen[str]:
    """One of the three processes."""
    options = [f"--{each}={getattr(stress.arguments, each)}" for each in ("tables", "hostile")]
    with open(place / f"{name}.err", "wb") as stderr:
        return role("crowd", "--role", name, "--seed", stress.seed, *options, *words, stderr=stderr)


def report_of(name: str, process: subprocess.Popen[str], stress: Stress, place: Path) -> dict[str, Any]:
    """Close a process's stdin, and read what it has to say."""
    try:
        out, _ = process.communicate(timeout=_CLOSE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
        stress.find(f"the {name} did not end", (place / f"{name}.err").read_text()[-3000:])
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if process.returncode or not lines:
        stress.find(f"the {name} broke down", (place / f"{name}.err").read_text()[-3000:])
        return {}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def together(stress: Stress, place: Path) -> str:
    """Start the three processes, let them play, and judge."""
    tables, hostile = stress.arguments.tables, stress.arguments.hostile
    at_work = {"house": launch("house", stress, place)}
    stdout = at_work["house"].stdout
    assert stdout is not None
    ports = stdout.readline().strip()
    for name in ("players", "pests"):
        at_work[name] = launch(name, stress, place, "--ports", ports)
    started = time.monotonic()
    before = None
    while not stress.is_over and all(process.poll() is None for process in at_work.values()):
        time.sleep(0.5)
        if before is None and time.monotonic() - started > 10:
            before = usage(at_work["house"].pid)
    after = usage(at_work["house"].pid)
    seconds = time.monotonic() - started
    found = {name: report_of(name, at_work[name], stress, place) for name in ("house", "pests", "players")}
    if not (found["house"] and found["players"] and before and after):
        return "broken down"
    hands, gaps, failures = (found["house"][name] for name in ("hands", "gaps", "failures"))
    apart = hands[hostile:]
    for there, name, part, most in (
        ("without", "apart", slice(hostile, None), _LONGEST_GAP_S),
        ("with", "hostile", slice(hostile), _LONGEST_HOSTILE_GAP_S),
    ):
        number, median, p99, longest = found["players"][name]
        if not hands[part]:
            continue
        stress.say(
            f"{len(hands[part])} tables {there} a hostile player: {min(hands[part])} to {max(hands[part])} "
            f"hands, longest between two hands {max(gaps[part]):.2f} s; {number} waits: median "
            f"{median * 1e3:.2f} ms, p99 {p99 * 1e3:.1f} ms, longest {longest:.2f} s"
        )
        if max(gaps[part]) > most:
            stress.find(f"a table {there} a hostile player starves", f"{max(gaps[part]):.2f} s")
    if apart and max(apart) > _SPREAD * min(apart):
        stress.find("tables do not get their turns evenly", f"{min(apart)} to {max(apart)} hands")
    if any(any(each) for each in failures[hostile:]):
        stress.find("a player who did nothing wrong has failed", str(failures[hostile:]))
    lag = ", ".join(f"{each * 1e3:.1f}" for each in found["house"]["lag"])
    stress.say(
        f"house: {sum(hands) / seconds:.0f} hands/s, lag median, p99, longest {lag} ms, memory "
        f"{before.memory_kib / 1024:.1f} then {after.memory_kib / 1024:.1f} MiB, descriptors "
        f"{before.descriptors} then {after.descriptors}, {sum(map(sum, failures[:hostile]))} failures "
        "on record"
    )
    return f"{tables} tables, {2 * tables} clients, {hostile} of them hostile, {sum(hands)} hands"


def run() -> int:
    """The script."""
    stress = begin(
        "crowd", __doc__, 10,
        ("tables", int, 100, "in one process"),
        ("hostile", int, 20, "tables with a hostile player"),
        ("role", str, "", "of this process; without, all three are started"),
        ("ports", str, "[]", "of the tables, as JSON"),
    )  # fmt: skip
    given = stress.arguments
    ports = json.loads(given.ports)
    if given.role == "house":
        trio.run(house, given.tables, stress.seed)
    elif given.role == "players":
        trio.run(players, ports, given.hostile)
    elif given.role == "pests":
        trio.run(pests, ports, given.hostile, stress)
    else:
        with folder() as place:
            return stress.end(together(stress, place))
    return 0


if __name__ == "__main__":
    main(run)
