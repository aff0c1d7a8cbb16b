"""Whole chips: what a hand comes to where chips are real, rake included, and how anything else is divided.

The rules split a pot exactly (`engine.poker.rules.showdown`); at such a table everything is rounded down, and
the odd chips go, one each, to the first of those who are entitled to more: in a pot to those whose share was
rounded down, beginning to the left of the button.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs

from engine.poker.rules import HandState, Rake, called_chips

_EXACT: Final = 1e-6
# Shares of a pot are whole, or differ from whole chips by a tenth of one or more.


@attrs.frozen
class Settlement:
    """The result of every position; ``sum(chips)`` is 0."""

    chips: tuple[int, ...]
    """Won or lost, before the rake."""
    rake: tuple[int, ...]
    """Taken from it; 0 for those who have not won."""

    @property
    def net(self) -> tuple[int, ...]:
        """The chips added to every stack."""
        return tuple([won - taken for won, taken in zip(self.chips, self.rake, strict=True)])


def settle(state: HandState, rake: Rake) -> Settlement:
    """A finished hand in whole chips; winners pay the rake in proportion to what they have won."""
    chips = whole_chips(state.chips_won())
    won = [max(0, each) for each in chips]
    total = sum(won)
    pot = sum(called_chips(state.betting)) if state.betting.num_board_cards else 0
    taken = min(rake.whole_amount(pot), total)
    parts = [taken * each // total if total else 0 for each in won]
    winners = [position for position, each in enumerate(won) if each]
    return Settlement(chips, tuple(with_odd_chips(parts, taken - sum(parts), winners)))


def whole_chips(chips: Sequence[float]) -> tuple[int, ...]:
    """Exact winnings by position in whole chips, which add up to 0.

    Every position gets what it is due, to within less than a chip.  Only in the case that the rules leave
    open (docs/acpc-dealer.md 8.9: chips that nobody has won) does the first of those with the most get more.
    """
    floors = [math.floor(won + _EXACT) for won in chips]
    rounded = [k for k, won in enumerate(chips) if won - floors[k] > _EXACT]
    whole = with_odd_chips(floors, min(-sum(floors), len(rounded)), rounded)
    whole[max(range(len(chips)), key=lambda position: (chips[position], -position))] -= sum(whole)
    return tuple(whole)


def whole_shares(chips: int, shares: Sequence[float]) -> list[int]:
    """Chips divided by shares; all who have a share are entitled to odd chips."""
    total = math.fsum(shares)
    floors = [math.floor(chips * share / total + 1e-9) for share in shares] if total else [0] * len(shares)
    sharing = [index for index, share in enumerate(shares) if share > 0 or not total]
    return with_odd_chips(floors, chips - sum(floors), sharing)


def with_odd_chips(floors: Sequence[int], odd: int, entitled: Sequence[int]) -> list[int]:
    """Amounts that were rounded down, with the odd chips, one each in turn, for those entitled."""
    whole = list(floors)
    for number in range(odd):
        whole[entitled[number % len(entitled)]] += 1
    return whole
