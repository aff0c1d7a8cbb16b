"""Signals and full disks: the exit status says so, what was written is whole, nothing is left."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from protocol.records import parse_hand
from server.support.record_file import RecordFile
from tests.clients.commands.test_train import hands_in
from tests.support.dealer_process import PATIENCE_S
from tests.support.limits import run_with_small_disk
from tests.support.matches import start_match, start_program, wait_for_hand

# --- Ctrl-C, SIGTERM and SIGHUP -----------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def default_signals() -> Iterator[None]:
    """Programs under test get the signals as a terminal gives them, also where the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def wait_for_cpu_s(process: subprocess.Popen[str], seconds: float) -> None:
    """Until a program has computed for some seconds (Linux): its loading takes less."""
    ticks = os.sysconf("SC_CLK_TCK")
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / ticks >= seconds:
            return
        time.sleep(0.01)  # until another process has come so far
    pytest.fail("it did not compute")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.slow
def test_a_signal_ends_a_program_in_the_midst_of_a_kernel(tmp_path: Path, number: signal.Signals) -> None:
    process = start_program(tmp_path, "odds", "AsKs", "Js8c4s", "--trials", "100000000")  # a minute
    wait_for_cpu_s(process, 3.0)
    sent = time.monotonic()
    process.send_signal(number)
    output, stderr = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, output) == (128 + number, "")
    assert "Traceback" not in stderr  # that kernels are compiled may stand there
    assert time.monotonic() - sent < 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_bot_that_waits(tmp_path: Path, number: signal.Signals) -> None:
    process = start_program(tmp_path, "bot", "always-call", "127.0.0.1", "1", "--wait", "60", "--seed", "1")
    wait_for_cpu_s(process, 0.1)
    process.send_signal(number)
    said = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, said) == (128 + number, ("", ""))


def test_a_bot_in_the_background_bears_ctrl_c_and_can_be_ended(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        port = str(listener.getsockname()[1])
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell's & has it
        try:
            process = start_program(
                tmp_path, "bot", "random", "127.0.0.1", port, "--game", "leduc", "--seed", "1"
            )
        finally:
            signal.signal(signal.SIGINT, before)
        with listener.accept()[0] as dealer:
            dealer.settimeout(PATIENCE_S)
            dealer.sendall(b"MATCHSTATE:0:0::Ks|\r\n")
            heard = b""
            while b"MATCHSTATE:0:0::Ks|:" not in heard:
                heard += dealer.recv(4096)
            process.send_signal(signal.SIGINT)
            time.sleep(1.0)  # in which it would end
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, said) == (143, ("", ""))


def _wait_for_line(stream: IO[str] | None) -> None:
    assert stream is not None
    assert stream.readline()


def test_training_that_is_asked_to_end_saves(tmp_path: Path) -> None:
    words = ("hole-cards-learner", "--against", "always-raise", "--hands", "100000000")
    process = start_program(tmp_path, "train", *words, "--save", "k.npz", "--checkpoint-every", "500")
    _wait_for_line(process.stderr)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 143
    assert hands_in(tmp_path / "k.npz") == int(output.split()[1])


def test_a_key_that_is_pressed_twice_leaves_a_match_in_order(tmp_path: Path) -> None:
    process = start_match(tmp_path, "leduc", "random", "always-call", "--hands", "1000000", "--out", "m")
    log = tmp_path / "m" / "match.log"
    wait_for_hand(log, 2)
    process.send_signal(signal.SIGINT)
    _wait_for_line(process.stderr)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        time.sleep(0.005)  # a key that is held down
    _, stderr = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, stderr) == (130, "")
    assert log.read_bytes().endswith(b"\n")


# --- What a full disk does to a match -----------------------------------------------------------------------

UNLIMITED = 1 << 30
GO_ON = "to go on with it: riverboat match --resume out"
MATCH = ["match", "leduc", "always-call", "always-call", "--seed", "1"]


def names_of(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def complaints(stderr: str) -> list[str]:
    """What was said but for how far the match was."""
    return [line for line in stderr.splitlines() if not re.match(r"±: |\d+ of \d+ hands", line)]


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


@pytest.mark.parametrize(
    "size", [1500, *[pytest.param(size, marks=pytest.mark.slow) for size in (1501, 1502)]]
)
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

    assert (result.returncode, result.stderr.splitlines()[-1]) == (1, "riverboat: File too large")
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
