"""Statistics of play that poker players use, per player and position, with counts and intervals.

=====  =================================================================================================
VPIP   Hands in which the player called or raised before the flop, of those in which they had to act.  A
       *walk*, in which all fold to the big blind, counts for neither.
PFR    Hands in which they bet or raised before the flop, of the same.
3-bet  Hands in which they raised the open raise, of those in which they faced it and could raise: not if the
       raises are used up, or nobody is left who could call one.
WTSD   Hands in which they reached a showdown, of those in which they saw the flop.  A player who was all in
       before the flop has seen it.
W$SD   Showdowns that gave them a part of the pot, of all they reached.  A split pot does; the return of a
       bet that nobody called does not.
AF     Bets and raises for each call from the flop on, over all hands; checks and folds do not count.
=====  =================================================================================================

These are the definitions of the trackers that players use.  Blinds are not voluntary.  Heads-up the button
posts the small blind, and its call there is voluntary.  A raise all in is a raise, whatever its size; a call
with less than the bet is a call.  In a game of one betting round (Kuhn) AF counts that round, and WTSD is per
hand.

Intervals of shares are Wilson's.  That of AF is Wilson's for the share of bets and raises among all actions
that are either, as odds: it assumes independent actions, which those of one hand are only approximately.
"""

from __future__ import annotations

from typing import Any, Final

import attrs

from engine.players.hand_play import Ending
from engine.players.statistics import Rate
from engine.poker.rules import GameDefinition
from engine.support.intervals import Winnings

STATISTICS: Final = {
    "vpip": "VPIP",
    "pfr": "PFR",
    "three_bet": "3-bet",
    "af": "AF",
    "wtsd": "WTSD",
    "w_sd": "W$SD",
}
"""Keys and the names that people use, in the order in which they are shown."""
STRONGEST: Final = ("bet or raised", "called", "only checked", "only folded")
"""Kinds of hands by a player's strongest decision; who never had to decide is with those who folded."""
KINDS: Final = ("position", "round", "ending", "decision")
"""What hands are told apart by, where it is said what was won in them."""
SOMETHING: Final = 1e-3
"""Chips: less than the smallest part of a pot, more than the rounding error of six decimals."""


@attrs.frozen
class Odds:
    """The ratio of how often two things were done."""

    count: int
    to: int

    @property
    def value(self) -> float | None:
        """The ratio; None if neither was done, infinite if only the first was."""
        if not self.to:
            return float("inf") if self.count else None
        return self.count / self.to

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % interval; None if neither was done."""
        share = Rate(self.count, self.count + self.to).ci95
        if share is None:
            return None
        low, high = [each / (1 - each) if each < 1 else float("inf") for each in share]
        return low, high


@attrs.define(eq=False)
class PlayCounts:
    """A player's counts in some hands: hands, and actions by betting round."""

    num_rounds: int
    hands: int = 0
    decided: int = 0
    entered: int = 0
    raised: int = 0
    could_three_bet: int = 0
    three_bets: int = 0
    flops: int = 0
    """Hands in which the player saw the flop; in a game of one betting round, all hands."""
    showdowns: int = 0
    showdowns_won: int = 0
    bets_and_raises: list[int] = attrs.field(init=False)
    calls: list[int] = attrs.field(init=False)
    checks: list[int] = attrs.field(init=False)
    folds: list[int] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        for name in _BY_ROUND:
            setattr(self, name, [0] * self.num_rounds)

    def __add__(self, other: PlayCounts) -> PlayCounts:
        both = PlayCounts(self.num_rounds)
        for field in attrs.fields(PlayCounts)[1:]:
            mine, others = getattr(self, field.name), getattr(other, field.name)
            if field.name in _BY_ROUND:
                setattr(both, field.name, [a + b for a, b in zip(mine, others, strict=True)])
            else:
                setattr(both, field.name, mine + others)
        return both

    def statistics(self) -> dict[str, Rate | Odds]:
        """The statistics, by the keys of `STATISTICS`."""
        first = 0 if self.num_rounds == 1 else 1
        return {
            "vpip": Rate(self.entered, self.decided),
            "pfr": Rate(self.raised, self.decided),
            "three_bet": Rate(self.three_bets, self.could_three_bet),
            "af": Odds(sum(self.bets_and_raises[first:]), sum(self.calls[first:])),
            "wtsd": Rate(self.showdowns, self.flops),
            "w_sd": Rate(self.showdowns_won, self.showdowns),
        }

    def as_json(self) -> dict[str, Any]:
        """Each statistic with its two counts, its value and its interval, and the actions by round.

        An infinite value or end of an interval, as of AF without calls, is None.
        """
        shown: dict[str, Any] = {"hands": self.hands}
        for key, statistic in self.statistics().items():
            other = {"of": statistic.of} if isinstance(statistic, Rate) else {"to": statistic.to}
            interval = statistic.ci95
            shown[key] = {
                "count": statistic.count,
                **other,
                "value": _finite(statistic.value),
                "ci95": None if interval is None else list(map(_finite, interval)),
            }
        return shown | {"by_round": {name: list(getattr(self, name)) for name in _BY_ROUND}}


_BY_ROUND: Final = ("bets_and_raises", "calls", "checks", "folds")


def _finite(value: float | None) -> float | None:
    return None if value is None or value == float("inf") else value


class PlayTable:
    """Counts of the players' play in a game, and of what they win, by position, round, ending and decision.

    `engine.evidence.columns.play.add_to_table` counts hands.

    Args:
        game: the game played.
        num_players: the number of players; more than the game has positions if players come and go.
    """

    def __init__(self, game: GameDefinition, num_players: int) -> None:
        self.game = game
        self.players = [
            [PlayCounts(game.num_rounds) for _ in range(game.num_players)] for _ in range(num_players)
        ]
        """The counts of each player, by position."""
        sizes = (game.num_players, game.num_rounds, len(Ending), len(STRONGEST))
        self.won = {kind: [Winnings()] * (num_players * n) for kind, n in zip(KINDS, sizes, strict=True)}
        """Winnings by kind: for each a list of the first player's, then of the second's, and so on."""

    def counts(self, player: int, position: int | None = None) -> PlayCounts:
        """A player's counts in a position, or in all positions if none is given."""
        of_player = self.players[player]
        if position is not None:
            return of_player[position]
        return sum(of_player[1:], of_player[0])

    def won_by(self, kind: str, player: int) -> list[Winnings]:
        """A player's winnings in each part of a kind.

        Args:
            kind: ``position``; ``round``, in which the hand was decided for the player, by their fold or by
                its last action; ``ending``, in the order of `Ending`; ``decision``, in that of `STRONGEST`.
            player: the player's number.
        """
        number = len(self.won[kind]) // len(self.players)
        return self.won[kind][player * number : (player + 1) * number]
