"""The web page of a report: one file that needs no others, for light and dark screens and for paper.

Everything in it that others wrote (names, players' output, comments of logs) is escaped by jinja2, which is
loaded only when a page is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.evidence.play_statistics import STATISTICS
from engine.support.user_input import printable
from server.records.review.pictures import LINE_COLOURS, bankroll_picture, won_picture

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["MissingExtra", "page_environment", "render_page", "require_page", "statistic_texts"]

_NEEDED: Final = ("jinja2", "matplotlib")
_TOGETHER: Final = 2
"""The most bankrolls in one picture, since the bands of more would overlap."""
_MOST_NAMED: Final = 3
"""The number of players that a heading has room for."""
_METHODS: Final = {
    "duplicate": "playing each deal from every seat",
    "all_in": "all-in equity",
    "equity": "equity of every card dealt",
    "aivat": "AIVAT",
}
_COLUMNS: Final = {"all_in": "all-in equity", "equity": "equity", "aivat": "AIVAT"}
"""The heads of the estimators' columns."""
_KINDS: Final = {"by_position": "position", "by_round": "round", "by_ending": "ending"}
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


class MissingExtra(Exception):
    """A library that makes the page is not installed; the message is one line for people."""


def require_page() -> None:
    """Check that a page can be made, before long work starts; loads nothing.

    Raises:
        MissingExtra: jinja2 or matplotlib is not installed.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"the page needs {' and '.join(missing)}: pip install 'riverboat[report]'")


def render_page(content: Mapping[str, Any]) -> str:
    """The page that shows what `server.records.review.content` has found.

    Raises:
        MissingExtra: see `require_page`.
    """
    require_page()
    return (
        page_environment()
        .get_template("page.html.j2")
        .render(
            report=content,
            heading=_heading(content),
            statistics=STATISTICS,
            kinds=_KINDS,
            line_colours=LINE_COLOURS,
            bankrolls=_bankrolls(content),
            won=[_won_pictures(player) for player in content["players"]],
            estimators=_estimators(content["players"]),
        )
    )


def page_environment(*folders: Path) -> Environment:
    """The jinja2 environment for the templates of some folders and ours, with the style of all pages."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "chips": _chips,
        "printable": printable,
        "signed": _signed,
        "rate": _rate,
        "cards": _cards,
        "ms": _milliseconds,
        "statistic": statistic_texts,
        "column": lambda name: _COLUMNS.get(name, name),
        "method": lambda name: _METHODS.get(name, name),
    }
    return environment


def _heading(content: Mapping[str, Any]) -> str:
    """The heading: the players' names if they are few."""
    names = [player["name"] for player in content["players"]]
    return " v ".join(names) if 1 < len(names) <= _MOST_NAMED else str(content["title"])


def _bankrolls(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Pictures of bankrolls, each with the numbers of its players."""
    bankroll = content["bankroll"]
    if bankroll is None:
        return []
    everybody = list(range(len(bankroll["players"])))
    unit = f"deals, each played {content['passes']} times" if content["passes"] > 1 else "hands"
    if len(everybody) <= _TOGETHER:
        return [{"players": everybody, "svg": _safe(bankroll_picture(bankroll, everybody, unit=unit))}]
    return [
        {"players": [k], "svg": _safe(bankroll_picture(bankroll, [k], height=2.4, unit=unit))}
        for k in everybody
    ]


def _won_pictures(player: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: _safe(won_picture(player["won"][kind])) for kind in _KINDS}


def _safe(svg: str) -> Any:
    """Mark a picture as safe; it is ours and contains no text of others."""
    from markupsafe import Markup

    return Markup(svg)


def _estimators(players: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the estimators beside the chips themselves."""
    return list(dict.fromkeys(name for player in players for name in player["evidence"] if name != "chips"))


def _signed(number: float | None, digits: int = 1) -> str:
    return "–" if number is None else f"{number:+,.{digits}f}".replace("-", "−")


def _chips(chips: float, sign: bool = False) -> str:
    """``1,200``, ``12.5``, with a sign ``+40``."""
    text = f"{chips:{'+' if sign else ''},.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "+0") else text.replace("-", "−")


def _rate(mean: float | None, half_width: float | None, digits: int = 1) -> str:
    """``+12.3 ± 4.5``."""
    if mean is None:
        return "–"
    return _signed(mean, digits) + ("" if half_width is None else f" ± {half_width:,.{digits}f}")


def _milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1000:,.2f} ms"


def statistic_texts(counts: Mapping[str, Any], key: str) -> dict[str, str]:
    """A cell: value, interval and counts as texts."""
    cell = counts[key]
    is_share = "of" in cell
    digits, factor = (1, 100.0) if is_share else (2, 1.0)

    def text(value: float | None, nothing: str) -> str:
        return nothing if value is None else f"{value * factor:.{digits}f}"

    other = cell["of"] if is_share else cell["to"]
    if not (cell["count"] or other):
        return {"value": "–", "interval": "", "counts": ""}
    interval = cell["ci95"]
    low, high = (text(end, "∞") for end in interval) if interval else ("", "")
    return {
        "value": text(cell["value"], "∞") + ("%" if is_share and cell["value"] is not None else ""),
        "interval": f"{low}–{high}" if interval else "",
        "counts": f"{cell['count']:,}/{other:,}" if is_share else f"{cell['count']:,}:{other:,}",
    }


def _cards(text: str) -> list[dict[str, str]]:
    """Cards as rank, suit and the class of its colour."""
    return [
        {"rank": text[k], "suit": _SUITS.get(text[k + 1], text[k + 1]), "class": f"suit-{text[k + 1]}"}
        for k in range(0, len(text) - 1, 2)
    ]
