"""Checks of the size of modules, folders and functions, and of loops from nodes to their parents."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import attrs

MOST_MODULES: Final = 12
"""The most modules in a folder, without sub-packages."""
MOST_LINES: Final = 450
"""The most lines of a module."""
MOST_FUNCTION_LINES: Final = 90
"""The most lines of a function."""
MOST_PARAMETERS: Final = 8
"""The most parameters of a function, without `self` and `cls`; commands may have more options."""

LONG: Final = "# Long, because "
"""The beginning of a comment that says why a function is longer."""
MANY_PARAMETERS: Final = "# Many parameters: "
"""The beginning of a comment that says why a function takes more parameters."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@attrs.frozen
class Oversized:
    """A function that is larger than it may be, without a comment that says why."""

    name: str
    line: int
    fault: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.name} {self.fault}"


def oversized_functions(source: str) -> list[Oversized]:
    """The functions of a module that are too long or take too many parameters, and do not say why."""
    lines = source.splitlines()
    return [
        Oversized(function.name, function.lineno, fault)
        for function in _functions(ast.parse(source))
        for marker, fault in _faults(function)
        if not _says(lines, function, marker)
    ]


def walks_to_parents(source: str) -> list[int]:
    """The lines of loops that go from node to parent."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.While)
        and any(isinstance(part, ast.Attribute) and part.attr == "parent" for part in ast.walk(node.test))
    ]


def _functions(tree: ast.AST) -> Iterator[_Function]:
    """All functions in a syntax tree."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _faults(function: _Function) -> Iterator[tuple[str, str]]:
    """What is wrong with a function's size, each with the comment that would excuse it."""
    assert function.end_lineno is not None
    length = function.end_lineno - function.lineno + 1
    if length > MOST_FUNCTION_LINES:
        yield LONG, f"has {length} lines, more than {MOST_FUNCTION_LINES}"
    arguments = function.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    parameters = len(positional) + len(arguments.kwonlyargs) - (positional[:1] in (["self"], ["cls"]))
    if parameters > MOST_PARAMETERS and not _is_command(function):
        yield MANY_PARAMETERS, f"takes {parameters} parameters, more than {MOST_PARAMETERS}"


def _is_command(function: _Function) -> bool:
    """Whether a function is a command of click."""
    return any("click.command(" in ast.unparse(decorator) for decorator in function.decorator_list)


def _says(lines: list[str], function: _Function, marker: str) -> bool:
    """Whether a comment in a function, or right above it, begins with a marker."""
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)]) - 1
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return any(line.lstrip().startswith(marker) for line in lines[first : function.end_lineno])
