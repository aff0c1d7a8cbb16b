"""The public situation of a player who is to act, and the context in which his actions are counted.

Both follow from the betting alone: no cards are in them, so that they are the same for everybody at the
table.

Source: Loki, "Opponent modeling"; Papp (1998) counts actions by betting round and bets to call (0, 1, 2 or
more), Peña (1999) by the player's last action as well.
"""

from __future__ import annotations

import functools
from typing import Final

import attrs

from engine.bets import USUAL_NO_LIMIT_BET
from engine.rules.action import ActionKind
from engine.rules.betting import BettingState

__all__ = ["NUM_CONTEXTS", "NUM_GROUPS", "ActionContext", "Situation", "situation_of"]

NUM_CONTEXTS: Final = 5 * 3 * 3 * 2
NUM_GROUPS: Final = 2 * 2 * 2


@attrs.frozen
class ActionContext:
    """What an action frequency is kept for."""

    betting_round: int
    """0 preflop to 3 river."""
    bets_to_call: int
    """0, 1, or 2 for two and more; in no-limit 2 is more than the pot."""
    last_action: int
    """What the player did last in this hand: 0 nothing yet, 1 called or checked, 2 bet or raised."""
    is_raised: bool = False
    """Before the flop: somebody has raised, so that a bet to call is no mere blind."""
    is_capped: bool = False
    """No raise is allowed: who would raise must call."""

    @property
    def index(self) -> int:
        """0 to NUM_CONTEXTS - 1."""
        place = 4 if self.betting_round == 0 and self.is_raised else self.betting_round
        return ((place * 3 + self.bets_to_call) * 3 + self.last_action) * 2 + self.is_capped

    @property
    def group(self) -> int:
        """0 to NUM_GROUPS - 1: before or after the flop, something to call or not, capped or not."""
        return ((self.betting_round > 0) * 2 + (self.bets_to_call > 0)) * 2 + self.is_capped


@attrs.frozen(eq=False)
class Situation:
    """All that a strategy uses of the public state besides board and weight tables.  Amounts in chips."""

    position: int
    """Who is to act."""
    context: ActionContext
    num_players: int
    """Dealt in."""
    opponents: tuple[int, ...]
    """Positions that have not folded, the player's own left out."""
    to_respond: tuple[int, ...]
    """Opponents who will still act in this round even if the player only calls."""
    entered: tuple[int, ...]
    """Opponents who have called or raised in this round."""
    raiser: int | None
    """Who made the last raise of this round."""
    raises: int
    """Raises in this round; blinds do not count."""
    pot: int
    """All chips in the middle before the action."""
    amount_to_call: int
    bet: float
    """What a bet or raise adds to the call: the fixed size, or what is usual in no-limit."""
    future_bets: float
    """Chips of one bet in each betting round to come, at most what is left in the stacks."""
    can_fold: bool
    can_raise: bool
    last_raise: bool
    """A raise now would be the last that is allowed in this round."""
    is_limit: bool
    big_blind: int

    @property
    def betting_round(self) -> int:
        """0 preflop to 3 river."""
        return self.context.betting_round


@functools.lru_cache(maxsize=1 << 15)
def situation_of(betting: BettingState) -> Situation:
    """The situation of the position to act.

    Raises:
        ValueError: the hand is over.
    """
    position = betting.position_to_act
    if position is None:
        raise ValueError(f"after {betting.text!r} the hand is over: nobody is to act")
    game, betting_round = betting.game, betting.betting_round
    legal = betting.legal_actions()
    to_call = max(0, betting.amount_to_call(position))
    pot = betting.pot
    opponents = tuple(p for p in range(game.num_players) if p != position and not betting.folded[p])

    last_action, raiser = 0, None
    acted: set[int] = set()  # in this round
    since_raise: set[int] = set()  # in this round, after its last raise, or the raise itself
    node = betting
    while node.parent is not None:
        assert node.last_action is not None
        assert node.last_position is not None
        kind, who = node.last_action.kind, node.last_position
        if node.parent.betting_round == betting_round:
            if kind is not ActionKind.FOLD:
                acted.add(who)
                if raiser is None:
                    since_raise.add(who)
            if kind is ActionKind.RAISE and raiser is None:
                raiser = who
        if who == position and last_action == 0:
            last_action = 2 if kind is ActionKind.RAISE else 1
        node = node.parent

    left = max([game.stacks[p] - betting.spent[p] for p in opponents], default=0)
    left = min(left, game.stacks[position] - betting.spent[position])
    rounds = range(betting_round + 1, game.num_rounds)
    if game.is_limit:
        size = float(game.raise_sizes[betting_round])
        future = float(sum(game.raise_sizes[r] for r in rounds))
        bets = 0 if to_call == 0 else (1 if to_call <= size else 2)
    else:
        size = min(
            max(float(game.big_blind), USUAL_NO_LIMIT_BET * (pot + to_call)), float(max(left - to_call, 1))
        )
        future = 0.5 * (pot + to_call) * len(rounds)
        bets = 0 if to_call == 0 else (1 if 2 * to_call <= pot else 2)
    context = ActionContext(
        betting_round,
        bets,
        last_action,
        is_raised=betting_round == 0 and betting.raises_in_round > 0,
        is_capped=not legal.can_raise,
    )
    return Situation(
        position=position,
        context=context,
        num_players=game.num_players,
        opponents=opponents,
        to_respond=tuple(p for p in opponents if p not in since_raise and betting.can_act(p)),
        entered=tuple(p for p in opponents if p in acted),
        raiser=raiser,
        raises=betting.raises_in_round,
        pot=pot,
        amount_to_call=to_call,
        bet=size,
        future_bets=min(future, float(max(left - to_call, 0))),
        can_fold=legal.can_fold,
        can_raise=legal.can_raise,
        last_raise=betting.raises_left() == 1,
        is_limit=game.is_limit,
        big_blind=max(1, game.big_blind),
    )
