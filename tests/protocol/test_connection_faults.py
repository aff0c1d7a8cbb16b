"""Both ends of the conversation: what may not be said, and who is at fault."""

from __future__ import annotations

import pytest

from engine.poker.rules import (
    CALL,
)
from protocol import (
    BadMatchState,
    BadVersion,
    Comment,
    DealerConnection,
    Flaw,
    LineTooLong,
    LocalProtocolError,
    PlayerConnection,
    ProtocolError,
    RemoteProtocolError,
    Reply,
    State,
    StateUpdate,
    TurnToAct,
    Version,
)
from tests.support.doubles_protocol import LEDUC, dealer_after, drain, state_of


@pytest.mark.parametrize(
    "line",
    [b"VERSION:2.0", b"version:2.0.0", b"#x", b"", b"VERSION:2 .0.0", b"VERSION:2.0.", b"VERSION:2.0.x",
     b" VERSION:2.0.0", b"VERSION 2.0.0", b"VERSION::2.0.0", b"VERSION:2,0,0",
     b"MATCHSTATE:0:0::Ah|:c", b"GET / HTTP/1.1"],
)  # fmt: skip
def test_anything_else_first_is_the_clients_fault(line: bytes) -> None:
    connection = DealerConnection(LEDUC)
    connection.receive_data(line + b"\r\n")

    with pytest.raises(BadVersion, match="expected VERSION") as caught:
        connection.next_event()

    assert caught.value.line == line + b"\r\n"
    assert connection.state is State.ERROR
    with pytest.raises(RemoteProtocolError):
        connection.next_event()
    with pytest.raises(LocalProtocolError):
        connection.send(StateUpdate(state_of(LEDUC, "").view(1)))


def test_the_dealer_may_not_speak_first() -> None:
    with pytest.raises(
        LocalProtocolError, match="StateUpdate is not admitted while the conversation is 'awaiting"
    ):
        DealerConnection(LEDUC).send(StateUpdate(state_of(LEDUC, "").view(1)))


def test_the_dealer_may_not_go_on_before_the_answer() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(TurnToAct(state_of(LEDUC, "").view(0)))

    with pytest.raises(LocalProtocolError):
        dealer.send(StateUpdate(state_of(LEDUC, "c").view(0)))
    assert dealer.state is State.TO_ACT


def test_a_player_may_not_answer_out_of_turn_twice_or_without_an_action() -> None:
    player = PlayerConnection(LEDUC)
    with pytest.raises(LocalProtocolError):
        player.send(Reply(CALL))
    player.send(Version())
    with pytest.raises(LocalProtocolError):
        player.send(Version())
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\n")
    drain(player)

    with pytest.raises(LocalProtocolError, match="needs an action"):
        player.send(Reply(None, Flaw.BAD_FORMAT))
    player.send(Reply(CALL))
    with pytest.raises(LocalProtocolError):
        player.send(Reply(CALL))


@pytest.mark.parametrize("line", [b"hello", b"", b"#a\nMATCHSTATE:0:0::Ah|:c", b"# " + b"x" * 4095, b"\n#a"])
def test_a_comment_must_be_one_line_that_is_skipped(line: bytes) -> None:
    player = PlayerConnection(LEDUC)
    player.send(Version())

    with pytest.raises(LocalProtocolError, match="not a comment"):
        player.send(Comment(line))


def test_a_failed_write_ends_the_conversation() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")

    dealer.send_failed()

    assert dealer.state is State.ERROR
    with pytest.raises(LocalProtocolError):
        dealer.send(StateUpdate(state_of(LEDUC, "").view(1)))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"hello\r\n", BadMatchState),
        (b"\r\n", BadMatchState),
        (b"MATCHSTATE:0:0::Ah2c|\r\n", BadMatchState),
        (b"MATCHSTATE:0:0:x:Ah|\r\n", BadMatchState),
        (b"MATCHSTATE:0:0::|\r\n", BadMatchState),
        (b"MATCHSTATE:0:0::Ah|\r\nMATCHSTATE:0:0:f:Ah|\r\n", BadMatchState),
        (b"x" * 4095, LineTooLong),
        (b"x" * 5000 + b"\n", LineTooLong),
        (b"# " + b"x" * 5000 + b"\n", LineTooLong),
    ],
)
def test_a_dealer_that_talks_nonsense_is_at_fault(data: bytes, error: type[RemoteProtocolError]) -> None:
    player = PlayerConnection(LEDUC)
    player.send(Version())
    player.receive_data(data)

    with pytest.raises(error):
        drain(player)

    assert player.state is State.ERROR
    with pytest.raises(RemoteProtocolError):
        player.next_event()
    with pytest.raises(LocalProtocolError):
        player.send(Reply(CALL))


def test_a_dealer_that_closes_in_the_middle_of_a_line_is_at_fault() -> None:
    player = PlayerConnection(LEDUC)
    player.send(Version())
    player.receive_data(b"MATCHSTATE:0:0::A")
    player.receive_data(b"")

    with pytest.raises(RemoteProtocolError, match="in the middle of a line"):
        player.next_event()


def test_a_dealer_that_speaks_before_our_version_is_at_fault() -> None:
    player = PlayerConnection(LEDUC)
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\n")

    with pytest.raises(RemoteProtocolError, match="from the other side"):
        player.next_event()


def test_errors_say_whose_they_are() -> None:
    assert issubclass(LocalProtocolError, ProtocolError)
    assert not issubclass(LocalProtocolError, RemoteProtocolError)
    for error in (BadVersion, BadMatchState, LineTooLong):
        assert issubclass(error, RemoteProtocolError)
