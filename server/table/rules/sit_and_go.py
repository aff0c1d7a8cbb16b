"""Sit-and-go, in a tournament and at a table of the room: levels, blinds, who is out, places, prizes.

* Seats are those of the beginning; a player with no chips is out.
* The button is dead or moves (`server.table.rules.line_up`).  With two players it posts the small blind and
  acts first before the flop.
* A player with less than a blind or an ante posts what they have.  The bet to be called before the flop is
  the whole big blind all the same.
* Of those who go out in the same hand, the one who began it with more is placed better; equal ones share the
  payouts of their places.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import attrs

from engine.poker.rules import GameDefinition
from server.support.toml_text import Section
from server.table.rules import line_up
from server.table.rules.chips import whole_chips, whole_shares

Who = TypeVar("Who")


MOST_HANDS: Final = 20_000
"""After so many hands it is over, no matter who is still in: bots that always fold would never end."""
MOST_CHIPS: Final = 2**31 - 1
"""The ACPC's stacks are 32-bit integers."""
_SHARES_ROUNDING: Final = 1e-6
_ROUNDING: Final = 1e-3
# Chips in a log have six decimals.


@attrs.frozen
class Level:
    """Blinds of a sit-and-go."""

    hands: int
    """Hands that it lasts; the last one lasts for ever.  0 if it is limited by time."""
    blinds: tuple[int, ...]
    """Small and big."""
    ante: int = 0
    minutes: float = 0.0
    """Minutes that it lasts; 0 if it is limited by hands."""

    def __str__(self) -> str:
        ante = f", antes {self.ante}" if self.ante else ""
        return f"blinds {'/'.join(map(str, self.blinds))}{ante}"


@attrs.frozen
class SitAndGo:
    """The terms of a sit-and-go."""

    stack: int
    """Chips that everybody begins with."""
    levels: tuple[Level, ...]
    """All by hands, or all by minutes."""
    payouts: tuple[float, ...]
    """Shares of the prize pool by place; they add up to 1."""
    button_moves: bool = False
    """The button moves to the next player; otherwise it may be dead."""

    def level_at(self, hands: int, minutes: float = 0.0) -> int:
        """The index of the level of the next hand.

        Args:
            hands: that have been played.
            minutes: for which it has been played.
        """
        ends_hands, ends_minutes = 0, 0.0
        for index, level in enumerate(self.levels):
            ends_hands += level.hands
            ends_minutes += level.minutes
            if hands < ends_hands if level.hands else minutes < ends_minutes:
                return index
        return len(self.levels) - 1

    def game(self, base: GameDefinition, players: int, level: Level) -> GameDefinition:
        """A level's game for all seats.

        Args:
            base: its cards and betting rounds are used.
            players: how many seats there are.
            level: has the blinds.
        """
        small, big = level.blinds
        return attrs.evolve(
            base,
            num_players=players,
            stacks=(max(players * self.stack, big + level.ante),) * players,
            blinds=line_up.usual_blinds(players, small, big),
            antes=(level.ante,) * players,
            first_positions=line_up.usual_firsts(players, base.num_rounds),
        )


DEFAULT_STACK: Final = 1500
DEFAULT_PAYOUTS: Final = (0.5, 0.3, 0.2)
DEFAULT_LEVELS: Final = tuple(
    [Level(10, (small, 2 * small)) for small in (10, 15, 25, 50, 75, 100, 150, 200, 300, 400, 600, 1000)]
)


def read_terms(section: Section, seats: int, *, by_time: bool) -> SitAndGo:
    """The terms in a section of a file: ``stack``, ``payouts``, and ``[[levels]]``, each with its blinds.

    Args:
        section: has them, perhaps among other keys.
        seats: at a table.
        by_time: whether levels may last for minutes: each then says how long it lasts.

    Raises:
        FileMistake: something in it is wrong.
    """
    stack: int = section.whole("stack", DEFAULT_STACK, least=2, most=MOST_CHIPS // seats)
    payouts = section.numbers("payouts", DEFAULT_PAYOUTS)
    if abs(sum(payouts) - 1) > _SHARES_ROUNDING:
        raise section.mistake("payouts", f"payouts: expected shares that add up to 1, got {list(payouts)}")
    levels = section.sections("levels")
    found = tuple([_level(each, by_time=by_time) for each in levels])
    for each, level in zip(levels, found, strict=True):
        if bool(level.hands) != bool(found[0].hands):
            raise each.mistake("", "expected levels by hands or by minutes, not some of each")
    return SitAndGo(stack, found or DEFAULT_LEVELS, payouts)


def _level(section: Section, *, by_time: bool) -> Level:
    if by_time and ("hands" in section) == ("minutes" in section):
        raise section.mistake("", "expected either hands or minutes for which the level lasts")
    is_timed = by_time and "minutes" in section
    small: int = section.whole("small", most=MOST_CHIPS // 2)
    level = Level(
        0 if is_timed else section.whole("hands", 10, most=10**9),
        (small, section.whole("big", 2 * small, least=small, most=MOST_CHIPS)),
        section.whole("ante", 0, least=0, most=MOST_CHIPS),
        section.number("minutes", least=0.01, most=1e6) if is_timed else 0.0,
    )
    section.close()
    return level


def leaving_groups(began: Mapping[Who, int]) -> list[tuple[Who, ...]]:
    """Players who go out at the same time, the worst placed first; equal ones share a place.

    Args:
        began: the chips with which they began their last hand: those with more are placed better.
    """
    return [
        tuple([who for who, stack in began.items() if stack == each]) for each in sorted({*began.values()})
    ]


def shares_by_place(payouts: Sequence[float], players: int) -> list[float]:
    """The shares of the prize pool by place, as many as there are players.

    If there are payouts for more places than players, the rest goes to the first.
    """
    shares = [*payouts[:players], *[0.0] * (players - len(payouts))]
    shares[0] += 1.0 - math.fsum(shares)
    return shares


def prizes_by_place(pool: int, payouts: Sequence[float], players: int) -> list[int]:
    """The prizes in whole chips; they add up to the pool, and odd chips go to the first places."""
    return whole_shares(pool, shares_by_place(payouts, players))


@attrs.define(eq=False)
class SitAndGoTable:
    """A sit-and-go between two hands, as it follows from the hands so far."""

    players: tuple[str, ...]
    """Players in seat order."""
    terms: SitAndGo
    base: GameDefinition
    """The game whose cards and betting rounds are used."""
    stacks: dict[str, int] = attrs.field(init=False)
    """Of all players, 0 for those who are out."""
    hands: int = 0
    """Hands that have been played."""
    groups: list[tuple[str, ...]] = attrs.Factory(list)
    """Those who are out, the first to leave first; those who share a place are together."""
    _last: line_up.Blinds | None = None
    """The last hand's button and blinds."""
    _next: line_up.LineUp | None = None
    """The next hand, once somebody has asked for it."""
    _last_left: tuple[int, int] | None = None
    """The hand before which the last player to fail left, and with how many chips."""

    def __attrs_post_init__(self) -> None:
        self.stacks = dict.fromkeys(self.players, self.terms.stack)

    @property
    def left(self) -> tuple[str, ...]:
        """The players still in, in seat order."""
        return tuple([name for name in self.players if self.stacks[name]])

    @property
    def is_over(self) -> bool:
        """Whether only one player is left, or none."""
        return len(self.left) < line_up.HEADS_UP or self.hands >= MOST_HANDS

    def level(self) -> Level:
        """The blinds of the next hand."""
        return self.terms.levels[self.terms.level_at(self.hands)]

    def _line_up(self) -> line_up.LineUp:
        """The next hand."""
        if self._next is None:
            seats = len(self.players)
            game = self.terms.game(self.base, seats, self.level())
            stacks = {seat: chips for seat, name in enumerate(self.players) if (chips := self.stacks[name])}
            if self.terms.button_moves:
                last_button = seats - 2 if self._last is None else self._last.button
                self._next = line_up.moving_line_up(game, stacks, last_button)
            else:
                ready = {seat: (chips, line_up.Joining.IN) for seat, chips in stacks.items()}
                self._next = line_up.line_up(
                    game, ready, self._last, lambda number: int(number > line_up.HEADS_UP)
                )
            assert self._next is not None  # two or more are in
        return self._next

    def seating(self) -> tuple[str, ...]:
        """The next hand's players, by position; heads-up the button has position 1 and the small blind."""
        return tuple([self.players[seat] for seat in self._line_up().seats])

    def game(self) -> GameDefinition:
        """The game of the next hand: blinds, antes and stacks of those who are in."""
        return self._line_up().game

    def finish(self, chips: Sequence[float]) -> None:
        """Finish a hand.

        Args:
            chips: won, by position.

        Raises:
            ValueError: the chips do not add up, or somebody has lost more than they had.
        """
        names = self.seating()
        began = {name: self.stacks[name] for name in names}
        after = [began[name] + won for name, won in zip(names, whole_chips(chips), strict=True)]
        if abs(sum(chips)) > _ROUNDING or min(after) < 0:
            raise ValueError(f"expected chips that add up to what was there, got {list(chips)}")
        self._last, self._next = self._line_up().blinds, None
        self.stacks.update(zip(names, after, strict=True))
        self.hands += 1
        self.groups += leaving_groups({name: chips for name, chips in began.items() if not self.stacks[name]})

    def leave(self, name: str) -> None:
        """Put out a player that has failed, with its chips.

        Players who leave between the same two hands with equal stacks share their places.

        Raises:
            ValueError: it is not in.
        """
        if name not in self.left:
            raise ValueError(f"{name} is not in")
        left = self.hands, self.stacks[name]
        self.stacks[name] = 0
        self._next = None
        if left == self._last_left:
            self.groups[-1] += (name,)
        else:
            self.groups.append((name,))
        self._last_left = left

    def places(self) -> list[tuple[str, ...]]:
        """Players by place, the best first; those who share one are together."""
        still = leaving_groups({name: self.stacks[name] for name in self.left})
        return [*reversed(still), *reversed(self.groups)]

    def payouts(self) -> dict[str, float]:
        """Each player's share of the prize pool; see `shares_by_place`."""
        shares = shares_by_place(self.terms.payouts, len(self.players))
        found: dict[str, float] = {}
        for group in self.places():
            place = len(found)
            found |= dict.fromkeys(group, math.fsum(shares[place : place + len(group)]) / len(group))
        return found
