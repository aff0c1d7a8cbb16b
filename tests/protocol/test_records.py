"""Lines of the match log and of the transaction log (docs/acpc-dealer.md 6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, HandState, raise_to
from protocol.records import (
    HandRecord,
    Transaction,
    TransactionError,
    format_chips,
    format_hand,
    format_header,
    format_score,
    format_stamp,
    format_transaction,
    parse_hand,
    parse_score,
    parse_transaction,
)
from tests.support.doubles_protocol import lines
from tests.support.hands.strategies import hands


@pytest.mark.parametrize(
    ("chips", "text"),
    [(0, "0"), (0.0, "0"), (-50, "-50"), (0.5, "0.5"), (50 / 3, "16.666667"), (-250 / 3, "-83.333333"),
     (1735.5, "1735.5"), (100, "100"), (-1e-16, "-0"), (-0.0, "-0"), (2.5e-7, "0"), (1e-6, "0.000001"),
     (1e9, "1000000000"), (0.1 + 0.2, "0.3")],
)  # fmt: skip
def test_chips_print_as_in_the_acpcs_logs(chips: float, text: str) -> None:
    assert format_chips(chips) == text


@given(st.floats(-1e9, 1e9))
def test_printed_chips_are_right_to_six_decimals(chips: float) -> None:
    text = format_chips(chips)

    assert float(text) == pytest.approx(chips, abs=5.01e-7)
    assert not text.endswith(".")
    assert "e" not in text


def test_header_as_recorded() -> None:
    assert format_header("match", "leduc.game", 3, "0", 300, 600000, 7000).splitlines(keepends=True) == [
        "# name/game/hands/seed match leduc.game 3 0\n",
        "#--t_response 300\n",
        "#--t_hand 600000\n",
        "#--t_per_hand 7000\n",
    ]


def test_a_record_is_taken_apart() -> None:
    line = "STATE:3:cr3054r16130c/cr18284r20000c//:3hQh|4h3c/QsKsJs/Qc/9s:20000|-20000:p1|p0\n"

    assert parse_hand(line) == HandRecord(
        3, "cr3054r16130c/cr18284r20000c//", "3hQh|4h3c/QsKsJs/Qc/9s", (20000, -20000), ("p1", "p0")
    )


@given(hands())
def test_records_survive_a_round_trip(states: list[HandState]) -> None:
    end = states[-1]
    names = tuple(f"player {k}" for k in range(end.betting.game.num_players))

    record = parse_hand(format_hand(end, end.chips_won(), names))

    assert record is not None
    assert (record.hand_number, record.betting, record.names) == (end.hand_number, end.betting.text, names)
    assert record.chips == pytest.approx(end.chips_won(), abs=1e-6)


@pytest.mark.parametrize(
    "line", ["", "\n", "# name/game/hands/seed x y 1 2\n", "SCORE:1|-1:a|b\n", "state:0"]
)
def test_other_lines_are_not_records(line: str) -> None:
    assert parse_hand(line) is None


@pytest.mark.parametrize("line", lines("records")["torn"])
def test_a_torn_record_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"expected STATE|expected a"):
        parse_hand(line)


def test_score_lines() -> None:
    line = format_score([10, -10.5, -0.0], ["Alice", "Bob", "Carol"])

    assert line == "SCORE:10|-10.5|-0:Alice|Bob|Carol\n"
    assert parse_score(line) == ((10, -10.5, 0), ("Alice", "Bob", "Carol"))
    assert parse_score("STATE:0:f:Ah|Ks:1|-1:a|b\n") is None


# --- the transaction log (6.4) ---------------------------------------------------------------------------


def test_transaction_as_recorded() -> None:
    line = "r200 0 1795244896.520175 1795244896.520224\n"
    entry = Transaction(raise_to(200), 0, 1795244896_520175, 1795244896_520224)

    assert parse_transaction(line, is_limit=False) == entry
    assert format_transaction(entry) == line
    assert entry.seconds == pytest.approx(49e-6)


def test_stamps_have_six_decimals() -> None:
    assert format_stamp(1795244878_000007) == "1795244878.000007"


@given(
    st.sampled_from([FOLD, CALL, LIMIT_RAISE]),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**53),
    st.integers(0, 2**53),
)
def test_transactions_survive_a_round_trip(action: Action, hand: int, sent: int, received: int) -> None:
    entry = Transaction(action, hand, sent, received)

    assert parse_transaction(format_transaction(entry), is_limit=True) == entry


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("c 0 1.000000 2.000000\n", CALL),
        ("C 0 1.000000 2.000000\r\n", CALL),
        ("k 0 1.000000 2.000000", CALL),
        ("b300 0 1.000000 2.000000\n", raise_to(300)),
        ("r 300 0 1.000000 2.000000\n", raise_to(300)),
        ("c 0 1.000000 2.000000 and so on\n", CALL),
        ("c   0\t1.000000  2.000000\n", CALL),
        ("c0 1.000000 2.000000\n", CALL),
    ],
)
def test_a_transaction_is_read_leniently(line: str, action: Action) -> None:
    assert parse_transaction(line, is_limit=False) == Transaction(action, 0, 1_000_000, 2_000_000)


@pytest.mark.parametrize("digits", [41, 4301, 100_000])
def test_numbers_of_any_length_saturate_in_a_transaction(digits: int) -> None:
    number = "9" * digits

    entry = parse_transaction(f"r{number} {number} {number}.000000 {number}.5\n", is_limit=False)

    assert entry.action == raise_to(-1)  # strtol gives 2**63 - 1, of which 32 bits are left
    assert entry.hand_number == 2**32 - 1
    assert entry.seconds < 1


@pytest.mark.parametrize("zeros", [0, 39, 40, 5000])
def test_leading_zeros_count_for_nothing_in_a_transaction(zeros: int) -> None:
    entry = parse_transaction(f"r{'0' * zeros}200 7 1.000000 2.000000\n", is_limit=False)

    assert entry.action == raise_to(200)


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "9" * 5000 + "x", ""])
def test_chips_are_finite_numbers_in_a_log(value: str) -> None:
    with pytest.raises(ValueError, match="expected a"):
        parse_hand(f"STATE:0:cc/cc/cc/cc:AsKs|2c2d/3c4c5c/6c/7c:{value}|0:a|b\n")
    with pytest.raises(ValueError, match="expected a"):
        parse_score(f"SCORE:{value}|0:a|b\n")


@pytest.mark.parametrize("number", ["-1", "1.0", "9" * 4301, ""])
def test_hands_have_whole_numbers_in_a_log(number: str) -> None:
    with pytest.raises(ValueError, match="expected a whole number"):
        parse_hand(f"STATE:{number}:cc/cc/cc/cc:AsKs|2c2d/3c4c5c/6c/7c:0|0:a|b\n")


@pytest.mark.parametrize(("line", "fault"), lines("records")["bad_transactions"])
def test_a_bad_transaction_is_reported_in_the_acpcs_words(line: str, fault: str) -> None:
    with pytest.raises(TransactionError) as caught:
        parse_transaction(line, is_limit=False)

    assert str(caught.value) == f"ERROR: {fault}"


@given(st.integers(1, 42))
def test_a_torn_transaction_is_never_taken_for_another_action(length: int) -> None:
    """Cut anywhere: refused, or the same action in the same hand with the end of a time stamp missing."""
    line = "r200 7 1795244896.520175 1795244896.520224"

    try:
        entry = parse_transaction(line[:length], is_limit=False)
    except TransactionError:
        return
    assert (entry.action, entry.hand_number) == (raise_to(200), 7)
    assert line[:length].startswith("r200 7 1795244896.520175 1795244896.5")
