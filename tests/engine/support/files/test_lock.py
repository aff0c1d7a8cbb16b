"""Locks of files: one holder, who leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.support.files.lock import FileIsLocked, FileLock


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = FileLock(path)

    with pytest.raises(FileIsLocked):
        FileLock(path)
    first.release()
    first.release()
    second = FileLock(path)
    first.release()  # not the second's

    with pytest.raises(FileIsLocked):
        FileLock(path)
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_locked_as_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    lock = FileLock(tmp_path / "link")

    with pytest.raises(FileIsLocked):
        FileLock(tmp_path / "file")
    lock.release()


def test_a_folder_that_is_missing_is_named_by_its_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "missing" / "file")
