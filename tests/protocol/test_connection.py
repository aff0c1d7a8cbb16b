"""Both ends of the conversation: what may be said when, what not, and who is at fault."""

from __future__ import annotations

import pytest

import protocol
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, GameDefinition, load_game, raise_to
from tests.support.asserting import refuses
from tests.support.doubles_protocol import LEDUC, dealer_after, drain, joined, lines, state_of

# --- Both ends of the conversation --------------------------------------------------------------------------

LIMIT = load_game("limit-2p")


# --- version (docs/acpc-dealer.md 5.3; each was given to the ACPC dealer too) ------------------------------


@pytest.mark.parametrize(("line", "version"), lines("versions")["served"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_version_is_served(line: str, version: list[int], end: str) -> None:
    said = (line + end).encode()
    connection, events = dealer_after(said)

    major, minor, revision = version
    assert events == [protocol.Version(major, minor, revision)]
    assert isinstance(events[0], protocol.Version)
    assert events[0].is_supported
    assert events[0].line == said
    assert connection.state is protocol.State.WATCHING


@pytest.mark.parametrize("line", lines("versions")["told"])
def test_another_version_is_told_and_served(line: str) -> None:
    connection, [version] = dealer_after(f"{line}\n".encode())

    assert isinstance(version, protocol.Version)
    assert not version.is_supported
    assert connection.state is protocol.State.WATCHING


def test_a_client_that_leaves_before_its_version_has_just_left() -> None:
    connection, events = dealer_after(b"")

    assert events == [protocol.ConnectionClosed()]
    assert connection.state is protocol.State.CLOSED
    assert connection.next_event() is protocol.NEED_DATA


def test_a_version_without_line_end_counts_when_the_client_closes() -> None:
    _, events = dealer_after(b"VERSION:2.0.0", b"")

    assert events == [protocol.Version(), protocol.ConnectionClosed()]


def test_our_client_says_its_version_as_the_acpcs_does() -> None:
    assert protocol.PlayerConnection(LEDUC).send(protocol.Version()) == b"VERSION:2.0.0\n"


# --- turns ---------------------------------------------------------------------------------------------


def test_a_hand_from_both_ends() -> None:
    pair = joined()
    state = state_of(LEDUC, "")

    assert pair.from_dealer(protocol.TurnToAct(state.view(0))) == [protocol.TurnToAct(state.view(0))]
    assert pair.from_player(protocol.Reply(LIMIT_RAISE)) == [protocol.Reply(LIMIT_RAISE)]
    state = state.apply(LIMIT_RAISE)
    assert pair.from_dealer(protocol.StateUpdate(state.view(0))) == [protocol.StateUpdate(state.view(0))]
    state = state.apply(FOLD)
    assert pair.from_dealer(protocol.StateUpdate(state.view(0))) == [protocol.StateUpdate(state.view(0))]
    assert pair.dealer.state is protocol.State.WATCHING


def test_bytes_of_a_turn_are_those_of_any_state() -> None:
    view = state_of(LEDUC, "").view(0)
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")

    assert dealer.send(protocol.TurnToAct(view)) == b"MATCHSTATE:0:0::Ah|\r\n"
    dealer.send(protocol.TurnWithdrawn())
    assert dealer.send(protocol.StateUpdate(view)) == b"MATCHSTATE:0:0::Ah|\r\n"


def test_a_reply_is_the_state_as_received_and_the_action() -> None:
    player = protocol.PlayerConnection(load_game("nolimit-2p"))
    player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:1:0:b200k/R 400:|td4D/As9d6s\n")

    [event] = drain(player)

    assert isinstance(event, protocol.TurnToAct)
    assert event.view.betting.text == "r200c/r400"
    assert player.send(protocol.Reply(raise_to(800))) == b"MATCHSTATE:1:0:b200k/R 400:|td4D/As9d6s:r800\r\n"


def test_a_line_said_out_of_turn_waits_and_answers_the_state_it_predicted() -> None:
    """docs/acpc-dealer.md E19."""
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(protocol.StateUpdate(state_of(LEDUC, "").view(1)))

    dealer.receive_data(b"MATCHSTATE:1:0:c:|Ks:r\r\n")
    assert drain(dealer) == []
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "c").view(1)))

    assert drain(dealer) == [protocol.Reply(LIMIT_RAISE)]


def test_a_stale_line_said_out_of_turn_is_examined_in_turn() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")

    dealer.receive_data(
        b"MATCHSTATE:1:0:r:|Ks:r\r\nwhat\r\n#so\r\nMATCHSTATE:1:0:c:|Ks:c\r\nMATCHSTATE:1:0:c:|Ks:r\r\n"
    )
    assert drain(dealer) == []
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "c").view(1)))

    stale, unreadable, comment, reply = drain(dealer)
    assert isinstance(stale, protocol.StaleReply)
    assert isinstance(unreadable, protocol.UnreadableLine)
    assert isinstance(comment, protocol.Comment)
    assert reply == protocol.Reply(CALL)
    assert dealer.num_buffered == len(b"MATCHSTATE:1:0:c:|Ks:r\r\n")  # the second answer waits


def test_a_second_answer_to_the_same_state_is_stale_at_the_next_turn() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "c").view(1)))
    dealer.receive_data(b"MATCHSTATE:1:0:c:|Ks:r\r\n" * 2)
    assert drain(dealer) == [protocol.Reply(LIMIT_RAISE)]

    dealer.send(protocol.TurnToAct(state_of(LEDUC, "crr").view(1)))

    assert [type(event) for event in drain(dealer)] == [protocol.StaleReply]


def test_closing_is_noticed_after_everything_that_was_said_before() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.receive_data(b"MATCHSTATE:1:0:c:|Ks:r\r\n")
    dealer.receive_data(b"")
    assert drain(dealer) == []

    dealer.send(protocol.TurnToAct(state_of(LEDUC, "c").view(1)))

    assert drain(dealer) == [protocol.Reply(LIMIT_RAISE), protocol.ConnectionClosed()]
    assert dealer.state is protocol.State.CLOSED


def test_a_withdrawn_turn_ends_without_bytes_and_its_late_answer_is_stale() -> None:
    pair = joined()
    pair.from_dealer(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
    late = pair.player.send(protocol.Reply(CALL))

    assert pair.dealer.send(protocol.TurnWithdrawn()) == b""
    pair.dealer.receive_data(late)
    assert drain(pair.dealer) == []
    pair.from_dealer(protocol.StateUpdate(state_of(LEDUC, "c").view(0)))
    pair.player.receive_data(pair.dealer.send(protocol.TurnToAct(state_of(LEDUC, "cr").view(0))))

    assert [type(event) for event in drain(pair.dealer)] == [protocol.StaleReply]
    assert [type(event) for event in drain(pair.player)] == [protocol.TurnToAct]


def test_a_player_whose_turn_passes_sees_only_the_next_state() -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\nMATCHSTATE:0:0:c:Ah|\r\nMATCHSTATE:0:0:cr:Ah|\r\n")

    assert [type(event) for event in drain(player)] == [
        protocol.TurnToAct,
        protocol.StateUpdate,
        protocol.TurnToAct,
    ]
    assert player.send(protocol.Reply(CALL)) == b"MATCHSTATE:0:0:cr:Ah|:c\r\n"


def test_a_comment_reaches_the_dealer_without_using_up_the_turn() -> None:
    pair = joined()
    pair.from_dealer(protocol.TurnToAct(state_of(LEDUC, "").view(0)))

    assert pair.from_player(protocol.Comment(b"# thinking")) == [protocol.Comment(b"# thinking\r\n")]
    assert pair.from_player(protocol.Reply(CALL)) == [protocol.Reply(CALL)]


def test_a_dealer_that_closes_between_lines_has_ended_the_match() -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:1:0:f:|Ks\r\n".replace(b"f", b"rf"))
    player.receive_data(b"")

    assert [type(event) for event in drain(player)] == [protocol.StateUpdate, protocol.ConnectionClosed]
    assert player.state is protocol.State.CLOSED
    assert player.next_event() is protocol.NEED_DATA


# --- a game that nobody told ---------------------------------------------------------------------------


def test_a_player_finds_the_game_among_candidates() -> None:
    asked = []

    def candidates(text: str) -> list[GameDefinition]:
        asked.append(text)
        return [LEDUC, load_game("nolimit-2p"), LIMIT]

    player = protocol.PlayerConnection(None, candidates)
    player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:1:0:r:|Td4d\r\nMATCHSTATE:1:0:rc/:|Td4d/As9d6s\r\n")

    drain(player)

    assert player.game == LIMIT
    assert asked == ["MATCHSTATE:1:0:r:|Td4d"]


def test_a_player_without_a_game_cannot_read_states() -> None:
    player = protocol.PlayerConnection(None)
    player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\n")

    refuses(protocol.BadMatchState, "not a state of any game we know", player.next_event)


def test_a_player_can_be_told_the_game() -> None:
    player = protocol.PlayerConnection(LIMIT)
    player.send(protocol.Version())

    player.game = LEDUC
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\n")

    assert [type(event) for event in drain(player)] == [protocol.TurnToAct]


# --- the extension -------------------------------------------------------------------------------------


def test_greeting_and_notes_travel_beside_the_game() -> None:
    pair = joined()

    assert pair.from_player(protocol.Greeting(("seat", "clock", "token=s3cret"))) == [
        protocol.Greeting(("seat", "clock", "token=s3cret"))
    ]
    assert pair.from_dealer(protocol.Greeting(("seat", "clock"))) == [protocol.Greeting(("seat", "clock"))]
    assert pair.from_dealer(protocol.Note("seat", "1")) == [protocol.Note("seat", "1")]
    assert pair.from_dealer(protocol.Note("names", "Alice|Bob the Bot")) == [
        protocol.Note("names", "Alice|Bob the Bot")
    ]
    pair.from_dealer(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
    assert pair.from_dealer(protocol.Note("clock", "9.5")) == [protocol.Note("clock", "9.5")]
    assert pair.from_player(protocol.Reply(CALL)) == [protocol.Reply(CALL)]


def test_bytes_of_the_extension() -> None:
    pair = joined()

    assert pair.player.send(protocol.Greeting(("seat", "names"))) == b"#riverboat/1 seat names\r\n"
    assert pair.dealer.send(protocol.Greeting(("seat",))) == b"#riverboat/1 seat\r\n"
    assert pair.dealer.send(protocol.Note("seat", "0")) == b"#seat 0\r\n"


def test_a_greeting_is_taken_at_once_even_out_of_turn() -> None:
    dealer, events = dealer_after(b"VERSION:2.0.0\r\n#riverboat/1 seat\r\n")

    assert events == [protocol.Version(), protocol.Greeting(("seat",))]
    assert dealer.num_buffered == 0


def test_a_comment_does_not_hide_a_greeting_and_stays_for_its_turn() -> None:
    dealer = protocol.DealerConnection(LEDUC)
    dealer.receive_data(b"VERSION:2.0.0\n# I am Ann\n; hello\n#riverboat/1 seat\nMATCHSTATE:0:0::Ah|:c\n")

    assert drain(dealer) == [protocol.Version(), protocol.Greeting(("seat",))]

    dealer.show(b"MATCHSTATE:0:0::Ah|", True)
    assert drain(dealer)[:2] == [protocol.Comment(b"# I am Ann\n"), protocol.Comment(b"; hello\n")]


def test_a_greeting_of_another_generation_is_a_comment() -> None:
    _, events = dealer_after(b"VERSION:2.0.0\r\n#riverboat/2 seat\r\n")

    assert events == [protocol.Version(), protocol.Comment(b"#riverboat/2 seat\r\n")]


@pytest.mark.parametrize("line", [b"# hello", b"; seat 1", b";seat 1", b"#", b"#1 2", b"##seat 1"])
def test_other_comments_of_a_server_are_comments(line: bytes) -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())
    player.receive_data(line + b"\r\n")

    assert drain(player) == [protocol.Comment(line + b"\r\n")]


# --- Both ends of the conversation --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [b"VERSION:2.0", b"version:2.0.0", b"#x", b"", b"VERSION:2 .0.0", b"VERSION:2.0.", b"VERSION:2.0.x",
     b" VERSION:2.0.0", b"VERSION 2.0.0", b"VERSION::2.0.0", b"VERSION:2,0,0",
     b"MATCHSTATE:0:0::Ah|:c", b"GET / HTTP/1.1"],
)  # fmt: skip
def test_anything_else_first_is_the_clients_fault(line: bytes) -> None:
    connection = protocol.DealerConnection(LEDUC)
    connection.receive_data(line + b"\r\n")

    with pytest.raises(protocol.BadVersion, match="expected VERSION") as caught:
        connection.next_event()

    assert caught.value.line == line + b"\r\n"
    assert connection.state is protocol.State.ERROR
    with pytest.raises(protocol.RemoteProtocolError):
        connection.next_event()
    with pytest.raises(protocol.LocalProtocolError):
        connection.send(protocol.StateUpdate(state_of(LEDUC, "").view(1)))


def test_the_dealer_may_not_speak_first() -> None:
    with pytest.raises(
        protocol.LocalProtocolError, match="StateUpdate is not admitted while the conversation is 'awaiting"
    ):
        protocol.DealerConnection(LEDUC).send(protocol.StateUpdate(state_of(LEDUC, "").view(1)))


def test_the_dealer_may_not_go_on_before_the_answer() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))

    with pytest.raises(protocol.LocalProtocolError):
        dealer.send(protocol.StateUpdate(state_of(LEDUC, "c").view(0)))
    assert dealer.state is protocol.State.TO_ACT


def test_a_player_may_not_answer_out_of_turn_twice_or_without_an_action() -> None:
    player = protocol.PlayerConnection(LEDUC)
    with pytest.raises(protocol.LocalProtocolError):
        player.send(protocol.Reply(CALL))
    player.send(protocol.Version())
    with pytest.raises(protocol.LocalProtocolError):
        player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\n")
    drain(player)

    with pytest.raises(protocol.LocalProtocolError, match="needs an action"):
        player.send(protocol.Reply(None, protocol.Flaw.BAD_FORMAT))
    player.send(protocol.Reply(CALL))
    with pytest.raises(protocol.LocalProtocolError):
        player.send(protocol.Reply(CALL))


@pytest.mark.parametrize("line", [b"hello", b"", b"#a\nMATCHSTATE:0:0::Ah|:c", b"# " + b"x" * 4095, b"\n#a"])
def test_a_comment_must_be_one_line_that_is_skipped(line: bytes) -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())

    with pytest.raises(protocol.LocalProtocolError, match="not a comment"):
        player.send(protocol.Comment(line))


def test_a_failed_write_ends_the_conversation() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")

    dealer.send_failed()

    assert dealer.state is protocol.State.ERROR
    with pytest.raises(protocol.LocalProtocolError):
        dealer.send(protocol.StateUpdate(state_of(LEDUC, "").view(1)))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"hello\r\n", protocol.BadMatchState),
        (b"\r\n", protocol.BadMatchState),
        (b"MATCHSTATE:0:0::Ah2c|\r\n", protocol.BadMatchState),
        (b"MATCHSTATE:0:0:x:Ah|\r\n", protocol.BadMatchState),
        (b"MATCHSTATE:0:0::|\r\n", protocol.BadMatchState),
        (b"MATCHSTATE:0:0::Ah|\r\nMATCHSTATE:0:0:f:Ah|\r\n", protocol.BadMatchState),
        (b"x" * 4095, protocol.LineTooLong),
        (b"x" * 5000 + b"\n", protocol.LineTooLong),
        (b"# " + b"x" * 5000 + b"\n", protocol.LineTooLong),
    ],
)
def test_a_dealer_that_talks_nonsense_is_at_fault(
    data: bytes, error: type[protocol.RemoteProtocolError]
) -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())
    player.receive_data(data)

    with pytest.raises(error):
        drain(player)

    assert player.state is protocol.State.ERROR
    with pytest.raises(protocol.RemoteProtocolError):
        player.next_event()
    with pytest.raises(protocol.LocalProtocolError):
        player.send(protocol.Reply(CALL))


def test_a_dealer_that_closes_in_the_middle_of_a_line_is_at_fault() -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())
    player.receive_data(b"MATCHSTATE:0:0::A")
    player.receive_data(b"")

    refuses(protocol.RemoteProtocolError, "in the middle of a line", player.next_event)


def test_a_dealer_that_speaks_before_our_version_is_at_fault() -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.receive_data(b"MATCHSTATE:0:0::Ah|\r\n")

    refuses(protocol.RemoteProtocolError, "from the other side", player.next_event)


def test_errors_say_whose_they_are() -> None:
    assert issubclass(protocol.LocalProtocolError, protocol.ProtocolError)
    assert not issubclass(protocol.LocalProtocolError, protocol.RemoteProtocolError)
    for error in (protocol.BadVersion, protocol.BadMatchState, protocol.LineTooLong):
        assert issubclass(error, protocol.RemoteProtocolError)
