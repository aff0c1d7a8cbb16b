"""The formula: one calibrated function from a public situation to the probability triples of all 1326 combos.

It is used in three ways.  Playing, we read off the row of the hand we hold; re-weighting a player's table
(Fig. 3.5) and simulating the player, we use all rows.  It takes what the player in question can see: the
opponents' weight tables as they follow from public information, never a card that only somebody else knows.
That our own hand removes cards from the opponents' tables needs no care: the strength of a combo never counts
hands that share a card with it.

Three numbers describe a combo (``engine.players.hand_values``): its value, its chance at the showdown, its
potential.  `Thresholds`, computed from the situation and from what is known of the opponents (`Traits`), say
what is done with them: folded below the call threshold unless the price is right, raised above the raise
threshold, mixed in proportion near each (Poki 3.4).

**Parameters.**  Loki's published thresholds are .50 to bet or to call and .85 to raise.  They are where we
start; they move with what an action tells.  A raise by somebody who raises everything tells nothing, and .5
is enough to raise again; that of a player who never raised before is worth the full .85.

**Pushing.** Against a single opponent whom a model knows, a raise is made where it is worth more than a call
and more than a fold: fold * pot + (1 - fold) * value when called (`Push`).  The chance of the fold is what
the model says of the state after the raise with the range that he has; he is taken to fold his worse hands,
which on the river are those that are beaten anyhow, but for the part of his folds that is blind to the hand.
Near the point where both bring as much they are mixed, over a width that is counted in bets: of a great pot a
bet is a small part, but not for the hand that is bet.

In limit that holds before the flop with several opponents, too, at tables of up to six: all of them may fold,
some who would have called fold to the raise, and a hand that is behind with o : 1 against one of them is
behind with n o : 1 against n.  What it brings then must be more by a part of a bet, since the hand is yet to
be played.

The arithmetic stands in ``engine.kernels.players.thresholds`` and ``triples``.

Source: Poki 3.2-3.4; Papp (1998) for semi-bluffs, showdown odds and the thresholds; Killer, "Opponent
Modeling", for looseness; "Check or Bet?" for the odds of a raise.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Final

import attrs
import numpy as np

from engine.kernels.players import (
    raises as raise_kernels,
    thresholds as threshold_kernels,
    triples as kernels,
)
from engine.kernels.players.records import NUM_TRAITS, Parameter, Thresholds, Trait
from engine.players.action_context import situation_of
from engine.players.hand_values import HandValues
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import PublicSituation
from engine.poker.rules.betting import BettingState
from engine.poker.rules.game_definition import MAX_PLAYERS
from engine.support.arrays import Floats


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
    """Half the width over which actions are mixed at a threshold; over half of it calls at their price."""
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

    # The numbers that no paper gives, as they were found to play well: ``riverboat experiment sensitivity``.

    bets_faced: float = 0.75
    """The part of an aggressor's usual bets that a call is taken to face until the showdown."""
    opening_raises: float = 0.62
    """Before the flop: the part of the hands worth opening that is raised."""
    reraises: float = 0.455
    """The part of a raiser's hands that is raised again, by others and by himself."""
    free_raises: float = 0.36
    """How often a blind raises that may check."""
    limpers_raised: float = 0.3
    """By how much each limper lessens opening raises; the first does not count for a blind that may check."""
    limpers_called: float = 0.15
    """By how much each limper widens calls, of the blinds and of a raise."""
    blind_odds: float = 0.25
    """Pot odds below which the last to act opens more hands."""
    never_folds: float = 0.5
    """How many hands are raised against one who never folds."""
    call_level: float = 3.375
    """Hands called, in those of the raiser, were calls free."""
    call_slope: float = 7.3
    """How fast they become fewer with the odds."""
    bets_to_come: float = 0.35
    """The part of the bets to come that a call before the flop is taken to cost."""
    raise_most: float = 0.8
    """How often a hand just good enough is raised before the flop."""


DEFAULT_PARAMETERS: Final = Parameters()


@attrs.frozen
class Traits:
    """How a player plays, as far as the formula asks.  The defaults are those of a reasonable player."""

    fold_to_bet: float = 0.35
    """Chance of folding to a bet after the flop."""
    bet: float = 0.40
    """Chance of betting after the flop when checked to."""
    raise_: float = 0.20
    """Chance of raising a bet after the flop."""
    preflop_fold: float | None = None
    """Chance of folding to a raise before the flop; None: what is reasonable there."""
    preflop_raise: float = 1.0
    """How much more often they raise before the flop than is reasonable; Killer's looseness, of raisers."""
    looseness: float = 1.0
    """Flops seen, against what is reasonable (Killer: 40 % against an ideal of 20 % is 2)."""
    noise: tuple[float, float] = (0.15, 0.15)
    """The part of their raises that is blind to their hand, after the flop: against one opponent, several."""

    @property
    def raise_tells(self) -> tuple[float, float]:
        """How much a raise of theirs tells: 1 if only the best hands raise, 0 if all do or none is read.

        Against one opponent, and against several.
        """
        against_one, against_several = self.noise
        share = (1 - self.raise_) ** 2
        return (1 - against_one) * share, (1 - against_several) * share


REASONABLE: Final = Traits()
"""The traits of a reasonable player, and of one about whom nothing is known."""


def traits_array(traits: Mapping[int, Traits]) -> Floats:
    """Traits by position, shape (10, NUM_TRAITS); of positions left out, those of a reasonable player."""
    table = _usual_table().copy()
    for position, known in traits.items():
        _fill_row(known, table[position])
    return table


@functools.cache
def _usual_table() -> Floats:
    table = np.zeros((MAX_PLAYERS, NUM_TRAITS))
    for row in table:
        _fill_row(REASONABLE, row)
    return table


def _fill_row(traits: Traits, row: Floats) -> None:
    """The numbers in the order of the kernels' `Trait`, nan if unknown; nothing is known of a situation."""
    preflop_fold = math.nan if traits.preflop_fold is None else traits.preflop_fold
    row[: Trait.KNOWN] = (
        traits.fold_to_bet, traits.bet, *traits.raise_tells, preflop_fold, traits.preflop_raise,
        traits.looseness,
    )  # fmt: skip


@functools.lru_cache(maxsize=64)
def parameters_array(parameters: Parameters) -> Floats:
    """A parameter set for the kernels, shape (len(Parameter),); it is shared and not to be changed."""
    tightness, aggression = parameters.tightness - 0.5, parameters.aggression - 0.5
    scales = 2.0 ** (-2 * tightness), 2.0**aggression
    array = np.array([*attrs.astuple(parameters), *scales], np.float64)
    array[Parameter.TIGHTNESS] = threshold_kernels.HABIT * tightness
    array[Parameter.AGGRESSION] = threshold_kernels.HABIT * aggression
    return array


# --- thresholds ----------------------------------------------------------------------------------------


def reasonable_share(players_behind: int) -> float:
    """The share of hands that are worth opening, by the number of players still to act.

    .86 with one (heads-up), .5 on the button, .13 in first position of ten, where the iterated income rates
    of Table 3.1 leave a fifth of the hands for all positions together.
    """
    return float(raise_kernels.reasonable_share(players_behind))


def continue_chance(situation: PublicSituation, traits: Floats, position: int) -> float:
    """The chance that an opponent does not fold to a bet or raise of the player to act.

    Args:
        situation: public.
        traits: of `traits_array`.
        position: the opponent's.
    """
    return float(raise_kernels.continue_chance(situation, position, traits))


def worths_of_raise(
    betting: BettingState, chances: Floats, total: int, folding: float, usual_folding: float
) -> Floats:
    """What a no-limit raise brings with each hand against a single opponent, in chips, compared with a fold.

    He folds hands that are mostly beaten anyhow, so those with which he goes on are better.  And what one who
    never folds would pay now he pays on the river as well, when it is known what the hand has become.

    Args:
        betting: the state in which we raise.
        chances: of the hands at the showdown, shape (n,).
        total: of the raise.
        folding: the chance that he folds to it.
        usual_folding: that to a raise of a middling size.

    Returns:
        Shape (n,).
    """
    betting_round, position = betting.betting_round, situation_of(betting).position
    stakes = float(betting.pot), float(betting.spent[position]), float(betting.max_spent), float(total)
    worths = np.empty(len(chances))
    raise_kernels.fill_worths_of_raise(
        chances, 1 - folding, raise_kernels.BEATEN_THAT_FOLD[betting_round], stakes,
        raise_kernels.worth_of_waiting(1 - usual_folding), raise_kernels.PATIENCE[betting_round],
        worths,
    )  # fmt: skip
    return worths


def protection(situation: PublicSituation, traits: Floats) -> float:
    """How much a bet protects: 1 where somebody may fold, 0 where nobody ever does."""
    return float(raise_kernels.protection(situation, traits))


def thresholds(
    situation: PublicSituation, traits: Floats, parameters: Parameters = DEFAULT_PARAMETERS
) -> Thresholds:
    """The thresholds of a situation.

    After the flop a raise is measured on the chances that a bet that all pay must have (Killer, "Check or
    Bet?": the raise odds) and on what the last raise tells; a call on showdown odds, which is what it costs
    to the end against what there will be (Papp; Poki 3.3.4).

    Before the flop expert rules say which share of the hands is called and raised, of which income rate
    that is the value.  Unraised, the share falls with the number of players behind (`reasonable_share`).
    Facing a raise it is measured by the raiser's own share: a player who raises twice the hands that are
    reasonable there is called and raised with twice as many (Killer: such a bet counts half).  The price of
    the call widens or narrows it.

    Args:
        situation: public.
        traits: of the opponents, of `traits_array`.
        parameters: of the player.
    """
    return threshold_kernels.thresholds_of(situation, traits, parameters_array(parameters))


def bluff_share(bet: float, pot: float) -> float:
    """The share of bluffs among the bets that makes a caller indifferent: b / (P + 2 b).

    Called, a bluff loses b and a good hand wins b; the caller gets P + b for b, and so must win a share
    b / (P + 2 b) of the time.  With a bet of the pot's size a third of the bets are bluffs.

    Raises:
        ValueError: a bet that is not positive, or a negative pot.

    Source: Killer, "Bluffing on the Preflop" (after Sklansky); Loki, "Betting strategy".
    """
    if not (bet > 0 and pot >= 0):
        raise ValueError(f"expected a bet above 0 and a pot of 0 or more, got {bet} and {pot}")
    return float(threshold_kernels.bluff_share(bet, pot))


# --- triples -------------------------------------------------------------------------------------------


def formula_triples(
    situation: PublicSituation,
    values: HandValues,
    own_weights: Floats,
    traits: Floats,
    parameters: Parameters = DEFAULT_PARAMETERS,
) -> Floats:
    """The probability triple of every combo.  Shape (1326, 3).

    A pure function of what is public.  Bluffs are measured out on the player's own table as the others see
    it: as many of the very weak hands bet as make the share `bluff_share` of all bets a bluff, fewer where
    the opponents do not fold often enough for it to pay.

    Args:
        situation: the public state.
        values: of all combos, from the tables of the player's opponents.
        own_weights: the player's own table as the opponents see it, shape (1326,).
        traits: of the opponents, of `traits_array`.
        parameters: of the player.
    """
    triples = np.empty((NUM_COMBOS, 3))
    kernels.fill_formula_triples(
        situation, traits, parameters_array(parameters), own_weights, values.value, values.showdown,
        values.draw, triples,
    )  # fmt: skip
    return triples
