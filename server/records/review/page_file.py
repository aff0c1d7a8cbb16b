"""The file of a match's page: checked before the match, written after it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from engine.support.files import write_whole
from server.records.review.content import report_on
from server.records.review.page import MissingExtra, render_page, require_page
from server.records.review.sources import open_source
from server.support.private_files import FILE_MODE

__all__ = ["PAGE_FILE", "check_extras", "check_new", "page_of_match", "require_new_page"]

PAGE_FILE: Final = "report.html"


def require_new_page(folder: Path, file: str) -> Path:
    """The path of the page of a match that will be played, after checking that it can be made.

    Args:
        folder: the match's folder.
        file: the file as the user named it; empty for the page in the folder.

    Raises:
        click.UsageError: the file exists already.
        click.ClickException: a library that makes the page is not installed.
    """
    check_extras()
    page = Path(file) if file else folder / PAGE_FILE
    check_new([page], force=False)
    return page


def page_of_match(folder: Path, page: Path) -> None:
    """Write the page of a match that has been played, readable only by its user.

    Raises:
        LogError: its log cannot be read.
        OSError: the page cannot be written.
    """
    write_whole(page, render_page(report_on(open_source([folder]))), mode=FILE_MODE)


def check_new(files: Sequence[Path], *, force: bool) -> None:
    """Refuse to overwrite files.

    Raises:
        click.UsageError: a file exists already.
    """
    for file in files:
        if os.path.lexists(file) and not force and not file.is_char_device():
            raise click.UsageError(f"{file} is there already: name another file, or use --force")


def check_extras() -> None:
    """Refuse to go on without the libraries that make the page."""
    try:
        require_page()
    except MissingExtra as error:
        raise click.ClickException(str(error)) from None
