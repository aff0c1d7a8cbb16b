"""Learners at a dealer's table and in compiled loops: what they keep, however they end."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from clients.bots.baselines import AlwaysCall, Random
from clients.commands.play.bot import bot
from clients.core.arena import Arena
from clients.learners.knowledge_file import KnowledgeError, read_knowledge
from clients.learners.preflop.knowledge import read_base
from clients.learners.preflop.learner import PreflopLearner
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner, PokerLearner
from clients.learners.street.agent import StreetLearner
from clients.learners.training import Table, make_learner, release
from engine.poker.rules import load_game
from tests.support.cases import cases
from tests.support.dealer_process import environment, program
from tests.support.matches import run_match

# --- Learners at a dealer's table ---------------------------------------------------------------------------


def match(folder: Path, *words: str) -> dict[str, Any]:
    done = run_match(folder, *words, "--json")
    assert done.returncode == 0, done.stderr  # 3 where a player failed
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def learnt_at_home(path: Path, hands: int) -> bytes:
    """A knowledge file with what some hands of no-limit have taught a poker-learner, in this process."""
    learner = PokerLearner(path)
    Arena(load_game("nolimit-2p"), [learner, AlwaysCall()], 1).play(hands)
    learner.close_knowledge()
    return path.read_bytes()


@pytest.mark.slow
def test_what_is_learnt_in_a_match_is_in_the_file_after_it(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    for hands in (60, 120):
        match(tmp_path, "nolimit-2p", f"name-learner:knowledge={path}", "Bob=always-call", "--hands", "60")

        assert read_knowledge(path).meta["hands"] == hands
        assert sorted(p.name for p in tmp_path.glob("knowledge*")) == [path.name]
    assert "Bob" in read_knowledge(path, "name-learner").meta["names"]


@pytest.mark.slow
def test_a_duplicate_match_teaches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    before = learnt_at_home(path, 40)

    words = ("nolimit-2p", f"poker-learner:knowledge={path}", "always-call", "--hands", "40", "--duplicate")
    result = match(tmp_path, *words, "--jobs", "2")

    assert result["hands"] == 80
    assert path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "nolimit-6p poker hole-cards winning-hand name always-call always-all-in",
        "limit-3p poker hole-cards name",
    ],
)
def test_learners_play_at_one_table(words: str, tmp_path: Path) -> None:
    game, *names = words.split()
    players = [name if name.startswith("always") else f"{name}-learner" for name in names]

    assert match(tmp_path, game, *players, "--hands", "60")["hands"] == 60


# --- kill -9 -----------------------------------------------------------------------------------------------

_LOOP = """
import sys, pathlib
from clients.core.arena import Arena
from clients.bots.baselines import AlwaysCall, Random
from clients.learners.preflop.learners import NameLearner
from engine.poker.rules import load_game
learner = NameLearner(knowledge=pathlib.Path(sys.argv[1]))
before = learner.learnt.hands
arena = Arena(load_game("nolimit-3p"), [learner, AlwaysCall(), Random()], int(sys.argv[2]))
for hands in range(1, 1_000_000):
    arena.play(1)
    sys.stdout.write(f"{before + hands}\\n")
    sys.stdout.flush()
"""


def killed_while_playing(path: Path, seed: int, hands: int) -> int:
    """Let a learner play, kill it some time after a number of hands; how many it said it had played in all.

    What it says comes through a pipe, so that it cannot be far ahead of what is read.
    """
    player = subprocess.Popen(
        [program("match")[0], "-c", _LOOP, str(path), str(seed)], env=environment(), stdout=subprocess.PIPE
    )
    with player:
        assert player.stdout is not None
        said = b"0"
        for _ in range(hands):
            said = player.stdout.readline()
        player.send_signal(signal.SIGKILL)
        rest = player.stdout.read()
    whole = rest[: rest.rfind(b"\n") + 1].split()
    return int(whole[-1] if whole else said)


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_a_learner_that_is_killed_loses_the_hand_it_was_in(
    tmp_path: Path, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "knowledge.npz"
    rng = random.Random(times)
    for seed in range(times):
        played = killed_while_playing(path, seed, rng.randint(1, 400))

        kept = read_knowledge(path, "name-learner")
        hands = json.loads(kept.records[-1])[0] if kept.records else kept.meta["hands"]
        assert played <= hands <= played + 1  # killed between the journal and the word of it


def test_a_killed_learners_knowledge_is_that_of_one_that_went_on(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    killed_while_playing(path, 5, 150)
    kept = read_knowledge(path)
    hands = json.loads(kept.records[-1])[0]

    same = NameLearner()
    Arena(load_game("nolimit-3p"), [same, AlwaysCall(), Random()], 5).play(hands)

    base, _ = read_base(kept, path)
    assert base.states == same.learnt.states
    assert base.names == same.learnt.names


# --- mistakes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["learn=off"], "there is no such file"),
        (["learn=maybe"], "expected true or false"),
        (["choose=best"], "expected one of greedy, proportional"),
        (["classifier=printed"], "expected one of as-printed, as-meant"),
    ],
)
def test_mistakes_are_one_line_and_exit_status_2(tmp_path: Path, settings: list[str], message: str) -> None:
    words = [f"knowledge={tmp_path / 'none.npz'}", *settings]
    options = [word for setting in words for word in ("--set", setting)]
    done = CliRunner().invoke(bot, ["poker-learner", "127.0.0.1", "1", "--seed", "1", *options])

    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


@pytest.mark.slow
def test_a_file_of_another_game_ends_the_bot_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.npz"
    before = learnt_at_home(path, 10)
    words = ["limit-2p", f"poker-learner:knowledge={path}", "always-call", "--hands", "10", "--json"]
    done = run_match(tmp_path, *words)

    player = json.loads(done.stdout)["players"][0]
    assert (done.returncode, player["failure"]) == (3, "crashed")
    assert "was learnt in no-limit Texas hold'em, expected limit Texas hold'em" in json.dumps(player)
    assert path.read_bytes() == before


# --- What all learners keep in knowledge files while they play, and what they leave as it is ----------------

Learner = HoleCardsLearner | StreetLearner
KINDS = pytest.mark.parametrize("kind", [HoleCardsLearner, StreetLearner])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.npz"


def played(learner: Learner, hands: int = 80, seed: int = 7) -> Learner:
    Arena(load_game("limit-2p"), [learner, Random()], seed).play(hands)
    return learner


def contents(learner: Learner) -> list[object]:
    """All that it knows."""
    if isinstance(learner, StreetLearner):
        return [learner.learnt.hands, learner.learnt.values.tobytes(), learner.learnt.counts.tobytes()]
    return [learner.learnt.hands, {key: list(values) for key, values in learner.learnt.states.items()}]


@KINDS
def test_a_learner_that_nobody_plays_with_any_more_has_saved(kind: type[Learner], path: Path) -> None:
    played(kind(path))

    assert list(path.parent.iterdir()) == [path]
    hands = read_knowledge(path).meta["hands"]
    assert 60 < hands <= 80  # a street-learner counts those in which it was asked


@KINDS
def test_with_learning_off_nothing_changes(kind: type[Learner], path: Path) -> None:
    played(kind(path)).close_knowledge()
    before = path.read_bytes()

    frozen = played(kind(path, learn=False), 0)
    known = contents(frozen)
    played(frozen, 200, seed=8).save_knowledge()
    frozen.close_knowledge()

    assert contents(frozen) == known
    assert (path.read_bytes(), list(path.parent.iterdir())) == (before, [path])


@KINDS
def test_two_learners_cannot_write_one_file(kind: type[Learner], path: Path) -> None:
    first = played(kind(path))

    with pytest.raises(KnowledgeError, match="written by another program"):
        kind(path)
    assert contents(played(kind(path, learn=False), 0)) == contents(first)
    first.close_knowledge()
    kind(path).close_knowledge()


@KINDS
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
    assert (path.read_bytes(), list(path.parent.iterdir())) == (before, [path])


# --- Tables of a compiled loop against those of the arena, whose rules and learners are everybody else's ----

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
@pytest.mark.parametrize("spec", cases(__file__, "readings"))
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
