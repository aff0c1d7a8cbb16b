"""The ladder as a page: static, without scripts, in the style of all pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.support.intervals import Z95
from server.league.ladder.ratings import Rung
from server.league.report.words import rate
from server.records.review.page import page_environment

__all__ = ["ladder_page"]


def ladder_page(game: str, rungs: Sequence[Rung], tournaments: Sequence[tuple[str, str]]) -> str:
    """The page.

    Args:
        game: whose ladder it is.
        rungs: the players, the best first.
        tournaments: names, and when they were added.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    rows = [
        (rung, rate(rung.rating, None if rung.error is None else Z95 * rung.error).replace("-", "−"))
        for rung in rungs
    ]
    environment = page_environment(Path(__file__).parent)
    return environment.get_template("ladder.html.j2").render(game=game, rows=rows, tournaments=tournaments)
