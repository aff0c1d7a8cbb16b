"""Strategy files and checkpoints come back as they went, and nothing else is taken for one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from engine.poker.rules import load_game
from engine.solving.game_tree import game_tree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import HoldemBetting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.solver import Solver
from engine.solving.strategy_file import (
    PARTS,
    SCHEMA,
    bucketed_of_levels,
    format_levels,
    read_checkpoint,
    read_strategy,
    write_checkpoint,
    write_strategy,
)
from engine.support.files.archive import Archive, ArchiveError, read_archive, write_archive
from tests.engine.solving.games import KUHN, LEDUC
from tests.support.asserting import refuses


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kuhn.npz"
    solver = Solver(game_tree(KUHN))
    solver.run(10)
    write_strategy(path, solver.average(), {"algorithm": "cfr+", "iterations": 10})
    return path


def test_a_strategy_comes_back(file: Path) -> None:
    solver = Solver(game_tree(KUHN))
    solver.run(10)

    found = read_strategy(file, KUHN)

    assert found.game == KUHN
    assert found.notes == {"algorithm": "cfr+", "iterations": 10}
    assert found.strategy.policy == pytest.approx(solver.average().policy, abs=1e-7)


def test_a_checkpoint_comes_back_bit_for_bit(tmp_path: Path) -> None:
    solver = Solver(game_tree(LEDUC), "mcfr", seed=3)
    solver.run(50)
    path = tmp_path / "leduc.npz.checkpoint"
    write_checkpoint(path, LEDUC, solver.state(), {"seed": 3})

    state = read_checkpoint(path, LEDUC, {"seed": 3})

    for name, expected in solver.state().items():
        assert np.array_equal(state[name], expected)
        assert state[name].dtype == expected.dtype


def edited(file: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change header and arrays, with a digest that fits."""
    found = read_archive(file, "riverboat strategy", SCHEMA, 1 << 28)
    header: dict[str, Any] = {"kind": found.kind, "schema": found.schema, **found.meta}
    arrays = dict(found.arrays)
    edit(header, arrays)
    write_archive(file, Archive(header.pop("kind"), header.pop("schema"), header, arrays))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda header, _: header.update(schema=4),
            "written by a newer riverboat: schema 4, this one reads up to 3",
        ),
        (
            lambda header, _: header.update(kind="something"),
            "is of another kind: expected 'riverboat strategy', got 'something'",
        ),
        (
            lambda header, _: header.update(game="GAMEDEF\nEND GAMEDEF"),
            "is damaged: .*expected 1 to 4 betting rounds",
        ),
        (
            lambda _, arrays: arrays.update(policy=arrays["policy"][:-1]),
            "expected 'policy', an array of shape",
        ),
        (lambda _, arrays: arrays.update(policy=arrays["policy"] * 2), "do not add up to 1"),
        (lambda _, arrays: arrays.update(policy=arrays["policy"] * np.nan), "expected numbers from 0.0"),
        (lambda header, _: header.pop("notes"), "is damaged: 'notes' is missing"),
        (lambda header, _: header.update(notes=[]), "is damaged: expected 'game', a text, and 'notes'"),
    ],
)
def test_files_that_say_something_else_are_refused(
    file: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None], message: str
) -> None:
    edited(file, edit)

    refuses(ArchiveError, message, read_strategy, file)


def test_another_game_is_refused(file: Path, tmp_path: Path) -> None:
    refuses(ArchiveError, "plays another game: num_rounds is 1, expected 2", read_strategy, file, LEDUC)
    refuses(ArchiveError, "there is no such file", read_strategy, tmp_path / "nothing.npz")
    with pytest.raises(ArchiveError, match="expected 'riverboat checkpoint', got 'riverboat strategy'"):
        read_checkpoint(file, KUHN, {})
    with pytest.raises(ArchiveError, match="cannot be written: No such file or directory"):
        write_strategy(tmp_path / "no" / "folder.npz", read_strategy(file).strategy, {})


def test_a_checkpoint_made_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.checkpoint"
    write_checkpoint(path, KUHN, Solver(game_tree(KUHN)).state(), {"algorithm": "cfr", "seed": 1})

    with pytest.raises(ArchiveError, match="was made with algorithm 'cfr', expected cfr\\+: give the same"):
        read_checkpoint(path, KUHN, {"algorithm": "cfr+", "seed": 1})
    with pytest.raises(ArchiveError, match="is of another game: num_rounds is 1, expected 2"):
        read_checkpoint(path, LEDUC, {"algorithm": "cfr", "seed": 1})


# --- chances on buckets -------------------------------------------------------------------------------------

ONE_RAISE = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
BETTING = HoldemBetting(ONE_RAISE, Percentiles(3).num_buckets)


@pytest.fixture(scope="module")
def strategy() -> BucketedStrategy:
    """At random, with many actions that are never done."""
    generator = np.random.default_rng(1)
    weights = generator.exponential(size=BETTING.num_slots) * generator.integers(0, 2, BETTING.num_slots)
    return BucketedStrategy.of(ONE_RAISE, Percentiles(3), weights)


def test_every_chance_comes_back_within_one_part(strategy: BucketedStrategy) -> None:
    levels = format_levels(BETTING, strategy.policy)

    policy = bucketed_of_levels(BETTING, Percentiles(3), levels, PARTS).policy

    assert levels.shape == (BETTING.num_slots - BETTING.num_information_sets,)
    # Sums of chances are rounded: each of two that a chance lies between is off by half a part at most.
    assert np.abs(policy - strategy.policy).max() <= 1 / PARTS
    for decision in BETTING.decisions.values():
        for bucket in range(BETTING.num_buckets[decision.betting_round]):
            assert policy[decision.slots(bucket)].sum() == pytest.approx(1, abs=1e-12)
    assert (policy[strategy.policy == 0] == 0).all()
    assert (policy[strategy.policy == 1] == 1).all()


def test_writing_what_was_read_changes_nothing(strategy: BucketedStrategy, tmp_path: Path) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    write_strategy(first, strategy, {})
    found = read_strategy(first).strategy
    assert isinstance(found, BucketedStrategy)

    write_strategy(second, found, {})

    again = read_strategy(second).strategy
    assert np.array_equal(again.policy, found.policy)


def test_older_files_have_a_byte_for_every_action(strategy: BucketedStrategy, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, strategy, {})

    def as_before(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["schema"] = 2
        del header["notes"]["parts"]
        arrays["policy"] = np.rint(strategy.policy * 255).astype(np.uint8)

    edited(path, as_before)

    assert read_strategy(path).strategy.policy == pytest.approx(strategy.policy, abs=1 / 250)


def _cut(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["policy"] = arrays["policy"][:-1]


def _too_much(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["policy"] = np.full_like(arrays["policy"], PARTS)


def _fractions(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["policy"] = arrays["policy"].astype(np.float32)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (_cut, r"is damaged: expected 'policy', an array of shape \(\d+,\) and type \|u1, got one of shape"),
        (_too_much, f"is damaged: expected chances that add up to {PARTS} parts at most"),
        (_fractions, r"is damaged: expected 'policy', .* of shape \(\d+,\) and type <f4"),
        (
            lambda header, _: header["notes"].update(parts=256),
            "is damaged: expected 1 to 255 'parts', got 256",
        ),
        (lambda header, _: header["notes"].update(parts="all"), "expected 1 to 255 'parts', got 'all'"),
    ],
)
def test_impossible_chances_are_refused(
    edit: Any, message: str, strategy: BucketedStrategy, tmp_path: Path
) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, strategy, {})
    edited(path, edit)

    refuses(ArchiveError, message, read_strategy, path)
