"""What is compiled before a clock runs, and how a process knows that it has been."""

import importlib
import json
import pkgutil
import sys
from pathlib import Path

import pytest

import engine.kernels
from engine.compiling import compiled_once
from engine.kernels._kept import folder_name, module_name
from tests.support.asserting import refuses
from tests.support.dealer_process import completed, program, run_to_end
from tests.support.interpreter import imported_by


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path))
    for module in ("one", "two"):
        (tmp_path / "kernels" / folder_name(module)).mkdir(parents=True)
    return tmp_path


def test_a_subject_is_compiled_once_a_machine() -> None:
    calls: list[str] = []

    for subject in ("one", "two", "one", "one"):
        compiled_once(subject, lambda subject=subject: calls.append(subject))  # type: ignore[misc]

    assert calls == ["one", "two"]


def test_other_sources_or_another_processor_are_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    for name in ("generic", "skylake", "skylake"):
        monkeypatch.setenv("NUMBA_CPU_NAME", name)
        compiled_once("one", lambda: calls.append(1))

    assert len(calls) == 2


def test_a_compilation_that_fails_is_tried_again() -> None:
    refuses(ZeroDivisionError, "", compiled_once, "one", lambda: print(1 // 0))

    calls: list[int] = []
    compiled_once("one", lambda: calls.append(1))

    assert calls == [1]


def test_a_cache_that_cannot_be_written_costs_the_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", "/dev/null/nowhere")
    calls: list[int] = []

    compiled_once("one", lambda: calls.append(1))
    compiled_once("one", lambda: calls.append(1))

    assert calls == [1, 1]


def test_the_list_itself_imports_nothing_that_is_compiled() -> None:
    assert not imported_by("import engine.compiling") & {"numpy", "numba"}


PLAYED = """
from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.kernels import _jit
from engine.poker.rules import load_game
bot, game = make_bot("{}"), load_game("{}")
bot.prepare(game)
_jit._Cache.load_overload = lambda _, types, __: exit(str(types))
Arena(game, [bot, *[make_bot("random") for _ in game.stacks[1:]]], 3).play(60)
"""


EQUILIBRIUM = pytest.param("equilibrium nolimit-2p", marks=pytest.mark.slow)


@pytest.mark.parametrize("words", ["formula limit-2p", "formula nolimit-2p", EQUILIBRIUM])
def test_nothing_is_compiled_in_mid_hand(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # with the kernels that are there
    assert run_to_end([sys.executable, "-c", PLAYED.format(*words.split())]).stderr == ""


@pytest.mark.slow
def test_a_bot_on_a_new_machine_loses_no_hand(cache: Path, tmp_path: Path) -> None:
    """It compiles before it joins, although its decisions may take a tenth of what compiling does."""
    words = ("--hands", "60", "--seed", "3", "--response-time", "2", "--first-response-time", "2", "--json")
    bots = ("simple", "hand-strength", "--out", str(tmp_path / "m"))
    done = completed("match", "limit-2p", *bots, *words, seconds=110)

    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["hands"] == 60
    assert list((cache / "kernels").glob("hands.strength-*/*.compiled"))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_command_compiles_every_kernel_that_exists(cache: Path) -> None:
    """Natively, or for the kernels that call it; whatever is not compiled is found by its absence on disk."""
    names = set()
    for module in pkgutil.walk_packages(engine.kernels.__path__, "engine.kernels."):
        for found in vars(importlib.import_module(module.name)).values():
            if hasattr(found, "py_func"):
                file = Path(found.py_func.__code__.co_filename)
                names.add(f"{folder_name(module_name(file))}/{found.py_func.__qualname__}")

    run_to_end(program("kernels"), timeout=800, check=True)

    files = [path.relative_to(cache / "kernels") for path in (cache / "kernels").rglob("*.[nc]a*")]
    assert names
    assert names - {f"{path.parent}/{path.name.rsplit('-', 1)[0]}" for path in files} == set()
