"""The pages and tables of a tournament: ``report.html``, ``players/NAME.html``, CSV.

The pages show ``result.json``, and in addition curves, matches, play and the last output of those who failed.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from engine.evidence.play_statistics import STATISTICS
from engine.support.files import write_whole
from engine.support.files.formats import parse_json
from engine.support.palette import SERIES
from server.league.house import PLAN, Folder
from server.league.report.words import kind_of, place
from server.records.curves import bankroll_picture, kept
from server.records.pages import can_be_made, page_environment
from server.records.review.counts import count_hands
from server.records.review.sources import last_lines
from server.records.review.spreadsheets import csv_text, table_text
from server.support.private_files import FOLDER_MODE

_PAGE: Final = "report.html"
_ABSENT: Final = {
    "members": (), "failure": None, "matches_with_failures": 0, "ci95_simultaneous": None, "rating": None,
    "rating_ci95": None, "nash_weight": None, "hands_not_played": 0,
}  # fmt: skip
"""Stands for a value that a row does not have."""


def write_report(folder: Folder, content: Mapping[str, Any]) -> list[Path]:
    """Write the pages, if they can be made, and the tables; returns the files.

    Args:
        folder: of the tournament.
        content: of its ``result.json``.

    Raises:
        LogError: a log cannot be read.
        OSError: a file cannot be written.
    """
    files = {f"{name}.csv": text for name, text in _tables(content).items()}
    if can_be_made():
        files |= _pages(folder, content)
    for name, text in files.items():
        path = folder.path / name
        path.parent.mkdir(mode=FOLDER_MODE, exist_ok=True)
        write_whole(path, text)
    return [folder.path / name for name in files]


def _pages(folder: Folder, content: Mapping[str, Any]) -> dict[str, str]:
    environment = page_environment(Path(__file__).parent, place=place)
    content = {**content, "players": [{**_ABSENT, **row} for row in content["players"]]}
    shown = pages_of(folder, content)
    source = str(parse_json((folder.path / PLAN).read_text("utf-8"))["file"])
    league = environment.get_template("league.html.j2").render(
        result=content, shown=shown, source=source, statistics=STATISTICS, kind=kind_of(content)
    )
    player = environment.get_template("player.html.j2")
    pages = {_PAGE: league}
    for row in content["players"]:
        pages[shown["pages"][row["name"]]] = player.render(
            result=content, shown=shown, row=row, mine=shown["players"][row["name"]], statistics=STATISTICS
        )
    return pages


def _tables(content: Mapping[str, Any]) -> dict[str, str]:
    """CSV texts by file name."""
    return {
        "players": table_text(list(_players(content))),
        "pairs": table_text(list(_pairs(content))),
        "crosstable": _crosstable(content),
        "failures": table_text(content["failures"]),
    }


def _players(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for row in content["players"]:
        yield {
            key: row.get(key)
            for key in (
                "rank", "rank_low", "rank_high", "name", "mbb_per_hand", "ci95", "ci95_simultaneous", "hands",
                "rating", "rating_ci95", "nash_weight", "failure", "failures", "hands_not_played",
            )
        }  # fmt: skip


def _pairs(content: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for pair in content["pairs"]:
        one, other = pair["players"]
        corrected = pair.get("luck_corrected", {})
        kept = {key: value for key, value in pair.items() if key not in ("players", "luck_corrected")}
        yield {"player": one, "opponent": other, **kept} | {
            f"luck_corrected_{key}": value for key, value in corrected.items()
        }


def _both_ways(content: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The pairs, each from the view of either player."""
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for pair in content["pairs"]:
        one, other = pair["players"]
        pairs[one, other] = pair
        pairs[other, one] = pair | {"mbb_per_hand": -pair["mbb_per_hand"]}
        if "luck_corrected" in pair:
            corrected = pair["luck_corrected"]
            pairs[other, one]["luck_corrected"] = corrected | {"mbb_per_hand": -corrected["mbb_per_hand"]}
    return pairs


def _crosstable(content: Mapping[str, Any]) -> str:
    """mbb per hand, row against column."""
    names = [row["name"] for row in content["players"]]
    won = {players: pair["mbb_per_hand"] for players, pair in _both_ways(content).items()}
    rows = [[name, *[won.get((name, other)) for other in names]] for name in names]
    return csv_text([["player", *names], *rows])


_MOST_HANDS: Final = 20_000
"""Hands of a game for which play is counted: it takes seconds."""
_PLAYED: Final = "deals played"
_LAST_LINES: Final = 12
_STRONG: Final = 0.001
_PROVED: Final = 0.05
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


def page_of_player(name: str) -> str:
    """The file of a player's page, from the folder of the tournament."""
    plain = _UNSAFE.sub("_", name)[:60]
    if plain != name:  # otherwise others could have the same
        plain += f"-{sha256(name.encode()).hexdigest()[:6]}"
    return f"players/{plain}.html"


def pages_of(folder: Folder, content: Mapping[str, Any]) -> dict[str, Any]:
    """What the pages show.

    Args:
        folder: of the tournament.
        content: of its ``result.json``.
    """
    names = [row["name"] for row in content["players"]]
    curves = [_curve(_won(folder, name)) for name in names]
    pairs, play = _both_ways(content), _play(folder)
    return {
        "names": names,
        "pages": {name: page_of_player(name) for name in names},
        "colours": {name: k for k, name in enumerate(names)},
        "line_colours": len(SERIES),
        "curves": bankroll_picture(curves, range(len(names)), _PLAYED),
        "cells": {(one, other): _cell(pairs.get((one, other))) for one in names for other in names},
        "players": {
            name: {
                "curve": bankroll_picture([curves[k]], [k], _PLAYED),
                "pairs": [(other, _cell(pairs[name, other])) for other in names if (name, other) in pairs],
                "matches": _matches(folder, name),
                "play": play.get(name, []),
                "failures": [each for each in content["failures"] if each["player"] == name],
            }
            for k, name in enumerate(names)
        },
        "last_words": _last_words(folder, content["failures"]),
        "above": _above(content),
    }


def _cell(pair: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A cell of the cross table, with the class of its colour."""
    if pair is None:
        return None
    side = "gain" if pair["mbb_per_hand"] > 0 else "loss"
    p = pair["p_holm"]
    strength = "-strong" if p < _STRONG else "-proved" if p < _PROVED else ""
    return {**pair, "class": f"{side}{strength}" if strength else ""}


def _won(folder: Folder, name: str) -> list[float]:
    """A player's winnings in each deal, in big blinds, in the order of the matches' numbers."""
    won: list[float] = []
    for match, played in sorted(folder.counting().items(), key=lambda each: (each[0].number, each[0])):
        if name in match.players:
            passes = folder.plan.events[match.event].passes
            won += [mbb * passes / 1000 for mbb in played.deals[match.players.index(name)]]
    return won


def _curve(won: Sequence[float]) -> dict[str, Sequence[float]]:
    """The bankroll of a player, as `bankroll_picture` draws it."""
    sums = list(itertools.accumulate(won, initial=0.0))
    deals = kept(len(won))
    return {"deals": deals, "won": [sums[deal] for deal in deals]}


def _matches(folder: Folder, name: str) -> list[dict[str, Any]]:
    """A player's matches."""
    return [
        {
            "match": match.label,
            "folder": f"matches/{match.id}",
            "hands": played.hands,
            "mbb_per_hand": played.total(name) / len(played.deals[0]) if played.deals[0] else None,
            "failed": [player for player in match.players if player in played.faults],
        }
        for match, played in sorted(folder.played.items())
        if name in match.players
    ]


def _play(folder: Folder) -> dict[str, list[dict[str, Any]]]:
    """Statistics of play by player and game; only of the first hands if there are many."""
    found: dict[str, list[dict[str, Any]]] = {}
    if folder.plan.sit_and_go is not None:  # no two hands are of the same game
        return found
    for number, event in enumerate(folder.plan.events):
        passes = []
        hands = 0
        for match in sorted(folder.counting(), key=lambda each: (each.number, each)):
            if match.event == number and folder.played[match].hands and hands < _MOST_HANDS:
                passes.append(folder.logs(match))
                hands += folder.played[match].hands
        for counts in [count_hands(passes)] if passes else ():
            for k, name in enumerate(counts.names):
                row = {"game": event.name, "hands": counts.winnings[k].hands}
                found.setdefault(name, []).append(row | {"counts": counts.play.counts(k).as_json()})
    return found


def _last_words(folder: Folder, failures: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The last lines of each player in the first match in which it failed."""
    found: dict[str, str] = {}
    for failure in failures:
        name = failure["player"]
        if name in found:
            continue
        for file in sorted((folder.path / failure["folder"]).rglob(f"players/{name}.err")):
            text = "\n".join(last_lines(file)[-_LAST_LINES:]).strip()
            if text:
                found[name] = text
                break
    return found


def _above(content: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """How often the row ranked above the column."""
    names = content["bootstrap"]["players"]
    return {
        (one, other): share
        for one, row in zip(names, content["bootstrap"]["above"], strict=True)
        for other, share in zip(names, row, strict=True)
        if one != other and not math.isnan(share)
    }
