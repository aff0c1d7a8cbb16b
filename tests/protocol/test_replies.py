"""How the dealer reads answers (docs/acpc-dealer.md 5.6 and 5.7).

Every line of the tables was also given to the ACPC dealer, which warned and played as they say.
"""

from __future__ import annotations

import pytest

from engine.poker.rules import Action, GameDefinition, HandState, load_game, parse_betting
from protocol import (
    Comment,
    DealerConnection,
    Event,
    Flaw,
    Reply,
    StaleReply,
    State,
    TurnToAct,
    UnreadableLine,
    Version,
)
from protocol.match_state import MissingSizeError, read_action
from tests.support.doubles_protocol import drain, lines
from tests.support.hands.golden_files import deals_from

NO_LIMIT = load_game("nolimit-3p")
LINES = lines("replies")
SHOWN = "MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c"


def to_act(game: GameDefinition = NO_LIMIT, betting: str = "r300fc/", position: int = 1) -> DealerConnection:
    """A dealer's connection to a client that is to act."""
    state = HandState(parse_betting(game, betting), 0, next(deals_from(game, 7)))
    connection = DealerConnection(game)
    connection.receive_data(b"VERSION:2.0.0\n")
    assert drain(connection) == [Version(2, 0, 0)]
    connection.send(TurnToAct(state.view(position)))
    return connection


def said(line: str) -> Event:
    connection = to_act()
    connection.receive_data(line.encode("latin-1") + b"\r\n")
    [event] = drain(connection)
    assert connection.state is (State.WATCHING if isinstance(event, Reply) else State.TO_ACT)
    return event


def action(text: str) -> Action:
    read, _ = read_action(text, 0, is_limit=False)
    return read


# --- echoes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("echo", LINES["accepted"])
def test_echo_is_accepted(echo: str) -> None:
    assert said(echo + ":r600") == Reply(action("r600"))


@pytest.mark.parametrize("echo", LINES["stale"])
def test_echo_of_another_state_is_stale(echo: str) -> None:
    assert isinstance(said(echo + ":c"), StaleReply)


@pytest.mark.parametrize("line", LINES["unreadable"])
def test_line_is_unreadable(line: str) -> None:
    assert isinstance(said(line), UnreadableLine)
    assert isinstance(said(line + ":c"), UnreadableLine)


@pytest.mark.parametrize("line", LINES["bad_format"])
def test_what_follows_the_state_is_not_a_colon(line: str) -> None:
    assert said(line) == Reply(None, Flaw.BAD_FORMAT)


@pytest.mark.parametrize("line", ["#", "# thinking", "#x", ";", "; x", "#MATCHSTATE:1:0::|Td4d|:c", "#\0"])
def test_comment_is_skipped(line: str) -> None:
    event = said(line)

    assert isinstance(event, Comment)
    assert event.line == line.encode() + b"\r\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n", " \r\n", "\0\r\n"])
@pytest.mark.parametrize(
    "echo", ["MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c", "MATCHSTATE:1:0:r300fc:|Td4d|/6s3d6c"]
)
def test_line_ends_do_not_matter(echo: str, end: str) -> None:
    connection = to_act()

    connection.receive_data(f"{echo}:c{end}".encode())

    assert drain(connection) == [Reply(action("c"))]


def test_a_client_that_closes_in_the_middle_of_a_line_has_said_that_line() -> None:
    connection = to_act()

    connection.receive_data(f"{SHOWN}:c".encode())
    connection.receive_data(b"")

    assert drain(connection)[0] == Reply(action("c"))


def test_events_keep_the_line_they_were_read_from() -> None:
    reply = said(SHOWN + ":call")

    assert isinstance(reply, Reply)
    assert reply.line == SHOWN.encode() + b":call\r\n"


# --- actions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "read", "played"), LINES["actions"])
def test_action_is_read_and_corrected_as_by_the_acpc(text: str, read: str, played: str) -> None:
    reply = said(f"{SHOWN}:{text}")

    assert isinstance(reply, Reply)
    assert (str(reply.action) if reply.flaw is None else reply.flaw.name) == read
    legal = parse_betting(NO_LIMIT, "r300fc/").legal_actions()
    assert (str(legal.nearest(reply.action)) if reply.action else "c") == played


@pytest.mark.parametrize("text", ["r", "R", "b", "r500", "raise", "bet 40", "r-1", "rx"])
def test_a_limit_raise_has_no_size(text: str) -> None:
    connection = to_act(load_game("limit-2p"), "", 1)

    connection.receive_data(f"MATCHSTATE:1:0::|Td4d:{text}\r\n".encode())

    assert drain(connection) == [Reply(read_action("r", 0, is_limit=True)[0])]


def test_a_missing_size_is_told_from_an_unknown_letter() -> None:
    with pytest.raises(MissingSizeError, match="without its size"):
        read_action("r", 0, is_limit=False)
