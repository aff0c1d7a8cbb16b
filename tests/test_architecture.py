"""The packages depend on each other as the design says, import from where they should, and are on maps."""

import ast
import importlib.util
import re
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import ModuleType

import pytest

import clients.human
import protocol
import server.table
from tests.support.cases import cases
from tests.support.dealer_process import run_to_end
from tests.support.documents import listed_modules, missing_names, modules_in, public_names
from tests.support.interpreter import imported_by

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "protocol", "server", "clients")
MODULES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

NUMBER_CRUNCHERS = {"numpy", "numba", "scipy", "llvmlite"}


def test_import_contracts_hold() -> None:
    """In a process of its own: the linter sets logging up anew, and closes what others log to here."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = run_to_end([linter, "--no-cache"], ROOT, timeout=None)

    assert done.returncode == 0, done.stdout


def test_rules_protocol_and_server_start_without_numpy_and_numba() -> None:
    loaded = imported_by("import server, protocol, engine.poker.rules")

    assert {"server", "protocol", "engine"} <= loaded
    assert not loaded & NUMBER_CRUNCHERS


@pytest.mark.parametrize("module", cases(__file__, "each module of rules protocol and server starts without"))
def test_each_module_of_rules_protocol_and_server_starts_without_numpy_and_numba(module: str) -> None:
    assert not imported_by(f"import {module}") & NUMBER_CRUNCHERS


@pytest.mark.parametrize("name", ["hand-strength:call=0,bet=0,raise=0", "simple"])
def test_a_rule_bot_loads_compiled_code_with_its_first_flop(name: str) -> None:
    def loaded_against(opponent: str) -> set[str]:
        return imported_by(
            "from clients.core.arena import Arena; from clients.core.registry import make_bot\n"
            "from engine.poker.rules import load_game\n"
            f"Arena(load_game('limit-2p'), [make_bot('{name}'), make_bot('{opponent}')], 1).play(20)"
        )

    assert "numba" in loaded_against("always-call")
    loaded = loaded_against("always-fold")
    assert "numpy" in loaded  # the table of starting hands
    assert not loaded & (NUMBER_CRUNCHERS - {"numpy"})


def test_rules_and_protocol_load_nothing_but_attrs_and_the_standard_library() -> None:
    loaded = imported_by("import protocol, engine.poker.rules") - imported_by("pass")

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


def faults_by_module(find: Callable[[str], Collection[object]]) -> dict[str, Collection[object]]:
    """What is found in the source text of our modules, by module; only those where something is."""
    found = {str(module): find((ROOT / module).read_text("utf-8")) for module in MODULES}
    return {module: faults for module, faults in found.items() if faults}


def test_modules_say_what_they_are() -> None:
    assert faults_by_module(lambda source: [] if source.startswith(('"""', 'r"""')) else ["none"]) == {}


def test_names_in_docstrings_are_those_of_today() -> None:
    assert faults_by_module(missing_names) == {}


def test_a_package_that_lists_its_modules_lists_them_all() -> None:
    for module in MODULES:
        if module.name == "__init__.py":
            listed = listed_modules(ast.get_docstring(ast.parse((ROOT / module).read_text("utf-8"))) or "")
            assert listed in ([], modules_in((ROOT / module).parent)), module


def test_listed_modules_and_missing_names_are_found() -> None:
    listing = "``a``  one\n``b``, ``c``   two\n  ``d``  indented\n``e`` in a sentence\n"
    right = "see `engine.poker.rules`, ``engine.poker.rules.betting`` and `engine.poker.rules.play_hand`"
    wrong = ["engine.rule", "engine.poker.rules.play_hands"]

    assert listed_modules(listing) == ["a", "b", "c"]
    assert missing_names(right) == []
    assert missing_names(f"see `{wrong[0]}` and `{wrong[1]}`") == wrong


@pytest.mark.parametrize("package", [clients.human, protocol, server, server.table])
def test_every_module_of_a_package_is_in_a_map(package: ModuleType) -> None:
    readme = (ROOT / package.__name__.replace(".table", "").replace(".", "/") / "README.md").read_text(
        "utf-8"
    )

    for name in public_names(package):
        assert re.search(rf"`(table/)?{name}(\.py|/)`", readme), name


def test_the_protocol_is_listed_in_an_order_in_which_it_can_be_read() -> None:
    listed = re.findall(r"^    (\w+) ", protocol.__doc__ or "", re.MULTILINE)
    readme = re.findall(r"^\| `(\w+)\.py` \|", (ROOT / "protocol/README.md").read_text("utf-8"), re.MULTILINE)

    assert sorted(listed) == [name for name in public_names(protocol) if name != "agents"]  # a package
    assert readme == listed
    for number, name in enumerate(listed):
        source = (ROOT / "protocol" / f"{name}.py").read_text("utf-8")
        imported = set(re.findall(r"^from protocol\.(\w+) import", source, re.MULTILINE))
        assert imported <= set(listed[:number]), name
