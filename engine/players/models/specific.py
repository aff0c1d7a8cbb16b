"""The specific model: what this player does, counted, and drawn towards what a reasonable player would do.

What is expected before their own actions count are the generic model's frequencies: the stereotype of a
reasonable player.  For players unlike that it predicts worse than no model, so each action is also evidence
for or against the neutral model, to which whatever is legal is equally likely; as far as that has predicted
the player better it takes the stereotype's place (Killer, "from a neutral model to a stereotype to a more
accurate one").  Folds are expected as much more or less often as they have been seen before the flop, or
after it, than they were expected: whoever has never folded hardly will where they have not been seen yet.

Actions are counted in each context (betting round, bets to call, the player's last action;
``action_context``), with details (has the player acted in this round?  how often was it raised before the
flop?), and in eight coarse groups of contexts.  There are two ways to draw on them, and in each group the one
that has predicted better until now has the greater weight:

* *by counts*: the expected frequencies at first, then those of the group, then those of the context, then
  those of its details, as actions accumulate;
* *by correction*: the expected frequencies in this very situation, each times what was observed over what was
  expected in the context, and again in its details.

Each level borrows from the coarser one above it, as if it had seen some actions more there.  How many the
details borrow is learnt of each player (empirical Bayes): of several numbers (`LOANS`) each has the weight
that its predictions have earned.

A context does not know how many opponents are left.  The prediction is moved by what was seen over what was
predicted in the group with one of them, with two or three, and with more, as far as that has predicted better
until now: some players bet into many as they do into one, others hardly ever.

Nor does it know the pot.  What both ways say of folds holds at the pot odds that were usual in the
context, and moves with others by a slope (``engine.kernels.players.pot_odds``), which is learnt in the same
manner.  Nor does it know the range: a player may fold all hands below a bar, and raise with all above
another, the same whatever came before (``engine.kernels.players.bars``), and the shares of the weight table
there are further predictions of folds and raises, which have the weights that they have earned.

Frequencies say how often a player folds and raises, not with what.  Their hand is taken to decide, by the
implied thresholds of ``reweighting``, but for a part of their actions that is blind to it: one part of the
decisions whether to fold, another of those whether to raise, before the flop and after it, against one
opponent and against several.  How great these parts are shows at the showdowns: there the chance of what they
did with the hand they had is compared with how often they do it anyhow.  A showdown against one opponent says
something of those against several, and the other way round.  So a player who never folds tells
nothing by calling, one who bets by dice and folds by the hand nothing by betting but something by calling,
and one who throws dice nothing at all.

The arithmetic of the predictions, and of their blend with the formula, stands in
``engine.kernels.players.predictions`` and ``triples``.

Source: Papp (1998), Peña (1999); Loki, "Opponent modeling"; Killer, "EV(FlopConfig)", last paragraph.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.kernels.players import predictions, triples as kernels
from engine.kernels.players.bars import observe_bars, with_bars
from engine.kernels.players.counting import NUM_SCRATCH, nothing_counted, observe_decision, weigh_evidence
from engine.kernels.players.predictions import CONTEXT_PRIOR, GROUP_PRIOR
from engine.kernels.players.records import LOANS, NUM_FOLD_PLACES, Correction, Counts, Evidence, Noise
from engine.kernels.players.thresholds import expected_raise
from engine.players.action_context import CONTEXT_OF_DETAIL, GROUP_OF_DETAIL, Situation
from engine.players.models.formula import DEFAULT_PARAMETERS, Parameters, Traits, average_traits, folds_known
from engine.players.models.generic import GenericModel
from engine.players.models.model import Decision, OpponentModel
from engine.players.models.noise import (
    NOISE_PLACES,
    faded,
    no_noise_known,
    noises_of,
    of_all_pots,
    weigh_noise,
)
from engine.players.models.saved import saved_numbers
from engine.players.probability_triple import ProbabilityTriple, TripleIndex
from engine.players.reweighting import implied_triples
from engine.poker.records import NUM_COMPANIES, NUM_CONTEXTS, NUM_GROUPS, group_index, noise_index

Floats = NDArray[np.float64]

_NEWER: Final = (
    "neutral_evidence", "details", "details_observed", "details_expected", "borrowing_evidence", "pot_odds",
    "steepness_evidence", "bars_evidence", "bars_weight_evidence", "bars_seen", "bars_offsets", "folds",
    "company", "company_evidence",
)  # fmt: skip
"""What memory files of earlier versions do not have."""
_ROWS_BEFORE: Final = {
    "noise_evidence": NOISE_PLACES - 1, "bars_evidence": NUM_FOLD_PLACES, "bars_seen": NUM_FOLD_PLACES,
    "bars_weight_evidence": NUM_FOLD_PLACES, "bars_offsets": NUM_CONTEXTS,
}  # fmt: skip
"""Of what they have less of, the number of the first rows, which they do."""


class _Learned:
    """Observations of a player, and all that follows from them until there are more."""

    def __init__(
        self, token: Hashable, counts: Counts, evidence: Evidence, noise_evidence: Floats, raises_seen: Floats
    ) -> None:
        self.token = token
        """Equal tokens: the same has been seen."""
        self.counts = counts
        self.evidence = evidence
        self.noise_evidence = noise_evidence
        """As of `no_noise_known`."""
        self.raises_seen = raises_seen
        """Before the flop: raises, and how many were to be expected.  Shape (2,)."""
        self.known: tuple[Traits, Floats] | None = None
        self.means: WeakKeyDictionary[Decision, ProbabilityTriple] = WeakKeyDictionary()
        """Mean triples of the generic model."""
        self.sharp: WeakKeyDictionary[Decision, tuple[Floats, ProbabilityTriple]] = WeakKeyDictionary()

    @classmethod
    def nothing(cls, token: Hashable) -> _Learned:
        """Before the first action."""
        return cls(token, *nothing_counted(), no_noise_known(), np.zeros(2))

    def copy(self) -> _Learned:
        """The same, free to learn more."""
        counts = Counts(*[array.copy() for array in self.counts])
        evidence = Evidence(*[array.copy() for array in self.evidence])
        copied = _Learned(object(), counts, evidence, self.noise_evidence.copy(), self.raises_seen.copy())
        copied.known, copied.means, copied.sharp = self.known, self.means, self.sharp
        return copied

    def remembered(self) -> dict[str, Floats]:
        """The arrays of a memory file, by name: the arrays themselves."""
        return {
            "contexts": self.counts.contexts,
            "groups": self.counts.groups,
            "details": self.counts.details,
            "noise_evidence": self.noise_evidence,
            "observed": self.counts.corrections[:, Correction.OBSERVED],
            "expected": self.counts.corrections[:, Correction.EXPECTED],
            "details_observed": self.counts.detail_corrections[:, Correction.OBSERVED],
            "details_expected": self.counts.detail_corrections[:, Correction.EXPECTED],
            "folds": self.counts.folds,
            "company": self.counts.company,
            "company_evidence": self.evidence.company,
            "offsets": self.evidence.offsets,
            "borrowing_evidence": self.evidence.borrowing,
            "neutral_evidence": self.evidence.neutral,
            "counts_evidence": self.evidence.counts,
            "pot_odds": self.counts.pot_odds,
            "steepness_evidence": self.evidence.steepness,
            "bars_evidence": self.evidence.bars,
            "bars_weight_evidence": self.evidence.bars_weight,
            "bars_seen": self.evidence.bars_seen,
            "bars_offsets": self.evidence.bars_offsets,
            "raises_seen": self.raises_seen,
        }


@functools.lru_cache(maxsize=64)
def _nothing_learned(parameters: Parameters) -> _Learned:
    return _Learned.nothing((SpecificModel, parameters))


class SpecificModel:
    """One player's counts, and the predictions that follow.

    Args:
        parameters: of the formula a reasonable player is taken to follow.
    """

    def __init__(self, parameters: Parameters = DEFAULT_PARAMETERS) -> None:
        self._parameters = parameters
        self._generic = GenericModel(parameters)
        self._learned = _nothing_learned(parameters)
        self._is_shared = True  # the counts, with others that know the same: copied before they change

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
        """`_to_change`, where more changes than how far the hand decides."""
        learned = self._to_change()
        if learned.sharp:
            learned.sharp = WeakKeyDictionary()
        return learned

    def learn(self, decisions: Sequence[tuple[Decision, int]], combo: int | None = None) -> None:
        """Learn from the decisions of a hand, and from what was held."""
        if combo is not None:
            self.observe_showdown(combo, decisions)
        for decision, action in decisions:
            self.observe_decision(decision, action)
        for decision, action in decisions:
            self.observe_action(decision.situation, action)

    def observe_action(self, situation: Situation, action: int) -> None:
        """Count an action in its context."""
        learned = self._to_predict_otherwise()
        context = situation.context
        learned.counts.contexts[context.index, action] += 1
        learned.counts.groups[context.group, action] += 1
        learned.counts.details[context.detail, action] += 1
        if context.betting_round == 0 and situation.can_raise:
            learned.raises_seen[0] += action == TripleIndex.RAISE
            learned.raises_seen[1] += expected_raise(situation.public)

    def observe_decision(self, decision: Decision, action: int) -> None:
        """Weigh the predictions of a decision that has been read, and what the generic model expected."""
        situation = decision.situation
        if not (situation.can_fold or situation.can_raise):
            return
        usual = self._generic_mean(decision)
        without_bars = self._without_bars(decision)
        learned = self._to_predict_otherwise()
        if decision.below is not None:
            observe_bars(
                learned.counts, learned.evidence, situation.public, situation.context.index, without_bars,
                decision.below, int(action),
            )  # fmt: skip
        observe_decision(
            learned.counts, learned.evidence, situation.numbers, usual, situation.can_fold,
            situation.can_raise, int(action), np.empty(NUM_SCRATCH),
        )  # fmt: skip

    def observe_showdown(self, combo: int, decisions: Sequence[tuple[Decision, int]]) -> None:
        """Weigh how far the hand decided what its player did."""
        evidence = faded(self._learned.noise_evidence)
        for decision, action in decisions:
            situation = decision.situation
            if not (situation.can_fold or situation.can_raise):
                continue
            sharp, _ = self._sharp(decision)
            mean = kernels.mean_triple(decision.weights, sharp)
            place = noise_index(situation.betting_round, len(situation.opponents))
            weigh_noise(evidence[place], sharp[combo], mean, action)
        self._to_change().noise_evidence = evidence

    # --- predicting --------------------------------------------------------------------------------------

    @property
    def noises(self) -> Floats:
        """How far the player decides without the hand, 0 to 1, shape `NOISE_SHAPE`."""
        return self._known()[1]

    @property
    def neutral_share(self) -> float:
        """How far anything that is legal is expected, and not what the generic model says: 0 to 1."""
        return float(self._learned.counts.neutral_share[0])

    @property
    def traits(self) -> Traits:
        """The player's traits, each drawn towards a reasonable player's until enough has been seen."""
        return self._known()[0]

    @property
    def counts(self) -> Counts:
        """The counts, for the kernels of trials; not to be changed."""
        return self._learned.counts

    def triples(self, decision: Decision) -> Floats:
        """The triple of every combo, shape (1326, 3).

        A player who acts about as often as a reasonable one is taken to do so with the same hands; the
        farther the frequencies are from that, the more the implied thresholds say with which.
        """
        sharp, blind = self._sharp(decision)
        triples = np.empty_like(sharp)
        situation = decision.situation
        place = noise_index(situation.betting_round, len(situation.opponents))
        fold_noise, raise_noise = self.noises[place].tolist()
        kernels.blur_triples(sharp, blind, fold_noise, raise_noise, triples)
        return triples

    def frequencies(self, decision: Decision) -> ProbabilityTriple:
        """How often the player folds, calls and raises in a situation, whatever they hold."""
        predicted = self._without_bars(decision)
        if decision.below is None:
            return predicted
        situation = decision.situation
        context = situation.context.index
        return with_bars(predicted, self._learned.counts, situation.public, context, decision.below)

    def _without_bars(self, decision: Decision) -> ProbabilityTriple:
        """`frequencies`, before what may be held is looked at."""
        situation = decision.situation
        return predictions.prediction_of(
            self._learned.counts, situation.numbers, self._generic_mean(decision),
            situation.can_fold, situation.can_raise,
        ).together  # fmt: skip

    def _generic_mean(self, decision: Decision) -> ProbabilityTriple:
        mean = self._learned.means.get(decision)
        return mean if mean is not None else self._remember_mean(decision, self._generic.triples(decision))

    def _remember_mean(self, decision: Decision, triples: Floats) -> ProbabilityTriple:
        mean = self._learned.means[decision] = kernels.mean_triple(decision.weights, triples)
        return mean

    def _sharp(self, decision: Decision) -> tuple[Floats, ProbabilityTriple]:
        """A triple for every combo where the hand decides, and the player's triple where it does not."""
        known = self._learned.sharp.get(decision)
        if known is not None:
            return known
        triples, situation = self._generic.triples(decision), decision.situation
        usual = self._remember_mean(decision, triples)
        frequencies = self.frequencies(decision)
        share = kernels.own_share(usual, frequencies)
        result = triples, usual
        if share > 0:
            own = kernels.own_triple(usual, frequencies, share, situation.can_fold, situation.can_raise)
            own_triples = implied_triples(decision.weights, decision.values, own)
            if share < 1:
                kernels.blend_triples(triples, own_triples, share, own_triples)
            result = own_triples, frequencies
        self._learned.sharp[decision] = result
        return result

    def _known(self) -> tuple[Traits, Floats]:
        learned = self._learned
        if learned.known is None:
            noises = noises_of(learned.noise_evidence)
            learned.known = self._seen_traits(noises), noises
        return learned.known

    def _seen_traits(self, noises: Floats) -> Traits:
        usual, groups = average_traits(), self._learned.counts.groups
        before = groups[group_index(False, True, False)] + groups[group_index(False, True, True)]
        unbet = groups[group_index(True, False, False)]
        facing = groups[group_index(True, True, False)]
        met = facing + groups[group_index(True, True, True)]
        raised, expected = self._learned.raises_seen.tolist()
        fold, call, raise_ = TripleIndex
        blind_folds = noises[:, Noise.FOLDS].tolist()
        return Traits(
            fold_to_bet=_drawn(met[fold], met.sum(), usual.fold_to_bet),
            bet=_drawn(unbet[raise_], unbet.sum(), usual.bet),
            raise_=_drawn(facing[raise_], facing.sum(), usual.raise_),
            preflop_fold=_drawn(before[fold], before.sum(), 0.5) if before.sum() >= GROUP_PRIOR else None,
            preflop_raise=(raised + 3.0) / (expected + 3.0),
            looseness=_drawn(before[call] + before[raise_], before.sum(), 0.5) / 0.5,
            noise=(float(noises[1, Noise.RAISES]), float(noises[2, Noise.RAISES])),
            blind_folds=(blind_folds[0], blind_folds[1], blind_folds[2]),
            folds=self._folds(),
        )

    def _folds(self) -> bytes:
        """`Traits.folds`: counts borrow from those of their context, which borrow from what is expected."""
        counts = self._learned.counts
        in_context = counts.contexts.sum(axis=1) + CONTEXT_PRIOR
        lent_seen = (counts.contexts[:, TripleIndex.FOLD] / in_context)[CONTEXT_OF_DETAIL]
        lent_expected = (CONTEXT_PRIOR / in_context)[CONTEXT_OF_DETAIL]
        loan = (counts.borrowing @ np.array(LOANS))[GROUP_OF_DETAIL]
        in_detail = counts.details.sum(axis=1) + loan
        seen = (counts.details[:, TripleIndex.FOLD] + loan * lent_seen) / in_detail
        decisions, odds = counts.pot_odds.T
        steepness = counts.steepness[0] * decisions / (decisions + CONTEXT_PRIOR)
        company = np.empty((NUM_GROUPS, NUM_COMPANIES))
        predictions.fill_odds_in_company(counts, company)
        usual_odds = odds / np.maximum(decisions, 1)
        return folds_known(seen, loan * lent_expected / in_detail, usual_odds, steepness, company)

    # --- memory ------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The arrays of a memory file."""
        return {name: array.tolist() for name, array in self._learned.remembered().items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], parameters: Parameters = DEFAULT_PARAMETERS) -> SpecificModel:
        """The model that `as_dict` was called on.

        What memory files of earlier versions do not know begins anew: details of contexts, which then borrow
        all from their contexts, how the neutral model did, what the pot odds were, where the bars lie, how
        many folds were expected, what company changes, and how far the hand decides, where folds and raises
        were not told apart.

        Raises:
            ValueError: something is missing, no number, or of another shape.
        """
        model = cls(parameters)
        learned = model._to_change()
        remembered = learned.remembered()
        data = {name: remembered[name] for name in _NEWER} | dict(data)
        for name, known in remembered.items():
            least = -np.inf if name.endswith(("evidence", "offsets")) else 0.0
            saved = data.get(name)
            if name == "noise_evidence" and isinstance(saved, list) and len(saved) == known.shape[1]:
                saved_numbers(data, name, known.shape[1:2], least)  # of folds and raises in one
                continue
            rows = len(known)
            if name in _ROWS_BEFORE and isinstance(saved, list) and len(saved) == _ROWS_BEFORE[name]:
                rows = len(saved)
            known[:rows] = saved_numbers(data, name, (rows, *known.shape[1:]), least)
            if name == "noise_evidence" and rows < len(known):
                known[...] = of_all_pots(known[:rows])
        weigh_evidence(learned.counts, learned.evidence)
        return model


def _drawn(count: float, of: float, usual: float) -> float:
    """A frequency drawn towards the usual one."""
    return float((count + GROUP_PRIOR * usual) / (of + GROUP_PRIOR))
