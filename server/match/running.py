"""Plays a match in one sitting, its passes side by side, and reports the result, even if it is cut short."""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import math
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from engine.support.files import write_whole
from engine.support.interruption import Stop, first_of, held_back, stopped_by_a_signal
from engine.support.user_input import how_many
from server.match.in_process import WorkersPass
from server.match.launching.processes import Orphanage
from server.match.plan import MatchPlan
from server.match.report import MatchReport
from server.match.shards import not_divided
from server.match.sharing.shared_pass import SharedPass
from server.match.sharing.staffed_table import Announcer, House
from server.match.sittings.sitting import Sitting, StoredPlan
from server.records.logs import LogError
from server.records.progress import Pace, Tally, show_progress
from server.records.results import Pass
from server.support.console import FileConsole, say
from server.support.errors import Failure, FailureKind, MatchAborted, os_error_in_words
from server.support.private_files import FILE_MODE, FOLDER_MODE
from server.table.book import CommonDecision, Following
from server.table.outcome import MatchOutcome
from server.table.replay import count_hands, keep_hands

EXIT_FAULT: Final = 1
EXIT_PLAYER_FAILED: Final = 3
_NOTE_EVERY_S: Final = 1.0
# How much of the decision times is lost if we are killed.
_SIDE_BY_SIDE: Final = 16
# By how many deals a pass may be ahead of the others.


class LaunchedMatch:
    """Plays the passes of a match.

    Args:
        run: what to play, and who is told about it.
        noted: signals that came before we listened for them.
    """

    def __init__(self, run: MatchRun, noted: Sequence[int]) -> None:
        self._noted = noted
        self._ends_with_stdin = run.ends_with_stdin
        self._plan = plan = run.plan
        self._orphanage = Orphanage()
        tell = functools.partial(say, err=run.as_json)
        self._house = House(tell, run.announcer, self._orphanage, plan.terms)
        self._played: dict[int, SharedPass | WorkersPass] = {}
        """By number, the passes that are or were played."""
        self._ended: set[int] = set()
        self._playing = trio.CapacityLimiter(plan.jobs)
        """Holds the passes that play, by number; one that pauses makes room for another."""
        self.tally: Final = plan.new_tally()
        """Is told about every finished hand."""
        self._decision = CommonDecision(
            plan.num_passes, self.tally.is_settled, ends_together=plan.until is not None
        )
        self._called_off = trio.CancelScope()
        """Around all passes: cancelled when a player never came."""
        self.status = 0
        """The exit status, if somebody has ended the match."""
        self.unwritten: list[str] = []
        """Lines that say which files could not be completed."""

    async def play(self) -> None:
        """Play every pass.  On every way out no process is left and the files are complete.

        Raises:
            MatchAborted: a file or port cannot be opened.
        """
        self._drop_unfinished()
        try:
            await self._play_passes()
        finally:
            with held_back():
                self._note_progress()
                if self._plan.withheld is not None:  # no hand with these cards is to come any more
                    self.unwritten += self._plan.withheld.release_all()

    def results(self) -> list[Pass]:
        """The results of the passes so far."""
        return [self._result(number) for number in range(self._plan.num_passes)]

    def _result(self, number: int) -> Pass:
        """The result of a pass, which may not have been played: because of another pass or a signal."""
        played = self._played.get(number)
        if played is not None:
            return played.result()
        outcome = MatchOutcome.not_played(self._plan.pass_config(number).names, {})
        return Pass(attrs.evolve(outcome, can_go_on=bool(self.status)), self._plan.seating(number))

    def _drop_unfinished(self) -> None:
        """Forget what earlier sittings left of deals that not all passes have played: they are dealt anew."""
        plan, sitting = self._plan, self._plan.sitting
        if sitting is None or not (plan.is_resumed and plan.cards_are_secret):
            return
        logs = [plan.pass_folder(number) / "match.log" for number in range(plan.num_passes)]
        ends = [count_hands(log) if log.exists() else 0 for log in logs]
        if math.inf in ends:
            return  # nothing is dealt any more
        dropped = sum([keep_hands(log, int(min(ends))) for log in logs if log.exists()])
        sitting.dropped += dropped
        if dropped:
            said = f"{how_many(dropped, 'hand')} of deals that not all passes had played: dropped, dealt anew"
            self._house.say(said)

    async def _play_passes(self) -> None:
        async with stopped_by_a_signal(self._noted) as stop:
            stop.nursery.start_soon(self._keep_noting_progress)
            stop.nursery.start_soon(self._orphanage.keep_reaping)
            if self._ends_with_stdin:
                stop.nursery.start_soon(_await_end_of_stdin, stop)
            with self._called_off:
                async with trio.open_nursery() as passes:
                    for number in range(self._plan.num_passes):
                        await self._playing.acquire_on_behalf_of(number)
                        passes.start_soon(self._play_pass, number)
        self.status = stop.status

    async def _keep_noting_progress(self) -> None:
        while True:
            await trio.sleep(_NOTE_EVERY_S)
            self._note_progress()

    def _note_progress(self) -> None:
        """Store what the logs do not tell, for later sittings."""
        sitting = self._plan.sitting
        if sitting is not None and self._played:
            sitting.note_progress({number: played.outcome() for number, played in self._played.items()})

    async def _play_pass(self, number: int) -> None:
        plan, order = self._plan, self._plan.order(number)
        if order.most_shares > 1 and plan.learners:
            names = [plan.players[player].name for player in sorted(plan.learners)]
            self._house.say(not_divided(names, "may learn as the match goes on"))
            order = attrs.evolve(order, most_shares=1)
        folder = plan.pass_folder(number)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        console = FileConsole(folder / "dealer.err", order.config.later)
        kind = WorkersPass if plan.in_process else SharedPass
        partial = functools.partial
        follower = Following(partial(self.hand_finished, number), partial(self.continues, number))
        try:
            played = self._played[number] = kind(self._house, order, console, follower)
            await played.run()
            if played.was_in_vain:
                self._called_off.cancel()  # nobody will come to the other passes either
        finally:
            console.close()
            self._ended.add(number)
            if plan.withheld is not None:
                plan.withheld.has_ended(number)
            if self._ended.issuperset(self._played):  # with several, nobody could tell whose an orphan is
                self._orphanage.empty()
            self._playing.release_on_behalf_of(number)
        self._decision.end()

    def hand_finished(self, number: int, chips_by_seat: Sequence[float]) -> bool:
        """Count a hand of a pass; returns whether the pass waits for the others.

        Raises:
            MatchAborted: lines that can now be written cannot be written.
        """
        plan = self._plan
        pauses = self.tally.hand_finished(number, chips_by_seat)
        if plan.withheld is None:
            return pauses
        played = plan.withheld.hand_finished(number)
        return pauses or (plan.plays_side_by_side and played % _SIDE_BY_SIDE == 0)

    async def continues(self, number: int) -> bool:
        """Whether a pass that paused plays on: known once the others, which play meanwhile, came as far."""
        if self._plan.num_passes == 1:
            return not self.tally.is_settled()
        self._playing.release_on_behalf_of(number)
        try:
            return await self._decision.continues()
        finally:
            with trio.CancelScope(shield=True):
                await self._playing.acquire_on_behalf_of(number)


async def _await_end_of_stdin(stop: Stop) -> None:
    """End the match when the program that launched us has gone, or closes the pipe to say so."""
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        with contextlib.suppress(trio.BrokenResourceError):
            while await stdin.receive_some():
                pass
    stop.by(signal.SIGHUP)


class _CannotPlay(Exception):
    """The match cannot be played, or not to its end: one line."""


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
    is_live: bool = False
    """The page is there while the match is played, too."""
    ends_with_stdin: bool = False
    """The match ends when standard input is closed."""

    def play(self) -> int:
        """Play and report; returns the exit status."""
        missing = [player.problem() for player in self.plan.players]
        if any(missing):  # nobody plays a thousand hands against a misspelt name
            outcome = _not_played(self.plan, missing)
            absent = next(seat for seat in outcome.outcome.seats if seat.failures)
            self.announcer.failed(f"{absent.name}: {absent.failures[0].detail}")
            return self._tell([outcome], self.plan.new_tally())[0]
        is_over = False
        with held_back() as noted:  # from here on a signal leaves a match that can be resumed
            try:
                if not self.sitting.is_resumed:
                    self.stored.write(self.sitting.folder)
            except OSError as error:
                why = error.strerror or error
                return self._fail(f"plan.json cannot be written, no hand is played: {why}")
            try:
                match = self._play_hands(noted)
                status, is_over = self._tell(match.results(), match.tally, match.unwritten, match.status)
            except _CannotPlay as error:
                status = self._fail(str(error))
            finally:
                self.sitting.end(is_over=is_over)
        if not is_over and self.sitting.folder.is_dir():
            say(f"to go on with it: {self.sitting.command}")
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
        say(f"report: {page}", err=self.as_json)
        return status

    def _play_hands(self, noted: Sequence[int]) -> LaunchedMatch:
        """Play.

        Raises:
            _CannotPlay: because of anything but a bug, such as a taken port or a full disk.
        """
        try:
            return trio.run(self._play_and_show, noted, restrict_keyboard_interrupt_to_checkpoints=True)
        except (MatchAborted, OSError, ExceptionGroup) as error:
            fault = first_of(error)
            if isinstance(fault, MatchAborted):
                raise _CannotPlay(_in_one_line(fault.lines)) from error
            if isinstance(fault, OSError):
                raise _CannotPlay(_what_failed(fault, self.plan)) from error
            raise

    async def _play_and_show(self, noted: Sequence[int]) -> LaunchedMatch:
        match = LaunchedMatch(self, noted)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(show_progress, match.tally, self.plan.config.hands * self.plan.num_passes)
            if self.page is not None and self.is_live:
                nursery.start_soon(self._show_live, match.tally, self.page)
            await match.play()
            nursery.cancel_scope.cancel()
        return match

    async def _show_live(self, tally: Tally, page: Path) -> None:
        """Write the page of the match that is being played, again and again."""
        from server.records.review.page import LIVE_S, live_page

        most = self.plan.config.hands * self.plan.num_passes
        pace = Pace(most, at_most=tally.goal is not None)
        title = " v ".join(self.plan.config.names)
        while True:
            pace.note(trio.current_time(), tally.hands)
            with contextlib.suppress(OSError):  # the match does not end because nobody can look
                write_whole(page, live_page(tally, title, most, pace.text()), mode=FILE_MODE)
            await trio.sleep(LIVE_S)

    def _tell(
        self, passes: Sequence[Pass], tally: Tally, unwritten: Sequence[str] = (), ended_with: int = 0
    ) -> tuple[int, bool]:
        """Report the outcome of a match.

        Args:
            passes: of the match.
            tally: of its hands.
            unwritten: lines that say which files could not be completed.
            ended_with: the exit status, if somebody has ended the match.

        Returns:
            The exit status, and whether nothing is left to be done.
        """
        errors = [_in_one_line(each.outcome.error) for each in passes if each.outcome.error]
        report = MatchReport(self.plan, passes, tally)
        unwritten = [*unwritten, *self._write(report)]
        status = ended_with
        if ended_with:
            for line in unwritten:
                click.echo(line, err=True)
        elif any(result.failures for result in report.results) and not unwritten:
            status = EXIT_PLAYER_FAILED
        elif errors or unwritten:
            status = self._fail([*errors, *unwritten][0])
        return status, not report.is_cut_short and not unwritten

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
    missing = [(seat, problem) for seat, problem in enumerate(problems) if problem is not None]
    failures = {seat: Failure(FailureKind.NOT_FOUND, problem) for seat, problem in missing}
    return Pass(MatchOutcome.not_played(plan.config.names, failures), plan.seating(0))
