"""The street-learner: a learner for the whole hand, in limit and no-limit games.

What it tells apart and how it learns is told in ``engine.simulation.street_learning``.  At a table it does as
it did in training, by the same compiled functions: it looks at the situation, takes the action that has paid
best in it, and learns from the hand when it is over.  It trains itself by a compiled loop, ::

    riverboat train street-learner --game limit-2p --hands 20000000 --save street.npz

and against bots that are named (``--against``) at a table in this process.

It is the learner that the Poker Learner thesis leaves to the future (chapter 6): a strategy after the flop, a
better description of the situation and of the opponents.
"""

from __future__ import annotations

import functools
import math
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.agent import Agent, ProbabilityTriple
from clients.learners.street_knowledge import KIND, StreetKnowledge
from clients.learners.training import Table, TrainingPlan, TrainingProgress
from clients.options import OptionError
from engine.kernels import street_learning as kernels
from engine.kernels.betting import MAX_PLAYERS
from engine.opponents.action_context import is_holdem
from engine.rules import Action, GameDefinition, HandView, initial_betting
from engine.rules.betting import BettingState
from engine.simulation.betting_arrays import action_from_number, betting_arrays, game_array, number_of_action
from engine.simulation.deal_pool import STRENGTH_STEPS, bucket_of, deal_pool, strength_of
from engine.simulation.street_learning import (
    ANY_WEIGHT,
    SHOWDOWN_WEIGHT,
    STEP_DECAY,
    ActionValues,
    train,
)

__all__ = ["StreetLearner"]

_EXPLORING_HALVES_AFTER: Final = 2_000
"""Hands learnt from."""
_FIRST_DECISIONS: Final = 6
"""One of so many is left to chance in a hand that explores, as in training."""
_STOP_EVERY: Final = 500
"""Hands between two stops at a table in this process."""


def _close(knowledge: StreetKnowledge) -> None:
    try:
        knowledge.close()
    except OptionError as error:
        print(f"{KIND}: {error}; the journal keeps what was learnt", file=sys.stderr)


class StreetLearner(Agent):
    """Plays the actions that have paid best in its situation, in all betting rounds, and learns.

    Args:
        knowledge: file that keeps what is learnt; made if it is not there.
        learn: change values, and the file; off, it plays by what it knows.
        explore: the share of hands with a decision left to chance, at first; it falls as it learns.
        journal: write every hand down as it ends; without, only `save_knowledge` writes, as training does.

    Raises:
        KnowledgeError: the file cannot be used.
        ValueError: a share outside 0..1.
    """

    kind: ClassVar[str] = KIND

    def __init__(
        self,
        knowledge: Path | None = None,
        learn: bool = True,
        explore: float = 0.1,
        journal: bool = True,
    ) -> None:
        if not 0 <= explore <= 1:
            raise ValueError(f"expected a share from 0 to 1, got explore={explore}")
        self.learns = learn
        self._explore = explore if learn else 0.0
        self._knowledge = StreetKnowledge(knowledge, learn=learn, journal=journal)
        weakref.finalize(self, _close, self._knowledge)
        self._table: tuple[GameDefinition, int, tuple[str, ...] | None] | None = None
        self._rules = np.zeros(0, np.int64)
        self._counters = np.zeros((0, 0))  # of what each seat does
        self._offers = np.zeros(kernels.NUM_OFFERS, np.int64)
        self._found = np.zeros(kernels.NUM_OFFERS)
        # Of the hand that is being played:
        self._hand = -1
        self._explores_at = -1
        self._decisions: list[_Decision] = []
        self._strength: tuple[int, int, int, float] | None = None  # hand, round, bucket, strength

    @property
    def learnt(self) -> ActionValues:
        """What it knows; only after `match_started`."""
        return self._knowledge.values

    # --- the match -----------------------------------------------------------------------------------------

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """What is played is known, and who plays: styles are counted from here on.

        Raises:
            OptionError: the game is not Texas hold'em, or not the one the knowledge file was learnt in.
        """
        self._begin(game)
        table = (game, seat, self.names)
        if table != self._table:
            self._table = table
            self._counters = np.zeros((MAX_PLAYERS, kernels.NUM_COUNTERS))
            self._hand = -1
            self._consider_something()

    def _begin(self, game: GameDefinition) -> None:
        if not is_holdem(game):
            raise OptionError(f"{KIND} plays Texas hold'em only, and this is another game")
        self._knowledge.begin(game)
        self._rules = game_array(game)

    def _consider_something(self) -> None:
        """Load or compile what decisions take, before the first one is asked for."""
        assert self._table is not None
        game = self._table[0]
        strength_of((51, 50), (0, 5, 10))
        strength_of((51, 50), (0, 5, 10, 15, 20))
        root = _arrays(initial_betting(game))
        kernels.consider(
            self._rules, *root, self._counters, 0, 0.5, self.learnt.values, self.learnt.counts,
            SHOWDOWN_WEIGHT, ANY_WEIGHT, self._offers, self._found,
        )  # fmt: skip
        kernels.count_decision(np.zeros(kernels.NUM_COUNTERS), self._rules, *root, 0)
        kernels.learn(np.zeros((1, 4), np.float32), np.zeros((1, 4), np.int32), 0, 1, 0.0, STEP_DECAY)

    # --- playing -------------------------------------------------------------------------------------------

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Count what somebody did."""
        before = view.betting.parent
        assert before is not None  # an action led here
        counters = self._counters[self.seat_of(view, position)]
        number = number_of_action(action, before)
        kernels.count_decision(counters, self._rules, *_arrays(before), number)
        if position == view.position and self._decisions and self._decisions[-1].action != number:
            self._decisions.pop()  # the dealer acted for us: it was not our decision

    def choose_action(self, view: HandView) -> Action:
        """The action of the greatest value, or now and then any."""
        if view.hand_number != self._hand:
            self._hand = view.hand_number
            self._decisions.clear()
            self._explores_at = -1
            if self.rng.random() < self._explore / (1.0 + self.learnt.hands / _EXPLORING_HALVES_AFTER):
                self._explores_at = self.rng.randrange(_FIRST_DECISIONS)
        cells = self._consider(view)
        offer = kernels.best_offer(self._found)
        if len(self._decisions) == self._explores_at:
            offers = np.flatnonzero(self._offers[kernels.CALL_OFFER :] != kernels.NOT_OFFERED)
            offer = kernels.CALL_OFFER + int(self.rng.choice(offers))
        action = int(self._offers[offer])
        spent = view.betting.spent
        self._decisions.append(_Decision(cells, offer, action, sum(spent), spent[view.position]))
        return action_from_number(action, view.game.is_limit)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """Certain, but for the hands in which it explores."""
        self._consider(view)
        offer = kernels.best_offer(self._found)
        return ProbabilityTriple(
            offer == kernels.FOLD_OFFER, offer == kernels.CALL_OFFER, offer >= kernels.RAISE_OFFER
        )

    def action_values(self, view: HandView) -> dict[Action, float]:
        """What it may do and what it thinks that is worth, in pots; folding is worth nothing."""
        self._consider(view)
        return {
            action_from_number(int(action), view.game.is_limit): float(value)
            for action, value in zip(self._offers, self._found, strict=True)
            if action != kernels.NOT_OFFERED
        }

    def _consider(self, view: HandView) -> tuple[int, int]:
        """Fills offers and their values; returns the cells of the situation."""
        bucket, strength = self._hand_in_round(view)
        seats = [self.seat_of(view, position) for position in range(view.game.num_players)]
        counters = np.zeros_like(self._counters)
        counters[: len(seats)] = self._counters[seats]
        learnt = self.learnt
        return kernels.consider(
            self._rules, *_arrays(view.betting), counters, bucket, strength, learnt.values, learnt.counts,
            SHOWDOWN_WEIGHT, ANY_WEIGHT, self._offers, self._found,
        )  # fmt: skip

    def _hand_in_round(self, view: HandView) -> tuple[int, float]:
        """The bucket of our hand and its strength, rounded as in a pool of deals."""
        known = self._strength
        if known is None or known[:2] != (view.hand_number, view.betting_round):
            exact = strength_of(view.own_cards, view.board)
            rounded = round(exact * STRENGTH_STEPS) / STRENGTH_STEPS
            bucket = bucket_of(view.betting_round, exact)
            known = self._strength = (view.hand_number, view.betting_round, bucket, rounded)
        return known[2], known[3]

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Learn from what the hand has brought."""
        if not self.learns:
            return
        decisions = self._decisions[max(0, self._explores_at) :] if view.hand_number == self._hand else []
        self._decisions.clear()
        self._hand = -1
        learnt = self.learnt
        learnt.hands += 1
        touched: list[tuple[int, int]] = []
        won = view.chips_won()[view.position]
        for decision in decisions if math.isfinite(won) else ():
            if decision.offer == kernels.FOLD_OFFER:
                continue
            target = (won + decision.paid) / max(1, decision.pot)
            for cell in sorted(set(decision.cells)):
                kernels.learn(learnt.values, learnt.counts, cell, decision.offer, target, STEP_DECAY)
                touched.append((cell, decision.offer - 1))
        if self._knowledge.keeps_journal:
            self._knowledge.hand_learnt(touched)

    def train(self, plan: TrainingPlan) -> Iterator[TrainingProgress]:
        """Learn by a compiled loop from a population of opponents, or at a table against those named.

        Raises:
            OptionError: the game is not Texas hold'em, or an opponent cannot be had.
            KnowledgeError: the knowledge file was learnt in another game.
        """
        if plan.opponents:
            return self._train_at_table(plan)
        self._begin(plan.game)
        return self._train_alone(plan)

    def _train_at_table(self, plan: TrainingPlan) -> Iterator[TrainingProgress]:
        table = Table(self, plan.game, plan.opponents, plan.seed)
        while table.hands < plan.hands:
            table.play(min(_STOP_EVERY, plan.hands - table.hands))
            yield TrainingProgress(table.hands, table.chips, table.chips_squared)

    def _train_alone(self, plan: TrainingPlan) -> Iterator[TrainingProgress]:
        pool = deal_pool(plan.game.num_players, progress=_PoolNotice())
        hands, chips, squares = 0, 0.0, 0.0
        for won in train(self.learnt, pool, plan.hands, plan.seed):
            hands += len(won)
            chips += float(won.sum())
            squares += float((won * won).sum())
            yield TrainingProgress(hands, chips, squares)

    # --- the knowledge -------------------------------------------------------------------------------------

    def save_knowledge(self) -> None:
        """Replace the knowledge file, if there is one, by what is known now.

        Raises:
            KnowledgeError: it cannot be written.
        """
        self._knowledge.save()

    def close_knowledge(self) -> None:
        """Save what is learnt in play and let go of the file; whatever is learnt later is not kept.

        Raises:
            KnowledgeError: it cannot be written.
        """
        self._knowledge.close()


class _PoolNotice:
    """One line on stderr when deals to learn from are made: once for a user and number of players."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, share: float) -> None:
        if not self._said:
            print(f"{KIND}: dealing hands to learn from, once; this takes some seconds", file=sys.stderr)
            self._said = True


@attrs.frozen
class _Decision:
    cells: tuple[int, int]
    """Against whomever, and against opponents of this style; twice the same where it is not known."""
    offer: int
    action: int
    """As kernels have it."""
    pot: int
    """Before it."""
    paid: int
    """What we had spent before it."""


@functools.lru_cache(maxsize=1 << 14)
def _arrays(betting: BettingState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    # Limit games walk the same betting over and over.
    return betting_arrays(betting)
