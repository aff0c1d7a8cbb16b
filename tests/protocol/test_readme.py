"""What protocol/README.md shows is what happens, and its table of states is the one in the code."""

from __future__ import annotations

import re
import socket
import threading
from itertools import takewhile
from pathlib import Path

import pytest

import protocol
from engine.poker.rules import CALL, HandState, initial_hand, load_game, play_hand
from protocol import DealerConnection, Event, Reply, State, StateUpdate, TurnToAct, Version
from protocol.states import TRANSITIONS
from tests.support.doubles_protocol import drain
from tests.support.hands.golden_files import deals_from

# --- What protocol/README.md shows is what happens ----------------------------------------------------------

README = Path(protocol.__file__).with_name("README.md").read_text("utf-8")
LIMIT = load_game("limit-2p")


def blocks(language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_transcript_is_what_is_said() -> None:
    transcript = [line for block in blocks() for line in block.splitlines() if re.match(r"S\d[<>] ", line)]
    transcript = list(takewhile(lambda line: "#" not in line, transcript))
    lines = iter(transcript)
    deals = deals_from(LIMIT, 7)
    seats = [DealerConnection(LIMIT) for _ in range(2)]
    said = []
    for number, connection in enumerate(seats, 1):
        said.append(next(lines))
        assert said[-1].startswith(f"S{number}> VERSION")
        connection.receive_data(said[-1][4:].encode() + b"\r\n")
        assert drain(connection) == [Version()]

    def tell(state: HandState) -> None:
        for number, connection in enumerate(seats, 1):
            view = state.view((number - 1 - state.hand_number) % 2)
            data = connection.send(TurnToAct(view) if view.is_our_turn else StateUpdate(view))
            said.append(f"S{number}< {data.decode().rstrip()}")
            assert next(lines) == said[-1]

    for hand_number in range(2):
        hand = play_hand(LIMIT, hand_number, next(deals))
        state = next(hand)
        while True:
            tell(state)
            line = next(lines, None)
            if line is None:
                break
            said.append(line)
            seat = int(line[1]) - 1
            seats[seat].receive_data(line[4:].encode() + b"\n")
            [reply] = drain(seats[seat])
            assert isinstance(reply, Reply)
            assert reply.action is not None
            try:
                state = hand.send(reply.action)
            except StopIteration as end:
                tell(end.value)
                break

    assert said == transcript
    assert len(transcript) == 21


def test_the_shell_of_the_readme_plays() -> None:
    code: dict[str, object] = {}
    exec(blocks("python")[0], code)
    play = code["play"]
    assert callable(play)
    state = initial_hand(LIMIT, 0, next(deals_from(LIMIT, 7)))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        player = threading.Thread(target=play, args=listener.getsockname())
        player.start()
        sock, _ = listener.accept()
        with sock:
            sock.settimeout(20)
            dealer = DealerConnection(LIMIT)
            while not drain(dealer):
                dealer.receive_data(sock.recv(4096))
            sock.sendall(dealer.send(TurnToAct(state.view(1))))
            events: list[Event] = []
            while not events:
                dealer.receive_data(sock.recv(4096))
                events = drain(dealer)
        player.join(20)

    assert events == [Reply(CALL)]
    assert not player.is_alive()


# --- The table of states is complete, and is the one that the documentation shows ---------------------------


def all_events() -> set[type[Event]]:
    return set(Event.__subclasses__())


def test_every_state_has_a_row_and_every_event_a_place() -> None:
    assert set(TRANSITIONS) == set(State)
    assert {event for row in TRANSITIONS.values() for event in row} == all_events()


@pytest.mark.parametrize("state", [State.CLOSED, State.ERROR])
def test_nothing_is_said_after_the_end(state: State) -> None:
    assert TRANSITIONS[state] == {}


def test_only_a_version_opens_the_conversation() -> None:
    assert {event for event, to in TRANSITIONS[State.AWAITING_VERSION].items() if to is State.WATCHING} == {
        Version
    }
    assert not any(Version in TRANSITIONS[state] for state in State if state is not State.AWAITING_VERSION)


def test_only_a_turn_can_be_answered() -> None:
    assert [state for state in State if Reply in TRANSITIONS[state]] == [State.TO_ACT]
    assert [state for state in State if TurnToAct in TRANSITIONS[state]] == [State.WATCHING]
    assert StateUpdate not in TRANSITIONS[State.TO_ACT]


def test_the_documentation_shows_this_table() -> None:
    lines: list[str] = []
    for state, row in TRANSITIONS.items():
        for target in dict.fromkeys(row.values()):
            named = ", ".join(event.__name__ for event, to in row.items() if to is target)
            lines.append(f"{state.value:<17} --[{named}]--> {target.value}")

    assert "\n".join(lines) in README
