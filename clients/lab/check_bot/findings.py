"""What is checked, and what was found: a verdict for each item, as text, JSON and JUnit XML."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import attrs

from engine.support.user_input import printable

STARTS: Final = "starts"
VERSION: Final = "handshake"
ANSWERS: Final = "answers"
ECHO: Final = "echo"
TURN: Final = "turn"
ACTIONS: Final = "legal-actions"
SPLIT: Final = "split-lines"
LINE_END: Final = "split-line-end"
MERGED: Final = "merged-lines"
COMMENTS: Final = "comments"
EARLY: Final = "early-lines"
LATE: Final = "late-lines"
WALK: Final = "walk"
RAISES: Final = "raises"
ALL_IN: Final = "short-all-in"
SIDE_POTS: Final = "side-pots"
RANDOM: Final = "random-hands"
RECONNECT: Final = "reconnect"
BROKEN_OFF: Final = "broken-off"
CLOSE: Final = "close"
TIME: Final = "time"
ONE_WRITE: Final = "one-write"
MEMORY: Final = "memory"
SEED: Final = "same-seed"
_SEATS: Final = "seats-"

_TEXTS: Final = tomllib.loads(Path(__file__).with_name("checks.toml").read_text("utf-8"))
TITLES: Final = {check: texts["title"] for check, texts in _TEXTS.items()}
"""What a verdict is about, by the check's name and in the order of the report; the sizes of tables aside."""
ADVICE: Final = {check: texts["advice"] for check, texts in _TEXTS.items() if "advice" in texts}
"""What to do about a bot that breaks down, by check."""


def seats_check(num_players: int) -> str:
    """The check that a bot plays at a table of some size."""
    return f"{_SEATS}{num_players}"


def title_of(check: str) -> str:
    """The subject of a check, in words."""
    return TITLES.get(check) or f"plays at a table of {check.removeprefix(_SEATS)}"


class Status(Enum):
    """The result of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@attrs.frozen
class Verdict:
    """The verdict of one check."""

    name: str
    status: Status
    detail: str

    @property
    def title(self) -> str:
        """Its subject, in words."""
        return title_of(self.name)


@attrs.define(eq=False)
class _Item:
    fault: str | None = None
    times: int = 0
    where: list[str] = attrs.Factory(list)
    """The games it was tried in."""
    words: str = ""
    """What to say if all is well."""
    not_tried: str = ""


class Examined:
    """Findings so far, by check."""

    def __init__(self) -> None:
        self._items: dict[str, _Item] = {}
        self.notes: list[str] = []
        """What is worth knowing but not a fault."""

    def expect(self, check: str, why_not: str = "the bot did not get so far") -> None:
        """Add a check to this examination; if it is never tried, the report says `why_not`."""
        self._items.setdefault(check, _Item(not_tried=why_not))

    def tried(self, check: str, where: str) -> None:
        """Note that a check was made in a game."""
        item = self._items.setdefault(check, _Item())
        if where not in item.where:
            item.where.append(where)

    def fault(self, check: str, where: str, detail: str) -> None:
        """Record a fault; the report tells the first of each check."""
        self.tried(check, where)
        item = self._items[check]
        item.times += 1
        if item.fault is None:
            item.fault = printable(f"{where}: {detail}")

    def say(self, check: str, words: str) -> None:
        """Set what to say about a check if all is well."""
        self._items.setdefault(check, _Item()).words = words

    def note(self, line: str) -> None:
        """Note something worth knowing, once."""
        line = printable(line)
        if line not in self.notes:
            self.notes.append(line)

    def has_failed(self, check: str) -> bool:
        """Whether a fault was found."""
        return check in self._items and self._items[check].fault is not None

    def was_tried(self, check: str) -> bool:
        """Whether a check was tried anywhere."""
        return check in self._items and bool(self._items[check].where)

    def forget_untried(self, *checks: str) -> None:
        """Drop checks that do not come up in the games that the bot plays."""
        for check in checks:
            if check in self._items and not self.was_tried(check):
                del self._items[check]

    def absorb(self, other: Examined) -> None:
        """Take over what was found elsewhere."""
        for check, found in other._items.items():
            for where in found.where:
                self.tried(check, where)
            item = self._items.setdefault(check, _Item(not_tried=found.not_tried))
            item.times += found.times
            item.fault = item.fault or found.fault
            item.words = found.words or item.words
        for line in other.notes:
            self.note(line)

    def verdicts(self) -> list[Verdict]:
        """One for each check that belongs to the examination, in the order of the report."""
        order = [*TITLES]
        order[order.index(SPLIT) : order.index(SPLIT)] = sorted(
            (check for check in self._items if check not in TITLES),
            key=lambda name: int(name.rsplit("-")[-1]),
        )
        return [_verdict(check, self._items[check]) for check in order if check in self._items]


def _verdict(check: str, item: _Item) -> Verdict:
    if item.fault is not None:
        often = f" ({item.times} times in all)" if item.times > 1 else ""
        return Verdict(check, Status.FAILED, item.fault + often)
    if not item.where:
        return Verdict(check, Status.NOT_TRIED, f"not tried: {item.not_tried}")
    return Verdict(check, Status.PASSED, item.words or f"in {', '.join(item.where)}")


_WIDTH: Final = 100
_MARKS: Final = {Status.PASSED: "ok", Status.FAILED: "FAILED", Status.NOT_TRIED: "-"}


def has_passed(verdicts: Sequence[Verdict]) -> bool:
    """Whether nothing has failed, and something was tried."""
    return any(verdict.status is Status.PASSED for verdict in verdicts) and not any(
        verdict.status is Status.FAILED for verdict in verdicts
    )


def as_json(findings: Examined) -> dict[str, Any]:
    """``{"passed", "checks": [{"name", "passed", "detail", ...}], "notes"}``."""
    verdicts = findings.verdicts()
    return {
        "passed": has_passed(verdicts),
        "checks": [
            {
                "name": verdict.name,
                "passed": verdict.status is Status.PASSED,
                "detail": verdict.detail,
                "title": verdict.title,
                "tried": verdict.status is not Status.NOT_TRIED,
            }
            for verdict in verdicts
        ],
        "notes": list(findings.notes),
    }


def as_text(findings: Examined) -> str:
    """A line for each check, faults with what to do about them, and the conclusion."""
    verdicts = findings.verdicts()
    lines: list[str] = []
    for verdict in verdicts:
        lines.append(f"{_MARKS[verdict.status]:<7} {verdict.name:<15} {verdict.title}")
        if verdict.status is Status.FAILED:
            lines += textwrap.wrap(
                verdict.detail,
                _WIDTH,
                initial_indent=" " * 8,
                subsequent_indent=" " * 8,
                break_long_words=False,
                break_on_hyphens=False,
            )
        elif verdict.status is Status.PASSED and not verdict.detail.startswith("in "):
            lines += textwrap.wrap(verdict.detail, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    lines += [
        line
        for note in findings.notes
        for line in textwrap.wrap(f"note: {note}", _WIDTH, subsequent_indent=" " * 6)
    ]
    failed = sum(verdict.status is Status.FAILED for verdict in verdicts)
    passed = sum(verdict.status is Status.PASSED for verdict in verdicts)
    lines.append("nothing wrong" if has_passed(verdicts) else f"{failed} failed, {passed} passed")
    return "\n".join(lines)


def as_junit(findings: Examined, command: str) -> str:
    """The XML that build servers read: a test suite with a case for each check."""
    verdicts = findings.verdicts()
    suite = ElementTree.Element(
        "testsuite",
        name=f"check-bot {command}",
        tests=str(len(verdicts)),
        failures=str(sum(verdict.status is Status.FAILED for verdict in verdicts)),
        errors="0",
        skipped=str(sum(verdict.status is Status.NOT_TRIED for verdict in verdicts)),
    )
    for verdict in verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname="check-bot", name=verdict.name)
        if verdict.status is Status.FAILED:
            failure = ElementTree.SubElement(case, "failure", message=verdict.detail)
            failure.text = f"{verdict.title}: {verdict.detail}"
        elif verdict.status is Status.NOT_TRIED:
            ElementTree.SubElement(case, "skipped", message=verdict.detail)
        else:
            ElementTree.SubElement(case, "system-out").text = verdict.detail
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"
