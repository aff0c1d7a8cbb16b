"""Files are replaced in one step, locks have one holder, and what was computed is found again."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.support.files import write_whole
from engine.support.files.cache import cache_directory, load_cached, store_cached
from engine.support.files.lock import FileIsLocked, FileLock
from tests.support.asserting import known, refuses

# --- whole --------------------------------------------------------------------------------------------------


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    former = os.umask(request.param)
    yield request.param
    os.umask(former)


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("durable", [False, True])
def test_text_and_bytes_are_written(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "words"

    write_whole(path, "Bube, Dame, König\n", durable=durable)
    assert path.read_text("utf-8") == "Bube, Dame, König\n"

    write_whole(str(path), b"\x00\xff", durable=durable)
    assert path.read_bytes() == b"\x00\xff"

    assert os.listdir(tmp_path) == ["words"]


def test_a_new_file_has_the_permissions_of_one_that_is_opened(tmp_path: Path, umask: int) -> None:
    (tmp_path / "opened").write_text("")

    write_whole(tmp_path / "new", "")
    write_whole(tmp_path / "secret", "", mode=0o600)

    assert permissions(tmp_path / "new") == permissions(tmp_path / "opened") == 0o666 & ~umask
    assert permissions(tmp_path / "secret") == 0o600 & ~umask


def test_an_old_file_keeps_its_permissions(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)

    write_whole(path, "new")

    assert permissions(path) == 0o640


def test_a_symbolic_link_goes_on_pointing_to_what_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "target", tmp_path / "link"
    link.symlink_to("kept/target")  # no such file yet

    for contents in ("first", "second"):
        write_whole(link, contents)

        assert link.is_symlink()
        assert target.read_text() == contents
    assert sorted(os.listdir(tmp_path)) == ["kept", "link"]
    assert os.listdir(tmp_path / "kept") == ["target"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)

    refuses(OSError, "Too many levels of symbolic links", write_whole, link, "")

    assert link.is_symlink()


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_whole(pipe, "through")

    assert os.read(reader, 100) == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)


@pytest.mark.parametrize("step", ["fchmod", "fsync", "replace"])
def test_a_failure_at_any_step_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    refuses(OSError, "No space left", write_whole, path, "new", durable=True)
    monkeypatch.undo()

    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_interrupt_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    refuses(KeyboardInterrupt, "", write_whole, tmp_path / "file", "new")

    assert os.listdir(tmp_path) == []


def test_a_folder_is_no_file_and_must_exist(tmp_path: Path) -> None:
    refuses(IsADirectoryError, "", write_whole, tmp_path, "")
    refuses(FileNotFoundError, "", write_whole, tmp_path / "nowhere" / "file", "")

    assert os.listdir(tmp_path) == []


def test_what_several_write_at_once_is_always_the_whole_of_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = {letter * (50_000 + number) for number, letter in enumerate("abc")}
    write_whole(path, min(contents))

    def write(text: str) -> None:
        for _ in range(50):
            write_whole(path, text)

    threads = [threading.Thread(target=write, args=(text,)) for text in contents]

    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert path.read_text() in contents
    for thread in threads:
        thread.join()

    assert path.read_text() in contents
    assert os.listdir(tmp_path) == ["file"]


# --- lock ---------------------------------------------------------------------------------------------------


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = FileLock(path)

    refuses(FileIsLocked, "", FileLock, path)
    first.release()
    first.release()
    second = FileLock(path)
    first.release()  # not the second's

    refuses(FileIsLocked, "", FileLock, path)
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_locked_as_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    lock = FileLock(tmp_path / "link")

    refuses(FileIsLocked, "", FileLock, tmp_path / "file")
    lock.release()


def test_a_folder_that_is_missing_is_named_by_its_error(tmp_path: Path) -> None:
    refuses(FileNotFoundError, "", FileLock, tmp_path / "missing" / "file")


# --- cache --------------------------------------------------------------------------------------------------

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
        (2, EXPECTED), (1, {"points": ((3, 2), np.int64)}), (1, {"points": ((2, 3), np.int32)}),
        (1, {**EXPECTED, "more": ((), np.int64)}),
    ],
    ids=["another schema", "another shape", "another type", "an array more"],
)  # fmt: skip
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
