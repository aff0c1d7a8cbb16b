"""The street-learner at a table: it does there what it does in training, and keeps what it learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.bots.hand_strength import HandStrengthBot
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.lab.testing import Replaying
from clients.learners.knowledge_file import read_knowledge
from clients.learners.street.agent import StreetLearner
from clients.learners.training import TrainingPlan, make_learner, train
from engine.hands.betting_arrays import action_from_number
from engine.kernels.learning import situations
from engine.kernels.learning import street as kernels
from engine.learning import street as street_learning
from engine.learning.street import ActionValues, population
from engine.poker.rules import Action, Deal, GameDefinition, HandView, StackedDealer, load_game
from tests.clients.learners.street.learners import LIMIT, trained
from tests.engine.learning.pools import actions_and_cells, small_pool

# --- at the table as in training ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["limit-2p", "nolimit-2p", "nolimit-2p-100bb", "limit-3p", "nolimit-6p"])
def test_at_a_table_it_plays_and_learns_as_in_training(name: str) -> None:
    game, pool = load_game(name), small_pool(load_game(name).num_players)
    opponents = population(200, game.is_limit, np.random.default_rng(3))
    trained = ActionValues.unlearnt(game)
    for _ in street_learning.train(trained, pool, 5_000, 1, opponents=opponents):
        pass
    before = trained.copy()
    record = np.zeros((150, kernels.RECORD_SIZE), np.int64)  # less than a session: styles begin again then

    method = kernels.Method(0.0, street_learning.STEP_DECAY, street_learning.PRIOR)
    won = street_learning._play(
        trained, pool, len(record), 2, kernels.Opponents(opponents, before.by_cell), method, record
    )
    hands = [
        [action_from_number(number, game.is_limit) for number in actions_and_cells(hand)[0].tolist()]
        for hand in record
    ]
    agent = StreetLearner(explore=0)
    agent.match_started(game, 0)
    at_table = agent.learnt
    at_table.values[:], at_table.counts[:], at_table.hands = before.values, before.counts, before.hands
    others = [Replaying(hands) for _ in range(game.num_players - 1)]
    deals = [
        Deal(tuple(map(tuple, pool.hole_cards[deal].tolist())), tuple(pool.boards[deal].tolist()))
        for deal in record[:, kernels.Record.DEAL].tolist()
    ]
    arena = Arena(game, [agent, *others], 1, dealer=StackedDealer(deals))
    lines: list[str] = []
    arena.play(len(deals), record=lines.append)

    assert at_table.hands == 5_000 + len(record)
    assert arena.chips[0] == pytest.approx(won.sum())
    assert np.array_equal(at_table.counts, trained.counts)
    np.testing.assert_allclose(at_table.values, trained.values, rtol=1e-6)


# --- play --------------------------------------------------------------------------------------------------


def big_blinds(
    agent: Agent, opponent: Agent, hands: int, game: GameDefinition = LIMIT, seed: int = 7
) -> float:
    return Arena(game, [agent, opponent], seed).play(hands)[0] / hands / game.big_blind


def test_unlearnt_it_beats_who_always_calls_and_who_always_raises() -> None:
    # It plays its hand strength; two standard deviations of the mean are 0.4.
    assert big_blinds(StreetLearner(), AlwaysCall(), 1000) > 0.4
    assert big_blinds(StreetLearner(), AlwaysRaise(), 600) > 0.4


@pytest.mark.parametrize("name", ["limit-3p", "nolimit-3p", "limit-6p", "nolimit-6p", "limit-10p"])
def test_it_plays_at_larger_tables(name: str) -> None:
    game = load_game(name)
    learner = StreetLearner()
    others = [Random(), *(StreetLearner() for _ in range(game.num_players - 2))]

    chips = Arena(game, [learner, *others], 3).play(12)

    assert sum(chips) == pytest.approx(0)
    assert learner.learnt.hands > 0


def test_same_seed_same_hands() -> None:
    def hands(seed: int, learner: StreetLearner) -> list[str]:
        lines: list[str] = []
        Arena(LIMIT, [learner, Random()], seed).play(60, record=lines.append)
        return lines

    assert hands(3, StreetLearner()) == hands(3, StreetLearner())
    assert hands(3, StreetLearner()) != hands(4, StreetLearner())


def test_what_it_does_can_be_asked_for() -> None:
    asked: list[tuple[Action, float, float]] = []

    class Asked(StreetLearner):
        def choose_action(self, view: HandView) -> Action:
            triple, considered = self.probability_triple(view), self.consider(view)
            values = dict(zip(considered.actions, considered.values, strict=True))
            action = super().choose_action(view)
            chance = {"f": triple.fold, "c": triple.call, "r": triple.raise_}[action.kind.value]
            asked.append((action, chance, values[action] - max(values.values())))
            return action

    Arena(load_game("nolimit-2p"), [Asked(explore=0), Random()], 3).play(40)

    assert {action.kind.value for action, _, _ in asked} == {"f", "c", "r"}
    assert all(chance == 1 and lost == 0 for _, chance, lost in asked)


def test_exploring_it_tries_what_it_does_not_value_and_learns_from_there_on() -> None:
    def bets_with_bad_hands(explore: float) -> int:
        """How often it has bet or raised with the worst fifth of hands on the river."""
        learner = StreetLearner(explore=explore)
        Arena(LIMIT, [learner, AlwaysCall()], 3).play(600)
        raises = learner.learnt.counts[: street_learning.num_situations(LIMIT), 1]
        return int(raises.reshape(4, situations.NUM_BUCKETS, -1)[3, :2].sum())

    assert bets_with_bad_hands(1) > 5
    assert bets_with_bad_hands(0) == 0
    assert StreetLearner(learn=False, explore=1)._explore == 0
    with pytest.raises(ValueError, match="explore=2"):
        StreetLearner(explore=2)


def test_decisions_that_the_dealer_made_for_it_are_not_learnt_from() -> None:
    class Overruled(StreetLearner):
        def choose_action(self, view: HandView) -> Action:
            super().choose_action(view)
            legal = view.legal_actions()
            return legal.raising_to() if legal.can_raise else action_from_number(0, True)

    learner = Overruled(explore=0)
    learner._explore = 0
    Arena(LIMIT, [learner, AlwaysCall()], 3).play(100)
    values = learner.learnt

    # It would have checked its bad hands; nobody has seen what comes of that.
    assert values.counts[:, 1].sum() > 0
    assert values.counts[:, 0].sum() == 0


def test_only_texas_holdem_is_played() -> None:
    with pytest.raises(OptionError, match="Texas hold'em only"):
        Arena(load_game("leduc"), [StreetLearner(), AlwaysCall()], 1).play(1)


# --- training ----------------------------------------------------------------------------------------------


def test_trained_alone_it_beats_bots_it_has_not_met() -> None:
    learner = trained(None, 150_000, spec="street-learner:explore=0")

    # Two standard deviations of such a mean are 0.4.
    assert big_blinds(learner, AlwaysCall(), 600) > 0.3
    assert big_blinds(learner, HandStrengthBot(), 600) > -0.4


def test_progress_is_told_and_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(street_learning, "CHUNK", 1000)
    learner = make_learner("street-learner", None)

    steps = list(train(learner, TrainingPlan(LIMIT, (), 1300, 1)))

    assert [step.hands for step in steps] == [1000, 1300]
    assert 0 < steps[0].squares < steps[1].squares
    assert isinstance(learner, StreetLearner)
    assert learner.learnt.hands == 1300


def test_against_bots_it_learns_at_a_table() -> None:
    learner = trained(None, 600, "always-raise")

    assert learner.learnt.hands > 500
    # Hands of the style are learnt from, once it is known.
    situations = street_learning.num_situations(LIMIT)
    assert learner.learnt.counts[19 * situations :].sum() > 500


def test_the_same_training_gives_the_same_knowledge(tmp_path: Path) -> None:
    for name in ("one", "two"):
        trained(tmp_path / name, 20_000).save_knowledge()

    assert read_knowledge(tmp_path / "one").digest == read_knowledge(tmp_path / "two").digest
