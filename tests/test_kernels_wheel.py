"""A new machine with the wheel of kernels: nothing is compiled, and every level plays alike."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import pytest

from engine.kernels._kept import LEVELS
from tests.support.dealer_process import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
NONE_COMPILED: Final = " 0 compiled on this machine, in "
LIMIT, NO_LIMIT = "limit-2p", "nolimit-2p-100bb"
PLAYED: Final[dict[str, tuple[str, ...]]] = {
    "portfolio": (LIMIT,), "resolver": (NO_LIMIT,),
    **dict.fromkeys(("decide", "llm", "openspiel", "pypokerengine", "rlcard", "skeleton"), ()),
}  # fmt: skip
"""Games of bots that know others only by files; none of those who ask somebody else.  The rest play both."""
MATCH: Final = ("--hands", "6", "--seed", "1", "--in-process", "--luck", "off")


def done(*words: object, **variables: str) -> str:
    """What a command prints on stdout; it ends well and compiles nothing."""
    result = subprocess.run(
        list(map(str, words)),
        env=os.environ | variables,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "compiling" not in result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of an environment in which the two wheels are installed, and nothing else of ours."""
    folder = tmp_path_factory.mktemp("installed")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder)
    for project in (ROOT, ROOT / "tests" / "kernels_wheel"):
        subprocess.run([*build, project], check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    wheels = folder.glob("*.whl")
    done(folder / "venv/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *wheels)
    return folder / "venv" / "bin" / "riverboat"


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"RIVERBOAT_CACHE_DIR": str(tmp_path / "cache")}


@pytest.mark.parametrize("bot", sorted(entry.name for entry in entry_points(group="riverboat.bots")))
def test_every_bot_plays_its_first_match_without_compiling(
    bot: str, program: Path, cache: dict[str, str], tmp_path: Path
) -> None:
    for game in PLAYED.get(bot, (LIMIT, NO_LIMIT)):
        done(program, "match", game, bot, "always-call", *MATCH, "--out", tmp_path / game, **cache)

    assert NONE_COMPILED in done(program, "--version", "--verbose", **cache)
    assert not list(tmp_path.rglob("*.native"))


def test_questions_are_answered_without_compiling(program: Path, cache: dict[str, str]) -> None:
    for words in (["AhKd"], ["AhKd", "QsJh2c", "--opponents", "3"], ["AhKd", "QsJh2c5d9s"]):
        done(program, "odds", *words, **cache)

    assert NONE_COMPILED in done(program, "--version", "--verbose", **cache)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays_as_code_that_is_compiled_here(
    level: str, program: Path, cache: dict[str, str]
) -> None:
    chosen = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": LEVELS[level]}
    brought = done(program, "signature", **cache, **chosen)

    assert f"this machine takes those for {level};" in done(
        program, "--version", "--verbose", **cache, **chosen
    )
    assert brought == done(program, "signature", RIVERBOAT_KERNELS="compile")  # the cache of whoever tests
