"""Random numbers against CPython's and the ACPC dealer's; where compiled kernels are kept."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st

from engine.kernels import mersenne, splitmix
from engine.kernels._jit import kernel
from engine.kernels._kept import (
    KEPT_FOLDERS,
    CompilationLock,
    folder_name,
    kernel_modules_of,
    remove_old_folders,
)
from engine.kernels.mersenne import NUM_WORDS, STATE_SIZE, number_below, seed_generator
from engine.support.files.cache import cache_directory
from engine.support.seeds import parse_seed, random_seed
from tests.support.asserting import refuses
from tests.support.dealer_process import run_to_end

# --- mersenne -----------------------------------------------------------------------------------------------


@pytest.mark.slow  # compiles for some seconds
@pytest.mark.parametrize("parts", [(0, 0, 0), (7, 0, 0), (3, 9, 0), (2, 500_000, 0xFFFFFFFF), (0, 0, 1)])
def test_the_numbers_of_random(parts: tuple[int, int, int]) -> None:
    low, middle, high = parts
    theirs = random.Random(high << 64 | middle << 32 | low)
    ours = np.zeros(STATE_SIZE, np.uint32)
    seed_generator(ours, low, middle, high)

    for _ in range(2 * NUM_WORDS):
        assert mersenne.random_number(ours) == theirs.random()
        assert number_below(ours, 2) == theirs.choice(range(2))
        assert number_below(ours, 3) == theirs.choice(range(3))
        assert mersenne.next_word(ours) == theirs.getrandbits(32)


# --- splitmix -----------------------------------------------------------------------------------------------


def test_the_words_are_those_of_the_published_generator() -> None:
    """The first outputs for the seed 1234567, as other implementations of SplitMix64 list them."""
    state = np.array([1234567], np.uint64)

    assert [int(splitmix.next_word(state)) for _ in range(5)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip


@given(st.integers(0, 2**64 - 1))
def test_numbers_are_the_upper_53_bits_from_0_up_to_1(seed: int) -> None:
    words, numbers = np.array([seed], np.uint64), np.array([seed], np.uint64)

    number = splitmix.random_number(numbers)

    assert number == (int(splitmix.next_word(words)) >> 11) / 2**53
    assert 0 <= number < 1
    assert numbers[0] == words[0]


# --- seeds --------------------------------------------------------------------------------------------------


def test_a_seed_is_a_whole_number() -> None:
    assert parse_seed("0") == 0
    assert parse_seed("18446744073709551616") == 2**64


@pytest.mark.parametrize("text", ["", "-1", "1.0", "0x1", " 1", "١", "Random"])
def test_other_texts_are_none(text: str) -> None:
    refuses(ValueError, "expected a seed, a whole number of 0 or more or 'random'", parse_seed, text)


def test_random_seeds_differ_and_have_32_bits() -> None:
    drawn = {parse_seed("random"), *(random_seed() for _ in range(7))}

    assert len(drawn) == 8  # but for a chance of one in a hundred million
    assert all(0 <= seed < 2**32 for seed in drawn)


# --- kernel cache -------------------------------------------------------------------------------------------

RANK_ONCE = """
import sys
from engine.hands import hand_rank, hand_strength, equity
assert not list(__import__("pathlib").Path(sys.argv[1]).glob("kernels/*/*")) or sys.argv[2] != "cold"
assert hand_rank.rank_five_cards(50, 46, 42, 38, 34) == 7461
assert sys.argv[2] != "warm" or not {"scipy", "yaml", "numba.np.arraymath"} & sys.modules.keys()
"""


def run(folder: Path | str, state: str = "cold") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "RIVERBOAT_CACHE_DIR": str(folder)}
    return run_to_end([sys.executable, "-c", RANK_ONCE, folder, state], env=env, timeout=100)


@pytest.mark.slow
def test_a_kernel_is_compiled_once_and_said_so_once(tmp_path: Path) -> None:
    cold = run(tmp_path)
    assert cold.returncode == 0, cold.stderr
    first, *progress = cold.stderr.splitlines()
    assert "compiling kernels for this machine, once" in first
    assert all(re.fullmatch(r"riverboat: compiling kernels: \d+ so far, \d+ s", line) for line in progress)
    assert list((tmp_path / "kernels" / folder_name("poker.ranking")).glob("*.native"))

    warm = run(tmp_path, "warm")
    assert (warm.returncode, warm.stdout, warm.stderr) == (0, "", "")


@pytest.mark.slow
def test_programs_that_start_together_compile_once(tmp_path: Path) -> None:
    """One compiles, the other waits and loads; numba itself tells what is compiled."""
    tell = (
        "import engine.kernels._jit; from numba.core import event\n"
        "class Tell(event.Listener):\n"
        "    def on_start(self, begun):\n"
        "        kernel = begun.data['dispatcher']\n"
        "        if kernel.py_func.__module__.startswith('engine.'):\n"
        "            print(kernel.py_func.__qualname__, kernel.targetoptions, begun.data['args'])\n"
        "    def on_end(self, ended): pass\n"
        "event.register('numba:compile', Tell())\n"
    )
    command = [sys.executable, "-c", tell + RANK_ONCE, str(tmp_path), "either"]
    variables = {**os.environ, "RIVERBOAT_CACHE_DIR": str(tmp_path)}
    together = [
        subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ended = [process.communicate(timeout=100) for process in together]

    assert [process.returncode for process in together] == [0, 0], ended
    compiled = [line for out, _ in ended for line in out.splitlines()]
    assert compiled
    assert len(compiled) == len(set(compiled))


def test_only_the_latest_folders_of_former_versions_are_kept(tmp_path: Path) -> None:
    names = [f"poker.ranking-{number:020x}" for number in range(KEPT_FOLDERS + 3)]
    current, others = folder_name("poker.ranking"), ["somebody's", folder_name("poker.tables")]
    for age, name in enumerate([*names, current, *others]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.nbc").touch()
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    fresh = f"poker.ranking-{1 << 79:020x}"
    (tmp_path / fresh).mkdir()

    remove_old_folders(tmp_path, current)
    remove_old_folders(tmp_path / "nowhere", current)

    expected = {*names[: KEPT_FOLDERS - 1], fresh, current, *others}
    assert {path.name for path in tmp_path.iterdir()} == expected


def test_a_folder_depends_on_every_module_of_the_engine_that_is_imported(tmp_path: Path) -> None:
    sources = {
        "_jit": "",
        "top": "from engine.kernels.inner.middle import x\n"
        "from engine.kernels.inner import (\n    one,\n    two as t)\n",
        "inner/middle": "if True:\n    from engine.kernels import _jit, bottom  # engine.kernels.stranger\n",
        "bottom": "import numpy as np\nfrom engine.bets import HALF\n",
        "inner/__init__": "",
        "inner/one": "def f():\n    import engine.kernels.inner.three as three\n",
        "inner/two": '"""from engine.kernels import stranger"""\n',
        "inner/three": "",
        "stranger": "from engine.kernels.bottom import y\n",
    }
    kernels = tmp_path / "kernels"
    (kernels / "inner").mkdir(parents=True)
    for name, source in sources.items():
        (kernels / f"{name}.py").write_text(source)
    (tmp_path / "bets.py").write_text("from engine.other import z\nHALF = 0.5\n")
    (tmp_path / "other.py").write_text("")

    found = set(kernel_modules_of("top", kernels))
    inner = {"inner.middle", "inner.one", "inner.two", "inner.three"}
    assert found == {"_jit", "top", "bottom", "engine.bets", "engine.other"} | inner
    assert set(kernel_modules_of("stranger", kernels)) == {
        "_jit", "stranger", "bottom", "engine.bets", "engine.other",
    }  # fmt: skip


def test_an_edit_leaves_the_kernels_of_other_modules_compiled() -> None:
    found = set(kernel_modules_of("poker.ranking"))
    assert found == {"_jit", "poker.ranking", "poker.tables", "engine.support.arrays"}
    assert folder_name("poker.ranking") != folder_name("poker.tables")


def test_a_kernel_that_makes_an_array_must_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path))

    @kernel(allocates=False)
    def first_of_three(value: float) -> float:
        return float(np.full(3, value)[0])

    refuses(numba.TypingError, "", first_of_three, 2.0)

    # Others that waited for it may compile.
    lock_it = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    subprocess.run([sys.executable, "-c", lock_it, cache_directory() / "compiling.lock"], check=True)


def test_a_process_that_compiles_another_kernel_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path))
    ours = CompilationLock()
    take = (
        "import sys; from engine.kernels._kept import CompilationLock\n"
        "CompilationLock().take(sys.argv[1]); print('taken', flush=True)\n"
    )

    def start(kernel_name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", take, kernel_name]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    for name in ("caller", "callee"):
        ours.take(name)
    with start("another") as another, start("callee") as callee:
        assert another.communicate(timeout=60)[0] == "taken\n"
        assert callee.poll() is None
        ours.give_back()
        assert callee.communicate(timeout=60)[0] == "taken\n"
    ours.give_back()


def test_a_kernel_called_from_python_takes_integers_of_any_kind() -> None:
    from engine.hands.hand_rank import rank_seven_cards
    from engine.hands.hand_strength import hand_strength

    cards = [51, 50, 20, 17, 30, 4, 9]

    assert rank_seven_cards(*np.array(cards, np.uint8)) == rank_seven_cards(*cards)
    assert hand_strength([*np.array(cards[:2])], [*np.array(cards[2:], np.uint8)]) == hand_strength(
        cards[:2], cards[2:]
    )
    refuses(TypeError, "", rank_seven_cards, *cards[:6])
