"""The house stays one that can be lived in: nothing is too large, and what stands once stands once."""

from __future__ import annotations

import ast
import re
from collections import Counter

from tests.support.sizes import MOST_LINES, MOST_MODULES, oversized_functions, walks_to_parents
from tests.test_architecture import MODULES, ROOT, faults_by_module


def test_no_folder_has_more_modules_than_one_can_keep_in_mind() -> None:
    loose = Counter(module.parent for module in MODULES if module.stem[:2] != "__")

    assert {str(folder): number for folder, number in loose.items() if number > MOST_MODULES} == {}


def test_no_module_is_too_long() -> None:
    lengths = {str(module): len((ROOT / module).read_text("utf-8").splitlines()) for module in MODULES}

    assert {module: length for module, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long_or_takes_too_much_without_saying_why() -> None:
    assert faults_by_module(lambda source: list(map(str, oversized_functions(source)))) == {}


def test_a_hand_is_walked_by_its_own_steps() -> None:
    """`BettingState.steps` is the one walk over the actions of a hand."""
    assert faults_by_module(walks_to_parents) == {}


def test_an_environment_variable_is_named_in_one_place() -> None:
    named = {
        str(module)
        for module in MODULES
        for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8")))
        if isinstance(node, ast.Constant) and re.fullmatch(r"RIVERBOAT_\w+", str(node.value))
    }

    assert named == {"engine/support/files/cache_directory.py", "protocol/variables.py"}


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
