"""What the documentation site shows is run, page by page, as a reader would; and the site is built."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from server.league.course.new_bot import LANGUAGES
from server.room.config import load_room
from tests.support.dealer_process import ROOT, environment, run_to_end

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

    assert [table.name for table in room.tables] == ["limit", "deep", "heads-up", "evening"]
