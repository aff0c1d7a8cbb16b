"""Strategy files and checkpoints come back as they went, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.solving import strategy_file
from engine.solving.game_tree import game_tree
from engine.solving.solver import Solver
from engine.solving.strategy_file import (
    StrategyFileError,
    read_checkpoint,
    read_strategy,
    write_checkpoint,
    write_strategy,
)
from engine.support.files.formats import format_arrays, parse_arrays
from tests.engine.solving.games import KUHN, LEDUC


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


@pytest.mark.parametrize("size", [0, 1, 100, 700, -1])
def test_a_truncated_file_is_refused(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])

    with pytest.raises(StrategyFileError, match=r"kuhn\.npz is not a whole strategy: .*") as caught:
        read_strategy(file)
    assert "\n" not in str(caught.value)


def edited(file: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change header and arrays, with a digest that fits."""
    arrays = dict(parse_arrays(file.read_bytes(), 1 << 28))
    header = json.loads(bytes(arrays.pop("header")))
    edit(header, arrays)
    header["digest"] = strategy_file._digest(header["format"], header["game"], header["notes"], arrays)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    file.write_bytes(format_arrays({"header": text, **arrays}))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda header, _: header.update(schema=4),
            "written by a newer riverboat: schema 4, this one reads up to 3",
        ),
        (
            lambda header, _: header.update(format="something"),
            "is not a strategy: expected 'riverboat strategy'",
        ),
        (
            lambda header, _: header.update(game="GAMEDEF\nEND GAMEDEF"),
            "is damaged: .*expected 1 to 4 betting rounds",
        ),
        (lambda _, arrays: arrays.update(policy=arrays["policy"][:-1]), "expected 24 chances in 'policy'"),
        (lambda _, arrays: arrays.update(policy=arrays["policy"] * 2), "do not add up to 1"),
        (lambda _, arrays: arrays.update(policy=arrays["policy"] * np.nan), "do not add up to 1"),
    ],
)
def test_files_that_say_something_else_are_refused(
    file: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None], message: str
) -> None:
    edited(file, edit)

    with pytest.raises(StrategyFileError, match=message):
        read_strategy(file)


def test_contents_that_were_changed_are_refused(file: Path) -> None:
    arrays = dict(parse_arrays(file.read_bytes(), 1 << 28))
    arrays["policy"] = arrays["policy"][::-1]
    file.write_bytes(format_arrays(arrays))

    with pytest.raises(StrategyFileError, match="its contents are not those it was written with"):
        read_strategy(file)


def test_another_game_is_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(StrategyFileError, match="plays another game: num_rounds is 1, expected 2"):
        read_strategy(file, LEDUC)
    with pytest.raises(StrategyFileError, match="there is no such file"):
        read_strategy(tmp_path / "nothing.npz")
    with pytest.raises(StrategyFileError, match="expected 'riverboat checkpoint' in its header"):
        read_checkpoint(file, KUHN, {})
    with pytest.raises(StrategyFileError, match="cannot be written: No such file or directory"):
        write_strategy(tmp_path / "no" / "folder.npz", read_strategy(file).strategy, {})


def test_a_checkpoint_made_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.checkpoint"
    write_checkpoint(path, KUHN, Solver(game_tree(KUHN)).state(), {"algorithm": "cfr", "seed": 1})

    with pytest.raises(
        StrategyFileError, match="was made with algorithm 'cfr', expected cfr\\+: give the same"
    ):
        read_checkpoint(path, KUHN, {"algorithm": "cfr+", "seed": 1})
    with pytest.raises(StrategyFileError, match="is of another game: num_rounds is 1, expected 2"):
        read_checkpoint(path, LEDUC, {"algorithm": "cfr", "seed": 1})
