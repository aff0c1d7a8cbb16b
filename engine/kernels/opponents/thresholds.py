"""The formula's thresholds, from a handful of public numbers: scalars in, an array of parameters out.

What the numbers mean and where they come from stands in ``engine.opponents.models.formula``, which calls
these functions for a decision at the table; a simulation calls them for every decision of every trial.

Positions are 0 to 9 and sets of them are bit masks.  *Traits* are an array of shape (10, NUM_TRAITS), a row
for each position, in the order of `TRAIT_...`; *habits* the player's own parameters, in that of
`HABIT_...`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.cards.bits import count_bits
from engine.kernels.opponents.triples import BLUFF

TRAIT_FOLD_TO_BET: Final = 0
TRAIT_BET: Final = 1
TRAIT_RAISE_TELLS: Final = 2
TRAIT_PREFLOP_FOLD: Final = 3
"""Not a number where it is unknown."""
TRAIT_PREFLOP_RAISE: Final = 4
TRAIT_LOOSENESS: Final = 5
NUM_TRAITS: Final = 6

HABIT_CALL: Final = 0
HABIT_RAISE: Final = 1
HABIT_SPREAD: Final = 2
HABIT_VERY_WEAK: Final = 3
HABIT_VERY_STRONG: Final = 4
HABIT_TRAP: Final = 5
HABIT_TIGHT: Final = 6
"""Tightness less one half."""
HABIT_WILD: Final = 7
"""Aggression less one half."""
HABIT_DECEPTION: Final = 8
HABIT_TIGHT_SCALE: Final = 9
"""What tightness makes of a share of hands."""
HABIT_WILD_SCALE: Final = 10
"""What aggression makes of a share of hands."""
NUM_HABITS: Final = 11

USUAL_BET: Final = 0.40
"""The chance of a bet by a player of whom nothing is known."""


@kernel(allocates=False, inlined=True)
def clip(value: float, low: float, high: float) -> float:
    """The nearest number between two."""
    return min(max(value, low), high)


@kernel(allocates=False, inlined=True)
def pot_share(stake: float, pot: float) -> float:
    """The chance of winning at which a stake for a pot breaks even; 0 where there is no stake."""
    return stake / (pot + stake) if stake > 0.0 else 0.0


@kernel(allocates=False)
def reasonable_share(players_behind: int) -> float:
    """The share of hands that are worth opening with so many players still to act."""
    return min(0.9, 1.2 / (max(1, players_behind) + 0.4))


@kernel(allocates=False, inlined=True)
def continue_chance(
    betting_round: int,
    raises: int,
    raiser: int,
    entered: int,
    to_respond: int,
    position: int,
    traits: NDArray[np.float64],
) -> float:
    """The chance that an opponent does not fold to a bet or raise of ours.

    raiser: position of the last raise of this round, -1 for none.  entered, to_respond: masks.
    """
    fold = float(traits[position, TRAIT_FOLD_TO_BET])
    if betting_round == 0:
        fold = float(traits[position, TRAIT_PREFLOP_FOLD])
        if np.isnan(fold):
            share = reasonable_share(count_bits(to_respond))
            fold = 1.0 - min(0.9, 0.55 * share * traits[position, TRAIT_LOOSENESS])
    if position == raiser or (entered >> position & 1 and raises > 0):
        fold *= 0.25  # he has paid a bet already
    return 1.0 - fold


@kernel(allocates=False)
def protection(
    betting_round: int,
    raises: int,
    raiser: int,
    entered: int,
    to_respond: int,
    opponents: int,
    traits: NDArray[np.float64],
) -> float:
    """How much a bet protects: 1 where somebody may fold, 0 where nobody ever does."""
    if betting_round == 0:
        return 1.0
    folding = 0.0
    first = True
    for position in range(10):
        if opponents >> position & 1:
            chance = 1.0 - continue_chance(
                betting_round, raises, raiser, entered, to_respond, position, traits
            )
            folding = chance if first else max(folding, chance)
            first = False
    return clip(folding / 0.15, 0.0, 1.0)


@kernel(allocates=False)
def fill_thresholds(
    betting_round: int,
    position: int,
    raises: int,
    raiser: int,
    entered: int,
    to_respond: int,
    opponents: int,
    pot: float,
    to_call: float,
    bet: float,
    future_bets: float,
    last_raise: bool,
    is_limit: bool,
    can_fold: bool,
    can_raise: bool,
    traits: NDArray[np.float64],
    habits: NDArray[np.float64],
    thresholds: NDArray[np.float64],
) -> None:
    """The thresholds of a situation, before bluffs after the flop.

    The arguments before `traits` are those of ``engine.opponents.action_context.Situation``, sets as masks.
    thresholds: shape (NUM_PARAMETERS,), in the order of ``engine.opponents.models.formula.Thresholds``,
    filled in place.
    """
    thresholds[BLUFF] = 0.0
    thresholds[13] = 1.0 if can_fold else 0.0
    thresholds[14] = 1.0 if can_raise else 0.0
    if betting_round == 0:
        _fill_preflop(
            position, raises, raiser, entered, to_respond, opponents, pot, to_call, future_bets, last_raise,
            traits, habits, thresholds,
        )  # fmt: skip
    else:
        _fill_postflop(
            betting_round, position, raises, raiser, entered, to_respond, opponents, pot, to_call, bet,
            future_bets, last_raise, is_limit, traits, habits, thresholds,
        )  # fmt: skip


@kernel(allocates=False)
def _fill_postflop(
    betting_round: int,
    position: int,
    raises: int,
    raiser: int,
    entered: int,
    to_respond: int,
    opponents: int,
    pot: float,
    to_call: float,
    bet: float,
    future_bets: float,
    last_raise: bool,
    is_limit: bool,
    traits: NDArray[np.float64],
    habits: NDArray[np.float64],
    thresholds: NDArray[np.float64],
) -> None:
    callers = 0.0
    all_fold = 1.0
    for other in range(10):
        if opponents >> other & 1:
            chance = continue_chance(betting_round, raises, raiser, entered, to_respond, other, traits)
            callers += chance
            all_fold *= 1.0 - chance
    callers = max(1.0, callers)
    tight, spread = habits[HABIT_TIGHT], habits[HABIT_SPREAD]
    # A bet that all pay must win one time in callers + 1 (Killer, "Check or Bet?": the raise odds).
    level = habits[HABIT_CALL] * 2.0 / (1.0 + callers)
    if raises == 0 or raiser < 0 or raiser == position:
        raise_at = level
        if count_bits(opponents) > 1:
            raise_at += 0.04
    else:
        tells = traits[raiser, TRAIT_RAISE_TELLS]
        if raises >= 2:
            tells = min(1.0, 1.3 * tells)
        raise_at = level + (habits[HABIT_RAISE] - habits[HABIT_CALL]) * tells
        if last_raise:
            raise_at -= 0.3 * (raise_at - level)
    if not is_limit:
        raise_at += 0.05
    raise_at = clip(raise_at - 0.2 * habits[HABIT_WILD], 0.05, 0.97)

    # Showdown odds: what a call costs to the end, against what there will be (Papp; Poki 3.3.4).
    aggressor = USUAL_BET
    if raiser >= 0 and raiser != position:
        aggressor = traits[raiser, TRAIT_BET]
    more = future_bets * clip(0.75 * aggressor, 0.15, 0.6)
    price = pot_share(to_call + more, pot + more)
    price = clip(price + 0.1 * tight, 0.0, 1.0)

    # Papp: the potential must pay for a bet and, should it come, for a raise: two bets against the pot with
    # two of each caller's.
    semi_bluff_at = pot_share(to_call + 2.0 * bet, pot + 2.0 * bet * callers) * 0.75
    fold_pays = clip(all_fold / max(1e-9, pot_share(bet, pot)), 0.0, 1.5)
    semi_bluff = 0.0
    if betting_round < 3 and raises <= 1:
        semi_bluff = clip(habits[HABIT_DECEPTION] * fold_pays, 0.0, 0.9)
    trap = habits[HABIT_TRAP]
    if to_call == 0.0 and to_respond:
        # A check-raise wants somebody behind who bets.
        behind = 0.0
        for other in range(10):
            if to_respond >> other & 1:
                behind = max(behind, traits[other, TRAIT_BET])
        trap += 0.5 * habits[HABIT_DECEPTION] * clip((behind - 0.4) / 0.4, 0.0, 0.5)
    thresholds[0] = max(habits[HABIT_CALL] + 0.2 * tight, price)
    thresholds[1] = spread
    thresholds[2] = raise_at
    thresholds[3] = spread
    thresholds[4] = 1.0
    thresholds[5] = price
    thresholds[6] = 0.04
    thresholds[7] = semi_bluff_at
    thresholds[8] = semi_bluff
    thresholds[9] = habits[HABIT_VERY_WEAK]
    thresholds[11] = max(habits[HABIT_VERY_STRONG], raise_at + spread)
    thresholds[12] = clip(trap, 0.0, 0.5)


@kernel(allocates=False)
def _fill_preflop(
    position: int,
    raises: int,
    raiser: int,
    entered: int,
    to_respond: int,
    opponents: int,
    pot: float,
    to_call: float,
    future_bets: float,
    last_raise: bool,
    traits: NDArray[np.float64],
    habits: NDArray[np.float64],
    thresholds: NDArray[np.float64],
) -> None:
    spread = habits[HABIT_SPREAD]
    behind = count_bits(to_respond & ~entered)
    limpers = count_bits(entered)
    if raiser >= 0 and entered >> raiser & 1:
        limpers -= 1
    number = count_bits(opponents)
    odds = pot_share(to_call, pot)
    more = 0.35 * future_bets
    price = 2.0
    if raises == 0:
        share = reasonable_share(behind)
        if to_call == 0.0:
            calling = 1.0
            raising = 0.36 / (1.0 + 0.5 * (limpers - 1)) if limpers else 0.36
        else:
            wide = clip(0.25 / max(odds, 0.05) if behind <= 1 else 1.0, 1.0, 1.6)
            calling = share * (1.0 + 0.15 * limpers) * wide
            raising = 0.62 * share / (1.0 + 0.3 * limpers)
        if number == 1:
            # Who never folds gives no blinds away but pays every better hand.
            for other in range(10):
                if opponents >> other & 1:
                    staying = continue_chance(0, raises, raiser, entered, to_respond, other, traits)
                    raising = max(raising, 0.5 * clip((staying - 0.8) / 0.2, 0.0, 1.0))
    else:
        preflop_raise = traits[raiser, TRAIT_PREFLOP_RAISE] if opponents >> raiser & 1 else 1.0
        theirs = 0.62 * reasonable_share(max(1, number)) * preflop_raise
        if preflop_raise < 1.8:
            theirs *= 0.45 ** float(raises - 1)
        theirs = clip(theirs, 0.015, 1.0)
        calling = theirs * clip(1.55 - 7.3 * (odds - 0.25), 0.5, 2.3) * (1.0 + 0.1 * limpers)
        raising = theirs * (0.46 if last_raise else 0.42)
    if number == 1:
        price = clip(pot_share(to_call + more, pot + more) + 0.02, 0.0, 1.0)
    calling = clip(calling * habits[HABIT_TIGHT_SCALE], 0.0, 1.0)
    raising = clip(raising * habits[HABIT_TIGHT_SCALE] * habits[HABIT_WILD_SCALE], 0.0, 0.6)
    thresholds[0] = 1.0 - calling
    thresholds[1] = 0.5 * min(spread, 0.5 * max(calling, 0.01))
    thresholds[2] = 1.0 - raising
    thresholds[3] = 0.5 * min(spread, 0.5 * max(raising, 0.01))
    thresholds[4] = 0.8
    thresholds[5] = price
    thresholds[6] = 0.03
    thresholds[7] = 0.5
    thresholds[8] = 0.1 * habits[HABIT_DECEPTION] if raises == 0 else 0.0
    thresholds[9] = habits[HABIT_VERY_WEAK]
    thresholds[11] = 1.0
    thresholds[12] = 0.0


@kernel(allocates=False)
def bluff_share(bet: float, pot: float) -> float:
    """The share of bluffs among the bets that makes a caller indifferent."""
    return bet / (pot + 2.0 * bet)


@kernel(allocates=False)
def bluff_pays(
    betting_round: int,
    raises: int,
    raiser: int,
    entered: int,
    to_respond: int,
    opponents: int,
    pot: float,
    to_call: float,
    bet: float,
    can_raise: bool,
    traits: NDArray[np.float64],
    habits: NDArray[np.float64],
) -> float:
    """How far a pure bluff pays in a situation: 0 not at all, 1 fully."""
    if betting_round == 0 or not can_raise or to_call > 0.0 or habits[HABIT_DECEPTION] <= 0.0:
        return 0.0
    all_fold = 1.0
    for other in range(10):
        if opponents >> other & 1:
            all_fold *= 1.0 - continue_chance(
                betting_round, raises, raiser, entered, to_respond, other, traits
            )
    return clip((all_fold / pot_share(bet, pot) - 0.7) / 0.3, 0.0, 1.0)


@kernel(allocates=False, inlined=True)
def weakness(value: float, very_weak: float) -> float:
    """How far a hand is one to bluff with: 1 for the weakest, 0 from `very_weak` on."""
    return clip(2.0 * (very_weak - value) / very_weak, 0.0, 1.0)


@kernel(allocates=False)
def bluff_chance(
    betting_round: int,
    pays: float,
    bet: float,
    pot: float,
    raising: float,
    weak: float,
    habits: NDArray[np.float64],
) -> float:
    """How often a very weak hand bets, so that bluffs have their share of all bets.

    pays: of `bluff_pays`.  raising: the mean chance of a raise without bluffs.  weak: the mean `weakness`.
    """
    if pays <= 0.0 or weak <= 0.0:
        return 0.0
    share = bluff_share(bet, pot)
    wanted = 2.0 * habits[HABIT_DECEPTION] * raising * share / (1.0 - share)
    if betting_round < 3:
        wanted *= 0.5  # semi-bluffs are the other half
    return clip(pays * wanted / weak, 0.0, 0.6)
