"""A room's lines, and every chunking of the bytes of a conversation."""

from __future__ import annotations

import random
import re
import time
import tracemalloc

import pytest
from hypothesis import given, settings, strategies as st

import protocol
from engine.poker.rules import CALL, LIMIT_RAISE, GameDefinition, load_game
from tests.support.asserting import refuses
from tests.support.doubles_protocol import LEDUC, dealer_after, drain, joined, lines, state_of
from tests.support.hands.strategies import choices, chunkings, games, play

# --- A room's lines -----------------------------------------------------------------------------------------

GREETING = b"#riverboat/1 lobby name=Ann\r\n"
SAID = [
    GREETING, b"#join a\r\n", b"#join b\r\n", b"#leave\n", b"#list\r\n", b"# hm\r\n", b"nonsense\r\n",
    b"MATCHSTATE:0:0::Ah|:c\r\n", b"#token=\xff\r\n", b"#" + b"y" * 5000 + b"\r\n",
]  # fmt: skip
words = st.from_regex(r"[A-Za-z0-9_.~/-]{1,20}", fullmatch=True)


def answering(dealer: protocol.DealerConnection, pieces: list[bytes]) -> list[protocol.Event]:
    """The events of a room's conversation; a house that seats whoever asks, and unseats whoever wants."""
    seen: list[protocol.Event] = []
    for piece in pieces:
        dealer.receive_data(piece)
        while (event := dealer.next_event()) is not protocol.NEED_DATA:
            assert isinstance(event, protocol.Event)
            seen.append(event)
            if isinstance(event, protocol.Greeting):
                dealer.send(
                    protocol.Greeting(
                        tuple(word for word in event.words if word in protocol.extension.ROOM_CAPABILITIES)
                    )
                )
                if "lobby" in event.words and dealer.state is protocol.State.WATCHING:
                    dealer.send(protocol.InLobby())
            elif event == protocol.Request("join", "a") and dealer.state is protocol.State.LOBBY:
                dealer.send(protocol.Seated("a", 0, 200))
                dealer.play(LEDUC)
                dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
            elif event == protocol.Request("leave") and dealer.state is not protocol.State.LOBBY:
                if dealer.state is protocol.State.TO_ACT:
                    dealer.send(protocol.TurnWithdrawn())
                dealer.send(protocol.InLobby("you have left"))
    return seen


@pytest.mark.parametrize(("line", "request_"), lines("room")["requests"])
def test_requests_and_ordinary_comments(line: str, request_: list[str]) -> None:
    assert protocol.extension.parse_request(line) == (tuple(request_) or None)


@given(st.sampled_from(protocol.extension.REQUESTS), st.one_of(st.just(""), words))
def test_requests_survive_a_round_trip(word: str, text: str) -> None:
    assert protocol.extension.parse_request(protocol.extension.format_request(word, text)) == (word, text)


def test_what_may_be_asked_for_are_names_of_notes_or_the_lobby() -> None:
    assert all(
        protocol.extension.parse_note(f"#{name} x") == (name, "x")
        for name in protocol.extension.ROOM_CAPABILITIES
    )


@pytest.mark.parametrize(
    ("line", "seated"),
    [
        ("#seated a 0 200", ("a", 0, 200)),
        ("#seated a 0", None),
        ("#seated a 0 -200", None),
        ("#seated a ² 200", None),
        ("#seated a 0 " + "9" * 5000, None),
        ("#seating a 0 200", None),
    ],
)
def test_places_at_a_table(line: str, seated: tuple[str, int, int] | None) -> None:
    assert protocol.extension.parse_seated(line) == seated


@given(st.data())
@settings(max_examples=150)
def test_a_rooms_events_do_not_depend_on_how_bytes_arrive(data: st.DataObject) -> None:
    stream = b"VERSION:2.0.0\r\n" + b"".join(data.draw(st.lists(st.sampled_from(SAID), max_size=12)))

    assert answering(protocol.DealerConnection(None), data.draw(chunkings(stream))) == answering(
        protocol.DealerConnection(None), [stream]
    )


@given(st.lists(st.binary(max_size=30), max_size=20))
def test_any_garbage_in_the_lobby_is_an_event_and_never_a_seat(said: list[bytes]) -> None:
    dealer = protocol.DealerConnection(None)
    stream = b"VERSION:2.0.0\n" + GREETING + b"".join(line + b"\n" for line in said)

    events = answering(dealer, [stream])

    assert {type(event) for event in events} <= {
        protocol.Version,
        protocol.Greeting,
        protocol.Request,
        protocol.Comment,
        protocol.UnreadableLine,
        protocol.Reply,
    }
    assert dealer.state in (protocol.State.LOBBY, protocol.State.WATCHING, protocol.State.TO_ACT)
    assert (dealer.state is protocol.State.LOBBY) == (protocol.Request("join", "a") not in events)


def test_what_is_said_without_the_lobby_is_a_comment() -> None:
    dealer = protocol.DealerConnection(LEDUC)
    dealer.receive_data(b"VERSION:2.0.0\n#join a\n#riverboat/1 seat\n#join a\n")

    assert drain(dealer) == [protocol.Version(), protocol.Greeting(("seat",))]

    dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))

    assert drain(dealer) == [protocol.Comment(b"#join a\n"), protocol.Comment(b"#join a\n")]


def test_no_hand_can_be_shown_in_the_lobby() -> None:
    dealer = protocol.DealerConnection(LEDUC)
    answering(dealer, [b"VERSION:2.0.0\n", GREETING])
    view = state_of(LEDUC, "").view(0)

    for said in (protocol.StateUpdate(view), protocol.TurnToAct(view)):
        refuses(protocol.LocalProtocolError, "in the lobby", dealer.send, said)


def test_nobody_is_sent_to_the_lobby_while_they_are_to_act() -> None:
    dealer = protocol.DealerConnection(LEDUC)
    answering(dealer, [b"VERSION:2.0.0\n", GREETING, b"#join a\n"])

    with pytest.raises(protocol.LocalProtocolError, match="InLobby"):
        dealer.send(protocol.InLobby())
    refuses(protocol.LocalProtocolError, "cannot change", dealer.play, LEDUC)


def test_a_request_behind_an_answer_waits_with_it() -> None:
    dealer = protocol.DealerConnection(LEDUC)
    pieces = [
        b"VERSION:2.0.0\n",
        GREETING,
        b"#join a\nMATCHSTATE:0:0::Ah|:c\nMATCHSTATE:0:0:cr:Ah|:c\n#leave\n",
    ]

    events = answering(dealer, pieces)

    assert events[-1] == protocol.Reply(CALL)
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "cr").view(0)))
    assert drain(dealer) == [protocol.Reply(CALL), protocol.Request("leave")]


def test_both_ends_agree_from_the_door_to_the_table_and_back() -> None:
    dealer, player = protocol.DealerConnection(None), protocol.PlayerConnection(None)

    def to_player(data: bytes) -> list[protocol.Event]:
        player.receive_data(data)
        events = drain(player)
        assert player.state is dealer.state
        return events

    def to_dealer(data: bytes) -> list[protocol.Event]:
        dealer.receive_data(data)
        return drain(dealer)

    assert to_dealer(player.send(protocol.Version())) == [protocol.Version()]
    assert to_dealer(player.send(protocol.Greeting(("lobby", "name=Ann")))) == [
        protocol.Greeting(("lobby", "name=Ann"))
    ]
    assert to_player(dealer.send(protocol.Greeting(("lobby",))) + dealer.send(protocol.InLobby())) == [
        protocol.Greeting(("lobby",)),
        protocol.InLobby(),
    ]
    assert to_player(dealer.send(protocol.Note("table", "a ring leduc 1/2 2-200"))) == [
        protocol.Note("table", "a ring leduc 1/2 2-200")
    ]
    assert to_dealer(player.send(protocol.Request("join", "a 200"))) == [protocol.Request("join", "a 200")]
    assert to_player(dealer.send(protocol.Seated("a", 1, 200))) == [protocol.Seated("a", 1, 200)]
    dealer.play(LEDUC)
    player.game = LEDUC
    view = state_of(LEDUC, "").view(0)
    assert to_player(dealer.send(protocol.TurnToAct(view))) == [protocol.TurnToAct(view)]
    assert to_dealer(player.send(protocol.Request("sit-out"))) == [protocol.Request("sit-out")]
    dealer.send(protocol.TurnWithdrawn())
    assert to_player(dealer.send(protocol.InLobby("the table closes"))) == [
        protocol.InLobby("the table closes")
    ]
    kuhn = load_game("kuhn-2p")
    dealer.play(kuhn)
    player.game = kuhn
    assert to_player(dealer.send(protocol.Seated("b", 0, 2))) == [protocol.Seated("b", 0, 2)]
    first = state_of(kuhn, "").view(0)
    assert to_player(dealer.send(protocol.TurnToAct(first))) == [protocol.TurnToAct(first)]


@pytest.mark.parametrize("text", ["a\nMATCHSTATE:0:0::Ah|:c", "a" * 5000])
def test_a_request_is_one_line(text: str) -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())

    with pytest.raises(protocol.LocalProtocolError, match=re.escape("not a request of one line")):
        player.send(protocol.Request("join", text))


# --- Both ends of the conversation --------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=60)
def test_the_dealers_events_do_not_depend_on_how_bytes_arrive(data: st.DataObject) -> None:
    stream = (
        b"VERSION:2.0.0\r\n#riverboat/1 seat\r\n# hm\r\nnonsense\r\nMATCHSTATE:0:0:c:Ah|:c\r\n"
        + b"y" * data.draw(st.sampled_from([0, 5000]))
        + b"\r\nMATCHSTATE:0:0::AH|:R\r\n"
    )

    def events(pieces: list[bytes]) -> list[protocol.Event]:
        dealer = protocol.DealerConnection(LEDUC)
        seen: list[protocol.Event] = []
        for piece in pieces:
            dealer.receive_data(piece)
            seen += drain(dealer)
            if (
                seen
                and dealer.state is protocol.State.WATCHING
                and not any(isinstance(e, protocol.Reply) for e in seen)
            ):
                dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
                seen += drain(dealer)
        return seen

    assert events(data.draw(chunkings(stream))) == events([stream])


@given(st.data(), games(), st.integers(0, 2**32 - 1), choices)
@settings(max_examples=60)
def test_the_players_events_do_not_depend_on_how_bytes_arrive(
    data: st.DataObject, game: GameDefinition, seed: int, made: list[int]
) -> None:
    views = [state.view(0) for state in play(game, seed, made)]
    stream = b"".join(protocol.format_match_state(view).encode() + b"\r\n" for view in views)

    player = protocol.PlayerConnection(game)
    player.send(protocol.Version())
    events = []
    for piece in data.draw(chunkings(stream)):
        player.receive_data(piece)
        events += drain(player)

    assert events == [
        protocol.TurnToAct(view) if view.is_our_turn else protocol.StateUpdate(view) for view in views
    ]


@given(games(), st.integers(0, 2**32 - 1), choices)
def test_both_ends_agree_through_any_hand(game: GameDefinition, seed: int, made: list[int]) -> None:
    states = play(game, seed, made)
    pairs = [joined(game) for _ in range(game.num_players)]

    for state, following in zip(states, [*states[1:], None], strict=True):
        for position, pair in enumerate(pairs):
            view = state.view(position)
            event = protocol.TurnToAct(view) if view.is_our_turn else protocol.StateUpdate(view)
            assert pair.from_dealer(event) == [event]
            if following is not None and view.is_our_turn:
                _, _, action = following.betting.steps()[-1]
                reply = protocol.Reply(action)
                assert pair.from_player(reply) == [reply]
                assert view.betting.apply(reply.action or CALL).text == following.betting.text


LINES = [
    b"VERSION:2.0.0", b"#riverboat/1 seat", b"#seat 1", b"# x", b";", b"GUI:x", b"\0", b"x" * 5000,
    b"MATCHSTATE:0:0::Ah|", b"MATCHSTATE:0:0::Ah|:", b"MATCHSTATE:0:0::Ah|:c", b"MATCHSTATE:0:0::Ah|:f",
    b"MATCHSTATE:1:0:c:|Ks",
]  # fmt: skip
any_lines = st.one_of(st.binary(max_size=40), st.sampled_from(LINES))


@given(st.lists(any_lines, max_size=12), st.data())
def test_any_garbage_is_events_or_the_clients_fault(said: list[bytes], data: st.DataObject) -> None:
    dealer = protocol.DealerConnection(LEDUC)
    try:
        for piece in [*data.draw(chunkings(b"\r\n".join([b"VERSION:2.0.0", *said]))), b""]:
            dealer.receive_data(piece)
            drain(dealer)
            if dealer.state is protocol.State.WATCHING:
                dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
                drain(dealer)
    except protocol.RemoteProtocolError:
        assert dealer.state is protocol.State.ERROR
    else:
        assert dealer.state is protocol.State.CLOSED or dealer.num_buffered


@given(st.lists(any_lines, max_size=12), st.data())
def test_any_garbage_is_events_or_the_dealers_fault(said: list[bytes], data: st.DataObject) -> None:
    player = protocol.PlayerConnection(LEDUC)
    player.send(protocol.Version())
    try:
        for piece in [*data.draw(chunkings(b"\r\n".join(said))), b""]:
            player.receive_data(piece)
            drain(player)
    except protocol.RemoteProtocolError:
        assert player.state is protocol.State.ERROR
    else:
        assert player.state is protocol.State.CLOSED


def test_a_megabyte_without_line_end_is_taken_in_pieces_and_forgotten() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
    chunk = b"x" * 65536
    tracemalloc.start()
    started = time.process_time()

    for _ in range(16):
        dealer.receive_data(chunk)
        assert all(isinstance(event, protocol.UnreadableLine) for event in drain(dealer))
        assert dealer.num_buffered < 4095

    assert time.process_time() - started < 2
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_random_bytes_never_confuse_the_dealer() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(protocol.TurnToAct(state_of(LEDUC, "").view(0)))
    rng = random.Random(3)

    for _ in range(200):
        dealer.receive_data(rng.randbytes(500))
        assert {type(event) for event in drain(dealer)} <= {protocol.UnreadableLine, protocol.Comment}

    dealer.receive_data(b"\nMATCHSTATE:0:0::Ah|:r\n")
    assert drain(dealer)[-1] == protocol.Reply(LIMIT_RAISE)
