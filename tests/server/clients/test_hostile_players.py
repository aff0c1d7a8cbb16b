"""Players that nobody wants: what becomes of the match, what it is called, and what the others see.

The programs are in `tests.misbehaving_bots`; each sits between two players who do nothing wrong.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import struct
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
import trio

from engine.poker.rules import load_game
from server.support.errors import FailureKind
from server.table.config import MatchConfig, OnFailure, TimeLimits
from tests.support import tables
from tests.support.dealer_process import dealer_process

HOSTILE = Path(__file__).parent.parent.parent / "misbehaving_bots" / "hostile.py"
RESPONSE_S = 1.2
HANDS = 6
DISCONNECTED, NONSENSE, STALLED = FailureKind.DISCONNECTED, FailureKind.NONSENSE, FailureKind.STALLED
NO_ACTION = "ERROR: could not get action from seat 2\n"
OUT_OF_TIME = "ERROR: seat 2 ran out of time\n"
NO_VERSION = "ERROR: could not read version string from seat 2\n"
BAD_VERSION = "ERROR: invalid version string VVVV"
CANNOT_SEND = "ERROR: could not send state to seat 2\n"
# Program and arguments, the word for it, and how the ACPC's way of giving up begins.
CASES: list[tuple[str, FailureKind, tuple[str, ...]]] = [
    ("never_reads 3", STALLED, (NO_ACTION,)),
    ("no_version", NONSENSE, (BAD_VERSION,)),
    ("no_line_end", NONSENSE, (NO_ACTION, OUT_OF_TIME)),
    ("random_bytes", NONSENSE, (NO_ACTION, OUT_OF_TIME)),
    ("silent", STALLED, (NO_ACTION,)),
    ("silent mute", STALLED, (NO_VERSION,)),
    ("drips", STALLED, (NO_ACTION,)),
    ("drips all", STALLED, (NO_VERSION,)),
    ("leaves -1", DISCONNECTED, (NO_VERSION,)),
    ("leaves 0", DISCONNECTED, (NO_ACTION, CANNOT_SEND)),
    ("leaves 7", DISCONNECTED, (NO_ACTION, CANNOT_SEND)),
    ("leaves 8 reset", DISCONNECTED, (NO_ACTION, CANNOT_SEND)),
    ("floods", NONSENSE, (NO_ACTION, OUT_OF_TIME)),
    ("floods #comment", STALLED, (NO_ACTION, OUT_OF_TIME)),
    ("floods #riverboat/1", STALLED, (NO_ACTION, OUT_OF_TIME)),
]


def hostile_config(policy: OnFailure, log: Path, hands: int = HANDS) -> MatchConfig:
    limits = TimeLimits(response=RESPONSE_S, hand=60.0, per_hand=60.0, handshake=RESPONSE_S * 2)
    return tables.match_config(
        "holdem.limit.3p", hands, limits=limits, on_failure=policy, comment_failures=True, log_path=log
    )


async def play_against(table: tables.Table, bot: str) -> list[tables.Player]:
    """Seat a program between two players who check and call, and play to the end of the match."""
    async with trio.open_nursery() as nursery:
        name, *arguments = bot.split()
        port = str(table.server.ports[1])
        command = [sys.executable, "-S", "-E", str(HOSTILE), name, "127.0.0.1", port, *arguments]
        nursery.start_soon(
            functools.partial(trio.run_process, command, check=False, stderr=subprocess.DEVNULL)
        )
        honest = await table.join_all(0, 2)
        for player in honest:
            nursery.start_soon(player.play, tables.always(table.config.game, "c"))
        await table.outcome()
        for player in honest:
            await player.closed.wait()
        nursery.cancel_scope.cancel()  # and with it the program
    return honest


@pytest.mark.slow
async def test_folding_tables_play_to_the_end_and_the_others_see_nothing_strange(tmp_path: Path) -> None:
    """All of them at once, each at a table of its own in this process."""
    played = await tables_with_bots(OnFailure.FAIR, HANDS, tmp_path)

    words = {bot: word for bot, word, _ in CASES}
    # Each costs a hand, and the program goes on: what it is called later may be another word.
    assert {bot: table.failures(1)[0] for bot, table, _ in played} == words
    for bot, table, honest in played:
        outcome = await table.outcome()
        assert (bot, outcome.error, outcome.hands) == (bot, None, HANDS)
        assert table.failures(0) == table.failures(2) == []
        told = tables.lines_told(table.config)
        assert (bot, honest[0].lines) == (bot, told[0])
        assert (bot, honest[1].lines) == (bot, told[2])
        assert table.config.log_path is not None
        assert f"# seat 2 (p1) {words[bot].value}: " in table.config.log_path.read_text()


@pytest.mark.slow
async def test_aborting_tables_end_the_match_and_say_who_it_was_and_why(tmp_path: Path) -> None:
    played = await tables_with_bots(OnFailure.ACPC, 3000, tmp_path)

    assert {bot: table.failures(1) for bot, table, _ in played} == {bot: [word] for bot, word, _ in CASES}
    for (bot, table, honest), (_, _, lines) in zip(played, CASES, strict=True):
        outcome = await table.outcome()
        assert outcome.error is not None
        assert (bot, outcome.error.startswith(lines)) == (bot, True), outcome.error
        assert outcome.error in table.console.stderr
        assert table.failures(0) == table.failures(2) == []
        assert outcome.hands == len(tables.hands_logged(table.config)) < 3000
        assert table.console.stdout == ""
        told = tables.lines_told(table.config)
        for player, wanted in zip(honest, (told[0], told[2]), strict=True):
            assert (bot, player.lines[: len(wanted)]) == (bot, wanted)


async def tables_with_bots(
    policy: OnFailure, hands: int, folder: Path
) -> list[tuple[str, tables.Table, list[tables.Player]]]:
    """A match with each of the programs; with the two who play with it."""
    played: list[tuple[str, tables.Table, list[tables.Player]]] = []

    async def play(number: int, bot: str) -> None:
        async with trio.open_nursery() as nursery:
            table = await tables.open_table(nursery, hostile_config(policy, folder / f"{number}.log", hands))
            played.append((bot, table, await play_against(table, bot)))

    async with trio.open_nursery() as nursery:
        for number, (bot, _, _) in enumerate(CASES):
            nursery.start_soon(play, number, bot)
    order = [bot for bot, _, _ in CASES]
    return sorted(played, key=lambda item: order.index(item[0]))


@pytest.mark.parametrize("policy", OnFailure)
async def test_a_player_who_talks_out_of_turn_but_answers_plays_on(policy: OnFailure, tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        table = await tables.open_table(nursery, hostile_config(policy, tmp_path / "log"))
        honest = await play_against(table, "talks_out_of_turn")

    outcome = await table.outcome()
    assert (outcome.error, outcome.hands) == (None, HANDS)
    assert all(seat.failures == [] for seat in outcome.seats)
    assert outcome.seats[1].changes
    assert honest[0].lines == tables.lines_told(table.config)[0]
    assert all(set(record.betting) <= set("c/") for record in tables.hands_logged(table.config))


@pytest.mark.parametrize("policy", OnFailure)
@pytest.mark.parametrize("is_reset", [False, True])
async def test_a_player_may_leave_between_any_two_messages(
    policy: OnFailure, is_reset: bool, tmp_path: Path
) -> None:
    hands = 3
    num_messages = 1
    step = 0
    while step <= num_messages:
        limits = TimeLimits(handshake=5.0)
        path = tmp_path / f"{step}.log"
        config = tables.match_config("leduc", hands, 1, on_failure=policy, limits=limits, log_path=path)
        async with trio.open_nursery() as nursery:
            table = await tables.open_table(nursery, config)
            leaver, other = await table.join_all()
            nursery.start_soon(other.play, tables.state_determined(config.game))
            decide = tables.state_determined(config.game)
            for _ in range(step):
                line = await leaver.line()
                if line is None:
                    break
                if action := decide(line):
                    await leaver.say(f"{line}:{action}")
            if is_reset:
                leaver.stream.setsockopt(*LINGER)
            await leaver.leave()
            outcome = await table.outcome()

        told = tables.lines_told(config)[1]
        if policy is not OnFailure.ACPC:
            assert (outcome.error, outcome.hands) == (None, hands)
            assert other.lines == told
            assert {*table.failures(0)} <= {DISCONNECTED}
        else:
            assert other.lines[: len(told)] == told
            assert outcome.hands == hands or outcome.error is not None
            assert table.failures(0) == [DISCONNECTED] * (outcome.error is not None)
        if step == 0:
            num_messages = 2 + len(tables.lines_told(await whole_match(config))[0])
        step += 1
    assert step > 10


async def whole_match(config: MatchConfig) -> MatchConfig:
    """The same match with two good players."""
    async with trio.open_nursery() as nursery:
        table = await tables.open_table(nursery, config)
        for player in await table.join_all():
            nursery.start_soon(player.play, tables.state_determined(config.game))
    return config


@pytest.mark.parametrize("policy", OnFailure)
async def test_a_client_that_is_never_asked_and_never_reads_is_given_up(
    policy: OnFailure, tmp_path: Path
) -> None:
    """All-in from the blinds, it is sent states and states (here long ones); the ACPC dealer blocks on it."""
    config = attrs.evolve(
        tables.match_config("leduc", hands=20_000),
        game=load_game(str(Path(__file__).parent / "never_asked.game")), names=("p0", "p1", "p2"),
        fixed_seats=True, on_failure=policy, log_path=tmp_path / "log",
    )  # fmt: skip
    async with trio.open_nursery() as nursery:
        table = await tables.open_table(nursery, config)
        async with await tables.small_stream(table.server.ports[2]) as mute:
            await tables.Player(mute).say(tables.VERSION)
            for player in await table.join_all(0, 1):
                nursery.start_soon(player.play, tables.always(config.game, "r0"))
            if policy is not OnFailure.ACPC:
                while not table.failures(2):
                    await table.console.hand_is_over()
            else:
                outcome = await table.outcome()
                assert outcome.error == "ERROR: could not send state to seat 3\n"
            nursery.cancel_scope.cancel()  # two others who play on are enough

    assert table.failures(2) == [STALLED]
    assert "does not read" in table.server.seats[2].failures[0].detail


async def test_a_client_that_floods_after_the_last_state_does_not_keep_the_table_open(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        table = await tables.open_table(nursery, hostile_config(OnFailure.FAIR, tmp_path / "log"))
        honest = await play_against(table, "floods_at_the_end")

    outcome = await table.outcome()
    assert (outcome.error, outcome.hands) == (None, HANDS)
    assert table.failures(1) == []
    assert honest[0].lines == tables.lines_told(table.config)[0]


def test_a_late_client_that_sends_without_a_line_end_costs_no_memory(tmp_path: Path) -> None:
    arguments = ["match", "holdem.limit.2p.reverse_blinds.game", "1000", "7", "a", "b", "-q"]
    options = ["--on-failure", "fold", "--t_response", "200"]
    with (
        dealer_process([*arguments, *options], tmp_path) as dealer,
        dealer.connect(0) as late,
        dealer.connect(1) as other,
        other.makefile("rb") as incoming,
    ):
        late.sendall(b"VERSION:2.0.0\n")
        other.sendall(b"VERSION:2.0.0\n")
        other.sendall(incoming.readline().rstrip() + b":c\n")
        incoming.readline()
        incoming.readline()  # the house has acted for the late one
        before = dealer.peak_memory_kib()

        with contextlib.suppress(OSError):  # it may be thrown out
            for _ in range(30):
                late.sendall(b"x" * 1_000_000)

        assert dealer.peak_memory_kib() < before + 10_000


LINGER = socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
"""Makes closing a reset."""
