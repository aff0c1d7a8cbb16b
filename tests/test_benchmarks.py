"""Benchmarks say what they measure, and what is wrong with a command line: one line, exit status 2."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysFold, AlwaysRaise
from engine.poker.rules import load_game
from tests.benchmarks import bench_reading
from tests.benchmarks.bench_reading import won_by_deal
from tests.support.dealer_process import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of peers, when they are loaded
NAMES = sorted(path.stem for path in (Path(__file__).parent / "benchmarks").glob("bench_*.py"))
MISTAKES = [
    ("bench_match_speed", ["no/such/tree"], "expected a folder with a tree of Riverboat, got 'no/such/tree'"),
    ("bench_match_speed", ["--hands", "1"], "expected 2 or more"),
    ("bench_client", ["--repeats", "0"], "expected a whole number from 1 to"),
    ("bench_formula", ["limit-2"], "limit-2p"),
    ("bench_formula", ["limit-2p", "fromula"], "formula"),
    ("bench_reading", ["--against", "limper", "nobody"], "there is no bot 'nobody'"),
    ("bench_reading", ["--than", "nowhere.npz"], "there is no file nowhere.npz"),
    ("bench_reading", ["--opponents-of", "no/such/tree"], "expected a folder with a tree of Riverboat"),
    ("bench_tables", ["--record", "hands.json", "--against", "nobody"], "there is no bot 'nobody'"),
    ("bench_tables", ["pyproject.toml"], "pyproject.toml cannot be read"),
    ("bench_tables", ["tests/golden"], "tests/golden cannot be read"),
    ("bench_sampling", ["match", "limit-2p"], "expected GAME FIRST SECOND, got limit-2p"),
    ("bench_start_up", ["formula:tightness=x"], "tightness"),
]


def ended(name: str, words: list[str]) -> int | str | None:
    """The exit status of a benchmark."""
    with pytest.raises(SystemExit) as end:
        import_module(f"tests.benchmarks.{name}").main(words)
    return end.value.code


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_tells_what_it_is_and_refuses_what_it_does_not_know(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(name, ["--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: python -m tests.benchmarks.{name} ")

    assert ended(name, ["--nonsense"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{name}: ")
    assert said.count("\n") == 1
    assert "--nonsense" in said or name == "bench_sampling"


@pytest.mark.parametrize(("name", "words", "expected"), MISTAKES)
def test_a_mistake_is_told_in_one_line(
    name: str, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(name, words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert expected in said


def test_a_bot_that_is_alone_has_one_seat_and_its_opponents_all_others() -> None:
    """One who always raises wins both blinds of players who always fold, but never from its own seat."""
    game = load_game("limit-6p")
    blinds = sum(game.blinds) / (game.small_bet or 1)

    won = won_by_deal(game, AlwaysRaise, AlwaysFold, 2 * game.num_players, game.num_players, 1, alone=True)

    assert won.sum() == pytest.approx(2 * (game.num_players - 1) * blinds)


@pytest.fixture
def other_tree(tmp_path: Path) -> Path:
    """A version in which `limper` always folds."""
    tree = tmp_path / "other"
    support = tree / "tests" / "support"
    support.mkdir(parents=True)
    for name in ("engine", "protocol", "clients", "server", "tests/__init__.py", "tests/benchmarks"):
        (tree / name).symlink_to(ROOT / name)
    for path in (ROOT / "tests" / "support").iterdir():
        if path.name != "strangers.py":
            (support / path.name).symlink_to(path)
    (support / "strangers.py").write_text(
        "from clients.bots.baselines import AlwaysFold\nSTRANGERS = {'limper': AlwaysFold}\n"
    )
    return tree


def test_opponents_of_another_version_play_as_they_do_there(other_tree: Path, tmp_path: Path) -> None:
    run = ["limit-6p", "simple", "--alone", "--deals", "12", "--match", "6"]
    here, there = tmp_path / "here.npz", tmp_path / "there.npz"

    bench_reading.main([*run, "--against", "random", "always-fold", "--save", str(here)])
    across = ["--opponents-of", str(other_tree), "--save", str(there)]
    bench_reading.main([*run, "--against", "random", "limper", *across])

    expected, won = np.load(here), np.load(there)
    assert list(won["random"]) == list(expected["random"])
    assert list(won["limper"]) == list(expected["always-fold"])


def test_another_version_that_cannot_play_is_told_of_in_one_line(
    other_tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The player is one of ours alone."""
    met = ["--deals", "9", "--against", "station"]
    run = ["limit-2p", "always-call", *met, "--opponents-of", str(other_tree)]

    with pytest.raises(
        SystemExit, match=r"the other version ended before hand 0 did: it has said why, above"
    ):
        bench_reading.main(run)

    assert "bench_reading: argument --half: there is no bot 'station'" in capfd.readouterr().err
