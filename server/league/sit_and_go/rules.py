"""A table whose stacks carry over from hand to hand: plain rules, no clocks and no cards.

* Seats are those of the match; position 0 sits to the left of the button.
* The button moves to the next player who is still in (a moving button: nobody posts for an empty seat).  With
  two players the button posts the small blind and acts first before the flop.
* A player with less than a blind or an ante posts what they have.  The bet to be called before the flop is
  the largest blind that was posted.
* Chips are whole: odd chips of a split pot go to the winners nearest to the left of the button.
* A player with no chips is out; of those who go out in the same hand, the one who began it with more is
  placed better, and equal ones share the payouts of their places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs

from engine.poker.rules import GameDefinition
from server.table.sit_and_go.places import leaving_groups, shares_by_place
from server.table.sit_and_go.terms import MOST_HANDS, Level, SitAndGo

__all__ = ["SitAndGoTable"]

_HEADS_UP: Final = 2
_ROUNDING: Final = 1e-6


@attrs.define(eq=False)
class SitAndGoTable:
    """A sit-and-go between two hands."""

    players: tuple[str, ...]
    """In seat order."""
    plan: SitAndGo
    base: GameDefinition
    """The game whose cards and betting rounds are used."""
    stacks: dict[str, int] = attrs.field(init=False)
    """Of all players, 0 for those who are out."""
    hands: int = 0
    """Hands that have been played."""
    groups: list[tuple[str, ...]] = attrs.Factory(list)
    """Those who are out, the first to leave first; those who share a place are together."""
    _button: int = -1
    _last_left: tuple[int, int] | None = None
    """The hand before which the last player to fail left, and with how many chips."""

    def __attrs_post_init__(self) -> None:
        self.stacks = dict.fromkeys(self.players, self.plan.stack)
        self._button = len(self.players) - 1

    @property
    def left(self) -> tuple[str, ...]:
        """The players still in, in seat order."""
        return tuple([name for name in self.players if self.stacks[name]])

    @property
    def is_over(self) -> bool:
        """Whether only one player is left, or none."""
        return len(self.left) < _HEADS_UP or self.hands >= MOST_HANDS

    def level(self) -> Level:
        """The blinds of the next hand."""
        return self.plan.levels[self.plan.level_at(self.hands)]

    def seating(self) -> tuple[str, ...]:
        """The next hand's players, by position; heads-up the button has position 1 and the small blind."""
        n = len(self.players)
        order = [self.players[(self._button + 1 + k) % n] for k in range(n)]
        return tuple([name for name in order if self.stacks[name]])

    def game(self) -> GameDefinition:
        """The game of the next hand: blinds, antes and stacks of those who are in."""
        names, level = self.seating(), self.level()
        n, rounds = len(names), self.base.num_rounds
        stacks = tuple([self.stacks[name] for name in names])
        small, big = level.blinds
        due = (big, small) if n == _HEADS_UP else (small, big, *[0] * (n - 2))
        antes = (level.ante,) * n if level.ante else ()
        blinds = tuple(
            [min(blind, max(0, stack - level.ante)) for blind, stack in zip(due, stacks, strict=True)]
        )
        first = 1 if n == _HEADS_UP else 2 % n
        return attrs.evolve(
            self.base,
            num_players=n,
            stacks=stacks,
            blinds=blinds,
            antes=antes,
            first_positions=(first, *[0] * (rounds - 1)),
        )

    def finish(self, chips: Sequence[float]) -> None:
        """Finish a hand.

        Args:
            chips: won, by position.

        Raises:
            ValueError: the chips do not add up, or somebody has lost more than they had.
        """
        names = self.seating()
        before = dict(self.stacks)
        exact = [self.stacks[name] + won for name, won in zip(names, chips, strict=True)]
        after = [math.floor(stack + _ROUNDING) for stack in exact]
        over = sum(before[name] for name in names) - sum(after)
        winners = [k for k, stack in enumerate(exact) if stack - after[k] > _ROUNDING]
        if (over != 0 and not 0 < over <= len(winners)) or min(after) < 0:
            raise ValueError(f"expected chips that add up to what was there, got {list(chips)}")
        for k in winners[:over]:
            after[k] += 1
        self.stacks.update(zip(names, after, strict=True))
        self.hands += 1
        self.groups += leaving_groups({name: before[name] for name in names if not self.stacks[name]})
        self._move_button()

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
        if left == self._last_left:
            self.groups[-1] += (name,)
        else:
            self.groups.append((name,))
        self._last_left = left
        if self.left and self.players[self._button] == name:
            self._move_button()

    def _move_button(self) -> None:
        n = len(self.players)
        for step in range(1, n + 1):
            seat = (self._button + step) % n
            if self.stacks[self.players[seat]]:
                self._button = seat
                return

    def places(self) -> list[tuple[str, ...]]:
        """Players by place, the best first; those who share one are together."""
        standing = sorted({self.stacks[name] for name in self.left}, reverse=True)
        still = [tuple([name for name in self.left if self.stacks[name] == stack]) for stack in standing]
        return [*still, *reversed(self.groups)]

    def payouts(self) -> dict[str, float]:
        """By player, its share of the prize pool; if there are payouts for more places than players, the rest
        goes to the first.
        """
        shares = shares_by_place(self.plan.payouts, len(self.players))
        found: dict[str, float] = {}
        place = 0
        for group in self.places():
            each = math.fsum(shares[place : place + len(group)]) / len(group)
            found |= dict.fromkeys(group, each)
            place += len(group)
        return found
