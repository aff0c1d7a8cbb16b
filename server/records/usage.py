"""What the decisions of players have cost, added up from the files that the house keeps beside its logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from engine.players.statistics import Rate
from protocol.agents.usage import CENSORED, COUNTS, FILE, Usage, parse_record
from server.support.record_file import read_lines
from server.table.outcome import Durations

_TOKENS = ("in", "out", "cached", "reasoning")


@attrs.define(eq=False)
class AgentUse:
    """The costs and faults that a player states of its decisions."""

    words: dict[str, str] = attrs.Factory(lambda: dict.fromkeys(("model", "reading", "adapted"), ""))
    """By name; ``adapted`` are members of requests that its endpoint did not take."""
    asked: int = 0
    """Decisions."""
    counts: Counter[str] = attrs.Factory(Counter)
    """By `COUNTS`: tokens, requests, answers that were not readable or not legal."""
    faults: Counter[str] = attrs.Factory(Counter)
    """Decisions in which the default action was played, by what went wrong."""
    usd: float = 0.0
    unknown: int = 0
    """Decisions whose tokens nobody knows."""
    unpriced: int = 0
    """Decisions whose price nobody knows."""
    times: Durations = attrs.Factory(Durations)

    def add(self, usage: Usage) -> None:
        """Count a decision."""
        self.words |= {name: usage[name] for name in self.words if name in usage}
        self.asked += 1
        self.counts.update({name: usage[name] for name in COUNTS if name in usage})
        self.faults.update([usage["fault"]] if "fault" in usage else [])
        self.unknown += not {"in", "out"} <= set(usage)
        self.unpriced += "usd" not in usage
        self.usd += usage.get("usd", 0.0)
        if "ms" in usage:
            self.times.add(usage["ms"] / 1000)

    def as_json(self) -> dict[str, Any]:
        """The player's object ``agent`` in ``result.json``."""
        illegal = Rate(self.counts["illegal"], self._answers)
        return {
            **{name: self.words[name] for name in ("model", "reading")},
            "asked": self.asked,
            "requests": self.counts["tries"],
            "format": self.counts["format"],
            "illegal": {"count": illegal.count, "of": illegal.of, "ci95": illegal.ci95},
            "censored": self.faults[CENSORED],
            **{name: self.faults[name] for name in ("late", "refused", "budget")},
            "adapted": self.words["adapted"],
            "tokens": {name: self.counts[name] for name in _TOKENS},
            "usd": None if self.unpriced == self.asked else self.usd,
            "seconds": self.times.in_short(),
            "unknown": self.unknown,
        }

    @property
    def _answers(self) -> int:
        """Answers that could be read, or could not: each is one chance to be illegal."""
        counts, faults = self.counts, self.faults
        unanswered = faults["late"] + faults[CENSORED] + faults["refused"] + faults["budget"]
        retried = counts["format"] + counts["illegal"] - faults["format"] - faults["illegal"]
        return max(self.counts["illegal"], self.asked - unanswered + max(0, retried))

    def cells(self, hands: int) -> list[str]:
        """The player's row of the table; `HEADS` are the heads."""
        times = self.times.in_short()
        known, asked = self.asked - self.unknown, max(1, self._answers)
        return [
            f"{100 * self.counts['illegal'] / asked:.1f}",
            f"{100 * self.counts['format'] / asked:.1f}",
            str(self.faults["late"]),
            str(self.faults[CENSORED]),
            "unknown" if not known else f"{(self.counts['in'] + self.counts['out']) / known:.0f}",
            "unknown" if self.unpriced == self.asked or not hands else f"{1000 * self.usd / hands:.2f}",
            *(["-", "-"] if times is None else [f"{times[key]:.2f}" for key in ("median", "p99")]),
        ]


HEADS = ("illegal %", "format %", "late", "censored", "tokens/decision", "$/1000 hands", "median s", "p99 s")
"""Of the part of the table that `AgentUse.cells` fills."""


def usage_of(passes: Sequence[tuple[Path, Sequence[int]]]) -> tuple[dict[int, AgentUse], set[int]]:
    """What each player says, by number, and the deals of which somebody was censored in some pass.

    Args:
        passes: the folder of each pass, and the player in each seat.

    Raises:
        OSError: a file cannot be read.
    """
    found: dict[int, AgentUse] = {}
    censored = set()
    for folder, players in passes:
        # A hand may have been played anew: the last line about it counts.
        last = {tuple(line.split(" ", 3)[:3]): line for line in read_lines(folder / FILE)}
        for line in last.values():
            record = parse_record(line)
            if record is None or record[0] >= len(players):
                continue
            seat, hand, usage = record
            found.setdefault(players[seat], AgentUse()).add(usage)
            if usage.get("fault") == CENSORED:
                censored.add(hand)
    return found, censored
