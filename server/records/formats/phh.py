"""PHH, the Poker Hand History file format (https://phh.readthedocs.io): TOML, one or more hands per file.

In PHH a bet is a total of the betting round; stacks, blinds and antes come with each hand; heads-up the
blinds are in the opposite order of the players.  It cannot express all of our games: only hold'em with 52
cards, with the usual order of acting and the caps on raises of limit hold'em (three before the flop, four
after it).
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from engine.poker.cards import InvalidCardError, format_cards, parse_cards
from engine.poker.rules import ActionKind, GameDefinition, GameDefinitionError
from engine.poker.rules.game_definition import UNLIMITED_RAISES, UNLIMITED_STACK
from protocol.records import format_chips
from server.records.formats.hands import (
    AskedStep,
    FormatError,
    PlayedHand,
    Playing,
    asked_steps,
    finished_hand,
    round_board,
)

_VARIANTS: Final = {"NT": False, "FT": True}
"""Whether a variant is limit."""
_LIMIT_RAISES: Final = (3, 4, 4, 4)
_MOST_UNIT: Final = 10**6

Table = Mapping[str, Any]


# --- writing ---------------------------------------------------------------------------------------------


def format_phh(hand: PlayedHand) -> str:
    """A hand as a PHH file.

    Raises:
        FormatError: the format cannot express it.
    """
    return "".join(f"{key} = {value}\n" for key, value in _fields(hand))


def format_phhs(hands: Sequence[PlayedHand]) -> str:
    """Hands as one file, each in a table of its own.

    Raises:
        FormatError: the format cannot express one of them.
    """
    return "\n".join(f"[{count}]\n{format_phh(hand)}" for count, hand in enumerate(hands, 1))


def opener(blinds: Sequence[int]) -> int:
    """The position that acts first before the flop: the one after the last of the largest blinds."""
    largest = max(range(len(blinds)), key=lambda position: (blinds[position], position))
    return (largest + 1) % len(blinds)


def check_usual(game: GameDefinition) -> None:
    """Refuse games that formats for ordinary hold'em cannot express.

    Raises:
        FormatError: the game is such a game; the message has the reason.
    """
    if not game.is_holdem:
        raise FormatError("only Texas hold'em with 52 cards can be written in this format")
    if game.first_positions != (opener(game.blinds), 0, 0, 0):
        order = " ".join(str(first + 1) for first in game.first_positions)
        raise FormatError(f"the order of acting (firstPlayer = {order}) cannot be written in this format")
    if game.is_limit:
        small, flop, turn, river = game.raise_sizes
        if (small, turn) != (flop, river):
            sizes = " ".join(map(str, game.raise_sizes))
            raise FormatError(f"raises of {sizes} cannot be written in this format: expected two sizes")


def _fields(hand: PlayedHand) -> Iterator[tuple[str, str]]:
    game = hand.game
    check_usual(game)
    swapped = slice(None, None, -1) if game.num_players == 2 else slice(None)
    yield "variant", "'FT'" if game.is_limit else "'NT'"
    yield "ante_trimming_status", "true" if game.has_equal_antes or not game.has_antes else "false"
    yield "antes", _numbers(game.antes[swapped])
    yield "blinds_or_straddles", _numbers(game.blinds[swapped])
    if game.is_limit:
        yield "small_bet", str(game.raise_sizes[0])
        yield "big_bet", str(game.raise_sizes[2])
    else:
        yield "min_bet", str(max(1, game.big_blind))
    yield "starting_stacks", _numbers(game.stacks)
    yield "actions", "[" + ", ".join(map(_text, _actions(hand))) + "]"
    yield "hand", str(hand.number)
    yield "players", "[" + ", ".join(map(_text, hand.names)) + "]"
    left = [stack + won for stack, won in zip(game.stacks, hand.chips, strict=True)]
    yield "finishing_stacks", "[" + ", ".join(map(format_chips, left)) + "]"


def _actions(hand: PlayedHand) -> Iterator[str]:
    deal, betting = hand.state.deal, hand.state.betting
    for position, cards in enumerate(deal.hole_cards, 1):
        yield f"d dh p{position} {format_cards(cards) or '??' * hand.game.num_hole_cards}"
    betting_round = last_raiser = 0
    for step in asked_steps(betting):
        while betting_round < step.before.betting_round:
            betting_round += 1
            last_raiser = 0
            yield f"d db {format_cards(round_board(hand, betting_round))}"
        if step.action.kind is ActionKind.RAISE:
            last_raiser = step.position
        yield f"p{step.position + 1} {_action(step)}"
    if betting.is_showdown:
        players = hand.game.num_players
        if not betting_round and not last_raiser:
            last_raiser = opener(hand.game.blinds)
        for position in [(last_raiser + k) % players for k in range(players)]:
            if not betting.folded[position]:
                cards = deal.hole_cards[position]
                yield f"p{position + 1} sm {format_cards(cards)}".rstrip()
        for later in range(betting_round + 1, betting.betting_round + 1):
            yield f"d db {format_cards(round_board(hand, later))}"


def _action(step: AskedStep) -> str:
    if step.action.kind is ActionKind.FOLD:
        return "f"
    if step.action.kind is ActionKind.CALL:
        return "cc"
    return f"cbr {step.after.spent[step.position] - step.floor}"


def _numbers(values: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, values)) + "]"


def _text(text: str) -> str:
    """A TOML string, in the literal form of PHH files if possible."""
    return f"'{text}'" if text.isprintable() and "'" not in text else json.dumps(text, ensure_ascii=False)


# --- reading ---------------------------------------------------------------------------------------------


def parse_phh(text: str, source: str) -> Iterator[PlayedHand | FormatError]:
    """The hands of a PHH file; for a hand that cannot be read, the error.

    Args:
        text: the contents of the file, with one hand or several.
        source: the name of the file in messages.

    Raises:
        FormatError: the file is not a PHH file at all.
    """
    try:
        value = tomllib.loads(text, parse_float=_number_text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise FormatError(f"{source}: no PHH file: {error}") from None
    if "actions" in value or "variant" in value:
        tables = {"": value}
    else:
        tables = {key: each for key, each in value.items() if isinstance(each, dict)}
        if not tables:
            raise FormatError(f"{source}: no PHH file: it has neither actions nor tables with actions")
    for count, (key, table) in enumerate(tables.items()):
        where = f"{source}: hand {key}" if key else source
        try:
            yield _PhhReader(table, where, count).hand()
        except (FormatError, GameDefinitionError) as error:
            yield FormatError(f"{where}: {error}")


def _number_text(text: str) -> Fraction | float:
    try:
        return Fraction(text)
    except ValueError:
        return float(text)  # infinite, or not a number


class _PhhReader:
    """Reads one hand."""

    def __init__(self, table: Table, where: str, count: int) -> None:
        self._table, self._where = table, where
        number = table.get("hand", count)
        self._number = number if isinstance(number, int) and 0 <= number < 10**18 else count
        self._notes: list[str] = []

    def hand(self) -> PlayedHand:
        game = self._game()
        self._playing = Playing(game)
        self._hole_cards: list[tuple[int, ...]] = [()] * game.num_players
        self._board: list[int] = []
        self._is_board_known = True
        actions = self._table.get("actions")
        if not isinstance(actions, list) or not all(isinstance(each, str) for each in actions):
            raise FormatError("expected actions, a list of texts")
        for action in actions:
            try:
                self._act(action.partition("#")[0].split())
            except (FormatError, InvalidCardError) as error:
                raise FormatError(f"{action!r}: {error}") from None
        betting = self._playing.end()
        if not self._is_board_known and betting.num_board_cards:
            raise FormatError("the board is not known")
        names = self._names(game.num_players)
        hand = finished_hand(
            self._number, self._where, betting, self._hole_cards, self._board, names, self._notes
        )
        self._check_end(hand)
        return hand

    def _game(self) -> GameDefinition:
        variant = self._table.get("variant")
        if variant not in _VARIANTS:
            raise FormatError(f"expected variant NT or FT (Texas hold'em), got {variant!r}")
        is_limit = _VARIANTS[variant]
        stacks = self._amounts("starting_stacks")
        players = len(stacks)
        antes, blinds = self._amounts("antes", players), self._amounts("blinds_or_straddles", players)
        if players == 2:
            antes, blinds = antes[::-1], blinds[::-1]
        sizes = [self._amount(key) for key in ("small_bet", "big_bet")] if is_limit else []
        amounts = [*stacks, *antes, *blinds, *sizes, *self._bets()]
        self._unit = math.lcm(*[each.denominator for each in amounts])
        if self._unit > _MOST_UNIT:
            raise FormatError("amounts with so many digits cannot be chips")
        if self._unit > 1:
            self._notes.append(f"amounts are counted in units of 1/{self._unit}")
        self._stacks = tuple([min(int(each * self._unit), UNLIMITED_STACK) for each in stacks])
        whole_antes = _antes(
            [int(each * self._unit) for each in antes],
            self._stacks,
            trimmed=self._table.get("ante_trimming_status") is True,
        )
        posted = [
            min(abs(int(each * self._unit)), stack - min(ante, stack))
            for each, stack, ante in zip(blinds, self._stacks, whole_antes, strict=True)
        ]
        # A blind with a minus sign is posted, but does not decide who acts first.
        first = opener([post if blind >= 0 else 0 for post, blind in zip(posted, blinds, strict=True)])
        small, big = [int(each * self._unit) for each in sizes] if is_limit else (0, 0)
        return GameDefinition(
            is_limit=is_limit,
            num_players=players,
            num_rounds=4,
            blinds=tuple(posted),
            raise_sizes=(small, small, big, big) if is_limit else (),
            num_suits=4,
            num_ranks=13,
            num_hole_cards=2,
            num_board_cards=(0, 3, 1, 1),
            stacks=self._stacks,
            first_positions=(first, 0, 0, 0),
            max_raises=_LIMIT_RAISES if is_limit else (UNLIMITED_RAISES,) * 4,
            antes=whole_antes,
        )

    def _bets(self) -> Iterator[Fraction]:
        actions = self._table.get("actions")
        for action in actions if isinstance(actions, list) else ():
            words = str(action).partition("#")[0].split()
            if len(words) == 3 and words[1] == "cbr":
                yield _fraction(words[2], "cbr")

    def _amount(self, key: str) -> Fraction:
        return _fraction(self._table.get(key), key)

    def _amounts(self, key: str, count: int | None = None) -> list[Fraction]:
        value = self._table.get(key)
        if not isinstance(value, list):
            raise FormatError(f"expected {key}, a list of numbers, got {value!r}")
        if count is not None and len(value) != count:
            raise FormatError(f"{key}: expected {count} numbers, got {len(value)}")
        return [_fraction(each, key) for each in value]

    def _names(self, count: int) -> list[str]:
        names = self._table.get("players")
        if names is None:
            return [f"p{position}" for position in range(1, count + 1)]
        if not isinstance(names, list) or len(names) != count:
            raise FormatError(f"players: expected {count} names")
        return list(map(str, names))

    def _act(self, words: Sequence[str]) -> None:
        match words:
            case ["d", "dh", player, cards]:
                self._deal(self._position(player), cards)
            case ["d", "db", cards]:
                if "?" in cards:
                    self._is_board_known = False
                else:
                    self._board += parse_cards(cards)
            case [player, "f"]:
                self._playing.fold(self._position(player))
            case [player, "cc"]:
                self._playing.call(self._position(player))
            case [player, "cbr", amount]:
                total = int(_fraction(amount, "cbr") * self._unit)
                self._playing.raise_in_round(self._position(player), total)
            case [player, "sm"] | [player, "sm", "-"]:
                self._position(player)
            case [player, "sm", cards]:
                self._deal(self._position(player), cards)
            case []:
                pass
            case _:
                raise FormatError("not an action of Texas hold'em that is known here")

    def _position(self, player: str) -> int:
        count = len(self._hole_cards)
        if player[:1] != "p" or not player[1:].isdecimal() or not 1 <= int(player[1:]) <= count:
            raise FormatError(f"expected a player from p1 to p{count}, got {player!r}")
        return int(player[1:]) - 1

    def _deal(self, position: int, text: str) -> None:
        if "?" in text:
            if text.strip("?"):
                self._notes.append(f"of p{position + 1}'s cards {text} one cannot be kept")
            return
        cards = parse_cards(text)
        if len(cards) != 2:
            raise FormatError(f"expected two cards, got {text}")
        known = self._hole_cards[position]
        if known and set(known) != set(cards):
            raise FormatError(f"p{position + 1} was dealt {format_cards(known)}")
        self._hole_cards[position] = known or cards

    def _check_end(self, hand: PlayedHand) -> None:
        """Compare the chips with those that the file gives."""
        if self._table.get("finishing_stacks") is None:
            return
        left = [each * self._unit for each in self._amounts("finishing_stacks", len(self._stacks))]
        for position, (stack, end, won) in enumerate(zip(self._stacks, left, hand.chips, strict=True)):
            if abs(float(end - stack) - won) >= hand.game.num_players:  # more than odd chips of split pots
                raise FormatError(
                    f"p{position + 1} is left with {format_chips(float(end))} chips in the file, "
                    f"with {format_chips(stack + won)} by the rules"
                )


def _fraction(value: object, key: str) -> Fraction:
    if isinstance(value, str):
        try:
            value = Fraction(value) if len(value) < 40 else None
        except (ValueError, ZeroDivisionError):
            value = None
    if isinstance(value, float) and value == math.inf:
        return Fraction(UNLIMITED_STACK)
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise FormatError(f"{key}: expected a number, got {value!r}")
    return Fraction(value)


def _antes(antes: Sequence[int], stacks: Sequence[int], *, trimmed: bool) -> tuple[int, ...]:
    """The antes in a form that our rules count as the file means them.

    Trimmed antes are part of what a position plays for, and what nobody matches is returned.  Others are dead
    money, like antes of different sizes in our rules.
    """
    posted = [min(ante, stack) for ante, stack in zip(antes, stacks, strict=True)]
    if not trimmed:
        return tuple(posted)
    if len(set(antes)) == 1:
        return tuple(antes)
    return tuple([min(ante, sorted(posted)[-2]) for ante in posted])
