"""Who goes on against a raise, and what it brings with a hand: against the only opponent left, or several.

What the numbers mean stands in ``engine.players.models.formula``; *traits* are those of ``thresholds``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.players.records import Push, Trait
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import count_bits
from engine.poker import records as plain
from engine.poker.records import PublicSituation
from engine.support.arrays import Floats

asked = kernel(allocates=False)(plain.asked)

BEATEN_THAT_FOLD: Final = (0.28, 0.55, 0.75, 0.95)
"""By betting round: how far the hands that an opponent folds are those that are beaten anyhow.  All are on
the river; before it, what is behind has cards to come, before the flop nearly half of the chances."""
_OFTEN: Final = 0.8
"""How often somebody goes on against bets who may never fold."""
_PROTECTS: Final = 0.15
"""The chance of a fold from which on a bet protects as much as any."""
_BETS_TO_COME: Final = 0.15
"""The part of the bets to come that a pot which was called grows by from either side."""
_MOST_IN_COMPANY: Final = 6
"""Players at a table at which it is reckoned what a raise brings against several of them."""
_COMPANY_COSTS: Final = 0.15
"""What a raise before the flop must bring more against several, in bets: its hand has yet to be played."""
PATIENCE: Final = (0.71, 0.66, 0.62, 0.5)
"""By betting round: the chance to win, against all hands, above which hardly anything is gained by betting
later, when it is known what the hand has become."""
WORTH_OF_WAITING: Final = 1.2
"""What a bet that is made on the river brings more, in bets, per chance that is short of `PATIENCE`."""


@kernel(allocates=False, inlined=True)
def clip(value: float, low: float, high: float) -> float:
    """The nearest number between two."""
    return min(max(value, low), high)


@kernel(allocates=False)
def reasonable_share(players_behind: int) -> float:
    """The share of hands that are worth opening, by the number of players still to act."""
    return min(0.9, 1.2 / (max(1, players_behind) + 0.4))


@kernel(allocates=False, inlined=True)
def _preflop_fold(situation: PublicSituation, position: int, traits: Floats) -> float:
    """The chance that an opponent folds before the flop, wherever he has not been seen."""
    fold = float(traits[position, Trait.PREFLOP_FOLD])
    if np.isnan(fold):
        share = reasonable_share(count_bits(situation.to_respond))
        fold = 1.0 - min(0.9, 0.55 * share * traits[position, Trait.LOOSENESS])
    return fold


@kernel(allocates=False, inlined=True)
def _joins_chance(situation: PublicSituation, position: int, traits: Floats) -> float:
    """The chance that an opponent who has yet to pay the bet before the flop does, in limit, if we call."""
    if traits[position, Trait.KNOWN] > 0.0:
        return float(1.0 - traits[position, Trait.FOLD_TO_CALL])
    return 1.0 - _preflop_fold(situation, position, traits)


@kernel(allocates=False, inlined=True)
def continue_chance(situation: PublicSituation, position: int, traits: Floats) -> float:
    """The chance that an opponent, at `position`, does not fold to a bet or raise of the usual size.

    As his model says, if it is known here; else by how he plays in general.
    """
    if traits[position, Trait.KNOWN] > 0.0:
        return float(1.0 - traits[position, Trait.FOLD])
    fold = float(traits[position, Trait.FOLD_TO_BET])
    if situation.betting_round == 0:
        fold = _preflop_fold(situation, position, traits)
    has_entered = situation.entered >> position & 1
    if position == situation.raiser or (has_entered and situation.raises > 0):
        fold *= 0.25  # they have paid a bet already
    return 1.0 - fold


@kernel(allocates=False, inlined=True)
def never_folds(continues: float) -> float:
    """How far an opponent is one who never folds: 1 if he always goes on, 0 below `_OFTEN`."""
    return clip((continues - _OFTEN) / (1.0 - _OFTEN), 0.0, 1.0)


@kernel(allocates=False, inlined=True)
def worth_of_waiting(continues: float) -> float:
    """What a no-limit bet brings more on the river than now, in bets, per chance short of `PATIENCE`.

    Whoever never folds pays as much later on, when it is known whether the hand is good.  In limit, a bet
    that is not made is lost.

    continues: the chance that the opponent does not fold to it.
    """
    return WORTH_OF_WAITING * never_folds(continues)


@kernel(allocates=False)
def protection(situation: PublicSituation, traits: Floats) -> float:
    """How much a bet protects: 1 where somebody may fold, 0 where nobody ever does."""
    if situation.betting_round == 0:
        return 1.0
    folding = 0.0
    for position in range(MAX_PLAYERS):
        if situation.opponents >> position & 1:
            folding = max(folding, 1.0 - continue_chance(situation, position, traits))
            if folding >= _PROTECTS:
                return 1.0  # whatever the others do
    return folding / _PROTECTS


@kernel(allocates=False, inlined=True)
def worse_that_fold(situation: PublicSituation, position: int, traits: Floats) -> float:
    """How far an opponent's folds are of hands that are beaten anyhow: 0 to 1."""
    return float((1.0 - traits[position, Trait.BLIND_FOLD]) * BEATEN_THAT_FOLD[situation.betting_round])


@kernel(allocates=False, inlined=True)
def raises_in_company(situation: PublicSituation) -> bool:
    """Whether it is reckoned what a raise brings against several opponents: in limit, before the flop.

    At tables of up to six: at ten seats less is won with it of a player who hardly ever folds.
    """
    is_small = situation.num_players <= _MOST_IN_COMPANY
    return bool(is_small and situation.is_limit and situation.betting_round == 0)


@kernel(allocates=False)
def push_of(situation: PublicSituation, traits: Floats) -> Push:
    """What a raise and a call bring, as far as models say what the opponents do.

    Against the only opponent left, or against several where `raises_in_company`.
    """
    opponents = count_bits(situation.opponents)
    has_company = opponents > 1
    if not situation.can_raise or (has_company and not raises_in_company(situation)):
        return Push(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    pot, to_call, bet = situation.pot, situation.to_call, situation.bet
    known = shift = 0.0
    all_fold = 1.0
    callers = paid = stayers = joined = 0.0
    for other in range(MAX_PLAYERS):
        if situation.opponents >> other & 1:
            continues = continue_chance(situation, other, traits)
            known += traits[other, Trait.KNOWN]
            shift += (1.0 - continues) * worse_that_fold(situation, other, traits)
            all_fold *= 1.0 - continues
            callers += continues
            if not has_company or situation.matched >> other & 1:
                paid += continues * bet
                stayers += 1.0
            else:
                joins = _joins_chance(situation, other, traits)
                paid += continues * (to_call + bet)
                stayers += joins
                joined += joins * to_call
    more = _BETS_TO_COME * situation.future_bets
    goes_on = 1.0 - all_fold
    won = goes_on * (pot + to_call + bet + more) + paid + callers * more
    lost = goes_on * (to_call + bet + more)
    return Push(
        known=known / opponents,
        folded=all_fold * pot / bet,
        shift=min(shift / opponents, 0.98),
        callers=max(callers / max(goes_on, 1e-9), 1.0),
        won=won / bet,
        lost=lost / bet + (_COMPANY_COSTS if has_company else 0.0),
        stayers=max(stayers, 1.0),
        call_won=(pot + to_call + more + joined + stayers * more) / bet,
        call_lost=(to_call + more) / bet,
        waiting=0.0 if situation.is_limit else goes_on * worth_of_waiting(goes_on),
        patience=PATIENCE[situation.betting_round],
    )


@kernel(allocates=False, inlined=True)
def worth_of_push(chance: float, push: Push) -> float:
    """What a raise brings with a hand beyond the better of a call and a fold, in bets.

    chance: of the hand at the showdown against one of the opponents.
    """
    against = max(chance - push.shift, 0.0) / (1.0 - push.shift)
    raised = against / (against + push.callers * (1.0 - against))
    called = chance / (chance + push.stayers * (1.0 - chance))
    brought = push.folded + push.won * raised - push.lost
    brought -= max(push.call_won * called - push.call_lost, 0.0)
    return brought - push.waiting * max(push.patience - against, 0.0)


@kernel(allocates=False, inlined=True)
def worth_of_raise(
    chance: float,
    continues: float,
    worse: float,
    stakes: tuple[float, float, float, float],
    waiting: float,
    patience: float,
) -> float:
    """What a no-limit raise of some size brings with a hand, in chips, compared with a fold.

    chance: of the hand at the showdown.
    continues: the chance that the only opponent does not fold to it.
    worse: how far his folds are of hands that are beaten anyhow.
    stakes: the pot, what the player has put in, the most that anybody has, and the total of the raise.
    waiting, patience: as in `Push`.
    """
    pot, spent, most, total = stakes
    shift = min((1.0 - continues) * worse, 0.98)
    against = max(chance - shift, 0.0) / (1.0 - shift)
    called = against * (pot + 2.0 * total - most - spent) - (total - spent)
    called -= waiting * max(patience - against, 0.0) * (total - most)
    return (1.0 - continues) * pot + continues * called


@kernel(allocates=False)
def fill_worths_of_raise(
    chances: Floats,
    continues: float,
    worse: float,
    stakes: tuple[float, float, float, float],
    waiting: float,
    patience: float,
    worths: Floats,
) -> None:
    """`worth_of_raise` of every hand.

    chances: shape (n,).  worths: shape (n,), filled in place.
    """
    for hand in range(chances.shape[0]):
        worths[hand] = worth_of_raise(chances[hand], continues, worse, stakes, waiting, patience)
