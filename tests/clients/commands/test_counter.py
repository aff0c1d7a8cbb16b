"""``riverboat counter``: answers to opponents of Leduc, and what is refused."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall
from clients.bots.equilibrium import Equilibrium
from clients.commands.solve.counter import counter as command
from clients.core.arena import Arena
from engine.poker.rules import load_game
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.strategies import exploitability
from engine.solving.strategy_file import read_strategy, write_strategy
from tests.support.commands import reports

report = reports(command)


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
    monkeypatch.setattr("clients.commands.solve.counter._BOARDS", 2)
    game = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
    betting = holdem_betting(game, Percentiles(2).num_buckets)
    strategy = BucketedStrategy.of(game, Percentiles(2), np.ones(betting.num_slots))
    write_strategy(tmp_path / "even.npz", strategy, {"game": "one raise"})
    return tmp_path / "even.npz"


@pytest.mark.parametrize("kind", [pytest.param("rnr", marks=pytest.mark.slow), "dbr"])
def test_an_answer_on_buckets_is_saved_and_plays(kind: str, one_raise: Path, tmp_path: Path) -> None:
    options = ["--kind", kind, "--iterations", 2, "--hands", 5, "--save", tmp_path / "a.npz"]

    found = report(one_raise, *options)

    assert found["exploitation_se"] > 0
    assert found["exploitability"] is None  # it takes a while, and is measured for the curve
    saved = read_strategy(tmp_path / "a.npz")
    assert saved.notes["against"] == str(one_raise)
    Arena(saved.game, [Equilibrium(tmp_path / "a.npz"), AlwaysCall()], 1).play(4)
