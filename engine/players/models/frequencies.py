"""A model that is given what a player does instead of learning it: frequencies by context.

For players who are known beforehand, and for asking what a wrong model costs (Poki 3.5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
from numpy.typing import ArrayLike

from engine.players.action_context import ActionContext, context_of
from engine.players.models.model import Decision, FixedModel
from engine.players.probability_triple import checked, legal_triple
from engine.poker.records import NUM_CONTEXTS, ProbabilityTriple, PublicSituation
from engine.support.arrays import Floats


def all_contexts() -> list[ActionContext]:
    """Every context, in the order of its index."""
    contexts = [
        ActionContext(betting_round, bets, last, is_raised, is_capped)
        for betting_round in range(4)
        for bets in range(3)
        for last in range(3)
        for is_raised in ((False, True) if betting_round == 0 else (False,))
        for is_capped in (False, True)
    ]
    return sorted(contexts, key=lambda context: context.index)


class FrequencyModel(FixedModel):
    """A player who folds, calls and raises with given frequencies, whatever the hand.

    Args:
        frequencies: in each context, of folding, calling and raising; what is not legal becomes a call.

    Raises:
        ValueError: frequencies that are no triples.
    """

    def __init__(self, frequencies: Callable[[ActionContext], ArrayLike]) -> None:
        self.frequencies: Floats = np.array(
            [checked(np.asarray(frequencies(context), np.float64).tolist()) for context in all_contexts()]
        )
        """By the index of the context, shape (NUM_CONTEXTS, 3)."""
        assert self.frequencies.shape == (NUM_CONTEXTS, 3)

    @property
    def state(self) -> Hashable:
        """The frequencies never change."""
        return FrequencyModel, self.frequencies.tobytes()

    def triple(self, situation: PublicSituation) -> ProbabilityTriple:
        """The player's triple in a situation, whatever they hold."""
        frequencies = self.frequencies[context_of(situation).index].tolist()
        return legal_triple(frequencies, situation.can_fold, situation.can_raise)

    def triples(self, decision: Decision) -> Floats:
        """The same triple for every combo.  Shape (1326, 3)."""
        return np.tile(self.triple(decision.situation), (len(decision.weights), 1))
