"""Street-learners that have been trained."""

from __future__ import annotations

from pathlib import Path

from clients.learners.street.agent import StreetLearner
from clients.learners.training import TrainingPlan, make_learner, train
from engine.poker.rules import load_game

LIMIT = load_game("limit-2p")


def trained(
    path: Path | None, hands: int, *opponents: str, seed: int = 1, spec: str = "street-learner"
) -> StreetLearner:
    """A learner that has learnt from some hands of limit hold'em, heads-up."""
    learner = make_learner(spec, path)
    assert isinstance(learner, StreetLearner)
    for _ in train(learner, TrainingPlan(LIMIT, opponents, hands, seed)):
        pass
    return learner
