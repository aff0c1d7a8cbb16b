"""The specific model: what this player does, counted, and drawn towards what a reasonable player would do.

Actions are counted in each context (betting round, bets to call, his last action; ``action_context``), and
in eight coarse groups of contexts.  With few actions the prediction is that of the generic model; as they
accumulate it becomes first a stereotype, the frequencies of the group, and then those of the context
(Killer, "from a neutral model to a stereotype to a more accurate one").

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

import numpy as np
from numpy.typing import NDArray

from engine.opponents.action_context import NUM_CONTEXTS, NUM_GROUPS, ActionContext, Situation
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
        self._expected = np.zeros((NUM_GROUPS, 3))
        self._noise_evidence = np.zeros(len(_NOISE_GRID))
        self._raises_seen = [0.0, 0.0]  # before the flop: raises, and what was to be expected of them
        self._cached: tuple[Traits, float] | None = None

    # --- learning ----------------------------------------------------------------------------------------

    def observe_action(self, situation: Situation, action: int) -> None:
        """Count 0 fold, 1 call or 2 raise in its context."""
        context = situation.context
        self._contexts[context.index, action] += 1
        self._groups[context.group, action] += 1
        if context.betting_round == 0 and situation.can_raise:
            self._raises_seen[0] += action == 2
            self._raises_seen[1] += _expected_raises(situation)
        self._cached = None

    def observe_showdown(self, combo: int, decisions: Sequence[tuple[Decision, int]]) -> None:
        """Weigh how far his hand decided what he did."""
        self._noise_evidence *= _NOISE_FADES
        for decision, action in decisions:
            situation = decision.situation
            if not (situation.can_fold or situation.can_raise):
                continue
            sharp = self._sharp_triples(decision, 0.0)
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
        """The triple of every combo, shape (1326, 3)."""
        return self._sharp_triples(decision, self.noise)

    def frequencies(self, context: ActionContext) -> tuple[Floats, float]:
        """What has been counted: the frequencies of a context, drawn towards its group's, shape (3,); and
        the share they have in a prediction, the rest being the generic model's."""
        group = self._groups[context.group]
        seen = float(group.sum())
        if seen == 0:
            return np.zeros(3), 0.0
        counts = self._contexts[context.index]
        frequencies = (counts + _CONTEXT_PRIOR * group / seen) / (float(counts.sum()) + _CONTEXT_PRIOR)
        return frequencies, seen / (seen + _GROUP_PRIOR)

    def _sharp_triples(self, decision: Decision, noise: float) -> Floats:
        """The triples with a given noise."""
        situation = decision.situation
        generic = self._generic.triples(decision)
        if noise > 0:
            mean = decision.weights @ generic
            generic = (1 - noise) * generic + noise * (mean / decision.weights.sum())
        frequencies, share = self.frequencies(situation.context)
        if share == 0:
            return generic
        if not situation.can_fold:
            frequencies[1] += frequencies[0]
            frequencies[0] = 0.0
        if not situation.can_raise:
            frequencies[1] += frequencies[2]
            frequencies[2] = 0.0
        own = threshold_triples(decision.weights, decision.values, frequencies, noise)
        return (1 - share) * generic + share * own

    def _known(self) -> tuple[Traits, float]:
        if self._cached is None:
            evidence = self._noise_evidence + _noise_prior()
            chances = np.exp(evidence - evidence.max())
            noise = float(chances @ _NOISE_GRID / chances.sum())
            self._cached = self._traits(noise), noise
        return self._cached

    def _traits(self, noise: float) -> Traits:
        usual = average_traits()
        # Groups: before/after the flop, facing a bet or not, capped or not.
        unbet, facing, capped = self._groups[4], self._groups[6], self._groups[7]
        met = float(facing.sum() + capped.sum())
        before = self._groups[2] + self._groups[3]
        raised, expected = self._raises_seen
        reasonable = 0.5
        entered = float(before[1] + before[2])
        return Traits(
            fold_to_bet=_drawn(float(facing[0] + capped[0]), met, usual.fold_to_bet),
            bet=_drawn(float(unbet[2]), float(unbet.sum()), usual.bet),
            raise_=_drawn(float(facing[2]), float(facing.sum()), usual.raise_),
            preflop_fold=_drawn(float(before[0]), float(before.sum()), reasonable)
            if before.sum() >= _GROUP_PRIOR
            else None,
            preflop_raise=(raised + 3.0) / (expected + 3.0),
            looseness=_drawn(entered, float(before.sum()), reasonable) / reasonable,
            noise=noise,
        )

    # --- memory ------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """For a memory file."""
        return {
            "contexts": self._contexts.tolist(),
            "groups": self._groups.tolist(),
            "noise_evidence": self._noise_evidence.tolist(),
            "preflop_raises": list(self._raises_seen),
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
            ("preflop_raises", (2,), 0.0),
        ):
            try:
                array = np.array(data[name], np.float64)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"model: {name} is missing or no array of numbers ({error})") from None
            if array.shape != shape or not np.isfinite(array).all() or (array < least).any():
                raise ValueError(f"model: {name} does not hold {shape} valid numbers")
            if name == "preflop_raises":
                model._raises_seen = [float(array[0]), float(array[1])]
            else:
                setattr(model, f"_{name}", array)
        return model


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
