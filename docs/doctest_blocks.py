"""A Markdown extension for docstrings: paragraphs that begin with ``>>>`` are code, and ``::`` is a colon."""

from __future__ import annotations

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor


class _Fences(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        found: list[str] = []
        is_example = False
        for line in lines:
            begins = line.lstrip().startswith(">>> ")
            if begins and not is_example:
                found += ["", "```pycon"]
                is_example = True
            elif is_example and not line.strip():
                found.append("```")
                is_example = False
            found.append(line.strip() if is_example else re.sub(r"::$", ":", line))
        return [*found, "```"] if is_example else found


class DoctestBlocks(Extension):
    """Makes fenced code of them before fences are looked for."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Put it first."""
        md.preprocessors.register(_Fences(md), "doctest_blocks", 1000)


def makeExtension(**settings: object) -> DoctestBlocks:
    """What Markdown calls."""
    return DoctestBlocks()
