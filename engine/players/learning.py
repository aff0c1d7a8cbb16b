"""Lets models learn from a finished hand, and scores how well they predicted it.

Models learn only when a hand is over, so no table within a hand depends on when it was asked for.  They learn
from a showdown before the actions are counted, since the tables of the hand were made with the models as they
stood when it began.

Source: Loki, "Opponent modeling"; scores as in the theses: accuracy of the next action compared with "always
the most frequent", log loss, and calibration.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from engine.kernels.players.triples import mean_triple
from engine.players.action_context import context_of
from engine.players.models.model import Decision, OpponentModel
from engine.players.table_reader import Reading, TableReader
from engine.poker.combos import combo_index
from engine.poker.records import NUM_CONTEXTS, ProbabilityTriple, TripleIndex
from engine.poker.rules.betting import BettingState

_LEAST: Final = 1e-3
"""The least probability in a log loss: a model that is certain and wrong pays 6.9."""


def learn_from_hand(
    models: Sequence[OpponentModel],
    reader: TableReader,
    betting: BettingState,
    board: Sequence[int],
    hole_cards: Sequence[Sequence[int]],
) -> None:
    """Let every model learn from a finished hand, which is read to its end.

    Args:
        models: by position, the models as they were when the hand began.
        reader: the reader of this hand, with these models, anywhere in the hand.
        betting: the state at the end of the hand.
        board: its board cards.
        hole_cards: by position, the cards that have been shown, others empty.

    Raises:
        ValueError: the reader was made with other models.
    """
    reader.follow(betting, board)
    reading = reader.reading
    if [model.state for model in models] != [model.state for model in reading.models]:
        raise ValueError("a hand is learned by the models it was read with, and once")
    shown = tuple(
        tuple(cards) if betting.is_showdown and not folded else ()
        for cards, folded in zip(hole_cards, betting.folded, strict=True)
    )
    for model, learned in zip(models, _learned(reading, shown), strict=True):
        model.adopt(learned)


@functools.lru_cache(maxsize=4)
def _learned(reading: Reading, shown: tuple[tuple[int, ...], ...]) -> tuple[OpponentModel, ...]:
    """The models of a reading after its hand, computed once for everybody who watched it."""
    models = tuple(model.snapshot() for model in reading.models)
    decisions = reading.decisions()
    for position, cards in enumerate(shown):
        made = [entry for entry in decisions if entry[0].situation.position == position]
        models[position].learn(made, combo_index(cards[0], cards[1]) if cards else None)
    return models


def predicted_triple(model: OpponentModel, decision: Decision) -> ProbabilityTriple:
    """The prediction of an action of a player whose hand is not known: the mean triple over the weights."""
    return mean_triple(decision.weights, model.triples(decision))


class PredictionScore:
    """How well a model predicts the next action.  Forced actions, without a choice, do not count."""

    def __init__(self) -> None:
        self.lost = 0.0
        """The sum of -ln of the probabilities given to the actions taken."""
        self.cases = 0
        """Predicted actions."""
        self.contexts = np.zeros((NUM_CONTEXTS, 3))
        """By context, where a fold was possible: cases, predicted folds, observed folds."""

    def observe(self, decision: Decision, predicted: Sequence[float], action: int) -> None:
        """Count a prediction, as a triple, and the action taken."""
        situation = decision.situation
        if not (situation.can_fold or situation.can_raise):
            return
        self.lost -= math.log(max(predicted[action], _LEAST))
        self.cases += 1
        if situation.can_fold:
            fold = TripleIndex.FOLD
            self.contexts[context_of(situation).index] += (1.0, predicted[fold], action == fold)

    @property
    def log_loss(self) -> float:
        """The mean of what is lost.

        Raises:
            ZeroDivisionError: nothing has been predicted.
        """
        return self.lost / self.cases
