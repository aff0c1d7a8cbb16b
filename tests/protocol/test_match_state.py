"""Match states and policies as text: exact to write, lenient to read."""

from __future__ import annotations

import base64
import itertools
import random
import zlib

import attrs
import pytest
from hypothesis import given, settings, strategies as st

from engine.poker import rules
from engine.poker.cards import format_cards, parse_cards
from protocol import BadMatchState, format_match_state, parse_match_state, policy
from protocol.framing import MAX_LINE
from protocol.match_state import HandMessages, MatchStateReader, read_match_state
from tests.support.asserting import refuses
from tests.support.doubles_protocol import lines
from tests.support.hands.golden_files import deals_from
from tests.support.hands.strategies import games, hands, play, views

# --- Match states as text -----------------------------------------------------------------------------------

LIMIT = rules.load_game("limit-2p")
NO_LIMIT = rules.load_game("nolimit-3p")


def state_of(game: rules.GameDefinition, seed: int, betting: str, hand_number: int = 0) -> rules.HandState:
    return rules.HandState(rules.parse_betting(game, betting), hand_number, next(deals_from(game, seed)))


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
def test_message_as_recorded(game: rules.GameDefinition, betting: str, position: int, message: str) -> None:
    view = state_of(game, 7, betting).view(position)

    assert format_match_state(view) == message
    assert parse_match_state(message, game) == view


@given(views())
def test_any_view_survives_a_round_trip(view: rules.HandView) -> None:
    text = format_match_state(view)

    assert parse_match_state(text, view.game) == view


def test_a_size_that_begins_like_an_earlier_one_is_another_size() -> None:
    """``r2000`` begins with ``r200`` and does not continue it."""
    reader = MatchStateReader(NO_LIMIT)

    for betting in ("r200", "r2000"):
        assert reader.read(f"MATCHSTATE:0:1:{betting}:8dJd||").betting.text == betting


@given(hands())
def test_prepared_messages_are_the_views_in_whatever_order_they_are_asked_for(
    states: list[rules.HandState],
) -> None:
    players = range(states[0].betting.game.num_players)
    for order in (states, states[::-1]):
        messages = HandMessages(states[0].hand_number, states[0].deal)
        for state in order:
            for position in players:
                expected = format_match_state(state.view(position)).encode("ascii")
                assert messages.message(state, position) == expected


@given(hands())
def test_no_message_contains_cards_that_are_not_to_be_seen(states: list[rules.HandState]) -> None:
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
    game = attrs.evolve(rules.load_game("kuhn-2p"), num_suits=4, num_ranks=13, num_board_cards=(1,))
    state = rules.initial_hand(game, 0, next(deals_from(game, 0)))

    first = format_match_state(state.view(0))
    assert first == f"MATCHSTATE:0:0::{format_cards(state.deal.hole_cards[0])}|{format_cards(state.board)}"
    assert parse_match_state(first, game) == state.view(0)
    assert parse_match_state(format_match_state(state.view(1)), game) == state.view(1)
    end = state.apply(rules.CALL).apply(rules.CALL)
    assert parse_match_state(format_match_state(end.view(0)), game) == end.view(0)


# --- the lenient reader (docs/acpc-dealer.md 5.7) --------------------------------------------------------

EXACT = "MATCHSTATE:1:0:r300fc/:|Td4d|/6s3d6c"


@pytest.mark.parametrize("text", lines("states")["sloppy"])
def test_a_sloppy_message_is_read_as_the_exact_one(text: str) -> None:
    assert parse_match_state(text, NO_LIMIT) == parse_match_state(EXACT, NO_LIMIT)


@pytest.mark.parametrize(("text", "why"), lines("states")["refused"])
def test_what_is_not_a_match_state_is_refused_with_a_reason(text: str, why: str) -> None:
    refuses(BadMatchState, why, parse_match_state, text, NO_LIMIT)


@given(st.text(alphabet="MATCHSTE:0123456789|/cdhsTJQKAfr \n", max_size=60))
def test_any_text_is_a_match_state_or_refused(text: str) -> None:
    for start in ("", "MATCHSTATE:", "MATCHSTATE:1:0:", "MATCHSTATE:1:0:r300fc/:|Td4d"):
        try:
            view = parse_match_state(start + text, NO_LIMIT)
        except BadMatchState:
            continue
        assert parse_match_state(format_match_state(view), NO_LIMIT) == view


@given(views(), st.integers(0, 100), st.integers(0, 255))
def test_a_message_with_one_byte_changed_is_read_or_refused(
    view: rules.HandView, place: int, byte: int
) -> None:
    text = format_match_state(view)
    place %= len(text)
    text = text[:place] + chr(byte) + text[place + 1 :]
    try:
        changed = parse_match_state(text, view.game)
    except BadMatchState:
        return
    assert changed.position < view.game.num_players


@given(views())
def test_the_exact_and_the_lenient_reader_agree(view: rules.HandView) -> None:
    """But for board cards in the first round, which the lenient one takes for hole cards (8.13)."""
    if not view.game.num_board_cards[0]:
        text = format_match_state(view)
        assert read_match_state(text, view.game) == (view, len(text))


def test_huge_numbers_are_refused_quickly() -> None:
    with pytest.raises(BadMatchState):
        parse_match_state("MATCHSTATE:" + "1" * 10_000 + ":0::|Td4d|", NO_LIMIT)
    with pytest.raises(BadMatchState):
        parse_match_state("MATCHSTATE:1:0:r" + "1" * 10_000 + ":|Td4d|", NO_LIMIT)


# --- The reader of successive messages reads what the reader of single messages reads -----------------------


def outcome(read: MatchStateReader | rules.GameDefinition, text: str) -> rules.HandView | str:
    try:
        return read.read(text) if isinstance(read, MatchStateReader) else parse_match_state(text, read)
    except BadMatchState as error:
        return str(error)


def assert_same(reader: MatchStateReader, text: str) -> None:
    ours, expected = outcome(reader, text), outcome(reader.game, text)
    if isinstance(ours, rules.HandView) and isinstance(expected, rules.HandView):
        assert ours.betting.text == expected.betting.text
        assert [step[1:] for step in ours.betting.steps()] == [step[1:] for step in expected.betting.steps()]
        assert (ours.position, ours.hand_number) == (expected.position, expected.hand_number)
        assert (ours.hole_cards, ours.board) == (expected.hole_cards, expected.board)
    else:
        assert ours == expected


def messages(
    game: rules.GameDefinition, choices: list[int], seed: int, hands: int, position: int, skip: set[int]
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
        game, data.draw(st.lists(st.integers(0, 1000), min_size=1, max_size=30)),
        data.draw(st.integers(0, 99)), 3, data.draw(st.integers(0, game.num_players - 1)),
        data.draw(st.sets(st.integers(0, 6), max_size=3)),
    )  # fmt: skip
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
    reader = MatchStateReader(rules.load_game("limit-2p"))
    for text in HAND:
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(text)))
            kept = text[at + data.draw(st.integers(0, 2)) :]
            assert_same(reader, text[:at] + data.draw(st.text("fcr/:|8cKh0 #", max_size=2)) + kept)
        assert_same(reader, text)


def test_a_showdown_that_shows_nothing_new_is_refused() -> None:
    reader = MatchStateReader(rules.load_game("leduc"))
    reader.read("MATCHSTATE:0:0:cc/c:Ks|/Qh")

    with pytest.raises(BadMatchState, match="does not show the cards of position 1"):
        reader.read("MATCHSTATE:0:0:cc/cc:Ks|/Qh")


def test_betting_that_goes_on_is_the_child_of_what_was_read_before() -> None:
    """What lets a client see the new action without walking the hand."""
    reader = MatchStateReader(rules.load_game("limit-2p"))
    views = [reader.read(text) for text in HAND[:4]]

    assert views[0].betting is rules.initial_betting(reader.game)
    for before, after in itertools.pairwise(views[:3]):
        assert after.betting.steps()[-1][0] is before.betting


# --- Policies -----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.sampled_from((1, 3, 6, 169, 1326)),
    st.integers(2, 3),
    st.integers(0, 2**32),
    st.text("crf/", max_size=12),
)
def test_policies_survive_the_wire_and_the_file(rows: int, columns: int, seed: int, betting: str) -> None:
    rng = random.Random(seed)
    folds = [rng.choice((0, policy.ONE, rng.randrange(1000))) for _ in range(rows)]
    raises = [min(rng.choice((0, 500, rng.randrange(policy.ONE))), policy.ONE - fold) for fold in folds]
    sizes = [rng.choice((0, policy.ONE)) for _ in range(rows)]
    sent = [policy.write_numbers(numbers) for numbers in (folds, raises, sizes)[:columns]]

    line = policy.format_policy(17, betting, sent).encode() + b"\r\n"
    record = policy.parse_record(policy.format_record(1, line))

    assert len(line) <= MAX_LINE
    assert policy.names_state(line, 17, betting)
    assert not policy.names_state(line.rstrip(), 17, betting)
    assert not policy.names_state(line, 18, betting)
    assert not policy.names_state(line, 17, betting + "c")
    assert record is not None
    assert (record.seat, record.hand_number, record.betting, record.rows) == (1, 17, betting, rows)
    for received, numbers in zip(record.columns, (folds, raises, sizes), strict=False):
        assert (
            max(abs(a - b) for a, b in zip(policy.read_numbers(received), numbers, strict=True))
            <= policy.ONE / 1000
        )


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_the_worst_of_policies_fits_and_stays_possible(seed: int) -> None:
    rng = random.Random(seed)
    folds = [rng.randrange(1, policy.ONE - 1) for _ in range(1326)]
    raises = [rng.randrange(1, policy.ONE - fold) for fold in folds]
    columns = [
        policy.write_numbers(folds),
        policy.write_numbers(raises),
        policy.write_numbers([rng.randrange(policy.ONE) for _ in folds]),
    ]

    line = policy.format_policy(10**9, "r20000" * 8, columns[:2])
    record = policy.parse_record(policy.format_record(0, line.encode()))

    assert len(line) + 2 <= MAX_LINE
    assert record is not None
    for fold, raise_, old_fold, old_raise in zip(
        *map(policy.read_numbers, record.columns), folds, raises, strict=True
    ):
        assert abs(fold - old_fold) <= policy.ONE / 128
        assert abs(raise_ - old_raise) <= policy.ONE / 128
        assert min(fold, raise_, policy.ONE - fold - raise_) > 0


def packed(*columns: list[int]) -> str:
    raw = b"".join(
        policy.write_numbers(column)[::2] + policy.write_numbers(column)[1::2] for column in columns
    )
    return base64.b85encode(zlib.compress(raw)).decode()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "expected SEAT HAND"),
        ("0 1 - 1", "expected SEAT HAND"),
        ("0 1 - 1 " + packed([0], [0]) + " more", "expected SEAT HAND"),
        ("x 1 - 1 " + packed([0], [0]), "whole numbers"),
        ("0 -1 - 1 " + packed([0], [0]), "whole numbers"),
        ("0 1 - " + "9" * 5000 + " " + packed([0], [0]), "whole numbers"),
        ("0 1 - 0 " + packed([], []), "1 to 1326"),
        ("0 1 - 1 é", "base 85"),
        ("0 1 - 1 abcde", "decompressed"),
        ("0 1 - 1 ~~~~~", "base 85"),
        ("0 1 - 1 " + packed([0], [0])[:-5], "columns of 1"),
        ("0 1 - 1 " + packed([0]), "columns of 1"),
        ("0 1 - 169 " + packed([0] * 168, [0] * 168), "columns of 169"),
        ("0 1 - 1 " + base64.b85encode(zlib.compress(bytes(10**7))).decode(), "columns of 1"),
        ("0 1 - 1 " + packed([40000], [40000]), "more than one"),
    ],
)
def test_what_is_not_a_policy_is_refused(line: str, why: str) -> None:
    refuses(ValueError, why, policy.parse_record, line)


def test_the_header_is_a_comment() -> None:
    assert policy.parse_record(policy.FILE_HEADER) is None


@pytest.mark.parametrize(
    "line", [b"#policy 1 - 1 a b", b"#policy 1 - 1", b"#policy 1  - 1 a", b"#Policy 1 - 1 a"]
)
def test_the_house_keeps_only_lines_of_five_words(line: bytes) -> None:
    assert not policy.names_state(line + b"\n", 1, "")


@pytest.mark.parametrize("columns", [[], [b"ab"], [b"ab", b"abcd"], [b"ab" * 1327] * 2, [b"ab"] * 4])
def test_other_columns_are_refused(columns: list[bytes]) -> None:
    refuses(ValueError, "expected 2 or 3 columns", policy.format_policy, 0, "", columns)
