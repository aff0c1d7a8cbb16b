"""A model that is given what a player does instead of learning it: frequencies by context.

For players who are known beforehand, and for asking what a wrong model costs (Poki 3.5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
from numpy.typing import ArrayLike

from engine.kernels.players import triples as kernels
from engine.players.action_context import NUM_CONTEXTS, ActionContext, Situation
from engine.players.models.formula import Traits, average_traits
from engine.players.models.model import Decision, FixedModel
from engine.players.probability_triple import ProbabilityTriple, checked, legal_triple
from engine.players.reweighting import implied_triples
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
    """A player who folds, calls and raises with given frequencies, by the strength of the hand.

    Args:
        frequencies: in each context, of folding, calling and raising; what is not legal becomes a call.
        noise: the part of the player's actions that is blind to the hand, 0 to 1.
        traits: the player's; those of a reasonable player if None.

    Raises:
        ValueError: frequencies that are no triples, or a noise outside 0..1.
    """

    def __init__(
        self,
        frequencies: Callable[[ActionContext], ArrayLike],
        noise: float = 1.0,
        traits: Traits | None = None,
    ) -> None:
        if not 0 <= noise <= 1:
            raise ValueError(f"noise lies between 0 and 1, got {noise}")
        self.noise = noise
        self.frequencies: Floats = np.array(
            [checked(np.asarray(frequencies(context), np.float64).tolist()) for context in all_contexts()]
        )
        """By the index of the context, shape (NUM_CONTEXTS, 3)."""
        assert self.frequencies.shape == (NUM_CONTEXTS, 3)
        self._traits = traits or average_traits()

    @property
    def traits(self) -> Traits:
        """The triples as given."""
        return self._traits

    @property
    def state(self) -> Hashable:
        """The frequencies never change."""
        return FrequencyModel, self.noise, self._traits, self.frequencies.tobytes()

    def triple(self, situation: Situation) -> ProbabilityTriple:
        """The player's triple in a situation, whatever they hold."""
        frequencies = self.frequencies[situation.context.index].tolist()
        return legal_triple(frequencies, situation.can_fold, situation.can_raise)

    def triples(self, decision: Decision) -> Floats:
        """Triples by the implied thresholds, but for the part that is blind to the hand.  Shape (1326, 3)."""
        triple = self.triple(decision.situation)
        weights = decision.weights
        if self.noise >= 1:
            return np.tile(triple, (len(weights), 1))
        triples = implied_triples(weights, decision.values, triple)
        if self.noise > 0:
            kernels.blend_with_triple(triples, triple, self.noise, triples)
        return triples
