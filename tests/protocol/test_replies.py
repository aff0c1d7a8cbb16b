"""Lines: cut from bytes, read as answers, as messages of our own, as records of logs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

import protocol
from engine.poker import rules
from protocol.extension import CAPABILITIES, format_greeting, is_comment, parse_greeting, parse_note
from protocol.framing import MAX_LINE, LineBuffer
from protocol.match_state import MissingSizeError, read_action
from tests.support.asserting import refuses
from tests.support.doubles_protocol import drain, lines
from tests.support.hands.golden_files import deals_from
from tests.support.hands.strategies import chunkings, hands

# --- How the dealer reads answers ---------------------------------------------------------------------------

NO_LIMIT = rules.load_game("nolimit-3p")
LINES = lines("replies")
SHOWN = "MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c"


def to_act(
    game: rules.GameDefinition = NO_LIMIT, betting: str = "r300fc/", position: int = 1
) -> protocol.DealerConnection:
    """A dealer's connection to a client that is to act."""
    state = rules.HandState(rules.parse_betting(game, betting), 0, next(deals_from(game, 7)))
    connection = protocol.DealerConnection(game)
    connection.receive_data(b"VERSION:2.0.0\n")
    assert drain(connection) == [protocol.Version(2, 0, 0)]
    connection.send(protocol.TurnToAct(state.view(position)))
    return connection


def said(line: str) -> protocol.Event:
    connection = to_act()
    connection.receive_data(line.encode("latin-1") + b"\r\n")
    [event] = drain(connection)
    assert connection.state is (
        protocol.State.WATCHING if isinstance(event, protocol.Reply) else protocol.State.TO_ACT
    )
    return event


def action(text: str) -> rules.Action:
    read, _ = read_action(text, 0, is_limit=False)
    return read


# --- echoes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("echo", LINES["accepted"])
def test_echo_is_accepted(echo: str) -> None:
    assert said(echo + ":r600") == protocol.Reply(action("r600"))


@pytest.mark.parametrize("echo", LINES["stale"])
def test_echo_of_another_state_is_stale(echo: str) -> None:
    assert isinstance(said(echo + ":c"), protocol.StaleReply)


@pytest.mark.parametrize("line", LINES["unreadable"])
def test_line_is_unreadable(line: str) -> None:
    assert isinstance(said(line), protocol.UnreadableLine)
    assert isinstance(said(line + ":c"), protocol.UnreadableLine)


@pytest.mark.parametrize("line", LINES["bad_format"])
def test_what_follows_the_state_is_not_a_colon(line: str) -> None:
    assert said(line) == protocol.Reply(None, protocol.Flaw.BAD_FORMAT)


@pytest.mark.parametrize("line", ["#", "# thinking", "#x", ";", "; x", "#MATCHSTATE:1:0::|Td4d|:c", "#\0"])
def test_comment_is_skipped(line: str) -> None:
    event = said(line)

    assert isinstance(event, protocol.Comment)
    assert event.line == line.encode() + b"\r\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n", " \r\n", "\0\r\n"])
@pytest.mark.parametrize(
    "echo", ["MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c", "MATCHSTATE:1:0:r300fc:|Td4d|/6s3d6c"]
)
def test_line_ends_do_not_matter(echo: str, end: str) -> None:
    connection = to_act()

    connection.receive_data(f"{echo}:c{end}".encode())

    assert drain(connection) == [protocol.Reply(action("c"))]


def test_a_client_that_closes_in_the_middle_of_a_line_has_said_that_line() -> None:
    connection = to_act()

    connection.receive_data(f"{SHOWN}:c".encode())
    connection.receive_data(b"")

    assert drain(connection)[0] == protocol.Reply(action("c"))


def test_events_keep_the_line_they_were_read_from() -> None:
    reply = said(SHOWN + ":call")

    assert isinstance(reply, protocol.Reply)
    assert reply.line == SHOWN.encode() + b":call\r\n"


# --- actions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "read", "played"), LINES["actions"])
def test_action_is_read_and_corrected_as_by_the_acpc(text: str, read: str, played: str) -> None:
    reply = said(f"{SHOWN}:{text}")

    assert isinstance(reply, protocol.Reply)
    assert (str(reply.action) if reply.flaw is None else reply.flaw.name) == read
    legal = rules.parse_betting(NO_LIMIT, "r300fc/").legal_actions()
    assert (str(legal.nearest(reply.action)) if reply.action else "c") == played


@pytest.mark.parametrize("text", ["r", "R", "b", "r500", "raise", "bet 40", "r-1", "rx"])
def test_a_limit_raise_has_no_size(text: str) -> None:
    connection = to_act(rules.load_game("limit-2p"), "", 1)

    connection.receive_data(f"MATCHSTATE:1:0::|Td4d:{text}\r\n".encode())

    assert drain(connection) == [protocol.Reply(read_action("r", 0, is_limit=True)[0])]


def test_a_missing_size_is_told_from_an_unknown_letter() -> None:
    refuses(MissingSizeError, "without its size", read_action, "r", 0, is_limit=False)


# --- Lines from bytes, however these are chopped up ---------------------------------------------------------


def lines_of(pieces: list[bytes], *, end: bool = True) -> list[bytes]:
    buffer = LineBuffer()
    lines = []
    for piece in [*pieces, b""] if end else pieces:
        buffer.feed(piece)
        while (line := buffer.next_line()) is not None:
            lines.append(line)
    return lines


def fgets_lines(data: bytes) -> list[bytes]:
    """What reading with a buffer of 4096 bytes gives in C (docs/acpc-dealer.md 5.6)."""
    lines = []
    while data:
        end = data.find(b"\n") + 1 or len(data)
        end = min(end, 4095)
        lines.append(data[:end])
        data = data[end:]
    return lines


streams = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.sampled_from([b"\n", b"\r\n", b"a", b"MATCHSTATE:0:0::\r\n", b"x" * 4094, b"x" * 4095]), max_size=8
    ).map(b"".join),
)


@given(st.data())
def test_lines_do_not_depend_on_how_the_bytes_arrive(data: st.DataObject) -> None:
    stream = data.draw(streams)

    assert lines_of(data.draw(chunkings(stream))) == fgets_lines(stream)


@pytest.mark.parametrize("length", [4093, 4094, 4095, 4096, 8189, 8190, 8191])
def test_long_lines_are_cut_where_the_acpc_cuts_them(length: int) -> None:
    stream = b"x" * length + b"\n"

    assert lines_of([stream]) == fgets_lines(stream)
    assert max(map(len, lines_of([stream]))) <= MAX_LINE


def test_an_incomplete_line_waits_and_an_unterminated_last_one_is_a_line() -> None:
    assert lines_of([b"one\ntwo"], end=False) == [b"one\n"]
    assert lines_of([b"one\ntwo"]) == [b"one\n", b"two"]


@given(st.data())
def test_a_line_is_taken_from_behind_those_that_may_be_skipped_and_no_others(data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from([b"#x\n", b"#\n", b"wanted #\n", b"#wanted\n", b"one\n"])))
    buffer = LineBuffer()
    for piece in data.draw(chunkings(b"".join(lines))):
        buffer.feed(piece)

    taken = buffer.take_behind(lambda line: line.startswith(b"#"), lambda line: line == b"#wanted\n")

    position = next((k for k, line in enumerate(lines) if line == b"#wanted\n" or line[:1] != b"#"), None)
    if position is None or lines[position] != b"#wanted\n":
        assert taken is None
    else:
        assert taken == lines.pop(position)
    buffer.feed(b"")
    assert list(iter(buffer.next_line, None)) == lines
    assert buffer.at_end


def test_no_line_is_taken_from_behind_an_incomplete_one() -> None:
    buffer = LineBuffer()
    buffer.feed(b"#x\n#wan")

    assert buffer.take_behind(lambda _: True, lambda line: line.startswith(b"#wan")) is None
    buffer.feed(b"ted\n")
    assert buffer.take_behind(lambda _: True, lambda line: line.startswith(b"#wan")) == b"#wanted\n"
    assert len(buffer) == 3


def test_the_end_is_reached_when_every_line_has_been_handed_out() -> None:
    buffer = LineBuffer()
    buffer.feed(b"one\n")
    buffer.feed(b"")

    assert not buffer.at_end
    buffer.next_line()
    assert buffer.at_end


@pytest.mark.parametrize("stream", [b"x" * 2_000_000, b"\n" * 300_000], ids=["no line end", "line ends only"])
@pytest.mark.parametrize("size", [1, 100_000], ids=["byte by byte", "in large pieces"])
def test_time_is_linear(stream: bytes, size: int) -> None:
    """A quadratic buffer would need minutes for this."""
    stream = stream[: 300_000 * min(size, 7)]
    started = time.process_time()

    lines_of([stream[start : start + size] for start in range(0, len(stream), size)])

    assert time.process_time() - started < 5


# --- Lines that begin with `#` ------------------------------------------------------------------------------

words = st.lists(st.from_regex(r"[!-~]+", fullmatch=True), max_size=5)


@given(words)
def test_greeting_survives_a_round_trip(said: list[str]) -> None:
    line = format_greeting(said)

    assert parse_greeting(line) == tuple(said)
    assert is_comment(line.encode())


@pytest.mark.parametrize(
    "line", ["", "#", "# riverboat/1", "#riverboat/2 seat", "#riverboat/10", "#riverboat", "riverboat/1"]
)
def test_other_lines_are_not_greetings(line: str) -> None:
    assert parse_greeting(line) is None


def test_a_greeting_may_ask_for_nothing() -> None:
    assert parse_greeting("#riverboat/1") == ()
    assert parse_greeting("#riverboat/1  seat   clock ") == ("seat", "clock")


@pytest.mark.parametrize(("line", "note"), lines("room")["notes"])
def test_notes_and_ordinary_comments(line: str, note: list[str]) -> None:
    assert parse_note(line) == (tuple(note) or None)


def test_capabilities_are_words_that_name_notes() -> None:
    assert all(parse_note(f"#{name} x") == (name, "x") for name in CAPABILITIES)


@pytest.mark.parametrize(
    ("line", "expected"), [(b"#x", True), (b";x", True), (b" #x", False), (b"", False), (b"x#", False)]
)
def test_comments_begin_at_the_first_byte(line: bytes, expected: bool) -> None:
    assert is_comment(line) is expected


# --- Lines of the match log and of the transaction log ------------------------------------------------------


@pytest.mark.parametrize(
    ("chips", "text"),
    [(0, "0"), (0.0, "0"), (-50, "-50"), (0.5, "0.5"), (50 / 3, "16.666667"), (-250 / 3, "-83.333333"),
     (1735.5, "1735.5"), (100, "100"), (-1e-16, "-0"), (-0.0, "-0"), (2.5e-7, "0"), (1e-6, "0.000001"),
     (1e9, "1000000000"), (0.1 + 0.2, "0.3")],
)  # fmt: skip
def test_chips_print_as_in_the_acpcs_logs(chips: float, text: str) -> None:
    assert protocol.records.format_chips(chips) == text


@given(st.floats(-1e9, 1e9))
def test_printed_chips_are_right_to_six_decimals(chips: float) -> None:
    text = protocol.records.format_chips(chips)

    assert float(text) == pytest.approx(chips, abs=5.01e-7)
    assert not text.endswith(".")
    assert "e" not in text


def test_header_as_recorded() -> None:
    assert protocol.records.format_header("match", "leduc.game", 3, "0", 300, 600000, 7000).splitlines(
        keepends=True
    ) == [
        "# name/game/hands/seed match leduc.game 3 0\n",
        "#--t_response 300\n",
        "#--t_hand 600000\n",
        "#--t_per_hand 7000\n",
    ]


def test_a_record_is_taken_apart() -> None:
    line = "STATE:3:cr3054r16130c/cr18284r20000c//:3hQh|4h3c/QsKsJs/Qc/9s:20000|-20000:p1|p0\n"

    assert protocol.records.parse_hand(line) == protocol.records.HandRecord(
        3, "cr3054r16130c/cr18284r20000c//", "3hQh|4h3c/QsKsJs/Qc/9s", (20000, -20000), ("p1", "p0")
    )


@given(hands())
def test_records_survive_a_round_trip(states: list[rules.HandState]) -> None:
    end = states[-1]
    names = tuple(f"player {k}" for k in range(end.betting.game.num_players))

    record = protocol.records.parse_hand(protocol.records.format_hand(end, end.chips_won(), names))

    assert record is not None
    assert (record.hand_number, record.betting, record.names) == (end.hand_number, end.betting.text, names)
    assert record.chips == pytest.approx(end.chips_won(), abs=1e-6)


@pytest.mark.parametrize(
    "line", ["", "\n", "# name/game/hands/seed x y 1 2\n", "SCORE:1|-1:a|b\n", "state:0"]
)
def test_other_lines_are_not_records(line: str) -> None:
    assert protocol.records.parse_hand(line) is None


@pytest.mark.parametrize("line", lines("records")["torn"])
def test_a_torn_record_is_an_error(line: str) -> None:
    refuses(ValueError, r"expected STATE|expected a", protocol.records.parse_hand, line)


def test_score_lines() -> None:
    line = protocol.records.format_score([10, -10.5, -0.0], ["Alice", "Bob", "Carol"])

    assert line == "SCORE:10|-10.5|-0:Alice|Bob|Carol\n"
    assert protocol.records.parse_score(line) == ((10, -10.5, 0), ("Alice", "Bob", "Carol"))
    assert protocol.records.parse_score("STATE:0:f:Ah|Ks:1|-1:a|b\n") is None


# --- the transaction log (6.4) ---------------------------------------------------------------------------


def test_transaction_as_recorded() -> None:
    line = "r200 0 1795244896.520175 1795244896.520224\n"
    entry = protocol.records.Transaction(rules.raise_to(200), 0, 1795244896_520175, 1795244896_520224)

    assert protocol.records.parse_transaction(line, is_limit=False) == entry
    assert protocol.records.format_transaction(entry) == line
    assert entry.seconds == pytest.approx(49e-6)


def test_stamps_have_six_decimals() -> None:
    assert protocol.records.format_stamp(1795244878_000007) == "1795244878.000007"


@given(
    st.sampled_from([rules.FOLD, rules.CALL, rules.LIMIT_RAISE]),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**53),
    st.integers(0, 2**53),
)
def test_transactions_survive_a_round_trip(action: rules.Action, hand: int, sent: int, received: int) -> None:
    entry = protocol.records.Transaction(action, hand, sent, received)

    assert (
        protocol.records.parse_transaction(protocol.records.format_transaction(entry), is_limit=True) == entry
    )


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("c 0 1.000000 2.000000\n", rules.CALL), ("C 0 1.000000 2.000000\r\n", rules.CALL),
        ("k 0 1.000000 2.000000", rules.CALL), ("b300 0 1.000000 2.000000\n", rules.raise_to(300)),
        ("r 300 0 1.000000 2.000000\n", rules.raise_to(300)),
        ("c 0 1.000000 2.000000 and so on\n", rules.CALL),
        ("c   0\t1.000000  2.000000\n", rules.CALL), ("c0 1.000000 2.000000\n", rules.CALL),
    ],
)  # fmt: skip
def test_a_transaction_is_read_leniently(line: str, action: rules.Action) -> None:
    assert protocol.records.parse_transaction(line, is_limit=False) == protocol.records.Transaction(
        action, 0, 1_000_000, 2_000_000
    )


@pytest.mark.parametrize("digits", [41, 4301, 100_000])
def test_numbers_of_any_length_saturate_in_a_transaction(digits: int) -> None:
    number = "9" * digits

    entry = protocol.records.parse_transaction(
        f"r{number} {number} {number}.000000 {number}.5\n", is_limit=False
    )

    assert entry.action == rules.raise_to(-1)  # strtol gives 2**63 - 1, of which 32 bits are left
    assert entry.hand_number == 2**32 - 1
    assert entry.seconds < 1


@pytest.mark.parametrize("zeros", [0, 39, 40, 5000])
def test_leading_zeros_count_for_nothing_in_a_transaction(zeros: int) -> None:
    entry = protocol.records.parse_transaction(f"r{'0' * zeros}200 7 1.000000 2.000000\n", is_limit=False)

    assert entry.action == rules.raise_to(200)


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "9" * 5000 + "x", ""])
def test_chips_are_finite_numbers_in_a_log(value: str) -> None:
    with pytest.raises(ValueError, match="expected a"):
        protocol.records.parse_hand(f"STATE:0:cc/cc/cc/cc:AsKs|2c2d/3c4c5c/6c/7c:{value}|0:a|b\n")
    refuses(ValueError, "expected a", protocol.records.parse_score, f"SCORE:{value}|0:a|b\n")


@pytest.mark.parametrize("number", ["-1", "1.0", "9" * 4301, ""])
def test_hands_have_whole_numbers_in_a_log(number: str) -> None:
    with pytest.raises(ValueError, match="expected a whole number"):
        protocol.records.parse_hand(f"STATE:{number}:cc/cc/cc/cc:AsKs|2c2d/3c4c5c/6c/7c:0|0:a|b\n")


@pytest.mark.parametrize(("line", "fault"), lines("records")["bad_transactions"])
def test_a_bad_transaction_is_reported_in_the_acpcs_words(line: str, fault: str) -> None:
    with pytest.raises(protocol.records.TransactionError) as caught:
        protocol.records.parse_transaction(line, is_limit=False)

    assert str(caught.value) == f"ERROR: {fault}"


@given(st.integers(1, 42))
def test_a_torn_transaction_is_never_taken_for_another_action(length: int) -> None:
    """Cut anywhere: refused, or the same action in the same hand with the end of a time stamp missing."""
    line = "r200 7 1795244896.520175 1795244896.520224"

    try:
        entry = protocol.records.parse_transaction(line[:length], is_limit=False)
    except protocol.records.TransactionError:
        return
    assert (entry.action, entry.hand_number) == (rules.raise_to(200), 7)
    assert line[:length].startswith("r200 7 1795244896.520175 1795244896.5")
