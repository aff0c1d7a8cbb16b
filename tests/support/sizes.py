"""Checks of the size of modules, folders and functions, and of loops from nodes to their parents."""

import ast
import functools
import re
from collections.abc import Iterator
from typing import Final

import attrs

MOST_MODULES: Final = 12
"""The most modules in a folder, without sub-packages."""
MOST_LINES: Final = 500
"""The most lines of a module."""
MOST_FUNCTION_LINES: Final = 90
"""The most lines of a function."""
MOST_PARAMETERS: Final = 8
"""The most parameters of a function, without `self` and `cls`; commands may have more options."""

LONG: Final = "# Long, because "
"""The beginning of a comment that says why a function is longer."""
MANY_PARAMETERS: Final = "# Many parameters: "
"""The beginning of a comment that says why a function takes more parameters."""

_UNREADABLE: Final = re.compile(
    r"(As|At|By|For|From|In|Into|Of|On|Out|Over|To|Under|Until|Upon|What|Where|Which|Who|Whom|With|Within"
    r"|Without)\b"
)

_TRIPLE: Final = re.compile(rb"""\w*(\"{3}|'{3})""")

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
        for function in _functions(source)
        for marker, fault in _faults(function)
        if not _says(lines, function, marker)
    ]


def walks_to_parents(source: str) -> list[int]:
    """The lines of loops that go from node to parent."""
    return [
        node.lineno
        for node in _nodes(source)
        if isinstance(node, ast.While)
        and any(isinstance(part, ast.Attribute) and part.attr == "parent" for part in ast.walk(node.test))
    ]


@functools.lru_cache(maxsize=1)  # one module after the other is looked at in several ways
def _nodes(source: str) -> list[ast.AST]:
    """All nodes of the syntax tree of a module."""
    return list(ast.walk(ast.parse(source)))


def _functions(source: str) -> Iterator[_Function]:
    """All functions of a module."""
    return (node for node in _nodes(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


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


def code_lines(source: str) -> int:
    """The lines with a token, less every string that stands alone as a statement."""
    lines = source.splitlines()
    counted = {k for k, line in enumerate(lines, 1) if (text := line.strip()) and not text.startswith("#")}
    alone: set[int] = set()
    for node in _nodes(source):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            alone.update(_lines_of(node) if isinstance(node.value.value, str) else ())
        elif isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            first = lines[node.lineno - 1].encode()[node.col_offset :]
            counted.update(_lines_of(node) if _TRIPLE.match(first) else ())  # with its blank lines
    return len(counted - alone)


def _lines_of(node: ast.expr | ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def class_names(source: str) -> list[str]:
    """The names of all classes of a module."""
    return [node.name for node in _nodes(source) if isinstance(node, ast.ClassDef)]


def variables(source: str) -> list[str]:
    """The environment variables of the project that a module names."""
    texts = [node.value for node in _nodes(source) if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and re.fullmatch(r"RIVERBOAT_\w+", text)]


def unreadable_docstrings(source: str) -> list[str]:
    """One-line docstrings that cannot be read alone: a preposition or a relative "What" comes first."""
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            first = text.partition("\n")[0]
            if "\n" not in text and _UNREADABLE.match(first) and not first.endswith("?"):
                found.append(f"line {node.lineno}: {first}")
    return found
