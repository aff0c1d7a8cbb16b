"""What a hand comes to in whole chips: odd chips, and the house's rake.

The rules split a pot exactly (`engine.poker.rules.showdown`); at a table chips stay whole.  The odd chips
go, one each, to the players whose share was rounded down, starting with the first to the left of the button.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs

from engine.poker.rules import HandState

_EXACT: Final = 1e-6
# Shares of a pot are whole, or differ from whole chips by a tenth of one or more.
_PER_CENT: Final = 10_000
# Hundredths of a per cent, the unit in which rakes are computed.


@attrs.frozen
class Rake:
    """What the house takes from a pot."""

    share: float = 0.0
    """Of the pot, from 0 to 0.2."""
    most: int = 0
    """The most chips from one pot; 0 for no limit."""

    def of(self, state: HandState) -> int:
        """Chips taken from a finished hand's pot; none if no board card was dealt."""
        if not self.share or not state.betting.num_board_cards:
            return 0
        spent = sorted(state.betting.spent)
        pot = state.betting.pot - (spent[-1] - spent[-2])  # without a bet that nobody called
        taken = pot * round(self.share * _PER_CENT) // _PER_CENT
        return min(taken, self.most) if self.most else taken


@attrs.frozen
class Settlement:
    """The result of every position; ``sum(chips)`` is 0."""

    chips: tuple[int, ...]
    """Won or lost, before the rake."""
    rake: tuple[int, ...]
    """Taken from it; 0 for those who have not won."""

    @property
    def net(self) -> tuple[int, ...]:
        """What is added to every stack."""
        return tuple([won - taken for won, taken in zip(self.chips, self.rake, strict=True)])


def settle(state: HandState, rake: Rake) -> Settlement:
    """A finished hand in whole chips."""
    chips = whole_chips(state.chips_won())
    return Settlement(chips, _shared(rake.of(state), chips))


def whole_chips(chips: Sequence[float]) -> tuple[int, ...]:
    """Exact winnings by position in whole chips, which add up to 0.

    Every position gets what it is due, to within less than a chip.  Only in the case that the rules leave
    open (docs/acpc-dealer.md 8.9: chips that nobody has won) does the first of those with the most get more.
    """
    floors = [math.floor(won + _EXACT) for won in chips]
    over = -sum(floors)
    for position, (won, floor) in enumerate(zip(chips, floors, strict=True)):
        if over > 0 and won - floor > _EXACT:
            floors[position] += 1
            over -= 1
    if over:
        floors[max(range(len(floors)), key=lambda position: (chips[position], -position))] += over
    return tuple(floors)


def _shared(rake: int, chips: Sequence[int]) -> tuple[int, ...]:
    """A rake as the winners pay it: in proportion to their winnings, odd chips by the first of them."""
    won = [max(0, each) for each in chips]
    total = sum(won)
    rake = min(rake, total)
    if not rake:
        return (0,) * len(won)
    shares = [rake * each // total for each in won]
    left = rake - sum(shares)
    for position, each in enumerate(won):
        if left and each > shares[position]:
            shares[position] += 1
            left -= 1
    return tuple(shares)
