"""The specific model: what this player does, counted, and drawn towards what a reasonable player would do.

What is expected before his own actions count are the generic model's frequencies: the stereotype of a
reasonable player.  Some are nothing of the kind, and of them it knows less than nobody would: so each of his
actions is also evidence for or against the neutral model, to which whatever is legal is equally likely, and
as far as that has foretold him better it takes the stereotype's place (Killer, "from a neutral model to a
stereotype to a more accurate one").

Actions are counted in each context (betting round, bets to call, his last action; ``action_context``), and
in eight coarse groups of contexts.  There are two ways to draw on them, and in each group the one that has
predicted better so far has the greater say:

* *counts*: the expected frequencies at first, then those of the group, then those of the context, as actions
  accumulate;
* *corrected*: the expected frequencies in this very situation, each times what was observed over what was to
  be expected in the context.

Frequencies say how often he folds and raises, not with what.  His hand is taken to decide, by the implied
thresholds of ``reweighting``, but for a part of his actions that is blind to his hand.  How great that part
is shows at the showdowns: there the chance of what he did with the hand he had is compared with how often
he does it anyhow.  So a player who never folds tells nothing by calling, one who raises every hand nothing
by raising, and one who throws dice nothing at all.

Source: Papp (1998), Peña (1999); Loki, "Opponent modeling"; Killer, "EV(FlopConfig)", last paragraph.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.kernels.opponents import triples as kernels
from engine.kernels.trials.players import APART, NEAR
from engine.opponents.action_context import NUM_CONTEXTS, NUM_GROUPS, Situation
from engine.opponents.models.formula import DEFAULT_PARAMETERS, Parameters, Traits, average_traits
from engine.opponents.models.generic import GenericModel
from engine.opponents.models.model import Decision, OpponentModel
from engine.opponents.reweighting import unchecked_threshold_triples

__all__ = ["PRIORS", "SpecificModel"]

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]

_GROUP_PRIOR: Final = 12.0
"""Actions in a group that weigh as much as what is expected."""
_CONTEXT_PRIOR: Final = 10.0
"""Actions in a context that weigh as much as its group."""

_CORRECTION_PRIOR: Final = 40.0
"""Actions in a context after which half of a deviation from the generic model is believed."""
PRIORS: Final = (_GROUP_PRIOR, _CONTEXT_PRIOR, _CORRECTION_PRIOR)
"""Of groups, contexts and corrections."""
_EVIDENCE_FADES: Final = 0.998
"""What one comparison of the two predictions counts after the next."""
_MOST_EVIDENCE: Final = 8.0
"""Log odds at which the comparison stops, so that it can turn."""
_NEUTRAL_PRIOR: Final = -2.0
"""Log odds at first of the neutral model against the generic one: about one player in eight."""
_OFFSET_STEP: Final = 0.02
"""How far one surprise moves the log odds of its context.  What was predicted and what came are thus never
farther apart, summed over a context, than its offset over the step."""

_NOISE_GRID: Final = np.linspace(0.0, 1.0, 11)
_NOISE_FADES: Final = 0.997
"""What a showdown counts after the next."""
_LEAST: Final = 0.02
"""Least chance of an action at a showdown, so that one surprise does not settle everything."""


_NOISE_PRIOR: Final = np.log(np.clip(_NOISE_GRID, 0.02, 0.98)) + 4 * np.log(
    1 - np.clip(_NOISE_GRID, 0.02, 0.98)
)
"""Log odds before any showdown: beta-distributed, 2 to 5."""


class _Learned:
    """What has been seen of a player, and what follows from it until more is seen."""

    def __init__(self, token: Hashable) -> None:
        self.token = token
        """Equal tokens: the same has been seen."""
        self.contexts = [0.0] * (3 * NUM_CONTEXTS)
        self.groups = [0.0] * (3 * NUM_GROUPS)
        self.observed = [0.0] * (3 * NUM_CONTEXTS)  # of the decisions that were read
        self.expected = [0.0] * (3 * NUM_CONTEXTS)  # by the generic model, of the same
        self.offsets = [0.0] * (3 * NUM_CONTEXTS)  # to log odds, from what has come otherwise than predicted
        self.neutral_evidence = [_NEUTRAL_PRIOR]  # log odds of the neutral against the generic model
        self.counts_evidence = [0.0] * NUM_GROUPS  # log odds of "counts" against "corrected"
        self.noise_evidence = [0.0] * len(_NOISE_GRID)
        self.raises_seen = [0.0, 0.0]  # before the flop: raises, and what was to be expected of them
        self.known: tuple[Traits, float] | None = None
        self.means: WeakKeyDictionary[Decision, Triple] = WeakKeyDictionary()  # of the generic model
        self.sharp: WeakKeyDictionary[Decision, tuple[Floats, Triple]] = WeakKeyDictionary()

    def copy(self) -> _Learned:
        """The same, free to learn more."""
        copied = _Learned(object())
        for name in _COUNTED:
            setattr(copied, name, getattr(self, name).copy())
        copied.known, copied.means, copied.sharp = self.known, self.means, self.sharp
        return copied


_COUNTED: Final = {
    "contexts": (NUM_CONTEXTS, 3),
    "groups": (NUM_GROUPS, 3),
    "noise_evidence": (len(_NOISE_GRID),),
    "observed": (NUM_CONTEXTS, 3),
    "expected": (NUM_CONTEXTS, 3),
    "offsets": (NUM_CONTEXTS, 3),
    "neutral_evidence": (1,),
    "counts_evidence": (NUM_GROUPS,),
    "raises_seen": (2,),
}
"""The lists of `_Learned`, and their shapes in a memory file."""


class SpecificModel:
    """One player's counts, and the predictions that follow.

    Args:
        parameters: of the formula a reasonable player is taken to follow.
    """

    def __init__(self, parameters: Parameters = DEFAULT_PARAMETERS) -> None:
        self._parameters = parameters
        self._generic = GenericModel(parameters)
        self._learned = _Learned((SpecificModel, parameters))
        self._is_shared = False  # the counts, with a snapshot: they are copied before they change

    # --- learning ----------------------------------------------------------------------------------------

    @property
    def state(self) -> Hashable:
        """A token that changes with everything that is learned."""
        return self._learned.token

    def snapshot(self) -> SpecificModel:
        """A model of the same state that does not learn together with this one."""
        copied = SpecificModel(self._parameters)
        copied.adopt(self)
        return copied

    def adopt(self, other: OpponentModel) -> None:
        """Know what another specific model knows.

        Raises:
            TypeError: it is of another kind.
        """
        if not isinstance(other, SpecificModel):
            raise TypeError(f"expected a SpecificModel, got {type(other).__name__}")
        self._parameters, self._generic = other._parameters, other._generic
        self._learned = other._learned
        self._is_shared = other._is_shared = True

    def _to_change(self) -> _Learned:
        """Our counts, which no snapshot shares from now on."""
        if self._is_shared:
            self._learned, self._is_shared = self._learned.copy(), False
        learned = self._learned
        learned.token, learned.known = object(), None
        return learned

    def _to_predict_otherwise(self) -> _Learned:
        """`_to_change`, where more changes than how far his hand decides."""
        learned = self._to_change()
        if learned.sharp:
            learned.sharp = WeakKeyDictionary()
        return learned

    def observe_action(self, situation: Situation, action: int) -> None:
        """Count 0 fold, 1 call or 2 raise in its context."""
        learned = self._to_predict_otherwise()
        context = situation.context
        learned.contexts[3 * context.index + action] += 1
        learned.groups[3 * context.group + action] += 1
        if context.betting_round == 0 and situation.can_raise:
            learned.raises_seen[0] += action == 2
            learned.raises_seen[1] += _expected_raises(situation)

    def observe_decision(self, decision: Decision, action: int) -> None:
        """Weigh the predictions of a decision that has been read, and what the generic model expected."""
        situation = decision.situation
        if not (situation.can_fold or situation.can_raise):
            return
        generic = self._generic_mean(decision)
        learned = self._to_predict_otherwise()
        context = situation.context
        counts, corrected = self._predictions(situation, generic)
        evidence = learned.counts_evidence[context.group] * _EVIDENCE_FADES
        evidence += math.log(max(counts[action], 1e-3)) - math.log(max(corrected[action], 1e-3))
        predicted = self._together(situation, counts, corrected)
        neutral = learned.neutral_evidence[0]
        neutral += math.log(_neutral(situation)[action]) - math.log(max(generic[action], 1e-3))
        learned.neutral_evidence[0] = min(max(neutral, -_MOST_EVIDENCE), _MOST_EVIDENCE)
        learned.counts_evidence[context.group] = min(max(evidence, -_MOST_EVIDENCE), _MOST_EVIDENCE)
        for other, chance in enumerate(predicted):
            learned.offsets[3 * context.index + other] += _OFFSET_STEP * ((action == other) - chance)
        learned.observed[3 * context.index + action] += 1
        for other in range(3):
            learned.expected[3 * context.index + other] += generic[other]

    def observe_showdown(self, combo: int, decisions: Sequence[tuple[Decision, int]]) -> None:
        """Weigh how far his hand decided what he did."""
        evidence = _NOISE_FADES * np.array(self._learned.noise_evidence)
        for decision, action in decisions:
            situation = decision.situation
            if not (situation.can_fold or situation.can_raise):
                continue
            sharp, _ = self._sharp(decision)
            mean = _mean(decision, sharp)[action]
            chances = (1 - _NOISE_GRID) * sharp[combo, action] + _NOISE_GRID * mean
            evidence += np.log(np.maximum(chances, _LEAST)) - math.log(max(mean, _LEAST))
        self._to_change().noise_evidence = evidence.tolist()

    # --- predicting --------------------------------------------------------------------------------------

    @property
    def noise(self) -> float:
        """The part of his actions that is blind to his hand: 0 to 1, what the showdowns say on average."""
        return self._known()[1]

    @property
    def neutral_share(self) -> float:
        """How far anything that is legal is expected of him, and not what the generic model says: 0 to 1."""
        return max(0.0, 1 - math.exp(-self._learned.neutral_evidence[0]))

    @property
    def traits(self) -> Traits:
        """His habits, each drawn towards a reasonable player's until enough has been seen."""
        return self._known()[0]

    def triples(self, decision: Decision) -> Floats:
        """The triple of every combo, shape (1326, 3).

        Who acts about as often as a reasonable player is taken to do so with the same hands; the farther
        the frequencies are from that, the more the implied thresholds say with which.
        """
        sharp, blind = self._sharp(decision)
        noise = self.noise
        return (1 - noise) * sharp + noise * np.array(blind)

    def frequencies(self, decision: Decision) -> Triple:
        """How often he folds, calls and raises in a situation, whatever he holds."""
        counts, corrected = self._predictions(decision.situation, self._generic_mean(decision))
        return self._together(decision.situation, counts, corrected)

    def _together(self, situation: Situation, counts: Triple, corrected: Triple) -> Triple:
        """Each prediction as far as it has proved right, and the offsets of the context upon both."""
        learned, context = self._learned, situation.context
        both = _between(counts, corrected, 1 / (1 + math.exp(-learned.counts_evidence[context.group])))
        offsets = learned.offsets[3 * context.index : 3 * context.index + 3]
        return _legal(
            [chance * math.exp(offset) for chance, offset in zip(both, offsets, strict=True)], situation
        )

    def _predictions(self, situation: Situation, generic: Triple) -> tuple[Triple, Triple]:
        """The frequencies by counts and by correction, given the generic model's."""
        learned, context = self._learned, situation.context
        start = 3 * context.index
        mean, expected = generic, learned.expected[start : start + 3]
        share = self.neutral_share
        if share > 0:
            neutral = _neutral(situation)  # the same in all situations of a context
            mean = _between(neutral, mean, share)
            cases = sum(learned.observed[start : start + 3])
            expected = [
                share * cases * chance + (1 - share) * usual
                for chance, usual in zip(neutral, expected, strict=True)
            ]
        start = 3 * context.group
        group = [
            seen + _GROUP_PRIOR * usual
            for seen, usual in zip(learned.groups[start : start + 3], mean, strict=True)
        ]
        all_in_group = sum(group)
        start = 3 * context.index
        counts = [
            seen + _CONTEXT_PRIOR * of_group / all_in_group
            for seen, of_group in zip(learned.contexts[start : start + 3], group, strict=True)
        ]
        corrected = []
        for action, usual in enumerate(mean):
            prior = _CORRECTION_PRIOR * usual + 1e-9
            seen = learned.observed[start + action]
            corrected.append(usual * (seen + prior) / (expected[action] + prior))
        return _legal(counts, situation), _legal(corrected, situation)

    def _generic_mean(self, decision: Decision) -> Triple:
        mean = self._learned.means.get(decision)
        return mean if mean is not None else self._remember_mean(decision, self._generic.triples(decision))

    def _remember_mean(self, decision: Decision, triples: Floats) -> Triple:
        mean = self._learned.means[decision] = _mean(decision, triples)
        return mean

    def _sharp(self, decision: Decision) -> tuple[Floats, Triple]:
        """What his hand decides, a triple for every combo, and what he does where it does not."""
        known = self._learned.sharp.get(decision)
        if known is not None:
            return known
        generic = self._generic.triples(decision)
        mean = self._remember_mean(decision, generic)
        frequencies = self.frequencies(decision)
        less = [usual - own for own, usual in zip(frequencies, mean, strict=True)]
        share = min(sum(map(abs, less)) / (2 * APART), 1.0)
        for missing, usual in zip(less, mean, strict=True):
            if missing > NEAR:  # what the generic model has too much of must vanish in its share
                share = max(share, missing / usual)
        if share <= 0.01:
            result = generic, mean
        else:
            # The other part goes so much farther that the whole has his frequencies.
            own = unchecked_threshold_triples(
                decision.weights,
                decision.values,
                _legal(
                    [max(usual - missing / share, 0.0) for missing, usual in zip(less, mean, strict=True)],
                    decision.situation,
                ),
            )
            if share < 1.0:
                own = (1 - share) * generic + share * own
            result = own, frequencies
        self._learned.sharp[decision] = result
        return result

    def _known(self) -> tuple[Traits, float]:
        learned = self._learned
        if learned.known is None:
            evidence = np.array(learned.noise_evidence) + _NOISE_PRIOR
            chances = np.exp(evidence - evidence.max())
            noise = float(chances @ _NOISE_GRID / chances.sum())
            learned.known = self._habits(noise), noise
        return learned.known

    def _habits(self, noise: float) -> Traits:
        usual, groups = average_traits(), self._learned.groups
        # Groups: before/after the flop, facing a bet or not, capped or not.
        unbet, facing, capped = groups[12:15], groups[18:21], groups[21:24]
        met = sum(facing) + sum(capped)
        before = [free + capped for free, capped in zip(groups[6:9], groups[9:12], strict=True)]
        dealt = sum(before)
        raised, expected = self._learned.raises_seen
        return Traits(
            fold_to_bet=_drawn(facing[0] + capped[0], met, usual.fold_to_bet),
            bet=_drawn(unbet[2], sum(unbet), usual.bet),
            raise_=_drawn(facing[2], sum(facing), usual.raise_),
            preflop_fold=_drawn(before[0], dealt, 0.5) if dealt >= _GROUP_PRIOR else None,
            preflop_raise=(raised + 3.0) / (expected + 3.0),
            looseness=_drawn(before[1] + before[2], dealt, 0.5) / 0.5,
            noise=noise,
        )

    # --- memory ------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, Floats]:
        """All that has been counted, by name: copies."""
        return {name: np.reshape(getattr(self._learned, name), shape) for name, shape in _COUNTED.items()}

    def as_dict(self) -> dict[str, Any]:
        """For a memory file."""
        return {name: array.tolist() for name, array in self.counts().items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], parameters: Parameters = DEFAULT_PARAMETERS) -> SpecificModel:
        """Of `as_dict`.

        Memory files from before the neutral model was weighed do not say how: there it begins anew.

        Raises:
            ValueError: something is missing, no number, or of another shape.
        """
        model = cls(parameters)
        learned = model._to_change()
        data = {"neutral_evidence": learned.neutral_evidence, **data}
        for name, shape in _COUNTED.items():
            try:
                array = np.array(data[name], np.float64)
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise ValueError(f"model: {name} is missing or no array of numbers ({error})") from None
            least = -np.inf if name.endswith(("evidence", "offsets")) else 0.0
            if array.shape != shape or not np.isfinite(array).all() or (array < least).any():
                raise ValueError(f"model: {name} does not hold {shape} valid numbers")
            setattr(learned, name, array.ravel().tolist())
        return model


def _mean(decision: Decision, triples: Floats) -> Triple:
    """What he does, whatever he holds: the mean by his weights."""
    mean = np.empty(3)
    kernels.mean_triple(decision.weights, triples, mean)
    fold, call, raise_ = mean.tolist()
    return fold, call, raise_


def _between(first: Triple, second: Triple, share: float) -> Triple:
    """So much of the first, and the rest of the second."""
    rest = 1 - share
    return (
        share * first[0] + rest * second[0],
        share * first[1] + rest * second[1],
        share * first[2] + rest * second[2],
    )


def _neutral(situation: Situation) -> Triple:
    """Whatever is legal is equally likely."""
    chance = 1 / (1 + situation.can_fold + situation.can_raise)
    return (chance if situation.can_fold else 0.0), chance, (chance if situation.can_raise else 0.0)


def _legal(frequencies: Sequence[float], situation: Situation) -> Triple:
    """Scaled to one, without what is not allowed, which becomes a call."""
    fold, call, raise_ = frequencies
    total = fold + call + raise_
    fold, call, raise_ = fold / total, call / total, raise_ / total
    if not situation.can_fold:
        fold, call = 0.0, call + fold
    if not situation.can_raise:
        raise_, call = 0.0, call + raise_
    return fold, call, raise_


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
