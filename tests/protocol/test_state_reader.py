"""The reader of successive messages reads what the reader of single messages reads."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.rules import GameDefinition, HandView, initial_betting, load_game
from protocol import BadMatchState, format_match_state, parse_match_state
from protocol.match_state import MatchStateReader
from tests.support.hands.strategies import games, play


def outcome(read: MatchStateReader | GameDefinition, text: str) -> HandView | str:
    try:
        return read.read(text) if isinstance(read, MatchStateReader) else parse_match_state(text, read)
    except BadMatchState as error:
        return str(error)


def assert_same(reader: MatchStateReader, text: str) -> None:
    ours, expected = outcome(reader, text), outcome(reader.game, text)
    if isinstance(ours, HandView) and isinstance(expected, HandView):
        assert ours.betting.text == expected.betting.text
        assert [step[1:] for step in ours.betting.steps()] == [step[1:] for step in expected.betting.steps()]
        assert (ours.position, ours.hand_number) == (expected.position, expected.hand_number)
        assert (ours.hole_cards, ours.board) == (expected.hole_cards, expected.board)
    else:
        assert ours == expected


def messages(
    game: GameDefinition, choices: list[int], seed: int, hands: int, position: int, skip: set[int]
) -> list[str]:
    """What a client is sent over some hands, some messages left out."""
    texts = []
    for hand_number in range(hands):
        states = play(game, seed + hand_number, choices[hand_number:], hand_number)
        at = (position - hand_number) % game.num_players
        texts += [format_match_state(state.view(at)) for state in states]
    return [text for k, text in enumerate(texts) if k % 7 not in skip]


@given(st.data())
def test_whole_matches(data: st.DataObject) -> None:
    game = data.draw(games())
    texts = messages(
        game,
        data.draw(st.lists(st.integers(0, 1000), min_size=1, max_size=30)),
        data.draw(st.integers(0, 99)),
        3,
        data.draw(st.integers(0, game.num_players - 1)),
        data.draw(st.sets(st.integers(0, 6), max_size=3)),
    )
    reader = MatchStateReader(game)
    for text in texts:
        assert_same(reader, text)


HAND = [
    "MATCHSTATE:0:30::9s8h|", "MATCHSTATE:0:30:c:9s8h|", "MATCHSTATE:0:30:cc/:9s8h|/8c8d5c",
    "MATCHSTATE:0:30:cc/r:9s8h|/8c8d5c", "MATCHSTATE:0:30:cc/rc/:9s8h|/8c8d5c/6s",
    "MATCHSTATE:0:30:cc/rc/rc/:9s8h|/8c8d5c/6s/Kh", "MATCHSTATE:0:30:cc/rc/rc/cc:9s8h|9c6h/8c8d5c/6s/Kh",
]  # fmt: skip


@given(st.data())
def test_messages_spoilt_in_any_place(data: st.DataObject) -> None:
    reader = MatchStateReader(load_game("limit-2p"))
    for text in HAND:
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(text)))
            kept = text[at + data.draw(st.integers(0, 2)) :]
            assert_same(reader, text[:at] + data.draw(st.text("fcr/:|8cKh0 #", max_size=2)) + kept)
        assert_same(reader, text)


def test_a_showdown_that_shows_nothing_new_is_refused() -> None:
    reader = MatchStateReader(load_game("leduc"))
    reader.read("MATCHSTATE:0:0:cc/c:Ks|/Qh")

    with pytest.raises(BadMatchState, match="does not show the cards of position 1"):
        reader.read("MATCHSTATE:0:0:cc/cc:Ks|/Qh")


def test_betting_that_goes_on_is_the_child_of_what_was_read_before() -> None:
    """What lets a client see the new action without walking the hand."""
    reader = MatchStateReader(load_game("limit-2p"))
    views = [reader.read(text) for text in HAND[:4]]

    assert views[0].betting is initial_betting(reader.game)
    for before, after in itertools.pairwise(views[:3]):
        assert after.betting.steps()[-1][0] is before.betting
