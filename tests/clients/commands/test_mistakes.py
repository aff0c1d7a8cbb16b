"""What commands refuse in one line, and ``strategy``, ``counter`` and ``preflop``: what they show."""

from __future__ import annotations

import itertools
import shlex
import shutil
from pathlib import Path

import attrs
import numpy as np
import pytest
from click.testing import CliRunner, Result

from clients.bots.baselines import AlwaysCall
from clients.bots.equilibrium import Equilibrium
from clients.commands.solve.counter import counter
from clients.commands.solve.strategy import strategy
from clients.core.arena import Arena
from clients.learners.preflop.learners import HoleCardsLearner
from engine.poker.rules import format_game, load_game
from engine.solving.game_tree import game_tree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.strategies import Strategy, exploitability, policy_with
from engine.solving.strategy_file import checkpoint_path, read_strategy, write_strategy
from server.commands.program import riverboat
from tests.engine.solving.test_strategy_file import edited
from tests.server.league.houses import plan_text
from tests.support.commands import reports, runs
from tests.support.knowledge import write_knowledge

# --- What the players' commands refuse, in one line, with exit status 2 and nothing done --------------------

NAMES = {"RIVERBOAT_SEED": None, "RIVERBOAT_GAME": None, "RIVERBOAT_TOKEN": None}
MISTAKES = [
    tuple(part.strip() for part in line.split("=> "))
    for line in Path(__file__).with_name("mistakes.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]

CLICKS_OWN = ("bot", "check-bot", "match", "telnet", "tournament")
"""Click shows how these are used, too."""


def called(*arguments: object) -> Result:
    return CliRunner(env=NAMES).invoke(riverboat, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what commands have saved, whole and damaged."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "text.npz").write_text("hello")
    (folder / "cup.toml").write_text(plan_text("random", "always-call"))
    stacks = format_game(load_game("nolimit-2p")).partition("stack")[2].partition("\n")[0]
    (folder / "deep.game").write_text(format_game(load_game("nolimit-2p")).replace(f"stack{stacks}\n", ""))

    called("solve", "kuhn-2p", "--iterations", 10, "--save", folder / "k.npz")
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
    called("train", "poker-learner", "--against", "always-call", "--hands", 9, "--save", folder / "there.npz")
    (folder / "damaged.npz").write_bytes(learnt.read_bytes()[:-1])
    write_knowledge(folder / "foreign.npz", "chess-learner", "chess", {}, {})
    write_knowledge(folder / "empty.npz", "name-learner", "no-limit Texas hold'em", {}, {})
    write_knowledge(folder / "newer.npz", "name-learner", "no-limit Texas hold'em", {}, {}, version=9)
    return folder


@pytest.mark.parametrize(("typed", "said"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_a_mistake_is_one_line_and_nothing_is_done(
    typed: str, said: str, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in files.iterdir()}

    result = called(*shlex.split(typed.format(files=files, digits="9" * 4301)))

    lines = [line for line in result.stderr.splitlines() if not line.startswith("riverboat: compiling")]
    if typed.split()[0] in (
        "bot",
        "check-bot",
        "match",
        "telnet",
        "tournament",
    ):  # click shows how they are used, too
        lines = [line for line in lines if line and not line.startswith(("Usage:", "Try "))]
    assert (result.exit_code, result.stdout, len(lines)) == (2, "", 1), result.output
    assert said in f"^{lines[0]}"
    assert {path: path.read_bytes() for path in files.iterdir()} == before
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


STARTS = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml"}
PICTURES = (
    "odds 7h9h 8h6c4h", "preflop --players 6", "weights limit-2p r", "odds 7h9h 8h6c4h --grid",
    "ask random --hole AhKd --trials 0", "strategy {files}/limit.npz",
    "strategy {files}/limit.npz cc/ 2c3d4h",
)  # fmt: skip
DRAWN = {(PICTURES[0], "png"), (PICTURES[1], "svg"), (PICTURES[2], "png")}


@pytest.mark.parametrize(
    ("typed", "ending"),
    [
        pytest.param(*each, marks=() if each in DRAWN else pytest.mark.slow)
        for each in itertools.product(PICTURES, STARTS)
    ],
)
def test_a_picture_is_drawn_in_the_format_of_its_name(
    typed: str, ending: str, files: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"picture.{ending}"

    result = called(*shlex.split(typed.format(files=files)), "--plot", path)

    assert result.exit_code == 0, result.output
    assert path.read_bytes().startswith(STARTS[ending])


# --- `riverboat strategy` -----------------------------------------------------------------------------------

run, shown = runs(strategy), reports(strategy)

LIMIT = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))


@pytest.fixture(scope="module")
def limit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Aces always raise at first, all else folds two ninths; on the flop the best third bets, if it may."""
    path = tmp_path_factory.mktemp("strategy") / "limit.npz"
    betting = holdem_betting(LIMIT, Percentiles(3).num_buckets)
    weights = np.ones(betting.num_slots)
    first, flop = betting.decisions[""], betting.decisions["cc/"]
    for bucket in range(169):
        weights[first.slots(bucket)] = (0, 0, 1) if bucket == 168 else (2, 7, 0)
    for bucket in range(3):
        weights[flop.slots(bucket)] = (0, 1) if bucket == 2 else (1, 0)
    write_strategy(path, BucketedStrategy.of(LIMIT, Percentiles(3), weights), {"game": "mine"})
    return path


def test_holdem_is_shown_as_a_grid(limit: Path) -> None:
    result = run(limit)

    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "mine first to act: position 1 is to act"
    assert lines[1].split() == list("AKQJT98765432")
    assert lines[2].split() == ["A", "r100", *["c", "78"] * 12]
    assert lines[3].split() == ["K", *["c", "78"] * 13]
    assert "goes on: c, r" in lines[15]
    assert max(map(len, lines[:15])) <= 80


def test_a_flop_shows_the_mean_of_the_hands_that_can_be_there(limit: Path) -> None:
    report = shown(limit, "cc/", "AhAsAd")

    assert report["position"] == 0
    assert "AA" not in report["hands"]
    assert report["hands"]["AKs"] == {"c": 0.0, "r": 1.0}
    assert report["hands"]["32o"] == {"c": 1.0, "r": 0.0}
    assert len(report["hands"]) == 168


def test_a_small_game_is_shown_as_a_list_of_hands(tmp_path: Path) -> None:
    tree = game_tree(load_game("leduc"))
    write_strategy(tmp_path / "l.npz", Strategy(tree, policy_with(tree, [1, 2, 1])), {"game": "leduc"})

    first = shown(tmp_path / "l.npz")["hands"]
    second = shown(tmp_path / "l.npz", "rc/r")["hands"]

    assert first == {hand: pytest.approx({"c": 2 / 3, "r": 1 / 3}) for hand in first}
    assert len(first) == 6
    assert len(second) == 30
    assert second["Qs Kh"] == pytest.approx({"f": 0.25, "c": 0.5, "r": 0.25})
    assert "0.6667" in run(tmp_path / "l.npz").stdout


# --- `riverboat counter` ------------------------------------------------------------------------------------

report = reports(counter)


def test_answers_to_a_caller_are_those_that_were_worked_out(tmp_path: Path) -> None:
    """Equilibrium.md 3.3: all of 1466.7 can be won, giving away 3600 or 328.5."""
    best = report("always-call", "--game", "leduc", "--kind", "best", "--save", tmp_path / "b.npz")
    safe = report("always-call", "--game", "leduc", "--part", 0.75, "--save", tmp_path / "s.npz")

    assert best["exploitation"] == pytest.approx(1466.667, abs=0.001)
    assert best["exploitability"] > 2500
    assert (safe["exploitation"], safe["exploitability"]) == pytest.approx((1466.7, 328.5), abs=1)
    saved = read_strategy(tmp_path / "s.npz").strategy
    found = exploitability(saved.tree, saved.policy)  # type: ignore[union-attr]
    assert 1000 * found.mean == pytest.approx(safe["exploitability"], abs=0.1)


def test_answers_to_what_was_seen_depend_on_the_seed_alone(tmp_path: Path) -> None:
    options = ["random", "--game", "leduc", "--hands", 300, "--iterations", 100]
    first = report(*options, "--kind", "dbr", "--seed", 2, "--save", tmp_path / "1.npz")
    again = report(*options, "--kind", "dbr", "--seed", 2, "--save", tmp_path / "2.npz")
    greedy = report(*options, "--kind", "fbr", "--seed", 2, "--save", tmp_path / "3.npz")

    assert first["exploitation"] == again["exploitation"]
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
    assert greedy["exploitability"] > first["exploitability"]


@pytest.mark.slow
def test_a_curve_is_drawn_and_told(tmp_path: Path) -> None:
    """Worked out: against a player who always bets, .5 to .95 win 333.3 in Kuhn's game and lose 111.1."""
    plot = tmp_path / "curve.svg"
    found = report("always-raise", "--game", "kuhn-2p", "--save", tmp_path / "r.npz", "--plot", plot)

    curve = {point["part"]: (point["exploitation"], point["exploitability"]) for point in found["curve"]}
    for part in (0.5, 0.75, 0.9, 0.95):
        assert curve[part] == pytest.approx((333.3, 111.1), abs=1)
    assert (found["exploitation"], found["exploitability"]) == pytest.approx(curve[0.75])
    assert curve[1.0][0] == pytest.approx(333.3, abs=0.1)
    assert curve[0.0][1] == pytest.approx(0, abs=1)
    text = plot.read_text()
    assert text.startswith("<?xml")
    assert len(text) > 5000


# --- hold'em, on buckets -----------------------------------------------------------------------------------


@pytest.fixture
def one_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A strategy file of anything, in limit hold'em of one raise; little is measured."""
    monkeypatch.setattr("clients.lab.exploitability.counters._BOARDS", 2)
    game = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
    betting = holdem_betting(game, Percentiles(2).num_buckets)
    strategy = BucketedStrategy.of(game, Percentiles(2), np.ones(betting.num_slots))
    write_strategy(tmp_path / "even.npz", strategy, {"game": "one raise"})
    return tmp_path / "even.npz"


@pytest.mark.parametrize("kind", [pytest.param("rnr", marks=pytest.mark.slow), "dbr"])
def test_an_answer_on_buckets_is_saved_and_plays(kind: str, one_raise: Path, tmp_path: Path) -> None:
    options = ["--kind", kind, "--iterations", 2, "--save", tmp_path / "a.npz"]
    options += ["--hands", 5] if kind == "dbr" else []

    found = report(one_raise, *options)

    assert found["exploitation_se"] > 0
    assert found["exploitability"] is None  # it takes a while, and is measured for the curve
    saved = read_strategy(tmp_path / "a.npz")
    assert saved.notes["against"] == str(one_raise)
    Arena(saved.game, [Equilibrium(tmp_path / "a.npz"), AlwaysCall()], 1).play(4)
