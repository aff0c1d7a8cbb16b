"""How signals end a program: noted, raised once, ignored, and what was before comes back."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator

import pytest

from engine.support.interruption import SIGNALS, as_ctrl_c, held_back


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_signals_are_held_back_and_noted() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with held_back() as noted:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.raise_signal(number)

    assert noted == [signal.SIGTERM, signal.SIGINT]
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("under_trio", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_every_signal_is_ctrl_c_with_a_status_of_its_own(number: signal.Signals, under_trio: bool) -> None:
    with pytest.raises(SystemExit) as ended, as_ctrl_c(under_trio=under_trio):
        signal.raise_signal(number)

    assert ended.value.code == 128 + number
    signal.raise_signal(signal.SIGINT)  # ignored


@pytest.mark.parametrize("under_trio", [False, True])
def test_a_program_in_the_background_can_be_ended(under_trio: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.raises(SystemExit) as ended, as_ctrl_c(under_trio=under_trio):
        _raise(signal.SIGINT, signal.SIGTERM)

    assert ended.value.code == 143


def test_tidying_up_is_not_interrupted() -> None:
    tidied: list[str] = []

    def work() -> None:
        try:
            _raise(signal.SIGINT)
        finally:
            _raise(signal.SIGINT, signal.SIGTERM)
            tidied.append("all")

    with pytest.raises(SystemExit) as ended, as_ctrl_c():
        work()

    assert tidied == ["all"]
    assert ended.value.code == 130


@pytest.mark.parametrize("under_trio", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_lost_in_a_callback_from_c_comes_again(number: signal.Signals, under_trio: bool) -> None:
    """As in the compiler's, when a kernel is ready: Python drops what is raised there."""
    callback = ctypes.CFUNCTYPE(None)(lambda: _raise(number))

    def work() -> None:
        callback()
        threading.Event().wait(60)

    with pytest.raises(SystemExit) as ended, as_ctrl_c(under_trio=under_trio):
        work()

    assert ended.value.code == 128 + number


def test_an_interrupt_does_not_come_again_while_it_is_being_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a loaded machine the hook may take longer than the moment after which it comes again."""
    start = threading.Thread.start

    def start_slowly(thread: threading.Thread) -> None:
        start(thread)
        threading.Event().wait(0.2)

    monkeypatch.setattr(threading.Thread, "start", start_slowly)
    callback = ctypes.CFUNCTYPE(None)(lambda: _raise(signal.SIGINT))

    def work() -> None:
        callback()
        threading.Event().wait(60)

    with pytest.raises(SystemExit), as_ctrl_c(under_trio=True):
        work()


def _raise(*numbers: signal.Signals) -> None:
    for number in numbers:
        signal.raise_signal(number)


def test_without_an_interruption_the_signals_are_what_they_were() -> None:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    with as_ctrl_c():
        pass
    with pytest.raises(ValueError, match="other"), as_ctrl_c():
        raise ValueError("other")

    assert {number: signal.getsignal(number) for number in SIGNALS} == before
