"""How far a match is, shown to people."""

from __future__ import annotations

import contextlib
import sys
from typing import Final

import click
import trio

from server.launching.launched_match import LaunchedMatch

_PROGRESS_S: Final = 0.1
# Between looks.


async def show_progress(match: LaunchedMatch, hands: int) -> None:
    """How far the match is: a bar on a terminal, else a line every tenth of the way."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("hands"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            bar = progress.add_task("hands", total=hands)
            while True:
                progress.update(bar, completed=match.hands_done)
                await trio.sleep(_PROGRESS_S)
    said = 0
    while True:
        await trio.sleep(_PROGRESS_S)
        tenth = match.hands_done * 10 // hands
        if tenth > said:
            said = tenth
            with contextlib.suppress(OSError):  # nobody reads it: the match goes on
                click.echo(f"{match.hands_done} of {hands} hands", err=True)
