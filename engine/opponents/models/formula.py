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
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

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
from engine.evaluation.preflop.tables import shipped_tables
from engine.kernels.opponents import thresholds as threshold_kernels
from engine.kernels.opponents import triples as kernels
from engine.opponents.action_context import Situation
from engine.opponents.board_values import BoardValues
from engine.rules.game_definition import MAX_PLAYERS

__all__ = [
    "DEFAULT_PARAMETERS",
    "HandValues",
    "Parameters",
    "Thresholds",
    "Traits",
    "average_traits",
    "formula_triples",
    "habits_array",
    "postflop_values",
    "preflop_percentiles",
    "preflop_values",
    "reasonable_share",
    "thresholds",
    "traits_array",
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

    @property
    def row(self) -> tuple[float, ...]:
        """In the order of the kernels' traits, nan for what is unknown."""
        preflop_fold = math.nan if self.preflop_fold is None else self.preflop_fold
        return (
            self.fold_to_bet, self.bet, self.raise_tells, preflop_fold, self.preflop_raise, self.looseness
        )  # fmt: skip


_REASONABLE: Final = Traits()


def average_traits() -> Traits:
    """The habits of a player of whom nothing is known."""
    return _REASONABLE


def traits_array(traits: Mapping[int, Traits]) -> Floats:
    """The habits by position for the kernels, shape (10, 6); of positions left out, those of a reasonable
    player.
    """
    rows = [_REASONABLE.row] * MAX_PLAYERS
    for position, known in traits.items():
        rows[position] = known.row
    return np.array(rows)


@functools.lru_cache(maxsize=64)
def habits_array(parameters: Parameters) -> Floats:
    """A parameter set for the kernels, shape (11,), read-only in spirit: it is shared."""
    tight, wild = parameters.tightness - 0.5, parameters.aggression - 0.5
    return np.array(
        [
            parameters.call_threshold, parameters.raise_threshold, parameters.spread, parameters.very_weak,
            parameters.very_strong, parameters.trap, tight, wild, parameters.deception,
            2.0 ** (-2 * tight), 2.0**wild,
        ]
    )  # fmt: skip


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
def preflop_percentiles(players: int, company: int) -> tuple[Floats, Floats]:
    """The value of every starting hand, and whether it wants company (1 or 0).  Shape (169,) each.

    Made hands are ranked by the iterated rates, drawing hands by the roll-out with company.

    Args:
        players: who may still be in, 2 to 10.
        company: who is expected to see the flop, 2 to 10.
    """
    made = _percentiles(players, "iterated")
    if players == 2:
        return made, np.zeros(NUM_STARTING_HANDS)
    drawing = np.maximum(made, _percentiles(company, "roll_out")) if company > players // 2 else made
    by_hand = np.where(_DRAWING, drawing, made)
    return by_hand, (_DRAWING & (by_hand > 0.5)).astype(np.float64)


@functools.cache
def _combo_percentiles(players: int, company: int) -> tuple[Floats, Floats]:
    """`preflop_percentiles` by combo, shape (1326,) each, read-only."""
    value, draws = (by_hand[STARTING_HAND_OF_COMBO] for by_hand in preflop_percentiles(players, company))
    value.flags.writeable = draws.flags.writeable = False
    return value, draws


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
    value, draws = _combo_percentiles(players, max(2, min(10, round(expected))))
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
    return float(threshold_kernels.reasonable_share(players_behind))


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

    @classmethod
    def from_array(cls, array: Floats) -> Thresholds:
        """Of the kernel's array, shape (15,)."""
        numbers: list[Any] = array.tolist()
        numbers[-2:] = numbers[-2] > 0, numbers[-1] > 0
        return cls(*numbers)


def _mask(positions: Sequence[int]) -> int:
    return sum(1 << position for position in positions)


def _round_numbers(situation: Situation) -> tuple[int, int, int, int, int]:
    """What the kernels ask of the betting round: round, raises, raiser or -1, masks of who has entered and
    of who is still to respond.
    """
    raiser = -1 if situation.raiser is None else situation.raiser
    return (
        situation.betting_round, situation.raises, raiser, _mask(situation.entered),
        _mask(situation.to_respond),
    )  # fmt: skip


def continue_chance(situation: Situation, traits: Traits, position: int) -> float:
    """The chance that an opponent does not fold to a bet or raise of ours."""
    array = traits_array({position: traits})
    return float(threshold_kernels.continue_chance(*_round_numbers(situation), position, array))


def protection(situation: Situation, traits: Mapping[int, Traits]) -> float:
    """How much a bet protects: 1 where somebody may fold, 0 where nobody ever does."""
    if situation.betting_round == 0:
        return 1.0
    return float(
        threshold_kernels.protection(
            *_round_numbers(situation), _mask(situation.opponents), traits_array(traits)
        )
    )


def thresholds(
    situation: Situation, traits: Mapping[int, Traits], parameters: Parameters = DEFAULT_PARAMETERS
) -> Thresholds:
    """The thresholds of a situation, before bluffs (see `formula_triples`).

    After the flop a raise is measured on the chances that a bet that all pay must have (Killer, "Check or
    Bet?": the raise odds) and on what the last raise told; a call on showdown odds, which is what it costs
    to the end against what there will be (Papp; Poki 3.3.4).

    Before the flop expert rules say which share of the hands is called and raised, of which income rate
    that is the value.  Unraised, the share falls with the number of players behind (`reasonable_share`).
    Facing a raise it is measured by the raiser's own share: who raises twice the hands that are reasonable
    there is called and raised with twice as many (Killer: his bet counts half).  The price of the call
    widens or narrows it.

    Args:
        situation: public.
        traits: of the opponents, by position.
        parameters: of the player.
    """
    return Thresholds.from_array(_thresholds(situation, traits_array(traits), parameters))


def _thresholds(situation: Situation, traits: Floats, parameters: Parameters) -> Floats:
    """In the order of the kernel, shape (15,)."""
    betting_round, raises, raiser, entered, to_respond = _round_numbers(situation)
    array = np.empty(kernels.NUM_PARAMETERS)
    threshold_kernels.fill_thresholds(
        betting_round, situation.position, raises, raiser, entered, to_respond, _mask(situation.opponents),
        float(situation.pot), float(situation.amount_to_call), situation.bet, situation.future_bets,
        situation.last_raise, situation.is_limit, situation.can_fold, situation.can_raise,
        traits, habits_array(parameters), array,
    )  # fmt: skip
    return array


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
    traits_of_all = traits_array(traits)
    array = _thresholds(situation, traits_of_all, parameters)
    triples = np.empty((NUM_COMBOS, 3))
    kernels.fill_triples(values.value, values.showdown, values.draw, array, triples)
    chance = _bluff_chance(situation, values, own_weights, triples, traits_of_all, parameters)
    if chance > 0:
        array[kernels.BLUFF] = chance
        kernels.fill_triples(values.value, values.showdown, values.draw, array, triples)
    return triples


def _bluff_chance(
    situation: Situation,
    values: HandValues,
    own_weights: Floats,
    triples: Floats,
    traits: Floats,
    parameters: Parameters,
) -> float:
    """How often a very weak hand bets, so that bluffs have their share of all bets."""
    habits = habits_array(parameters)
    bet, pot = situation.bet, float(situation.pot)
    pays = threshold_kernels.bluff_pays(
        *_round_numbers(situation), _mask(situation.opponents), pot, float(situation.amount_to_call), bet,
        situation.can_raise, traits, habits,
    )  # fmt: skip
    if pays <= 0:
        return 0.0
    mean = np.empty(3)
    kernels.mean_triple(own_weights, triples, mean)
    # The share of the very weak hands, each as often as it bluffs beside the weakest.
    below = np.clip(2 * (parameters.very_weak - values.value) / parameters.very_weak, 0.0, 1.0)
    weak = float(own_weights @ below) / float(own_weights.sum())
    return float(
        threshold_kernels.bluff_chance(situation.betting_round, pays, bet, pot, mean[2], weak, habits)
    )
