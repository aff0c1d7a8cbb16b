"""What an agent may rely on in a session, and tasks over processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import attrs
import pytest
import trio
import trio.lowlevel
import trio.testing

from clients.bots.baselines import AlwaysCall
from clients.core.agent import Agent
from clients.core.session import DealerGone, UnreadableState, play
from clients.core.tasks import run_tasks
from clients.lab.testing import Recorder
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, HandView, load_game, raise_to
from tests.support.doubles import LineReader

# --- what an agent may rely on ---------------------------------------------------------------------------


class Dealer:
    """A dealer's end of the wire that says what a test wants said."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._reader = LineReader(stream)

    async def say(self, *lines: str) -> None:
        await self._stream.send_all("".join(f"{line}\r\n" for line in lines).encode())

    async def hear(self) -> str | None:
        return await self._reader.next_line()

    async def follow(self, line: str) -> None:
        if line.startswith(">"):
            assert await self.hear() == line[1:]
        else:
            await self.say(line)

    async def leave(self) -> None:
        await self._stream.aclose()


async def with_dealer(
    agent: Agent,
    script: Sequence[str] | Callable[[Dealer], Awaitable[None]],
    game: GameDefinition | None = None,
) -> int:
    """Play against a dealer; a failure of either ends both.

    Args:
        agent: the one who plays.
        script: called with the dealer; or lines that it says, and after a ``>`` those that it must hear.
        game: what is played.
    """
    ours, theirs = trio.testing.memory_stream_pair()
    dealer = Dealer(theirs)

    async def deal() -> None:
        assert await dealer.hear() == "VERSION:2.0.0"
        if callable(script):
            await script(dealer)
        else:
            for line in script:
                await dealer.follow(line)
        await dealer.leave()

    hands = -1
    caught: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(deal)
        try:
            hands = await play(agent, ours, game)
        except Exception as error:  # kept out of the nursery's group
            caught = error
    if caught is not None:
        raise caught
    return hands


async def test_a_client_that_joins_in_mid_hand_is_told_of_everything_it_missed() -> None:
    agent = Recorder()

    script = [
        "MATCHSTATE:0:0:rc/cr:8dJd|/As9d6s", ">MATCHSTATE:0:0:rc/cr:8dJd|/As9d6s:c",
        "MATCHSTATE:0:0:rc/crc/cc/cc:8dJd|Td4d/As9d6s/3d/6c",
    ]  # fmt: skip
    hands = await with_dealer(agent, script, load_game("limit-2p"))

    assert hands == 1
    assert agent.told == [
        ("hand", "MATCHSTATE:0:0::8dJd|"),
        ("action", "MATCHSTATE:0:0:r:8dJd|", "1", "r"),
        ("action", "MATCHSTATE:0:0:rc/:8dJd|/As9d6s", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/c:8dJd|/As9d6s", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/cr:8dJd|/As9d6s", "1", "r"),
        ("action", "MATCHSTATE:0:0:rc/crc/:8dJd|/As9d6s/3d", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/c:8dJd|/As9d6s/3d", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/cc/:8dJd|/As9d6s/3d/6c", "1", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/cc/c:8dJd|/As9d6s/3d/6c", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/cc/cc:8dJd|Td4d/As9d6s/3d/6c", "1", "c"),
        ("end", "MATCHSTATE:0:0:rc/crc/cc/cc:8dJd|Td4d/As9d6s/3d/6c"),
    ]


async def test_a_state_shown_twice_is_answered_twice_and_told_once() -> None:
    agent = Recorder()

    turn = ["MATCHSTATE:0:0::Ah|", ">MATCHSTATE:0:0::Ah|:c"]
    script = [*turn, *turn, "MATCHSTATE:0:0:c:Ah|", *["MATCHSTATE:0:0:crf:Ah|"] * 2]

    hands = await with_dealer(agent, script, load_game("leduc"))

    assert hands == 1
    assert [kind for kind, *_ in agent.told] == ["hand", "action", "action", "action", "end"]


async def test_a_hand_that_is_dealt_again_starts_again() -> None:
    agent = Recorder()

    script = [
        "MATCHSTATE:1:0:c:|Ks",
        ">MATCHSTATE:1:0:c:|Ks:c",
        "MATCHSTATE:1:0:rr:|Ks",
        "MATCHSTATE:1:0:rrf:|Ks",
    ]

    await with_dealer(agent, script, load_game("leduc"))

    kinds = [kind for kind, *_ in agent.told]
    assert kinds == ["hand", "action", "hand", "action", "action", "action", "end"]


async def test_a_hand_in_which_nobody_can_act_starts_and_ends() -> None:
    agent = Recorder()
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(100, 50))

    assert await with_dealer(agent, ["MATCHSTATE:0:0:///:8dJd|Td4d/As9d6s/3d/6c"], game) == 1
    assert [kind for kind, *_ in agent.told] == ["hand", "end"]


@pytest.mark.parametrize(
    ("positions", "seats"),
    [
        ([(0, 4), (2, 5), (1, 6)], [1]),  # rotating: seat (0 + 4) mod 3
        ([(0, 4), (0, 5), (0, 6)], [1, 0]),  # fixed: seen in the second hand
        ([(2, 0), (2, 1), (2, 2)], [2]),  # fixed from the first hand on: nothing to correct
    ],
)
async def test_the_seat_follows_from_positions(positions: list[tuple[int, int]], seats: list[int]) -> None:
    agent = Recorder()

    script = [f"MATCHSTATE:{at}:{hand}:crff:{'|' * at}As{'|' * (2 - at)}" for at, hand in positions]

    await with_dealer(agent, script, load_game("kuhn-3p"))

    assert [seat for _, seat in agent.matches] == seats
    assert agent.seat == seats[-1]


async def test_the_servers_word_on_the_seat_counts_most() -> None:
    agent = Recorder()

    await with_dealer(agent, ["#seat 2", "MATCHSTATE:0:4:crff:As||"], load_game("kuhn-3p"))

    assert agent.matches == [(load_game("kuhn-3p"), 2)]


class Thinker(Agent):
    """Takes a while over each decision."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.withdrawn = 0
        self.clock: list[float | None] = []

    async def choose_action(self, view: HandView) -> Action:
        self.clock.append(self.seconds_to_act)
        try:
            await trio.sleep(self.seconds)
        except trio.Cancelled:
            self.withdrawn += 1
            raise
        return CALL


async def test_a_coroutine_may_take_its_time(autojump_clock: trio.abc.Clock) -> None:
    agent = Thinker(60)

    async def script(dealer: Dealer) -> None:
        await dealer.say("#clock 90", "MATCHSTATE:0:0::Ah|")
        start = trio.current_time()
        assert await dealer.hear() == "MATCHSTATE:0:0::Ah|:c"
        assert trio.current_time() - start == 60
        await dealer.say("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:crf:Ah|")

    assert await with_dealer(agent, script, load_game("leduc")) == 1
    assert (agent.withdrawn, agent.clock) == (0, [90.0])


async def test_a_coroutine_is_cancelled_when_the_dealer_goes_on_without_us(
    autojump_clock: trio.abc.Clock,
) -> None:
    agent = Thinker(60)

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        await trio.sleep(10)
        await dealer.say("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")
        assert await dealer.hear() == "MATCHSTATE:0:0:cr:Ah|:c"
        await dealer.say("MATCHSTATE:0:0:crc/ccrf:Ah|/Kh")

    start = trio.current_time()
    with pytest.raises(UnreadableState):  # that last line is no state of Leduc: an error met by the reader
        await with_dealer(agent, script, load_game("leduc"))
    assert agent.withdrawn == 1
    assert trio.current_time() - start == 70


async def test_a_coroutine_is_cancelled_when_the_dealer_leaves(autojump_clock: trio.abc.Clock) -> None:
    agent = Thinker(60)

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        await trio.sleep(10)

    with pytest.raises(DealerGone, match="in the middle of hand 0"):
        await with_dealer(agent, script, load_game("leduc"))
    assert trio.current_time() == 10


async def test_a_line_of_another_game_ends_a_thinking_client_with_its_own_message(
    autojump_clock: trio.abc.Clock,
) -> None:
    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        await trio.sleep(1)
        await dealer.say("hello")

    with pytest.raises(UnreadableState, match="hello"):
        await with_dealer(Thinker(60), script, load_game("leduc"))


class Broken(Agent):
    """Has a bug."""

    def __init__(self, returns: Any = None, raises: Exception | None = None, waits: bool = False) -> None:
        self.returns, self.raises, self.waits = returns, raises, waits

    def choose_action(self, view: HandView) -> Any:
        return self.later() if self.waits else self.now()

    async def later(self) -> Any:
        await trio.lowlevel.checkpoint()
        return self.now()

    def now(self) -> Any:
        if self.raises is not None:
            raise self.raises
        return self.returns


@pytest.mark.parametrize("waits", [False, True])
async def test_a_bug_in_an_agent_comes_out_as_it_is(waits: bool) -> None:
    async def closing(agent: Agent) -> None:
        ours, theirs = trio.testing.memory_stream_pair()
        await theirs.send_all(b"MATCHSTATE:0:0::Ah|\r\n")
        await play(agent, ours, load_game("leduc"))

    with pytest.raises(ZeroDivisionError, match="mine"):
        await closing(Broken(raises=ZeroDivisionError("mine"), waits=waits))
    with pytest.raises(TypeError, match="choose_action returned 'c', expected FOLD, CALL"):
        await closing(Broken(returns="c", waits=waits))


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [
        (raise_to(10**12), "r2147483647"),
        (raise_to(-(10**12)), "r-2147483647"),
        (FOLD, "f"),
        (raise_to(300), "r300"),
    ],
)
async def test_sizes_that_would_wrap_around_at_the_dealer_are_kept_in_range(
    chosen: Action, sent: str
) -> None:
    script = ["MATCHSTATE:1:0::|Td4d", f">MATCHSTATE:1:0::|Td4d:{sent}", "MATCHSTATE:1:0:f:|Td4d"]

    await with_dealer(Broken(returns=chosen), script, load_game("nolimit-2p"))


# --- ends ------------------------------------------------------------------------------------------------


async def test_a_table_that_closes_before_the_first_hand() -> None:
    with pytest.raises(DealerGone, match="before the first hand"):
        await with_dealer(AlwaysCall(), ["#riverboat/1 seat"])


async def test_a_torn_line_is_an_error() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    await theirs.send_all(b"MATCHSTATE:0:0::A")
    await theirs.aclose()

    with pytest.raises(UnreadableState, match="in the middle of a line"):
        await play(AlwaysCall(), ours, load_game("leduc"))


async def test_a_reset_after_a_finished_hand_is_a_regular_end() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]

    async def deal() -> None:
        stream = await listeners[0].accept()
        await stream.send_all(b"MATCHSTATE:0:0:crf:Ah|\r\n")
        await trio.sleep(0.05)
        await stream.aclose()  # with the client's version unread: the kernel sends a reset

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deal)
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            assert stream.socket.getsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY)
            async with stream:
                assert await play(AlwaysCall(), stream, load_game("leduc")) == 1
    await listeners[0].aclose()


# --- Tasks over processes -----------------------------------------------------------------------------------


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def works_for_ever(_: int) -> None:
    os.write(1, b"begun\n")  # in one piece: two processes do so
    threading.Event().wait()


def fails_at_three(number: int) -> int:
    if number == 3:
        raise ArithmeticError("three")
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_come_back_in_order_and_one_job_is_done_in_this_process(jobs: int) -> None:
    done = list(run_tasks(square, range(12), jobs))

    assert [result for result, _ in done] == [n * n for n in range(12)]
    assert {process == os.getpid() for _, process in done} == {jobs == 1}


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_error_of_a_task_arrives_after_the_results_before_it(jobs: int) -> None:
    results = run_tasks(fails_at_three, range(100), jobs)

    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ArithmeticError, match="three"):
        next(results)
    assert_no_child_is_left()


def test_a_caller_that_stops_early_leaves_no_process_behind() -> None:
    def endless() -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    results = run_tasks(square, endless(), 2)
    assert next(results)[0] == 0
    results.close()

    assert_no_child_is_left()


def test_processes_end_with_the_one_that_is_killed() -> None:
    """They hold its standard output, which is at its end when they are."""
    program = (
        "from clients.core.tasks import run_tasks\n"
        "from tests.clients.core.test_session_promises import works_for_ever\n"
        "list(run_tasks(works_for_ever, range(2), 2))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert [parent.stdout.readline() for _ in range(2)] == [b"begun\n"] * 2
        parent.kill()
        rest, _ = parent.communicate(timeout=60)

    assert rest == b""


def assert_no_child_is_left() -> None:
    for child in multiprocessing.active_children():
        child.join(20)
        assert not child.is_alive()
