"""Tables of a compiled loop against those of the arena, whose rules and learners are everybody else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.learners.preflop.learner import PreflopLearner
from clients.learners.training import Table, make_learner, release
from engine.poker.rules import load_game

HANDS = 2_000
BOTS = ("always-all-in", "always-call", "hand-strength:plain", "simple:preflop-only")
LISTED = "simple:preflop-only,hands=listed"
LEARNERS = ("hole-cards-learner", "winning-hand-learner", "name-learner", "poker-learner")


def everything(spec: str, bots: tuple[str, ...], hands: int, *, learn: bool = True) -> tuple[object, ...]:
    """What a learner knows and has won after some hands, played by the loop if many are announced."""
    game = load_game(f"nolimit-{len(bots) + 1}p-100bb")
    learner = make_learner(spec, None)
    assert isinstance(learner, PreflopLearner)
    learner.learns = learn
    table = Table(learner, game, bots, 4711, hands)
    table.play(HANDS // 3)
    table.play(HANDS - HANDS // 3)
    state = learner.as_arrays(game)
    assert state is not None
    return (
        dict(learner.learnt.states), learner.learnt.hands, table.winnings, table.chips_by_seat,
        state.counts.tolist(), state.last_players.tolist(), state.before.tolist(), state.hands.tolist(),
    )  # fmt: skip


@pytest.mark.slow  # compiles for twenty seconds
@pytest.mark.parametrize("spec", LEARNERS)
@pytest.mark.parametrize(
    "bots",
    [
        *((bot,) * 5 for bot in (*BOTS, LISTED)),
        *((bot,) for bot in (*BOTS, LISTED)),
        (*BOTS, BOTS[3]),
        (LISTED, *BOTS[:3], LISTED),
    ],
)
def test_the_same_hands_and_the_same_knowledge(spec: str, bots: tuple[str, ...]) -> None:
    assert everything(spec, bots, 1_000_000) == everything(spec, bots, HANDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "hole-cards-learner:choose=proportional,classifier=as-printed,last-action=blind",
        "hole-cards-learner:showdowns=two,last-action=blind-calls",
        "winning-hand-learner:winner=strict",
        "winning-hand-learner:winner=each",
        "name-learner:choose=greedy,penalty=once",
        "poker-learner:winner=strict,penalty=once,classifier=as-printed",
    ],
)
def test_the_same_hands_and_the_same_knowledge_in_every_reading(spec: str) -> None:
    assert everything(spec, BOTS, 1_000_000) == everything(spec, BOTS, HANDS)


@pytest.mark.slow
def test_with_learning_off_nothing_is_learnt() -> None:
    compiled = everything("poker-learner", BOTS, 1_000_000, learn=False)

    assert compiled == everything("poker-learner", BOTS, HANDS, learn=False)
    assert compiled[:2] == ({}, 0)


@pytest.mark.slow
def test_a_learner_that_knows_something_goes_on_with_it(tmp_path: Path) -> None:
    game, path = load_game("nolimit-3p"), tmp_path / "knowledge.npz"
    taught = make_learner("name-learner", path)
    assert isinstance(taught, PreflopLearner)
    Table(taught, game, BOTS[:2], 1).play(HANDS)
    taught.save_knowledge()
    release(taught)

    found = []
    for announced in (1_000_000, 0):
        learner = make_learner("name-learner", path)
        assert isinstance(learner, PreflopLearner)
        for bots in (BOTS[:2], BOTS[2:]):  # another table: names that were not there before
            Table(learner, game, bots, 2, announced).play(HANDS)
        found.append((dict(learner.learnt.states), learner.learnt.names, learner.learnt.hands))
        release(learner)

    assert found[0] == found[1]
    assert found[0][2] == 3 * HANDS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("limit-2p", ("always-call",)),
        ("nolimit-2p-100bb", ("hand-strength",)),
        ("nolimit-3p", ("always-call", "simple")),
    ],
)
def test_what_the_loop_does_not_know_is_played_in_the_arena(game: str, bots: tuple[str, ...]) -> None:
    def won(hands: int) -> object:
        table = Table(make_learner("hole-cards-learner", None), load_game(game), bots, 3, hands)
        table.play(200)
        return table.winnings, table.stop_every

    assert won(1_000_000) == won(0)
