"""Sitting down: the version line, its time limit, and who may sit where (docs/acpc-dealer.md 5.2, 5.3)."""

from __future__ import annotations

import errno
import os
import socket
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from server.support.errors import FailureKind
from server.table.config import Admission, MatchConfig, OnFailure, TimeLimits
from tests.support.cases import cases
from tests.support.tables import Table, folding_config, match_config, seated, table_of

WRONG_VERSION = "ERROR: this server is currently using version 2.0.0"


async def told_first(config: MatchConfig, first: bytes) -> tuple[Table, str | None]:
    """A table that seat 1 has said a first line to, and what it is told then."""
    async with table_of(config) as table:
        await table.join(1)
        player = await table.connect(0)
        await player.stream.send_all(first)
        line = await player.line()
        if line is None:
            await table.outcome()
        return table, line


@pytest.mark.parametrize(("text", "is_served_silently"), cases(__file__, "version lines"))
async def test_a_version_line_is_served_and_another_version_named(
    text: str, is_served_silently: bool
) -> None:
    table, line = await told_first(match_config(), text.encode())

    assert line == "MATCHSTATE:0:0::Ah|"
    assert table.console.complaints == ([] if is_served_silently else [WRONG_VERSION])


@pytest.mark.parametrize("text", cases(__file__, "other first lines"))
async def test_any_other_first_line_ends_the_match_and_is_shown(text: str, virtual_clock: MockClock) -> None:
    table, line = await told_first(match_config(), text.encode())

    assert line is None
    assert table.failures(0) == [FailureKind.NONSENSE]
    assert table.console.stderr.endswith(f"ERROR: invalid version string {text}")


async def test_a_version_may_come_in_pieces(virtual_clock: MockClock) -> None:
    async with table_of(match_config()) as table:
        await table.join(1)
        player = await table.connect(0)
        for byte in b"VERSION:2.0.0\n":
            await player.stream.send_all(bytes([byte]))
            await trio.sleep(1)
        await player.heard("MATCHSTATE:0:0::Ah|")


async def test_nothing_is_said_before_all_have_said_their_version(virtual_clock: MockClock) -> None:
    async with table_of(match_config()) as table:
        first = await table.join(0)
        with trio.move_on_after(1000) as waiting:
            await first.line()
        second = await table.join(1)
        await first.heard("MATCHSTATE:0:0::Ah|")
        await second.heard("MATCHSTATE:1:0::|Ks")
        await first.leave()

    assert waiting.cancelled_caught


async def test_a_client_that_connects_and_says_nothing_has_half_a_minute(virtual_clock: MockClock) -> None:
    async with table_of(match_config()) as table:
        await table.join(0)
        await table.connect(1)
        start = trio.current_time()
        outcome = await table.outcome()

    assert 30 <= trio.current_time() - start < 33
    assert outcome.error == "ERROR: could not read version string from seat 2\n"
    assert table.failures(1) == [FailureKind.STALLED]


async def test_the_start_timeout_names_the_first_seat_that_is_missing(virtual_clock: MockClock) -> None:
    limits = TimeLimits(start=100.0)
    async with table_of(match_config("kuhn.limit.3p", limits=limits)) as table:
        start = trio.current_time()
        await table.join(0)
        outcome = await table.outcome()

    assert 100 <= trio.current_time() - start < 103
    assert outcome.error == "ERROR: timed out waiting for seat 2 to connect\n"


async def test_without_a_start_timeout_a_table_waits_for_ever(virtual_clock: MockClock) -> None:
    async with table_of(match_config()) as table:
        await trio.sleep(80_000)
        _, second = await table.join_all()
        await second.heard("MATCHSTATE:1:0::|Ks")


async def test_a_folding_table_begins_without_a_player_who_does_not_come(virtual_clock: MockClock) -> None:
    config = folding_config(hands=2, limits=TimeLimits(start=10.0), keeps_hands=True)
    async with table_of(config) as table:
        first = await table.join(0)
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.answer("r")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|")
        await first.leave()
        outcome = await table.outcome()

    assert table.failures(1) == [FailureKind.STALLED]
    assert outcome.error is None
    assert outcome.hand_chips_by_seat[0][0] == 1


async def test_a_second_client_on_a_seat_is_refused() -> None:
    async with seated(match_config()) as (table, players):
        await players[0].heard("MATCHSTATE:0:0::Ah|")
        with pytest.raises(OSError, match="all attempts to connect"):
            await table.connect(0)


async def test_clients_may_come_in_any_order() -> None:
    async with table_of(match_config("kuhn.limit.3p")) as table:
        players = {seat: await table.join(seat) for seat in (2, 0, 1)}
        for seat, text in enumerate(("Js||", "|As|", "||Qs")):
            await players[seat].heard(f"MATCHSTATE:{seat}:0::{text}")


@pytest.mark.parametrize("policy", OnFailure)
async def test_a_seat_with_a_token_is_not_given_to_a_stranger(policy: OnFailure) -> None:
    config = match_config(seat_tokens=("s3cret",), on_failure=policy)
    async with table_of(config) as table:
        await table.join(1)
        for lines in (["#riverboat/1 token=guess"], ["#riverboat/1"], ["#riverboat/1 token=s3cre"]):
            stranger = await table.join(0, *lines)
            assert await stranger.hear_out() == []
            await stranger.leave()
        silent = await table.join(0)
        await silent.say("x" * 5000)  # it talks, but not of the token
        assert await silent.hear_out() == []
        await silent.leave()

        player = await table.join(0, "#riverboat/1 token=s3cret")
        await player.heard("#riverboat/1", "MATCHSTATE:0:0::Ah|")

    assert table.failures(0) == []
    assert "token" in table.console.stderr
    assert "s3cret" not in table.console.stderr


async def test_a_seat_with_a_token_waits_for_it_no_longer_than_the_handshake(
    virtual_clock: MockClock,
) -> None:
    async with table_of(match_config(seat_tokens=("s3cret",))) as table:
        stranger = await table.join(0)
        assert await stranger.line() is None
        assert 30 <= trio.current_time() < 33

    assert table.failures(0) == []


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
async def test_a_house_without_descriptors_says_so_once_and_goes_on(
    number: int, virtual_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = socket.socket.accept
    refusals = iter([OSError(number, os.strerror(number))] * 8)

    def accept_later(self: socket.socket) -> tuple[socket.socket, Any]:
        for refusal in refusals:
            raise refusal
        return accept(self)

    monkeypatch.setattr(socket.socket, "accept", accept_later)
    async with seated(match_config()) as (table, players):
        await players[0].heard("MATCHSTATE:0:0::Ah|")

    said = f"cannot accept connections: {os.strerror(number)}"
    assert [said in line for line in table.console.complaints] == [True]


class AwaitsSomebody:
    """The guard of a seat that is nobody's in particular."""

    async def listener(self, seat: int) -> socket.socket | None:
        return None

    async def judge(self, seat: int, connection: socket.socket) -> Admission:
        return Admission(None)


@pytest.mark.parametrize(
    ("first", "answer"),
    [
        pytest.param(b"", None, id="nc -z"),
        pytest.param(None, "# this port speaks the ACPC protocol; people: ", id="silence"),
        pytest.param(b"hello\r\n", "# this port speaks the ACPC protocol; people: ", id="telnet"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.0 400 Bad Request", id="browser"),
        pytest.param(
            b"\x16\x03\x01\x02\0\x01", "# this port speaks the ACPC protocol, without TLS; ", id="TLS"
        ),
    ],
)
@pytest.mark.parametrize("policy", OnFailure)
async def test_an_awaited_seat_is_taken_by_a_version_line_and_by_nothing_else(
    first: bytes | None, answer: str | None, policy: OnFailure, virtual_clock: MockClock
) -> None:
    config = match_config(on_failure=policy, door=AwaitsSomebody())
    async with table_of(config) as table:
        other = await table.join(1)
        stranger = await table.connect(0)
        if first is not None:
            await stranger.stream.send_all(first)
        if first == b"":
            await stranger.leave()
        else:
            assert (await stranger.line() or "").startswith(answer or "")
        player = await table.join(0)
        await player.heard("MATCHSTATE:0:0::Ah|")
        await other.heard("MATCHSTATE:1:0::|Ks")

    assert table.failures(0) == []
