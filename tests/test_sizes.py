"""The house stays one that can be lived in: nothing is too large, and what stands once stands once."""

import functools
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.documents import documents
from tests.support.sizes import (
    MOST_LINES,
    MOST_MODULES,
    class_names,
    code_lines,
    oversized_functions,
    unreadable_docstrings,
    variables,
    walks_to_parents,
)
from tests.test_architecture import MODULES, ROOT

# --- budgets: what adds weight argues for it here, in the commit that does ----------------------------------

MOST_MODULES_IN_ALL: Final = 520
"""Modules of the product, without ``__init__``."""
MOST_CODE: Final = 65_500
"""Lines of code of the product; see `code_lines`."""
MOST_CODE_BY_PACKAGE: Final = {
    "engine/evidence": 2600, "engine/hands": 1500, "engine/kernels": 8200, "engine/learning": 600,
    "engine/players": 2100, "engine/poker": 1900, "engine/solving": 4700, "engine/support": 1000,
    "protocol": 1800,
    "server/commands": 2100, "server/league": 4000, "server/match": 2900, "server/records": 4100,
    "server/room": 5200, "server/support": 900, "server/table": 2500,
    "clients/bots": 3300, "clients/commands": 2900, "clients/core": 1300, "clients/human": 1200,
    "clients/lab": 9200, "clients/learners": 1300, "clients/reports": 900,
}  # fmt: skip
MOST_TEST_CODE: Final = 49_550
MOST_WORDS: Final = 68_000
"""Words of Markdown."""
TITLES_SINCE: Final = "95087c8"
"""Commits after this one have titles of at most 72 characters."""
NAMED_TWICE: Final = {
    "engine: Decision",
    "engine: Hands",
    "engine: Line",
    "engine: Player",
    "engine: Prior",
    "engine: Scratch",
    "server: Seat",
}
"""Class names that stand for several things in one top package; the list only shrinks."""


@functools.cache
def facts() -> dict[Path, dict[Callable[[str], Any], Any]]:
    """What each module is found to have: all at once, since to parse it takes the most time."""
    checks = code_lines, class_names, unreadable_docstrings, oversized_functions, walks_to_parents, variables
    texts = {module: (ROOT / module).read_text("utf-8") for module in MODULES}
    return {module: {check: check(text) for check in checks} for module, text in texts.items()}


def faults(check: Callable[[str], list[Any]]) -> dict[str, list[str]]:
    """What is found by a check, by module; only those where something is."""
    return {str(module): list(map(str, found[check])) for module, found in facts().items() if found[check]}


def code_by_package() -> dict[str, int]:
    """Lines of code by folder of a top package; what lies directly in one counts for the package itself."""
    lines: Counter[str] = Counter()
    for module, found in facts().items():
        folder = "/".join(module.parts[:2]) if len(module.parts) > 2 else module.parts[0]
        lines[folder if module.parts[0] != "protocol" else "protocol"] += found[code_lines]
    return dict(lines)


def test_there_are_no_more_modules_than_the_budget_allows() -> None:
    assert sum(module.name != "__init__.py" for module in MODULES) <= MOST_MODULES_IN_ALL


def test_each_package_keeps_to_its_lines_of_code() -> None:
    lines = code_by_package()

    small = {"engine", "server", "clients"}  # what opens a package
    assert {package for package in lines if package not in small} == set(MOST_CODE_BY_PACKAGE)
    assert {each: lines[each] for each, most in MOST_CODE_BY_PACKAGE.items() if lines[each] > most} == {}
    assert all(lines[package] <= 300 for package in small)
    assert sum(lines.values()) <= MOST_CODE


def test_tests_and_documents_keep_to_their_budgets() -> None:
    lines = sum(code_lines(path.read_text("utf-8")) for path in (ROOT / "tests").rglob("*.py"))
    words = sum(len(document.path.read_text("utf-8").split()) for document in documents())

    assert lines <= MOST_TEST_CODE
    assert words <= MOST_WORDS


def test_a_class_name_stands_for_one_thing_in_a_top_package() -> None:
    named = Counter(
        (module.parts[0], name) for module, found in facts().items() for name in found[class_names]
    )

    assert {f"{top}: {name}" for (top, name), number in named.items() if number > 1} == NAMED_TWICE


def test_docstrings_of_one_line_can_be_read_alone() -> None:
    assert faults(unreadable_docstrings) == {}


def test_titles_of_commits_are_short() -> None:
    log = ["git", "log", "--format=%h %s", f"{TITLES_SINCE}..HEAD"]
    history = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    if history.returncode:
        pytest.skip("there is no history")

    titles = [line.partition(" ")[::2] for line in history.stdout.splitlines()]
    assert [commit for commit, title in titles if len(title) > 72] == []


# --- sizes -------------------------------------------------------------------------------------------------


def test_no_folder_has_more_modules_than_one_can_keep_in_mind() -> None:
    loose = Counter(module.parent for module in MODULES if module.stem[:2] != "__")

    assert {str(folder): number for folder, number in loose.items() if number > MOST_MODULES} == {}


def test_no_module_is_too_long() -> None:
    lengths = {str(module): len((ROOT / module).read_text("utf-8").splitlines()) for module in MODULES}

    assert {module: length for module, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long_or_takes_too_much_without_saying_why() -> None:
    assert faults(oversized_functions) == {}


def test_a_hand_is_walked_by_its_own_steps() -> None:
    """`BettingState.steps` is the one walk over the actions of a hand."""
    assert faults(walks_to_parents) == {}


def test_an_environment_variable_is_named_in_one_place() -> None:
    assert faults(variables).keys() == {"engine/support/files/cache.py", "protocol/variables.py"}


FUNCTIONS = """
def short(self, a, b, c, d, e, f, g, h): ...

def takes(a, b, c, d, e, f, g, h, *, i): ...

# Many parameters: each is a register, which was measured.
@decorated
def takes_and_says(a, b, c, d, e, f, g, h, i): ...

@click.command()
def command(a, b, c, d, e, f, g, h, i): ...
"""


def test_what_is_too_large_is_found_and_may_say_why() -> None:
    body = "\n".join(f"    x{n} = {n}" for n in range(90))
    too_long = f"def long():\n{body}\n"

    assert list(map(str, oversized_functions(FUNCTIONS))) == ["line 4: takes takes 9 parameters, more than 8"]
    assert list(map(str, oversized_functions(too_long))) == ["line 1: long has 91 lines, more than 90"]
    assert not oversized_functions(too_long.replace("x0 = 0", "x0 = 0\n    # Long, because it is a table."))
    assert not oversized_functions("def just():\n" + body.replace("    x89 = 89", ""))


def test_walks_are_found() -> None:
    assert walks_to_parents("while node.parent is not None:\n    node = node.parent\n") == [1]
    assert walks_to_parents("while (up := node.parent) is not None:\n    node = up\n") == [1]
    assert walks_to_parents("for step in betting.steps():\n    pass\n") == []


COUNTED = '''"""A docstring
of two lines."""

import a  # a comment

TEXT = """counts
twice"""


def what():
    "What it returns."
    return (
        1
    )
'''


def test_code_names_and_docstrings_are_counted() -> None:
    assert code_lines(COUNTED) == 7
    assert class_names("class A:\n    class B: ...\n") == ["A", "B"]
    assert unreadable_docstrings(COUNTED) == ["line 10: What it returns."]
    assert unreadable_docstrings(COUNTED.replace("What it returns.", "The result.")) == []
    assert unreadable_docstrings(COUNTED.replace("What it returns.", "What is it?")) == []
