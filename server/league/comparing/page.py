"""``report.html`` of a comparison, in the style of all reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.support.files import write_whole
from server.league.comparing.where import KINDS
from server.records.pages import page_environment
from server.support.private_files import FILE_MODE


def write_page(folder: Path, content: Mapping[str, Any]) -> Path:
    """Write the page that shows a ``result.json``; returns where it is.

    Raises:
        OSError: it cannot be written.
    """
    page = folder / "report.html"
    template = page_environment(Path(__file__).parent).get_template("compare.html.j2")
    write_whole(page, template.render(report=content, kinds=KINDS), mode=FILE_MODE)
    return page
