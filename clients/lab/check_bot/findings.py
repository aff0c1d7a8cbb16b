"""What is checked, and what was found: a verdict for each item, as text, JSON and JUnit XML."""

from __future__ import annotations

import textwrap
import tomllib
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import attrs

from engine.support.user_input import printable

_SEATS: Final = "seats-"

_TEXTS: Final = tomllib.loads(Path(__file__).with_name("checks.toml").read_text("utf-8"))
TITLES: Final = {check: texts["title"] for check, texts in _TEXTS.items()}
"""What a verdict is about, by the check's name and in the order of the report; the sizes of tables aside."""
ADVICE: Final = {check: texts["advice"] for check, texts in _TEXTS.items() if "advice" in texts}
"""What to do about a bot that breaks down, by check."""


def told(check: str, text: str, **values: Any) -> str:
    """A text of a check's, with values in their places."""
    return str(_TEXTS[check][text]).format(**values)


def seats_check(num_players: int) -> str:
    """The check that a bot plays at a table of some size."""
    return f"{_SEATS}{num_players}"


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
        return TITLES.get(self.name) or f"plays at a table of {self.name.removeprefix(_SEATS)}"


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

    def _item(self, check: str, not_tried: str = "") -> _Item:
        """The findings on a check, which must be one of `TITLES` or about the size of a table."""
        assert check in TITLES or check.startswith(_SEATS), check
        return self._items.setdefault(check, _Item(not_tried=not_tried))

    def expect(self, check: str) -> None:
        """Add a check to this examination, which may never come to it."""
        self._item(check, "the bot did not get so far")

    def tried(self, check: str, where: str) -> None:
        """Note that a check was made in a game."""
        item = self._item(check)
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
        self._item(check).words = words

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
            if not self.was_tried(check):
                self._items.pop(check, None)

    def absorb(self, other: Examined) -> None:
        """Take over what was found elsewhere."""
        for check, found in other._items.items():
            for where in found.where:
                self.tried(check, where)
            item = self._item(check, found.not_tried)
            item.times += found.times
            item.fault = item.fault or found.fault
            item.words = found.words or item.words
        for line in other.notes:
            self.note(line)

    def verdicts(self) -> list[Verdict]:
        """One for each check that belongs to the examination, in the order of the report."""
        sizes = sorted(set(self._items) - set(TITLES), key=lambda name: int(name.removeprefix(_SEATS)))
        order = [*TITLES]
        place = order.index("split-lines")
        order[place:place] = sizes
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
    found = {verdict.status for verdict in verdicts}
    return Status.PASSED in found and Status.FAILED not in found


def as_json(findings: Examined) -> dict[str, Any]:
    """``{"passed", "checks": [{"name", "passed", "detail", ...}], "notes"}``."""
    verdicts = findings.verdicts()
    checks = [
        {
            "name": verdict.name, "passed": verdict.status is Status.PASSED, "detail": verdict.detail,
            "title": verdict.title, "tried": verdict.status is not Status.NOT_TRIED,
        }
        for verdict in verdicts
    ]  # fmt: skip
    return {"passed": has_passed(verdicts), "checks": checks, "notes": list(findings.notes)}


def as_text(findings: Examined) -> str:
    """A line for each check, faults with what to do about them, and the conclusion."""
    verdicts = findings.verdicts()
    lines: list[str] = []
    for verdict in verdicts:
        lines.append(f"{_MARKS[verdict.status]:<7} {verdict.name:<15} {verdict.title}")
        has_failed = verdict.status is Status.FAILED
        if has_failed or (verdict.status is Status.PASSED and not verdict.detail.startswith("in ")):
            indent, breaks = " " * 8, not has_failed
            lines += textwrap.wrap(
                verdict.detail, _WIDTH, initial_indent=indent, subsequent_indent=indent,
                break_long_words=breaks, break_on_hyphens=breaks,
            )  # fmt: skip
    for note in findings.notes:
        lines += textwrap.wrap(f"note: {note}", _WIDTH, subsequent_indent=" " * 6)
    of = Counter(verdict.status for verdict in verdicts)
    conclusion = f"{of[Status.FAILED]} failed, {of[Status.PASSED]} passed"
    return "\n".join([*lines, "nothing wrong" if has_passed(verdicts) else conclusion])


def as_junit(findings: Examined, command: str) -> str:
    """The XML that build servers read: a test suite with a case for each check."""
    verdicts = findings.verdicts()
    of = Counter(verdict.status for verdict in verdicts)
    numbers = {
        "tests": len(verdicts), "failures": of[Status.FAILED], "errors": 0, "skipped": of[Status.NOT_TRIED]
    }  # fmt: skip
    attributes = {"name": f"check-bot {command}", **{name: str(number) for name, number in numbers.items()}}
    suite = ElementTree.Element("testsuite", attributes)
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
