"""Which players learn, by what packages declare."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

from clients.core.registry import installed_bots
from server.match.launching.learning import learning_players
from server.match.launching.players import parse_players


def learners(*texts: str) -> set[int]:
    return set(learning_players(parse_players(texts, set(installed_bots()))))


@pytest.mark.parametrize(
    ("texts", "places"),
    [
        (("simple", "random"), set()),
        (("street-learner", "random"), {0}),
        (("simple", "Me=poker-learner:choose=greedy", "name-learner:learn"), {1, 2}),
        (("street-learner:learn=off,knowledge=x.npz", "name-learner:learn=No"), set()),
        (("./street-learner", "wait"), set()),
    ],
)
def test_learners_are_known_by_their_names_and_options(texts: tuple[str, ...], places: set[int]) -> None:
    assert learners(*texts) == places


def test_every_bot_that_can_be_told_not_to_learn_is_declared() -> None:
    import inspect

    declared = {entry.name for entry in entry_points(group="riverboat.learners")}
    learning = {
        name
        for name, entry in installed_bots().items()
        if "learn" in inspect.signature(entry.load()).parameters
    }

    assert declared == learning
