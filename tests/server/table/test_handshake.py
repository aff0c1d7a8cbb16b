"""What is said at a table: the version line, answers, and `#` lines."""

from __future__ import annotations

import errno
import os
import re
import socket
from typing import Any

import pytest
import trio
from hypothesis import given, settings, strategies as st
from trio.testing import MockClock

from engine.poker.rules import parse_game
from server.support.errors import FailureKind
from server.table.config import Admission, MatchConfig, OnFailure, TimeLimits
from tests.support.cases import cases
from tests.support.tables import Table, always, folding_config, match_config, play_match, seated, table_of

# --- Sitting down -------------------------------------------------------------------------------------------

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
    assert (outcome.error, outcome.hand_chips_by_seat[0][0]) == (None, 1)


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


# --- What may be sent for an action, and what is played for it, over the wire -------------------------------

BAD_FORMAT = "bad action format in response, changed to call"
INVALID = "invalid action, changed to call"
UNREQUESTED = "WARNING: ignoring un-requested response"


async def played_for(game: str, lines: list[str], *, before: str = "") -> tuple[str, list[str]]:
    """What is played when the first to act of a heads-up game sends lines, and the warnings.

    Args:
        game: heads-up, reverse blinds: seat 2 acts first.
        lines: ``@`` in them stands for the state.
        before: actions of one letter that are taken before.
    """
    async with seated(match_config(game, seed=7)) as (table, players):
        acting = 1
        for action in before:
            for player in players:
                await player.line()
            await players[acting].answer(action)
            acting = 1 - acting
        for player in players:
            await player.line()
        state = players[acting].lines[-1]
        betting = state.split(":")[3]
        await players[acting].say(*(line.replace("@", state) for line in lines))
        line = await players[acting].line()
        assert line is not None
        after = line.split(":")[3]
        assert after.startswith(betting)
    return after.removeprefix(betting), table.console.complaints


@pytest.mark.parametrize(("answer", "played", "warning"), cases(__file__, "answers"))
async def test_an_answer_is_played_as_the_acpc_dealer_plays_it(
    answer: str, played: str, warning: str | None
) -> None:
    got, warnings = await played_for("holdem.nolimit.2p.reverse_blinds", [f"@:{answer}"])

    assert got == played
    assert warnings == ([] if warning is None else [f"WARNING: {warning}"])


@pytest.mark.parametrize(
    ("answer", "played", "warnings"),
    [
        ("r", "r", []), ("r500", "r", []), ("b", "r", []), ("f", "c/", [f"WARNING: {INVALID}"]),
        ("k", "c/", []), ("z", "c/", [f"WARNING: {INVALID}"]),
    ],
)  # fmt: skip
async def test_a_limit_raise_has_no_size_and_there_is_no_folding_for_nothing(
    answer: str, played: str, warnings: list[str]
) -> None:
    got = await played_for("holdem.limit.2p.reverse_blinds", [f"@:{answer}"], before="c")

    assert got == (played, warnings)


async def test_a_raise_too_many_is_a_call() -> None:
    got = await played_for("holdem.limit.2p.reverse_blinds", ["@:r"], before="rrr")

    assert got == ("c/", [f"WARNING: {INVALID}"])


@pytest.mark.parametrize(("lines", "warnings"), cases(__file__, "before an answer"))
async def test_what_is_not_an_answer_is_skipped_and_a_lenient_echo_is_one(
    lines: list[str], warnings: list[str]
) -> None:
    lines = ["x" * 8190 if line == "8190x" else line for line in lines]
    got = await played_for("holdem.nolimit.2p.reverse_blinds", lines)

    assert got == ("f", warnings)


@pytest.mark.parametrize("line", ["@", "@/", "@ :f", "@As:f"])
async def test_what_stands_between_state_and_colon_makes_the_answer_a_call(line: str) -> None:
    got = await played_for("holdem.nolimit.2p.reverse_blinds", [line])

    assert got == ("c", [f"WARNING: {BAD_FORMAT}"])


async def test_an_answer_may_end_with_the_stream_instead_of_a_line_end() -> None:
    async with seated(match_config()) as (_, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.stream.send_all(b"MATCHSTATE:0:0::Ah|:c")
        await first.stream.send_eof()
        await second.heard("MATCHSTATE:1:0::|Ks", "MATCHSTATE:1:0:c:|Ks")


async def test_answers_sent_early_count_and_stale_ones_do_not() -> None:
    async with seated(match_config()) as (table, (first, second)):
        await second.say("MATCHSTATE:1:0:r:|Ks:f", "MATCHSTATE:1:0:c:|Ks:r", "MATCHSTATE:1:0:crrc/:|Ks:f")
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.answer("c")

        await first.heard("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")

    assert table.console.complaints == [UNREQUESTED]


async def test_after_sixty_three_raises_heads_up_there_is_only_a_call() -> None:
    text = "nolimit\nnumPlayers=2\nnumRounds=1\nstack=20000 20000\nblind=1 1\nnumSuits=4\nnumRanks=13\n"
    game = parse_game(f"{text}numHoleCards=2\nnumBoardCards=0\n")
    raises = "".join(f"r{total}" for total in range(2, 65))

    table, players = await play_match(match_config(game=game), [always(game, "r0")] * 2)

    assert players[0].lines[-1].split(":")[3] == f"{raises}c"
    assert table.console.complaints == [
        *(f"WARNING: raise of 0 increased to {total}" for total in range(2, 65)),
        "WARNING: #actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold",
        f"WARNING: {INVALID}",
    ]
    outcome = await table.outcome()
    assert {abs(chips) for chips in outcome.chips_by_seat} == {64}


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=300).filter(lambda data: b"\n" not in data), max_size=20))
async def test_whatever_is_said_first_an_answer_is_an_answer(lines: list[bytes]) -> None:
    async with seated(match_config()) as (table, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.stream.send_all(b"".join(line + b"\n" for line in lines))
        await first.answer("r")
        await second.heard("MATCHSTATE:1:0::|Ks", "MATCHSTATE:1:0:r:|Ks")

    assert all(re.fullmatch(r"WARNING: [\w -]+", line) for line in table.console.complaints)


# --- What is said beyond the ACPC's protocol, in `#` lines, and to whom -------------------------------------


async def test_a_client_that_greets_is_told_what_it_asks_for_and_no_other_is() -> None:
    config = match_config(hands=3)
    async with seated(config, "#riverboat/1 names tea seat game seat") as (table, (asking, plain)):
        table.start_soon(plain.play, always(config.game, "c"))
        await asking.play(always(config.game, "c"))

    greeting, *notes = asking.lines[:4]
    assert greeting == "#riverboat/1 names seat game"
    told = dict(note.removeprefix("#").split(" ", 1) for note in notes)
    assert (told["seat"], told["names"]) == ("0", "p0|p1")
    assert parse_game(told["game"].replace(";", "\n")) == config.game
    assert not any(line.startswith("#") for line in [*asking.lines[4:], *plain.lines])


async def test_the_clock_is_told_before_each_turn_and_counts_down(virtual_clock: MockClock) -> None:
    limits = TimeLimits(response=10.0, hand=15.0, per_hand=100.0)
    config = match_config(limits=limits)
    async with seated(config, "#riverboat/1 clock") as (table, (asking, plain)):
        table.start_soon(plain.play, always(config.game, "r"))
        await asking.heard("#riverboat/1 clock", "#clock 10", "MATCHSTATE:0:0::Ah|")
        await trio.sleep(9)
        await asking.answer("c")
        await asking.heard("MATCHSTATE:0:0:c:Ah|")

        clock = await asking.line()
        await asking.heard("MATCHSTATE:0:0:cr:Ah|")

    assert clock is not None
    name, seconds = clock.split()
    assert name == "#clock"
    assert 5.8 < float(seconds) <= 6.0


async def test_a_greeting_may_come_with_an_answer() -> None:
    async with seated(match_config()) as (_, (late, _)):
        await late.heard("MATCHSTATE:0:0::Ah|")
        await late.say("#riverboat/1 seat", "MATCHSTATE:0:0::Ah|:r")
        await late.heard("#riverboat/1 seat", "#seat 0", "MATCHSTATE:0:0:r:Ah|")
        await late.leave()
