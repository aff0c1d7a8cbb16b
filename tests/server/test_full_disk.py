"""What a full disk does to a match: the result is shown, and what was written is whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protocol.records import parse_hand
from server.support.record_file import RecordFile
from tests.support.limits import run_with_small_disk

UNLIMITED = 1 << 30
GO_ON = "to go on with it: riverboat match --resume out"
MATCH = ["match", "leduc", "always-call", "always-call", "--seed", "1"]


def names_of(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def complaints(stderr: str) -> list[str]:
    """What was said but for how far the match was."""
    return [line for line in stderr.splitlines() if not re.match(r"\d+ of \d+ hands", line)]


def check_lines(log: Path) -> int:
    """All lines of a log are whole; returns how many hands there are."""
    text = log.read_text()
    assert text == "" or text.endswith("\n")
    return sum(parse_hand(line) is not None for line in text.splitlines())


@pytest.mark.slow
def test_the_table_is_printed_though_the_result_cannot_be_kept(tmp_path: Path) -> None:
    words = [*MATCH, "--hands", "20", "--out"]
    run_with_small_disk([*words, "whole"], tmp_path, UNLIMITED)
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "whole").iterdir()}
    assert sizes["match.log"] < sizes["result.json"] - 100  # whose times vary

    result = run_with_small_disk([*words, "out"], tmp_path, sizes["match.log"])

    assert result.returncode == 1
    assert "always-call-2" in result.stdout
    assert complaints(result.stderr) == ["result.json cannot be written: File too large", GO_ON]
    lost, kept = names_of(tmp_path / "whole"), names_of(tmp_path / "out")
    assert lost - kept == {"result.json"}
    assert kept - lost <= {"progress.json"}
    assert check_lines(tmp_path / "out/match.log") == 20


@pytest.mark.parametrize("size", [1000, 1001, 1002])
def test_the_table_is_printed_though_the_log_cannot_be_kept(size: int, tmp_path: Path) -> None:
    result = run_with_small_disk([*MATCH, "--hands", "100", "--out", "out"], tmp_path, size)

    assert result.returncode == 1
    assert "always-call-2" in result.stdout
    complaint, way_on = complaints(result.stderr)
    assert way_on == GO_ON
    assert complaint.startswith("ERROR: logging failed for game ")
    assert complaint.endswith("; riverboat: File too large")
    kept = {"match.log", "dealer.err", "result.json", "plan.json", "progress.json"}
    assert names_of(tmp_path / "out") <= kept | {
        f"{name}.{end}" for name in ("always-call", "always-call-2") for end in ("out", "err")
    }
    assert check_lines(tmp_path / "out/match.log") < 100


def test_a_match_that_could_not_be_resumed_is_not_begun(tmp_path: Path) -> None:
    result = run_with_small_disk([*MATCH, "--out", "out"], tmp_path, 300)

    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "plan.json cannot be written, no hand is played: File too large\n"


def test_a_dealer_whose_disk_is_full_says_so_and_leaves_whole_lines(tmp_path: Path) -> None:
    words = ["dealer", "m", "leduc", "9", "1", "a", "b", "-T", "-q", "--start_timeout", "1"]

    result = run_with_small_disk(words, tmp_path, 20)

    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "riverboat: File too large"
    assert (tmp_path / "m.log").read_bytes() == b""


def test_half_a_record_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.log"
    with RecordFile(path, append=False) as file:
        assert file.is_empty
        file.write("one\n")
        monkeypatch.setattr(file, "_file", _Short(file._file))
        with pytest.raises(OSError, match="full"):
            file.write("twotwo\n")
    with RecordFile(path, append=True) as file:
        assert not file.is_empty
        file.write("three\n")

    assert path.read_text() == "one\nthree\n"


class _Short:
    """A file on a disk with room for three bytes more."""

    def __init__(self, file: object) -> None:
        self._file = file
        self._room = 3

    def write(self, data: bytes) -> int:
        if not self._room:
            raise OSError("full")
        written = self._file.write(data[: self._room])  # type: ignore[attr-defined]
        self._room -= written
        return int(written)

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)
