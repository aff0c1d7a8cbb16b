"""Yardsticks and sparring partners: agents whose play fits in a line.

Each is a distribution over fold, call and raise, the same with all hands, and says so in
`probability_triple`.
"""

from __future__ import annotations

import math

from clients.agent import Agent, ProbabilityTriple, Script, Triples
from engine.rules import CALL, FOLD, Action, GameDefinition, HandView, LegalActions

_FOLD, _CALL, _RAISE = ProbabilityTriple(1, 0, 0), ProbabilityTriple(0, 1, 0), ProbabilityTriple(0, 0, 1)


class _Yardstick(Agent):
    """Does the same whatever it holds."""

    def triples(self, view: HandView) -> Triples:
        """One row for all hands."""
        return (self.probability_triple(view),)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """What it does."""
        raise NotImplementedError


class AlwaysCall(_Yardstick):
    """Calls or checks, whatever happens."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """A call."""
        return CALL

    def script(self, game: GameDefinition) -> Script:
        """Nothing more to say."""
        return Script("always-call")

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """Certain."""
        return _CALL


class AlwaysFold(_Yardstick):
    """Folds to any bet; checks when there is nothing to call."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """A fold where that is legal."""
        return FOLD if view.legal_actions().can_fold else CALL

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """Certain."""
        return _FOLD if view.legal_actions().can_fold else _CALL


class AlwaysRaise(_Yardstick):
    """Raises the least it may, as long as it may; then calls."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """The smallest legal raise."""
        return view.legal_actions().raising_to()

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """Certain."""
        return _RAISE if view.legal_actions().can_raise else _CALL


class AlwaysAllIn(_Yardstick):
    """Raises the most it may: all its chips in no-limit games."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """The largest legal raise."""
        legal = view.legal_actions()
        return legal.raising_to(legal.max_raise_to)

    def script(self, game: GameDefinition) -> Script:
        """Nothing more to say."""
        return Script("always-all-in")

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """Certain."""
        return _RAISE if view.legal_actions().can_raise else _CALL


class Random(_Yardstick):
    """Folds, calls and raises at random, by default as the ACPC's example player does.

    A weight counts only where its action is legal; no-limit sizes are uniform over all that are legal
    (acpc-spec 7).

    Raises:
        ValueError: a negative weight, or no positive one for calling, which is always legal.
    """

    is_stateless = True

    def __init__(self, fold: float = 0.06, call: float = 0.47, raise_: float = 0.47) -> None:
        if not (fold >= 0 and call > 0 and raise_ >= 0 and math.isfinite(fold + call + raise_)):
            raise ValueError(
                f"expected weights fold >= 0, call > 0, raise >= 0 and a finite sum, got {fold}, {call} "
                f"and {raise_}"
            )
        self._weights = ProbabilityTriple(fold, call, raise_)

    def choose_action(self, view: HandView) -> Action:
        """Drawn from the weights of what is legal."""
        legal = view.legal_actions()
        fold, _, raise_ = self._triple(legal)
        rng = self.rng
        draw = rng.random()
        if draw < fold:
            return FOLD
        if draw >= 1 - raise_ and legal.min_raise_to is not None and legal.max_raise_to is not None:
            return legal.raising_to(
                None if legal.is_limit else rng.randint(legal.min_raise_to, legal.max_raise_to)
            )
        return CALL

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The weights, renormalised over what is legal."""
        return self._triple(view.legal_actions())

    def _triple(self, legal: LegalActions) -> ProbabilityTriple:
        weights = self._weights
        fold = weights.fold if legal.can_fold else 0.0
        raise_ = weights.raise_ if legal.can_raise else 0.0
        total = fold + weights.call + raise_
        return ProbabilityTriple(fold / total, weights.call / total, raise_ / total)
