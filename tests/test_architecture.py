"""The packages depend on each other as the design says, import from where they should, and are documented."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter import cli as import_linter

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "protocol", "server", "clients")
MODULES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

NUMBER_CRUNCHERS = {"numpy", "numba", "scipy", "llvmlite"}


def imported_by(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter has loaded after a statement."""
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    return {name.strip().split(".")[0] for name in re.findall(r"\|([^|\n]+)$", result.stderr, re.MULTILINE)}


def test_import_contracts_hold(capsys: pytest.CaptureFixture[str]) -> None:
    status = import_linter.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)

    assert status == import_linter.EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_rules_protocol_and_server_start_without_numpy_and_numba() -> None:
    loaded = imported_by("import server, protocol, engine.rules")

    assert {"server", "protocol", "engine"} <= loaded
    assert not loaded & NUMBER_CRUNCHERS


@pytest.mark.parametrize(
    "package", ["engine", "engine.cards", "engine.files", "engine.rules", "protocol", "server"]
)
def test_each_of_them_does(package: str) -> None:
    assert not imported_by(f"import {package}") & NUMBER_CRUNCHERS


def test_rules_and_protocol_load_nothing_but_attrs_and_the_standard_library() -> None:
    loaded = imported_by("import protocol, engine.rules") - imported_by("pass")

    jython = {"org"}  # the standard library's copy module tries org.python.core, in vain
    assert loaded - set(sys.stdlib_module_names) - jython <= {"engine", "protocol", "attr", "attrs"}


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_imported_from_this_project(package: str) -> None:
    """Their names are common words; nobody else's package may come first."""
    spec = importlib.util.find_spec(package)

    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin) == ROOT / package / "__init__.py"
    assert (ROOT / package / "py.typed").exists()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_module_says_what_it_is(module: Path) -> None:
    docstring = ast.get_docstring(ast.parse((ROOT / module).read_text("utf-8")))

    assert docstring, f"{module} has no docstring"
