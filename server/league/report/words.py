"""A tournament's result in words, for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from engine.support.user_input import how_many, printable
from server.records.progress import clock_time

__all__ = ["columns", "place", "rate", "table_of"]

_MOST_NAME: Final = 24
_MOST_LINES: Final = 8


def rate(mean: float | None, half_width: float | None) -> str:
    """``+12.3 ± 4.5``."""
    if mean is None:
        return "–"
    return f"{mean:+z.1f}" + ("" if half_width is None else f" ± {half_width:.1f}")


def place(row: Mapping[str, Any]) -> str:
    """A rank with its range: ``2``, ``2 (1-4)``."""
    if row.get("disqualified"):
        return "out"
    low, high = row["rank_low"], row["rank_high"]
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def table_of(content: Mapping[str, Any]) -> str:
    """The table, and what there is to say about it."""
    games = ", ".join(game["game"] for game in content["games"])
    head = (
        f"{printable(content['name'])}: {content['format']}, {games}: "
        f"{how_many(content['matches'], 'match')}, {how_many(content['hands'], 'hand')}, "
        f"{clock_time(content['seconds'])}"
    )
    if not content["complete"]:
        head += ", not complete"
    rows = [["rank", "player", f"{content['unit']} (95 %)", "hands", "failures"]]
    rows += [
        [
            place(row),
            _cut(row["name"]),
            rate(row["mbb_per_hand"], row["ci95"]),
            str(row["hands"]),
            _failed(row),
        ]
        for row in content["players"]
    ]
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    return "\n".join([head, "", *columns(rows, {1, 4}), *_remarks(content)])


def _cut(name: str) -> str:
    name = printable(name)
    return name if len(name) <= _MOST_NAME else name[: _MOST_NAME - 1] + "…"


def _failed(row: Mapping[str, Any]) -> str:
    if not row.get("failure"):
        return ""
    lost = f", {how_many(row['hands_not_played'], 'hand')} not played" if row.get("hands_not_played") else ""
    return f"{row['failure']} in {how_many(row['matches_with_failures'], 'match')}{lost}"


def columns(rows: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """Text in columns.

    Args:
        rows: of cells, the header first.
        left: columns of text; columns of numbers are aligned to the right.
    """
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _remarks(content: Mapping[str, Any]) -> list[str]:
    lines = [f"{a} beats {b}, {b} beats {c}, {c} beats {a}" for a, b, c in content["cycles"][:_MOST_LINES]]
    more = len(content["cycles"]) - len(lines)
    lines += [f"and {more} more such circles"] if more > 0 else []
    if lines:
        mixed = [row for row in content["players"] if (row.get("nash_weight") or 0) > 0.005]
        weights = ", ".join(f"{row['name']} {row['nash_weight']:.0%}" for row in mixed)
        lines.append(f"nobody beats this mixture (Nash average): {weights}")
    lines += content["rounds"] + content["notes"]
    return ["", *map(printable, lines)] if lines else []
