"""The formula's thresholds: from a public situation, and what is known of the players, to `Thresholds`.

What the numbers mean and where they come from stands in ``engine.players.models.formula``, which calls
these functions for a decision at the table; a simulation calls them for every decision of every trial.

*Traits* are an array of shape (10, NUM_TRAITS), a row for each position; *parameters* are the player's own,
an array of shape (NUM_PARAMETERS,).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.players.raises import clip, continue_chance, reasonable_share
from engine.kernels.players.records import Parameter, Thresholds, Trait
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import count_bits
from engine.poker.records import PublicSituation

USUAL_BET: Final = 0.40
"""The chance of a bet by a player about whom nothing is known."""

_OPENING_RAISES: Final = 0.62
"""The part of the hands worth opening before the flop that a reasonable player raises with."""
_RERAISES: Final = 0.42
"""The part of the hands that the last raiser may have that a reasonable player raises again with."""
_UNRAISED_BLIND_RAISES: Final = 0.30
"""How often a reasonable player raises before the flop where checking costs nothing."""


@kernel(allocates=False, inlined=True)
def pot_share(stake: float, pot: float) -> float:
    """The chance of winning at which a stake for a pot breaks even; 0 where there is no stake."""
    return stake / (pot + stake) if stake > 0.0 else 0.0


@kernel(allocates=False)
def expected_raise(situation: PublicSituation) -> float:
    """The chance that a reasonable player raises before the flop, roughly."""
    if situation.raises == 0:
        if situation.to_call == 0.0:
            return _UNRAISED_BLIND_RAISES
        behind = count_bits(situation.to_respond & ~situation.entered)
        return _OPENING_RAISES * reasonable_share(behind)
    theirs = _OPENING_RAISES * reasonable_share(count_bits(situation.opponents))
    return float(_RERAISES * theirs * 0.6 ** float(situation.raises - 1))


@kernel(allocates=False)
def thresholds_of(
    situation: PublicSituation, traits: NDArray[np.float64], parameters: NDArray[np.float64]
) -> Thresholds:
    """The thresholds of a situation."""
    if situation.betting_round == 0:
        return _preflop_thresholds(situation, traits, parameters)
    return _postflop_thresholds(situation, traits, parameters)


@kernel(allocates=False)
def _postflop_thresholds(
    situation: PublicSituation, traits: NDArray[np.float64], parameters: NDArray[np.float64]
) -> Thresholds:
    opponents, raiser = situation.opponents, situation.raiser
    callers = 0.0
    all_fold = 1.0
    for other in range(MAX_PLAYERS):
        if opponents >> other & 1:
            chance = continue_chance(situation, other, traits)
            callers += chance
            all_fold *= 1.0 - chance
    callers = max(1.0, callers)
    tightness, spread = parameters[Parameter.TIGHTNESS], parameters[Parameter.SPREAD]
    deception = parameters[Parameter.DECEPTION]
    call_threshold, raise_threshold = (
        parameters[Parameter.CALL_THRESHOLD],
        parameters[Parameter.RAISE_THRESHOLD],
    )
    # A bet that all pay must win one time in callers + 1 (Killer, "Check or Bet?": the raise odds).
    level = call_threshold * 2.0 / (1.0 + callers)
    if situation.raises == 0 or raiser < 0 or raiser == situation.position:
        raise_at = level
        if count_bits(opponents) > 1:
            raise_at += parameters[Parameter.COMPANY]
    else:
        has_company = count_bits(opponents) > 1
        tells = traits[raiser, Trait.RAISE_TELLS_IN_COMPANY if has_company else Trait.RAISE_TELLS]
        if situation.raises >= 2:
            tells = min(1.0, parameters[Parameter.RAISED_TWICE] * tells)
        raise_at = level + (raise_threshold - call_threshold) * tells
        if situation.raises_left == 1:
            raise_at -= parameters[Parameter.LAST_RAISE] * (raise_at - level)
    if not situation.is_limit:
        raise_at += parameters[Parameter.NO_LIMIT]
    raise_at = clip(raise_at - 0.2 * parameters[Parameter.AGGRESSION], 0.05, 0.97)

    # Showdown odds: what a call costs to the end, against what there will be (Papp; Poki 3.3.4).
    aggressor = USUAL_BET
    if raiser >= 0 and raiser != situation.position:
        aggressor = traits[raiser, Trait.BET]
    pot, to_call, bet = situation.pot, situation.to_call, situation.bet
    more = situation.future_bets * clip(parameters[Parameter.BETS_FACED] * aggressor, 0.15, 0.6)
    price = pot_share(to_call + more, pot + more)
    price = clip(price + 0.1 * tightness, 0.0, 1.0)

    # Papp: the potential must pay for a bet and, should it come, for a raise: two bets against the pot with
    # two of each caller's.
    semi_bluff_at = pot_share(to_call + 2.0 * bet, pot + 2.0 * bet * callers)
    semi_bluff_at *= parameters[Parameter.SEMI_BLUFF_PRICE]
    fold_pays = clip(all_fold / max(1e-9, pot_share(bet, pot)), 0.0, 1.5)
    semi_bluff = 0.0
    if situation.betting_round < 3 and situation.raises <= 1:
        semi_bluff = clip(deception * fold_pays, 0.0, 0.9)
    trap = parameters[Parameter.TRAP]
    if to_call == 0.0 and situation.to_respond:
        # A check-raise wants somebody behind who bets.
        behind = 0.0
        for other in range(MAX_PLAYERS):
            if situation.to_respond >> other & 1:
                behind = max(behind, traits[other, Trait.BET])
        trap += parameters[Parameter.CHECK_RAISE] * deception * clip((behind - 0.4) / 0.4, 0.0, 0.5)
    return Thresholds(
        call=max(call_threshold + 0.2 * tightness, price),
        call_spread=spread,
        raise_=raise_at,
        raise_spread=spread,
        raise_most=1.0,
        price=price,
        price_spread=parameters[Parameter.PRICE_SPREAD],
        semi_bluff=semi_bluff_at,
        semi_bluff_chance=semi_bluff,
        bluff_below=parameters[Parameter.VERY_WEAK],
        trap=max(parameters[Parameter.VERY_STRONG], raise_at + spread),
        trap_chance=clip(trap, 0.0, 0.5),
        can_fold=1.0 if situation.can_fold else 0.0,
        can_raise=1.0 if situation.can_raise else 0.0,
    )


@kernel(allocates=False)
def _preflop_thresholds(
    situation: PublicSituation, traits: NDArray[np.float64], parameters: NDArray[np.float64]
) -> Thresholds:
    opponents, raiser, entered = situation.opponents, situation.raiser, situation.entered
    behind = count_bits(situation.to_respond & ~entered)
    limpers = count_bits(entered)
    if raiser >= 0 and entered >> raiser & 1:
        limpers -= 1
    num_opponents = count_bits(opponents)
    pot, to_call = situation.pot, situation.to_call
    odds = pot_share(to_call, pot)
    more = parameters[Parameter.BETS_TO_COME] * situation.future_bets
    price = 2.0
    if situation.raises == 0:
        share = reasonable_share(behind)
        if to_call == 0.0:
            calling = 1.0
            raising = parameters[Parameter.FREE_RAISES]
            if limpers:
                raising /= 1.0 + parameters[Parameter.FREE_RAISES_LIMPERS] * (limpers - 1)
        else:
            wide = clip(parameters[Parameter.BLIND_ODDS] / max(odds, 0.05) if behind <= 1 else 1.0, 1.0, 1.6)
            calling = share * (1.0 + parameters[Parameter.LIMPERS_CALLED] * limpers) * wide
            raising = parameters[Parameter.OPENING_RAISES] * share
            raising /= 1.0 + parameters[Parameter.LIMPERS_RAISED] * limpers
        if num_opponents == 1:
            # An opponent who never folds gives no blinds away but pays every better hand.
            for other in range(MAX_PLAYERS):
                if opponents >> other & 1:
                    continuing = continue_chance(situation, other, traits)
                    never = parameters[Parameter.NEVER_FOLDS] * clip((continuing - 0.8) / 0.2, 0.0, 1.0)
                    raising = max(raising, never)
    else:
        preflop_raise = traits[raiser, Trait.PREFLOP_RAISE] if opponents >> raiser & 1 else 1.0
        theirs = parameters[Parameter.OPENING_RAISES] * reasonable_share(num_opponents) * preflop_raise
        if preflop_raise < 1.8:
            theirs *= parameters[Parameter.RAISE_FALLS] ** float(situation.raises - 1)
        theirs = clip(theirs, 0.015, 1.0)
        level = parameters[Parameter.CALL_LEVEL] - parameters[Parameter.CALL_SLOPE] * (odds - 0.25)
        calling = theirs * clip(level, 0.5, 2.3)
        calling *= 1.0 + parameters[Parameter.LIMPERS_CALLED_RAISED] * limpers
        again = parameters[Parameter.RERAISES]
        if situation.raises_left == 1:
            again = parameters[Parameter.LAST_RERAISES]
        raising = theirs * again
    if num_opponents == 1:
        price = clip(pot_share(to_call + more, pot + more) + parameters[Parameter.PRICE_MARGIN], 0.0, 1.0)
    spread, deception = parameters[Parameter.SPREAD], parameters[Parameter.DECEPTION]
    tightness_scale = parameters[Parameter.TIGHTNESS_SCALE]
    calling = clip(calling * tightness_scale, 0.0, 1.0)
    raising = clip(raising * tightness_scale * parameters[Parameter.AGGRESSION_SCALE], 0.0, 0.6)
    return Thresholds(
        call=1.0 - calling,
        call_spread=0.5 * min(spread, 0.5 * max(calling, 0.01)),
        raise_=1.0 - raising,
        raise_spread=0.5 * min(spread, 0.5 * max(raising, 0.01)),
        raise_most=parameters[Parameter.RAISE_MOST],
        price=price,
        price_spread=parameters[Parameter.PRICE_SPREAD_BEFORE],
        semi_bluff=0.5,
        semi_bluff_chance=parameters[Parameter.SEMI_BLUFF_BEFORE] * deception
        if situation.raises == 0
        else 0.0,
        bluff_below=parameters[Parameter.VERY_WEAK],
        trap=1.0,
        trap_chance=0.0,
        can_fold=1.0 if situation.can_fold else 0.0,
        can_raise=1.0 if situation.can_raise else 0.0,
    )


# --- bluffs ----------------------------------------------------------------------------------------------


@kernel(allocates=False)
def bluff_share(bet: float, pot: float) -> float:
    """The share of bluffs among the bets that makes a caller indifferent."""
    return bet / (pot + 2.0 * bet)


@kernel(allocates=False, inlined=True)
def weakness(value: float, very_weak: float) -> float:
    """How far a hand is one to bluff with: 1 for the weakest, 0 from `very_weak` on."""
    return clip(2.0 * (very_weak - value) / very_weak, 0.0, 1.0)


@kernel(allocates=False)
def bluff_pays(
    situation: PublicSituation, traits: NDArray[np.float64], parameters: NDArray[np.float64]
) -> float:
    """How far a pure bluff pays in a situation: 0 not at all, 1 fully."""
    if (
        situation.betting_round == 0
        or not situation.can_raise
        or situation.to_call > 0.0
        or parameters[Parameter.DECEPTION] <= 0.0
    ):
        return 0.0
    all_fold = 1.0
    for other in range(MAX_PLAYERS):
        if situation.opponents >> other & 1:
            all_fold *= 1.0 - continue_chance(situation, other, traits)
    return clip((all_fold / pot_share(situation.bet, situation.pot) - 0.7) / 0.3, 0.0, 1.0)


@kernel(allocates=False)
def bluff_chance(
    situation: PublicSituation,
    parameters: NDArray[np.float64],
    pays: float,
    raising: float,
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """How often a very weak hand bets, so that bluffs have their share of all bets.

    pays: of `bluff_pays`.  raising: the mean chance of a raise without bluffs.
    weights, values: of the hands of the player's range, shape (n,).
    """
    if pays <= 0.0:
        return 0.0
    # The share of the very weak hands, each as often as it bluffs beside the weakest.
    weak = 0.0
    total = 0.0
    very_weak = parameters[Parameter.VERY_WEAK]
    for hand in range(weights.shape[0]):
        weak += weights[hand] * weakness(values[hand], very_weak)
        total += weights[hand]
    if weak <= 0.0:
        return 0.0
    share = bluff_share(situation.bet, situation.pot)
    wanted = 2.0 * parameters[Parameter.DECEPTION] * raising * share / (1.0 - share)
    if situation.betting_round < 3:
        wanted *= 0.5  # semi-bluffs are the other half
    return clip(pays * wanted / (weak / total), 0.0, 0.6)
