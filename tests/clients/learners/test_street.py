"""The street-learner: at a table as in training; and what it keeps in its knowledge file."""

from __future__ import annotations

import contextlib
import json
import math
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.bots.hand_strength import HandStrengthBot
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.lab.testing import Replaying
from clients.learners.knowledge_file import KnowledgeError, KnowledgeFile, journal_path, read_knowledge
from clients.learners.street import agent as street_agent
from clients.learners.street.agent import StreetLearner
from clients.learners.street.knowledge import VERSION, describe_game
from clients.learners.training import TrainingPlan, make_learner, train
from engine.hands.betting_arrays import action_from_number
from engine.kernels.learning import situations, street as kernels
from engine.learning import street as street_learning
from engine.learning.deal_pool import DealPool
from engine.learning.street import ActionValues, population
from engine.poker.rules import Action, Deal, GameDefinition, HandView, StackedDealer, load_game
from tests.engine.learning.pools import actions_and_cells, small_pool
from tests.support.asserting import refuses
from tests.support.knowledge import write_knowledge
from tests.support.matches import run_match

LIMIT = load_game("limit-2p")


@pytest.fixture(autouse=True)
def _few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learners here train on few deals, which are made at once."""

    def pool(num_players: int, **_: object) -> DealPool:
        return small_pool(num_players)

    monkeypatch.setattr(street_agent, "deal_pool", pool)


def trained(
    path: Path | None, hands: int, *opponents: str, seed: int = 1, spec: str = "street-learner"
) -> StreetLearner:
    """A learner that has learnt from some hands of limit hold'em, heads-up."""
    learner = make_learner(spec, path)
    assert isinstance(learner, StreetLearner)
    for _ in train(learner, TrainingPlan(LIMIT, opponents, hands, seed)):
        pass
    return learner


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
    won = street_learning.play(
        trained, pool, len(record), 2, opponents, former=before, method=method, record=record
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


@pytest.mark.slow
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
    refuses(ValueError, "explore=2", StreetLearner, explore=2)


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


@pytest.mark.slow
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


# --- What the street-learner keeps in its knowledge file, in play and in training ---------------------------


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    path = tmp_path / "street.npz"
    learner = trained(path, 20_000)
    learner.save_knowledge()
    learner.close_knowledge()
    return path


def opened(path: Path, game: GameDefinition = LIMIT, **options: bool) -> StreetLearner:
    learner = StreetLearner(path, **options)
    learner.names = None
    learner.match_started(game, 0)
    return learner


def test_what_was_saved_is_known_again(knowledge: Path) -> None:
    fresh = trained(None, 20_000)

    learner = opened(knowledge, learn=False)

    assert np.array_equal(learner.learnt.values, fresh.learnt.values)
    assert np.array_equal(learner.learnt.counts, fresh.learnt.counts)
    assert learner.learnt.hands == 20_000


def test_every_hand_is_in_the_journal_when_it_is_over(knowledge: Path) -> None:
    learner = StreetLearner(knowledge)
    Arena(LIMIT, [learner, Random()], 3).play(50)
    hands = learner.learnt.hands
    assert hands > 20_000

    # Somebody reads while it plays: as after the program was killed, the file and its journal.
    reader = opened(knowledge, learn=False)
    assert reader.learnt.hands == hands
    assert np.array_equal(reader.learnt.values, learner.learnt.values)
    assert np.array_equal(reader.learnt.counts, learner.learnt.counts)

    learner.close_knowledge()
    assert not journal_path(knowledge).exists()
    again = opened(knowledge, learn=False)
    assert np.array_equal(again.learnt.values, learner.learnt.values)


def test_a_file_of_another_game_is_refused(knowledge: Path) -> None:
    for name in ("nolimit-2p", "limit-3p"):
        with pytest.raises(
            KnowledgeError, match=r"street.npz was learnt in limit hold'em, 2 players, blinds"
        ):
            opened(knowledge, load_game(name), learn=False)


def test_games_are_described_by_all_that_matters() -> None:
    assert describe_game(LIMIT) == (
        "limit hold'em, 2 players, blinds 10 5, raises by 10 10 20 20, at most 3 4 4 4 a round"
    )
    assert describe_game(load_game("nolimit-2p")) == (
        "no-limit hold'em, 2 players, blinds 100 50, stacks 20000 20000"
    )


@pytest.mark.slow
def test_over_tcp_it_keeps_what_it_learns(knowledge: Path, tmp_path: Path) -> None:
    words = ["limit-2p", f"street-learner:knowledge={knowledge}", "always-call", "--hands", "40", "--json"]
    done = run_match(tmp_path, *words)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hands"] == 40
    assert read_knowledge(knowledge).meta["hands"] == 20_040
    assert not journal_path(knowledge).exists()


def test_files_of_other_learners_newer_and_missing_ones_are_refused(knowledge: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="a street-learner has learnt, expected a poker-learner"):
        make_bot(f"poker-learner:knowledge={knowledge},learn=off")
    with pytest.raises(KnowledgeError, match="there is no such file"):
        StreetLearner(tmp_path / "nothing.npz", learn=False)
    newer = tmp_path / "newer.npz"
    write_knowledge(newer, "street-learner", describe_game(LIMIT), {}, {}, version=VERSION + 1)
    refuses(KnowledgeError, "newer riverboat", StreetLearner, newer, learn=False)


def arrays() -> dict[str, np.ndarray[tuple[int], np.dtype[np.generic]]]:
    return {
        "places": np.array([4, 9], np.int32),
        "values": np.array([0.5, -1], np.float32),
        "counts": np.array([3, 1], np.int32),
    }


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("places", np.array([9, 4], np.int32)),
        ("places", np.array([4, 10**9], np.int32)),
        ("places", np.array([4], np.int32)),
        ("places", np.array([4, 9], np.int64)),
        ("values", np.array([math.nan, 1], np.float32)),
        ("counts", np.array([0, 1], np.int32)),
        ("counts", None),
    ],
)
def test_contents_that_make_no_sense_are_refused(
    tmp_path: Path, name: str, array: np.ndarray[tuple[int], np.dtype[np.generic]] | None
) -> None:
    path = tmp_path / "k.npz"
    stored = arrays()
    write_knowledge(path, "street-learner", describe_game(LIMIT), stored, {"hands": 7}, version=VERSION)
    assert opened(path, learn=False).learnt.values[2, 0] == 0.5

    if array is None:
        del stored[name]
    else:
        stored[name] = array
    write_knowledge(path, "street-learner", describe_game(LIMIT), stored, {"hands": 7}, version=VERSION)
    refuses(KnowledgeError, r"k\.npz is damaged", opened, path, learn=False)


@pytest.mark.parametrize(
    "record",
    [
        "nonsense", "[1]", "[1,[[0,9,1.0,1]]]", "[1,[[0,0,1.0,-1]]]", "[-1,[]]", "[1,[[0.5,0,1.0,1]]]",
        "[1,[[0,0,NaN,1]]]", "[1,[[0,0,1e999,1]]]", f"[1,[[0,0,{10**400},1]]]", f"[1,[[0,0,1.0,{2**31}]]]",
        "[" * 100_000, "9" * 5000,
    ],
    ids=lambda record: record[:20],
)  # fmt: skip
def test_a_journal_that_makes_no_sense_is_refused(tmp_path: Path, record: str) -> None:
    path = tmp_path / "k.npz"
    with contextlib.closing(KnowledgeFile(path, "street-learner", version=VERSION, write=True)) as file:
        file.write(describe_game(LIMIT), arrays(), {"hands": 7})
        file.append(json.dumps([8, [[2, 0, 0.25, 4]]]))
        assert opened(path, learn=False).learnt.values[2, 0] == 0.25
        file.append(record)

    refuses(KnowledgeError, r"k\.npz is damaged", opened, path, learn=False)


# --- killed in the middle ----------------------------------------------------------------------------------

PLAYING = """
import sys
import threading
from pathlib import Path
from clients.core.arena import Arena
from clients.bots.baselines import Random
from clients.learners.street.agent import StreetLearner
from engine.poker.rules import load_game
learner = StreetLearner(Path(sys.argv[1]))
Arena(load_game("limit-2p"), [learner, Random()], 3).play(
    10**6, on_hand=lambda state, chips: print(learner.learnt.hands, flush=True)
)
"""

TRAINING = """
import sys
import threading
from clients.commands.ask import train as train_command
from clients.learners.street import agent as street
from tests.support.dealer_process import environment, program
from tests.engine.learning.pools import small_pool
street.deal_pool = lambda num_players, **_: small_pool(num_players)
def said(text="", err=False, **_):
    if err:
        print(text.split()[0], flush=True)
train_command.click.echo = said
words = ["street-learner", "--game", "limit-2p", "--hands", "100000000", "--checkpoint-every", "100000"]
train_command.train.main([*words, "--save", sys.argv[1], "--resume", sys.argv[1]])
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("program", [PLAYING, TRAINING], ids=["in play", "in training"])
def test_killed_at_any_moment_it_has_lost_no_more_than_promised(program: str, knowledge: Path) -> None:
    """In play the hand it was in; in training what came after the last checkpoint that it reported."""
    rng = random.Random(5)
    for _ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(knowledge)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        hands = 0
        lines = 1 if program is TRAINING else rng.randint(1, 400)
        for _ in range(lines):
            hands = int(process.stdout.readline())
        timer = threading.Timer(rng.random() * 0.4, process.kill)  # wherever it is then
        timer.start()
        for line in process.stdout:
            hands = int(line) if line.endswith("\n") else hands
        process.wait()
        timer.join()

        learnt = opened(knowledge, learn=False).learnt
        if program is PLAYING:
            assert hands <= learnt.hands <= hands + 1
        else:
            assert learnt.hands % 100_000 == 20_000
            assert learnt.hands >= hands
        process.stdout.close()
