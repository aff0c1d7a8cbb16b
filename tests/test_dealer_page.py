"""``docs/acpc-dealer.md``: every section of it that code, tests and documents cite is there."""

from __future__ import annotations

import functools
import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.support.dealer_process import ROOT

PAGE: Final = "docs/acpc-dealer.md"
FOLDERS: Final = ("engine", "protocol", "server", "clients", "tests", "docs")

_HEADING: Final = re.compile(r"^#+ (?:Appendix )?(\d\.\d+|[A-E]\.\d|\d(?=\.)|[A-E](?=\.)) ?", re.MULTILINE)
_ROW: Final = re.compile(r"^\| (8\.\d+|E\d+b?) \|", re.MULTILINE)
"""Section 8 and appendix D.1 number the rows of their tables."""
_GAP: Final = r"[\s#]+"
"""White space; a comment goes on behind a ``#`` in the next line."""
_NUMBER: Final = r"(?:\d+(?:\.\d+)*|E\d+[a-z]?|[A-E](?:\.\d+)?)(?!\w)"
_CITATION: Final = re.compile(
    rf"(?P<page>[\w/]*acpc-[\w.]+){_GAP}(?:sections?{_GAP})?"
    rf"(?P<numbers>{_NUMBER}(?:(?:[-–]|(?:,|,?{_GAP}(?:and|to)){_GAP}){_NUMBER})*)?"
)


@functools.cache
def sections() -> Counter[str]:
    """The numbers of the page's sections, and how often each is there."""
    page = (ROOT / PAGE).read_text("utf-8")
    return Counter([*_HEADING.findall(page), *_ROW.findall(page)])


def cited(text: str) -> list[str]:
    """The numbers of all sections that a text cites."""
    found = [match["numbers"] or "" for match in _CITATION.finditer(text)]
    return [number for numbers in found for number in re.findall(_NUMBER, numbers)]


def faults_of_citations(text: str) -> list[str]:
    """Everything that a text cites and the page does not have."""
    faults = []
    for match in _CITATION.finditer(text):
        numbers = re.findall(_NUMBER, match["numbers"] or "")
        if match["page"] != PAGE:
            faults += [f"no such page: {match[0]}"] if numbers else []
        elif not numbers:
            faults.append(f"cites no section: {text[match.start() : match.end() + 20]}")
        faults += [f"no section {number}" for number in numbers if number not in sections()]
    return faults


def sources() -> list[Path]:
    """All Python files, documents and notes of the project."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return [path for path in (*ROOT.glob("*.md"), *inside) if path.suffix in (".py", ".md", ".txt")]


def test_every_cited_section_is_there() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sources()}
    faults = {name: found for name, text in texts.items() if (found := faults_of_citations(text))}

    assert faults == {}
    assert sum(len(cited(text)) for text in texts.values()) > 80


def test_a_section_is_there_once() -> None:
    assert set(sections().values()) == {1}
    assert {"1", "1.4", "5.10", "8", "8.1", "8.34", "9", "A", "D", "D.2", "E", "E9b", "E20"} <= set(
        sections()
    )


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (f"Cards ({PAGE} 4.3, 4.4).", ["4.3", "4.4"]),
        (f"See {PAGE} sections 5 and 6.", ["5", "6"]),
        (f"# The clock ({PAGE} 5.6 to\n    # 5.8): 600 s", ["5.6", "5.8"]),
        (f"{PAGE}\n    section 4: cards", ["4"]),
        (f"{PAGE} E9b: 600 bet, 450 called, as in D.1", ["E9b"]),
        (f"as {PAGE} D.2, the cap of 64 actions, and `{PAGE}` say", ["D.2"]),
    ],
)
def test_right_citations_pass(text: str, numbers: list[str]) -> None:
    assert cited(text) == numbers
    assert faults_of_citations(text) == []


@pytest.mark.parametrize(
    "text",
    [
        f"({PAGE} 5.12)",
        f"({PAGE} 5.6, 5.12)",
        f"({PAGE} 5.6 to 5.12)",
        f"({PAGE} sections 5 and 10)",
        f"({PAGE} 8.10-8.35)",
        f"({PAGE} 5.6.1)",
        f"({PAGE} 8.35)",
        f"({PAGE} E16)",
        f"({PAGE} D.3)",
        f"({PAGE} secton 4)",
        f"({PAGE} on clocks)",
        f"({PAGE.removeprefix('docs/')} 5.6)",
        f"({PAGE.replace('dealer', 'deler')} 5.6)",
        f"({PAGE.removesuffix('.md')} 5.6)",
    ],
)
def test_wrong_citations_are_found(text: str) -> None:
    assert faults_of_citations(text) != []
