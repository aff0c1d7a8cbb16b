"""What is to be played, by format."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import attrs

from server.league.formats import knock_out, swiss
from server.league.formats.tables import choices, gauntlet_choices, seatings
from server.league.match import Match, Scores
from server.league.plan import Event, Format, TournamentPlan


@attrs.frozen
class Schedule:
    """The matches of a tournament, as far as known."""

    matches: tuple[Match, ...]
    """In the order in which they are to be begun."""
    is_all: bool = True
    """No further matches follow from the results of these."""
    placing: tuple[tuple[str, ...], ...] = ()
    """Players by place, the best first, if the format gives places; those who share one are together."""
    notes: tuple[str, ...] = ()
    """What the report says about it, in lines: rounds, byes."""


def schedule(plan: TournamentPlan, scores: Scores, out: frozenset[str] = frozenset()) -> Schedule:
    """What is to be played.

    Args:
        plan: of the tournament.
        scores: of the matches that are over.
        out: players who have been disqualified; nobody plays them any more.
    """
    names = [name for name in plan.names if name not in out]
    if len(names) < 2:
        return Schedule(())
    if plan.format is Format.SWISS:
        return Schedule(*swiss.rounds(names, scores, _number_of_rounds(plan, names)))
    if plan.format is Format.KNOCK_OUT:
        return _knock_out(plan, names, scores)
    if plan.budget.hands is not None and plan.budget.halving:
        return _halving(plan, names, scores)
    return _known_beforehand(plan, names, scores)


def _number_of_rounds(plan: TournamentPlan, names: Sequence[str]) -> int:
    return plan.rounds or max(1, math.ceil(math.log2(len(names))))


def _known_beforehand(plan: TournamentPlan, names: Sequence[str], scores: Scores) -> Schedule:
    """All matches of a format that is known in advance, one number after another.

    If only the time is limited there is no last number: as many more are known as have been played.
    """
    orders: list[list[tuple[int, tuple[str, ...]]]] = []
    for number, event in enumerate(plan.events):
        if event.seats > len(names) and plan.format is not Format.SIT_AND_GO:
            orders.append([])
            continue
        tables = _tables(plan, event, names)
        orders.append([(number, order) for table in tables for order in seatings(table, event)])
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


def _tables(plan: TournamentPlan, event: Event, names: Sequence[str]) -> list[tuple[str, ...]]:
    if plan.format is Format.GAUNTLET:
        challengers = [name for name in plan.challengers or plan.names[:1] if name in names]
        return gauntlet_choices(names, challengers, event.seats)
    if len(names) <= event.seats:
        return [tuple(names)]
    return choices(names, event.seats, event.tables)


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


def _knock_out(plan: TournamentPlan, names: list[str], scores: Scores) -> Schedule:
    before: list[Match] = []
    if plan.seeded_by_round_robin:
        before = [
            Match(0, 1, order)
            for table in choices(names, 2, None)
            for order in seatings(table, plan.events[0])
        ]
        if any(match not in scores for match in before):
            return Schedule(tuple(before), is_all=False)
        won = {name: sum(scores[match].get(name, 0.0) for match in before) for name in names}
        names = sorted(names, key=lambda name: -won[name])
    bracket = knock_out.bracket(names, scores, third_place=plan.third_place)
    return Schedule((*before, *bracket[0]), *bracket[1:])


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
        among = [match for match in matches if set(match.players) <= set(left)]
        rate = _rates(left, among, scores)
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
