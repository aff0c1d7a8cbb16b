"""Matches whose players we launch: plays the passes of a plan, with an end in good order on every way out."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

import attrs
import trio

from engine.support.interruption import Stop, held_back, stopped_by_a_signal
from engine.support.user_input import how_many
from server.match.in_process.table import WorkersPass
from server.match.launching.processes import Orphanage
from server.match.plan import MatchPlan
from server.match.shards import not_divided
from server.match.sharing.shared_pass import SharedPass
from server.match.sharing.staffed_table import Announcer, House
from server.records.progress import Tally
from server.records.results import Pass
from server.support.console import FileConsole
from server.support.private_files import FOLDER_MODE
from server.table.book import CommonDecision
from server.table.outcome import MatchOutcome
from server.table.replay import count_hands, keep_hands

_NOTE_EVERY_S: Final = 1.0
# How much of the decision times is lost if we are killed.
_SIDE_BY_SIDE: Final = 16
# By how many deals a pass may be ahead of the others.


class LaunchedMatch:
    """Plays the passes of a plan.

    Args:
        plan: what to play.
        tally: is told about every finished hand.
        say: takes lines for people.
        announcer: is told where the seats are, for programs.
        noted: signals that came before we listened for them.
        ends_with_stdin: the match ends when standard input is closed.
    """

    def __init__(
        self,
        plan: MatchPlan,
        tally: Tally,
        say: Callable[[str], None],
        announcer: Announcer,
        noted: Sequence[int] = (),
        *,
        ends_with_stdin: bool = False,
    ) -> None:
        self._noted = noted
        self._ends_with_stdin = ends_with_stdin
        self._plan = plan
        self._orphanage = Orphanage.open()
        self._house = House(say, announcer, self._orphanage, plan.terms)
        self._played: dict[int, SharedPass | WorkersPass] = {}
        """By number, the passes that are or were played."""
        self._ended: set[int] = set()
        self._playing = trio.CapacityLimiter(plan.jobs)
        """Holds the passes that play, by number; one that pauses makes room for another."""
        self.tally = tally
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
        plan, sitting = self._plan, self._plan.sitting
        if sitting is not None and self._played:
            outcomes = {number: played.outcome() for number, played in self._played.items()}
            sitting.note_progress(outcomes, tells_details=plan.withheld is None)

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
        try:
            played = self._played[number] = kind(self._house, order, console, _Follower(self, number))
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


@attrs.frozen
class _Follower:
    """Follows the hands of a pass for its match."""

    match: LaunchedMatch
    number: int

    def hand_finished(self, chips_by_seat: Sequence[float]) -> bool:
        return self.match.hand_finished(self.number, chips_by_seat)

    async def continues(self) -> bool:
        return await self.match.continues(self.number)


async def _await_end_of_stdin(stop: Stop) -> None:
    """End the match when the program that launched us has gone, or closes the pipe to say so."""
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        with contextlib.suppress(trio.BrokenResourceError):
            while await stdin.receive_some():
                pass
    stop.by(signal.SIGHUP)
