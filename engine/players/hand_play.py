"""What each position did in a finished hand: the facts from which statistics of play are counted.

They follow from the betting alone, so hands with the same betting share them.  Terms of hold'em are used for
other games, too: *before the flop* is the first betting round, the *flop* is the second.

A 3-bet raises an open raise: the big blind is the first bet, the open raise the second.  If nobody posts more
than another (antes), an open bet is the first.
"""

from __future__ import annotations

import enum
import functools
from typing import Final

import attrs

from engine.poker.rules.action import ActionKind
from engine.poker.rules.betting import BettingState

_SECOND_BET: Final = 2
_REMEMBERED: Final = 1 << 13
"""Ends of hands to keep, some 10 MB: limit matches of programs repeat a few thousand betting sequences."""


class Ending(enum.StrEnum):
    """How a hand ended for a player."""

    FOLDED = "folded"
    UNCONTESTED = "uncontested"
    """Everybody else folded."""
    SHOWDOWN = "showdown"
    ALL_IN = "all-in"
    """A showdown before whose last cards nobody could bet any more."""


@attrs.frozen(eq=False)
class PositionPlay:
    """One position's actions in one hand."""

    decided: bool
    """Whether it acted before the flop; a big blind to whom everybody folds (a *walk*) does not, nor does a
    player whom the blind put all in."""
    entered: bool
    """Whether it called or raised before the flop, that is, put in chips beyond the blinds."""
    raised: bool
    """Whether it bet or raised before the flop."""
    could_three_bet: bool
    """Whether it had to act before the flop with the second bet to call and a raise allowed."""
    three_bet: bool
    """Whether it raised then."""
    saw_flop: bool
    """Whether it was in the hand when the flop came, perhaps all in."""
    bets_and_raises: tuple[int, ...]
    """Bets and raises in each betting round."""
    calls: tuple[int, ...]
    """Calls in each betting round; checks do not count."""
    checks: tuple[int, ...]
    """Checks in each betting round."""
    fold_round: int | None
    """The betting round in which it folded; None if it did not."""
    last_round: int
    """The betting round in which its hand was decided: that of its fold, or of the hand's last action."""
    ending: Ending

    @property
    def reached_showdown(self) -> bool:
        """Whether it was in the hand at the showdown."""
        return self.ending in (Ending.SHOWDOWN, Ending.ALL_IN)


@functools.lru_cache(maxsize=_REMEMBERED)
def play_by_position(betting: BettingState) -> tuple[PositionPlay, ...]:
    """What each position did in a hand, by position.

    Raises:
        ValueError: the hand is not over.
    """
    if not betting.is_finished:
        raise ValueError(f"expected the end of a hand; after {betting.text!r} it is not over")
    game = betting.game
    rounds, players = range(game.num_rounds), range(game.num_players)
    bets, calls, checks = ([[0 for _ in rounds] for _ in players] for _ in range(3))
    fold_rounds: list[int | None] = [None for _ in players]
    decided, could_three_bet, three_bet = set(), set(), set()
    last_round = 0
    for before, position, action in betting.steps():
        kind, last_round = action.kind, before.betting_round
        if last_round == 0:
            decided.add(position)
            if before.bets_in_round == _SECOND_BET and before.legal_actions().can_raise:
                could_three_bet.add(position)
                if kind is ActionKind.RAISE:
                    three_bet.add(position)
        if kind is ActionKind.RAISE:
            bets[position][last_round] += 1
        elif kind is ActionKind.FOLD:
            fold_rounds[position] = last_round
        elif before.amount_to_call(position) > 0:
            calls[position][last_round] += 1
        else:
            checks[position][last_round] += 1

    if not betting.is_showdown:
        kept = Ending.UNCONTESTED
    else:
        kept = Ending.ALL_IN if betting.betting_round > last_round else Ending.SHOWDOWN
    has_flop = betting.betting_round > 0
    return tuple(
        [
            PositionPlay(
                decided=position in decided,
                entered=bets[position][0] + calls[position][0] > 0,
                raised=bets[position][0] > 0,
                could_three_bet=position in could_three_bet,
                three_bet=position in three_bet,
                saw_flop=has_flop and folded != 0,
                bets_and_raises=tuple(bets[position]),
                calls=tuple(calls[position]),
                checks=tuple(checks[position]),
                fold_round=folded,
                last_round=last_round if folded is None else folded,
                ending=kept if folded is None else Ending.FOLDED,
            )
            for position, folded in enumerate(fold_rounds)
        ]
    )
