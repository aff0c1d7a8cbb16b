"""What plain Python and compiled code share about a decision: its public situation, its context, its triple.

Nothing here needs numpy or numba.  The functions are plain Python: ``engine.players.action_context`` calls
them as they are, the kernels of trials compile them.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

USUAL_NO_LIMIT_BET: Final = 0.75
"""The bet that is reckoned with before its size is chosen, in pots."""

# --- the triple ------------------------------------------------------------------------------------------


class TripleIndex(IntEnum):
    """Actions by number: columns of arrays of triples, and how models number what a player did."""

    FOLD = 0
    CALL = 1
    """A check is a call of nothing."""
    RAISE = 2
    """A bet is the first raise."""


class ProbabilityTriple(NamedTuple):
    """The chances with which a strategy folds, calls and raises; they add up to one."""

    fold: float
    call: float
    raise_: float


# --- the situation ---------------------------------------------------------------------------------------

NUM_CONTEXTS: Final = 5 * 3 * 3 * 2

_RAISED_PREFLOP: Final = 4
"""Stands for the betting round in a context before the flop in which somebody has raised."""


class LastAction(IntEnum):
    """A player's last action in a hand."""

    NOTHING = 0
    CALLED = 1
    """Or checked."""
    RAISED = 2
    """Or bet."""


class RaiseSize(IntEnum):
    """Sizes of a raise.  Limit games have one, the first."""

    SMALLEST = 0
    HALF_POT = 1
    POT = 2
    TWO_POTS = 3
    ALL_IN = 4


NUM_SIZES: Final = len(RaiseSize)


class PublicSituation(NamedTuple):
    """The public state as a strategy uses it, besides board and ranges.  Sets of positions are bit masks."""

    betting_round: int
    """0 preflop to 3 river."""
    num_players: int
    """At the table, 2 to 10."""
    position: int
    """The position to act, 0 to 9."""
    raises: int
    """Raises in this round; blinds do not count."""
    raiser: int
    """The position that raised last in this round; -1 for nobody."""
    entered: int
    """Opponents who have called or raised in this round."""
    to_respond: int
    """Opponents who will still act in this round even if the player only calls."""
    opponents: int
    """Players who have not folded, without the one to act."""
    called_last: int
    """Positions, folded ones among them, that called or checked when they acted last in the hand."""
    raised_last: int
    """Those that bet or raised then."""
    is_in: int
    """Positions that have acted in this round; before the flop, that have put chips in, as blinds have."""
    matched: int
    """Positions that have put in as much as anybody."""
    pot: float
    """Chips in the middle before the action."""
    to_call: float
    """Chips."""
    bet: float
    """Chips that a bet or raise adds to the call: the fixed size, or what is usual in no-limit."""
    future_bets: float
    """Chips of one bet in each betting round to come, at most what is left in the stacks."""
    raises_left: int
    """Raises that are allowed in this round, with the next."""
    is_limit: bool
    can_fold: bool
    can_raise: bool


def bets_to_call(situation: PublicSituation) -> int:
    """0, 1, or 2 for two and more bets to call; in no-limit 2 is a bet of more than the pot."""
    if situation.to_call == 0.0:
        return 0
    if situation.is_limit:
        return 1 if situation.to_call <= situation.bet else 2
    return 1 if 2.0 * situation.to_call <= situation.pot else 2


def context_index(
    betting_round: int, bets_to_call: int, last_action: int, is_raised: bool, is_capped: bool
) -> int:
    """The number of a context, 0 to NUM_CONTEXTS - 1.

    is_raised: before the flop, whether somebody has raised.  is_capped: whether no raise is allowed.
    """
    stage = _RAISED_PREFLOP if betting_round == 0 and is_raised else betting_round
    return ((stage * 3 + bets_to_call) * 3 + last_action) * 2 + (1 if is_capped else 0)


def asked(situation: PublicSituation, other: int, bet: float) -> PublicSituation:
    """What an opponent faces once the player to act has raised by `bet`, or called where that is below 0.

    Roughly: an opponent who has yet to pay is taken to owe as much as the player did, and, in no-limit games,
    to have chips for a usual bet.
    """
    us, them = 1 << situation.position, 1 << other
    pot = situation.pot + situation.to_call
    to_call = 0.0 if situation.matched & them else situation.to_call
    raises, raiser, matched = situation.raises, situation.raiser, situation.matched | us
    called, raised = situation.called_last | us, situation.raised_last & ~us
    to_respond, left, size = situation.to_respond & ~them, situation.raises_left, situation.bet
    if bet >= 0.0:
        pot += bet
        to_call += bet
        raises, raiser, matched = raises + 1, situation.position, us
        called, raised = situation.called_last & ~us, situation.raised_last | us
        to_respond, left = situation.opponents & ~them, left - 1
    if not situation.is_limit:
        size = USUAL_NO_LIMIT_BET * (pot + to_call)
    return PublicSituation(
        betting_round=situation.betting_round,
        num_players=situation.num_players,
        position=other,
        raises=raises,
        raiser=raiser,
        entered=(situation.entered | us) & ~them,
        to_respond=to_respond,
        opponents=(situation.opponents | us) & ~them,
        called_last=called,
        raised_last=raised,
        is_in=situation.is_in | us,
        matched=matched,
        pot=pot,
        to_call=to_call,
        bet=size,
        future_bets=situation.future_bets,
        raises_left=left,
        is_limit=situation.is_limit,
        can_fold=to_call > 0.0,
        can_raise=left > 0,
    )


def no_limit_bet(pot: float, to_call: float, left: float, big_blind: float) -> float:
    """The chips that a bet adds to the call in no-limit games, before its size is chosen.

    left: the chips a player can still win or lose to one opponent.
    """
    return min(max(float(big_blind), USUAL_NO_LIMIT_BET * (pot + to_call)), max(float(left - to_call), 1.0))


def no_limit_future_bets(pot: float, to_call: float, rounds_left: int) -> float:
    """The chips of one bet in each betting round to come in no-limit games: half a pot each."""
    return 0.5 * (pot + to_call) * rounds_left
