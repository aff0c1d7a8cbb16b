"""The street-learner's decisions one at a time, for the agent that sits at a table.

`StyleCounters` counts what happens at the table, `consider` lists the actions and what the learner thinks
they are worth, and `learn` learns from the result of a decision.  All call the functions of the training
loop.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import attrs
import numpy as np

from engine.hands.betting_arrays import action_from_number, betting_arrays, game_array, number_of_action
from engine.hands.equity import all_hand_equities
from engine.hands.preflop.tables import shipped_tables
from engine.kernels.learning import action_values as kernels, situations
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.learning.deal_pool import STRENGTH_STEPS, bucket_of, strength_of
from engine.learning.street import PRIOR, STEP_DECAY, ActionValues, num_situations
from engine.poker.rules import Action
from engine.poker.rules.betting import BettingState
from engine.support.arrays import Floats, Ints


class StyleCounters:
    """Counts of what each seat of a table has done so far, from which its style follows."""

    def __init__(self) -> None:
        self.by_seat: Floats = np.zeros((MAX_PLAYERS, situations.NUM_COUNTERS))
        """Decisions with something to call, folds, chances to raise, raises; old ones fade.

        Shape (MAX_PLAYERS, NUM_COUNTERS), float64.
        """

    def observe(self, seat: int, before: BettingState, action: Action) -> None:
        """Count an action of the player in a seat, who was to act in the state `before`."""
        number = number_of_action(action, before)
        situations.count_decision(self.by_seat[seat], game_array(before.game), *_arrays(before), number)

    def by_position(self, seats: Sequence[int]) -> Floats:
        """The counters in the order of positions, as kernels take them."""
        counters = np.zeros_like(self.by_seat)
        counters[: len(seats)] = self.by_seat[list(seats)]
        return counters


@attrs.frozen
class HandInRound:
    """A hand as the learner sees it in a betting round."""

    bucket: int
    strength: float
    """The strength, rounded as in a pool of deals."""

    @classmethod
    def of(cls, hole_cards: Sequence[int], board: Sequence[int], betting_round: int) -> HandInRound:
        """The hand of two cards on a board of 0, 3, 4 or 5.

        Raises:
            ValueError: wrong cards.
        """
        return cls.of_strength(strength_of(hole_cards, board), betting_round)

    @classmethod
    def of_strength(cls, exact: float, betting_round: int) -> HandInRound:
        """The hand of an exact strength."""
        return cls(bucket_of(betting_round, exact), round(exact * STRENGTH_STEPS) / STRENGTH_STEPS)


@functools.lru_cache(maxsize=8)
def all_hands_in_round(board: tuple[int, ...], betting_round: int) -> tuple[HandInRound | None, ...]:
    """All hands as the learner sees them: the 169 starting hands before the flop, after it the 1326 combos.

    Combos that share a card with the board are None.

    Args:
        board: 0, 3, 4 or 5 cards.
        betting_round: the betting round whose buckets are used.
    """
    strengths = all_hand_equities(board) if board else shipped_tables().raw_odds[:, 0]
    return tuple(
        [
            None if math.isnan(exact) else HandInRound.of_strength(exact, betting_round)
            for exact in strengths.tolist()
        ]
    )


@attrs.frozen
class Considered:
    """The options of the position to act, and their values."""

    actions: tuple[Action, ...]
    """The legal actions, in the order of the table's columns: fold, call, raises."""
    values: tuple[float, ...]
    """The value of each action, in pots; folding is worth 0."""
    best: int
    """The index of the action with the greatest value."""
    offers: tuple[int, ...]
    """The number of each action in the training loop."""
    cells: kernels.Cells
    """The rows of the values."""
    pot: int
    """The pot before the action, in chips."""
    paid: int
    """The chips of the pot that the position to act has put in."""


def consider(learnt: ActionValues, betting: BettingState, hand: HandInRound, counters: Floats) -> Considered:
    """The options of the position to act, and what the learner thinks they are worth.

    Args:
        learnt: the learner's action values.
        betting: a state in which somebody is to act.
        hand: the hand of the position to act.
        counters: from `StyleCounters.by_position`.
    """
    position = betting.position_to_act
    assert position is not None, "somebody is to act"
    offers = _no_offers()
    cells = kernels.consider(
        game_array(learnt.game), *_arrays(betting), counters, kernels.Hand(hand.bucket, hand.strength),
        learnt.by_cell, PRIOR, offers,
    )  # fmt: skip
    numbers, values = offers.actions.tolist(), offers.values.tolist()
    offered = [offer for offer, number in enumerate(numbers) if number != kernels.NOT_OFFERED]
    return Considered(
        tuple([action_from_number(numbers[offer], learnt.game.is_limit) for offer in offered]),
        tuple([values[offer] for offer in offered]),
        offered.index(kernels.best_offer(offers.values)),
        tuple(offered),
        cells,
        betting.pot,
        betting.spent[position],
    )


def learn(learnt: ActionValues, considered: Considered, action: int, won: float) -> list[tuple[int, int]]:
    """Learn from the result of a decision.

    Args:
        learnt: the learner's action values, changed in place.
        considered: the options of the decision.
        action: the index of the action taken.
        won: the chips won in the whole hand.

    Returns:
        Row and column of each value that was changed.
    """
    offer = considered.offers[action]
    if offer == kernels.Offer.FOLD:
        return []
    target = (won + considered.paid) / max(1, considered.pot)
    cells = sorted(set(considered.cells))
    for cell in cells:
        kernels.learn(learnt.by_cell, cell, offer, target, STEP_DECAY)
    return [(cell, offer - kernels.Offer.CALL) for cell in cells]


def opening_values(
    learnt: ActionValues, betting: BettingState, hand: HandInRound, style: int
) -> tuple[Considered, int]:
    """The options against opponents of a style, by its number, and the observations behind them."""
    nothing_seen = np.zeros((MAX_PLAYERS, situations.NUM_COUNTERS))
    anybody = consider(learnt, betting, hand, nothing_seen)
    cell = anybody.cells.any + style * num_situations(learnt.game)
    offers = _no_offers()
    kernels.fill_offers(
        game_array(learnt.game), *_arrays(betting), hand.strength, kernels.Cells(anybody.cells.any, cell),
        learnt.by_cell, PRIOR, offers,
    )  # fmt: skip
    best = anybody.offers.index(kernels.best_offer(offers.values))
    values = tuple(offers.values[list(anybody.offers)].tolist())
    return attrs.evolve(anybody, values=values, best=best), int(learnt.counts[cell].sum())


def _no_offers() -> kernels.Offers:
    return kernels.Offers(np.zeros(kernels.NUM_OFFERS, np.int64), np.zeros(kernels.NUM_OFFERS))


@functools.lru_cache(maxsize=1 << 14)
def _arrays(betting: BettingState) -> tuple[Ints, Ints]:
    # Limit games walk the same betting over and over.
    return betting_arrays(betting)
