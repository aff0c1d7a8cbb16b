"""Tables of a game: which entrants sit at each, and in which orders.

Entrants are taken in the order of the file, so that an entrant added at its end adds tables and changes none.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from server.league.match import canonical_order
from server.league.plan import Event

_ALL_CANDIDATES: Final = 5040
_CANDIDATES: Final = 2000
"""The number of orders from which the next of a sample is chosen, if all would be too many."""


def choices(names: Sequence[str], seats: int, tables: int | None) -> list[tuple[str, ...]]:
    """Who sits at the tables of a round robin.

    Args:
        names: of the entrants, in the order of the file.
        seats: of a table.
        tables: how many; None for every choice; 0 for as few as let everybody meet everybody.
    """
    if tables is None or seats == 2:
        return list(itertools.combinations(names, seats))
    found = _meeting_all(names, seats)
    if tables == 0:
        return found
    if tables < len(found):
        found = []
    sat = Counter(name for table in found for name in table)
    met: Counter[tuple[str, str]] = Counter()
    for table in found:
        met.update(itertools.combinations(sorted(table), 2))
    while len(found) < min(tables, math.comb(len(names), seats)):
        found.append(_table([min(names, key=lambda name: sat[name])], names, seats, sat, met))
    return found


def gauntlet_choices(names: Sequence[str], challengers: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """The tables of a gauntlet: each challenger meets everybody."""
    found: dict[tuple[str, ...], None] = {}
    for challenger in challengers:
        others = [name for name in names if name != challenger]
        for start in range(0, len(others), seats - 1):
            group = others[start : start + seats - 1]
            group += [name for name in others if name not in group][: seats - 1 - len(group)]
            table = tuple([name for name in names if name == challenger or name in group])
            found[table] = None
    return list(found)


def _meeting_all(names: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Tables at which everybody meets everybody, entrant by entrant."""
    found = [tuple(names[:seats])]
    sat = Counter(found[0])
    met: Counter[tuple[str, str]] = Counter(itertools.combinations(sorted(found[0]), 2))
    for number in range(seats, len(names)):
        newcomer, earlier = names[number], names[:number]
        while any(met[_pair(newcomer, other)] == 0 for other in earlier):
            found.append(_table([newcomer], [*earlier, newcomer], seats, sat, met))
    return found


def _table(
    begun: list[str], names: Sequence[str], seats: int, sat: Counter[str], met: Counter[tuple[str, str]]
) -> tuple[str, ...]:
    """A table of those who have met least and sat least; the counts are updated."""
    while len(begun) < seats:
        begun.append(
            min(
                [name for name in names if name not in begun],
                key=lambda name: (
                    met[_pair(begun[0], name)],
                    sum(met[_pair(name, each)] for each in begun),
                    sat[name],
                ),
            )
        )
    table = tuple([name for name in names if name in begun])
    sat.update(table)
    met.update(itertools.combinations(sorted(table), 2))
    return table


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def seatings(table: Sequence[str], event: Event) -> list[tuple[str, ...]]:
    """The circular orders in which a table sits; each begins with the first by name.

    A sample is balanced: everybody sits to the left of everybody else equally often, as far as possible.
    """
    first, *others = canonical_order(tuple(table))
    if event.seatings == 1 or len(others) < 2:
        return [(first, *others)]
    every = math.factorial(len(others))
    others.sort()
    if event.seatings is None or event.seatings >= every:
        return [(first, *order) for order in itertools.permutations(others)]
    candidates = list(_candidates(first, others))
    chosen: list[tuple[str, ...]] = []
    beside: Counter[tuple[str, str]] = Counter()
    while len(chosen) < event.seatings:
        best = min(candidates, key=lambda order: sum(2 * beside[each] + 1 for each in _neighbours(order)))
        candidates.remove(best)
        beside.update(_neighbours(best))
        chosen.append(best)
    return chosen


def _candidates(first: str, others: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if math.factorial(len(others)) <= _ALL_CANDIDATES:
        yield from ((first, *order) for order in itertools.permutations(others))
        return
    drawn = random.Random(0)
    orders = {tuple(drawn.sample(others, len(others))) for _ in range(_CANDIDATES)}
    yield from ((first, *order) for order in sorted(orders))


def _neighbours(order: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip(order, [*order[1:], order[0]], strict=True)
