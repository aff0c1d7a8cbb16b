"""PokerStars' text, read and written: hold'em, limit and no-limit.

Play money, tournaments and money are read.  Chat and messages of the table are ignored.  The players are
those who post, are dealt in or act.  The rake is left out: the chips are those of the whole pot, and a note
on the hand says so.

A bet is an amount, a raise an amount and a total of the betting round; the seats are numbered.  In what is
written the last seat is the button, and the beginning of 1970 replaces the time, which is not known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import attrs

from engine.poker.cards import CARD_TEXTS, InvalidCardError, parse_written_cards
from engine.poker.rules import ActionKind, GameDefinition, GameDefinitionError
from engine.poker.rules.game_definition import UNLIMITED_RAISES
from engine.poker.rules.hand_words import name_hand
from protocol.records import format_chips
from server.records.formats.hands import (
    AskedStep,
    FormatError,
    PlayedHand,
    Playing,
    asked_steps,
    collected,
    finished_hand,
    round_board,
    uncalled_bet,
)
from server.records.formats.phh import check_usual

_TITLE: Final = re.compile(r"PokerStars .*?#(\d+):")
_GAME: Final = re.compile(r"Hold'em (No Limit|Limit|Fixed Limit|Pot Limit)\b")
_STAKES: Final = re.compile(r"\(\D{0,2}([0-9.,]+)/\D{0,2}([0-9.,]+)")
_BUTTON: Final = re.compile(r"Seat #(\d+) is the button")
_SEAT: Final = re.compile(r"Seat (\d+): (.+) \(\D{0,2}([0-9.,]+) in chips(?:,[^)]*)?\)(.*)")
_BLIND: Final = re.compile(
    r"posts (the ante|small blind|big blind|straddle|small & big blinds) \D{0,2}([0-9.,]+)"
)
_COLLECTED: Final = re.compile(r" collected \D{0,2}([0-9.,]+) from ")
_ACTION: Final = re.compile(
    r"(?:(folds)|(checks)|(calls) \D{0,2}([0-9.,]+)|(bets) \D{0,2}([0-9.,]+)"
    r"|(raises) \D{0,2}[0-9.,]+ to \D{0,2}([0-9.,]+))\b"
)
_DEALT: Final = re.compile(r"Dealt to (.+?) \[([^\]]*)\]$")
_SHOWS: Final = re.compile(r"(?:shows|mucks|showed|mucked) \[([^\]]*)\]")
_BOARD: Final = re.compile(r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\*.*\[([^\]]*)\]$")
_RAKE: Final = re.compile(r"Rake \D{0,2}([0-9.,]+)")
_LIMIT_RAISES: Final = (3, 4, 4, 4)


def is_stars(text: str) -> bool:
    """Whether a text looks like PokerStars'."""
    return _TITLE.match(text.lstrip("\ufeff \r\n")) is not None


def parse_stars(text: str, source: str) -> Iterator[PlayedHand | FormatError]:
    """The hands of a text; for a hand that cannot be read, the error."""
    block: list[str] = []
    first = 1
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if _TITLE.match(line) and block:
            yield _hand(block, f"{source}:{first}")
            block = []
        if line.strip():
            if not block:
                first = number
            block.append(line.strip())
    if block:
        yield _hand(block, f"{source}:{first}")


def _hand(lines: Sequence[str], where: str) -> PlayedHand | FormatError:
    try:
        return _StarsReader(lines, where).hand()
    except (FormatError, InvalidCardError, GameDefinitionError) as error:
        return FormatError(f"{where}: {error}")


@attrs.define
class _StarsSeat:
    number: int
    name: str
    stack: Fraction
    plays: bool = False
    cards: tuple[int, ...] = ()
    ante: Fraction = Fraction(0)
    blind: Fraction = Fraction(0)
    collected: Fraction = Fraction(0)


class _StarsReader:
    """Reads one hand."""

    def __init__(self, lines: Sequence[str], where: str) -> None:
        self._lines, self._where = lines, where
        self._seats: list[_StarsSeat] = []
        self._board: list[int] = []
        self._acts: list[tuple[_StarsSeat, str, Fraction]] = []
        self._rake = Fraction(0)
        self._notes: list[str] = []

    def hand(self) -> PlayedHand:
        title = _TITLE.match(self._lines[0])
        if title is None:
            raise FormatError(f"expected a line 'PokerStars Hand #...', got {self._lines[0][:60]!r}")
        self._read()
        seats = self._in_order()
        game = self._game(seats)
        playing = Playing(game)
        for seat, word, amount in self._acts:
            position = seats.index(seat)
            try:
                if word == "folds":
                    playing.fold(position)
                elif word in ("checks", "calls"):
                    playing.call(position)
                elif word == "bets":
                    playing.raise_in_round(position, playing.round_total + self._chips(amount))
                else:
                    playing.raise_in_round(position, self._chips(amount))
            except FormatError as error:
                raise FormatError(f"{seat.name} {word}: {error}") from None
        if self._rake:
            self._notes.append("the rake is left out")
        hand = finished_hand(
            int(title.group(1)[:18]),
            self._where,
            playing.end(),
            [seat.cards for seat in seats],
            self._board,
            [seat.name for seat in seats],
            [f"{self._where}: {note}" for note in self._notes],
        )
        self._check_chips(hand, seats)
        return hand

    def _check_chips(self, hand: PlayedHand, seats: Sequence[_StarsSeat]) -> None:
        """Compare the chips with what everybody collected by the text."""
        if not any(seat.collected for seat in seats):
            return
        taken = collected(hand)
        for seat, ours in zip(seats, taken, strict=True):
            theirs, rake = seat.collected * self._unit, self._rake * self._unit
            # The rake, and odd chips of split pots, may be missing.
            if not -len(seats) < ours - theirs < rake + len(seats):
                raise FormatError(
                    f"{seat.name} collects {float(seat.collected):g} in the text, "
                    f"and {ours / self._unit:g} by the rules"
                )

    # --- lines -------------------------------------------------------------------------------------------

    def _read(self) -> None:
        in_summary = False
        for line in self._lines[1:]:
            in_summary = in_summary or line.startswith("*** SUMMARY")
            seat = _SEAT.fullmatch(line)
            if seat is not None and not in_summary and not self._acts:
                self._seats.append(_StarsSeat(int(seat.group(1)), seat.group(2), _amount(seat.group(3))))
            elif (board := _BOARD.fullmatch(line)) is not None:
                self._board += parse_written_cards(board.group(1))
            elif (dealt := _DEALT.fullmatch(line)) is not None:
                self._give(self._seat(dealt.group(1)), dealt.group(2))
            elif in_summary:
                self._read_summary(line)
            else:
                self._read_words(line)

    def _read_words(self, line: str) -> None:
        for seat in self._seats:
            if line.startswith(f"{seat.name}: "):
                break
            if line.startswith(seat.name) and (found := _COLLECTED.match(line, len(seat.name))):
                seat.collected += _amount(found.group(1))
                return
        else:
            return
        words = line[len(seat.name) + 2 :]
        if (blind := _BLIND.match(words)) is not None:
            self._post(seat, blind.group(1), _amount(blind.group(2)))
        elif (action := _ACTION.match(words)) is not None:
            seat.plays = True
            word = next(group for group in action.groups() if group and group.isalpha())
            amount = next((group for group in action.groups() if group and group[0].isdecimal()), "0")
            self._acts.append((seat, word, _amount(amount)))
        elif (shown := _SHOWS.match(words)) is not None:
            self._give(seat, shown.group(1))

    def _read_summary(self, line: str) -> None:
        rake = _RAKE.search(line)
        if rake is not None and line.startswith("Total pot"):
            self._rake = _amount(rake.group(1))
        for seat in self._seats:
            if line.startswith(f"Seat {seat.number}: {seat.name} "):
                shown = _SHOWS.search(line)
                if shown is not None:
                    self._give(seat, shown.group(1))

    def _seat(self, name: str) -> _StarsSeat:
        for seat in self._seats:
            if seat.name == name:
                return seat
        raise FormatError(f"{name!r} has no seat")

    def _give(self, seat: _StarsSeat, text: str) -> None:
        seat.plays = True
        cards = parse_written_cards(text)
        if len(cards) == 2:
            if seat.cards and set(seat.cards) != set(cards):
                raise FormatError(f"{seat.name} shows other cards than were dealt: {text}")
            seat.cards = seat.cards or cards
        elif cards:
            self._notes.append(f"of {seat.name}'s cards only {text} is known, and is not kept")

    def _post(self, seat: _StarsSeat, what: str, amount: Fraction) -> None:
        seat.plays = True
        if what == "the ante":
            seat.ante += amount
        elif what == "small & big blinds":  # the small blind is dead
            dead = amount / 3
            seat.ante += dead
            seat.blind += amount - dead
        elif what == "small blind" and any(other.blind for other in self._seats if other is not seat):
            first = next(other for other in self._seats if other.blind)
            if first.blind <= amount:  # a second small blind, from a player who has come back, is dead
                seat.ante += amount
            else:
                seat.blind += amount
        else:
            seat.blind += amount

    # --- the game ----------------------------------------------------------------------------------------

    def _in_order(self) -> list[_StarsSeat]:
        """The seats of those who play, from the first after the button."""
        button = next((found for line in self._lines[:3] if (found := _BUTTON.search(line))), None)
        seats = sorted((seat for seat in self._seats if seat.plays), key=lambda seat: seat.number)
        if button is None or len(seats) < 2:
            raise FormatError("expected the button and two or more players")
        behind = [seat for seat in seats if seat.number > int(button.group(1))]
        return behind + [seat for seat in seats if seat.number <= int(button.group(1))]

    def _game(self, seats: Sequence[_StarsSeat]) -> GameDefinition:
        kind = next((found.group(1) for line in self._lines[:2] if (found := _GAME.search(line))), None)
        stakes = _STAKES.search(self._lines[0])
        if kind is None or kind == "Pot Limit":
            raise FormatError("expected Hold'em No Limit or Hold'em Limit")
        is_limit = kind != "No Limit"
        if is_limit and stakes is None:
            raise FormatError("expected the stakes of a limit game, such as (10/20)")
        sizes = [_amount(text) for text in stakes.groups()] if stakes is not None and is_limit else []
        amounts = [amount for seat in seats for amount in (seat.stack, seat.ante, seat.blind)]
        amounts += [*sizes, *[amount for _, _, amount in self._acts]]
        self._unit = math.lcm(*[amount.denominator for amount in amounts])
        if self._unit > 1:
            self._notes.append(f"amounts are counted in units of 1/{self._unit}")
        small, big = map(self._chips, sizes) if is_limit else (0, 0)
        blinds = tuple(self._chips(seat.blind) for seat in seats)
        return GameDefinition(
            is_limit=is_limit,
            num_players=len(seats),
            num_rounds=4,
            blinds=blinds,
            raise_sizes=(small, small, big, big) if is_limit else (),
            num_suits=4,
            num_ranks=13,
            num_hole_cards=2,
            num_board_cards=(0, 3, 1, 1),
            stacks=tuple(self._chips(seat.stack) for seat in seats),
            first_positions=(self._first(seats, blinds), 0, 0, 0),
            max_raises=_LIMIT_RAISES if is_limit else (UNLIMITED_RAISES,) * 4,
            antes=self._antes(seats),
        )

    def _antes(self, seats: Sequence[_StarsSeat]) -> tuple[int, ...]:
        """The antes; they are equal even if somebody had less."""
        most = max(seat.ante for seat in seats)
        if all(seat.ante in (most, seat.stack) for seat in seats):
            return (self._chips(most),) * len(seats)
        return tuple(self._chips(seat.ante) for seat in seats)

    def _first(self, seats: Sequence[_StarsSeat], blinds: Sequence[int]) -> int:
        """The position that acted first before the flop, or else the one after the largest blind."""
        if self._acts:
            return seats.index(self._acts[0][0])
        return (blinds.index(max(blinds)) + 1) % len(seats)

    def _chips(self, amount: Fraction) -> int:
        return int(amount * self._unit)


def _amount(text: str) -> Fraction:
    try:
        return Fraction(text.replace(",", "").rstrip("."))
    except ValueError:
        raise FormatError(f"expected an amount, got {text!r}") from None


_ROUNDS: Final = ("before Flop", "on the Flop", "on the Turn", "on the River")
_TIME: Final = "1970/01/01 0:00:00 ET"


def format_stars(hand: PlayedHand) -> str:
    """A hand as PokerStars' text.

    Raises:
        FormatError: the format cannot express it.
    """
    check_usual(hand.game)
    return "".join(f"{line}\n" for line in _lines(hand))


def _lines(hand: PlayedHand) -> Iterator[str]:
    game, deal, betting = hand.game, hand.state.deal, hand.state.betting
    names, players = hand.names, game.num_players
    kind = "Limit" if game.is_limit else "No Limit"
    stakes = (game.raise_sizes[0], game.raise_sizes[2]) if game.is_limit else _blinds(game.blinds)
    yield f"PokerStars Hand #{hand.number}:  Hold'em {kind} ({stakes[0]}/{stakes[1]}) - {_TIME}"
    yield f"Table 'Riverboat' {players}-max Seat #{players} is the button"
    for seat, (name, stack) in enumerate(zip(names, game.stacks, strict=True), 1):
        yield f"Seat {seat}: {name} ({stack} in chips)"
    for name, ante, stack in zip(names, game.antes_posted, game.stacks, strict=True):
        if ante:
            yield f"{name}: posts the ante {ante}{_all_in(ante, stack)}"
    for position in sorted(range(players), key=lambda position: (game.blinds[position], position)):
        blind = game.blinds[position]
        if blind:
            size = "big" if blind == game.big_blind else "small"
            rest = _all_in(blind, game.betting_stacks[position])
            yield f"{names[position]}: posts {size} blind {blind}{rest}"
    yield "*** HOLE CARDS ***"
    for name, cards in zip(names, deal.hole_cards, strict=True):
        if cards:
            yield f"Dealt to {name} {_cards(cards)}"
    betting_round = 0
    for step in asked_steps(betting):
        while betting_round < step.before.betting_round:
            betting_round += 1
            yield _street(hand, betting_round)
        yield f"{names[step.position]}: {_action(step)}"
    uncalled = uncalled_bet(betting.spent)
    if uncalled is not None:
        yield f"Uncalled bet ({uncalled[1]}) returned to {names[uncalled[0]]}"
    while betting_round < betting.betting_round:
        betting_round += 1
        yield _street(hand, betting_round)
    if betting.is_showdown:
        yield "*** SHOW DOWN ***"
        for name, cards, out in zip(names, deal.hole_cards, betting.folded, strict=True):
            if not out:
                shown = f"shows {_cards(cards)} ({name_hand((*cards, *hand.state.board))})" if cards else ""
                yield f"{name}: {shown or 'mucks hand'}"
    taken = collected(hand)
    for name, chips in zip(names, taken, strict=True):
        if chips > 0:
            yield f"{name} collected {format_chips(chips)} from pot"
    yield from _summary(hand, taken, uncalled)


def _blinds(blinds: Sequence[int]) -> tuple[int, int]:
    """The stakes in the title line."""
    big = max(blinds)
    return min([blind for blind in blinds if blind], default=0) if big else 0, big


def _all_in(chips: int, stack: int) -> str:
    return " and is all-in" if chips >= stack else ""


def _action(step: AskedStep) -> str:
    before, after, position = step.before, step.after, step.position
    if step.action.kind is ActionKind.FOLD:
        return "folds"
    total = after.spent[position]
    paid = total - before.spent[position]
    end = _all_in(total, before.game.betting_stacks[position])
    if step.action.kind is ActionKind.CALL:
        return f"calls {paid}{end}" if paid > 0 else "checks"
    if before.max_spent == step.floor:
        return f"bets {paid}{end}"
    return f"raises {total - before.max_spent} to {total - step.floor}{end}"


def _street(hand: PlayedHand, betting_round: int) -> str:
    new = _cards(round_board(hand, betting_round))
    if betting_round == 1:
        return f"*** FLOP *** {new}"
    old = _cards(hand.state.board[: hand.game.board_ends[betting_round - 1]])
    return f"*** {('TURN', 'RIVER')[betting_round - 2]} *** {old} {new}"


def _cards(cards: Sequence[int]) -> str:
    return "[" + " ".join(CARD_TEXTS[card] for card in cards) + "]"


def _summary(hand: PlayedHand, taken: Sequence[float], uncalled: tuple[int, int] | None) -> Iterator[str]:
    betting, players = hand.state.betting, hand.game.num_players
    yield "*** SUMMARY ***"
    yield f"Total pot {betting.pot - (uncalled[1] if uncalled else 0)} | Rake 0"
    if hand.state.board:
        yield f"Board {_cards(hand.state.board)}"
    folded_in = {
        step.position: step.before.betting_round
        for step in asked_steps(betting)
        if step.action.kind is ActionKind.FOLD
    }
    for position, name in enumerate(hand.names):
        part = " (button)" if position == players - 1 else ""
        if position in folded_in:
            end = f"folded {_ROUNDS[folded_in[position]]}"
        elif not betting.is_showdown:
            end = f"collected ({format_chips(taken[position])})"
        elif not hand.state.deal.hole_cards[position]:
            end = "mucked"
        else:
            cards = _cards(hand.state.deal.hole_cards[position])
            won = taken[position]
            end = f"showed {cards} and {f'won ({format_chips(won)})' if won else 'lost'}"
        yield f"Seat {position + 1}: {name}{part} {end}"
