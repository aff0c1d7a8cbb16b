"""Playing styles at a table: counts of what each player does, and the four styles of Fig. 4.2.

There are two classifiers, as the thesis means it and as it prints it (`engine.players.statistics`).  They
also count calls differently.  *As meant*, a call counts if a raise was possible: a player who always moves
all in can only call once another one has done so, and among such players always-all-in would count as
passive.  *As printed*, every call of a bet counts.  Checks never count.
"""

from __future__ import annotations

import functools
from typing import Final, Literal

from engine.players.statistics import PlayingStyle, style_as_meant, style_as_printed
from engine.poker.rules import ActionKind, BettingState

__all__ = ["Classifier", "StyleTable"]

Classifier = Literal["as-printed", "as-meant"]

_UNSEEN: Final = PlayingStyle.TIGHT_PASSIVE
"""The style of an unknown player, which is what both classifiers make of four zeros."""


@functools.lru_cache(maxsize=1 << 13)
def _counts(betting: BettingState) -> tuple[tuple[int, int, int, int], ...]:
    """By position, what a hand adds to the counts: flops seen, calls, calls instead of a raise, raises."""
    n = betting.game.num_players
    calls, free_calls, raises, folds = [0] * n, [0] * n, [0] * n, [-1] * n
    for before, position, action in betting.steps():
        if action.kind is ActionKind.RAISE:
            raises[position] += 1
        elif action.kind is ActionKind.FOLD:
            folds[position] = before.betting_round
        elif before.amount_to_call(position) > 0:
            calls[position] += 1
            free_calls[position] += before.legal_actions().can_raise
    has_flop = betting.betting_round > 0
    return tuple((int(has_flop and folds[p] != 0), calls[p], free_calls[p], raises[p]) for p in range(n))


class StyleTable:
    """The styles of all players at a table, from the hands seen so far."""

    def __init__(self, num_players: int, classifier: Classifier) -> None:
        self._as_meant = classifier == "as-meant"
        self.hands = 0
        """Hands seen so far."""
        self.counts = [[0, 0, 0] for _ in range(num_players)]
        """Flops seen, calls and raises of each seat."""
        self.numbers = [_UNSEEN.value] * num_players
        """The number of each seat's style, 0 to 3."""

    def style(self, seat: int) -> PlayingStyle:
        """The style of the player in a seat."""
        return PlayingStyle(self.numbers[seat])

    def number(self, seat: int) -> int:
        """The number of that style, 0 to 3."""
        return self.numbers[seat]

    def observe_hand(self, betting: BettingState, first_seat: int) -> None:
        """Count a finished hand.

        Args:
            betting: the state at its end.
            first_seat: the seat of position 0.
        """
        self.hands = hands = self.hands + 1
        counts, styles = self.counts, self.numbers
        as_meant, n = self._as_meant, len(styles)
        seat = first_seat
        for flop, calls, free_calls, raises in _counts(betting):
            total = counts[seat]
            total[0] += flop
            total[1] += free_calls if as_meant else calls
            total[2] += raises
            style = style_as_meant if as_meant else style_as_printed
            styles[seat] = style(hands, *total).value
            seat += 1
            if seat == n:
                seat = 0
