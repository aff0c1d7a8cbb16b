"""How a tournament stands, in words for a terminal: while it runs, and at its end."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import trio

from engine.evidence.verdict import fixed_kind
from engine.support.text import cut, rate, table
from engine.support.user_input import how_many, printable
from server.league.house import Folder
from server.records.progress import clock_time
from server.support.console import say

_MOST_NAME: Final = 24
_MOST_LINES: Final = 8


def place(row: Mapping[str, Any]) -> str:
    """A rank with its range: ``2``, ``2 (1-4)``."""
    if row.get("disqualified"):
        return "out"
    low, high = row["rank_low"], row["rank_high"]
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low}-{high})"


def kind_of(content: Mapping[str, Any]) -> str:
    """The kind of the players' intervals: that of the one with the fewest hands."""
    return fixed_kind(min([row["hands"] for row in content["players"] if row["hands"]], default=0))


def table_of(content: Mapping[str, Any]) -> str:
    """The table, and what there is to say about it."""
    games = ", ".join(game["game"] for game in content["games"])
    head = (
        f"{printable(content['name'])}: {content['format']}, {games}: "
        f"{how_many(content['matches'], 'match')}, {how_many(content['hands'], 'hand')}, "
        f"{clock_time(content['seconds'])} of play"
    )
    if not content["complete"]:
        head += ", not complete"
    rows = [["rank", "player", f"{content['unit']} ({kind_of(content)})", "hands", "failures"]]
    rows += [
        [
            place(row),
            cut(printable(row["name"]), _MOST_NAME),
            rate(row["mbb_per_hand"], row["ci95"], missing="–"),
            str(row["hands"]),
            _failed(row, content["failures"]),
        ]
        for row in content["players"]
    ]
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    return "\n".join([head, "", *table(rows, left={1, 4}), *_remarks(content)])


def _failed(row: Mapping[str, Any], failures: Iterable[Mapping[str, Any]]) -> str:
    """Each sort of failure by its own word; a match counts by its first."""
    kinds = Counter([each["failure"] for each in failures if each["player"] == row["name"]])
    if not kinds:
        return ""
    number = how_many(row.get("hands_not_played", 0), "hand")
    lost = f", the house played for it in {number}" if row.get("hands_not_played") else ""
    return ", ".join([f"{kind} in {how_many(n, 'match')}" for kind, n in sorted(kinds.items())]) + lost


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


_LOOK_S: Final = 0.2
_MOST_ROWS: Final = 40


class Progress:
    """Follows a tournament.

    Args:
        folder: of the tournament, which is being played.
        now: a clock, in seconds.
        watch: show the standings, too, on a terminal.
    """

    def __init__(self, folder: Folder, now: Callable[[], float], *, watch: bool = False) -> None:
        self._folder = folder
        self._now = now
        self._watch = watch
        self._began = now()
        self._before = len(folder.played)
        self._planned: int | None = 0
        # Matches; None if only the time ends it.
        self._known = -1
        self._rows: list[tuple[str, float, int]] = []

    def look(self) -> int:
        """Count again if a match has been played; returns how many have."""
        folder = self._folder
        played = len(folder.played)
        if played != self._known:
            self._known = played
            schedule = folder.schedule()
            endless = folder.plan.budget.seconds is not None and not schedule.is_all
            self._planned = None if endless else len(schedule.matches)
            self._rows = self._rates() if self._watch else []
        return played

    def _rates(self) -> list[tuple[str, float, int]]:
        """Players with their rates and deals so far, the best first."""
        won: dict[str, float] = {}
        deals: dict[str, int] = {}
        for match, played in self._folder.counting().items():
            for name in match.players:
                won[name] = won.get(name, 0.0) + played.total(name)
                deals[name] = deals.get(name, 0) + len(played.deals[0])
        rows = [(name, won[name] / deals[name], deals[name]) for name in won if deals[name]]
        return sorted(rows, key=lambda row: -row[1])

    def line(self) -> str:
        """``12 of 66 matches, 3:20 left``."""
        done = self.look()
        here = done - self._before
        if self._planned is None:
            ends_at = self._folder.ends_at
            left = 0.0 if ends_at is None else max(0.0, ends_at - self._now())
            return f"{how_many(done, 'match')}, {clock_time(left)} left"
        text = f"{done} of {self._planned} matches"
        if here > 0 and self._planned > done:
            left = (self._now() - self._began) / here * (self._planned - done)
            text += f", {clock_time(left)} left"
        return text

    def standings(self) -> str:
        """The table as it is now."""
        rows = [["player", "mbb/h", "deals"]]
        rows += [[printable(name), rate(mean), f"{deals:,}"] for name, mean, deals in self._rows[:_MOST_ROWS]]
        return "\n".join([printable(self._folder.plan.name), "", *table(rows), "", self.line()])

    async def show(self) -> None:
        """Show it until cancelled: a line or a table on a terminal, else a line for each tenth of the way."""
        if sys.stderr.isatty():
            await self._show_live()
        said = 0
        while True:
            line = self.line()
            tenth = self.tenths()
            if tenth > said and self._known > self._before:
                said = tenth
                say(line)
            await trio.sleep(_LOOK_S)

    def tenths(self) -> int:
        """How many tenths of the tournament are done."""
        if self._planned is not None:
            return self._known * 10 // max(1, self._planned)
        seconds, ends_at = self._folder.plan.budget.seconds, self._folder.ends_at
        if seconds is None or ends_at is None:
            return 0
        return int(10 * min(1.0, 1 - (ends_at - self._now()) / seconds))

    async def _show_live(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            while True:
                live.update(Text(self.standings() if self._watch else self.line()), refresh=True)
                await trio.sleep(_LOOK_S)
