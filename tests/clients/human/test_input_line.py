"""What is typed: words to intentions, intentions to legal actions, bytes to lines."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.human.input_line import (
    MAX_LINE,
    Intention,
    Move,
    Nonsense,
    Query,
    RaiseBy,
    RaiseTo,
    action_of,
    parse_line,
    shown,
)
from clients.human.keyboard_lines import Key, LineAssembler, TelnetDecoder, WindowSize, telnet_text
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, HandView, load_game, parse_betting, raise_to

LIMIT, NO_LIMIT = load_game("limit-2p"), load_game("nolimit-2p")


@pytest.mark.parametrize(
    ("typed", "intention"),
    [
        ("f", Move.FOLD), (" F ", Move.FOLD), ("fold", Move.FOLD),
        ("c", Move.CALL), ("k", Move.CALL), ("call", Move.CALL), ("check", Move.CHECK),
        ("r", Move.RAISE), ("raise", Move.RAISE), ("b", Move.RAISE), ("bet", Move.RAISE),
        ("r 300", RaiseTo(300)), ("r300", RaiseTo(300)), ("raise to 300", RaiseTo(300)),
        ("bet 300", RaiseTo(300)), ("b 007", RaiseTo(7)),
        ("r +200", RaiseBy(200)), ("r+200", RaiseBy(200)), ("raise by 200", RaiseBy(200)),
        ("r pot", Move.RAISE_POT), ("bet half", Move.RAISE_HALF), ("R  HALF", Move.RAISE_HALF),
        ("all in", Move.ALL_IN), ("all-in", Move.ALL_IN), ("r max", Move.ALL_IN), ("bet all in", Move.ALL_IN),
        ("?", Query.HELP), ("odds", Query.ODDS), ("history", Query.HISTORY), ("last", Query.LAST),
        ("quit", Query.QUIT), ("", Query.NOTHING), ("   ", Query.NOTHING), ("table", Query.TABLE),
    ],
)  # fmt: skip
def test_words_are_understood(typed: str, intention: Intention) -> None:
    assert parse_line(typed) == intention


@pytest.mark.parametrize(
    "typed",
    [
        "fo",
        "c 10",
        "r -5",
        "r 3e2",
        "r 1 000",
        "r ٣٠٠",
        "raise300",
        "random",
        "f\x00",
        "\x1b[A",
        "cc",
        "r to",
        "é",
    ],
)
def test_everything_else_is_nonsense_that_can_be_shown(typed: str) -> None:
    intention = parse_line(typed)

    assert isinstance(intention, Nonsense)
    assert intention.text.isascii()
    assert intention.text.isprintable()


def test_too_much_is_nonsense_too() -> None:
    assert isinstance(parse_line("c" * (MAX_LINE + 1)), Nonsense)
    assert isinstance(parse_line("r " + "9" * 30), Nonsense)
    assert shown("x" * 50) == "x" * 37 + "..."


def view(betting: str, game: object = NO_LIMIT) -> HandView:
    definition = LIMIT if game is LIMIT else NO_LIMIT
    node = parse_betting(definition, betting)
    position = node.position_to_act
    assert position is not None
    return HandView(node, position, 0, ((0, 1), (2, 3)), ())


@pytest.mark.parametrize(
    ("betting", "typed", "action"),
    [
        ("", "c", CALL), ("", "f", FOLD), ("", "r", raise_to(200)), ("", "r 350", raise_to(350)),
        ("", "r +200", raise_to(300)),  # on top of the call of 100
        ("", "r pot", raise_to(300)),  # the pot is 200 after the call
        ("r300", "r half", raise_to(600)), ("r300", "r pot", raise_to(900)),
        ("r300c/", "r half", raise_to(600)), ("", "all in", raise_to(20000)),
        ("r12000", "r", raise_to(20000)), ("r20000", "all in", CALL), ("c", "check", CALL),
    ],
)  # fmt: skip
def test_amounts_become_raises(betting: str, typed: str, action: Action) -> None:
    intention = parse_line(typed)
    assert not isinstance(intention, Query | Nonsense)

    assert action_of(intention, view(betting)) == action


@pytest.mark.parametrize(
    ("betting", "typed", "why"),
    [
        ("c", "f", "nothing to call"), ("", "check", "50 to call"), ("", "r 150", "least is to 200"),
        ("", "r 20001", "most is all in, to 20000"), ("r12000", "r 13000", "only raise all in"),
        ("r20000", "r", "no chips left to raise"), ("", "r +20000", "most is all in"),
        ("", "r 0", "least is to 200"), ("r7000", "r pot", "most is all in"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_answered_with_the_reason(betting: str, typed: str, why: str) -> None:
    intention = parse_line(typed)
    assert not isinstance(intention, Query | Nonsense)

    answer = action_of(intention, view(betting))

    assert isinstance(answer, Nonsense)
    assert why in answer.text


def test_a_limit_raise_may_be_named_by_its_amount() -> None:
    assert action_of(RaiseTo(20), view("", LIMIT)) == LIMIT_RAISE
    assert action_of(RaiseBy(10), view("", LIMIT)) == LIMIT_RAISE
    assert isinstance(action_of(RaiseTo(30), view("", LIMIT)), Nonsense)
    assert isinstance(action_of(Move.ALL_IN, view("", LIMIT)), Nonsense)
    answer = action_of(Move.RAISE, view("rrr", LIMIT))
    assert answer == Nonsense("No more raises are allowed in this betting round.")


@given(st.text(), st.lists(st.sampled_from(["c", "r", "f", "r 900"]), max_size=12), st.booleans())
def test_nothing_that_is_typed_becomes_an_illegal_action(typed: str, before: list[str], limit: bool) -> None:
    node = parse_betting(LIMIT if limit else NO_LIMIT, "")
    for line in before:
        if node.position_to_act is None:
            return
        hand = HandView(node, node.position_to_act, 0, ((0, 1), (2, 3)), ())
        for text in (typed, f"r {typed}", line):
            intention = parse_line(text)
            if not isinstance(intention, Query | Nonsense):
                action = action_of(intention, hand)
                assert isinstance(action, Nonsense) or action in node.legal_actions()
        chosen = parse_line(line)
        assert not isinstance(chosen, Query | Nonsense)
        action = action_of(chosen, hand)
        node = node.apply(CALL if isinstance(action, Nonsense) else action)


# --- bytes ---------------------------------------------------------------------------------------------


def test_lines_end_in_every_way_and_can_be_corrected() -> None:
    typed = b"one\r\ntwo\nthree\r\0four\rfuu\x08\x7fold\n\x03\x04last"
    lines = LineAssembler()

    assert lines.feed(typed) == ["one", "two", "three", "four", "fold", Key.INTERRUPT, Key.END]
    assert lines.finish() == ["last"]
    assert lines.finish() == []


def test_a_line_of_a_million_bytes_is_cut_and_over_at_its_end() -> None:
    lines = LineAssembler()

    assert lines.feed(b"c" * 1_000_000) == []
    (line,) = lines.feed(b"\n")
    assert isinstance(line, str)
    assert isinstance(parse_line(line), Nonsense)
    assert lines.feed(b"c\n") == ["c"]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8))
def test_chunks_make_no_difference(data: bytes, cuts: list[int]) -> None:
    whole_telnet, whole_lines = TelnetDecoder(), LineAssembler()
    whole = whole_lines.feed(whole_telnet.feed(data))

    telnet, lines = TelnetDecoder(), LineAssembler()
    pieces: list[str | Key] = []
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    for start, end in itertools.pairwise(edges):
        pieces += lines.feed(telnet.feed(data[start:end]))

    assert pieces == whole
    assert telnet.reply == whole_telnet.reply
    assert telnet.window == whole_telnet.window


def test_telnet_offers_are_declined_and_its_window_is_welcome() -> None:
    telnet = TelnetDecoder()

    # WILL NAWS, WILL TTYPE, DO ECHO, the window, then a line, then Ctrl-C with its timing mark.
    typed = telnet.feed(
        b"\xff\xfb\x1f\xff\xfb\x18\xff\xfd\x01\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0"
        b"c\xff\xf1all\r\n\xff\xff\xff\xf4\xff\xfd\x06"
    )

    assert typed == b"call\r\n\xff\x03"
    assert telnet.reply == b"\xff\xfd\x1f\xff\xfe\x18\xff\xfc\x01\xff\xfc\x06"
    assert telnet.window == WindowSize(80, 24)


def test_text_for_telnet_is_what_telnet_wants() -> None:
    assert telnet_text("K♥ é\n", "ascii") == b"K? ?\r\n"
    assert telnet_text("K♥\n", "utf-8") == "K♥\r\n".encode()
    assert telnet_text("ÿ", "latin-1") == b"\xff\xff"
