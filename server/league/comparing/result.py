"""``result.json`` of a comparison, which follows from its plan and its logs alone; the same in words."""

from __future__ import annotations

import math
import shlex
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from engine.evidence.confidence_sequence import AverageSequence, ConfidenceSequence
from engine.evidence.field_test import Decision
from engine.support.text import cut, rate, table
from engine.support.user_input import how_many, printable
from server.league.comparing.house import Course
from server.league.comparing.plan import MIRROR
from server.league.comparing.where import KINDS, greatest, parted
from server.league.report.words import Progress

WORKER: Final = "worker"
"""The file in a match's folder that names the worker of a cluster that played it."""
_FEWEST: Final = 5
_ODD: Final = 4.0
"""A worker whose matches lie on average so many standard errors away from those of others is named."""
_MOST_NAME: Final = 48


def result_of(course: Course) -> dict[str, Any]:
    """The contents of ``result.json``."""
    plan, test = course.plan, course.test
    proved = test.proved()
    content: dict[str, Any] = {
        "verdict": course.decision.value,
        "test": str(plan.bounds),
        **_estimate(test.whole),
        "deals": test.deals,
        "void": course.void,
        "opponents": [
            {
                "name": side.player.name,
                **_estimate(test.row(place)),
                "deals": test.row(place).samples,
                "weight": side.weight,
                "proved": {1: "gain", -1: "loss", 0: None}[proved[place]],
            }
            for place, side in enumerate(plan.opponents)
        ],
        "old": plan.old.text,
        "new": plan.new.text,
        "game": plan.game_text,
        "seed": plan.seed,
        "luck": plan.luck.value,
        "rule": "empirical-Bernstein" if plan.learns else "betting",
        "alpha": plan.alpha,
        "alike": sum(not taken.difference for taken in course.taken),
        "most_deals": plan.most_deals,
        "complete": course.is_over,
        "failures": course.faults,
        "where": parted(course),
        "greatest": greatest(course),
        "odd_workers": _odd_workers(course),
        "version": version("riverboat"),
    }
    if plan.mirror:
        content["mirror"] = _mirror(course)
    content["words"] = _verdict(content, course)
    return content


def _estimate(sequence: ConfidenceSequence) -> dict[str, Any]:
    interval = sequence.interval if sequence.samples else None
    return {
        "mbb_per_hand": sequence.mean,
        "ci95": None if interval is None else interval.half_width,
        "interval": None if interval is None else [interval.low, interval.high],
    }


def _mirror(course: Course) -> dict[str, Any]:
    """What the new version won of the old one at a table; a row of its own, which the test does not count."""
    kind = AverageSequence if course.plan.learns else ConfidenceSequence
    won = kind(-course.most, course.most)
    for match, played in sorted(course.folder.played.items()):
        if match.stage == MIRROR:
            for deal in played.deals[0][: len(played.deals[0]) - played.settled]:
                won.add(deal)
    return {**_estimate(won), "deals": won.samples}


def _verdict(content: Mapping[str, Any], course: Course) -> str:
    """The verdict in a line."""
    deals = f"{course.test.deals:,} deals"
    word = content["verdict"] if course.is_over else "not complete, undecided"
    if not course.test.deals:
        return f"nothing is known about NEW and OLD ({how_many(course.void, 'void deal')}; {word})"
    if content["ci95"] is None:
        return f"the players changed: no constant gain fits all {deals} ({word} at {content['test']})"
    mean, half = content["mbb_per_hand"], content["ci95"]
    verb = "loses" if mean < 0 else "gains"
    preposition = "to" if mean < 0 else "over"
    spread = rate(abs(mean), half, 0, signed=False, grouped=True, unit="mbb/h")
    return f"NEW {verb} {spread} {preposition} OLD against this field ({deals}; {word} at {content['test']})"


def _odd_workers(course: Course) -> list[dict[str, Any]]:
    """Workers whose matches come out otherwise than those of others, in standard errors."""
    by_kind: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for match, played in course.folder.played.items():
        file: Path = course.folder.place(match) / WORKER
        if file.exists() and len(played.deals[0]):
            who = printable(file.read_text("utf-8", "replace").strip())
            by_kind[match.stage, match.players[1]].append((who, statistics.fmean(played.deals[0])))
    residuals: dict[str, list[float]] = defaultdict(list)
    for rows in by_kind.values():
        won = [each for _, each in rows]
        spread = statistics.stdev(won) if len(won) > 1 else 0.0
        for who, each in rows:
            residuals[who].append((each - statistics.fmean(won)) / spread if spread else 0.0)
    found: list[dict[str, Any]] = [
        {"worker": who, "matches": len(each), "residual": sum(each) / math.sqrt(len(each))}
        for who, each in sorted(residuals.items())
        if len(each) >= _FEWEST and len(residuals) > 1
    ]
    return [row for row in found if abs(row["residual"]) > _ODD]


class Way(Progress):
    """Follows a comparison."""

    def __init__(self, course: Course, now: Callable[[], float]) -> None:
        super().__init__(course.folder, now)
        self._course = course

    def line(self) -> str:
        """See `progress_line`."""
        self.look()
        return progress_line(self._course)

    def tenths(self) -> int:
        """How many tenths of the deals are done."""
        return 10 * self._course.test.deals // self._course.plan.most_deals


def progress_line(course: Course) -> str:
    """How far it is, for people who wait."""
    test = course.test
    if not test.deals or test.whole.interval is None:
        return f"{test.deals} of at most {course.plan.most_deals:,} deals"
    needed = test.deals_to_decide()
    hands = 2 * course.plan.game.num_players
    if needed is None or needed > course.plan.most_deals:
        ahead = "no verdict in sight"
    else:
        ahead = f"a verdict in about {(needed - test.deals) * hands:,} hands"
    gain = rate(test.whole.mean, test.whole.interval.half_width, unit="mbb/h")
    return f"{test.deals:,} of at most {course.plan.most_deals:,} deals: {gain}; {ahead}"


def table_of(content: Mapping[str, Any], folder: Path) -> str:
    """The result for people, of a comparison in a folder."""
    lines = [f"OLD {printable(content['old'])}", f"NEW {printable(content['new'])}", "", content["words"], ""]
    rows = [["opponent", "mbb/h (95 %)", "deals", "weight", "proved"]]
    rows += [_row(row, f"{row['weight']:.2f}", row["proved"] or "") for row in content["opponents"]]
    if "mirror" in content:
        rows.append(_row({"name": "NEW against OLD", **content["mirror"]}, "", ""))
    lines += table(rows, left={0, 4})
    for kind in KINDS:
        if content["where"][kind]:
            rows = [[kind, "mbb/h (95 %)", "hands"]]
            rows += [
                [cut(case, _MOST_NAME), rate(row["mbb_per_hand"], row["ci95"]), f"{row['hands']:,}"]
                for case, row in content["where"][kind].items()
            ]
            lines += ["", *table(rows)]
    lines += ["", *_remarks(content, folder)]
    return "\n".join(lines).rstrip()


def _row(row: Mapping[str, Any], weight: str, proved: str) -> list[str]:
    return [
        cut(printable(row["name"]), _MOST_NAME),
        rate(row["mbb_per_hand"], row["ci95"]),
        f"{row['deals']:,}",
        weight,
        proved,
    ]


def _remarks(content: Mapping[str, Any], folder: Path) -> list[str]:
    lines = [f"played alike: {content['alike']:,} of {content['deals']:,} deals"]
    if content["void"]:
        failed = "; ".join(
            f"{who} in {how_many(number, 'match')}" for who, number in content["failures"].items()
        )
        lines.append(f"void in both: {how_many(content['void'], 'deal')}: {printable(failed)}")
        if content["verdict"] == Decision.UNDECIDED.value and content["void"] > content["deals"] / 99:
            lines.append("no verdict: more than 1 % of the deals are void")
    if content["rule"] != "betting":
        lines.append("somebody learns: the interval is about what the versions were worth on average so far")
    lines += [
        f"worker {row['worker']} deviates by {row['residual']:+.1f} errors in {row['matches']} matches"
        for row in content["odd_workers"]
    ]
    for deal in content["greatest"]:
        place = deal["hands"][0] if deal["hands"] else None
        if place is not None:
            log = shlex.quote(str(folder / place["new"]["log"]))
            lines.append(f"{deal['mbb']:+,.0f} mbb: riverboat replay {log} --hand {deal['deal']}")
    return lines
