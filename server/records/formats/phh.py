"""PHH, the Poker Hand History file format (https://phh.readthedocs.io): TOML, one or more hands per file.

In PHH a bet is a total of the betting round; stacks, blinds and antes come with each hand; heads-up the
blinds are in the opposite order of the players, and those posted out of turn have a minus sign.  It cannot
express all of our games: only hold'em with 52 cards, with the usual order of acting and the caps on raises of
limit hold'em (three before the flop, four after it).

Every card and action of a file counts: a hand with more boards than one is refused, and what is left after
its end as well.  Files of many hands are read table by table.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import Any, Final

from engine.poker.cards import InvalidCardError, format_cards, parse_cards
from engine.poker.rules import ActionKind
from engine.poker.rules.game_definition import UNLIMITED_STACK
from protocol.records import format_chips
from server.records.formats import hands
from server.records.formats.playing import played_or_fault
from server.records.formats.said import AMOUNT, FormatError, Said, SourceReader
from server.support.errors import told

_VARIANTS: Final = {"NT": False, "FT": True}
"""Whether a variant is limit."""
_TABLE: Final = re.compile(r"\s*\[([^\[\]'\",]+)\]\s*(?:#.*)?")
_MOST_NAMED: Final = 60
_MOST_CHIPS: Final = 10**12

Table = Mapping[str, Any]


# --- writing ---------------------------------------------------------------------------------------------


def format_phh(hand: hands.PlayedHand) -> str:
    """A hand as a PHH file.

    Raises:
        FormatError: the format cannot express it.
    """
    return "".join(f"{key} = {value}\n" for key, value in _fields(hands.unraked(hand)))


def _fields(hand: hands.PlayedHand) -> Iterator[tuple[str, str]]:
    game = hand.game
    hands.check_usual(hand)
    swapped = slice(None, None, -1) if game.num_players == 2 else slice(None)
    yield "variant", "'FT'" if game.is_limit else "'NT'"
    yield "ante_trimming_status", "true" if game.has_equal_antes or not game.has_antes else "false"
    yield "antes", _numbers(game.antes[swapped])
    yield "blinds_or_straddles", _numbers(hands.signed_posts(game)[swapped])
    if game.is_limit:
        yield "small_bet", str(game.raise_sizes[0])
        yield "big_bet", str(game.raise_sizes[2])
    else:
        yield "min_bet", str(max(1, game.big_blind))
    yield "starting_stacks", _numbers(game.stacks)
    yield "actions", "[" + ", ".join(map(_text, _actions(hand))) + "]"
    yield "hand", str(hand.number)
    if hand.time is not None:
        yield "time", hand.time.strftime("%H:%M:%S")
        yield "time_zone", "'UTC'"
        yield from [(key, str(getattr(hand.time, key))) for key in ("day", "month", "year")]
    yield "players", "[" + ", ".join(map(_text, hand.names)) + "]"
    left = [stack + won for stack, won in zip(game.stacks, hand.chips, strict=True)]
    yield "finishing_stacks", "[" + ", ".join(map(format_chips, left)) + "]"


def _actions(hand: hands.PlayedHand) -> Iterator[str]:
    deal, betting = hand.state.deal, hand.state.betting
    for position, cards in enumerate(deal.hole_cards, 1):
        yield f"d dh p{position} {format_cards(cards) or '??' * hand.game.num_hole_cards}"
    betting_round = last_raiser = 0
    for step in hands.asked_steps(betting):
        while betting_round < step.before.betting_round:
            betting_round += 1
            last_raiser = 0
            yield f"d db {format_cards(hand.game.round_board(hand.state.board, betting_round))}"
        if step.action.kind is ActionKind.RAISE:
            last_raiser = step.position
        does = {"fold": "f", "check": "cc", "call": "cc"}.get(step.word) or f"cbr {step.total}"
        yield f"p{step.position + 1} {does}"
    if betting.is_showdown:
        players = hand.game.num_players
        if not betting_round and not last_raiser:
            last_raiser = hand.game.first_positions[0]
        for position in [(last_raiser + k) % players for k in range(players)]:
            if not betting.folded[position]:
                cards = deal.hole_cards[position]
                yield f"p{position + 1} sm {format_cards(cards)}".rstrip()
        for later in range(betting_round + 1, betting.betting_round + 1):
            yield f"d db {format_cards(hand.game.round_board(hand.state.board, later))}"


def _numbers(values: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, values)) + "]"


def _text(text: str) -> str:
    """A TOML string, in the literal form of PHH files if possible."""
    return f"'{text}'" if text.isprintable() and "'" not in text else json.dumps(text, ensure_ascii=False)


# --- reading ---------------------------------------------------------------------------------------------


def parse_phh(text: str | Iterable[str], source: str) -> Iterator[hands.PlayedHand | FormatError]:
    """The hands of a PHH file; for a hand that cannot be read, the error.

    Args:
        text: the contents of the file, or its lines, with one hand or several.
        source: the name of the file in messages.

    Raises:
        FormatError: the file is not a PHH file at all.
    """
    lines = text.splitlines(keepends=True) if isinstance(text, str) else text
    for count, (name, part) in enumerate(_tables(lines)):
        where = f"{source}: hand {name}" if name else source
        try:
            table = tomllib.loads(part, parse_float=_number_text)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
            fault = FormatError.at(where, f"no PHH file: {str(error).splitlines()[0]}")
            if not name:
                raise fault from None
            yield fault
            continue
        if not name and "actions" not in table and "variant" not in table:
            raise FormatError(f"{where}: no PHH file: it has neither actions nor tables with actions")
        yield played_or_fault(where, _PhhReader(table, where, count).said)


def _tables(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names and texts of a file's tables; one without a name for a file of one hand."""
    name, part = "", []
    for line in lines:
        header = _TABLE.fullmatch(line.rstrip("\r\n"))
        if header is None:
            part.append(line)
            continue
        if name or "".join(part).strip():
            yield name, "".join(part)
        name, part = header[1].strip()[:_MOST_NAMED], []
    yield name, "".join(part)


def _number_text(text: str) -> Fraction | float:
    plain = text.replace("_", "")
    return Fraction(plain) if AMOUNT.fullmatch(plain) else float(text)  # infinite, or in powers of ten


class _PhhReader(SourceReader):
    """Reads what the table of one hand says."""

    def __init__(self, table: Table, where: str, count: int) -> None:
        super().__init__(where)
        self._table = table
        number = table.get("hand", count)
        self._number = number if isinstance(number, int) and 0 <= number < 10**18 else count

    def said(self) -> Said:
        variant = self._table.get("variant")
        if not isinstance(variant, str) or variant not in _VARIANTS:
            raise FormatError(f"expected variant NT or FT (Texas hold'em), got {told(variant)}")
        if self._table.get("bring_in"):
            raise FormatError("bring_in: Texas hold'em has none")
        is_limit = _VARIANTS[variant]
        stacks = self._amounts("starting_stacks")
        players = len(stacks)
        antes, posts = self._amounts("antes", players), self._amounts("blinds_or_straddles", players)
        if players < 2 or min(antes) < 0:
            raise FormatError("expected two players or more, and no antes below 0")
        if players == 2:
            antes, posts = antes[::-1], posts[::-1]
        for position, (name, stack) in enumerate(zip(self._names(players), stacks, strict=True), 1):
            self._sit(f"p{position}", position, name, stack)
        self._read_actions()
        seats, net = list(self._seats.values()), []
        if "finishing_stacks" in self._table:
            left = self._amounts("finishing_stacks", players)
            net = [after - before for after, before in zip(left, stacks, strict=True)]
        if "winnings" in self._table:
            self._collects = True
            for seat, won in zip(seats, self._amounts("winnings", players), strict=True):
                seat.collected = won
        return self._said(
            seats,
            number=self._number,
            posts=posts,
            antes=antes,
            least_bet=max(map(abs, posts)) if is_limit else self._amount("min_bet"),
            is_trimmed=self._table.get("ante_trimming_status") is True,
            sizes=(self._amount("small_bet"), self._amount("big_bet")) if is_limit else None,
            net=net,
            time=self._time(),
        )

    def _time(self) -> datetime | None:
        parts = [self._table.get(key, 0) for key in ("year", "month", "day")]
        at = self._table.get("time")
        if not (isinstance(at, time) and all(isinstance(each, int) for each in parts)):
            return None  # it is not known, or not in full
        try:
            return datetime.combine(date(*parts), at, UTC)
        except (ValueError, OverflowError):
            return None

    def _read_actions(self) -> None:
        actions = self._table.get("actions")
        if not isinstance(actions, list) or not all(isinstance(each, str) for each in actions):
            raise FormatError("expected actions, a list of texts")
        for action in actions:
            try:
                self._read_action(action.partition("#")[0].split(), told(action))
            except (FormatError, InvalidCardError) as error:
                raise FormatError.at(told(action), error) from None

    def _amount(self, key: str) -> Fraction:
        return _fraction(self._table.get(key), key)

    def _amounts(self, key: str, count: int | None = None) -> list[Fraction]:
        value = self._table.get(key)
        if not isinstance(value, list):
            raise FormatError(f"expected {key}, a list of numbers, got {told(value)}")
        if count is not None and len(value) != count:
            raise FormatError(f"{key}: expected {count} numbers, got {len(value)}")
        return [_fraction(each, key) for each in value]

    def _names(self, count: int) -> list[str]:
        names = self._table.get("players", [f"p{position}" for position in range(1, count + 1)])
        if not isinstance(names, list) or len(names) != count:
            raise FormatError(f"players: expected {count} names")
        return list(map(str, names))

    def _read_action(self, words: Sequence[str], text: str) -> None:
        match words:
            case ["d", "db", cards]:
                if "?" in cards:
                    raise FormatError("the board is not known")
                self._deal(parse_cards(cards))
            case ["d", "dh", player, cards] | [player, "sm", cards]:
                known = () if cards == "-" else parse_cards(cards.replace("?", ""))
                if len(known) != 2 and not set("-?") & set(cards):
                    raise FormatError(f"expected two cards, got {told(cards)}")
                self._give(self._seat(player), known)
            case [player, "f" | "cc" as word]:
                self._act(self._seat(player), ActionKind.FOLD if word == "f" else ActionKind.CALL, text)
            case [player, "cbr", amount]:
                self._act(self._seat(player), ActionKind.RAISE, text, total=_fraction(amount, "cbr"))
            case [player, "sm"]:
                self._seat(player).mucks = True
            case []:
                pass
            case _:
                raise FormatError("not an action of Texas hold'em that is known here")


def _fraction(value: object, key: str) -> Fraction:
    if isinstance(value, float) and value == math.inf:
        return Fraction(UNLIMITED_STACK)
    if isinstance(value, str) and AMOUNT.fullmatch(value):
        value = Fraction(value)
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        amount = Fraction(value)
        if -_MOST_CHIPS <= amount <= _MOST_CHIPS:
            return amount
    raise FormatError(f"{key}: expected a number up to {_MOST_CHIPS}, got {told(value)}")
