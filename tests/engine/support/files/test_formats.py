"""What stands in files is read or refused in one line, whatever it is."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.support.files.formats import format_arrays, parse_arrays, parse_json, shown
from tests.support.asserting import refuses

ARRAYS = {"points": np.arange(6).reshape(2, 3), "text": np.array("{}"), "none": np.zeros((0, 2))}


def complaint_about(data: bytes) -> str:
    with pytest.raises(ValueError, match=r"archive") as refused:
        parse_arrays(data)
    message = str(refused.value)
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
    return found.keys() == ARRAYS.keys() and all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)


def test_arrays_come_back() -> None:
    assert same(parse_arrays(format_arrays(ARRAYS)))


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
    whole = format_arrays(ARRAYS)
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
    with pytest.raises(ValueError, match=r".") as refused:
        parse_json(text)
    assert len(str(refused.value).splitlines()) == 1


def test_what_is_shown_of_a_value_is_short() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    for value in (deep, "x" * 10**6, 10**400, ["a\nb"] * 10**5, None):
        assert len(shown(value)) < 400
        assert len(shown(value).splitlines()) == 1
