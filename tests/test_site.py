"""What the documentation site shows is run, page by page, as a reader would; and the site is built."""

import functools
import importlib.util
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
import yaml

from server.league.course.new_bot import LANGUAGES
from server.room.config import load_room
from tests.support.dealer_process import ROOT, environment, run_to_end

# --- site ---------------------------------------------------------------------------------------------------

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "$ riverboat" in path.read_text("utf-8"))
_BLOCK = re.compile(
    r"^```(console|python|c|java|javascript|rust)(?: title=\"([\w./]+)\")?\n(.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_SECTION = re.compile(r"^## ", re.MULTILINE)
_FORM = re.compile(r"(?<![-\w])[A-Z]{3,}(?!\w)|\.\.\.|…")
# A command with a word in capitals is a form to fill in.
_COMMANDS = ("$ riverboat ", *[f"$ cd {language}_bot && " for language in LANGUAGES])


def run(command: str, folder: Path) -> None:
    """As in a reader's shell, with our programs first on the path."""
    programs = {**environment(), "PATH": f"{Path(sys.executable).parent}:{environment()['PATH']}"}
    done = run_to_end(["sh", "-c", command], folder, env=programs, timeout=300)
    assert done.returncode == 0, (command, done.stderr)
    assert "Traceback" not in done.stderr


def blocks_that_can_be_run(page: Path) -> list[tuple[str, str, str]]:
    """Language, title and text; none of sections in a language whose compiler is missing."""
    blocks = []
    for section in _SECTION.split(page.read_text("utf-8")):
        known = LANGUAGES.get(section.partition("\n")[0].lower())
        if known is None or shutil.which(known.tool) is not None:
            blocks += _BLOCK.findall(section)
    return blocks


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_every_block_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    """A reader has the tutorial's bot; other people's programs, such as docker, are not there for sure."""
    tutorial = {title: text for _, title, text in _BLOCK.findall((DOCS / "tutorial.md").read_text("utf-8"))}
    (tmp_path / "my_bot.py").write_text(tutorial["my_bot.py"])
    for language, title, text in blocks_that_can_be_run(page):
        if title:
            (tmp_path / title).write_text(text)
        elif language == "python":
            (tmp_path / "block.py").write_text(text)
            run("python block.py", tmp_path)
        else:
            for line in text.replace("\\\n", " ").splitlines():
                if line.startswith(_COMMANDS) and not _FORM.search(re.sub(r"\s+#.*", "", line)):
                    run(line.removeprefix("$ "), tmp_path)
    if page.name == "languages.md":
        logs = [log.read_text("ascii") for log in tmp_path.glob("matches/*/match.log")]
        hands = {re.sub(r"\w+_bot|^#.*\n", "", text, flags=re.MULTILINE) for text in logs}
        assert len(logs) >= 1
        assert len(hands) == 1  # as the page says: all of them play alike


def test_the_tutorial_and_the_guides_have_something_to_run() -> None:
    assert {"tutorial.md", "bots.md", "languages.md", "train.md", "solve.md"} <= {page.name for page in PAGES}


def test_every_page_can_be_found() -> None:
    """The site refuses pages that its navigation does not name; this says so before it is built."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    named = set(re.findall(r"([\w./-]+\.md)$", text, re.MULTILINE))

    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert pages <= named, "name it in `nav` of mkdocs.yml"
    for name in named:
        if name.startswith("repository/"):
            assert (ROOT / name.removeprefix("repository/")).is_file()
    assert yaml.safe_load(text)["strict"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="`make docs` has not been run")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(tmp_path / "site")]
    env = {**environment(), "NO_MKDOCS_2_WARNING": "1"}
    run_to_end(command, ROOT, env=env, timeout=None, check=True)

    pages = {path.name for path in (tmp_path / "site").rglob("*.html")}
    assert {"index.html", "tutorial.html", "commands.html", "gallery.html"} <= pages
    for path in (tmp_path / "site").rglob("*.html"):
        assert not re.search(
            r'<(?:script|link|img)[^>]+(?:src|href)="https?://(?!squidfunk)', path.read_text("utf-8")
        )


def test_the_guides_room_can_be_opened(tmp_path: Path) -> None:
    """What the guide says to write is read as it is meant; nothing in it is unknown."""
    text = (DOCS / "guides" / "room.md").read_text("utf-8")
    blocks = re.findall(r"^```toml(?: title=\"room.toml\")?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "room.toml").write_text("\n".join(blocks))

    room = load_room(tmp_path / "room.toml")

    assert [table.name for table in room.tables] == ["limit", "show", "deep", "heads-up", "evening"]


# --- dealer page --------------------------------------------------------------------------------------------

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
        (f"Cards ({PAGE} 4.3, 4.4).", ["4.3", "4.4"]), (f"See {PAGE} sections 5 and 6.", ["5", "6"]),
        (f"# The clock ({PAGE} 5.6 to\n    # 5.8): 600 s", ["5.6", "5.8"]),
        (f"{PAGE}\n    section 4: cards", ["4"]), (f"{PAGE} E9b: 600 bet, 450 called, as in D.1", ["E9b"]),
        (f"as {PAGE} D.2, the cap of 64 actions, and `{PAGE}` say", ["D.2"]),
    ],
)  # fmt: skip
def test_right_citations_pass(text: str, numbers: list[str]) -> None:
    assert cited(text) == numbers
    assert faults_of_citations(text) == []


@pytest.mark.parametrize(
    "text",
    [
        f"({PAGE} 5.12)", f"({PAGE} 5.6, 5.12)", f"({PAGE} 5.6 to 5.12)", f"({PAGE} sections 5 and 10)",
        f"({PAGE} 8.10-8.35)", f"({PAGE} 5.6.1)", f"({PAGE} 8.35)", f"({PAGE} E16)", f"({PAGE} D.3)",
        f"({PAGE} secton 4)", f"({PAGE} on clocks)", f"({PAGE.removeprefix('docs/')} 5.6)",
        f"({PAGE.replace('dealer', 'deler')} 5.6)", f"({PAGE.removesuffix('.md')} 5.6)",
    ],
)  # fmt: skip
def test_wrong_citations_are_found(text: str) -> None:
    assert faults_of_citations(text) != []
