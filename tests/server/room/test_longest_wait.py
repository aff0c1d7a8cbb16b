"""A question has one clock: nothing that a player does in it makes the table wait longer."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from hypothesis import example, given, settings, strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from server.room import identities
from server.table.config import TimeLimits
from tests.support.rooms import Guest, OpenRoom, account, room_config, room_of, table_config
from tests.support.tables import VERSION, betting_state, split_state

CLOCK = 10.0
LIMITS = TimeLimits(CLOCK, 600.0, 1e6, grace=4.0)
GREETING = "#riverboat/1 lobby seat names game stacks"


@pytest.fixture(autouse=True)
def quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock must not jump while a token is hashed."""
    monkeypatch.setattr(identities, "hashed", lambda token, salt: salt + token.encode())


@attrs.define(eq=False)
class Waits:
    """How long a table has waited for each answer."""

    room: OpenRoom
    seconds: list[float] = attrs.Factory(list)
    _since: float | None = None

    def __attrs_post_init__(self) -> None:
        asking: Any = self.room.room.tables["a"]._table.asking
        ask = asking.ask

        async def timed(*arguments: Any) -> Any:
            self._since = trio.current_time()
            answer = await ask(*arguments)
            self.seconds.append(trio.current_time() - self._since)
            self._since = None
            return answer

        asking.ask = timed

    @property
    def longest(self) -> float:
        """The longest, including that for the answer that is still to come."""
        is_open = [] if self._since is None else [trio.current_time() - self._since]
        return max([*self.seconds, *is_open])


@attrs.define(eq=False)
class Restless:
    """A registered player with any number of connections, of which the last counts."""

    room: OpenRoom
    words: str
    connections: list[Guest] = attrs.Factory(list)

    async def do(self, what: str) -> None:
        """Do one thing; the room may have closed the connection meanwhile."""
        last = self.connections[-1] if self.connections else None
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            match what:
                case "leave" if last is not None:
                    await last.leave()
                case "return" | "take over":
                    await self._come()
                case "reconnect":
                    await self.do("leave")
                    await self._come()
                case "answer" if last is not None:
                    states = [line for line in last.lines if line.startswith("MATCHSTATE")]
                    await last.say(*[f"{line}:c" for line in states[-1:]])
                case _ if last is not None:
                    await last.say(what)

    async def _come(self) -> None:
        guest = await self.room.connect()
        self.connections.append(guest)
        self.room.start_soon(self._listen, guest)
        await guest.say(VERSION, f"{GREETING} {self.words}", "#join a")

    @staticmethod
    async def _listen(guest: Guest) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while await guest.line() is not None:
                pass


DEEDS = (
    "leave", "return", "take over", "reconnect", "answer", "#sit-out", "#sit-in", "#leave", "# hm", "junk",
)  # fmt: skip


async def waits_when(deeds: Sequence[tuple[str, float]], folder: Path) -> Waits:
    """The waits of a table at which one player does all this, and two others answer at once."""
    config = room_config(folder, table_config(limits=LIMITS, pause_s=3.0, keep_seat_s=30.0))
    words = account(config)
    async with room_of(config) as room:
        waits = Waits(room)
        ann = Restless(room, words)
        await ann.do("return")
        for guest in await room.seated("Bob", "Eve"):
            room.start_soon(guest.play_hands, 1 << 30)
        for what, pause in [*deeds, ("", 2 * CLOCK)]:
            if what:
                await ann.do(what)
            await trio.sleep(pause)
        assert "Traceback" not in room.console.stderr
        return waits


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def longest_wait(deeds: Sequence[tuple[str, float]]) -> float:
    with scratch() as folder:
        waits = trio.run(waits_when, deeds, folder, clock=MockClock(autojump_threshold=0.004))
    assert waits.seconds
    return waits.longest


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.sampled_from((0.0, 1.0, 3.5, 9.5))), max_size=12))
@example([("leave", 3.0), ("return", 9.5)] * 5)
@example([("take over", 9.5)] * 5)
@example([("reconnect", 9.5)] * 5)
@example([("# hm", 9.5)] * 3)
@example([("junk", 9.5)] * 3)
@example([("leave", 9.5)] * 4)  # the time to keep the seat ends in the pause after a hand
def test_a_table_waits_no_longer_than_its_clock_whatever_a_player_does(
    deeds: list[tuple[str, float]],
) -> None:
    assert longest_wait(deeds) <= CLOCK + 0.5


async def own_turn(guest: Guest) -> str:
    """Read on to the next state in which a guest is to act."""
    while True:
        line = await guest.until("MATCHSTATE")
        position, _, betting, _ = split_state(line)
        if betting_state(guest.game(), betting).position_to_act == position:
            return line


@pytest.mark.parametrize("grace", [0.0, 5.0])
async def test_a_second_connection_is_asked_the_open_question(grace: float, tmp_path: Path) -> None:
    limits = TimeLimits(60.0, 600.0, 1e6, grace=grace)
    config = room_config(tmp_path, table_config(limits=limits))
    words = account(config)
    async with room_of(config) as room:
        present = await room.sit_down(words=words)
        bob = await room.sit_down(words="name=Bob")
        room.start_soon(bob.play_hands, 1 << 30)
        for _ in range(10):
            asked = await own_turn(present)
            await wait_all_tasks_blocked(0.01)
            present = await room.sit_down(words=words)
            assert await own_turn(present) == asked
            await present.answer("c")
        place = room.room.tables["a"].places[0]
        assert place is not None
        assert place.seat.hands_by_default == 0
        assert "Traceback" not in room.console.stderr
