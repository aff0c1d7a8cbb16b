"""Knowledge files and knowledge bases: what is written comes back, whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from clients.learners import knowledge_file
from clients.learners.preflop.knowledge import KnowledgeBase
from clients.learners.preflop.learners import PokerLearner
from tests.support.asserting import refuses
from tests.support.knowledge import write_knowledge

# --- Knowledge files ----------------------------------------------------------------------------------------

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


def refusal(path: Path, kind: str | None = "street-learner") -> str:
    with pytest.raises(knowledge_file.KnowledgeError) as refused:
        knowledge_file.read_knowledge(path, kind)
    message = str(refused.value)
    assert "\n" not in message
    assert str(path) in message
    return message


# --- what is written comes back ----------------------------------------------------------------------------


def test_arrays_and_notes_come_back_as_they_were(path: Path) -> None:
    knowledge = knowledge_file.read_knowledge(written(path), "street-learner")

    assert knowledge.meta == {"hands": 7, "names": ["a|b", "é"]}
    assert set(knowledge.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert knowledge.arrays[name].dtype == array.dtype
        assert np.array_equal(knowledge.arrays[name], array)


def test_the_same_knowledge_is_the_same_file(tmp_path: Path) -> None:
    assert written(tmp_path / "one").read_bytes() == written(tmp_path / "two").read_bytes()


def test_a_clean_end_leaves_the_file_alone(path: Path) -> None:
    with closing(knowledge_file.KnowledgeFile(path, "street-learner", write=True)) as file:
        file.write("a game", ARRAYS, {})
        file.append("one")
        file.write("a game", ARRAYS, {"hands": 1})

    assert os.listdir(path.parent) == [path.name]


def test_a_link_keeps_pointing_to_the_file(path: Path) -> None:
    link = path.with_name("link.npz")
    link.symlink_to(path.name)
    written(link)

    assert link.is_symlink()
    assert knowledge_file.read_knowledge(path).meta["hands"] == 7


def test_objects_are_not_stored(path: Path) -> None:
    with pytest.raises(ValueError, match="objects"):
        write_knowledge(path, "street-learner", "a game", {"values": np.array([{}])}, {})
    assert not path.exists()


# --- what is no such file ----------------------------------------------------------------------------------


NEWER = 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path, "no such file"),
        (lambda path: path.mkdir(), "cannot be read"),
        (lambda path: written(path, kind="name-learner"), "a name-learner has learnt, expected a street-l"),
        (lambda path: written(path, version=NEWER), "newer riverboat: version 3"),
    ],
    ids=["missing", "folder", "learner", "version"],
)  # fmt: skip
def test_what_is_not_the_file_is_refused(path: Path, make: Callable[[Path], object], message: str) -> None:
    make(path)

    assert message in refusal(path)


def test_older_contents_are_read(path: Path) -> None:
    older = knowledge_file.KnowledgeFile(written(path, version=NEWER), "street-learner", version=4).read()

    assert older is not None
    assert older.version == NEWER


def test_a_folder_that_is_not_there_is_one_line(path: Path) -> None:
    with pytest.raises(knowledge_file.KnowledgeError, match="No such file or directory"):
        written(path.parent / "nowhere" / "knowledge.npz")


def test_a_newer_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge_file, "SCHEMA_VERSION", 2)
    written(path)
    monkeypatch.undo()

    assert "newer riverboat: schema 2, this one reads up to 1" in refusal(path)


# --- one writer --------------------------------------------------------------------------------------------


def test_readers_need_no_lock(path: Path) -> None:
    with closing(knowledge_file.KnowledgeFile(written(path), "street-learner", write=True)) as file:
        assert file.is_writable
        assert knowledge_file.read_knowledge(path).meta["hands"] == 7


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
        with pytest.raises(knowledge_file.KnowledgeError, match="another program"):
            knowledge_file.KnowledgeFile(path, "street-learner", write=True)
        writer.send_signal(signal.SIGKILL)
        writer.wait()

    knowledge_file.KnowledgeFile(path, "street-learner", write=True).close()


# --- the journal -------------------------------------------------------------------------------------------


def with_journal(path: Path, records: list[str]) -> knowledge_file.Knowledge:
    file = knowledge_file.KnowledgeFile(path, "street-learner", write=True)
    knowledge = file.write("a game", ARRAYS, {})
    for record in records:
        file.append(record)
    file.close()
    return knowledge


def test_a_reader_gets_the_records_since_the_last_writing(path: Path) -> None:
    with_journal(path, ["one", "two ü"])

    assert knowledge_file.read_knowledge(path).records == ("one", "two ü")


@pytest.mark.parametrize("lost", [1, 2, 5, 9])
def test_a_torn_last_record_counts_as_never_written(path: Path, lost: int) -> None:
    with_journal(path, ["one", "two"])
    journal = knowledge_file.journal_path(path)
    journal.write_bytes(journal.read_bytes()[:-lost])

    assert knowledge_file.read_knowledge(path).records == ("one", "two")[: 2 if lost == 1 else 1]


def test_a_torn_head_is_an_empty_journal(path: Path) -> None:
    with_journal(path, ["one"])
    journal = knowledge_file.journal_path(path)
    whole = journal.read_bytes()
    for length in range(whole.index(b"\n")):
        journal.write_bytes(whole[:length])
        assert knowledge_file.read_knowledge(path).records == ()


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
    journal = knowledge_file.journal_path(path)
    journal.write_bytes(damage(journal.read_bytes()))

    assert message in refusal(path)


def test_a_journal_without_its_file_is_refused(path: Path) -> None:
    with_journal(path, ["one"])
    path.unlink()

    with (
        closing(knowledge_file.KnowledgeFile(path, "street-learner", write=True)) as file,
        pytest.raises(knowledge_file.KnowledgeError) as refused,
    ):
        file.read()
    assert "remove the journal" in str(refused.value)


def test_a_journal_that_is_in_the_file_already_is_not_read_again(path: Path) -> None:
    with_journal(path, ["one"])
    old = knowledge_file.journal_path(path).read_bytes()
    with closing(knowledge_file.KnowledgeFile(path, "street-learner", write=True)) as file:
        file.read()
        file.write("a game", ARRAYS, {"hands": 1})
    knowledge_file.journal_path(path).write_bytes(old)  # as if killed before it was removed

    assert knowledge_file.read_knowledge(path).records == ()


def test_found_records_are_not_overwritten(path: Path) -> None:
    with_journal(path, ["one"])
    with closing(knowledge_file.KnowledgeFile(path, "street-learner", write=True)) as file:
        file.read()
        refuses(AssertionError, "write the journal", file.append, "two")

    assert knowledge_file.read_journal(knowledge_file.journal_path(path))[1] == ("one",)


def test_the_header_is_readable_without_this_package(path: Path) -> None:
    with np.load(written(path), allow_pickle=False) as archive:
        header = json.loads(bytes(archive["header"]))

    assert (header["kind"], header["schema"]) == ("riverboat knowledge", 1)
    assert (header["learner"], header["notes"]["hands"]) == ("street-learner", 7)


# --- The knowledge base -------------------------------------------------------------------------------------

VALUES = st.lists(st.integers(0, 10**6), min_size=4, max_size=4)
WAYS = st.lists(st.integers(-(10**6), 99), min_size=2, max_size=2)
STATES = st.dictionaries(
    st.integers(0, 4 * 9 * 169 - 1), st.tuples(VALUES, WAYS).map(lambda parts: parts[0] + parts[1])
)


@given(STATES, st.integers(0, 10**9))
def test_arrays_give_back_what_was_known(states: dict[int, list[int]], hands: int) -> None:
    base = KnowledgeBase()
    base.states, base.hands = states, hands

    again = KnowledgeBase.from_arrays(base.arrays(), hands, [])

    assert (again.states, again.hands, again.names) == (states, hands, [])


@given(STATES, STATES, st.lists(st.text(), unique=True, max_size=5), st.integers(0, 5))
def test_a_record_says_what_is_now(
    before: dict[int, list[int]], now: dict[int, list[int]], names: list[str], known: int
) -> None:
    base, other = KnowledgeBase(), KnowledgeBase()
    names = [*"abcd", *(name for name in names if name not in "abcd")]
    base.states, other.states = {**before, **now}, dict(before)
    for name in names:
        base.name_number(name)
    for name in names[:known]:
        other.name_number(name)

    record = base.record(now, min(known, len(names)))
    for _ in range(2):  # a crash can make it count twice
        other.apply_record(record)
        assert (other.states, other.names) == (base.states, names)


STATE = [5, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "record",
    [
        [1, [STATE]],
        [-1, [STATE], 0, []],
        [1.5, [STATE], 0, []],
        [1, [STATE[:-1]], 0, []],
        [1, [[-5, *STATE[1:]]], 0, []],
        [1, [[4 * 9 * 169, *STATE[1:]]], 0, []],  # a fifth style
        [1, [[5, -1, *STATE[2:]]], 0, []],
        [1, [[5, 0.5, *STATE[2:]]], 0, []],
        [1, [STATE], 1, []],  # goes on from a name that is not there
        [1, [STATE], 0, [7]],
        [1, [STATE], 0, ["a", "a"]],
        [1, [STATE], 0, "a"],
        {},
    ],
)
def test_what_is_not_a_record_is_refused_in_one_line_that_names_the_file(
    record: object, tmp_path: Path
) -> None:
    path = tmp_path / "knowledge.npz"
    meta = {"hands": 0, "names": [], "notes": {"classifier": "as-meant"}}
    with closing(knowledge_file.KnowledgeFile(path, "poker-learner", write=True)) as file:
        file.write("no-limit Texas hold'em", KnowledgeBase().arrays(), meta)
        file.append(json.dumps(record))

    with pytest.raises(knowledge_file.KnowledgeError) as refused:
        PokerLearner(knowledge=path)
    assert str(refused.value).startswith(f"{path} is damaged: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("arrays", "changes"),
    [
        ({"keys": np.array([1])}, {}),
        ({"keys": np.array([1]), "values": np.zeros((1, 5), int)}, {}),
        ({"keys": np.array([1]), "values": np.zeros((2, 6), int)}, {}),
        ({"keys": np.array([1.0]), "values": np.zeros((1, 6), int)}, {}),
        ({"keys": np.array([10**5]), "values": np.zeros((1, 6), int)}, {}),
        ({}, {"hands": None}),
        ({}, {"names": [1]}),
        ({}, {"notes": 7}),
    ],
)
def test_knowledge_that_is_not_ours_is_refused(
    arrays: dict[str, object], changes: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "knowledge.npz"
    meta = {"hands": 0, "names": [], "notes": {"classifier": "as-meant"}} | changes
    stored = arrays or KnowledgeBase().arrays()
    write_knowledge(path, "poker-learner", "no-limit Texas hold'em", stored, meta)  # type: ignore[arg-type]

    refuses(knowledge_file.KnowledgeError, "is damaged: ", PokerLearner, knowledge=path)
