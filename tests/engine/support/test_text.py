"""Texts, numbers as people type them, intervals, names of earlier versions, and how signals end a program."""

import ctypes
import doctest
import importlib
import math
import signal
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
import scipy
from hypothesis import given, strategies as st

import clients.core.arena
import engine.poker.cards
from engine.support import text
from engine.support.interruption import SIGNALS, as_ctrl_c, held_back
from engine.support.intervals import Winnings, estimate, estimate_of_few, half_width, student_t
from engine.support.moved import MOVED
from engine.support.text import columns_of, cut, rate, table
from engine.support.user_input import how_many, parse_finite, parse_whole
from tests.support.asserting import refuses
from tests.support.cases import cases

# --- text ---------------------------------------------------------------------------------------------------


def test_examples_are_true() -> None:
    assert doctest.testmod(text).failed == 0


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (rate(None), "-"), (rate(None, missing="–"), "–"), (rate(-0.04, 0.04), "+0.0 ± 0.0"),
        (rate(12.34, unit="mbb/h"), "+12.3 mbb/h"),
        (rate(0.5, 0.25, 3, signed=False, unit="%"), "0.500 ± 0.250 %"),
        (rate(-12345.6, 2345.6, grouped=True), "-12,345.6 ± 2,345.6"),
    ],
)  # fmt: skip
def test_a_rate_has_one_form(shown: str, said: str) -> None:
    assert shown == said


def test_columns_hold_what_a_terminal_shows() -> None:
    rows = [["player", "mbb/h"], ["河船", "+1.5"], ["e\u0301a", "-10.5"], ["a-long-name", "+9.0"]]

    lines = table(rows, widths=[6, 6], gap=1)

    assert [columns_of(line) for line in lines] == [13] * 4
    assert lines[3].startswith("a-lon… ")
    assert cut("河船河船", 6) == "河船…"
    assert table([["a", "", ""], ["b", "1", ""]], left=(0, 2)) == ["a", "b  1"]


# --- user input ---------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_is_read_back(number: float) -> None:
    assert parse_finite(repr(number)) == number


@pytest.mark.parametrize("text", ["nan", "-NaN", "inf", "-Infinity", "1e999", "-1e999", "", "1,5", "0x1"])
def test_what_is_not_a_finite_number_is_refused(text: str) -> None:
    refuses(ValueError, "expected a", parse_finite, text)


@given(st.integers(min_value=0, max_value=10**999))
def test_every_whole_number_is_read_back(number: int) -> None:
    assert parse_whole(str(number)) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1_000", "²", "١", "9" * 1001, "9" * 5000])
def test_what_is_not_a_whole_number_is_refused(text: str) -> None:
    refuses(ValueError, r"expected a whole number of 0 or more, got '", parse_whole, text)


@given(st.text())
def test_any_text_is_a_number_or_one_line_of_complaint(text: str) -> None:
    for parse in (parse_finite, parse_whole):
        complaint = ""
        try:
            assert math.isfinite(parse(text))
        except ValueError as error:
            complaint = str(error)
        assert len(complaint.splitlines()) <= 1
        assert len(complaint) < 700


@pytest.mark.parametrize(("number", "noun", "words"), cases(__file__, "how many there are is said in words"))
def test_how_many_there_are_is_said_in_words(number: int, noun: str, words: str) -> None:
    assert how_many(number, noun) == words


# --- intervals ----------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_the_interval_is_1_96_standard_errors(values: list[float]) -> None:
    expected = 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values))

    assert half_width(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_there_is_no_interval_below_two_samples() -> None:
    assert half_width([]) is None
    assert half_width([3.0]) is None


def test_an_estimate_is_a_mean_with_its_interval_in_whatever_unit() -> None:
    values = [1.0, 4.0, 2.0, 8.0]

    found = estimate(values).scaled(-10)

    assert found.mean == pytest.approx(-37.5)
    assert found.ci95 == pytest.approx(10 * 1.959964 * statistics.stdev(values) / math.sqrt(4), rel=1e-6)
    assert found.samples == 4
    assert estimate([2.0]).ci95 is None
    assert str(estimate([2.0])) == "+2.000"


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert estimate([-0.001, -0.003]).text(2) == "+0.00 ± 0.00"
    assert estimate([-0.006]).text(2) == "-0.01"


def test_nothing_has_no_mean() -> None:
    refuses(ValueError, "at least one value", estimate, [])


CHIPS = st.lists(st.integers(-20_000, 20_000), min_size=2, max_size=50)


@given(CHIPS, CHIPS)
def test_winnings_have_the_mean_and_the_interval_of_the_hands_they_come_from(
    before: list[int], after: list[int]
) -> None:
    first, then = (
        Winnings(len(won), sum(won), sum(chips * chips for chips in won)) for won in (before, after)
    )

    rate = (first + then).rate(100)

    expected = estimate([10 * chips for chips in before + after])
    assert rate.samples == expected.samples
    assert rate.mean == pytest.approx(expected.mean)
    # The difference of two sums of squares loses some of their digits.
    assert rate.ci95 == pytest.approx(expected.ci95, abs=1e-2)


def test_a_rate_is_in_milli_big_blinds() -> None:
    won = [3.0, -1.0, 4.0, -2.0]

    rate = Winnings(4, sum(won), sum(chips * chips for chips in won)).rate(2)

    # mean 1, sample variance (4 + 4 + 9 + 9) / 3, in big blinds of 2
    assert rate.mean == 500
    assert rate.ci95 == pytest.approx(1.95996 * (26 / 3 / 4) ** 0.5 * 500, rel=1e-4)


def test_one_hand_has_a_rate_without_an_interval_and_none_has_no_rate() -> None:
    assert (Winnings(1, 3.0, 9.0).rate(2).mean, Winnings(1, 3.0, 9.0).rate(2).ci95) == (1500, None)
    refuses(ValueError, "one hand or more", Winnings().rate, 2)


@pytest.mark.parametrize(("degrees", "value"), cases(__file__, "students t is that of the tables"))
def test_students_t_is_that_of_the_tables(degrees: int, value: float) -> None:
    assert student_t(degrees, 0.05) == pytest.approx(value, rel=0.0005 if degrees < 3 else 0.01)


def test_the_mean_of_few_has_students_interval() -> None:
    few = estimate_of_few([1.0, 3.0, 5.0])

    assert few.mean == 3
    assert few.ci95 == pytest.approx(4.303 * 2 / 3**0.5, rel=1e-3)
    assert estimate_of_few([2.0]).ci95 is None


@pytest.mark.parametrize("degrees", [1, 2, 9, 19, 39])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.05 / 15, 0.0005])
def test_students_t_holds_for_other_chances(degrees: int, alpha: float) -> None:
    assert student_t(degrees, alpha) == pytest.approx(scipy.stats.t.ppf(1 - alpha / 2, degrees), rel=0.01)


# --- moved --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("former", "today"), MOVED.items())
def test_a_former_name_is_todays_module(former: str, today: str) -> None:
    sys.modules.pop(former, None)
    with pytest.warns(FutureWarning) as warned:
        module = importlib.import_module(former)

    assert f"{former} is {today} now: import that" in [str(each.message) for each in warned]

    assert module is importlib.import_module(today)
    assert module.__name__ == today


def test_modules_below_a_former_name_are_found() -> None:
    sys.modules.pop("engine.evaluation.hand_strength", None)
    with pytest.warns(FutureWarning):
        from engine.evaluation.hand_strength import hand_strength  # type: ignore[import-not-found]

    assert hand_strength.__module__ == "engine.hands.hand_strength"


def test_a_bot_of_an_earlier_version_runs_and_is_warned_once_a_module() -> None:
    script = "from engine.cards import rank_of; from clients.arena import Arena; print(rank_of(51), Arena)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.split()[0] == "12"
    assert done.stderr.count("FutureWarning") == 2
    assert engine.poker.cards.rank_of(51) == 12
    assert clients.core.arena.Arena.__module__ == "clients.core.arena"


def test_a_misspelt_name_is_still_an_error() -> None:
    refuses(ModuleNotFoundError, r"engine\.card", importlib.import_module, "engine.card")


# --- interruption -------------------------------------------------------------------------------------------


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
