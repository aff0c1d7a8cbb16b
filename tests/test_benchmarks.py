"""Benchmarks say what they measure, and what is wrong with a command line: one line, exit status 2."""

from importlib import import_module
from pathlib import Path

import pytest

from clients.bots.baselines import AlwaysFold, AlwaysRaise
from engine.poker.rules import load_game
from tests.benchmarks.bench_reading import won_by_deal

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of peers, when they are loaded
NAMES = sorted(path.stem for path in (Path(__file__).parent / "benchmarks").glob("bench_*.py"))
MISTAKES = [
    ("bench_match_speed", ["no/such/tree"], "expected a folder with a tree of Riverboat, got 'no/such/tree'"),
    ("bench_match_speed", ["--hands", "1"], "expected 2 or more"),
    ("bench_client", ["--repeats", "0"], "expected a whole number from 1 to"),
    ("bench_formula", ["limit-2"], "limit-2p"),
    ("bench_formula", ["limit-2p", "fromula"], "formula"),
    ("bench_reading", ["--against", "limper", "nobody"], "there is no bot 'nobody'"),
    ("bench_compare", ["--runs", "0"], "expected a whole number from 1 to"),
    ("bench_tables", ["--record", "hands.json", "--against", "nobody"], "there is no bot 'nobody'"),
    ("bench_tables", ["pyproject.toml"], "pyproject.toml cannot be read"),
    ("bench_tables", ["tests/golden"], "tests/golden cannot be read"),
    ("bench_sampling", ["time", "limit-2p"], "expected GAME OPPONENT, got limit-2p"),
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
