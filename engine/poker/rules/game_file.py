"""ACPC game files: text to `GameDefinition` and back, and the games that come with the package.

The reader is as lenient as the ACPC's (docs/acpc-dealer.md 1.1): keywords are case-insensitive prefixes at
the start of a line, what is not recognised is skipped, lists end at the first thing that is not an
integer, small numbers wrap at 8 bits and chips at 32.

Extensions are the lines ``ante = 5``, or a number for each position (`GameDefinition.antes`), ``rake = 5 %
up to 60 chips`` (`GameDefinition.rake`), ``leastBet = 100`` (`GameDefinition.least_bet`) and ``shortRaises =
closed`` (`GameDefinition.short_raises_reopen`).  The ACPC's reader would skip them and play another
game.  So a file with one of them calls its blinds ``blinds``, where that reader finds no number and refuses
the file; ours accepts both words in such a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine.poker.rules.errors import GameDefinitionError
from engine.poker.rules.game_definition import (
    MAX_PLAYERS,
    MAX_ROUNDS,
    NO_RAKE,
    UNLIMITED_RAISES,
    UNLIMITED_STACK,
    GameDefinition,
    Rake,
)
from engine.support.user_input import did_you_mean

_GAMES: Final = Path(__file__).parent / "games"
_SUFFIX: Final = ".game"

ALIASES: Final = {
    "limit-2p": "holdem.limit.2p.reverse_blinds",
    "limit-3p": "holdem.limit.3p",
    "nolimit-2p": "holdem.nolimit.2p.reverse_blinds",
    "nolimit-3p": "holdem.nolimit.3p",
    "nolimit-6p": "holdem.nolimit.6p",
    "kuhn-3p": "kuhn.limit.3p",
}
"""Short names of the ACPC's own games."""

_MAX_LINE: Final = 4095
_MAX_DIGITS: Final = 40
_SEPARATORS: Final = b" \t\n\v\f\r="
_INTEGER: Final = re.compile(rb"[+-]?[0-9]+")
_VALUES: Final = re.compile(rb"\A(?:[ \t\n\v\f\r=]|[+-]?[0-9]+)*")
# Order matters: a line is the first keyword it begins with (docs/acpc-dealer.md 1.1).
_KEYWORDS: Final = (
    "gamedef", "stack", "blind", "raiseSize", "limit", "nolimit", "numPlayers", "numRounds",
    "firstPlayer", "maxRaises", "numSuits", "numRanks", "numHoleCards", "numBoardCards", "ante", "rake",
    "leastBet", "shortRaises",
)  # fmt: skip


def read_digits(text: str) -> int:
    """The value of decimal digits with or without a sign, as far as C programs can distinguish it.

    Only 40 digits are read: every integer of a C program saturates long before.
    """
    if len(text) <= _MAX_DIGITS:
        return int(text)
    sign = text[0] if text[0] in "+-" else ""
    return int(sign + (text[len(sign) :].lstrip("0") or "0")[:_MAX_DIGITS])


def wrap_int32(value: int) -> int:
    """The value a C program has after reading a decimal number into a 32-bit signed integer."""
    value = max(-(2**63), min(2**63 - 1, value))  # strtol saturates at 64 bits, the assignment then truncates
    return (value + 2**31) % 2**32 - 2**31


def wrap_unsigned(value: int, bits: int) -> int:
    """The value a C program has after reading a decimal number into an unsigned integer of some bits."""
    # strtoul saturates, then the assignment truncates
    return (value if abs(value) < 2**64 else -1) % (1 << bits)


def _read_integers(text: bytes, most: int) -> list[int]:
    values: list[int] = []
    while len(values) < most:
        text = text.lstrip(_SEPARATORS)
        number = _INTEGER.match(text)
        if number is None:
            break
        values.append(read_digits(number.group().decode("ascii")))
        text = text[number.end() :]
    return values


def _read_chips(text: bytes, most: int) -> list[int]:
    return [wrap_int32(value) for value in _read_integers(text, most)]


def _lines(data: bytes) -> list[tuple[int, bytes]]:
    """Numbered lines, overlong ones cut into pieces as by the ACPC reader's buffer."""
    return [
        (number, line[start : start + _MAX_LINE])
        for number, line in enumerate(data.split(b"\n"), 1)
        for start in range(0, max(len(line), 1), _MAX_LINE)
    ]


def _keyword(line: bytes) -> str | None:
    lowered = line.lower()
    return next((k for k in _KEYWORDS if lowered.startswith(k.lower().encode())), None)


def parse_game(data: bytes | str, source: str = "game definition") -> GameDefinition:
    """The game a game file defines.

    Args:
        data: contents of the file.
        source: what to call it in error messages, usually its path.

    Raises:
        GameDefinitionError: with the ACPC reader's line for the fault, and ours with file and line.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    is_limit = True
    chips: dict[str, list[int]] = {"stack": [UNLIMITED_STACK] * MAX_ROUNDS}
    chips |= {"blind": [], "raiseSize": [], "ante": [], "leastBet": []}
    counts = dict.fromkeys(("numPlayers", "numRounds", "numSuits", "numRanks", "numHoleCards"), 0)
    per_round = {"firstPlayer": [1] * MAX_ROUNDS, "maxRaises": [UNLIMITED_RAISES] * MAX_ROUNDS}
    board: list[int] = []
    words = {"rake": "", "shortRaises": ""}
    blinds_beside_antes: list[int] = []
    line_of: dict[str, int] = {}

    for number, line in _lines(data):
        if not line or line.startswith(b"#"):
            continue
        if line.lower().startswith(b"end gamedef"):
            break
        keyword = _keyword(line)
        if keyword is None or keyword == "gamedef":
            continue
        line_of[keyword] = number
        rest = line[len(keyword) :]
        if keyword in ("limit", "nolimit"):
            is_limit = keyword == "limit"
        elif keyword in chips:
            most = {"raiseSize": MAX_ROUNDS, "leastBet": 1}.get(keyword, MAX_PLAYERS)
            chips[keyword] = _read_chips(rest, most)
            if keyword == "blind":
                blinds_beside_antes = _read_chips(rest[1:] if rest[:1] in b"sS" else rest, most)
        elif keyword in words:
            words[keyword] = rest.decode("ascii", "replace").strip(" \t=\r\n")
        elif keyword in counts:
            for value in _read_integers(rest, 1):
                counts[keyword] = wrap_unsigned(value, 8)
        elif keyword in per_round:
            for k, value in enumerate(_read_integers(rest, MAX_ROUNDS)):
                per_round[keyword][k] = wrap_unsigned(value, 8)
        else:
            board = [wrap_unsigned(value, 8) for value in _read_integers(rest, MAX_ROUNDS)]

    rounds, players = counts["numRounds"], counts["numPlayers"]
    antes, least_bet = chips["ante"], chips["leastBet"]
    if antes or least_bet or any(words.values()):
        chips["blind"] = blinds_beside_antes
    if antes:
        antes = antes * players if len(antes) == 1 else antes
    try:
        for keyword, is_good, expected in (
            ("ante", bool(antes), "a number, or one for each position, got none"),
            ("leastBet", bool(least_bet), "a number"),
            ("shortRaises", words["shortRaises"] in ("closed", "open"), "'closed' or 'open'"),
        ):
            if keyword in line_of and not is_good:
                raise GameDefinitionError(f"{keyword}: expected {expected}", field=keyword)
        return GameDefinition(
            is_limit=is_limit,
            num_players=players,
            num_rounds=rounds,
            blinds=tuple(chips["blind"][:players]),
            raise_sizes=tuple(chips["raiseSize"][:rounds]) if is_limit else (),
            num_suits=counts["numSuits"],
            num_ranks=counts["numRanks"],
            num_hole_cards=counts["numHoleCards"],
            num_board_cards=tuple(board[:rounds]),
            stacks=tuple(chips["stack"][:players]),
            first_positions=tuple(first - 1 for first in per_round["firstPlayer"][:rounds]),
            max_raises=tuple(per_round["maxRaises"][:rounds]),
            antes=tuple(antes[:players]),
            rake=_rake_of(words["rake"]) if "rake" in line_of else NO_RAKE,
            least_bet=least_bet[0] if least_bet else 0,
            short_raises_reopen=words["shortRaises"] != "closed",
        )
    except GameDefinitionError as error:
        where = f"{source}:{line_of[error.field]}:" if error.field in line_of else f"{source}: no such line,"
        raise GameDefinitionError(f"{where} {error}", acpc_line=error.acpc_line, field=error.field) from None


def _rake_of(text: str) -> Rake:
    try:
        return Rake.parse(text)
    except ValueError as error:
        raise GameDefinitionError(f"rake: {error}", field="rake") from None


def format_game(game: GameDefinition) -> str:
    """A game file that `parse_game` reads back as the same game."""

    def numbers(values: tuple[int, ...]) -> str:
        return " ".join(map(str, values))

    lines = ["GAMEDEF", "limit" if game.is_limit else "nolimit"]
    lines += [f"numPlayers = {game.num_players}", f"numRounds = {game.num_rounds}"]
    if game.num_players > MAX_ROUNDS or set(game.stacks) != {UNLIMITED_STACK}:
        lines.append(f"stack = {numbers(game.stacks)}")
    if game.has_antes:
        lines.append(f"ante = {game.antes[0] if game.has_equal_antes else numbers(game.antes)}")
    if game.has_rake:
        lines.append(f"rake = {game.rake}")
    if game.least_bet:
        lines.append(f"leastBet = {game.least_bet}")
    if not game.short_raises_reopen:
        lines.append("shortRaises = closed")
    lines.append(f"{'blind' if game.is_acpc else 'blinds'} = {numbers(game.blinds)}")
    if game.is_limit:
        lines.append(f"raiseSize = {numbers(game.raise_sizes)}")
    lines.append(f"firstPlayer = {numbers(tuple(first + 1 for first in game.first_positions))}")
    if set(game.max_raises) != {UNLIMITED_RAISES}:
        lines.append(f"maxRaises = {numbers(game.max_raises)}")
    lines += [f"numSuits = {game.num_suits}", f"numRanks = {game.num_ranks}"]
    lines += [f"numHoleCards = {game.num_hole_cards}", f"numBoardCards = {numbers(game.num_board_cards)}"]
    return "\n".join([*lines, "END GAMEDEF", ""])


def packaged_games() -> tuple[str, ...]:
    """Names of the games that come with the package, sorted."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in _GAMES.glob(f"*{_SUFFIX}")))


def game_names() -> tuple[str, ...]:
    """All names of the packaged games, including the shorter ones (`ALIASES`), sorted."""
    return tuple(sorted({*packaged_games(), *ALIASES}))


def game_path(game: str) -> Path:
    """The file of GAME as users type it: the path of a game file, else the name of a packaged game.

    The file need not exist: a name that cannot be found is taken for a path, and reading it says so.
    """
    path = Path(game)
    if not path.is_file():
        packaged = _GAMES / f"{ALIASES.get(game, game)}{_SUFFIX}"
        if packaged.parent == _GAMES and packaged.is_file():
            return packaged
    return path


def unknown_lines(data: bytes, source: str) -> list[str]:
    """What means nothing to the reader in the lines of a game file, each as a warning for people.

    The ACPC's reader skips it silently, so that a misspelt keyword keeps its default.
    """
    warnings = []
    for number, line in _lines(data):
        if line.lower().strip().startswith(b"end gamedef"):
            break
        text = _unread(line).decode("utf-8", "replace").strip()
        if text and not text.startswith("#"):
            word = re.split(r"[\s=]", text, maxsplit=1)[0]
            warnings.append(f"{source}:{number}: {text[:80]!r} means nothing{did_you_mean(word, _KEYWORDS)}")
    return warnings


def _unread(line: bytes) -> bytes:
    """The part of a line that the reader skips."""
    keyword = _keyword(line)
    if keyword is None or keyword in ("gamedef", "rake", "shortRaises"):
        return b"" if keyword else line
    rest = line[len(keyword) :]
    return _VALUES.sub(b"", rest[1:] if keyword == "blind" and rest[:1] in b"sS" else rest, count=1)


def load_game(game: str, warn: Callable[[str], None] | None = None) -> GameDefinition:
    """Read GAME as users type it: the path of a game file, else the name or alias of a packaged game.

    Args:
        game: what the user typed.
        warn: takes a line for each line of the file with something that means nothing, as the ACPC's dealer
            reads files; None to refuse them.

    Raises:
        OSError: there is no such file, or it cannot be read.
        GameDefinitionError: it does not define a game.
    """
    data = game_path(game).read_bytes()
    for line in unknown_lines(data, game):
        if warn is None:
            raise GameDefinitionError(line)
        warn(line)
    return parse_game(data, source=game)


def no_such_game(game: str, reason: str) -> str:
    """The line that tells people there is no such GAME, with packaged games of similar names."""
    near = did_you_mean(game, [*ALIASES, *packaged_games()])
    return f"there is no game {game!r}: {reason}{near or ' (`riverboat games` lists the packaged ones)'}"
