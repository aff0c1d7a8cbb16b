"""What the documentation site has beside the pages in `docs`: documents, commands, pictures.

A link in a document is written as it is right in the repository.  On the site it leads to the page that the
file has become; where it has become none, it is plain text.
"""

from __future__ import annotations

import posixpath
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.man_pages import with_all_commands
from server.commands.program import riverboat

ROOT = Path(__file__).parent.parent
FROM_REPOSITORY = "repository/"
COMMANDS = "reference/commands.md"
GALLERY = "gallery.md"

_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_DRAWING = re.compile(r"^`riverboat (.* --plot) (\S+\.svg)`$", re.MULTILINE)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the documents that the navigation names, the page of commands, and the pictures of the gallery."""
    for name in _named(config.nav):
        if name.startswith(FROM_REPOSITORY):
            text = (ROOT / name.removeprefix(FROM_REPOSITORY)).read_text("utf-8")
            files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, COMMANDS, content=commands()))
    folder = ROOT / "build" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for words, name in _DRAWING.findall((ROOT / "docs" / GALLERY).read_text("utf-8")):
        command = [sys.executable, "-m", "server", *shlex.split(words), str(folder / name)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        files.append(File.generated(config, f"pictures/{name}", abs_src_path=str(folder / name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to the pages that files have become, and show what the gallery's commands have drawn."""
    if page.file.src_uri == GALLERY:
        return _DRAWING.sub(r"\g<0>\n\n![What the command draws](pictures/\2)", markdown)
    here = _in_repository(page.file.src_uri)
    pages = {_in_repository(file.src_uri): file.src_uri for file in files}

    def leading(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or ":" in path:
            return match[0]
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
        found = pages.get(wanted) or pages.get(f"{wanted}/README.md")
        if found is None:
            if mark or not (ROOT / wanted).exists():
                raise ValueError(f"{here}: the link to {target} leads nowhere")
            return text
        away = posixpath.relpath(found, posixpath.dirname(page.file.src_uri) or ".")
        return f"{mark}[{text}]({away}{'#' if anchor else ''}{anchor})"

    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(markdown):
        parts += [_LINK.sub(leading, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _LINK.sub(leading, markdown[end:])])


def _in_repository(uri: str) -> str:
    """Where a page's file is, as links of other documents name it."""
    return uri.removeprefix(FROM_REPOSITORY) if uri.startswith(FROM_REPOSITORY) else f"docs/{uri}"


def _named(nav: Any) -> list[str]:
    """All files of a navigation, in order."""
    if isinstance(nav, str):
        return [nav]
    entries = nav.values() if isinstance(nav, dict) else nav or ()
    return [name for entry in entries for name in _named(entry)]


def commands() -> str:
    """The page of commands: the help of each."""
    text = "# Commands\n\nWhat `riverboat COMMAND --help` says.\n"

    def add(command: click.Command, words: str, parent: click.Context | None) -> str:
        context = click.Context(
            command, info_name=words.rpartition(" ")[2], parent=parent, max_content_width=100
        )
        found = f"\n## {words}\n\n```text\n{command.get_help(context)}\n```\n"
        if isinstance(command, click.Group):
            for name, inner in sorted(command.commands.items()):
                found += add(inner, f"{words} {name}", context)
        return found

    return text + add(with_all_commands(riverboat), "riverboat", None)
