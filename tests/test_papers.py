"""``docs/papers.md``: nothing that a paper numbers is missing, and all that the page names is there."""

import ast
import functools
import re
from typing import Final

import attrs
import pytest

from tests.support.dealer_process import ROOT
from tests.support.documents import faults_of_command

PAGE: Final = ROOT / "docs" / "papers.md"
_SPAN: Final = re.compile(r"`([^`]+)`")

NUMBERED: Final = {
    "Poki": [f"Fig. 3.{k}" for k in range(1, 10)]
    + [f"Table 3.{k}" for k in (1, 2)]
    + [f"Eq. 3.{k}" for k in range(1, 7)],
    "Loki": [f"Fig. {k}" for k in (1, 2, 3)],
    "Heuristic": [f"Eq. {k}" for k in range(1, 7)] + ["Table 1"],
    "Poker Learner": [f"Fig. 2.{k}" for k in range(1, 15)]
    + [f"Fig. 3.{k}" for k in range(1, 5)]
    + [f"Fig. 4.{k}" for k in range(1, 7)]
    + [f"Fig. 5.{k}" for k in range(1, 6)]
    + [f"Table 5.{k}" for k in range(1, 9)],
    "Killer": [],
}
"""What the papers number, counted in them by hand."""
ILLUSTRATIONS: Final = {("Loki", "Fig. 1"), ("Poker Learner", "Fig. 2.14")}
"""Of other games, for comparison: there is nothing to build."""


@attrs.frozen
class Row:
    """A row of the page."""

    paper: str
    item: str
    places: str
    tests: str
    command: str
    deviation: str

    def numbers(self) -> list[str]:
        """``Fig. 5.1 to 5.3`` is three."""
        found = re.fullmatch(r"(\S+) (\d+)\.(\d+) to (\d+)\.(\d+)", self.item)
        if found is None:
            return [self.item]
        kind, chapter, first, last = found[1], found[2], int(found[3]), int(found[5])
        return [f"{kind} {chapter}.{number}" for number in range(first, last + 1)]


@functools.cache
def rows() -> tuple[Row, ...]:
    """All rows of the page, with the paper whose heading they stand under."""
    found = []
    paper, is_listing = "", False
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            paper = line[3:].partition(":")[0]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        is_listing = line.startswith("|") and (is_listing or cells[0] == "in the paper")
        if is_listing and cells[0] not in ("in the paper", "---"):
            assert len(cells) == 6, line
            item, _, *rest = cells
            found.append(Row(paper, item, *rest))
    return tuple(found)


@functools.cache
def names_in(path: str) -> frozenset[str]:
    """What a module defines at its top level, and ``Class.member``."""
    names: set[str] = set()
    for node in ast.parse((ROOT / path).read_text("utf-8")).body:
        for name in _defined(node):
            names.add(name)
            if isinstance(node, ast.ClassDef):
                names.update(f"{name}.{member}" for inner in node.body for member in _defined(inner))
    return frozenset(names)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def faults_of_places(places: str) -> list[str]:
    """What a cell of places names and is not there: ```path`: `name`, `name`; `path` ...``."""
    faults = []
    for place in places.split(";"):
        spans = _SPAN.findall(place)
        if not spans or not (ROOT / spans[0]).is_file():
            faults.append(f"no file: {place}")
        else:
            faults += [f"{spans[0]} has no {name}" for name in spans[1:] if name not in names_in(spans[0])]
    return faults


def faults_of_tests(tests: str) -> list[str]:
    """What a cell of tests names and is not there."""
    faults = []
    for span in _SPAN.findall(tests) or [tests]:
        path, _, name = span.partition("::")
        if not (ROOT / path).is_file() or name not in names_in(path) or not name.startswith("test_"):
            faults.append(f"no test: {span}")
    return faults


@pytest.mark.parametrize("paper", NUMBERED)
def test_no_number_of_a_paper_is_missing(paper: str) -> None:
    numbers = [number for row in rows() if row.paper == paper for number in row.numbers()]

    assert len(numbers) == len(set(numbers))
    if paper == "Killer":  # numbers nothing; its chapters
        assert len(numbers) > 12
    else:
        assert sorted(numbers) == sorted(NUMBERED[paper])


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.paper} {row.item}")
def test_all_that_a_row_names_is_there(row: Row) -> None:
    if (row.paper, row.item) in ILLUSTRATIONS:
        assert (row.places, row.tests, row.command) == ("–", "–", "–")
        return
    commands = _SPAN.findall(row.command)

    assert faults_of_places(row.places) == []
    assert faults_of_tests(row.tests) == []
    assert commands
    assert [fault for command in commands for fault in faults_of_command(command)] == []
    assert row.deviation
    assert "absent" not in row.deviation


def test_names_that_do_not_exist_are_found() -> None:
    assert (
        faults_of_places("`engine/poker/cards.py`: `make_card`; `engine/poker/rules/action.py`: `Action`")
        == []
    )
    assert faults_of_places("`engine/hands/hand_strength.py`: `HandPotential.positive`") == []
    assert faults_of_places("`engine/poker/cards.py`: `make_cards`") != []
    assert faults_of_places("`engine/card.py`: `make_card`") != []
    assert faults_of_places("`engine/hands/hand_strength.py`: `HandPotential.strength`") != []
    assert faults_of_places("–") != []
    assert faults_of_tests("`tests/test_papers.py::test_names_that_do_not_exist_are_found`") == []
    assert faults_of_tests("`tests/test_papers.py::test_what_is_there_is_found`") != []
    assert faults_of_tests("`tests/test_papers.py::rows`") != []
    assert faults_of_tests("–") != []


def test_every_answer_of_where_is_there_and_is_short() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text.partition("## Where is")[2], re.MULTILINE)[2:]

    assert len(table) > 20
    for question, places in table:
        assert len(places.split(";")) <= 2, question
        assert faults_of_places(places) == [], question
    assert faults_of_places("`engine/compiling.py`: `STEPZ`") != []
