"""What all learners keep in knowledge files while they play, and what they leave as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.bots.baselines import Random
from clients.core.arena import Arena
from clients.learners.knowledge_file import KnowledgeError, read_knowledge
from clients.learners.preflop.learners import HoleCardsLearner
from clients.learners.street.agent import StreetLearner
from engine.poker.rules import load_game

Learner = HoleCardsLearner | StreetLearner
LEARNERS = pytest.mark.parametrize("kind", [HoleCardsLearner, StreetLearner])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.npz"


def played(learner: Learner, hands: int = 80, seed: int = 7) -> Learner:
    Arena(load_game("limit-2p"), [learner, Random()], seed).play(hands)
    return learner


def contents(learner: Learner) -> list[object]:
    """All that it knows."""
    if isinstance(learner, StreetLearner):
        return [learner.learnt.hands, learner.learnt.values.tolist(), learner.learnt.counts.tolist()]
    return [learner.learnt.hands, {key: list(values) for key, values in learner.learnt.states.items()}]


@LEARNERS
def test_a_learner_that_nobody_plays_with_any_more_has_saved(kind: type[Learner], path: Path) -> None:
    played(kind(path))

    assert list(path.parent.iterdir()) == [path]
    hands = read_knowledge(path).meta["hands"]
    assert 60 < hands <= 80  # a street-learner counts those in which it was asked


@LEARNERS
def test_with_learning_off_nothing_changes(kind: type[Learner], path: Path) -> None:
    played(kind(path)).close_knowledge()
    before = path.read_bytes()

    frozen = played(kind(path, learn=False), 0)
    known = contents(frozen)
    played(frozen, 200, seed=8).save_knowledge()
    frozen.close_knowledge()

    assert contents(frozen) == known
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@LEARNERS
def test_two_learners_cannot_write_one_file(kind: type[Learner], path: Path) -> None:
    first = played(kind(path))

    with pytest.raises(KnowledgeError, match="written by another program"):
        kind(path)
    assert contents(played(kind(path, learn=False), 0)) == contents(first)
    first.close_knowledge()
    kind(path).close_knowledge()


@LEARNERS
def test_in_a_duplicate_match_the_file_is_only_read(
    kind: type[Learner], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(kind(path)).close_knowledge()
    before = path.read_bytes()
    monkeypatch.setenv("RIVERBOAT_DUPLICATE", "0")

    learners = [kind(path), kind(path)]  # side by side
    known = contents(played(learners[0], 0))
    first, second = (contents(played(learner, seed=11)) for learner in learners)

    assert first == second != known  # it learns, for this pass
    for learner in learners:
        learner.close_knowledge()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
