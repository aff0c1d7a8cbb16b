"""Yardsticks and sparring partners: agents whose play fits in a line.

Each plays the same distribution over fold, call and raise with all hands, and states it in
`probability_triple`.
"""

from __future__ import annotations

import math

from clients.core.agent import Agent, ProbabilityTriple, Script, Triples
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, HandView, LegalActions

_FOLD, _CALL, _RAISE = ProbabilityTriple(1, 0, 0), ProbabilityTriple(0, 1, 0), ProbabilityTriple(0, 0, 1)


class _Yardstick(Agent):
    """An agent that does the same with every hand."""

    def triples(self, view: HandView) -> Triples:
        """One triple for all hands."""
        return (self.probability_triple(view),)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising."""
        raise NotImplementedError


class AlwaysCall(_Yardstick):
    """Calls or checks, whatever happens."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """A call or check."""
        return CALL

    def script(self, game: GameDefinition) -> Script:
        """The script of that name, which takes no numbers."""
        return Script("always-call")

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """A call for certain."""
        return _CALL


class AlwaysFold(_Yardstick):
    """Folds to any bet; checks when there is nothing to call."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """A fold if that is legal, otherwise a check."""
        return FOLD if view.legal_actions().can_fold else CALL

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """A fold for certain, or a check."""
        return _FOLD if view.legal_actions().can_fold else _CALL


class AlwaysRaise(_Yardstick):
    """Makes the smallest legal raise as long as there is one; then calls."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """The smallest legal raise; a call if there is none."""
        return view.legal_actions().raising_to()

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """A raise for certain, or a call."""
        return _RAISE if view.legal_actions().can_raise else _CALL


class AlwaysAllIn(AlwaysRaise):
    """Makes the largest legal raise: all its chips in no-limit games."""

    is_stateless = plays_by_betting = True

    def choose_action(self, view: HandView) -> Action:
        """The largest legal raise; a call if there is none."""
        legal = view.legal_actions()
        return legal.raising_to(legal.max_raise_to)

    def script(self, game: GameDefinition) -> Script:
        """The script of that name, which takes no numbers."""
        return Script("always-all-in")


class Random(_Yardstick):
    """Folds, calls and raises at random, by default as the ACPC's example player does.

    A weight counts only if its action is legal; no-limit raises are uniform over all legal sizes
    (docs/acpc-dealer.md 7).

    Raises:
        ValueError: a negative weight, or no positive weight for calling, which is always legal.
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
        """An action drawn by the weights of the legal ones."""
        legal = view.legal_actions()
        fold, _, raise_ = self._triple(legal)
        rng = self.rng
        draw = rng.random()
        if draw < fold:
            return FOLD
        if draw >= 1 - raise_ and legal.min_raise_to is not None and legal.max_raise_to is not None:
            total = None if legal.is_limit else rng.randint(legal.min_raise_to, legal.max_raise_to)
            return legal.raising_to(total)
        return CALL

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The weights, renormalised over the legal actions."""
        return self._triple(view.legal_actions())

    def _triple(self, legal: LegalActions) -> ProbabilityTriple:
        weights = self._weights
        fold = weights.fold if legal.can_fold else 0.0
        raise_ = weights.raise_ if legal.can_raise else 0.0
        total = fold + weights.call + raise_
        return ProbabilityTriple(fold / total, weights.call / total, raise_ / total)
