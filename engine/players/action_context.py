"""The public situation of a player who is to act, and the context in which actions are counted.

Both follow from the betting alone and contain no cards, so they are the same for everybody at the table.

Source: Loki, "Opponent modeling"; Papp (1998) counts actions by betting round and bets to call (0, 1, 2 or
more), Peña (1999) also by the player's last action.  A player who has acted in this round and faces a bet has
either checked before, or was raised: that, and the number of raises before the flop, are the context's
details.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import attrs

from engine.poker.records import (
    LastAction,
    PublicSituation,
    bets_to_call,
    context_index,
    no_limit_bet,
    no_limit_future_bets,
)
from engine.poker.rules.action import ActionKind
from engine.poker.rules.betting import BettingState


@attrs.frozen
class ActionContext:
    """The coarse kind of a situation, for which action frequencies are counted."""

    betting_round: int
    """0 for preflop to 3 for the river."""
    bets_to_call: int
    """0, 1, or 2 for two and more; in no-limit 2 is a bet of more than the pot."""
    last_action: int
    """The player's last action in this hand: a `LastAction`."""
    is_raised: bool = False
    """Before the flop: whether somebody has raised, so that a bet to call is more than a blind."""
    is_capped: bool = False
    """Whether no raise is allowed, so that a player who would raise must call."""
    raises: int = 0
    """A detail: raises in this round, as in `PublicSituation`."""
    is_in: bool = False
    """A detail: whether the player has acted in this round; before the flop, put chips in, as blinds have."""

    @property
    def index(self) -> int:
        """The index of the context, 0 to NUM_CONTEXTS - 1."""
        return context_index(
            self.betting_round, self.bets_to_call, self.last_action, self.is_raised, self.is_capped
        )


def context_of(situation: PublicSituation) -> ActionContext:
    """The context of a situation."""
    us, last_action = 1 << situation.position, LastAction.NOTHING
    if situation.called_last & us:
        last_action = LastAction.CALLED
    elif situation.raised_last & us:
        last_action = LastAction.RAISED
    return ActionContext(
        situation.betting_round,
        bets_to_call(situation),
        last_action,
        is_raised=situation.betting_round == 0 and situation.raises > 0,
        is_capped=not situation.can_raise,
        raises=situation.raises,
        is_in=bool(situation.is_in & us),
    )


@functools.cache
def positions_in(mask: int) -> tuple[int, ...]:
    """The positions in a bit mask."""
    return tuple([position for position in range(mask.bit_length()) if mask >> position & 1])


@functools.lru_cache(maxsize=1 << 15)
def situation_of(betting: BettingState) -> PublicSituation:
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

    raiser = -1
    last_actions: dict[int, LastAction] = {}  # in the hand
    acted: set[int] = set()  # in this round
    since_raise: set[int] = set()  # in this round, after its last raise, or the raise itself
    for before, who, action in betting.steps():
        kind = action.kind
        if before.betting_round == betting_round and kind is not ActionKind.FOLD:
            acted.add(who)
            if kind is ActionKind.RAISE:
                raiser, since_raise = who, {who}
            else:
                since_raise.add(who)
        if kind is not ActionKind.FOLD:
            last_actions[who] = LastAction.RAISED if kind is ActionKind.RAISE else LastAction.CALLED

    left = max([game.betting_stacks[p] - betting.spent[p] for p in opponents], default=0)
    left = min(left, game.betting_stacks[position] - betting.spent[position])
    if game.is_limit:
        bet = float(game.raise_sizes[betting_round])
        future = float(sum(game.raise_sizes[betting_round + 1 : game.num_rounds]))
    else:
        bet = no_limit_bet(pot, to_call, left, game.big_blind)
        future = no_limit_future_bets(pot, to_call, game.num_rounds - 1 - betting_round)
    is_in = acted if betting_round > 0 else [p for p in range(game.num_players) if betting.spent[p] > 0]
    return PublicSituation(
        betting_round=betting_round,
        num_players=game.num_players,
        position=position,
        raises=betting.raises_in_round,
        raiser=raiser,
        entered=_mask(p for p in opponents if p in acted),
        to_respond=_mask(p for p in opponents if p not in since_raise and betting.can_act(p)),
        opponents=_mask(opponents),
        called_last=_mask(p for p, last in last_actions.items() if last is LastAction.CALLED),
        raised_last=_mask(p for p, last in last_actions.items() if last is LastAction.RAISED),
        is_in=_mask(is_in),
        matched=_mask(p for p in range(game.num_players) if betting.spent[p] == betting.max_spent),
        pot=float(pot),
        to_call=float(to_call),
        bet=bet,
        future_bets=min(future, float(max(left - to_call, 0))),
        raises_left=max(betting.raises_left(), 0),
        is_limit=game.is_limit,
        can_fold=legal.can_fold,
        can_raise=legal.can_raise,
    )


def _mask(positions: Iterable[int]) -> int:
    """Positions as a bit mask."""
    return sum(1 << position for position in positions)
