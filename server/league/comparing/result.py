"""``result.json`` of a comparison, which follows from its plan and its logs; in words, and as a page."""

from __future__ import annotations

import math
import shlex
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from engine.evidence.confidence_sequence import AverageSequence, ConfidenceSequence
from engine.support.files import write_whole
from engine.support.text import cut, rate, table
from engine.support.user_input import how_many, printable
from server.league.comparing.house import Course
from server.league.comparing.plan import MIRROR
from server.league.comparing.where import KINDS, where
from server.league.report.words import Progress
from server.league.running.cluster import WORKER
from server.records.pages import page_environment
from server.support.private_files import FILE_MODE

_FEWEST: Final = 5
_ODD: Final = 4.0
"""A worker whose matches lie on average so many standard errors away from those of others is named."""
_MOST_NAME: Final = 48
_PROVED: Final = {1: "gain", -1: "loss", 0: None}


def result_of(course: Course) -> dict[str, Any]:
    """The contents of ``result.json``."""
    plan, test = course.plan, course.test
    rows = [{"name": side.player.name, "weight": side.weight} for side in plan.opponents]
    for place, proved in enumerate(test.proved()):
        rows[place] |= _estimate(test.row(place)) | {"proved": _PROVED[proved]}
    content: dict[str, Any] = {
        "verdict": course.decision.value,
        **_estimate(test.whole),
        "void": course.void,
        "opponents": rows,
        **plan.facts,
        "mirror": _mirror(course) if plan.mirror else None,
        "rule": "empirical-Bernstein" if plan.learns else "betting",
        "alike": sum(not taken.difference for taken in course.taken),
        "complete": course.is_over,
        "failures": course.faults,
        **where(course),
        "odd_workers": _odd_workers(course),
        "version": version("riverboat"),
    }
    return content | {"words": _verdict(content)}


def _estimate(sequence: ConfidenceSequence) -> dict[str, Any]:
    interval = sequence.interval if sequence.samples else None
    return {
        "mbb_per_hand": sequence.mean,
        "ci95": None if interval is None else interval.half_width,
        "interval": None if interval is None else [interval.low, interval.high],
        "deals": sequence.samples,
    }


def _mirror(course: Course) -> dict[str, Any]:
    """The winnings of the new version from the old one: a row of its own, which the test does not count."""
    won = (AverageSequence if course.plan.learns else ConfidenceSequence)(-course.most, course.most)
    for match, played in sorted(course.folder.played.items()):
        for deal in played.deals[0][: len(played.deals[0]) - played.settled] if match.stage == MIRROR else ():
            won.add(deal)
    return _estimate(won)


def _verdict(content: Mapping[str, Any]) -> str:
    """The verdict in a line."""
    word = content["verdict"] if content["complete"] else "not complete, undecided"
    said = f"({content['deals']:,} deals; {word} at {content['test']})"
    if content["ci95"] is None:
        return f"no constant gain of NEW over OLD is known {said}"
    mean, half = content["mbb_per_hand"], content["ci95"]
    verb, preposition = ("loses", "to") if mean < 0 else ("gains", "over")
    spread = rate(abs(mean), half, 0, signed=False, grouped=True, unit="mbb/h")
    return f"NEW {verb} {spread} {preposition} OLD against this field {said}"


def _odd_workers(course: Course) -> list[dict[str, Any]]:
    """Workers whose matches come out otherwise than those of others, with their residuals."""
    by_kind: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for match, played in sorted(course.folder.played.items()):
        file = course.folder.place(match) / WORKER
        if file.exists() and played.deals[0]:
            who = printable(file.read_text("utf-8", "replace"))
            by_kind[match.stage, match.players[1]].append((who, statistics.fmean(played.deals[0])))
    residuals: dict[str, list[float]] = defaultdict(list)
    for rows in by_kind.values():
        won = [each for _, each in rows]
        mean, spread = statistics.fmean(won), statistics.pstdev(won) or math.inf
        for who, each in rows:
            residuals[who].append((each - mean) / spread)
    sums = {who: sum(each) / math.sqrt(len(each)) for who, each in residuals.items() if len(each) >= _FEWEST}
    return [{"worker": who, "residual": each} for who, each in sums.items() if abs(each) > _ODD]


class Way(Progress):
    """Follows a comparison, and says how many hands a verdict will take."""

    def __init__(self, course: Course) -> None:
        super().__init__(course.folder, time.monotonic)
        self._course = course

    def line(self) -> str:
        """``1,200 of at most 20,000 deals: +12.3 ± 45.6 mbb/h; a verdict in about 3,000 hands``."""
        self.look()
        test, most = self._course.test, self._course.plan.most_deals
        line = f"{test.deals:,} of at most {most:,} deals"
        if not test.deals or test.whole.interval is None:
            return line
        needed, ahead = test.deals_to_decide(), "no verdict in sight"
        if needed is not None and needed <= most:
            hands = (needed - test.deals) * 2 * self._course.plan.game.num_players
            ahead = f"a verdict in about {hands:,} hands"
        return f"{line}: {rate(test.whole.mean, test.whole.interval.half_width, unit='mbb/h')}; {ahead}"

    def tenths(self) -> int:
        """How many tenths of the deals are done."""
        return 10 * self._course.test.deals // self._course.plan.most_deals


def table_of(content: Mapping[str, Any], folder: Path) -> str:
    """The result for people, of a comparison in a folder."""
    cells = [
        [row["name"], _rate(row), f"{row['deals']:,}", f"{row['weight']:.2f}", row["proved"] or ""]
        for row in content["opponents"]
    ]
    if mirror := content["mirror"]:
        cells.append(["NEW against OLD", _rate(mirror), f"{mirror['deals']:,}", "", ""])
    blocks = [
        [f"OLD {printable(content['old'])}", f"NEW {printable(content['new'])}"],
        [content["words"]],
        table([["opponent", "mbb/h (95 %)", "deals", "weight", "proved"], *cells], left={0, 4}),
    ]
    for kind, cases in content["where"].items():
        cells = [[cut(case, _MOST_NAME), _rate(row), f"{row['hands']:,}"] for case, row in cases.items()]
        blocks.append(table([[kind, "mbb/h (95 %)", "hands"], *cells]) if cells else [])
    blocks.append([*_remarks(content, folder)])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _rate(row: Mapping[str, Any]) -> str:
    return rate(row["mbb_per_hand"], row["ci95"])


def _remarks(content: Mapping[str, Any], folder: Path) -> list[str]:
    lines = [f"played alike: {content['alike']:,} of {content['deals']:,} deals"]
    if content["void"]:
        lines.append(f"void in both: {how_many(content['void'], 'deal')}; with more than 1 % no verdict")
    lines += [f"{who} in {how_many(number, 'match')}" for who, number in content["failures"].items()]
    if content["rule"] != "betting":
        lines.append("somebody learns: the interval is about what the versions were worth on average so far")
    for row in content["odd_workers"]:
        lines.append(f"worker {row['worker']} deviates by {row['residual']:+.1f} standard errors")
    for deal in content["greatest"]:
        log = shlex.quote(str(folder / deal["hands"][0]["new"]["log"]))
        lines.append(f"{deal['mbb']:+,.0f} mbb: riverboat replay {log} --hand {deal['deal']}")
    return lines


def write_page(folder: Path, content: Mapping[str, Any]) -> Path:
    """Write ``report.html``, in the style of all reports; returns where it is.

    Raises:
        OSError: it cannot be written.
    """
    template = page_environment(Path(__file__).parent).get_template("compare.html.j2")
    write_whole(folder / "report.html", template.render(report=content, kinds=KINDS), mode=FILE_MODE)
    return folder / "report.html"
