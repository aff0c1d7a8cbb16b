"""Plays a match in one sitting and reports the result, even if it is cut short."""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from engine.poker.match_key import MatchKey
from engine.support.interruption import held_back
from server.match.launched_match import Interrupted, LaunchedMatch, MatchPlan
from server.match.launching.announcement import Announcer
from server.match.report import MatchReport
from server.match.sittings.plan_file import StoredPlan
from server.match.sittings.sitting import Secrets, Sitting
from server.records.logs import LogError
from server.records.progress import Tally, show_progress
from server.records.results import Pass
from server.support.errors import Failure, FailureKind, MatchAborted
from server.table.outcome import MatchOutcome

EXIT_FAULT: Final = 1
EXIT_PLAYER_FAILED: Final = 3


@attrs.define(eq=False)
class _Played:
    """The outcome of a sitting."""

    passes: Sequence[Pass]
    unwritten: list[str]
    """Lines that say which files could not be completed."""
    tally: Tally
    """The tally of its hands."""
    status: int | None = None
    """The exit status, if somebody has ended the match."""

    @property
    def is_cut_short(self) -> bool:
        """Whether more hands are to come."""
        return any(each.outcome.can_go_on for each in self.passes)


def run_match(
    plan: MatchPlan,
    sitting: Sitting,
    stored: StoredPlan,
    announcer: Announcer,
    *,
    as_json: bool,
    page: Path | None = None,
) -> int:
    """Play and report; returns the exit status.

    Args:
        plan: of the match.
        sitting: in which it is played.
        stored: what is kept for another sitting.
        announcer: says where the seats are.
        as_json: print the result as JSON.
        page: where a page about the match goes, once it is over.
    """
    missing = [player.problem() for player in plan.players]
    if any(missing):  # nobody plays a thousand hands against a misspelt name
        played = _Played([_not_played(plan, missing)], [], plan.new_tally())
        announcer.failed(_first_failure(played.passes[0]))
        return _told(plan, played, stored.started, as_json=as_json)
    with held_back() as noted:  # from here on a signal leaves a match that can be resumed, with the command
        try:
            sitting.begin(stored, _secrets(plan), are_safe_on_disk=plan.is_safe_on_disk)
        except OSError as error:
            why = f"plan.json cannot be written, no hand is played: {error.strerror or error}"
            announcer.failed(why)
            click.echo(why, err=True)
            return EXIT_FAULT
        is_over = False
        try:
            outcome = _play(plan, announcer, noted, as_json=as_json)
            if isinstance(outcome, str):
                announcer.failed(outcome)
                click.echo(outcome, err=True)
                status = EXIT_FAULT
            else:
                status = _told(plan, outcome, stored.started, as_json=as_json)
                is_over = not outcome.is_cut_short and not outcome.unwritten
        finally:
            sitting.end(is_over=is_over)
    if not is_over and sitting.folder.is_dir():
        with contextlib.suppress(OSError):  # nobody reads it
            click.echo(f"to go on with it: {sitting.command}", err=True)
    elif page is not None:
        return _write_page(sitting.folder, page, status, as_json=as_json)
    return status


def _write_page(folder: Path, page: Path, status: int, *, as_json: bool) -> int:
    """Write the page of a match that is over; returns the exit status."""
    from server.records.review.page import page_of_match  # nobody waits for it who wants no page

    try:
        page_of_match(folder, page)
    except (LogError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        click.echo(f"the report {page} cannot be written: {reason}", err=True)
        return status or EXIT_FAULT
    with contextlib.suppress(OSError):  # nobody reads it
        click.echo(f"report: {page}", err=as_json)
    return status


def _secrets(plan: MatchPlan) -> Secrets:
    cards = plan.config.cards
    return Secrets(cards.text if isinstance(cards, MatchKey) else None, plan.config.seat_tokens)


def _play(plan: MatchPlan, announcer: Announcer, noted: Sequence[int], *, as_json: bool) -> _Played | str:
    """Play; returns the outcome, or one line that says what prevented it."""
    tally = plan.new_tally()
    try:
        passes, unwritten = trio.run(
            functools.partial(_play_and_show, plan, tally, announcer, noted, as_json=as_json),
            restrict_keyboard_interrupt_to_checkpoints=True,
        )
    except (Interrupted, MatchAborted, OSError, ExceptionGroup) as error:
        fault: BaseException = error
        while isinstance(fault, ExceptionGroup):
            fault = fault.exceptions[0]
        if isinstance(fault, Interrupted):
            return _Played(fault.passes, [], tally, fault.status)
        if not isinstance(fault, MatchAborted | OSError):  # a taken port, a full disk: anything but a bug
            raise
        return _in_one_line(str(fault)) if isinstance(fault, MatchAborted) else _what_failed(fault, plan)
    return _Played(passes, unwritten, tally)


def _what_failed(error: OSError, plan: MatchPlan) -> str:
    """What could not be done with a file or a port, in one line."""
    if not plan.folder.is_dir():
        return f"the match folder {plan.folder} has been removed while the match was played"
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    return f"{where}{error.strerror or error}"


def _told(plan: MatchPlan, played: _Played, started: str, *, as_json: bool) -> int:
    """Report the outcome of a match; returns the exit status."""
    results = plan.results(played.passes, played.tally)
    errors = [_in_one_line(each.outcome.error) for each in played.passes if each.outcome.error is not None]
    report = MatchReport(plan, played.passes, results, played.tally, is_cut_short=played.is_cut_short)
    played.unwritten += _tell(report, started, as_json=as_json)
    if played.status is not None:
        for line in played.unwritten:
            click.echo(line, err=True)
        return played.status
    if any(result.failures for result in results) and not played.unwritten:
        return EXIT_PLAYER_FAILED
    if errors or played.unwritten:
        click.echo([*errors, *played.unwritten][0], err=True)
        return EXIT_FAULT
    return 0


def _tell(report: MatchReport, started: str, *, as_json: bool) -> list[str]:
    """Print the result, then write it to the folder; if one fails, the other is still done.

    Returns:
        What could not be written, in lines.
    """
    unwritten: list[str] = []
    try:
        if as_json:
            click.echo(json.dumps(report.as_json()))
        else:
            report.print()
    except OSError as error:
        if error.errno != errno.EPIPE:  # nobody wants to read it
            unwritten.append(f"the result cannot be printed: {error.strerror or error}")
    try:
        report.write(started)
    except OSError as error:
        unwritten.append(f"result.json cannot be written: {error.strerror or error}")
    return unwritten


def _in_one_line(lines: str) -> str:
    return "; ".join(lines.strip().splitlines())


def _not_played(plan: MatchPlan, problems: Sequence[str | None]) -> Pass:
    """What is reported about a match if some of its players do not exist."""
    failures = {
        seat: Failure(FailureKind.NOT_FOUND, problem)
        for seat, problem in enumerate(problems)
        if problem is not None
    }
    return Pass(MatchOutcome.not_played(plan.config.names, failures), plan.seating(0))


def _first_failure(not_played: Pass) -> str:
    """The players that prevent a match, and why."""
    return next(
        f"{seat.name}: {seat.failures[0].detail}" for seat in not_played.outcome.seats if seat.failures
    )


async def _play_and_show(
    plan: MatchPlan, tally: Tally, announcer: Announcer, noted: Sequence[int], *, as_json: bool
) -> tuple[list[Pass], list[str]]:
    """The passes of a match, and lines that say which files could not be completed."""

    def say(text: str) -> None:
        with contextlib.suppress(OSError):  # what is said meanwhile must not cost the match
            click.echo(text, err=as_json)

    match = LaunchedMatch(plan, tally, say, announcer, noted)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(show_progress, tally, plan.config.hands * plan.num_passes)
        passes = await match.play()
        nursery.cancel_scope.cancel()
    return passes, match.unwritten
