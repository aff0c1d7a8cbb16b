"""What the four learners keep in knowledge files while they play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.core.arena import Arena
from clients.learners.knowledge_file import KnowledgeError, read_knowledge
from clients.learners.preflop.learner import PreflopLearner
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner, PokerLearner, WinningHandLearner
from clients.learners.preflop.state import ACTIONS, split_key
from engine.poker.rules import load_game

LEARNERS: list[type[PreflopLearner]] = [HoleCardsLearner, WinningHandLearner, NameLearner, PokerLearner]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.npz"


def played(learner: PreflopLearner, game: str = "nolimit-2p", hands: int = 80, seed: int = 7) -> None:
    Arena(load_game(game), [learner, AlwaysCall(), *(Random() for _ in range(int(game[-2]) - 2))], seed).play(
        hands
    )


def after_playing(
    path: Path, kind: type[PreflopLearner] = HoleCardsLearner, *, game: str = "nolimit-2p", **options: Any
) -> PreflopLearner:
    """A learner that has played, and has let go of its file."""
    learner = kind(knowledge=path, **options)
    played(learner, game)
    learner.close_knowledge()
    return learner


@pytest.mark.parametrize("kind", LEARNERS)
def test_what_was_learnt_is_known_again(kind: type[PreflopLearner], path: Path) -> None:
    known = after_playing(path, kind).learnt

    for learn in (True, False):
        again = kind(knowledge=path, learn=learn)
        assert again.learnt.states == known.states
        assert (again.learnt.hands, again.learnt.names) == (80, known.names)
        again.close_knowledge()


def test_in_training_only_checkpoints_are_written(path: Path) -> None:
    learner = HoleCardsLearner(knowledge=path, journal=False)
    played(learner, hands=50)
    learner.save_knowledge()
    saved = path.read_bytes()
    played(learner, hands=50)
    learner.close_knowledge()

    assert path.read_bytes() == saved
    assert not path.with_name("knowledge.npz.journal").exists()
    assert read_knowledge(path).meta["hands"] == 50


def test_what_is_learnt_at_one_table_serves_at_another(path: Path) -> None:
    for game in ("nolimit-6p", "nolimit-2p"):
        after_playing(path, game=game)

    assert read_knowledge(path).meta["hands"] == 160


@pytest.mark.parametrize(
    ("again", "message"),
    [
        (lambda path: PokerLearner(knowledge=path), "what a hole-cards-learner has learnt"),
        (lambda path: HoleCardsLearner(knowledge=path, classifier="as-printed"), "classifier=as-meant"),
        (
            lambda path: HoleCardsLearner(knowledge=path, last_action="blind"),
            "last-action=carried-over, and last-action=blind is asked for",
        ),
    ],
)
def test_another_learners_knowledge_is_refused(again, message: str, path: Path) -> None:  # type: ignore[no-untyped-def]
    after_playing(path)

    with pytest.raises(KnowledgeError, match=message):
        again(path)
    HoleCardsLearner(knowledge=path).close_knowledge()  # the refusal has let go of the file


def test_a_file_is_learnt_on_in_the_reading_that_it_notes_or_in_the_former_one(path: Path) -> None:
    for reading in ("blind-calls", None):
        after_playing(path, last_action=reading)
        assert read_knowledge(path).meta["notes"]["last-action"] == "blind-calls"
    former = path.with_name("former.npz")
    after_playing(former, last_action="blind")
    assert "last-action" not in read_knowledge(former).meta["notes"]  # as versions before had it
    states = after_playing(former).learnt.states
    assert any(ACTIONS[split_key(key).last_action] == "blind" for key in states)


def test_knowledge_of_another_game_is_refused_and_untouched(path: Path) -> None:
    after_playing(path)
    before = path.read_bytes()

    with pytest.raises(
        KnowledgeError, match="learnt in no-limit Texas hold'em, expected limit Texas hold'em"
    ):
        HoleCardsLearner(knowledge=path).match_started(load_game("limit-2p"), 0)
    assert path.read_bytes() == before


def test_a_long_journal_goes_into_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clients.learners.store._LONGEST_JOURNAL", 30)
    learner = NameLearner(knowledge=path)
    played(learner, hands=70)

    knowledge = read_knowledge(path)
    assert (knowledge.meta["hands"], len(knowledge.records)) == (60, 10)
