"""Compiled kernels on disk: whose are loaded, what is passed over, and that nothing else is needed."""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from engine.kernels._kept import LEVELS, levels_for
from engine.support.files.cache import cache_directory
from tests.support.dealer_process import program, run_to_end

RANK_ONCE: Final = """
from engine.hands import hand_rank
assert hand_rank.rank_five_cards(50, 46, 42, 38, 34) == 7461
"""
SELDOM: Final = [pytest.param(each, marks=pytest.mark.slow) for each in ("NUM_THREADS=0", "OPT=a")]
NO_SPACE: Final = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
needs_levels = pytest.mark.skipif(platform.machine() != "x86_64", reason="levels of another architecture")


def run(cache: Path | str, code: str = RANK_ONCE, **variables: str | None) -> list[str]:
    """The lines that a process says on stderr which ranks a hand; a variable that is None is not set."""
    env = {**os.environ, "RIVERBOAT_CACHE_DIR": str(cache), **variables}
    given = {name: value for name, value in env.items() if value is not None}
    done: subprocess.CompletedProcess[str] = run_to_end([sys.executable, "-c", code], env=given, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def natives(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.native"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    run(folder)
    return folder


@pytest.fixture
def kernel(compiled: Path, tmp_path: Path) -> Path:
    """The one that is kept below the folder of a test, where it was compiled before."""
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    (kernel,) = natives(tmp_path)
    return kernel


def told(**variables: str) -> str:
    """What the program says of the kernels that there are."""
    return run_to_end(program("--version", "--verbose"), env=os.environ | variables).stdout.splitlines()[1]


def changed(code: bytes) -> bytes:
    return code[:-100] + bytes([code[-100] ^ 1]) + code[-99:]


@pytest.mark.parametrize("damage", [changed, pytest.param(lambda code: code[:-100], marks=pytest.mark.slow)])
def test_a_file_that_is_not_what_was_written_is_compiled_again(
    damage: Callable[[bytes], bytes], kernel: Path, tmp_path: Path
) -> None:
    whole = kernel.read_bytes()
    kernel.write_bytes(damage(whole))

    said = run(tmp_path)

    (line,) = [line for line in said if "compiling" not in line]
    assert line == f"riverboat: {kernel} is not what was written there; this kernel is compiled instead"
    assert kernel.read_bytes()[:32] == hashlib.sha256(kernel.read_bytes()[32:]).digest()
    assert run(tmp_path) == []


def test_what_is_no_file_is_left_alone(kernel: Path, tmp_path: Path) -> None:
    """A process would wait forever for somebody to write to a pipe."""
    kernel.unlink()
    os.mkfifo(kernel)

    assert f"{kernel} is not what was written there" in run(tmp_path)[0]


@pytest.mark.parametrize("variable", ["NUM_THREADS=a", "CPU_FEATURES=a", *SELDOM])
def test_a_variable_of_numba_that_makes_no_sense_costs_a_line(variable: str) -> None:
    name, _, value = variable.partition("=")
    said = run(cache_directory(), **{f"NUMBA_{name}": value})

    assert [f"{name}={value!r}: expected" in line or "could not be parsed" in line for line in said] == [True]


def test_a_folder_that_others_can_write_to_is_left_alone(kernel: Path, tmp_path: Path) -> None:
    (tmp_path / "kernels").chmod(0o777)
    before = kernel.stat().st_mtime_ns

    first, *others = run(tmp_path)

    assert first.startswith(f"riverboat: {tmp_path}/kernels is not used, since others can write to it: chown")
    assert others
    assert all("compiling" in line for line in others)
    assert kernel.stat().st_mtime_ns == before
    assert "none brought; 0 compiled on this machine" in told(RIVERBOAT_CACHE_DIR=str(tmp_path))


@pytest.mark.parametrize(
    ("code", "variables"),
    [
        (NO_SPACE, {}),
        ("", {"NUMBA_DISABLE_JIT": "1"}),
        pytest.param("", {"NUMBA_CACHE_DIR": "foreign"}, marks=pytest.mark.slow),
        pytest.param(
            "", {"RIVERBOAT_CACHE_DIR": None, "HOME": None, "XDG_CACHE_HOME": "cache"}, marks=pytest.mark.slow
        ),
        ("", {"RIVERBOAT_CACHE_DIR": "/proc/nowhere"}),
        pytest.param(
            "",
            {"NUMBA_CPU_NAME": "any", "NUMBA_CPU_FEATURES": "+avx2"},
            marks=[needs_levels, pytest.mark.slow],
        ),
    ],
)
def test_a_kernel_runs_wherever_it_can_be_kept_or_not(
    code: str, variables: dict[str, str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run(tmp_path / "cache", code + RANK_ONCE, PYTHONPATH=os.pathsep.join(sys.path), **variables)

    cannot_be_kept = bool(code or "/proc/nowhere" in variables.values())
    assert any(line.endswith("; every process compiles again") for line in said) == cannot_be_kept
    assert not (tmp_path / "foreign").exists()


# --- kernels that were brought along ------------------------------------------------------------------------


@needs_levels
def test_code_is_loaded_for_the_best_level_that_the_processor_is_of() -> None:
    def levels(features: str) -> list[str]:
        return [name for _, name, _ in levels_for(("x86_64-unknown-linux-gnu", "any", features))]

    older, newer = LEVELS["x86-64-v2"], LEVELS["x86-64-v3"]

    assert levels(f"{newer},+avx512f,-sse4a") == ["x86-64-v3", "x86-64-v2"]
    assert levels(newer.replace("+avx2", "-avx2")) == levels(older) == ["x86-64-v2"]
    assert levels(older.replace("+popcnt", "-popcnt")) == levels("") == []
    assert sorted(LEVELS.values(), key=len, reverse=True) == [*LEVELS.values()]


def bring_along(site: Path, compiled: Path) -> list[Path]:
    """Install kernels as a wheel would; returns where they lie."""
    records = []
    for file in natives(compiled):
        place = site / "riverboat_kernels" / "x86-64-v2" / file.relative_to(compiled / "kernels")
        place.parent.mkdir(parents=True)
        place.write_bytes(file.read_bytes())
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
        records.append(f"{place.relative_to(site)},sha256={digest},{file.stat().st_size}")
    facts = site / "riverboat_kernels-0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: riverboat-kernels\nVersion: 0\n")
    (facts / "RECORD").write_text("\n\n".join(records))
    return natives(site)


@pytest.mark.slow
@needs_levels
def test_kernels_that_were_brought_along_are_loaded_if_they_are_those_of_the_list(tmp_path: Path) -> None:
    level = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": LEVELS["x86-64-v2"]}
    run(tmp_path / "made", **level)
    (kernel,) = bring_along(tmp_path / "site", tmp_path / "made")
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *sys.path])}

    assert run(tmp_path / "empty", **path) == run(tmp_path / "empty", **path, **level) == []
    assert not (tmp_path / "empty").exists()
    assert told(**path, RIVERBOAT_CACHE_DIR=str(tmp_path / "empty")) == (
        "kernels: 1 in riverboat-kernels, this machine takes those for x86-64-v2; "
        f"0 compiled on this machine, in {tmp_path}/empty/kernels"
    )

    assert "compiling" in run(tmp_path / "empty", **path, RIVERBOAT_KERNELS="compile")[0]
    assert "compiling" in run(tmp_path / "older", **path, NUMBA_CPU_FEATURES="+sse2")[0]

    kernel.write_bytes(changed(kernel.read_bytes()))
    first, *_ = run(tmp_path / "another", **path)
    assert first == f"riverboat: {kernel} is not what was written there; this kernel is compiled instead"
