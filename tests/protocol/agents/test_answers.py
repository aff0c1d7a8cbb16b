import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, raise_to
from protocol.agents.answers import (
    READINGS,
    BadFormat,
    Illegal,
    Reading,
    answer_of,
    as_answer,
    default_action,
    parse_json,
)
from protocol.agents.observation import observe
from tests.support.hands.views import view_after

OPEN, FACING, LIMIT = (
    view_after("nolimit-2p", "c"),
    view_after("nolimit-2p", "r300"),
    view_after("limit-2p", "c"),
)
VIEWS = [OPEN, FACING, LIMIT, view_after("nolimit-2p", "r20000"), view_after("limit-2p", "rrr")]


@pytest.mark.parametrize(
    ("view", "answer", "strict", "clamp"),
    [
        (FACING, {"do": "fold"}, FOLD, FOLD),
        (FACING, {"do": "call", "to": 7}, CALL, CALL),
        (FACING, {"do": "raise", "to": 900}, raise_to(900), raise_to(900)),
        (FACING, {"do": "bet", "to": 900}, raise_to(900), raise_to(900)),
        (FACING, {"do": "all_in"}, raise_to(20000), raise_to(20000)),
        (FACING, {"do": "check"}, "cannot check: there are 200", CALL),
        (FACING, {"do": "raise", "to": 301}, "least is to 500", raise_to(500)),
        (FACING, {"do": "raise", "to": 99999}, "most is all in", raise_to(20000)),
        (OPEN, {"do": "fold"}, "nothing to call", CALL),
        (OPEN, {"do": "call"}, CALL, CALL),
        (VIEWS[3], {"do": "all_in"}, CALL, CALL),
        (VIEWS[3], {"do": "raise", "to": 20000}, "no chips left", CALL),
        (LIMIT, {"do": "raise"}, LIMIT_RAISE, LIMIT_RAISE),
        (LIMIT, {"do": "raise", "to": 20}, LIMIT_RAISE, LIMIT_RAISE),
        (LIMIT, {"do": "raise", "to": 35}, "the raise is to 20", LIMIT_RAISE),
        (VIEWS[4], {"do": "raise"}, "No more raises", CALL),
        (FACING, {"do": "All-in"}, BadFormat, raise_to(20000)),
        (FACING, {"do": "raise", "to": "900"}, BadFormat, raise_to(900)),
        (FACING, {"do": "raise", "to": 900.0}, BadFormat, raise_to(900)),
        (FACING, {"do": "call", "to": None}, BadFormat, CALL),
        (FACING, {"do": "raise"}, BadFormat, BadFormat),
        (FACING, {"do": "raise", "to": True}, BadFormat, BadFormat),
        (FACING, {"do": "raise", "to": "lots"}, BadFormat, BadFormat),
        (FACING, {"do": "raise", "to": float("inf")}, BadFormat, BadFormat),
        (FACING, {"do": "dance"}, BadFormat, BadFormat),
        (FACING, {"do": "call", "why": "I feel it"}, BadFormat, BadFormat),
        (FACING, ["call"], BadFormat, BadFormat),
        (FACING, {}, BadFormat, BadFormat),
    ],
)
def test_answers_are_played_as_written_or_as_the_dealer_would(
    view: Any, answer: Any, strict: Any, clamp: Any
) -> None:
    if isinstance(strict, Action):
        assert answer_of(answer, view).action == strict
    else:
        with pytest.raises(Illegal if isinstance(strict, str) else BadFormat) as refused:
            answer_of(answer, view)
        assert isinstance(strict, type) or strict in str(refused.value)
    if isinstance(clamp, Action):
        found = answer_of(answer, view, "clamp")
        assert found.action == clamp
        assert bool(found.illegal) == isinstance(strict, str)  # counted under both readings
    else:
        with pytest.raises(BadFormat):
            answer_of(answer, view, "clamp")


def anything() -> st.SearchStrategy[Any]:
    words = st.sampled_from(["fold", "check", "call", "bet", "raise", "all_in", "ALL IN", ""])
    totals = st.one_of(st.integers(), st.floats(), st.text(max_size=5), st.none(), st.integers(0, 21000))
    members = st.fixed_dictionaries({}, optional={"do": st.one_of(words, totals), "to": totals})
    return st.one_of(members, st.dictionaries(st.sampled_from(["do", "to", "x"]), totals), totals)


@pytest.mark.parametrize("tries", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_whatever_is_answered_is_legal_or_refused_with_a_sentence(tries: int) -> None:
    @settings(max_examples=tries)
    @given(st.sampled_from(VIEWS), anything(), st.sampled_from(READINGS))
    def check(view: Any, answer: Any, reading: Reading) -> None:
        try:
            found = answer_of(answer, view, reading)
        except (BadFormat, Illegal) as error:
            said.add(str(error))
        else:
            assert found.action in view.legal_actions()

    said: set[str] = set()
    check()

    assert all(each.isascii() and len(each) < 200 for each in said)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[" * 5000 + "]" * 5000, "[" * 65 + "]" * 65,
        '{"to": NaN}', '{"to": Infinity}', '{"to": ' + "9" * 5000 + "}",
        '{"do": "\\ud800"}', " " * 20_000, "I fold.", b"\xff\xfe\x00",
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(BadFormat, match=r"not JSON|at most"):
        parse_json(text)


def test_an_action_as_an_answer_is_read_as_itself() -> None:
    for view in VIEWS:
        legal = view.legal_actions()
        for action in {
            CALL,
            legal.nearest(FOLD),
            legal.raising_to(),
            legal.raising_to(5000),
            default_action(view),
        }:
            written = json.loads(json.dumps(as_answer(action)))
            assert answer_of(written, view).action == action
        assert observe(view, 0)["legal"]["fold"] == (default_action(view) == FOLD)
