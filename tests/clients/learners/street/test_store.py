"""What the street-learner keeps in its knowledge file, in play and in training."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import Random
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.learners.knowledge_file import (
    KnowledgeError,
    KnowledgeFile,
    journal_path,
    read_knowledge,
    write_knowledge,
)
from clients.learners.street.agent import StreetLearner
from clients.learners.street.knowledge import VERSION, describe_game
from engine.poker.rules import GameDefinition, load_game
from tests.clients.learners.street.learners import LIMIT, trained
from tests.support.dealer_process import environment, program


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
    done = subprocess.run(
        program("match", *words), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=90
    )

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
    with pytest.raises(KnowledgeError, match="newer riverboat"):
        StreetLearner(newer, learn=False)


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
    with pytest.raises(KnowledgeError, match=r"k\.npz is damaged"):
        opened(path, learn=False)


@pytest.mark.parametrize(
    "record",
    [
        "nonsense",
        "[1]",
        "[1,[[0,9,1.0,1]]]",
        "[1,[[0,0,1.0,-1]]]",
        "[-1,[]]",
        "[1,[[0.5,0,1.0,1]]]",
        "[1,[[0,0,NaN,1]]]",
        "[1,[[0,0,1e999,1]]]",
        f"[1,[[0,0,{10**400},1]]]",
        f"[1,[[0,0,1.0,{2**31}]]]",
        "[" * 100_000,
        "9" * 5000,
    ],
    ids=lambda record: record[:20],
)
def test_a_journal_that_makes_no_sense_is_refused(tmp_path: Path, record: str) -> None:
    path = tmp_path / "k.npz"
    with KnowledgeFile(path, "street-learner", version=VERSION, write=True) as file:
        file.write(describe_game(LIMIT), arrays(), {"hands": 7})
        file.append(json.dumps([8, [[2, 0, 0.25, 4]]]))
        assert opened(path, learn=False).learnt.values[2, 0] == 0.25
        file.append(record)

    with pytest.raises(KnowledgeError, match=r"k\.npz is damaged"):
        opened(path, learn=False)


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
