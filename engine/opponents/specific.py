"""The specific model: what this player does, counted, and drawn towards what a reasonable player would do.

Actions are counted in each context (betting round, bets to call, his last action; ``action_context``), and
in eight coarse groups of contexts.  There are two ways to draw on them, and in each group the one that has
predicted better so far has the greater say:

* *counts*: the generic model's frequencies at first, then a stereotype, the frequencies of the group, then
  those of the context, as actions accumulate (Killer, "from a neutral model to a stereotype to a more
  accurate one");
* *corrected*: the generic model's frequencies in this very situation, each times what was observed over
  what it expected in the context.

Frequencies say how often he folds and raises, not with what.  His hand is taken to decide, by the implied
thresholds of ``reweighting``, but for a part of his actions that is blind to his hand.  How great that part
is shows at the showdowns: there the chance of what he did with the hand he had is compared with how often
he does it anyhow.  So a player who never folds tells nothing by calling, one who raises every hand nothing
by raising, and one who throws dice nothing at all.

Source: Papp (1998), Peña (1999); Loki, "Opponent modeling"; Killer, "EV(FlopConfig)", last paragraph.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.opponents.action_context import NUM_CONTEXTS, NUM_GROUPS, Situation
from engine.opponents.formula import DEFAULT_PARAMETERS, Parameters, Traits, average_traits
from engine.opponents.generic import GenericModel
from engine.opponents.model import Decision
from engine.opponents.reweighting import threshold_triples

__all__ = ["SpecificModel"]

Floats = NDArray[np.float64]

_GROUP_PRIOR: Final = 12.0
"""Actions in a group that weigh as much as the generic model."""
_CONTEXT_PRIOR: Final = 10.0
"""Actions in a context that weigh as much as its group."""

_CORRECTION_PRIOR: Final = 20.0
"""Actions in a context after which half of a deviation from the generic model is believed."""
_EVIDENCE_FADES: Final = 0.998
"""What one comparison of the two predictions counts after the next."""
_MOST_EVIDENCE: Final = 8.0
"""Log odds at which the comparison stops, so that it can turn."""
_APART: Final = 0.10
"""Distance from the generic frequencies (total variation) from which on the implied thresholds decide."""

_NOISE_GRID: Final = np.linspace(0.0, 1.0, 11)
_NOISE_FADES: Final = 0.997
"""What a showdown counts after the next."""
_LEAST: Final = 0.02
"""Least chance of an action at a showdown, so that one surprise does not settle everything."""


def _noise_prior() -> Floats:
    grid = np.clip(_NOISE_GRID, 0.02, 0.98)
    prior: Floats = 1.0 * np.log(grid) + 4.0 * np.log(1 - grid)
    return prior


class SpecificModel:
    """One player's counts, and the predictions that follow.

    Args:
        parameters: of the formula a reasonable player is taken to follow.
    """

    def __init__(self, parameters: Parameters = DEFAULT_PARAMETERS) -> None:
        self._generic = GenericModel(parameters)
        self._contexts = np.zeros((NUM_CONTEXTS, 3))
        self._groups = np.zeros((NUM_GROUPS, 3))
        self._observed = np.zeros((NUM_CONTEXTS, 3))  # of the decisions that were read
        self._expected = np.zeros((NUM_CONTEXTS, 3))  # by the generic model, of the same
        self._counts_evidence = np.zeros(NUM_GROUPS)  # log odds of "counts" against "corrected"
        self._noise_evidence = np.zeros(len(_NOISE_GRID))
        self._raises_seen = np.zeros(2)  # before the flop: raises, and what was to be expected of them
        self._cached: tuple[Traits, float] | None = None
        self._means: WeakKeyDictionary[Decision, Floats] = WeakKeyDictionary()

    # --- learning ----------------------------------------------------------------------------------------

    def observe_action(self, situation: Situation, action: int) -> None:
        """Count 0 fold, 1 call or 2 raise in its context."""
        context = situation.context
        self._contexts[context.index, action] += 1
        self._groups[context.group, action] += 1
        if context.betting_round == 0 and situation.can_raise:
            self._raises_seen += (action == 2, _expected_raises(situation))
        self._cached = None

    def observe_decision(self, decision: Decision, action: int) -> None:
        """Weigh the two predictions of a decision that has been read, and what the generic model expected."""
        situation = decision.situation
        if not (situation.can_fold or situation.can_raise):
            return
        mean = self._generic_mean(decision)
        context = situation.context
        counts, corrected = self._predictions(situation, mean)
        evidence = self._counts_evidence[context.group] * _EVIDENCE_FADES
        evidence += math.log(max(counts[action], 1e-3)) - math.log(max(corrected[action], 1e-3))
        self._counts_evidence[context.group] = min(max(evidence, -_MOST_EVIDENCE), _MOST_EVIDENCE)
        self._observed[context.index, action] += 1
        self._expected[context.index] += mean

    def observe_showdown(self, combo: int, decisions: Sequence[tuple[Decision, int]]) -> None:
        """Weigh how far his hand decided what he did."""
        self._noise_evidence *= _NOISE_FADES
        for decision, action in decisions:
            situation = decision.situation
            if not (situation.can_fold or situation.can_raise):
                continue
            sharp = self._triples(decision, 0.0)
            mean = float(decision.weights @ sharp[:, action]) / float(decision.weights.sum())
            with_hand = float(sharp[combo, action])
            chances = (1 - _NOISE_GRID) * with_hand + _NOISE_GRID * mean
            self._noise_evidence += np.log(np.maximum(chances, _LEAST)) - math.log(max(mean, _LEAST))
        self._cached = None

    # --- predicting --------------------------------------------------------------------------------------

    @property
    def noise(self) -> float:
        """The part of his actions that is blind to his hand: 0 to 1, what the showdowns say on average."""
        return self._known()[1]

    @property
    def traits(self) -> Traits:
        """His habits, each drawn towards a reasonable player's until enough has been seen."""
        return self._known()[0]

    def triples(self, decision: Decision) -> Floats:
        """The triple of every combo, shape (1326, 3).

        Who acts about as often as a reasonable player is taken to do so with the same hands; the farther
        the frequencies are from that, the more the implied thresholds say with which.
        """
        return self._triples(decision, self.noise)

    def frequencies(self, decision: Decision) -> Floats:
        """How often he folds, calls and raises in a situation, whatever he holds.  Shape (3,)."""
        counts, corrected = self._predictions(decision.situation, self._generic_mean(decision))
        evidence = self._counts_evidence[decision.situation.context.group]
        say = 1 / (1 + math.exp(-evidence))
        return say * counts + (1 - say) * corrected

    def _predictions(self, situation: Situation, mean: Floats) -> tuple[Floats, Floats]:
        """The frequencies by counts and by correction, given the generic model's, shape (3,) each."""
        context = situation.context
        group = self._groups[context.group] + _GROUP_PRIOR * mean
        group /= group.sum()
        seen = self._contexts[context.index]
        counts = (seen + _CONTEXT_PRIOR * group) / (seen.sum() + _CONTEXT_PRIOR)
        counts = _legal(counts, situation)
        prior = _CORRECTION_PRIOR * mean + 1e-9
        corrected = mean * (self._observed[context.index] + prior) / (self._expected[context.index] + prior)
        return counts, _legal(corrected / corrected.sum(), situation)

    def _generic_mean(self, decision: Decision) -> Floats:
        mean = self._means.get(decision)
        if mean is None:
            mean = self._remember_mean(decision, self._generic.triples(decision))
        return mean

    def _remember_mean(self, decision: Decision, triples: Floats) -> Floats:
        mean: Floats = decision.weights @ triples / decision.weights.sum()
        self._means[decision] = mean
        return mean

    def _triples(self, decision: Decision, noise: float) -> Floats:
        generic = self._generic.triples(decision)
        mean = self._remember_mean(decision, generic)
        frequencies = self.frequencies(decision)
        apart = 0.5 * float(np.abs(frequencies - mean).sum())
        share = min(apart / _APART, 1.0)
        if share >= 1.0:
            return threshold_triples(decision.weights, decision.values, frequencies, noise)
        if noise > 0:
            generic = (1 - noise) * generic + noise * mean
        if share <= 0.01:
            return generic
        own = threshold_triples(decision.weights, decision.values, frequencies, noise)
        return (1 - share) * generic + share * own

    def _known(self) -> tuple[Traits, float]:
        if self._cached is None:
            evidence = self._noise_evidence + _noise_prior()
            chances = np.exp(evidence - evidence.max())
            noise = float(chances @ _NOISE_GRID / chances.sum())
            self._cached = self._habits(noise), noise
        return self._cached

    def _habits(self, noise: float) -> Traits:
        usual = average_traits()
        # Groups: before/after the flop, facing a bet or not, capped or not.
        unbet, facing, capped = self._groups[4], self._groups[6], self._groups[7]
        met = float(facing.sum() + capped.sum())
        before = self._groups[2] + self._groups[3]
        dealt = float(before.sum())
        raised, expected = self._raises_seen.tolist()
        return Traits(
            fold_to_bet=_drawn(float(facing[0] + capped[0]), met, usual.fold_to_bet),
            bet=_drawn(float(unbet[2]), float(unbet.sum()), usual.bet),
            raise_=_drawn(float(facing[2]), float(facing.sum()), usual.raise_),
            preflop_fold=_drawn(float(before[0]), dealt, 0.5) if dealt >= _GROUP_PRIOR else None,
            preflop_raise=(raised + 3.0) / (expected + 3.0),
            looseness=_drawn(float(before[1] + before[2]), dealt, 0.5) / 0.5,
            noise=noise,
        )

    # --- memory ------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """For a memory file."""
        return {
            "contexts": self._contexts.tolist(),
            "groups": self._groups.tolist(),
            "noise_evidence": self._noise_evidence.tolist(),
            "observed": self._observed.tolist(),
            "expected": self._expected.tolist(),
            "counts_evidence": self._counts_evidence.tolist(),
            "raises_seen": self._raises_seen.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], parameters: Parameters = DEFAULT_PARAMETERS) -> SpecificModel:
        """Of `as_dict`.

        Raises:
            ValueError: something is missing, no number, or of another shape.
        """
        model = cls(parameters)
        for name, shape, least in (
            ("contexts", (NUM_CONTEXTS, 3), 0.0),
            ("groups", (NUM_GROUPS, 3), 0.0),
            ("noise_evidence", (len(_NOISE_GRID),), -np.inf),
            ("observed", (NUM_CONTEXTS, 3), 0.0),
            ("expected", (NUM_CONTEXTS, 3), 0.0),
            ("counts_evidence", (NUM_GROUPS,), -np.inf),
            ("raises_seen", (2,), 0.0),
        ):
            try:
                array = np.array(data[name], np.float64)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"model: {name} is missing or no array of numbers ({error})") from None
            if array.shape != shape or not np.isfinite(array).all() or (array < least).any():
                raise ValueError(f"model: {name} does not hold {shape} valid numbers")
            setattr(model, f"_{name}", array)
        return model


def _legal(frequencies: Floats, situation: Situation) -> Floats:
    """Without what is not allowed, which becomes a call."""
    if not situation.can_fold:
        frequencies[1] += frequencies[0]
        frequencies[0] = 0.0
    if not situation.can_raise:
        frequencies[1] += frequencies[2]
        frequencies[2] = 0.0
    return frequencies


def _drawn(count: float, of: float, usual: float) -> float:
    """A frequency drawn towards the usual one."""
    return (count + _GROUP_PRIOR * usual) / (of + _GROUP_PRIOR)


def _expected_raises(situation: Situation) -> float:
    """How often a reasonable player raises here, before the flop, roughly."""
    if situation.raises == 0:
        if situation.amount_to_call == 0:
            return 0.3
        behind = len([p for p in situation.to_respond if p not in situation.entered])
        return 0.62 * min(0.9, 1.2 / (max(1, behind) + 0.4))
    theirs = 0.62 * min(0.9, 1.2 / (max(1, len(situation.opponents)) + 0.4))
    return 0.42 * theirs * 0.6 ** (situation.raises - 1)
