"""Ctrl-C, SIGTERM and SIGHUP: the exit status says so, nothing else is said, nothing is left."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.clients.commands.test_train import hands_in
from tests.support.dealer_process import PATIENCE_S
from tests.support.matches import start_match, start_program, wait_for_hand


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
