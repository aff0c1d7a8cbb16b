"""The bracket of a knock-out: the loser of a match is out.

Seeds meet as late as possible: the first and the second in the final.  If their number is not a power of two,
the best have a bye.  A match that ends with equal chips is played again with other cards, at most
`MOST_REPLAYS` times; then the better seed advances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import attrs

from server.league.formats.round_robin import choices, seatings
from server.league.match import canonical_order
from server.league.plan import Format, Match, Schedule, Scores, TournamentPlan

MOST_REPLAYS: Final = 3
_STAGES: Final = {1: "final", 2: "semi-final", 4: "quarter-final"}
_SEEDING_MATCHES: Final = 1
"""Match numbers up to here belong to the round robin before the bracket."""


def bracket_order(size: int) -> list[int]:
    """Seeds, from 1, from the top of the bracket to its bottom.

    >>> bracket_order(8)
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    order = [1]
    while len(order) < size:
        others = 2 * len(order) + 1
        order = [seed for each in order for seed in (each, others - each)]
    return order


def bracket(names: Sequence[str], scores: Scores, *, third_place: bool) -> Schedule:
    """The matches as far as known, the places, and a line for each round."""
    seeds = {name: number for number, name in enumerate(names)}
    size = 1 << math.ceil(math.log2(len(names)))
    left: list[str | None] = [names[seed - 1] if seed <= len(names) else None for seed in bracket_order(size)]
    matches: list[Match] = []
    notes: list[str] = []
    places: list[tuple[str, ...]] = []
    beaten: list[str] = []
    while len(left) > 1:
        stage = _STAGES.get(len(left) // 2, f"round-of-{len(left)}")
        pairs = list(zip(left[::2], left[1::2], strict=True))
        extra = len(left) == 2 and third_place and len(beaten) == 2
        if extra:
            pairs.append((beaten[0], beaten[1]))
        decided = [
            _decided(pair, stage if k < len(left) // 2 else "third-place", seeds, scores)
            for k, pair in enumerate(pairs)
        ]
        matches += [match for played, _ in decided for match in played]
        notes.append(_line(stage, pairs, [winner for _, winner in decided]))
        if any(winner is None for pair, (_, winner) in zip(pairs, decided, strict=True) if any(pair)):
            return Schedule(tuple(matches), is_all=False, notes=tuple(notes))
        winners = [winner for _, winner in decided]
        if extra:
            third = winners.pop()
            pairs.pop()
            places[:1] = [(str(third),), (beaten[1] if third == beaten[0] else beaten[0],)]
        beaten = [
            name
            for pair, winner in zip(pairs, winners, strict=True)
            for name in pair
            if name is not None and name != winner
        ]
        if beaten:
            places.insert(0, tuple(beaten))
        left = list(winners)
    places.insert(0, tuple(name for name in left if name is not None))
    return Schedule(tuple(matches), placing=tuple(places), notes=tuple(notes))


def _decided(
    pair: tuple[str | None, str | None], stage: str, seeds: dict[str, int], scores: Scores
) -> tuple[list[Match], str | None]:
    """The matches of a pair, and who advances; nobody yet while a match is to be played."""
    one, other = pair
    if one is None or other is None:
        return [], one or other
    matches: list[Match] = []
    for number in range(_SEEDING_MATCHES + 1, _SEEDING_MATCHES + 2 + MOST_REPLAYS):
        matches.append(Match(0, number, canonical_order((one, other)), stage))
        score = scores.get(matches[-1])
        if score is None:
            return matches, None
        if score[one] != score[other]:
            return matches, one if score[one] > score[other] else other
    return matches, min(one, other, key=lambda name: seeds[name])


def _line(stage: str, pairs: Sequence[tuple[str | None, str | None]], winners: Sequence[str | None]) -> str:
    said = []
    for (one, other), winner in zip(pairs, winners, strict=True):
        if one is None or other is None:
            said += [f"{one or other} has a bye"] if one or other else []
        else:
            said.append(f"{one} v {other}" + (f", {winner} goes on" if winner else ""))
    return f"{stage}: {'; '.join(said)}"


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
    found = bracket(names, scores, third_place=plan.third_place)
    return attrs.evolve(found, matches=(*before, *found.matches))


KNOCK_OUT: Final = Format("knock-out", _knock_out, is_heads_up=True, has_one_game=True)
"""The loser is out."""
