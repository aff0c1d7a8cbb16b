"""The tables of a report as CSV: players, statistics of play, what was won where, bankrolls, big pots."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from engine.evidence.play_statistics import STATISTICS

FILES: Final = ("players.csv", "statistics.csv", "won.csv", "bankroll.csv", "biggest_pots.csv")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of texts that spreadsheet programs take for a formula."""

Row = Mapping[str, Any]


def spreadsheets(content: Mapping[str, Any]) -> dict[str, str]:
    """The files of a report by name (`FILES`), each with a header line."""
    tables = (_players, _statistics, _won, _bankroll, _pots)
    return {name: table_text(list(table(content))) for name, table in zip(FILES, tables, strict=True)}


def table_text(rows: Sequence[Row]) -> str:
    """Rows as CSV, with a header line."""
    heads = list(dict.fromkeys(head for row in rows for head in row))
    return csv_text([heads, *[[row.get(head) for head in heads] for row in rows]])


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Cells as CSV."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([map(_cell, row) for row in rows])
    return file.getvalue()


def _cell(value: Any) -> Any:
    """A value for a cell, where texts of others cannot act as formulas."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value


def _players(content: Mapping[str, Any]) -> Iterator[Row]:
    for player in content["players"]:
        row = {
            key: player.get(key)
            for key in ("name", "hands", "chips", "mbb_per_hand", "ci95", "plain_ci95", "sb_per_hand")
        }
        for name, each in player["evidence"].items():
            row |= {f"{name}_mbb_per_hand": each["mbb_per_hand"], f"{name}_ci95": each["ci95"]}
        times = player.get("decision_seconds", {})
        row |= {f"decision_seconds_{key}": times.get(key) for key in ("median", "p99", "max")}
        yield row | {key: player.get(key) for key in ("failure", "failure_detail", "hands_by_default")}


def _statistics(content: Mapping[str, Any]) -> Iterator[Row]:
    for player in content["players"]:
        positions = {"all": player["statistics"]["all"], **player["statistics"]["by_position"]}
        for position, counts in positions.items():
            for key in STATISTICS:
                cell = counts[key]
                low, high = cell["ci95"] or (None, None)
                yield {
                    "name": player["name"],
                    "position": position,
                    "hands": counts["hands"],
                    "statistic": key,
                    **{head: cell.get(head) for head in ("count", "of", "to", "value")},
                    "ci95_low": low,
                    "ci95_high": high,
                }


def _won(content: Mapping[str, Any]) -> Iterator[Row]:
    for player in content["players"]:
        for by, parts in player["won"].items():
            for name, part in parts.items():
                yield {"name": player["name"], "by": by.removeprefix("by_"), "part": name, **part}


def _bankroll(content: Mapping[str, Any]) -> Iterator[Row]:
    bankroll = content["bankroll"]
    if bankroll is None:
        return
    for player, curve in zip(content["players"], bankroll["players"], strict=True):
        for k, deals in enumerate(bankroll["deals"]):
            yield {"name": player["name"], "deals": deals} | {head: each[k] for head, each in curve.items()}


def _pots(content: Mapping[str, Any]) -> Iterator[Row]:
    for hand in content["biggest_pots"]:
        for player in hand["players"]:
            yield {head: hand[head] for head in ("pot", "log", "hand", "line")} | player
