"""Knowledge files: what is written comes back, whole or not at all, and nothing else does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clients.learners import knowledge_file
from clients.learners.knowledge_file import (
    Knowledge,
    KnowledgeError,
    KnowledgeFile,
    journal_path,
    read_journal,
    read_knowledge,
    write_knowledge,
)

ARRAYS: dict[str, NDArray[Any]] = {
    "values": np.arange(12, dtype=np.int32).reshape(4, 3),
    "visits": np.ones(4),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.npz"


def written(path: Path, kind: str = "street-learner", version: int = 1) -> Path:
    meta = {"hands": 7, "names": ["a|b", "é"]}
    write_knowledge(path, kind, "limit Texas hold'em", ARRAYS, meta, version=version)
    return path


def refusal(
    path: Path, kind: str | None = "street-learner", game: str | None = None, version: int = 1
) -> str:
    with pytest.raises(KnowledgeError) as refused:
        read_knowledge(path, kind, game, version=version)
    message = str(refused.value)
    assert "\n" not in message
    assert str(path) in message
    return message


# --- what is written comes back ----------------------------------------------------------------------------


def test_arrays_and_notes_come_back_as_they_were(path: Path) -> None:
    knowledge = read_knowledge(written(path), "street-learner", "limit Texas hold'em")

    assert knowledge.meta == {"hands": 7, "names": ["a|b", "é"]}
    assert set(knowledge.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert knowledge.arrays[name].dtype == array.dtype
        assert np.array_equal(knowledge.arrays[name], array)


def test_the_same_knowledge_is_the_same_file(tmp_path: Path) -> None:
    assert written(tmp_path / "one").read_bytes() == written(tmp_path / "two").read_bytes()


def test_a_clean_end_leaves_the_file_alone(path: Path) -> None:
    with KnowledgeFile(path, "street-learner", write=True) as file:
        file.write("a game", ARRAYS, {})
        file.append("one")
        file.write("a game", ARRAYS, {"hands": 1})

    assert os.listdir(path.parent) == [path.name]


def test_a_link_keeps_pointing_to_the_file(path: Path) -> None:
    link = path.with_name("link.npz")
    link.symlink_to(path.name)
    written(link)

    assert link.is_symlink()
    assert read_knowledge(path).meta["hands"] == 7


def test_objects_are_not_stored(path: Path) -> None:
    with pytest.raises(ValueError, match="objects"):
        write_knowledge(path, "street-learner", "a game", {"values": np.array([{}])}, {})
    assert not path.exists()


# --- what is no such file ----------------------------------------------------------------------------------


NEWER = 3


@pytest.mark.parametrize(
    ("make", "asked", "message"),
    [
        (lambda path: path, {}, "no such file"),
        (lambda path: path.mkdir(), {}, "cannot be read"),
        (
            lambda path: written(path, kind="name-learner"),
            {},
            "a name-learner has learnt, expected a street-l",
        ),
        (written, {"game": "a game"}, "learnt in limit Texas hold'em, expected a game"),
        (lambda path: written(path, version=NEWER), {"version": 2}, "newer riverboat: version 3"),
    ],
    ids=["missing", "folder", "learner", "game", "version"],
)
def test_what_is_not_the_file_is_refused(
    path: Path, make: Callable[[Path], object], asked: dict[str, Any], message: str
) -> None:
    make(path)

    assert message in refusal(path, **asked)


def test_older_contents_are_read(path: Path) -> None:
    assert read_knowledge(written(path, version=NEWER), "street-learner", version=4).version == 3


def test_a_folder_that_is_not_there_is_one_line(path: Path) -> None:
    with pytest.raises(KnowledgeError, match="No such file or directory"):
        written(path.parent / "nowhere" / "knowledge.npz")


def test_a_newer_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge_file, "SCHEMA_VERSION", 2)
    written(path)
    monkeypatch.undo()

    assert "newer riverboat: schema 2, this one reads up to 1" in refusal(path)


# --- one writer --------------------------------------------------------------------------------------------


def test_readers_need_no_lock(path: Path) -> None:
    with KnowledgeFile(written(path), "street-learner", write=True) as file:
        assert file.is_writable
        assert read_knowledge(path).meta["hands"] == 7


def test_a_killed_writer_holds_no_lock(path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from clients.learners.knowledge_file import KnowledgeFile\n"
        "file = KnowledgeFile(pathlib.Path(sys.argv[1]), 'street-learner', write=True)\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"open\n"
        with pytest.raises(KnowledgeError, match="another program"):
            KnowledgeFile(path, "street-learner", write=True)
        writer.send_signal(signal.SIGKILL)
        writer.wait()

    KnowledgeFile(path, "street-learner", write=True).close()


# --- the journal -------------------------------------------------------------------------------------------


def with_journal(path: Path, records: list[str]) -> Knowledge:
    file = KnowledgeFile(path, "street-learner", write=True)
    knowledge = file.write("a game", ARRAYS, {})
    for record in records:
        file.append(record)
    file.close()
    return knowledge


def test_a_reader_gets_the_records_since_the_last_writing(path: Path) -> None:
    with_journal(path, ["one", "two ü"])

    assert read_knowledge(path).records == ("one", "two ü")


@pytest.mark.parametrize("lost", [1, 2, 5, 9])
def test_a_torn_last_record_counts_as_never_written(path: Path, lost: int) -> None:
    with_journal(path, ["one", "two"])
    journal = journal_path(path)
    journal.write_bytes(journal.read_bytes()[:-lost])

    assert read_knowledge(path).records == ("one", "two")[: 2 if lost == 1 else 1]


def test_a_torn_head_is_an_empty_journal(path: Path) -> None:
    with_journal(path, ["one"])
    journal = journal_path(path)
    whole = journal.read_bytes()
    for length in range(whole.index(b"\n")):
        journal.write_bytes(whole[:length])
        assert read_knowledge(path).records == ()


NO_TEXT = b"\xff\xfe"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data.replace(b"one", b"0ne"), "damaged in line 2"),
        (lambda data: b"something else\n" + data, "not a journal"),
        (lambda data: b"something else", "not a journal"),
        (lambda data: data.replace(b"journal 1", b"journal 2"), "version '2'"),
        (lambda data: data.replace(b"journal 1 ", b"journal 1 f"), "does not go on from"),
        (
            lambda data: data + b"%08x %s\n" % (zlib.crc32(NO_TEXT), NO_TEXT),
            "damaged in line 4, which is not",
        ),
    ],
)
def test_a_damaged_or_foreign_journal_is_refused(
    path: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    with_journal(path, ["one", "two"])
    journal = journal_path(path)
    journal.write_bytes(damage(journal.read_bytes()))

    assert message in refusal(path)


def test_a_journal_without_its_file_is_refused(path: Path) -> None:
    with_journal(path, ["one"])
    path.unlink()

    with KnowledgeFile(path, "street-learner", write=True) as file, pytest.raises(KnowledgeError) as refused:
        file.read()
    assert "remove the journal" in str(refused.value)


def test_a_journal_that_is_in_the_file_already_is_not_read_again(path: Path) -> None:
    with_journal(path, ["one"])
    old = journal_path(path).read_bytes()
    with KnowledgeFile(path, "street-learner", write=True) as file:
        file.read()
        file.write("a game", ARRAYS, {"hands": 1})
    journal_path(path).write_bytes(old)  # as if killed before it was removed

    assert read_knowledge(path).records == ()


def test_found_records_are_not_overwritten(path: Path) -> None:
    with_journal(path, ["one"])
    with KnowledgeFile(path, "street-learner", write=True) as file:
        file.read()
        with pytest.raises(AssertionError, match="write the journal"):
            file.append("two")

    assert read_journal(journal_path(path))[1] == ("one",)


def test_the_header_is_readable_without_this_package(path: Path) -> None:
    with np.load(written(path), allow_pickle=False) as archive:
        header = json.loads(bytes(archive["header"]))

    assert (header["kind"], header["schema"]) == ("riverboat knowledge", 1)
    assert (header["learner"], header["notes"]["hands"]) == ("street-learner", 7)
