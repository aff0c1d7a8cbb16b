"""Round robins and what is like them: gauntlets, run-offs, sit-and-gos.

Who sits at each table of a game, and in which orders.  Entrants are taken in the order of the file, so that
an entrant added at its end adds tables and changes none.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from server.league.match import canonical_order
from server.league.plan import Event, Format, Match, RunOff, Schedule, Scores, TournamentPlan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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

    def acquaintance(name: str) -> tuple[int, int, int]:
        return met[_pair(begun[0], name)], sum(met[_pair(name, each)] for each in begun), sat[name]

    while len(begun) < seats:
        begun.append(min([name for name in names if name not in begun], key=acquaintance))
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


def _known_beforehand(
    plan: TournamentPlan,
    names: Sequence[str],
    scores: Scores,
    tables_of: Callable[[Event], list[tuple[str, ...]]],
) -> Schedule:
    """All matches of a format that is known in advance, one number after another.

    If only the time is limited there is no last number: as many more are known as have been played.
    """
    orders: list[list[tuple[int, tuple[str, ...]]]] = []
    for number, event in enumerate(plan.events):
        if event.seats > len(names) and plan.sit_and_go is None:
            orders.append([])
            continue
        orders.append([(number, order) for table in tables_of(event) for order in seatings(table, event)])
    limits = [_matches_of(plan, event, orders) for event in plan.events]
    seated = [each for of_event in orders for each in of_event]
    endless = [(event, order) for event, order in seated if limits[event] is None]
    played = 0
    while any(Match(event, played + 1, order) in scores for event, order in endless):
        played += 1
    upto = [2 * played + 2 if limit is None else limit for limit in limits]
    matches = [
        Match(event, number, order)
        for number in range(1, max(upto, default=0) + 1)
        for event, order in seated
        if number <= upto[event]
    ]
    return Schedule(tuple(matches), is_all=not endless)


def _matches_of(
    plan: TournamentPlan, event: Event, orders: Sequence[Sequence[tuple[int, tuple[str, ...]]]]
) -> int | None:
    """How many matches a table plays: as the file says, else as many as the budget allows; None if only
    the time is limited.
    """
    if event.matches is not None:
        return event.matches
    if plan.budget.hands is None:
        return None
    a_round = sum(len(each) * plan.events[k].hands * plan.events[k].passes for k, each in enumerate(orders))
    return max(1, plan.budget.hands // max(1, a_round))


def _halving(plan: TournamentPlan, names: list[str], scores: Scores) -> Schedule:
    """Sequential halving: equal shares of the budget for each stage, each with half the players.

    Source: Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013.
    """
    assert plan.budget.hands is not None
    event = plan.events[0]
    stages = max(1, math.ceil(math.log2(len(names))))
    left, dropped = list(names), list[tuple[str, ...]]()
    matches: dict[Match, None] = {}
    notes: list[str] = []
    played: dict[tuple[str, ...], int] = {}
    for stage in range(1, stages + 1):
        orders = [
            order for table in choices(left, event.seats, event.tables) for order in seatings(table, event)
        ]
        each = max(1, plan.budget.hands // stages // max(1, len(orders) * event.hands * event.passes))
        notes.append(f"stage {stage}: {', '.join(left)}; {each} matches a table")
        for order in orders:
            played[order] = played.get(order, 0) + each
        matches |= dict.fromkeys(
            Match(0, number, order)
            for number in range(1, max(played.values()) + 1)
            for order in orders
            if number <= played[order]
        )
        if any(match not in scores for match in matches):
            return Schedule(tuple(matches), is_all=False, notes=tuple(notes))
        if len(left) <= max(2, event.seats):
            break
        rate = _rates(left, [match for match in matches if set(match.players) <= set(left)], scores)
        left.sort(key=lambda name: -rate(name))
        keep = max(event.seats, math.ceil(len(left) / 2))
        dropped[:0] = [(name,) for name in left[keep:]]
        left = [name for name in names if name in left[:keep]]
    rate = _rates(left, [match for match in matches if set(match.players) <= set(left)], scores)
    best = [(name,) for name in sorted(left, key=lambda name: -rate(name))]
    return Schedule(tuple(matches), placing=(*best, *dropped), notes=tuple(notes))


def _rates(names: Sequence[str], matches: Sequence[Match], scores: Scores) -> Callable[[str], float]:
    """The players' average winnings per match."""
    won = {name: [scores[match][name] for match in matches if name in match.players] for name in names}
    return lambda name: math.fsum(won[name]) / max(1, len(won[name]))


def _round_robin(plan: TournamentPlan, names: list[str], scores: Scores) -> Schedule:
    if plan.budget.hands is not None and plan.budget.halving:
        return _halving(plan, names, scores)

    def tables_of(event: Event) -> list[tuple[str, ...]]:
        return [tuple(names)] if len(names) <= event.seats else choices(names, event.seats, event.tables)

    return _known_beforehand(plan, names, scores, tables_of)


def _gauntlet(plan: TournamentPlan, names: list[str], scores: Scores) -> Schedule:
    challengers = [name for name in plan.challengers or plan.names[:1] if name in names]
    return _known_beforehand(
        plan, names, scores, lambda event: gauntlet_choices(names, challengers, event.seats)
    )


def _run_off(plan: TournamentPlan, won: NDArray[np.float64]) -> Sequence[int]:
    """The ranks of the ACPC's run-off."""
    from engine.evidence.ranking.ratings import run_off

    return run_off(won, series=plan.run_off is RunOff.SERIES).ranks


ROUND_ROBIN: Final = Format("round-robin", _round_robin, takes=frozenset({"budget", "halving"}))
"""Everybody plays everybody; ranked by what they won in all."""
GAUNTLET: Final = Format("gauntlet", _gauntlet, takes=frozenset({"budget", "challengers"}))
"""Challengers play everybody else; the others do not play each other."""
RUN_OFF: Final = Format("run-off", _round_robin, rank=_run_off, takes=frozenset({"budget"}))
"""A round robin, ranked by the ACPC's run-off."""
SIT_AND_GO: Final = Format("sit-and-go", _round_robin, takes=frozenset({"sit_and_go"}), has_one_game=True)
"""Everybody sits down with the same chips, blinds rise, and players with no chips left are out."""
