"""Models that vote: weights by past accuracy, and hardly worse than the best of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.bots.heuristic.agent import Heuristic
from clients.bots.heuristic.prediction import VotedFolds
from clients.core.agent import Agent
from clients.core.arena import Arena
from engine.players.models.vote import Vote
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import HandView, load_game
from tests.engine.players.models.test_specific import PLAYERS

triples = st.tuples(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.01, 1)).map(
    lambda given: tuple(each / sum(given) for each in given)
)


@given(st.lists(st.tuples(triples, triples, st.integers(0, 2)), max_size=20), st.floats(0.5, 1))
def test_weights_are_products_of_chances_that_fade(
    seen: list[tuple[tuple[float, ...], tuple[float, ...], int]], fading: float
) -> None:
    vote = Vote(2, fading)
    for first, second, action in seen:
        vote.observe((first, second), action)

    last = len(seen) - 1
    logs = [0.0, 0.0]
    for t, (first, second, action) in enumerate(seen):
        for model, triple in enumerate((first, second)):
            logs[model] += fading ** (last - t) * math.log(triple[action])
    assert vote.weights[0] == pytest.approx(1 / (1 + math.exp(logs[1] - logs[0])), abs=1e-9)
    assert sum(vote.weights) == pytest.approx(1)


def test_a_model_that_was_wrong_gets_its_vote_back() -> None:
    vote = Vote(2)
    folds, raises = (0.8, 0.1, 0.1), (0.1, 0.1, 0.8)
    for _ in range(50):
        vote.observe((folds, raises), 0)
    assert vote.mixed((folds, raises)) == pytest.approx(folds, abs=1e-6)
    for _ in range(200):
        vote.observe((folds, raises), 2)

    assert vote.mixed((folds, raises)) == pytest.approx(raises, abs=1e-6)


def test_impossible_votes_are_refused() -> None:
    with pytest.raises(ValueError, match="one model or more"):
        Vote(0)
    with pytest.raises(ValueError, match="fading"):
        Vote(2, 0.0)
    with pytest.raises(ValueError, match="argument 2"):
        Vote(2).observe(((1.0, 0.0, 0.0),), 0)


class _Judge(VotedFolds):
    """Notes what each model, and the vote, gave to what came."""

    def __init__(self) -> None:
        super().__init__()
        self.chances: list[tuple[float, ...]] = []

    def hand_finished(self, view: HandView) -> None:
        reader = self.book.follow(view)
        steps = view.betting.steps()
        for (before, position, action), (decision, _) in zip(steps, reader.decisions, strict=True):
            if position == view.position or not (decision.situation.can_fold or decision.situation.can_raise):
                continue
            model = reader.reading.models[position]
            done = TRIPLE_INDEX[action.kind]
            each = self.predictions(view, before, decision, model)
            together = self._triple(view, before, decision, model)
            self.chances.append((*(triple[done] for triple in each), together[done]))
        super().hand_finished(view)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", PLAYERS)
def test_after_500_actions_the_vote_is_hardly_worse_than_the_best_model(name: str) -> None:
    """Log loss of the next 500 actions, on each player that the specific model is tried on."""
    player: Agent = PLAYERS[name]()
    watcher = Heuristic(model="vote")
    judge = _Judge()
    watcher.predictor = judge
    arena = Arena(load_game("limit-2p"), [player, watcher], 77)
    while len(judge.chances) < 1000:
        arena.play(20)

    losses = -np.log(np.maximum(np.array(judge.chances[500:1000]), 1e-3)).mean(axis=0)
    assert losses[3] <= losses[:3].min() + 0.02, losses
