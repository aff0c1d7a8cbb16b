"""Reading game files as leniently as the ACPC reader, refusing them in its words (docs/acpc-dealer.md 1)."""

import contextlib
import re
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from engine.poker.rules import (
    ALIASES,
    GameDefinition,
    GameDefinitionError,
    format_game,
    load_game,
    packaged_games,
    parse_game,
)
from engine.poker.rules.game_definition import UNLIMITED_RAISES, UNLIMITED_STACK
from engine.poker.rules.game_file import wrap_int32, wrap_unsigned
from tests.support.asserting import known, refuses
from tests.support.cases import cases
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import games

LIMIT = """GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 10 5
raiseSize = 10 20
firstPlayer = 2 1
maxRaises = 3 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3
END GAMEDEF
"""


def changed(keyword: str, line: str | None, text: str = LIMIT) -> str:
    """`text` with the line of a keyword replaced; left out for None."""
    lines = [line if old.startswith(keyword) else old for old in text.splitlines()]
    return "\n".join(new for new in lines if new is not None) + "\n"


# --- the shipped games ---------------------------------------------------------------------------------


def frozen(field: Any) -> Any:
    return tuple(field) if isinstance(field, list) else field


# docs/acpc-dealer.md 1.4
SHIPPED = {name: GameDefinition(*map(frozen, fields)) for name, *fields in cases(__file__, "shipped games")}


@pytest.mark.parametrize("name", SHIPPED)
def test_packaged_game_is_the_acpcs(name: str) -> None:
    assert load_game(name) == SHIPPED[name] == golden_game(name)


def test_packaged_toy_games_are_the_ones_of_the_golden_logs() -> None:
    assert load_game("leduc") == golden_game("leduc")
    assert load_game("kuhn-2p") == golden_game("kuhn2p")


@pytest.mark.parametrize("players", [6, 10])
def test_full_ring_tables_are_the_three_player_game_with_stacks_and_more_seats(players: int) -> None:
    expected = attrs.evolve(
        load_game("limit-3p"),
        num_players=players,
        blinds=(5, 10) + (0,) * (players - 2),
        stacks=(100_000,) * players,
    )

    assert load_game(f"limit-{players}p") == expected


def test_a_game_is_found_by_path_by_name_and_by_alias(tmp_path: Path) -> None:
    path = tmp_path / "limit-2p"
    path.write_text(LIMIT)

    assert load_game(str(path)) == parse_game(LIMIT)
    assert load_game("holdem.limit.2p.reverse_blinds") == load_game("limit-2p") != parse_game(LIMIT)
    assert {ALIASES[alias] for alias in ALIASES} <= set(packaged_games())


def test_a_file_in_the_current_folder_goes_before_a_packaged_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "leduc").write_text(LIMIT)
    monkeypatch.chdir(tmp_path)

    assert load_game("leduc") == parse_game(LIMIT)


@pytest.mark.parametrize("name", ["no-such-game", "../games/leduc", "games/leduc", "leduc.game", ""])
def test_a_game_that_is_nowhere_is_an_error_of_the_file_system(name: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - which of them depends on the name
        load_game(name)


# --- leniency (docs/acpc-dealer.md 1.1) ----------------------------------------------------------------

SAME_AS_LIMIT = {name: changed(keyword, line) for name, keyword, line in cases(__file__, "the same line")} | {
    "a comment": "# hello\n" + LIMIT,
    "an empty line": "\n\n" + LIMIT,
    "an unknown keyword": "colour = blue\n" + LIMIT,
    "a line that begins with a blank": " numPlayers = 7\n" + LIMIT,
    "a line of CR": LIMIT.replace("blind", "\r\nblind", 1),
    "DOS line ends": LIMIT.replace("\n", "\r\n"),
    "no GAMEDEF": LIMIT.replace("GAMEDEF\n", "", 1),
    "no END GAMEDEF": LIMIT.replace("END GAMEDEF\n", ""),
    "no line end at the end": LIMIT.rstrip("\n"),
    "text behind END GAMEDEF": LIMIT + "numPlayers = 7\n",
    "END GAMEDEF in small letters": LIMIT.replace("END", "end") + "numPlayers = 7\n",
    "two blanks do not end the definition": changed("END", None)
    + changed("numPlayers", "numPlayers = 2", "END  GAMEDEF\n"),
    "any order": "".join(reversed(LIMIT.splitlines(keepends=True)[1:-1])),
    "the last type wins": "nolimit\n" + LIMIT,
    "the last number wins": "numPlayers = 5\n" + LIMIT,
    "an overlong line": "#" + "x" * 10_000 + "\n" + LIMIT,
    "a repeated list overwrites from its first item": changed(
        "firstPlayer", "firstPlayer = 1 1\nfirstPlayer = 2"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAME_AS_LIMIT)
def test_lenient_reading_changes_nothing(case: str) -> None:
    assert parse_game(SAME_AS_LIMIT[case]) == parse_game(LIMIT)


def test_keywords_are_prefixes() -> None:
    game = parse_game(changed("limit", "nolimitxyz"))
    assert not game.is_limit
    assert (
        refuses(GameDefinitionError, "", parse_game, changed("blind", "blinds = 10 5")).acpc_line
        == "only read 0 blinds, need 2"
    )


def test_an_overlong_line_is_read_in_pieces() -> None:
    piece = "#" + "x" * 4094

    assert parse_game(f"{piece}numRounds = 1\n{changed('numRounds', None)}").num_rounds == 1


@pytest.mark.parametrize(
    ("line", "items"), [("blind = 1,1", 1), ("blind = 1.5 1", 1), ("blind = 0x10 1", 1), ("blind = x", 0)]
)
def test_a_list_ends_at_the_first_thing_that_is_no_integer(line: str, items: int) -> None:
    assert (
        refuses(GameDefinitionError, "", parse_game, changed("blind", line)).acpc_line
        == f"only read {items} blinds, need 2"
    )


def test_defaults_are_unlimited_stacks_and_raises_and_player_one_first() -> None:
    text = changed("firstPlayer", None, changed("maxRaises", None))

    game = parse_game(text)

    assert game.stacks == (UNLIMITED_STACK,) * 2
    assert game.max_raises == (UNLIMITED_RAISES,) * 2
    assert game.first_positions == (0, 0)


def test_a_byte_that_is_not_text_is_skipped_over() -> None:
    assert parse_game(b"\xff\xfe\n" + LIMIT.encode()) == parse_game(LIMIT)


# The ACPC's reader leaves these to C's strtol and strtoul, which saturate at 64 bits before truncation.
@pytest.mark.parametrize(
    ("value", "wrapped"),
    [(5, 5), (2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (2**32 + 300, 300), (-(2**31) - 1, 2**31 - 1),
     (2**63 - 1, -1), (2**63, -1), (10**30, -1), (-(2**63), 0), (-(10**30), 0)],
)  # fmt: skip
def test_signed_numbers_wrap_at_32_bits(value: int, wrapped: int) -> None:
    assert wrap_int32(value) == wrapped


@pytest.mark.parametrize(
    ("value", "wrapped"),
    [(5, 5), (255, 255), (256, 0), (258, 2), (300, 44), (-1, 255), (2**64 - 1, 255), (2**64, 255),
     (2**64 + 1, 255), (-(2**64) + 1, 1), (-(2**64), 255)],
)  # fmt: skip
def test_unsigned_numbers_wrap_and_saturate_at_64_bits(value: int, wrapped: int) -> None:
    assert wrap_unsigned(value, 8) == wrapped


# --- validation (docs/acpc-dealer.md 1.3) --------------------------------------------------------------

FAULTS = [(changed(keyword, line), acpc_line) for keyword, line, acpc_line in cases(__file__, "faults")]
FAULTS.append(("", "invalid number of rounds: 0"))


@pytest.mark.parametrize(("text", "acpc_line"), FAULTS)
def test_fault_is_reported_in_the_acpcs_words_and_in_ours(text: str, acpc_line: str) -> None:
    refused = refuses(GameDefinitionError, "^games/mine.game:", parse_game, text, source="games/mine.game")

    assert refused.acpc_line == acpc_line


def test_faults_are_found_in_the_acpcs_order() -> None:
    text = "numRounds = 9\nnumPlayers = 99\nstack =\nfirstPlayer = 77\n"
    # In the order in which the ACPC's reader looks.
    repairs = {
        "numRounds": "numRounds = 2", "numPlayers": "numPlayers = 2", "stack": "stack = 100 100",
        "blind": "blind = 1 2", "raiseSize": "raiseSize = 2 4", "firstPlayer": "firstPlayer = 1 1",
        "numSuits": "numSuits = 4", "numRanks": "numRanks = 13", "numHoleCards": "numHoleCards = 2",
        "numBoardCards": "numBoardCards = 0 3",
    }  # fmt: skip

    found: list[str] = []
    for _ in repairs:
        found.append(known(refuses(GameDefinitionError, "", parse_game, text).field))
        text += repairs[found[-1]] + "\n"

    assert found == list(repairs)
    parse_game(text)


def test_our_line_names_the_line_of_the_file() -> None:
    with pytest.raises(GameDefinitionError, match=r"^mine\.game:10: numRanks: expected 1 to 13, got 14$"):
        parse_game(changed("numRanks", "numRanks = 14"), source="mine.game")
    missing = r"^mine\.game: no such line, numRanks: expected 1 to 13, got 0$"
    refuses(GameDefinitionError, missing, parse_game, changed("numRanks", None), source="mine.game")


MEANINGLESS = [
    ("blind", "blnd = 10 5", r":5: 'blnd = 10 5' means nothing \(did you mean blind\?\)"),
    ("blind", "blind = 10 5 junk", ":5: 'junk' means nothing"),
    ("numSuits", "numSuits = 4 wibble", ":9: 'wibble' means nothing"),
    ("maxRaises", "maxRaisess = 3 4", ":8: 's = 3 4' means nothing"),
    ("limit", "limit wibble", ":2: 'wibble' means nothing"),
]


@pytest.mark.parametrize("case", MEANINGLESS)
def test_a_word_that_means_nothing_is_refused_or_warned_of(
    case: tuple[str, str, str], tmp_path: Path
) -> None:
    """A remark is none."""
    old, line, said = case
    path = tmp_path / "mine.game"
    path.write_text(changed(old, line).replace("= 13", "= 13 # all"))
    warnings: list[str] = []

    refuses(GameDefinitionError, f"^{re.escape(str(path))}{said}$", load_game, str(path))
    with contextlib.suppress(GameDefinitionError):
        load_game(str(path), warnings.append)

    assert [True for each in warnings if re.fullmatch(f"{re.escape(str(path))}{said}", each)] == [True]


# What the ACPC reader lets pass, and its dealer then cannot play (docs/acpc-dealer.md 8.10-8.14).
UNPLAYABLE = {
    "more than 7 board cards": (changed("numBoardCards", "numBoardCards = 4 4"), "8 board cards"),
    "a stack of nothing": (changed("blind", "blind = 0 0\nstack = 0 100"), "stack of 0"),
    "a stack below nothing": (changed("blind", "blind = -9 0\nstack = -5 100"), "stack of -5"),
    "a blind below nothing": (changed("blind", "blind = -1 5"), "posts -1"),
    "a raise below nothing": (changed("raiseSize", "raiseSize = 10 -1"), "raise size is negative: -1"),
}


@pytest.mark.parametrize("case", UNPLAYABLE)
def test_what_no_dealer_can_play_is_refused_in_our_words(case: str) -> None:
    text, message = UNPLAYABLE[case]

    assert refuses(GameDefinitionError, message, parse_game, text).acpc_line is None


@pytest.mark.parametrize(
    ("field", "values"),
    [("stacks", (9, 9, 9)), ("blinds", (1, 2, 0)), ("raise_sizes", (1, 2, 3)),
     ("first_positions", (0, 0, 0)), ("max_raises", (1, 1, 1)), ("num_board_cards", (0, 3, 0)),
     ("max_raises", (3, -1)), ("num_board_cards", (3, -1))],
)  # fmt: skip
def test_a_definition_made_by_a_program_is_checked_too(field: str, values: tuple[int, ...]) -> None:
    game = parse_game(changed("blind", "blind = 1 2\nstack = 9 9"))

    changes: dict[str, Any] = {field: values}
    refuses(GameDefinitionError, "", attrs.evolve, game, **changes)


# --- round trips -------------------------------------------------------------------------------------


@given(games())
def test_any_game_survives_a_round_trip(game: GameDefinition) -> None:
    assert parse_game(format_game(game)) == game
    assert parse_game(format_game(game).replace("\n", "\r\n").encode()) == game


@given(st.text(alphabet="numRlistackbdfrGAMEDEF 0123456789=-+\n#", max_size=300))
def test_any_text_is_a_game_or_refused(text: str) -> None:
    refuses(GameDefinitionError, "", parse_game, text)
