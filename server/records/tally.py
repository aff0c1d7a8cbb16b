"""The running results of a match, updated hand by hand, for the score line and the verdict."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Sequence

import attrs

from engine.evidence.verdict import Goal, Standings, Verdict
from engine.poker.rules import GameDefinition
from server.table.stopping import rests


@attrs.frozen
class Score:
    """A player's score so far."""

    name: str
    mbb_per_hand: float
    half_width: float | None
    """Half width of an interval that is valid whenever you look, in mbb/h; None if nothing is known yet."""


class Tally:
    """Counts the hands of all passes; a deal counts for the verdict once every pass has played it.

    Args:
        game: the game played.
        names: the players' names, in the order given.
        seatings: for each pass, the player in each seat.
        hands: the most hands that a pass plays.
        goal: what the match is to find out; None to play all hands.
        learners: the indices of players that learn while they play.
    """

    def __init__(
        self,
        game: GameDefinition,
        names: Sequence[str],
        seatings: Sequence[Sequence[int]],
        hands: int,
        goal: Goal | None = None,
        learners: Collection[int] = (),
    ) -> None:
        self._names = tuple(names)
        self._to_mbb = 1000 / game.big_blind if game.big_blind else None
        self._seatings = seatings
        self._goal = goal
        self._standings = Standings(game, names, learners)
        self._has_passes = len(seatings) > 1
        self._rests = rests(hands) if self._has_passes and goal is not None else frozenset()
        self._played = [0] * len(seatings)
        self._totals = [0.0] * len(names)
        self._chips = [array("d") for _ in seatings]
        # By pass, the results of hands, player by player, that wait for other passes to play the same deal.
        self._taken = 0
        # How many numbers of each have been counted.

    @property
    def goal(self) -> Goal | None:
        """What the match is to find out; None to play all hands."""
        return self._goal

    @property
    def hands(self) -> int:
        """Finished hands of all passes."""
        return sum(self._played)

    def hand_finished(self, number: int, chips_by_seat: Sequence[float]) -> bool:
        """Count a hand of a pass; returns whether the pass should pause and ask whether to continue."""
        self._played[number] += 1
        won = [0.0] * len(self._names)
        for player, chips in zip(self._seatings[number], chips_by_seat, strict=True):
            won[player] = chips
            self._totals[player] += chips
        if not self._has_passes:
            self._standings.add(won)
            return self.is_settled()
        self._chips[number].extend(won)
        self._take_in()
        return self._played[number] in self._rests

    def _take_in(self) -> None:
        """Count the deals that every pass has played."""
        num_passes, num_players = len(self._chips), len(self._names)
        end = min(map(len, self._chips))
        while self._taken < end:
            start = self._taken
            hands = [chips[start : start + num_players] for chips in self._chips]
            self._standings.add([math.fsum(won) / num_passes for won in zip(*hands, strict=True)])
            self._taken += num_players

    def is_settled(self) -> bool:
        """Whether the match may end before its last hand."""
        return self._goal is not None and self._standings.is_settled(self._goal)

    def has_reached_goal(self) -> bool:
        """Whether the match has found out what it is played for."""
        return self._goal is not None and self._standings.reached(self._goal)

    def verdict(self) -> Verdict:
        """The present verdict."""
        return self._standings.verdict(self._goal)

    def half_width(self, player: int, mbb_per_hand: float | None) -> float | None:
        """How far a player's true rate may be from a mean, whenever you look, in mbb/h."""
        interval = self._standings.rate(player) if mbb_per_hand is not None else None
        if interval is None or mbb_per_hand is None:
            return None
        return max(interval.high - mbb_per_hand, mbb_per_hand - interval.low)

    def scores(self) -> list[Score]:
        """The players' scores, in the order given; empty before the first hand."""
        if not self.hands or self._to_mbb is None:
            return []
        rates = [total / self.hands * self._to_mbb for total in self._totals]
        has_deals = self._standings.deals > 0
        return [
            Score(name, rate, self.half_width(player, rate) if has_deals else None)
            for player, (name, rate) in enumerate(zip(self._names, rates, strict=True))
        ]
