"""The one way in which pages are made: jinja2, which escapes everything that others wrote, and its filters.

jinja2 is loaded only when a page is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from engine.support import text
from engine.support.palette import style_of_pages
from engine.support.user_input import printable

if TYPE_CHECKING:
    from jinja2 import Environment

NEEDED: Final = "the page needs jinja2: pip install 'riverboat[report]'"
_STYLE: Final = Path(__file__).parent / "review"
"""The folder of the style of all reports."""
PHONE: Final = _STYLE / "phone.css"
"""How tables are laid out where there is little room."""
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def can_be_made() -> bool:
    """Whether the library that makes pages is installed; nothing is loaded."""
    return find_spec("jinja2") is not None


def require_page() -> None:
    """Check that a page can be made, before long work starts.

    Raises:
        click.ClickException: jinja2 is not installed.
    """
    if not can_be_made():
        raise click.ClickException(NEEDED)


def page_environment(folder: Path, **filters: Any) -> Environment:
    """The jinja2 environment for the templates of a folder, with the style of all reports.

    Args:
        folder: of the templates.
        filters: more filters, or others than the usual ones.

    Raises:
        click.ClickException: see `require_page`.
    """
    require_page()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

    environment = Environment(
        loader=FileSystemLoader([folder, _STYLE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "chips": _chips,
        "printable": printable,
        "rate": _rate,
        "cards": _cards,
        "counted": text.counted,
        "date": _date,
        "without_paths": without_paths,
        "suit": lambda card: _SUITS.get(card[1], card[1]),
        "ms": lambda seconds: "–" if seconds is None else f"{seconds * 1000:,.2f} ms",
        "statistic": statistic_texts,
    }
    environment.filters |= filters
    environment.template_class = type(
        "Page",
        (environment.template_class,),
        {"render": lambda page, *args, **content: with_heads(Template.render(page, *args, **content))},
    )
    environment.globals["colours"] = style_of_pages()
    return environment


_PATH: Final = re.compile(r"(?<![\w.@+/-])(?:/[\w.@+-]+)+/(?=[\w.@+-])")
_TABLE: Final = re.compile(r"<thead>.*?</thead>.*?</table>", re.DOTALL)
_HEAD: Final = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_ROW: Final = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL: Final = re.compile(r"<t[dh]\b")
_TAG: Final = re.compile(r"<[^>]*>")


def with_heads(page: str) -> str:
    """A page whose cells carry their column's head: on a phone a row is a list, so that nothing is cut."""

    def labelled(found: re.Match[str]) -> str:
        head, end, rows = found[0].partition("</thead>")
        heads = [_TAG.sub("", text).strip().replace('"', "&quot;") for text in _HEAD.findall(head)]

        def row(cells: re.Match[str]) -> str:
            left = iter(heads)
            return _CELL.sub(lambda cell: f'{cell[0]} data-head="{next(left, "")}"', cells[0])

        return head + end + _ROW.sub(row, rows)

    return _TABLE.sub(labelled, page)


def _rate(mean: float | None, half_width: float | None = None, digits: int = 1) -> str:
    """``+12.3 ± 4.5``."""
    shown = text.rate(mean, half_width, digits, grouped=True, missing="–")
    return shown.replace("-", "−").replace("± ", "±\N{NO-BREAK SPACE}")


def without_paths(text: str) -> str:
    """A text in which files have no folders of this machine.

    >>> without_paths("/home/kim/course/students/ann/my_bot.c:3: error in ./my_bot.c, bots/ann/my_bot.c")
    'my_bot.c:3: error in ./my_bot.c, bots/ann/my_bot.c'
    """
    return _PATH.sub("", text)


def _date(stamp: str) -> str:
    """``27 November 2026, 07:09 UTC``, of an ISO 8601 text; what is none stays as it is."""
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    day = f"{when.day} {when:%B %Y}"
    return day if len(stamp) <= len("2026-11-27") else f"{day}, {when:%H:%M} {when.tzname() or ''}".rstrip()


def _chips(chips: float, sign: bool = False) -> str:
    """``1,200``, ``12.5``, with a sign ``+40``."""
    shown = f"{chips:{'+' if sign else ''},.2f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "+0") else shown.replace("-", "−")


def statistic_texts(counts: Mapping[str, Any], key: str) -> dict[str, str]:
    """A cell: value, interval and counts as texts."""
    cell = counts[key]
    is_share = "of" in cell
    digits, factor = (1, 100.0) if is_share else (2, 1.0)

    def shown(value: float | None, nothing: str) -> str:
        return nothing if value is None else f"{value * factor:.{digits}f}"

    other = cell["of"] if is_share else cell["to"]
    if not (cell["count"] or other):
        return {"value": "–", "interval": "", "counts": ""}
    interval = cell["ci95"]
    low, high = (shown(end, "∞") for end in interval) if interval else ("", "")
    return {
        "value": shown(cell["value"], "∞") + ("%" if is_share and cell["value"] is not None else ""),
        "interval": f"{low}–{high}" if interval else "",
        "counts": f"{cell['count']:,}/{other:,}" if is_share else f"{cell['count']:,}:{other:,}",
    }


def _cards(cards: str) -> list[dict[str, str]]:
    """Cards as rank, suit and the class of its colour."""
    return [
        {"rank": rank, "suit": _SUITS.get(suit, suit), "class": f"suit-{suit}"}
        for rank, suit in zip(cards[::2], cards[1::2], strict=False)
    ]
