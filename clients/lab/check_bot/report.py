"""The verdicts as text, JSON and JUnit XML."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Final
from xml.etree import ElementTree

from clients.lab.check_bot.findings import Examined, Status, Verdict

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
