"""Arrays that were computed are found again, and nothing that is wrong with the cache matters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.support.files.cache import cache_directory, load_cached, store_cached
from tests.support.asserting import known

POINTS = np.arange(6).reshape(2, 3)
EXPECTED = {"points": ((2, 3), np.int64)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_folder_is_the_users_cache_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", "/somewhere")
    assert cache_directory() == Path("/somewhere")

    monkeypatch.delenv("RIVERBOAT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert cache_directory() == Path("/cache/riverboat")

    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_directory() == Path("/home/somebody/.cache/riverboat")


def test_arrays_are_kept(folder: Path) -> None:
    assert load_cached("deep/below", 1, EXPECTED) is None

    store_cached("deep/below", 1, {"points": POINTS, "more": [1.5]})

    kept = known(load_cached("deep/below", 1, EXPECTED))
    assert kept.keys() == {"points"}
    assert np.array_equal(kept["points"], POINTS)
    assert kept["points"].flags.c_contiguous
    assert [path.name for path in (folder / "deep").iterdir()] == ["below.npz"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (2, EXPECTED),
        (1, {"points": ((3, 2), np.int64)}),
        (1, {"points": ((2, 3), np.int32)}),
        (1, {**EXPECTED, "more": ((), np.int64)}),
    ],
    ids=["another schema", "another shape", "another type", "an array more"],
)
def test_what_is_not_expected_is_not_read(
    schema: int, expected: dict[str, tuple[tuple[int, ...], type]]
) -> None:
    store_cached("points", 1, {"points": POINTS})

    assert load_cached("points", schema, expected) is None


def test_a_damaged_file_is_not_read_wherever_the_damage_is(folder: Path) -> None:
    store_cached("points", 1, {"points": POINTS})
    file = folder / "points.npz"
    whole = file.read_bytes()

    for end in range(0, len(whole), 5):
        file.write_bytes(whole[:end])
        assert load_cached("points", 1, EXPECTED) is None
    for place in range(0, len(whole), 3):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        kept = load_cached("points", 1, EXPECTED)
        assert kept is None or np.array_equal(kept["points"], POINTS)


def test_a_folder_that_cannot_be_written_costs_the_computation_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", "/dev/null/nowhere")

    store_cached("points", 1, {"points": POINTS})

    assert load_cached("points", 1, EXPECTED) is None
