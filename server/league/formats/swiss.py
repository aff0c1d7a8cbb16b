"""Swiss pairing: in each round players with equal scores meet, nobody the same opponent twice.

Points are 1 for a match won and 1/2 for one drawn or for a bye; equal points are ordered by winnings.
With an odd number the lowest-placed player who has had no bye sits out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final

from server.league.match import canonical_order
from server.league.plan import Format, Match, Schedule, Scores, TournamentPlan

_MOST_TRIES: Final = 100_000
"""After so many attempts players may meet again."""


class _Table:
    """The standings of a Swiss tournament."""

    def __init__(self, names: Sequence[str]) -> None:
        self.points = dict.fromkeys(names, 0.0)
        self.won = dict.fromkeys(names, 0.0)
        self.byes: set[str] = set()
        self.met: set[frozenset[str]] = set()

    def _score(self, name: str) -> tuple[float, float]:
        return -self.points[name], -self.won[name]

    def order(self) -> list[str]:
        """The players, the best first; equal ones in the order of the file."""
        return sorted(self.points, key=self._score)

    def count(self, match: Match, score: Mapping[str, float]) -> None:
        one, other = match.players
        self.met.add(frozenset(match.players))
        lead = score[one] - score[other]
        for name, sign in ((one, lead), (other, -lead)):
            self.points[name] += 1.0 if sign > 0 else 0.5 if sign == 0 else 0.0
            self.won[name] += score[name]

    def places(self) -> tuple[tuple[str, ...], ...]:
        """Players by place; those with the same points and chips are together."""
        return tuple([tuple(group) for _, group in itertools.groupby(self.order(), self._score)])


def rounds(names: Sequence[str], scores: Scores, number: int) -> Schedule:
    """The matches as far as known, the places, and a line for each round."""
    table = _Table(names)
    matches: list[Match] = []
    notes: list[str] = []
    for round_number in range(1, number + 1):
        pairs, bye = pairing(table.order(), table.met, table.byes)
        now = [Match(0, round_number, canonical_order(pair), "swiss") for pair in pairs]
        matches += now
        said = ", ".join(" v ".join(match.players) for match in now)
        notes.append(f"round {round_number}: {said}" + (f"; {bye} sits out" if bye else ""))
        if any(match not in scores for match in now):
            return Schedule(tuple(matches), is_all=False, notes=tuple(notes))
        for match in now:
            table.count(match, scores[match])
        if bye is not None:
            table.byes.add(bye)
            table.points[bye] += 0.5
    return Schedule(tuple(matches), placing=table.places(), notes=tuple(notes))


def pairing(
    order: Sequence[str], met: set[frozenset[str]], byes: set[str]
) -> tuple[list[tuple[str, str]], str | None]:
    """The pairs of a round, and who sits out.

    Args:
        order: the players, the best first.
        met: pairs that have played.
        byes: players who have sat out.
    """
    left = list(order)
    bye = None
    if len(left) % 2:
        bye = next((name for name in reversed(left) if name not in byes), left[-1])
        left.remove(bye)
    pairs = _paired(left, met, [_MOST_TRIES])
    return (pairs if pairs is not None else list(zip(left[::2], left[1::2], strict=True))), bye


def _paired(left: list[str], met: set[frozenset[str]], tries: list[int]) -> list[tuple[str, str]] | None:
    """Pairs of neighbours who have not met, by trial and error; None if there are none."""
    if not left:
        return []
    best, *others = left
    for other in others:
        tries[0] -= 1
        if tries[0] < 0:
            return None
        if frozenset((best, other)) not in met:
            rest = _paired([name for name in others if name != other], met, tries)
            if rest is not None:
                return [(best, other), *rest]
    return None


def _swiss(plan: TournamentPlan, names: list[str], scores: Scores) -> Schedule:
    return rounds(names, scores, plan.rounds or max(1, math.ceil(math.log2(len(names)))))


SWISS: Final = Format("swiss", _swiss, takes=frozenset({"rounds"}), is_heads_up=True, has_one_game=True)
"""In each round players with equal scores play each other."""
