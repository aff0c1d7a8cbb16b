"""Both ends of the conversation: every chunking of the bytes, and any garbage."""

from __future__ import annotations

import random
import time
import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import (
    CALL,
    LIMIT_RAISE,
    GameDefinition,
)
from protocol import (
    Comment,
    DealerConnection,
    Event,
    PlayerConnection,
    RemoteProtocolError,
    Reply,
    State,
    StateUpdate,
    TurnToAct,
    UnreadableLine,
    Version,
    format_match_state,
)
from tests.support.doubles_protocol import LEDUC, dealer_after, drain, joined, state_of
from tests.support.hands.strategies import choices, chunkings, games, play


@given(st.data())
@settings(max_examples=60)
def test_the_dealers_events_do_not_depend_on_how_bytes_arrive(data: st.DataObject) -> None:
    stream = (
        b"VERSION:2.0.0\r\n#riverboat/1 seat\r\n# hm\r\nnonsense\r\nMATCHSTATE:0:0:c:Ah|:c\r\n"
        + b"y" * data.draw(st.sampled_from([0, 5000]))
        + b"\r\nMATCHSTATE:0:0::AH|:R\r\n"
    )

    def events(pieces: list[bytes]) -> list[Event]:
        dealer = DealerConnection(LEDUC)
        seen: list[Event] = []
        for piece in pieces:
            dealer.receive_data(piece)
            seen += drain(dealer)
            if seen and dealer.state is State.WATCHING and not any(isinstance(e, Reply) for e in seen):
                dealer.send(TurnToAct(state_of(LEDUC, "").view(0)))
                seen += drain(dealer)
        return seen

    assert events(data.draw(chunkings(stream))) == events([stream])


@given(st.data(), games(), st.integers(0, 2**32 - 1), choices)
@settings(max_examples=60)
def test_the_players_events_do_not_depend_on_how_bytes_arrive(
    data: st.DataObject, game: GameDefinition, seed: int, made: list[int]
) -> None:
    views = [state.view(0) for state in play(game, seed, made)]
    stream = b"".join(format_match_state(view).encode() + b"\r\n" for view in views)

    player = PlayerConnection(game)
    player.send(Version())
    events = []
    for piece in data.draw(chunkings(stream)):
        player.receive_data(piece)
        events += drain(player)

    assert events == [TurnToAct(view) if view.is_our_turn else StateUpdate(view) for view in views]


@given(games(), st.integers(0, 2**32 - 1), choices)
def test_both_ends_agree_through_any_hand(game: GameDefinition, seed: int, made: list[int]) -> None:
    states = play(game, seed, made)
    pairs = [joined(game) for _ in range(game.num_players)]

    for state, following in zip(states, [*states[1:], None], strict=True):
        for position, pair in enumerate(pairs):
            view = state.view(position)
            event = TurnToAct(view) if view.is_our_turn else StateUpdate(view)
            assert pair.from_dealer(event) == [event]
            if following is not None and view.is_our_turn:
                _, _, action = following.betting.steps()[-1]
                reply = Reply(action)
                assert pair.from_player(reply) == [reply]
                assert view.betting.apply(reply.action or CALL).text == following.betting.text


LINES = [
    b"VERSION:2.0.0", b"#riverboat/1 seat", b"#seat 1", b"# x", b";", b"GUI:x", b"\0", b"x" * 5000,
    b"MATCHSTATE:0:0::Ah|", b"MATCHSTATE:0:0::Ah|:", b"MATCHSTATE:0:0::Ah|:c", b"MATCHSTATE:0:0::Ah|:f",
    b"MATCHSTATE:1:0:c:|Ks",
]  # fmt: skip
lines = st.one_of(st.binary(max_size=40), st.sampled_from(LINES))


@given(st.lists(lines, max_size=12), st.data())
def test_any_garbage_is_events_or_the_clients_fault(said: list[bytes], data: st.DataObject) -> None:
    dealer = DealerConnection(LEDUC)
    try:
        for piece in [*data.draw(chunkings(b"\r\n".join([b"VERSION:2.0.0", *said]))), b""]:
            dealer.receive_data(piece)
            drain(dealer)
            if dealer.state is State.WATCHING:
                dealer.send(TurnToAct(state_of(LEDUC, "").view(0)))
                drain(dealer)
    except RemoteProtocolError:
        assert dealer.state is State.ERROR
    else:
        assert dealer.state is State.CLOSED or dealer.num_buffered


@given(st.lists(lines, max_size=12), st.data())
def test_any_garbage_is_events_or_the_dealers_fault(said: list[bytes], data: st.DataObject) -> None:
    player = PlayerConnection(LEDUC)
    player.send(Version())
    try:
        for piece in [*data.draw(chunkings(b"\r\n".join(said))), b""]:
            player.receive_data(piece)
            drain(player)
    except RemoteProtocolError:
        assert player.state is State.ERROR
    else:
        assert player.state is State.CLOSED


def test_a_megabyte_without_line_end_is_taken_in_pieces_and_forgotten() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(TurnToAct(state_of(LEDUC, "").view(0)))
    chunk = b"x" * 65536
    tracemalloc.start()
    started = time.process_time()

    for _ in range(16):
        dealer.receive_data(chunk)
        assert all(isinstance(event, UnreadableLine) for event in drain(dealer))
        assert dealer.num_buffered < 4095

    assert time.process_time() - started < 2
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_random_bytes_never_confuse_the_dealer() -> None:
    dealer, _ = dealer_after(b"VERSION:2.0.0\n")
    dealer.send(TurnToAct(state_of(LEDUC, "").view(0)))
    rng = random.Random(3)

    for _ in range(200):
        dealer.receive_data(rng.randbytes(500))
        assert {type(event) for event in drain(dealer)} <= {UnreadableLine, Comment}

    dealer.receive_data(b"\nMATCHSTATE:0:0::Ah|:r\n")
    assert drain(dealer)[-1] == Reply(LIMIT_RAISE)
