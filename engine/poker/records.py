"""What plain Python and compiled code share about a decision: its public situation, its context, its triple.

Nothing here needs numpy or numba.  The functions are plain Python: ``engine.players.action_context`` calls
them as they are, the kernels of trials compile them.
"""

from __future__ import annotations

from enum import IntEnum
from math import log
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

NUM_GROUPS: Final = 2 * 2 * 2
NUM_COMPANIES: Final = 3
"""One opponent is left, or two or three, or more."""
NUM_CONTEXTS: Final = 5 * 3 * 3 * 2
NUM_DETAILS: Final = 7 * 3 * 3 * 2 * 2

_RAISED_PREFLOP: Final = 4
"""Stands for the betting round in a context before the flop in which somebody has raised."""


class LastAction(IntEnum):
    """A player's last action in a hand."""

    NOTHING = 0
    CALLED = 1
    """Or checked."""
    RAISED = 2
    """Or bet."""


class ContextNumbers(NamedTuple):
    """The contexts in which an action is counted, from the coarsest to the finest, and its price."""

    group: int
    """0 to NUM_GROUPS - 1."""
    context: int
    """0 to NUM_CONTEXTS - 1."""
    detail: int
    """0 to NUM_DETAILS - 1."""
    log_pot_odds: float = 0.0
    """Of `log_pot_odds`."""
    company: int = 0
    """Of `company_of`, 0 to NUM_COMPANIES - 1."""


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
    last_raise: bool
    """A raise now would be the last that is allowed in this round."""
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


def log_pot_odds(betting_round: int, pot: float, to_call: float) -> float:
    """The logarithm of the pot in calls, by which folds become fewer; 0 before the flop and for a check.

    pot: what is in the middle, the bet that is faced included.
    """
    return log(pot / to_call) if betting_round > 0 and to_call > 0.0 else 0.0


def context_index(
    betting_round: int, bets_to_call: int, last_action: int, is_raised: bool, is_capped: bool
) -> int:
    """The number of a context, 0 to NUM_CONTEXTS - 1.

    is_raised: before the flop, whether somebody has raised.  is_capped: whether no raise is allowed.
    """
    stage = _RAISED_PREFLOP if betting_round == 0 and is_raised else betting_round
    return ((stage * 3 + bets_to_call) * 3 + last_action) * 2 + (1 if is_capped else 0)


def detail_index(
    betting_round: int, raises: int, bets_to_call: int, last_action: int, is_capped: bool, is_in: bool
) -> int:
    """The number of a context with its details, 0 to NUM_DETAILS - 1.

    raises: in this round, of which three and more are one.  is_in: whether the player has acted in this
    round, before the flop whether they have put chips in, as blinds have.  The rest as in `context_index`.
    """
    stage = min(raises, 3) if betting_round == 0 else 3 + betting_round
    return (((stage * 3 + bets_to_call) * 3 + last_action) * 2 + (1 if is_capped else 0)) * 2 + (
        1 if is_in else 0
    )


def group_index(is_after_flop: bool, is_facing_bet: bool, is_capped: bool) -> int:
    """The number of a group of contexts, 0 to NUM_GROUPS - 1."""
    return (2 if is_after_flop else 0) * 2 + (2 if is_facing_bet else 0) + (1 if is_capped else 0)


def company_of(num_opponents: int) -> int:
    """How many opponents have not folded, roughly: 0 for one, 1 for two or three, 2 for more."""
    return 0 if num_opponents <= 1 else 1 if num_opponents <= 3 else 2


def noise_index(betting_round: int, num_opponents: int) -> int:
    """The index of noise counts: before the flop, or after it against one or several."""
    if betting_round == 0:
        return 0
    return 1 if num_opponents == 1 else 2


def half_of_group(group: int) -> int:
    """The half of the hand to which a group belongs: 0 before the flop, 1 after it."""
    return group >> 2


def no_limit_bet(pot: float, to_call: float, left: float, big_blind: float) -> float:
    """The chips that a bet adds to the call in no-limit games, before its size is chosen.

    left: the chips a player can still win or lose to one opponent.
    """
    return min(max(float(big_blind), USUAL_NO_LIMIT_BET * (pot + to_call)), max(float(left - to_call), 1.0))


def no_limit_future_bets(pot: float, to_call: float, rounds_left: int) -> float:
    """The chips of one bet in each betting round to come in no-limit games: half a pot each."""
    return 0.5 * (pot + to_call) * rounds_left
