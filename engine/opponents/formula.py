"""The formula: one calibrated function from a public situation to the probability triples of all 1326 combos.

It serves three masters.  Playing, we read off the row of the hand we hold; re-weighting a player's table
(Fig. 3.5) and simulating him, we use all rows.  It takes what the player in question can see: his
opponents' weight tables as they follow from public information, never a card that only somebody else
knows.  That our own hand removes cards from the opponents' tables needs no care: the strength of a combo
never counts hands that share a card with it.

Three numbers describe a combo (`HandValues`)::

    value      what the thresholds are measured on: after the flop the effective hand strength
               EHS = HS_n + (1 - HS_n) PPot (eq 3.6, 3.3); before it, the share of hands that are worse
    showdown   the chance of winning at the end, for the price of a call (pot odds, showdown odds)
    draw       PPot, for semi-bluffs

and `Thresholds`, computed from the situation and from what is known of the opponents' habits (`Traits`), say
what is done with them: folded below the call threshold unless the price is right, raised above the raise
threshold, mixed in proportion near each (Poki 3.4).

**Parameters.**  Loki's published thresholds are .50 to bet or to call and .85 to raise.  They are where we
start; they move with what an action tells.  A raise by somebody who raises everything tells nothing, and .5
is enough to raise him back; that of a player who never raised before is worth the full .85.

Source: Poki 3.2-3.4; Papp (1998) for semi-bluffs, showdown odds and the thresholds; Killer, "Opponent
Modeling", for looseness and for made and drawing hands; "Check or Bet?" for the odds of a raise.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.combos import (
    COMBOS_PER_STARTING_HAND,
    NUM_COMBOS,
    NUM_STARTING_HANDS,
    STARTING_HAND_OF_COMBO,
)
from engine.evaluation.equity import preflop_equities
from engine.evaluation.preflop_tables import shipped_tables
from engine.kernels import opponents as kernels
from engine.opponents.action_context import Situation
from engine.opponents.board_values import BoardValues

__all__ = [
    "DEFAULT_PARAMETERS",
    "HandValues",
    "Parameters",
    "Thresholds",
    "Traits",
    "average_traits",
    "formula_triples",
    "postflop_values",
    "preflop_values",
    "reasonable_share",
    "thresholds",
]

Floats = NDArray[np.float64]


def _fraction(instance: object, attribute: attrs.Attribute[float], value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{attribute.name}: expected 0 to 1, got {value}")


@attrs.frozen
class Parameters:
    """The one documented parameter set.  Thresholds are on the scale of the effective hand strength."""

    call_threshold: float = attrs.field(default=0.50, validator=_fraction)
    """Loki's "make 1": bet or call one bet from here."""
    raise_threshold: float = attrs.field(default=0.85, validator=_fraction)
    """Loki's "make 2": raise from here when a raise tells everything."""
    spread: float = 0.08
    """Half the width over which actions are mixed at a threshold."""
    very_weak: float = attrs.field(default=0.25, validator=_fraction)
    """Below, a hand is worth a bluff at most (Poki 3.4)."""
    very_strong: float = attrs.field(default=0.85, validator=_fraction)
    """Above, a hand may be worth a trap (Poki 3.4)."""
    trap: float = 0.05
    """How often a very strong hand only calls: {0, .05, .95} (Poki 3.4)."""
    tightness: float = attrs.field(default=0.5, validator=_fraction)
    """Fewer hands from .5 up, more below."""
    aggression: float = attrs.field(default=0.5, validator=_fraction)
    """More raises from .5 up, fewer below."""
    deception: float = attrs.field(default=0.5, validator=_fraction)
    """Bluffs, semi-bluffs and traps: twice the share that game theory asks for at 1, none at 0."""


DEFAULT_PARAMETERS: Final = Parameters()


@attrs.frozen
class Traits:
    """A player's habits, as far as the formula asks.  The defaults are those of a reasonable player."""

    fold_to_bet: float = 0.35
    """Chance of folding to a bet after the flop."""
    bet: float = 0.40
    """Chance of betting after the flop when checked to."""
    raise_: float = 0.20
    """Chance of raising a bet after the flop."""
    preflop_fold: float | None = None
    """Chance of folding to a raise before the flop; None: what is reasonable there."""
    preflop_raise: float = 1.0
    """How much more often he raises before the flop than is reasonable; Killer's looseness, of raisers."""
    looseness: float = 1.0
    """Flops seen, against what is reasonable (Killer: 40 % against an ideal of 20 % is 2)."""
    noise: float = 0.15
    """The part of his actions that has nothing to do with his hand."""

    @property
    def raise_tells(self) -> float:
        """How much a raise of his tells: 1 if only the best hands raise, 0 if all do or none is read."""
        return (1 - self.noise) * (1 - self.raise_) ** 2


_REASONABLE: Final = Traits()


def average_traits() -> Traits:
    """The habits of a player of whom nothing is known."""
    return _REASONABLE


@attrs.frozen(eq=False)
class HandValues:
    """What the formula knows of every combo of a player.  Arrays of shape (1326,), from 0 to 1."""

    value: Floats
    showdown: Floats
    draw: Floats


_NOTHING: Final = np.zeros(NUM_COMBOS)
_NOTHING.flags.writeable = False


# --- before the flop -----------------------------------------------------------------------------------


@functools.cache
def _percentiles(players: int, kind: str) -> Floats:
    """The share of all deals that are worth less than each starting hand.  Shape (169,), half of ties."""
    rates = getattr(shipped_tables().table(players), kind)
    counts = COMBOS_PER_STARTING_HAND.astype(np.float64)
    order = np.argsort(rates, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(counts[order])[:-1]])
    result = np.empty(NUM_STARTING_HANDS)
    result[order] = (below + counts[order] / 2) / counts.sum()
    return result


def _drawing() -> NDArray[np.bool_]:
    """The starting hands that want company: suited and at most three ranks apart, below a king and no pair;
    and pairs up to sixes, which want to make three of a kind.
    """
    drawing = np.zeros(NUM_STARTING_HANDS, np.bool_)
    for row in range(13):
        for column in range(row):
            drawing[row * 13 + column] = row <= 10 and row - column <= 3
    for rank in range(5):
        drawing[rank * 13 + rank] = True
    return drawing


_DRAWING: Final = _drawing()


@functools.cache
def _preflop_percentiles(players: int, company: int) -> tuple[Floats, Floats]:
    """Percentiles by combo: made hands by the iterated rates, drawing hands by the roll-out with company."""
    made = _percentiles(players, "iterated")
    drawing = np.maximum(made, _percentiles(company, "roll_out")) if company > players // 2 else made
    by_hand = np.where(_DRAWING, drawing, made) if players > 2 else made
    combos = by_hand[STARTING_HAND_OF_COMBO]
    draws = (
        (_DRAWING & (by_hand > 0.5)).astype(np.float64)[STARTING_HAND_OF_COMBO] if players > 2 else _NOTHING
    )
    combos.flags.writeable = False
    return combos, draws


def preflop_values(situation: Situation, tables: Sequence[Floats], looseness: Sequence[float]) -> HandValues:
    """The values of all combos before the flop.

    Made hands are ranked by the iterated income rates for the players who may still be in; drawing hands
    want company and are ranked by the roll-out for the number of players expected to see the flop: those
    who have put in a bet, and those behind us as loosely as they play (Killer, "Opponent Modeling", b).
    Against a single opponent the showdown odds are exact but for cards held twice.

    Args:
        situation: before the flop.
        tables: of all positions, the weights of combos.
        looseness: of all positions, 1 for a reasonable one.
    """
    opponents = situation.opponents
    players = max(2, min(10, len(opponents) + 1))
    expected = 1.0 + len(situation.entered)
    for position in opponents:
        if position not in situation.entered:
            expected += min(1.0, 0.25 * looseness[position])
    value, draws = _preflop_percentiles(players, max(2, min(10, round(expected))))
    showdown = _NOTHING
    if len(opponents) == 1:
        by_hand = np.bincount(
            STARTING_HAND_OF_COMBO, weights=tables[opponents[0]], minlength=NUM_STARTING_HANDS
        )
        showdown = (preflop_equities() @ (by_hand / by_hand.sum()))[STARTING_HAND_OF_COMBO]
    return HandValues(value, showdown, draws)


def reasonable_share(players_behind: int) -> float:
    """The share of hands that are worth opening with so many players still to act.

    .86 with one (heads-up), .5 on the button, .13 in first position of ten, where the iterated income rates
    of Table 3.1 leave a fifth of the hands for all positions together.
    """
    return min(0.9, 1.2 / (max(1, players_behind) + 0.4))


# --- after the flop ------------------------------------------------------------------------------------


def postflop_values(
    situation: Situation, board: BoardValues, strengths: Mapping[int, Floats], protect: float = 1.0
) -> HandValues:
    """The values of all combos after the flop: effective hand strength, chance at the showdown, potential.

    Args:
        situation: after the flop.
        board: its values.
        strengths: by position, of all combos against the table of the player there.
        protect: how much a bet protects a hand.  With 1, negative potential is left out as in eq 3.6, since
            draws must fold or pay; with 0, when nobody will ever fold, only the showdown counts.
    """
    hand_strength = _NOTHING
    product: Floats | None = None
    for position in situation.opponents:
        product = (
            strengths[position].copy()
            if product is None
            else np.multiply(product, strengths[position], product)
        )
    if product is not None:
        hand_strength = product  # eq 3.3
    behind = 1 - hand_strength
    positive, negative = board.positive_potential, board.negative_potential
    effective = hand_strength + behind * positive  # eq 3.6
    if situation.betting_round >= 3:
        return HandValues(hand_strength, hand_strength, _NOTHING)
    if situation.betting_round == 1:
        positive_all = positive * (2 - positive)  # two cards to come
        negative_all = negative * (2 - negative)
    else:
        positive_all, negative_all = positive, negative
    kept = 1 - negative_all
    several = len(situation.opponents)
    if several > 1:
        kept = kept**several
        positive_all = positive_all / several**0.5
    showdown = hand_strength * kept + behind * positive_all  # eq 3.5
    value = effective if protect >= 1 else protect * effective + (1 - protect) * showdown
    return HandValues(value, showdown, positive)


# --- thresholds ----------------------------------------------------------------------------------------


@attrs.frozen
class Thresholds:
    """What is done with a hand of which value.  A spread is half the width of the mixing zone."""

    call: float
    """Hands of this value are called or checked, the price aside."""
    call_spread: float
    raise_: float
    """Hands of this value are bet or raised half of the time."""
    raise_spread: float
    raise_most: float
    """The share of raises among good hands of little value; it rises in proportion to 1 for the best."""
    price: float
    """Chance of winning at which a call pays."""
    price_spread: float
    semi_bluff: float
    """Potential from which a bet and a raise pay."""
    semi_bluff_chance: float
    bluff_below: float
    bluff_chance: float
    trap: float
    trap_chance: float
    can_fold: bool
    can_raise: bool

    def as_array(self) -> Floats:
        """In the order of the kernel, shape (15,)."""
        # attrs.astuple would take ten times as long.
        return np.array([getattr(self, name) for name in _THRESHOLD_NAMES], np.float64)


_THRESHOLD_NAMES: Final = tuple(field.name for field in attrs.fields(Thresholds))


def _pot_share(stake: float, pot: float) -> float:
    return stake / (pot + stake) if stake > 0 else 0.0


def _clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def continue_chance(situation: Situation, traits: Traits, position: int) -> float:
    """The chance that an opponent does not fold to a bet or raise of ours."""
    if situation.betting_round == 0:
        fold = traits.preflop_fold
        if fold is None:
            fold = 1 - min(0.9, 0.55 * reasonable_share(len(situation.to_respond)) * traits.looseness)
    else:
        fold = traits.fold_to_bet
    if position == situation.raiser or (position in situation.entered and situation.raises > 0):
        fold *= 0.25  # he has paid a bet already
    return 1 - fold


def protection(situation: Situation, traits: Mapping[int, Traits]) -> float:
    """How much a bet protects: 1 where somebody may fold, 0 where nobody ever does."""
    if situation.betting_round == 0:
        return 1.0
    folding = max([1 - continue_chance(situation, traits[p], p) for p in situation.opponents], default=0.0)
    return _clip(folding / 0.15, 0.0, 1.0)


def thresholds(
    situation: Situation, traits: Mapping[int, Traits], parameters: Parameters = DEFAULT_PARAMETERS
) -> Thresholds:
    """The thresholds of a situation, before bluffs (see `formula_triples`).

    Args:
        situation: public.
        traits: of the opponents, by position.
        parameters: of the player.
    """
    if situation.betting_round == 0:
        return _preflop_thresholds(situation, traits, parameters)
    return _postflop_thresholds(situation, traits, parameters)


def _postflop_thresholds(
    situation: Situation, traits: Mapping[int, Traits], parameters: Parameters
) -> Thresholds:
    opponents = situation.opponents
    tight, wild = parameters.tightness - 0.5, parameters.aggression - 0.5
    bet, pot, to_call = situation.bet, situation.pot, situation.amount_to_call
    staying = [continue_chance(situation, traits[p], p) for p in opponents]
    callers = max(1.0, sum(staying))
    all_fold = 1.0
    for chance in staying:
        all_fold *= 1 - chance
    # A bet that all pay must win one time in callers + 1 (Killer, "Check or Bet?": the raise odds).
    level = parameters.call_threshold * 2 / (1 + callers)
    if situation.raises == 0 or situation.raiser is None or situation.raiser == situation.position:
        raise_at = level
        if len(opponents) > 1:
            raise_at += 0.04
    else:
        tells = traits[situation.raiser].raise_tells
        if situation.raises >= 2:
            tells = min(1.0, 1.3 * tells)
        raise_at = level + (parameters.raise_threshold - parameters.call_threshold) * tells
        if situation.last_raise:
            raise_at -= 0.3 * (raise_at - level)
    if not situation.is_limit:
        raise_at += 0.05
    raise_at = _clip(raise_at - 0.2 * wild, 0.05, 0.97)

    # Showdown odds: what a call costs to the end, against what there will be (Papp; Poki 3.3.4).
    aggressor = _REASONABLE.bet
    if situation.raiser is not None and situation.raiser != situation.position:
        aggressor = traits[situation.raiser].bet
    more = situation.future_bets * _clip(0.75 * aggressor, 0.15, 0.6)
    price = _pot_share(to_call + more, pot + more)
    price = _clip(price + 0.1 * tight, 0.0, 1.0)
    call_at = max(parameters.call_threshold + 0.2 * tight, price)

    # Papp: the potential must pay for a bet and, should it come, for a raise: two bets against the pot with
    # two of each caller's.
    semi_bluff_at = _pot_share(to_call + 2 * bet, pot + 2 * bet * callers) * 0.75
    fold_pays = _clip(all_fold / max(1e-9, _pot_share(bet, pot)), 0.0, 1.5)
    semi_bluff = 0.0
    if situation.betting_round < 3 and situation.raises <= 1:
        semi_bluff = _clip(parameters.deception * fold_pays, 0.0, 0.9)
    trap = parameters.trap
    if to_call == 0 and situation.to_respond:
        # A check-raise wants somebody behind who bets.
        behind = max(traits[p].bet for p in situation.to_respond)
        trap += 0.5 * parameters.deception * _clip((behind - 0.4) / 0.4, 0.0, 0.5)
    return Thresholds(
        call=call_at,
        call_spread=parameters.spread,
        raise_=raise_at,
        raise_spread=parameters.spread,
        raise_most=1.0,
        price=price,
        price_spread=0.04,
        semi_bluff=semi_bluff_at,
        semi_bluff_chance=semi_bluff,
        bluff_below=parameters.very_weak,
        bluff_chance=0.0,
        trap=max(parameters.very_strong, raise_at + parameters.spread),
        trap_chance=_clip(trap, 0.0, 0.5),
        can_fold=situation.can_fold,
        can_raise=situation.can_raise,
    )


def _preflop_thresholds(
    situation: Situation, traits: Mapping[int, Traits], parameters: Parameters
) -> Thresholds:
    """Expert rules: which share of the hands is called and raised, of which income rate that is the value.

    Unraised, the share falls with the number of players behind (`reasonable_share`).  Facing a raise it is
    measured by the raiser's own share: who raises twice the hands that are reasonable there is called and
    raised with twice as many (Killer: his bet counts half).  The price of the call widens or narrows it.
    """
    tight, wild = parameters.tightness - 0.5, parameters.aggression - 0.5
    scale = 2.0 ** (-2 * tight)
    behind = len([p for p in situation.to_respond if p not in situation.entered])
    limpers = len([p for p in situation.entered if p != situation.raiser])
    odds = _pot_share(situation.amount_to_call, situation.pot)
    more = 0.35 * situation.future_bets
    price = 2.0
    if situation.raises == 0:
        share = reasonable_share(behind)
        if situation.amount_to_call == 0:
            calling = 1.0
            raising = 0.36 / (1 + 0.5 * (limpers - 1)) if limpers else 0.36
        else:
            calling = (
                share * (1 + 0.15 * limpers) * _clip(0.25 / max(odds, 0.05) if behind <= 1 else 1.0, 1.0, 1.6)
            )
            raising = 0.62 * share / (1 + 0.3 * limpers)
        staying = [continue_chance(situation, traits[p], p) for p in situation.opponents]
        if len(staying) == 1:
            # Who never folds gives no blinds away but pays every better hand.
            raising = max(raising, 0.5 * _clip((staying[0] - 0.8) / 0.2, 0.0, 1.0))
    else:
        assert situation.raiser is not None
        raiser = traits.get(situation.raiser, _REASONABLE)
        theirs = 0.62 * reasonable_share(max(1, len(situation.opponents))) * raiser.preflop_raise
        if raiser.preflop_raise < 1.8:
            theirs *= 0.45 ** (situation.raises - 1)
        theirs = _clip(theirs, 0.015, 1.0)
        calling = theirs * _clip(1.55 - 7.3 * (odds - 0.25), 0.5, 2.3) * (1 + 0.1 * limpers)
        raising = theirs * (0.42 if not situation.last_raise else 0.46)
    if len(situation.opponents) == 1:
        price = _clip(_pot_share(situation.amount_to_call + more, situation.pot + more) + 0.02, 0.0, 1.0)
    calling = _clip(calling * scale, 0.0, 1.0)
    raising = _clip(raising * scale * 2.0**wild, 0.0, 0.6)
    spread = 0.5 * min(parameters.spread, 0.5 * max(raising, 0.01))
    return Thresholds(
        call=1 - calling,
        call_spread=0.5 * min(parameters.spread, 0.5 * max(calling, 0.01)),
        raise_=1 - raising,
        raise_spread=spread,
        raise_most=0.8,
        price=price,
        price_spread=0.03,
        semi_bluff=0.5,
        semi_bluff_chance=0.1 * parameters.deception if situation.raises == 0 else 0.0,
        bluff_below=parameters.very_weak,
        bluff_chance=0.0,
        trap=1.0,
        trap_chance=0.0,
        can_fold=situation.can_fold,
        can_raise=situation.can_raise,
    )


def bluff_share(bet: float, pot: float) -> float:
    """The share of bluffs among the bets that makes a caller indifferent: b / (P + 2 b).

    Called, a bluff loses b and a good hand wins b; the caller gets P + b for b, so he must win a share
    b / (P + 2 b) of the time.  With a bet of the pot's size a third of the bets are bluffs.

    Raises:
        ValueError: a bet that is not positive, or a negative pot.

    Source: Killer, "Bluffing on the Preflop" (after Sklansky); Loki, "Betting strategy".
    """
    if not (bet > 0 and pot >= 0):
        raise ValueError(f"expected a bet above 0 and a pot of 0 or more, got {bet} and {pot}")
    return bet / (pot + 2 * bet)


def formula_triples(
    situation: Situation,
    values: HandValues,
    own_weights: Floats,
    traits: Mapping[int, Traits],
    parameters: Parameters = DEFAULT_PARAMETERS,
) -> Floats:
    """The probability triple of every combo.  Shape (1326, 3).

    A pure function of what is public.  Bluffs are measured out on the player's own table as the others see
    it: so many of the very weak hands bet that of all bets the share `bluff_share` is a bluff, less where
    the opponents do not fold often enough for it to pay.

    Args:
        situation: the public state.
        values: of all combos, from the tables of the player's opponents.
        own_weights: the player's own table as his opponents see it, shape (1326,).
        traits: of the opponents, by position.
        parameters: of the player.
    """
    limits = thresholds(situation, traits, parameters)
    triples = np.empty((NUM_COMBOS, 3))
    array = limits.as_array()
    kernels.fill_triples(values.value, values.showdown, values.draw, array, triples)
    chance = _bluff_chance(situation, values, own_weights, triples, traits, parameters)
    if chance > 0:
        array[10] = chance
        kernels.fill_triples(values.value, values.showdown, values.draw, array, triples)
    return triples


def _bluff_chance(
    situation: Situation,
    values: HandValues,
    own_weights: Floats,
    triples: Floats,
    traits: Mapping[int, Traits],
    parameters: Parameters,
) -> float:
    """How often a very weak hand bets, so that bluffs have their share of all bets."""
    if situation.betting_round == 0 or not situation.can_raise or situation.amount_to_call > 0:
        return 0.0
    if parameters.deception <= 0:
        return 0.0
    bet, pot = situation.bet, float(situation.pot)
    all_fold = 1.0
    for position in situation.opponents:
        all_fold *= 1 - continue_chance(situation, traits[position], position)
    needed = _pot_share(bet, pot)
    pays = _clip((all_fold / needed - 0.7) / 0.3, 0.0, 1.0)
    if pays <= 0:
        return 0.0
    mean = np.empty(3)
    kernels.mean_triple(own_weights, triples, mean)
    # The share of the very weak hands, each as often as it bluffs beside the weakest.
    below = np.clip(2 * (parameters.very_weak - values.value) / parameters.very_weak, 0.0, 1.0)
    weak = float(own_weights @ below) / float(own_weights.sum())
    if weak <= 0:
        return 0.0
    share = bluff_share(bet, pot)
    wanted = 2 * parameters.deception * mean[2] * share / (1 - share)
    if situation.betting_round < 3:
        wanted *= 0.5  # semi-bluffs are the other half
    return _clip(pays * wanted / weak, 0.0, 0.6)
