"""What a source says about a hand, in its own amounts and order, before any rules.

The readers of PokerStars' text, PHH and Open Hand History collect it; `server.records.formats.playing` makes
a hand of it by our rules, and compares what is said twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

import attrs

from engine.poker.cards import CARD_TEXTS, format_cards, parse_written_cards
from engine.poker.rules import ActionKind, GameDefinition
from engine.poker.rules.game_definition import UNLIMITED_RAISES, UNLIMITED_STACK, opener
from engine.poker.rules.hand_rank import HandCategory
from server.support.errors import told

_LIMIT_RAISES: Final = (3, 4, 4, 4)
PER_MATCH: Final = 10**7
"""Numbers of hands that a match has where they are to be unique; above them is the number of the match."""
_MOST_UNIT: Final = 10**6
AMOUNT: Final = re.compile(r"[+-]?[0-9]{1,12}(?:\.[0-9]{0,9})?")
"""An amount as it is written, without signs of thousands and currencies."""
_YEARS: Final = range(1900, 9000)
"""The years of times that are kept."""


class FormatError(ValueError):
    """A hand that cannot be read or written; the message is one line."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message
        """The message without the place."""

    @classmethod
    def at(cls, where: str, error: Exception | str) -> FormatError:
        """An error, or what is wrong, with the place where it was found."""
        return cls(f"{where}: {error}", getattr(error, "reason", str(error)))


@attrs.frozen
class SaidAct:
    """An action as a source says it."""

    position: int
    kind: ActionKind
    text: str
    """For messages."""
    total: Fraction | None = None
    """The total of the betting round to which it bets or raises."""
    added: Fraction | None = None
    """By how much it goes beyond the bet before it."""
    paid: Fraction | None = None
    """The chips that it puts in."""
    all_in: bool = False
    """It is said to be all-in."""
    board: int | None = None
    """The board cards that are out."""


@attrs.define(eq=False)
class Seat:
    """The statements of a source about one player."""

    number: int
    name: str
    stack: Fraction
    plays: bool = False
    """It posts, is dealt in, acts or wins."""
    cards: tuple[int, ...] = ()
    mucks: bool = False
    """It is said to have mucked its cards at the showdown."""
    posts: dict[str, Fraction] = attrs.Factory(dict)
    """Amounts by what they are for, in PokerStars' words."""
    collected: Fraction = Fraction(0)
    won: Fraction | None = None
    """What it has collected by the summary."""
    fold: int | None = None
    """The betting round in which it has folded by the summary."""
    ranks: set[HandCategory] = attrs.Factory(set)
    """The kinds of hand that it is said to have at the showdown."""


@attrs.define(eq=False)
class Said:
    """The statements of a source about a hand: amounts are its own, positions count from the button."""

    where: str
    number: int
    seats: Sequence[Seat]
    posts: Sequence[Fraction]
    """Live blinds and straddles; those posted out of turn have a minus sign, and do not decide who begins."""
    antes: Sequence[Fraction]
    """With dead blinds."""
    least_bet: Fraction
    """The nominal big blind."""
    acts: list[SaidAct]
    board: Sequence[int]
    is_trimmed: bool = False
    """Antes are part of what a position plays for; otherwise they are dead money."""
    sizes: tuple[Fraction, Fraction] | None = None
    """The small and the big bet of a limit game."""
    cap: Fraction | None = None
    """The most that a position plays for."""
    is_told: bool = False
    """It is said what each position has taken from the pot, less a rake (`Seat.collected`)."""
    net: Sequence[Fraction] = ()
    """What each position is said to have won or lost; empty if it is not said."""
    pot: Fraction | None = None
    """The pot without a bet that nobody called, where it is said."""
    rake: Fraction | None = None
    uncalled: Sequence[tuple[int, Fraction]] = ()
    """Returned bets: position and amount, each time it is said."""
    notes: list[str] = attrs.Factory(list)
    time: datetime | None = None
    match: int = 0

    def unit(self) -> int:
        """The chips of our hand that one of its amounts is."""
        amounts = [*self.posts, *self.antes, self.least_bet, *(self.sizes or ()), self.cap or 0]
        amounts += [seat.stack for seat in self.seats]
        amounts += [each for act in self.acts for each in (act.total, act.paid) if each is not None]
        unit = math.lcm(*[Fraction(each).denominator for each in amounts])
        if unit > _MOST_UNIT:
            raise FormatError("amounts with so many digits cannot be chips")
        return unit

    def game(self, unit: int) -> GameDefinition:
        """The game of this hand, with chips of the given size.

        Raises:
            FormatError, GameDefinitionError: it is none.
        """
        most = UNLIMITED_STACK if self.cap is None else int(self.cap * unit)
        stacks = tuple([min(int(seat.stack * unit), most, UNLIMITED_STACK) for seat in self.seats])
        antes = self._antes(unit, stacks)
        posted = [
            min(abs(int(each * unit)), stack - min(ante, stack))
            for each, stack, ante in zip(self.posts, stacks, antes, strict=True)
        ]
        least, nominal = int(self.least_bet * unit), int(max(map(abs, self.posts)) * unit)
        lowest = min([seat.stack for seat in self.seats])
        if nominal < least and nominal and lowest * unit >= least + max(antes):
            raise FormatError(f"the largest blind is {nominal / unit:g}, and the least bet {self.least_bet}")
        small, big = [int(each * unit) for each in self.sizes or (0, 0)]
        return GameDefinition(
            is_limit=self.sizes is not None,
            num_players=len(stacks),
            num_rounds=4,
            blinds=tuple(posted),
            raise_sizes=(small, small, big, big) if self.sizes else (),
            num_suits=4,
            num_ranks=13,
            num_hole_cards=2,
            num_board_cards=(0, 3, 1, 1),
            stacks=stacks,
            first_positions=(opener(self.posts), 0, 0, 0),
            max_raises=_LIMIT_RAISES if self.sizes else (UNLIMITED_RAISES,) * 4,
            antes=antes,
            least_bet=least if least != max(posted) else 0,
        )

    def _antes(self, unit: int, stacks: Sequence[int]) -> tuple[int, ...]:
        """The antes in a form that our rules count as the source means them.

        Trimmed antes are part of what a position plays for, and what nobody matches is returned.  Others are
        dead money, like antes of different sizes in our rules.
        """
        antes = [int(each * unit) for each in self.antes]
        posted = [min(ante, stack) for ante, stack in zip(antes, stacks, strict=True)]
        if not self.is_trimmed:
            return tuple(posted)
        if len(set(antes)) == 1:
            return tuple(antes)
        return tuple([min(ante, sorted(posted)[-2]) for ante in posted])


def hole_cards(text: str) -> tuple[int, ...]:
    """Cards in any common spelling, without those that are covered."""
    return parse_written_cards(" ".join(each for each in text.split() if each.upper() not in ("XX", "??")))


class SourceReader:
    """Reads what a source says about one hand, seat by seat: the part that formats have in common."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._seats: dict[object, Seat] = {}
        self._board: list[int] = []
        self._acts: list[tuple[Seat, SaidAct]] = []
        self._uncalled: list[tuple[Seat, Fraction]] = []
        self._notes: list[str] = []
        self._collects = self._cashes_out = False

    def _sit(self, key: object, number: int, name: str, stack: Fraction) -> None:
        if key in self._seats or any(number == seat.number for seat in self._seats.values()):
            raise FormatError(f"seat {number} ({told(name)}) is there twice")
        self._seats[key] = Seat(number, name, stack)

    def _seat(self, key: object) -> Seat:
        if key not in self._seats:
            raise FormatError(f"{told(key)} has no seat")
        return self._seats[key]

    def _post(self, seat: Seat, what: str, amount: Fraction) -> None:
        if what in seat.posts or self._acts:
            raise FormatError(f"{seat.name} posts {what} {'after an action' if self._acts else 'twice'}")
        seat.posts[what], seat.plays = amount, True

    def _give(self, seat: Seat, cards: Sequence[int]) -> None:
        """Hole cards, if they are known; of one alone a note is all that is kept."""
        seat.plays = True
        if len(cards) == 1:
            card = CARD_TEXTS[cards[0]]
            self._notes.append(f"of {seat.name}'s cards only {card} is known, and is not kept")
        elif cards and (len(cards) > 2 or (seat.cards and set(seat.cards) != set(cards))):
            raise FormatError(f"{seat.name} shows other cards than were dealt: {format_cards(cards)}")
        else:
            seat.cards = seat.cards or tuple(cards)

    def _deal(self, cards: Sequence[int]) -> None:
        """Board cards of one street."""
        self._board += cards
        if len(cards) > 1 and 3 < len(self._board) <= 5:
            raise FormatError(f"expected the cards of one street, got {format_cards(cards)}")

    def _act(self, seat: Seat, kind: ActionKind, text: str, **said: Any) -> None:
        seat.plays = True
        self._acts.append((seat, SaidAct(-1, kind, text, board=len(self._board), **said)))

    def _collect(self, seat: Seat, amount: Fraction) -> None:
        seat.collected += amount
        self._collects = seat.plays = True

    def _cash_out(self, seat: Seat) -> None:
        self._cashes_out = True
        self._notes.append(f"{seat.name} has cashed out: the chips are those of the cards")

    def _in_order(self, button: int | None) -> list[Seat]:
        """The seats of those who play, from the first after the button."""
        seats = [seat for seat in self._seats.values() if seat.plays]
        if button is None or len(seats) < 2:
            raise FormatError("expected the button and two or more players")
        return sorted(seats, key=lambda seat: (seat.number <= button, seat.number))

    def _said_by_posts(
        self, button: int | None, small: Fraction | None, big: Fraction, *,
        sizes: tuple[Fraction, Fraction] | None, number: int, is_ours: bool, **more: Any,
    ) -> Said:  # fmt: skip
        """The hand of a source that names what is posted.

        Args:
            button: the number of its seat.
            small: the nominal small blind, if it is known.
            big: the nominal big blind.
            sizes: the small and the big bet of a limit game.
            number: of the hand.
            is_ours: whether the number has that of the match in it.
            more: of `Said`.
        """
        seats = self._in_order(button)
        if len(seats) == 2 and seats[1].number == button and "small blind" in seats[0].posts:
            raise FormatError(f"{seats[0].name} posts the small blind, and {seats[1].name} has the button")
        posts, antes = live_and_dead(seats, small, big)
        most = max(antes)
        is_trimmed = all(ante in (most, seat.stack) for ante, seat in zip(antes, seats, strict=True))
        match, number = divmod(number, PER_MATCH) if is_ours else (0, number)
        return self._said(
            seats,
            posts=posts,
            antes=[most] * len(seats) if is_trimmed else antes,
            is_trimmed=is_trimmed and most > 0,
            least_bet=max(map(abs, posts)) if sizes else big,
            sizes=sizes,
            number=number,
            match=match,
            **more,
        )

    def _said(self, seats: Sequence[Seat], time: datetime | None, **more: Any) -> Said:
        is_told = self._collects and not self._cashes_out
        for seat in seats:
            if is_told and seat.won not in (None, seat.collected):
                raise FormatError(f"{seat.name} collects {float(seat.won or 0):g} in the summary only")
        return Said(
            where=self._where,
            seats=seats,
            acts=[attrs.evolve(act, position=seats.index(seat)) for seat, act in self._acts],
            board=self._board,
            is_told=is_told,
            uncalled=[(seats.index(seat), chips) for seat, chips in self._uncalled],
            notes=self._notes,
            time=time if time is not None and time.year in _YEARS else None,
            **more,
        )


def live_and_dead(
    seats: Sequence[Seat], small: Fraction | None, big: Fraction
) -> tuple[list[Fraction], list[Fraction]]:
    """What positions post: live blinds, with a minus sign out of turn; and dead ones, with the antes.

    Args:
        seats: by position; who has less than a blind posts that.
        small: the nominal small blind, if it is known.
        big: the nominal big blind.

    Raises:
        FormatError: an amount is not the nominal one, or a post is of an unknown sort.
    """
    live, dead = [Fraction(0)] * len(seats), [Fraction(0)] * len(seats)
    has_big = False
    # Whose turn the big blind is comes first from the button, and seldom posts two blinds.
    for seat in sorted(seats, key=lambda seat: "small & big blinds" in seat.posts):
        position = seats.index(seat)
        for what, amount in seat.posts.items():
            is_big = what in ("big blind", "small & big blinds")
            nominal = small if what == "small blind" else big if is_big else None
            is_short = seat.stack == sum(seat.posts.values())
            exceeds = what == "small & big blinds" and amount > big
            if nominal not in (None, amount) and not (is_short and amount < (nominal or 0)) and not exceeds:
                raise FormatError(f"{seat.name} posts {what} {float(amount):g}, not the title's")
            if what in ("the ante", "dead") or (what == "small blind" and position and len(seats) > 2):
                dead[position] += amount
            elif what in ("small blind", "straddle"):
                live[position] += nominal or amount
            elif is_big:
                live[position] += -big if has_big else big
                dead[position] += max(amount - big, Fraction(0))
                has_big = True
            else:
                raise FormatError(f"{seat.name} posts {told(what)}, which is not known here")
    small_blind, big_blind = (1, 0) if len(seats) == 2 else (0, 1)
    if not has_big and dead[big_blind] == seats[big_blind].stack:  # the ante has left it nothing to post
        live[big_blind] = big
    if has_big and not live[small_blind] and seats[small_blind].stack > dead[small_blind]:
        raise FormatError(f"{seats[small_blind].name} posts no blind where one is due")
    return live, dead
