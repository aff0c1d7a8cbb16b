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
from tests.support.doubles_protocol import drain
from tests.support.hands.golden_files import deals_from

NO_LIMIT = load_game("nolimit-3p")
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

ACCEPTED = [
    SHOWN,
    # capitals and aliases
    "MATCHSTATE:1:0:r300fc/:|tD4d|/6S3D6C",
    "MATCHSTATE:1:0:R300FC/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:b300fk/:|Td4d|/6s3d6c",
    # slashes in the betting
    "MATCHSTATE:1:0:r300fc:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc//:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300f/c/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:/r300fc/:|Td4d|/6s3d6c",
    # numbers
    "MATCHSTATE:1:0:r 300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r+300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r0300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r4294967596fc/:|Td4d|/6s3d6c",
    "MATCHSTATE: 1:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:+1: 0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:001:000:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:257:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:-255:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:-0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:4294967296:r300fc/:|Td4d|/6s3d6c",
    # other positions' cards, and bars where nothing can be misread
    "MATCHSTATE:1:0:r300fc/:2c3c|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:2c3c|Td4d|AsAs/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:2c3cTd4d/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d|2c3c6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d2c3c6s3d6c",
]

STALE = [
    "MATCHSTATE:0:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:2:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:1:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r301fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300cf/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/c:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300f:|Td4d|",
    "MATCHSTATE:1:0:r300ff:|Td4d|",
    "MATCHSTATE:1:0::|Td4d|",
    "MATCHSTATE:1:0:r300fc/:|4dTd|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4c|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d|/3d6s6c",
    # own cards missing: there the ACPC dealer compares memory it never wrote (docs/acpc-dealer.md 8.23)
    "MATCHSTATE:1:0:r300fc/:||/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:Td4d||/6s3d6c",
]

UNREADABLE = [
    "",
    "\0",
    "hello",
    "GUI:hello",
    "matchstate:1:0:r300fc/:|Td4d|/6s3d6c",
    " MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE 1:0:r300fc/:|Td4d|/6s3d6c",
    "STATE:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0",
    "MATCHSTATE:1:0:r300fc",
    # numbers
    "MATCHSTATE:a:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:a:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE::0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1::r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1 :0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0 :r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1.0:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:3:0:r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:255:0:r300fc/:|Td4d|/6s3d6c",
    # betting that is not legal
    "MATCHSTATE:1:0: r300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r199fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r99999fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:rfc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:x300fc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fcccccccccc/:|Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/f:|Td4d|/6s3d6c",
    # cards
    "MATCHSTATE:1:0:r300fc/:|Td|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|1d4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|T44d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/: |Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:||Td4d|/6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d",
    "MATCHSTATE:1:0:r300fc/:|Td4d|/6s 3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d|//6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d|",
    # a bar too few or too many where board cards are taken for hole cards
    "MATCHSTATE:1:0:r300fc/:|Td4d|6s3d6c",
    "MATCHSTATE:1:0:r300fc/:|Td4d||6s3d6c",
    "MATCHSTATE:1:0:r300fc/\0:|Td4d|/6s3d6c",
]

BAD_FORMAT = [
    SHOWN,
    SHOWN + " c",
    SHOWN + " :c",
    SHOWN + "/:c",
    SHOWN + "2c:c",
    SHOWN + "/2c:c",
    SHOWN + ";c",
    SHOWN + "c",
    SHOWN + "\0:c",
]


@pytest.mark.parametrize("echo", ACCEPTED)
def test_echo_is_accepted(echo: str) -> None:
    assert said(echo + ":r600") == Reply(action("r600"))


@pytest.mark.parametrize("echo", STALE)
def test_echo_of_another_state_is_stale(echo: str) -> None:
    assert isinstance(said(echo + ":c"), StaleReply)


@pytest.mark.parametrize("line", UNREADABLE)
def test_line_is_unreadable(line: str) -> None:
    assert isinstance(said(line), UnreadableLine)
    assert isinstance(said(line + ":c"), UnreadableLine)


@pytest.mark.parametrize("line", BAD_FORMAT)
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


# --- actions: what follows the colon, what is played by who is first on the flop (c, r400 to r20000) ------

ACTIONS: list[tuple[str, str | Flaw, str]] = [
    ("f", "f", "c"), ("F", "f", "c"), ("fold", "f", "c"), ("f300", "f", "c"),
    ("c", "c", "c"), ("C", "c", "c"), ("k", "c", "c"), ("K", "c", "c"), ("call", "c", "c"),
    ("check", "c", "c"),
    ("c300", "c", "c"), ("c:f", "c", "c"), ("c ", "c", "c"), ("cc", "c", "c"), ("k600", "c", "c"),
    ("r600", "r600", "r600"), ("R600", "r600", "r600"), ("b600", "r600", "r600"), ("B600", "r600", "r600"),
    ("r 600", "r600", "r600"), ("r  600", "r600", "r600"), ("r\t600", "r600", "r600"),
    ("r\v600", "r600", "r600"),
    ("r+600", "r600", "r600"), ("r000600", "r600", "r600"), ("r600abc", "r600", "r600"),
    ("r600.5", "r600", "r600"),
    ("r20000", "r20000", "r20000"), ("r20001", "r20001", "r20000"), ("r99999", "r99999", "r20000"),
    ("r1", "r1", "r400"), ("r0", "r0", "r400"), ("r-7", "r-7", "r400"), ("r -7", "r-7", "r400"),
    ("r0x1F4", "r0", "r400"), ("r3e2", "r3", "r400"),
    ("r4294967896", "r600", "r600"), ("r2147483648", "r-2147483648", "r400"),
    ("r2147483647", "r2147483647", "r20000"), ("r-2147483648", "r-2147483648", "r400"),
    ("r4294967296", "r0", "r400"), ("r18446744073709551615", "r-1", "r400"),
    ("r99999999999999999999", "r-1", "r400"), ("r-99999999999999999999", "r0", "r400"),
    ("r", Flaw.BAD_FORMAT, "c"), ("R", Flaw.BAD_FORMAT, "c"), ("b", Flaw.BAD_FORMAT, "c"),
    ("raise", Flaw.BAD_FORMAT, "c"), ("bet", Flaw.BAD_FORMAT, "c"), ("r- 7", Flaw.BAD_FORMAT, "c"),
    ("ra600", Flaw.BAD_FORMAT, "c"), ("r,600", Flaw.BAD_FORMAT, "c"), ("r:600", Flaw.BAD_FORMAT, "c"),
    ("rr600", Flaw.BAD_FORMAT, "c"), ("r+", Flaw.BAD_FORMAT, "c"), ("r+-600", Flaw.BAD_FORMAT, "c"),
    (" c", Flaw.UNKNOWN_ACTION, "c"), (" r600", Flaw.UNKNOWN_ACTION, "c"), (":c", Flaw.UNKNOWN_ACTION, "c"),
    ("", Flaw.UNKNOWN_ACTION, "c"), ("x", Flaw.UNKNOWN_ACTION, "c"), ("1", Flaw.UNKNOWN_ACTION, "c"),
    ("q", Flaw.UNKNOWN_ACTION, "c"), ("all-in", Flaw.UNKNOWN_ACTION, "c"), ("-", Flaw.UNKNOWN_ACTION, "c"),
    ("\xe7", Flaw.UNKNOWN_ACTION, "c"), ("\0c", Flaw.UNKNOWN_ACTION, "c"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "read", "played"), ACTIONS)
def test_action_is_read_and_corrected_as_by_the_acpc(text: str, read: str | Flaw, played: str) -> None:
    reply = said(f"{SHOWN}:{text}")

    assert isinstance(reply, Reply)
    assert (reply.flaw or str(reply.action)) == read
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
