"""The formula's thresholds: from a public situation, and what is known of the players, to `Thresholds`.

What the numbers mean and where they come from stands in ``engine.players.models.formula``, which calls
these functions for a decision at the table; a simulation calls them for every decision of every trial.

*Traits* are an array of shape (10, NUM_TRAITS), a row for each position; *parameters* are the player's own,
an array of shape (len(Parameter),).
"""

from __future__ import annotations

from typing import Final

from engine.kernels._jit import kernel
from engine.kernels.players.raises import clip, continue_chance, never_folds, reasonable_share
from engine.kernels.players.records import Parameter, Thresholds, Trait
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import count_bits
from engine.poker.records import PublicSituation
from engine.support.arrays import Floats

USUAL_BET: Final = 0.40
"""The chance of a bet by a player about whom nothing is known."""
HABIT: Final = 0.2
"""By how much tightness, and aggression, move thresholds from one end to the other."""
_RARELY: Final = 0.15
"""The least part of the bets to come that a call is taken to face."""
_OFTEN: Final = 0.6
"""How often anybody bets, as far as that is reckoned with: at most."""
_FOLDS_ENOUGH: Final = 1.5
"""How often the others fold, against how often they must: semi-bluffs become more up to there."""
_PAYS_NOTHING: Final = 0.7
"""The same where pure bluffs begin."""
_FEWEST: Final = 0.015
"""The least share of hands that anybody plays."""
_NARROWEST: Final = 0.01
"""The least share of hands over half of which others are mixed."""
_WIDEST: Final = 1.6
"""By how much the last to act opens more hands, at most."""
_CALLS: Final = (0.5, 2.3)
"""Hands called of a raiser's, in his: at the worst and at the best odds."""
_RAISES_ANYTHING: Final = 1.8
"""`Trait.PREFLOP_RAISE` from which on further raises tell no more."""


@kernel(allocates=False, inlined=True)
def pot_share(stake: float, pot: float) -> float:
    """The chance of winning at which a stake for a pot breaks even; 0 where there is no stake."""
    return stake / (pot + stake) if stake > 0.0 else 0.0


@kernel(allocates=False)
def thresholds_of(situation: PublicSituation, traits: Floats, parameters: Floats) -> Thresholds:
    """The thresholds of a situation."""
    if situation.betting_round == 0:
        return _preflop_thresholds(situation, traits, parameters)
    return _postflop_thresholds(situation, traits, parameters)


@kernel(allocates=False)
def _answers_to_bet(situation: PublicSituation, traits: Floats) -> tuple[float, float]:
    """How many go on against a bet, on average, and the chance that all fold."""
    callers = 0.0
    all_fold = 1.0
    for other in range(MAX_PLAYERS):
        if situation.opponents >> other & 1:
            chance = continue_chance(situation, other, traits)
            callers += chance
            all_fold *= 1.0 - chance
    return callers, all_fold


@kernel(allocates=False)
def _postflop_thresholds(situation: PublicSituation, traits: Floats, parameters: Floats) -> Thresholds:
    opponents, raiser = situation.opponents, situation.raiser
    callers, all_fold = _answers_to_bet(situation, traits)
    callers = max(1.0, callers)
    has_company = count_bits(opponents) > 1
    tightness, spread = parameters[Parameter.TIGHTNESS], parameters[Parameter.SPREAD]
    deception = parameters[Parameter.DECEPTION]
    call_threshold = parameters[Parameter.CALL_THRESHOLD]
    raise_threshold = parameters[Parameter.RAISE_THRESHOLD]
    # A bet that all pay must win one time in callers + 1 (Killer, "Check or Bet?": the raise odds).
    level = call_threshold * 2.0 / (1.0 + callers)
    if situation.raises == 0 or raiser < 0 or raiser == situation.position:
        raise_at = level
    else:
        tells = traits[raiser, Trait.RAISE_TELLS_IN_COMPANY if has_company else Trait.RAISE_TELLS]
        raise_at = level + (raise_threshold - call_threshold) * tells
    raise_at -= parameters[Parameter.AGGRESSION]

    # Showdown odds: what a call costs to the end, against what there will be (Papp; Poki 3.3.4).
    aggressor = USUAL_BET
    if raiser >= 0 and raiser != situation.position:
        aggressor = traits[raiser, Trait.BET]
    pot, to_call, bet = situation.pot, situation.to_call, situation.bet
    more = situation.future_bets * clip(parameters[Parameter.BETS_FACED] * aggressor, _RARELY, _OFTEN)
    price = pot_share(to_call + more, pot + more) + tightness / 2.0

    # Papp: the potential must pay for a bet and, should it come, for a raise: two bets against the pot with
    # two of each caller's.
    semi_bluff_at = pot_share(to_call + 2.0 * bet, pot + 2.0 * bet * callers)
    semi_bluff = 0.0
    if situation.betting_round < 3 and situation.raises <= 1 and situation.can_raise:
        semi_bluff = min(deception * min(all_fold / pot_share(bet, pot), _FOLDS_ENOUGH), 1.0)
    return Thresholds(
        call=max(call_threshold + tightness, price),
        call_spread=spread,
        raise_=raise_at,
        raise_spread=spread,
        raise_most=1.0,
        price=price,
        price_spread=spread / 2.0,
        semi_bluff=semi_bluff_at,
        semi_bluff_chance=semi_bluff,
        bluff_below=parameters[Parameter.VERY_WEAK],
        trap=max(parameters[Parameter.VERY_STRONG], raise_at + spread),
        trap_chance=parameters[Parameter.TRAP],
        can_fold=1.0 if situation.can_fold else 0.0,
        can_raise=1.0 if situation.can_raise else 0.0,
    )


@kernel(allocates=False)
def _preflop_thresholds(situation: PublicSituation, traits: Floats, parameters: Floats) -> Thresholds:
    opponents, raiser, entered = situation.opponents, situation.raiser, situation.entered
    behind = count_bits(situation.to_respond & ~entered)
    limpers = count_bits(entered)
    if raiser >= 0 and entered >> raiser & 1:
        limpers -= 1
    num_opponents = count_bits(opponents)
    pot, to_call = situation.pot, situation.to_call
    odds = pot_share(to_call, pot)
    more = parameters[Parameter.BETS_TO_COME] * situation.future_bets
    price = 2.0  # more than any chance
    if situation.raises == 0:
        share = reasonable_share(behind)
        if to_call == 0.0:
            calling = 1.0
            raising = parameters[Parameter.FREE_RAISES]
            if limpers:
                raising /= 1.0 + parameters[Parameter.LIMPERS_RAISED] * (limpers - 1)
        else:
            wide = clip(parameters[Parameter.BLIND_ODDS] / odds if behind <= 1 else 1.0, 1.0, _WIDEST)
            calling = share * (1.0 + parameters[Parameter.LIMPERS_CALLED] * limpers) * wide
            raising = parameters[Parameter.OPENING_RAISES] * share
            raising /= 1.0 + parameters[Parameter.LIMPERS_RAISED] * limpers
        if num_opponents == 1:
            # An opponent who never folds gives no blinds away but pays every better hand.
            for other in range(MAX_PLAYERS):
                if opponents >> other & 1:
                    never = never_folds(continue_chance(situation, other, traits))
                    raising = max(raising, parameters[Parameter.NEVER_FOLDS] * never)
    else:
        preflop_raise = traits[raiser, Trait.PREFLOP_RAISE] if opponents >> raiser & 1 else 1.0
        theirs = parameters[Parameter.OPENING_RAISES] * reasonable_share(num_opponents) * preflop_raise
        if preflop_raise < _RAISES_ANYTHING:
            theirs *= parameters[Parameter.RERAISES] ** float(situation.raises - 1)
        theirs = clip(theirs, _FEWEST, 1.0)
        level = parameters[Parameter.CALL_LEVEL] - parameters[Parameter.CALL_SLOPE] * odds
        calling = theirs * clip(level, _CALLS[0], _CALLS[1])
        calling *= 1.0 + parameters[Parameter.LIMPERS_CALLED] * limpers
        raising = theirs * parameters[Parameter.RERAISES]
    if num_opponents == 1:
        price = pot_share(to_call + more, pot + more)
    spread, tightness_scale = parameters[Parameter.SPREAD], parameters[Parameter.TIGHTNESS_SCALE]
    calling = clip(calling * tightness_scale, 0.0, 1.0)
    raising = clip(raising * tightness_scale * parameters[Parameter.AGGRESSION_SCALE], 0.0, 1.0)
    return Thresholds(
        call=1.0 - calling,
        call_spread=_mixed_over(spread, calling),
        raise_=1.0 - raising,
        raise_spread=_mixed_over(spread, raising),
        raise_most=parameters[Parameter.RAISE_MOST],
        price=price,
        price_spread=spread / 2.0,
        semi_bluff=1.0,
        semi_bluff_chance=0.0,
        bluff_below=parameters[Parameter.VERY_WEAK],
        trap=1.0,
        trap_chance=0.0,
        can_fold=1.0 if situation.can_fold else 0.0,
        can_raise=1.0 if situation.can_raise else 0.0,
    )


@kernel(allocates=False, inlined=True)
def _mixed_over(spread: float, share: float) -> float:
    """Half the width over which hands are mixed where a share of all is played: never more than they are."""
    return float(min(spread, max(share, _NARROWEST) / 2.0) / 2.0)


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
def bluff_pays(situation: PublicSituation, traits: Floats, parameters: Floats) -> float:
    """How far a pure bluff pays in a situation: 0 not at all, 1 fully."""
    if (
        situation.betting_round == 0
        or not situation.can_raise
        or situation.to_call > 0.0
        or parameters[Parameter.DECEPTION] <= 0.0
    ):
        return 0.0
    _, all_fold = _answers_to_bet(situation, traits)
    pays = all_fold / pot_share(situation.bet, situation.pot)
    return clip((pays - _PAYS_NOTHING) / (1.0 - _PAYS_NOTHING), 0.0, 1.0)


@kernel(allocates=False)
def bluff_chance(
    situation: PublicSituation,
    parameters: Floats,
    pays: float,
    raising: float,
    weights: Floats,
    values: Floats,
) -> float:
    """How often a very weak hand bets, so that bluffs have their share of all bets.

    pays: of `bluff_pays`.  raising: the mean chance of a raise without bluffs.
    weights, values: of the hands of the player's range, shape (n,).
    """
    if pays <= 0.0:
        return 0.0
    # The share of the very weak hands, each as often as it bluffs beside the weakest.
    weak = total = 0.0
    very_weak = parameters[Parameter.VERY_WEAK]
    for hand in range(weights.shape[0]):
        weak += weights[hand] * weakness(values[hand], very_weak)
        total += weights[hand]
    if weak <= 0.0:
        return 0.0
    share = bluff_share(situation.bet, situation.pot)
    wanted = 2.0 * parameters[Parameter.DECEPTION] * raising * share / (1.0 - share)
    if situation.betting_round < 3:
        wanted /= 2.0  # semi-bluffs are the other half
    return float(min(pays * wanted / (weak / total), _OFTEN))
