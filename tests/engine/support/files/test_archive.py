"""Archives come back as they went, whole or not at all, and nothing else is taken for one."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from engine.support.files.archive import (
    Archive,
    ArchiveError,
    array_of,
    check_state,
    decode_archive,
    find_archive,
    lock_archive,
    read_archive,
    write_archive,
)
from engine.support.files.formats import digest_of, format_arrays
from tests.support.asserting import refuses

KIND: Final = "riverboat something"
META: Final = {"game": "limit-2p", "names": ["é", 'a"b\n'], "deep": {"x": [1, 2.5, None, True]}}
ARRAYS: Final = {"points": np.arange(6, dtype=np.int32).reshape(2, 3), "one": np.array(4.0)}
WITH_AND_WITHOUT_ARRAYS: Final = pytest.mark.parametrize("arrays", [{}, ARRAYS], ids=["text", "npz"])


def decoded(data: bytes, newest: int = 3) -> Archive:
    return decode_archive(data, KIND, newest, "some.file", 1 << 16)


def refusal(data: bytes, newest: int = 3) -> str:
    with pytest.raises(ArchiveError, match=r"some\.file") as refused:
        decoded(data, newest)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


@WITH_AND_WITHOUT_ARRAYS
@pytest.mark.parametrize("compressed", [False, True])
def test_an_archive_comes_back(arrays: dict[str, Any], compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "some.file"
    archive = Archive(KIND, 3, META, arrays, previous="ab")

    write_archive(path, archive, compressed=compressed, durable=True)
    found = read_archive(path, KIND, 3, 1 << 16)

    assert (found.kind, found.schema, found.meta, found.previous) == (KIND, 3, META, "ab")
    assert found.digest == archive.digest
    assert found.source == str(path)
    assert digest_of([], found.arrays) == digest_of([], arrays)
    assert path.read_bytes() == archive.encode(compressed=compressed)  # the same is the same file


def test_without_arrays_it_is_a_text_that_people_can_read() -> None:
    data = Archive(KIND, 1, {"players": {"a": 1}}).encode()

    lines = data.decode().splitlines()
    assert lines[:2] == ["{", f' "kind": "{KIND}",']
    assert json.loads(data)["players"] == {"a": 1}


def test_the_digest_is_of_the_contents_alone() -> None:
    digest = Archive(KIND, 1, META, ARRAYS).digest

    assert Archive(KIND, 1, META, ARRAYS, previous="x", source="y").digest == digest
    others = [
        Archive(KIND, 2, META, ARRAYS),
        Archive(KIND, 1, {}, ARRAYS),
        Archive(KIND, 1, META, {**ARRAYS, "one": np.array(5.0)}),
        Archive(KIND, 1, META, {**ARRAYS, "points": ARRAYS["points"].reshape(3, 2)}),
    ]
    assert len({digest, *(other.digest for other in others)}) == 5


@WITH_AND_WITHOUT_ARRAYS
def test_what_is_truncated_or_changed_is_refused_or_says_the_same(arrays: dict[str, Any]) -> None:
    whole = Archive(KIND, 1, META, arrays).encode()
    before = decoded(whole).digest
    rng = random.Random(7)

    for end in range(0, len(whole) - 2, 7):
        refusal(whole[:end])
    for _ in range(2000):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        try:
            found = decoded(bytes(data))
        except ArchiveError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017
            continue
        if b'"digest"' in data or arrays:  # a text that has lost it is one of an earlier version
            assert found.digest == before


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not a whole something file"),
        (b"hello\n", "is not a whole something file"),
        (b"\xff\xfe", "is not a whole something file"),
        (b"PK\x03\x04 not really", "is not a whole something file"),
        (b"[1]", "expected a JSON object"),
        (b"[" * 100_000, "is not a whole something file"),
        (b"{}", "of another kind: expected 'riverboat something', got None"),
        (format_arrays({"weights": np.ones(3)}), "it has no header"),
        (format_arrays({"header": np.array("{}"), "x": np.ones(3)}), "no kind, schema and digest"),
        (Archive("other", 1, {}).encode(), "of another kind: expected 'riverboat something', got 'other'"),
        (Archive(KIND, 4, {}).encode(), "by a newer riverboat: schema 4, this one reads up to 3"),
        (b'{"kind": "riverboat something", "schema": "x"}', "expected a schema from 1 to 3, got 'x'"),
        (b'{"kind": "riverboat something", "schema": true}', "expected a schema from 1 to 3, got True"),
        (
            Archive(KIND, 1, {"x": 1}).encode().replace(b'"x": 1', b'"x": 2'),
            "is damaged: its contents are not those it was written with",
        ),
    ],
)
def test_something_else_is_refused(data: bytes, message: str) -> None:
    assert message in refusal(data)


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "some.file"
    with open(path, "wb") as file:
        np.savez(file, header=np.array([{"kind": KIND}], dtype=object), allow_pickle=True)

    assert "allow_pickle=False" in refusal(path.read_bytes())


@pytest.mark.parametrize(
    ("meta", "arrays"),
    [({"digest": "x"}, {}), ({"kind": "x"}, {}), ({}, {"header": np.ones(1)}), ({}, {"o": np.array([None])})],
)
def test_what_could_not_be_read_again_is_not_written(meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    refuses(ValueError, "cannot be stored", Archive(KIND, 1, meta, arrays).encode)


def test_errors_of_the_disk_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "some.file"

    assert find_archive(path, KIND, 1) is None
    refuses(ArchiveError, r"some\.file: there is no such file", read_archive, path, KIND, 1)
    with pytest.raises(ArchiveError, match=r"no/file cannot be written: No such file or directory"):
        write_archive(tmp_path / "no" / "file", Archive(KIND, 1, {}))
    with pytest.raises(ArchiveError, match=r"no/file cannot be written: No such file or directory"):
        lock_archive(tmp_path / "no" / "file")
    lock = lock_archive(path)
    with pytest.raises(ArchiveError, match=r"some\.file is being written by another program: one at a time"):
        lock_archive(path)
    lock.release()
    path.mkdir()
    refuses(ArchiveError, "cannot be read: Is a directory", find_archive, path, KIND, 1)


def test_contents_that_are_missing_or_wrong_are_damage() -> None:
    archive = Archive(KIND, 1, META, ARRAYS, source="some.file")

    with pytest.raises(ArchiveError, match=r"some\.file is damaged: 'nothing' is missing"), archive.checked():
        archive.meta["nothing"]
    with pytest.raises(ArchiveError, match=r"some\.file is damaged: bad"), archive.checked():
        raise ValueError("bad")
    with pytest.raises(ArchiveError, match=r"^another$"), archive.checked():
        raise ArchiveError("another")


@pytest.mark.parametrize(
    ("name", "shape", "types", "bounds", "message"),
    [
        (
            "more",
            (2, 3),
            "i",
            (None, None),
            r"expected 'more', an array of shape \(2, 3\) .*, got none",
        ),
        ("points", (-1, 2), "i", (None, None), r"of shape \(any, 2\) and type i, got one of shape \(2, 3\)"),
        ("points", (6,), "i", (None, None), r"of shape \(6,\) and type i, got one of shape \(2, 3\)"),
        ("points", (2, 3), "f u", (None, None), "and type f u, got one of .* type <i4"),
        ("points", (2, 3), "<i8", (None, None), "and type <i8, got one of .* type <i4"),
        ("points", (2, 3), "i", (1, None), "expected numbers from 1 to None in 'points'"),
        ("points", (2, 3), "i", (None, 4), "expected numbers from None to 4 in 'points'"),
        ("nan", (), "f", (0, None), "expected numbers from 0 to None in 'nan'"),
    ],
)
def test_an_array_is_what_is_expected(
    name: str, shape: tuple[int, ...], types: str, bounds: tuple[Any, Any], message: str
) -> None:
    arrays = {**ARRAYS, "nan": np.array(np.nan)}
    assert array_of(arrays, "points", (2, -1), "u <i4", 0, 5) is arrays["points"]

    refuses(ValueError, message, array_of, arrays, name, shape, types, *bounds)


def test_a_state_takes_the_place_of_another_of_its_form() -> None:
    check_state(ARRAYS, {"one": np.array(0.0)})

    refuses(ValueError, "expected 'points'", check_state, ARRAYS, {"points": np.zeros((2, 3))})
    with pytest.raises(ValueError, match="expected finite numbers in 'one'"):
        check_state({"one": np.array(np.inf)}, {"one": np.array(0.0)})
