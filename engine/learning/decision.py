"""The street-learner's decisions one at a time, for the agent that sits at a table.

What happens at the table goes into `StyleCounters`; `consider` says what may be done in a betting and what
the learner thinks that is worth, and `learn` learns from what came of a decision.  They call the functions of
the training loop.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.betting_arrays import action_from_number, betting_arrays, game_array, number_of_action
from engine.evaluation.equity import all_hand_equities
from engine.evaluation.preflop.tables import shipped_tables
from engine.kernels.learning import action_values as kernels
from engine.kernels.learning import situations
from engine.kernels.rules.betting import MAX_PLAYERS
from engine.learning.deal_pool import STRENGTH_STEPS, bucket_of, strength_of
from engine.learning.street import PRIOR, STEP_DECAY, ActionValues, num_situations
from engine.rules import Action, GameDefinition, initial_betting
from engine.rules.betting import BettingState

__all__ = [
    "Considered",
    "HandInRound",
    "StyleCounters",
    "all_hands_in_round",
    "consider",
    "learn",
    "opening_values",
    "warm_up",
]


class StyleCounters:
    """What each seat of a table has done so far, as far as its style depends on it."""

    def __init__(self) -> None:
        self.by_seat: NDArray[np.float64] = np.zeros((MAX_PLAYERS, situations.NUM_COUNTERS))
        """Decisions with something to call, folds, chances to raise, raises; fading."""

    def observe(self, seat: int, before: BettingState, action: Action) -> None:
        """The player in a seat, who is to act in a betting, does something."""
        number = number_of_action(action, before)
        situations.count_decision(self.by_seat[seat], game_array(before.game), *_arrays(before), number)

    def by_position(self, seats: Sequence[int]) -> NDArray[np.float64]:
        """The counters of the seats of each position, as kernels take them."""
        counters = np.zeros_like(self.by_seat)
        counters[: len(seats)] = self.by_seat[list(seats)]
        return counters


@attrs.frozen
class HandInRound:
    """A hand as the learner sees it in a betting round."""

    bucket: int
    strength: float
    """As a pool of deals has it."""

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

    None for combos that share a card with the board.

    Args:
        board: of 0, 3, 4 or 5 cards.
        betting_round: whose buckets count.
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
    """What the position to act may do."""

    actions: tuple[Action, ...]
    """In the order of the table's columns: fold where that is legal, call, raises."""
    values: tuple[float, ...]
    """What each action is worth, in pots; folding is worth nothing."""
    best: int
    """Index of the action that is worth most."""
    offers: tuple[int, ...]
    """The number of each action in the training loop."""
    cells: kernels.Cells
    """Rows of the values."""
    pot: int
    """Before the action."""
    paid: int
    """The part of it that the position to act has put in."""


def consider(
    learnt: ActionValues, betting: BettingState, hand: HandInRound, counters: NDArray[np.float64]
) -> Considered:
    """What the position to act may do, and what the learner thinks it is worth.

    Args:
        learnt: what it knows.
        betting: somebody is to act.
        hand: of the position to act.
        counters: of `StyleCounters.by_position`.
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
    """Learn what has come of a decision; returns the places of the values that it has changed.

    Args:
        learnt: changed in place.
        considered: what the decision was about.
        action: index of what was done.
        won: chips, in the whole hand.
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
    """What is known against opponents of a style, by its number, and how many observations there are."""
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


@functools.lru_cache(maxsize=8)
def warm_up(game: GameDefinition) -> None:
    """Compile (once a machine) or load (once a process) all that decisions take."""
    betting = initial_betting(game)
    if betting.position_to_act is None:
        return
    learnt = ActionValues.unlearnt(game)
    counters = StyleCounters()
    for board in ((), (0, 5, 10), (0, 5, 10, 15, 20)):
        hand = HandInRound.of((51, 50), board, 0)
    considered = consider(learnt, betting, hand, counters.by_position(range(game.num_players)))
    counters.observe(0, betting, considered.actions[considered.best])
    learn(learnt, considered, len(considered.actions) - 1, 0.0)


@functools.lru_cache(maxsize=1 << 14)
def _arrays(betting: BettingState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    # Limit games walk the same betting over and over.
    return betting_arrays(betting)
