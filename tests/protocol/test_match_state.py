"""Match states as text: exact to write, lenient to read."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.cards import format_cards, parse_cards
from engine.poker.rules import (
    CALL,
    GameDefinition,
    HandState,
    HandView,
    initial_hand,
    load_game,
    parse_betting,
)
from protocol import BadMatchState, format_match_state, parse_match_state
from protocol.match_state import HandMessages, read_match_state
from tests.support.doubles_protocol import lines
from tests.support.hands.golden_files import deals_from
from tests.support.hands.strategies import hands, views

LIMIT = load_game("limit-2p")
NO_LIMIT = load_game("nolimit-3p")


def state_of(game: GameDefinition, seed: int, betting: str, hand_number: int = 0) -> HandState:
    return HandState(parse_betting(game, betting), hand_number, next(deals_from(game, seed)))


# From the dialogues of docs/acpc-dealer.md D.1.
@pytest.mark.parametrize(
    ("game", "betting", "position", "message"),
    [
        (LIMIT, "", 0, "MATCHSTATE:0:0::8dJd|"),
        (LIMIT, "", 1, "MATCHSTATE:1:0::|Td4d"),
        (LIMIT, "rc/crf", 1, "MATCHSTATE:1:0:rc/crf:|Td4d/As9d6s"),
        (LIMIT, "cc/cc/cc/cc", 0, "MATCHSTATE:0:0:cc/cc/cc/cc:8dJd|Td4d/As9d6s/3d/6c"),
        (NO_LIMIT, "r300fc/cr600", 0, "MATCHSTATE:0:0:r300fc/cr600:8dJd||/6s3d6c"),
        (NO_LIMIT, "r300fc/cr600c/cc/cc", 0,
         "MATCHSTATE:0:0:r300fc/cr600c/cc/cc:8dJd|Td4d|As9d/6s3d6c/2c/Qc"),
        (NO_LIMIT, "r300fc/cr600c/cc/cc", 2,
         "MATCHSTATE:2:0:r300fc/cr600c/cc/cc:|Td4d|As9d/6s3d6c/2c/Qc"),
    ],
)  # fmt: skip
def test_message_as_recorded(game: GameDefinition, betting: str, position: int, message: str) -> None:
    view = state_of(game, 7, betting).view(position)

    assert format_match_state(view) == message
    assert parse_match_state(message, game) == view


@given(views())
def test_any_view_survives_a_round_trip(view: HandView) -> None:
    text = format_match_state(view)

    assert parse_match_state(text, view.game) == view


@given(hands())
def test_reading_on_from_an_earlier_state_gives_the_same_view(states: list[HandState]) -> None:
    game = states[0].betting.game
    for position in range(game.num_players):
        last = None
        for state in states:
            view = parse_match_state(format_match_state(state.view(position)), game, last)
            assert view == state.view(position)
            last = view.betting


@given(views(), views())
def test_an_unrelated_earlier_state_does_no_harm(view: HandView, other: HandView) -> None:
    other = attrs.evolve(other, betting=parse_betting(view.game, ""))

    assert parse_match_state(format_match_state(view), view.game, other.betting) == view


def test_a_size_that_begins_like_an_earlier_one_is_another_size() -> None:
    """``r2000`` begins with ``r200`` and does not continue it."""
    last = parse_betting(NO_LIMIT, "r200")
    message = "MATCHSTATE:0:1:r2000:8dJd||"

    assert parse_match_state(message, NO_LIMIT, last).betting.text == "r2000"


@given(hands())
def test_prepared_messages_are_the_views_in_whatever_order_they_are_asked_for(
    states: list[HandState],
) -> None:
    players = range(states[0].betting.game.num_players)
    for order in (states, states[::-1]):
        messages = HandMessages(states[0].hand_number, states[0].deal)
        for state in order:
            for position in players:
                expected = format_match_state(state.view(position)).encode("ascii")
                assert messages.message(state, position) == expected


@given(hands())
def test_no_message_contains_cards_that_are_not_to_be_seen(states: list[HandState]) -> None:
    for state in states:
        folded = state.betting.folded
        for viewer in range(state.betting.game.num_players):
            cards = format_match_state(state.view(viewer)).rsplit(":", 1)[1]
            hole_text, _, _ = cards.partition("/")
            in_message = set(parse_cards(hole_text.replace("|", ""))) - set(state.board)
            for position, hole in enumerate(state.deal.hole_cards):
                shown = position == viewer or (state.betting.is_showdown and not folded[position])
                assert in_message.isdisjoint(hole) != shown, (
                    format_match_state(state.view(viewer)),
                    position,
                )


def test_board_cards_of_the_first_round_are_read_although_nothing_marks_them() -> None:
    """docs/acpc-dealer.md 8.13: ``5d|9h`` shows position 0 its own 5d and the board's 9h."""
    game = attrs.evolve(load_game("kuhn-2p"), num_suits=4, num_ranks=13, num_board_cards=(1,))
    state = initial_hand(game, 0, next(deals_from(game, 0)))

    first = format_match_state(state.view(0))
    assert first == f"MATCHSTATE:0:0::{format_cards(state.deal.hole_cards[0])}|{format_cards(state.board)}"
    assert parse_match_state(first, game) == state.view(0)
    assert parse_match_state(format_match_state(state.view(1)), game) == state.view(1)
    end = state.apply(CALL).apply(CALL)
    assert parse_match_state(format_match_state(end.view(0)), game) == end.view(0)


# --- the lenient reader (docs/acpc-dealer.md 5.7) --------------------------------------------------------

EXACT = "MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c"


@pytest.mark.parametrize("text", lines("states")["sloppy"])
def test_a_sloppy_message_is_read_as_the_exact_one(text: str) -> None:
    assert parse_match_state(text, NO_LIMIT) == parse_match_state(EXACT, NO_LIMIT)


@pytest.mark.parametrize(("text", "why"), lines("states")["refused"])
def test_what_is_not_a_match_state_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(BadMatchState, match=why):
        parse_match_state(text, NO_LIMIT)


@given(st.text(alphabet="MATCHSTE:0123456789|/cdhsTJQKAfr \n", max_size=60))
def test_any_text_is_a_match_state_or_refused(text: str) -> None:
    for start in ("", "MATCHSTATE:", "MATCHSTATE:1:0:", "MATCHSTATE:1:0:r300fc/:|Td4d"):
        try:
            view = parse_match_state(start + text, NO_LIMIT)
        except BadMatchState:
            continue
        assert parse_match_state(format_match_state(view), NO_LIMIT) == view


@given(views(), st.integers(0, 100), st.integers(0, 255))
def test_a_message_with_one_byte_changed_is_read_or_refused(view: HandView, place: int, byte: int) -> None:
    text = format_match_state(view)
    place %= len(text)
    text = text[:place] + chr(byte) + text[place + 1 :]
    try:
        changed = parse_match_state(text, view.game)
    except BadMatchState:
        return
    assert changed.position < view.game.num_players


@given(views())
def test_the_exact_and_the_lenient_reader_agree(view: HandView) -> None:
    """But for board cards in the first round, which the lenient one takes for hole cards (8.13)."""
    if not view.game.num_board_cards[0]:
        text = format_match_state(view)
        assert read_match_state(text, view.game) == (view, len(text))


def test_huge_numbers_are_refused_quickly() -> None:
    with pytest.raises(BadMatchState):
        parse_match_state("MATCHSTATE:" + "1" * 10_000 + ":0::|Td4d|", NO_LIMIT)
    with pytest.raises(BadMatchState):
        parse_match_state("MATCHSTATE:1:0:r" + "1" * 10_000 + ":|Td4d|", NO_LIMIT)
