"""Archives and formats come back as they went, or are refused in one line, whatever they are."""

import io
import json
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

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
from engine.support.files.formats import digest_of, format_arrays, parse_arrays, parse_json, shown
from tests.support.asserting import refuses

# --- archive ------------------------------------------------------------------------------------------------

KIND: Final = "riverboat something"
META: Final = {"game": "limit-2p", "names": ["é", 'a"b\n'], "deep": {"x": [1, 2.5, None, True]}}
ARRAYS: Final = {"points": np.arange(6, dtype=np.int32).reshape(2, 3), "one": np.array(4.0)}
WITH_AND_WITHOUT_ARRAYS: Final = pytest.mark.parametrize("arrays", [{}, ARRAYS], ids=["text", "npz"])


def decoded(data: bytes, newest: int = 3) -> Archive:
    return decode_archive(data, KIND, newest, "some.file", 1 << 16)


def refusal(data: bytes, newest: int = 3) -> str:
    message = str(refuses(ArchiveError, r"some\.file", decoded, data, newest))
    assert len(message.splitlines()) == 1
    return message


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
            "more", (2, 3), "i", (None, None), r"expected 'more', an array of shape \(2, 3\) .*, got none",
        ),
        ("points", (-1, 2), "i", (None, None), r"of shape \(any, 2\) and type i, got one of shape \(2, 3\)"),
        ("points", (6,), "i", (None, None), r"of shape \(6,\) and type i, got one of shape \(2, 3\)"),
        ("points", (2, 3), "f u", (None, None), "and type f u, got one of .* type <i4"),
        ("points", (2, 3), "<i8", (None, None), "and type <i8, got one of .* type <i4"),
        ("points", (2, 3), "i", (1, None), "expected numbers from 1 to None in 'points'"),
        ("points", (2, 3), "i", (None, 4), "expected numbers from None to 4 in 'points'"),
        ("nan", (), "f", (0, None), "expected numbers from 0 to None in 'nan'"),
    ],
)  # fmt: skip
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


# --- formats ------------------------------------------------------------------------------------------------

FORMATTED = {"points": np.arange(6).reshape(2, 3), "text": np.array("{}"), "none": np.zeros((0, 2))}


def complaint_about(data: bytes) -> str:
    message = str(refuses(ValueError, r"archive", parse_arrays, data))
    assert len(message.splitlines()) == 1
    return message


def archive(members: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return file.getvalue()


def array_file(header: bytes, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + data


def same(found: Mapping[str, NDArray[np.generic]]) -> bool:
    return found.keys() == FORMATTED.keys() and all(
        np.array_equal(found[name], FORMATTED[name]) for name in FORMATTED
    )


def test_arrays_come_back() -> None:
    assert same(parse_arrays(format_arrays(FORMATTED)))


def test_compressed_arrays_come_back_to_who_expects_them() -> None:
    zeros = np.zeros(100_000, np.uint8)

    packed = format_arrays({"zeros": zeros}, compressed=True)

    assert len(packed) < 2000
    assert np.array_equal(parse_arrays(packed, 101_000)["zeros"], zeros)
    assert "larger than the archive" in complaint_about(packed)


def test_objects_are_not_written() -> None:
    refuses(ValueError, "objects", format_arrays, {"o": np.array([None])})


def test_pickles_are_not_read() -> None:
    file = io.BytesIO()
    np.savez(file, o=np.array([None]))

    assert "pickle" in complaint_about(file.getvalue())


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (6,), \x0c(",  # tokenize.TokenError
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (6L,",
        b"(" * 200,
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (100000000000000,)}",  # MemoryError
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (10**99,)}",
        b"{'descr': 'O', 'fortran_order': False, 'shape': (1,)}",
        b"{'descr': ('<i8', (10**9,) * 9), 'fortran_order': False, 'shape': (1,)}",
        b"\xff\xfe\x00",
        b"",
    ],
)
@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"])
def test_a_damaged_header_of_an_array_is_one_line(header: bytes, version: bytes) -> None:
    complaint_about(archive({"points.npy": array_file(header + b"\n", b"\0" * 48, version)}))


def test_an_archive_that_swells_is_not_unpacked() -> None:
    zeros = format_arrays({"zeros": np.zeros(1_000_000)})
    with zipfile.ZipFile(io.BytesIO(zeros)) as opened:
        packed = archive({"zeros.npy": opened.read("zeros.npy")}, zipfile.ZIP_DEFLATED)
    assert len(packed) < len(zeros) / 100

    assert "larger than the archive" in complaint_about(packed)


@pytest.mark.parametrize("data", [b"", b"PK", b"\x93NUMPY\x01\x00", b"\x80\x04K\x01.", b"hello\n"])
def test_something_else_is_one_line(data: bytes) -> None:
    complaint_about(data)


def test_damage_anywhere_is_one_line_or_does_no_harm() -> None:
    whole = format_arrays(FORMATTED)
    rng = random.Random(7)

    for end in range(len(whole)):
        complaint_about(whole[:end])
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 20))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            found = parse_arrays(bytes(data))
        except ValueError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017
        else:
            # The checksums of a zip archive do not cover what stands around its members: names, for one.
            assert all(array.nbytes <= len(whole) for array in found.values())


@given(
    st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(), st.lists, max_leaves=9)
)
def test_json_comes_back(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a":' * 100_000, "1" * 5000, "'x'"])
def test_what_is_not_json_is_refused_in_one_line(text: str) -> None:
    assert len(str(refuses(ValueError, r".", parse_json, text)).splitlines()) == 1


def test_what_is_shown_of_a_value_is_short() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    for value in (deep, "x" * 10**6, 10**400, ["a\nb"] * 10**5, None):
        assert len(shown(value)) < 400
        assert len(shown(value).splitlines()) == 1
