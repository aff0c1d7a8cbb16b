"""Plays a match in one sitting and reports the result, even if it is cut short."""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from engine.support.interruption import held_back
from server.match.launched_match import LaunchedMatch
from server.match.plan import MatchPlan
from server.match.report import MatchReport
from server.match.sharing.staffed_table import Announcer
from server.match.sittings.sitting import Sitting, StoredPlan
from server.records.logs import LogError
from server.records.progress import Tally, show_progress
from server.records.results import Pass
from server.support.errors import Failure, FailureKind, MatchAborted, os_error_in_words
from server.table.outcome import MatchOutcome

EXIT_FAULT: Final = 1
EXIT_PLAYER_FAILED: Final = 3


class _CannotPlay(Exception):
    """The match cannot be played, or not to its end: one line."""


@attrs.define(eq=False)
class _Played:
    """The outcome of a sitting."""

    passes: Sequence[Pass]
    unwritten: list[str]
    """Lines that say which files could not be completed."""
    tally: Tally
    """The tally of its hands."""
    status: int = 0
    """The exit status, if somebody has ended the match."""

    @property
    def is_cut_short(self) -> bool:
        """Whether more hands are to come."""
        return any(each.outcome.can_go_on for each in self.passes)


@attrs.frozen(kw_only=True)
class MatchRun:
    """A sitting of a match, as it was asked for: `play`."""

    plan: MatchPlan
    sitting: Sitting
    stored: StoredPlan
    """What is kept for another sitting."""
    announcer: Announcer
    """Learns where the seats are, and what went wrong."""
    as_json: bool = False
    """The result is printed as JSON."""
    page: Path | None = None
    """Where a page about the match goes, once it is over."""
    ends_with_stdin: bool = False
    """The match ends when standard input is closed."""

    def play(self) -> int:
        """Play and report; returns the exit status."""
        missing = [player.problem() for player in self.plan.players]
        if any(missing):  # nobody plays a thousand hands against a misspelt name
            played = _Played([_not_played(self.plan, missing)], [], self.plan.new_tally())
            self.announcer.failed(_first_failure(played.passes[0]))
            return self._tell(played)
        is_over = False
        with held_back() as noted:  # from here on a signal leaves a match that can be resumed
            try:
                if not self.sitting.is_resumed:
                    self.stored.write(self.sitting.folder)
            except OSError as error:
                return self._fail(
                    f"plan.json cannot be written, no hand is played: {error.strerror or error}"
                )
            try:
                played = self._play_hands(noted)
                status = self._tell(played)
                is_over = not played.is_cut_short and not played.unwritten
            except _CannotPlay as error:
                status = self._fail(str(error))
            finally:
                self.sitting.end(is_over=is_over)
        if not is_over and self.sitting.folder.is_dir():
            with contextlib.suppress(OSError):  # nobody reads it
                click.echo(f"to go on with it: {self.sitting.command}", err=True)
        elif self.page is not None:
            return self._write_page(self.page, status)
        return status

    def _fail(self, why: str) -> int:
        """Say what went wrong; returns the exit status."""
        self.announcer.failed(why)
        click.echo(why, err=True)
        return EXIT_FAULT

    def _write_page(self, page: Path, status: int) -> int:
        """Write the page of a match that is over; returns the exit status."""
        from server.records.review.page import page_of_match  # nobody waits for it who wants no page

        try:
            page_of_match(self.sitting.folder, page)
        except (LogError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return status or self._fail(f"the report {page} cannot be written: {reason}")
        with contextlib.suppress(OSError):  # nobody reads it
            click.echo(f"report: {page}", err=self.as_json)
        return status

    def _play_hands(self, noted: Sequence[int]) -> _Played:
        """Play.

        Raises:
            _CannotPlay: because of anything but a bug, such as a taken port or a full disk.
        """
        try:
            return trio.run(self._play_and_show, noted, restrict_keyboard_interrupt_to_checkpoints=True)
        except (MatchAborted, OSError, ExceptionGroup) as error:
            fault: BaseException = error
            while isinstance(fault, ExceptionGroup):
                fault = fault.exceptions[0]
            if isinstance(fault, MatchAborted):
                raise _CannotPlay(_in_one_line(fault.lines)) from error
            if isinstance(fault, OSError):
                raise _CannotPlay(_what_failed(fault, self.plan)) from error
            raise

    async def _play_and_show(self, noted: Sequence[int]) -> _Played:

        def say(text: str) -> None:
            with contextlib.suppress(OSError):  # what is said meanwhile must not cost the match
                click.echo(text, err=self.as_json)

        plan, tally = self.plan, self.plan.new_tally()
        match = LaunchedMatch(plan, tally, say, self.announcer, noted, ends_with_stdin=self.ends_with_stdin)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(show_progress, tally, plan.config.hands * plan.num_passes)
            await match.play()
            nursery.cancel_scope.cancel()
        return _Played(match.results(), match.unwritten, tally, match.status)

    def _tell(self, played: _Played) -> int:
        """Report the outcome of a match; returns the exit status."""
        results = self.plan.results(played.passes, played.tally)
        errors = [_in_one_line(each.outcome.error) for each in played.passes if each.outcome.error]
        report = MatchReport(
            self.plan, played.passes, results, played.tally, is_cut_short=played.is_cut_short
        )
        played.unwritten += self._write(report)
        if played.status:
            for line in played.unwritten:
                click.echo(line, err=True)
            return played.status
        if any(result.failures for result in results) and not played.unwritten:
            return EXIT_PLAYER_FAILED
        if errors or played.unwritten:
            return self._fail([*errors, *played.unwritten][0])
        return 0

    def _write(self, report: MatchReport) -> list[str]:
        """Print the result, then write it to the folder; if one fails, the other is still done.

        Returns:
            What could not be written, in lines.
        """
        unwritten: list[str] = []
        try:
            if self.as_json:
                click.echo(json.dumps(report.as_json()))
            else:
                report.print()
        except OSError as error:
            if error.errno != errno.EPIPE:  # nobody wants to read it
                unwritten.append(f"the result cannot be printed: {error.strerror or error}")
        try:
            report.write(self.stored.started)
        except OSError as error:
            unwritten.append(f"result.json cannot be written: {error.strerror or error}")
        return unwritten


def _what_failed(error: OSError, plan: MatchPlan) -> str:
    """The failure of a file or a port, in one line."""
    if not plan.folder.is_dir():
        return f"the match folder {plan.folder} has been removed while the match was played"
    return os_error_in_words(error)


def _in_one_line(lines: str) -> str:
    return "; ".join(lines.strip().splitlines())


def _not_played(plan: MatchPlan, problems: Sequence[str | None]) -> Pass:
    """The report of a match if some of its players do not exist."""
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
