"""What the players' commands refuse, in one line, with exit status 2 and nothing done; and what they draw."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import attrs
import numpy as np
import pytest
from click.testing import CliRunner, Result

from clients.bots.baselines import AlwaysCall
from clients.core.arena import Arena
from clients.learners.knowledge_file import write_knowledge
from clients.learners.preflop.learners import HoleCardsLearner
from engine.poker.rules import load_game
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.strategy_file import checkpoint_path, write_strategy
from server.commands.program import riverboat
from tests.engine.solving.test_strategy_file import edited

NAMES = {"RIVERBOAT_SEED": None, "RIVERBOAT_GAME": None, "RIVERBOAT_TOKEN": None}
MISTAKES = [
    tuple(part.strip() for part in line.split("=> "))
    for line in Path(__file__).with_name("mistakes.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def run(*arguments: object) -> Result:
    return CliRunner(env=NAMES).invoke(riverboat, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what commands have saved, whole and damaged."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "text.npz").write_text("hello")

    run("solve", "kuhn-2p", "--iterations", 10, "--save", folder / "k.npz")
    for name in ("torn.npz", "alone.npz"):
        shutil.copy(folder / "k.npz", folder / name)
    torn = checkpoint_path(folder / "k.npz").read_bytes()[:500]
    checkpoint_path(folder / "torn.npz").write_bytes(torn)

    game = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
    slots = np.ones(holdem_betting(game, Percentiles(3).num_buckets).num_slots)
    limit, newer = folder / "limit.npz", folder / "newer-limit.npz"
    write_strategy(limit, BucketedStrategy.of(game, Percentiles(3), slots), {"game": "mine"})
    (folder / "short-limit.npz").write_bytes(limit.read_bytes()[:-200])
    shutil.copy(limit, newer)
    edited(newer, lambda header, _: header.update(schema=99))

    learnt = folder / "hole-cards.npz"
    learner = HoleCardsLearner(knowledge=learnt)
    Arena(load_game("nolimit-2p"), [learner, AlwaysCall()], 3).play(50)
    learner.close_knowledge()
    run("train", "poker-learner", "--against", "always-call", "--hands", 9, "--save", folder / "there.npz")
    (folder / "damaged.npz").write_bytes(learnt.read_bytes()[:-1])
    write_knowledge(folder / "foreign.npz", "chess-learner", "chess", {}, {})
    write_knowledge(folder / "empty.npz", "name-learner", "no-limit Texas hold'em", {}, {})
    write_knowledge(folder / "newer.npz", "name-learner", "no-limit Texas hold'em", {}, {}, version=9)
    return folder


@pytest.mark.parametrize(("typed", "said"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_a_mistake_is_one_line_and_nothing_is_done(typed: str, said: str, files: Path) -> None:
    before = {path: path.read_bytes() for path in files.iterdir()}

    result = run(*shlex.split(typed.format(files=files)))

    lines = [line for line in result.stderr.splitlines() if not line.startswith("riverboat: compiling")]
    if typed.startswith(("bot ", "check-bot ", "telnet ")):  # click shows how they are used, too
        lines = [line for line in lines if line and not line.startswith(("Usage:", "Try "))]
    assert (result.exit_code, result.stdout, len(lines)) == (2, "", 1), result.output
    assert said in f"^{lines[0]}"
    assert {path: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize(
    "typed",
    [
        "odds 7h9h 8h6c4h",
        pytest.param("odds 7h9h 8h6c4h --grid", marks=pytest.mark.slow),
        "preflop --players 6",
        "weights limit-2p r",
        pytest.param("ask random --hole AhKd --trials 0", marks=pytest.mark.slow),
        pytest.param("strategy {files}/limit.npz", marks=pytest.mark.slow),
        pytest.param("strategy {files}/limit.npz cc/ 2c3d4h", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG\r\n\x1a\n"), ("svg", b"<?xml")])
def test_a_picture_is_drawn_in_the_format_of_its_name(
    typed: str, ending: str, start: bytes, files: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"picture.{ending}"

    result = run(*shlex.split(typed.format(files=files)), "--plot", path)

    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(start)
