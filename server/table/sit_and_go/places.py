"""Places and prizes: the order in which players go out, and what each place is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

Who = TypeVar("Who")


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


def whole_shares(chips: int, shares: Sequence[float]) -> list[int]:
    """Chips divided by shares; the odd chips go, one each, to the first of those who have a share."""
    total = math.fsum(shares)
    whole = [math.floor(chips * share / total + 1e-9) for share in shares] if total else [0] * len(shares)
    sharing = [index for index, share in enumerate(shares) if share > 0 or not total]
    for number in range(chips - sum(whole)):
        whole[sharing[number % len(sharing)]] += 1
    return whole
