"""Matches whose players we launch: one pass, or all the passes of a duplicate match.

In pass k of a duplicate match player i sits at seat (i + k) mod n, and the cards are the same: each player
gets each seat's cards once, and the luck of one pass is cancelled in another.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.evidence.aivat.games import why_not
from engine.evidence.confidence_sequence import asymptotic_critical_value
from engine.evidence.verdict import Goal
from engine.poker.match_key import MatchKey
from engine.support.interruption import held_back
from engine.support.intervals import Z95
from protocol import variables
from protocol.records import format_key
from server.match.in_process.table import WorkersTable
from server.match.in_process.workers import Workforce, Workplace, order_for
from server.match.launching.announcement import Announcer
from server.match.launching.environment import players_environment
from server.match.launching.interruptions import await_end_of_stdin, await_signal
from server.match.launching.launcher import Patience
from server.match.launching.limits import ProcessLimits
from server.match.launching.orphanage import Orphanage
from server.match.launching.players import Player
from server.match.launching.sandbox import Sandbox
from server.match.sharing.shared_pass import SharedPass
from server.match.sharing.staffed_table import House, PassOrder
from server.match.sittings.sitting import Sitting
from server.records.evidence import Luck
from server.records.policies import POLICY_FILE
from server.records.progress import Tally
from server.records.results import Pass, PlayerResult, player_results
from server.support.console import Console, FileConsole
from server.support.private_files import FOLDER_MODE, PrivateFiles
from server.support.record_file import RecordFile
from server.table.book import CommonDecision
from server.table.config import MatchConfig
from server.table.outcome import EarlierSittings, MatchOutcome
from server.table.replay import has_key

_NOTE_EVERY_S: Final = 1.0
# How much of the decision times is lost if we are killed.


@attrs.frozen
class MatchPlan:
    """A match to be played."""

    config: MatchConfig
    """The match of pass 0; the other passes differ in the order of the players and in their files."""
    players: tuple[Player, ...]
    """In the order given, which is pass 0's seat order."""
    folder: Path
    """The match folder, which exists."""
    duplicate: bool = False
    jobs: int = 1
    """Passes played in parallel; if there are more jobs, tables or processes that share each pass's hands."""
    until: Goal | None = None
    """Stop once this is known; None to play all hands."""
    learners: frozenset[int] = frozenset()
    """Players that learn while they play, by their places in the order given."""
    start_s: float = 600.0
    """For a launched player to join."""
    recover: int = 0
    """How often a launched player that crashes during play is restarted."""
    in_sandboxes: bool = False
    """Players are launched in sandboxes."""
    ends_with_stdin: bool = False
    """The match ends when standard input is closed."""
    sitting: Sitting | None = None
    """The sitting in which it is played; None for a match that is never resumed."""
    in_process: bool = False
    """Installed bots play in processes of the house, without sockets."""
    rehearses: bool = True
    """Players who may have learned from the hands of earlier sittings are shown them again."""
    luck: Luck = Luck.EQUITY
    """How far luck is taken out of the result."""
    trusts_programs: bool = False
    """Programs that are not installed bots carry nothing from hand to hand."""
    process_limits: ProcessLimits | None = None
    """Limits for each process of a launched player."""
    files: PrivateFiles = attrs.field(init=False, repr=False, eq=False)
    """Creates all of the match's files; those of a duplicate match are out of reach until its last hand."""

    @files.default
    def _make_files(self) -> PrivateFiles:
        return PrivateFiles(
            hidden=self.duplicate and not self.is_safe_on_disk,
            on_hidden=None if self.sitting is None else self.sitting.hold,
        )

    @property
    def is_safe_on_disk(self) -> bool:
        """Whether no player can read the match folder."""
        return self.in_sandboxes and all(player.command is not None for player in self.players)

    @property
    def is_resumed(self) -> bool:
        """Whether the match has been played before."""
        return self.sitting is not None and self.sitting.is_resumed

    @property
    def _asks_for_policies(self) -> bool:
        """Whether players are asked how they play: only AIVAT needs it."""
        return self.luck is Luck.AIVAT and why_not(self.config.game) is None

    def critical_value(self, deals: int) -> float:
        """The half width in standard errors of an interval that is not a verdict's."""
        return Z95 if self.until is None else asymptotic_critical_value(deals)

    @property
    def num_passes(self) -> int:
        """How often each deal is played."""
        return len(self.players) if self.duplicate else 1

    @property
    def jobs_of_a_pass(self) -> int:
        """Among how many tables or processes the hands of a pass may be divided."""
        return self.jobs // min(self.jobs, self.num_passes)

    def seating(self, number: int) -> tuple[int, ...]:
        """By seat, the player who sits there in a pass."""
        n = len(self.players)
        return tuple((seat - number) % n for seat in range(n))

    def pass_folder(self, number: int) -> Path:
        """Where a pass keeps its files."""
        return self.folder / f"pass-{number}" if self.duplicate else self.folder

    def pass_config(self, number: int) -> MatchConfig:
        """The configuration of a pass."""
        return attrs.evolve(
            self.config,
            names=tuple(self.players[player].name for player in self.seating(number)),
            reveals_key=not self.duplicate,
            is_resumable=self.sitting is not None,
            resumes=self.is_resumed,
            append=self.is_resumed,
            rehearses=frozenset(
                seat for seat, player in enumerate(self.seating(number)) if self.players[player].command
            )
            if self.rehearses
            else frozenset(),
            keeps_hands=self.duplicate,
            log_path=self.pass_folder(number) / "match.log",
            policy_path=self.pass_folder(number) / POLICY_FILE if self._asks_for_policies else None,
            opener=self.files.open,
        )

    def player_seeds(self, player: int) -> list[int]:
        """A player's own seed in each pass."""
        seatings = map(self.seating, range(self.num_passes))
        return [self.config.cards.player_seeds(seating)[seating.index(player)] for seating in seatings]

    def new_tally(self) -> Tally:
        """A tally of no hands yet."""
        seatings = [self.seating(number) for number in range(self.num_passes)]
        names = [player.name for player in self.players]
        return Tally(self.config.game, names, seatings, self.config.hands, self.until, self.learners)

    def results(self, passes: Sequence[Pass], tally: Tally) -> tuple[PlayerResult, ...]:
        """The players' results, with intervals that hold even if a match might have ended at any hand, or
        if somebody learns.
        """
        results = player_results(passes, self.config.names, self.config.game)
        if self.until is None and not self.learners:
            return results
        return tuple(
            attrs.evolve(result, ci95=tally.half_width(player, result.mbb_per_hand))
            for player, result in enumerate(results)
        )


class Interrupted(Exception):
    """A signal, or the program that launched us, ends the match; `status` is the exit status that says so.

    `passes` are its results so far.
    """

    def __init__(self, status: int, passes: Sequence[Pass]) -> None:
        super().__init__(status)
        self.status = status
        self.passes = passes


class LaunchedMatch:
    """Plays the passes of a plan.

    Args:
        plan: what to play.
        tally: is told about every finished hand.
        say: takes lines for people.
        announcer: is told where the seats are, for programs.
        noted: signals that came before we listened for them.
    """

    def __init__(
        self,
        plan: MatchPlan,
        tally: Tally,
        say: Callable[[str], None],
        announcer: Announcer,
        noted: Sequence[int] = (),
    ) -> None:
        self._noted = noted
        self._plan = plan
        self._say = say
        self._announcer = announcer
        self._passes: dict[int, Pass] = {}
        """Those that have ended."""
        self._tables: dict[int, SharedPass | WorkersTable] = {}
        """By pass, those at which it is or was played."""
        self._playing = trio.CapacityLimiter(plan.jobs)
        """Holds the passes that play, by number; one that pauses makes room for another."""
        self.tally = tally
        self._decision = CommonDecision(plan.num_passes, self.tally.is_settled)
        self._orphanage = Orphanage.open(None if plan.sitting is None else plan.sitting.watch)
        self._passes_open = 0
        self._called_off = trio.CancelScope()
        """Around all passes: cancelled when a player never came."""
        self.unwritten: list[str] = []
        """Lines that say which files could not be completed."""

    async def play(self) -> list[Pass]:
        """Play every pass.  On every way out no process is left and the files are complete.

        Raises:
            Interrupted: by a signal.
            MatchAborted: a file or port cannot be opened.
        """
        try:
            passes = await self._play_passes()
        finally:
            with held_back():
                self._note_progress()
                self.unwritten += self._plan.files.publish()
        try:
            if not any(each.outcome.can_go_on for each in passes):
                self._reveal_key()
        except OSError as error:
            self.unwritten.append(f"the key cannot be written into the logs: {error.strerror or error}")
        return passes

    def _reveal_key(self) -> None:
        """Write the cards' key into the logs of all passes, now that no more hands will come."""
        plan = self._plan
        if isinstance(plan.config.cards, MatchKey) and plan.duplicate:
            for number in range(plan.num_passes):
                path = plan.pass_config(number).log_path
                if path is not None and path.exists() and not has_key(path):
                    with RecordFile(path, append=True) as log:
                        log.write(format_key(plan.config.cards.text))

    async def _play_passes(self) -> list[Pass]:
        plan = self._plan
        interruptions: list[int] = []
        async with trio.open_nursery() as nursery:
            # Signals are listened for until all players have ended: the second one must not cut that short.
            interrupted = trio.CancelScope()
            await nursery.start(await_signal, interruptions, interrupted, self._noted)
            nursery.start_soon(self._keep_noting_progress)
            nursery.start_soon(self._orphanage.keep_reaping)
            if plan.ends_with_stdin:
                nursery.start_soon(await_end_of_stdin, interruptions, interrupted)
            with interrupted, self._called_off:
                async with trio.open_nursery() as passes:
                    for number in range(plan.num_passes):
                        await self._playing.acquire_on_behalf_of(number)
                        passes.start_soon(self._play_pass, number)
            nursery.cancel_scope.cancel()
        passes_played = [
            self._passes.get(number) or self._not_played(number, can_go_on=bool(interruptions))
            for number in range(plan.num_passes)
        ]
        if interruptions:
            raise Interrupted(interruptions[0], passes_played)
        return passes_played

    async def _keep_noting_progress(self) -> None:
        while True:
            await trio.sleep(_NOTE_EVERY_S)
            self._note_progress()

    def _note_progress(self) -> None:
        """Store what the logs do not tell, for later sittings."""
        sitting = self._plan.sitting
        if sitting is not None and self._tables:
            sitting.note_progress({number: table.outcome() for number, table in self._tables.items()})

    def _not_played(self, number: int, *, can_go_on: bool) -> Pass:
        """A pass that was not played, because of another pass or an interruption."""
        outcome = MatchOutcome.not_played(self._plan.pass_config(number).names, {})
        return Pass(attrs.evolve(outcome, can_go_on=can_go_on), self._plan.seating(number))

    async def _play_pass(self, number: int) -> None:
        plan = self._plan
        folder = plan.pass_folder(number)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        earlier = None
        if plan.is_resumed and plan.sitting is not None:
            earlier = plan.sitting.earlier.get(number)
        console = FileConsole(folder / "dealer.err", plan.files.open)
        follower = _Follower(self, number)
        self._passes_open += 1
        try:
            if plan.in_process:
                await self._play_in_workers(number, console, follower, earlier)
            else:
                await self._play_over_sockets(number, console, follower, earlier)
        finally:
            self._passes_open -= 1
            if not self._passes_open:  # with several, nobody could tell to which an orphan belongs
                self._orphanage.empty()
            console.close()
            self._playing.release_on_behalf_of(number)
        self._decision.end()

    async def _play_in_workers(
        self, number: int, console: Console, follower: _Follower, earlier: EarlierSittings | None
    ) -> None:
        """Play a pass in processes of its own, without sockets."""
        plan = self._plan
        seating = plan.seating(number)
        seated = [plan.players[player] for player in seating]
        folder = plan.pass_folder(number) / "players"
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        environment = players_environment((sys.executable,), os.environ) | self._variables(number)
        place = Workplace(folder / "in-process.err", plan.files, self._orphanage, environment)
        config = plan.pass_config(number)
        workers = Workforce(order_for(config, seated, seating), place, plan.jobs_of_a_pass)
        self._tables[number] = table = WorkersTable(config, console, workers, follower, earlier)
        try:
            await table.run()
            if workers.stateful and plan.jobs > plan.num_passes:
                names = " and ".join(workers.stateful)
                self._say(
                    f"{names} may carry something from hand to hand: the hands of a pass are not shared out"
                )
        finally:
            await workers.end()
            self._passes[number] = Pass(table.outcome(), seating)

    def _variables(self, number: int) -> dict[str, str]:
        """Of the environment of a pass's players.

        A bot that learnt from one pass would know the cards of the next: it must not keep what it learns.
        """
        return {variables.DUPLICATE: str(number)} if self._plan.duplicate else {}

    async def _play_over_sockets(
        self, number: int, console: Console, follower: _Follower, earlier: EarlierSittings | None
    ) -> None:
        """Play a pass at a table of the house."""
        plan = self._plan
        config = plan.pass_config(number)
        seating = plan.seating(number)
        order = PassOrder(
            number,
            config,
            tuple(plan.players[player] for player in seating),
            config.cards.player_seeds(seating),
            self._variables(number),
            plan.pass_folder(number) / "players",
        )
        house = House(
            self._say,
            self._announcer,
            self._orphanage,
            plan.files,
            Patience(plan.start_s, plan.recover, plan.process_limits),
            Sandbox(plan.folder) if plan.in_sandboxes else None,
        )
        tables = plan.jobs_of_a_pass
        if tables > 1 and plan.learners:
            names = " and ".join(plan.players[player].name for player in sorted(plan.learners))
            self._say(f"{names} may learn as the match goes on: the hands of a pass are not shared out")
            tables = 1
        shared = SharedPass(
            house, order, console, follower, earlier, tables, trusts_programs=plan.trusts_programs
        )
        self._tables[number] = shared
        try:
            shared.open()
            await shared.run()
            if shared.was_in_vain:
                self._called_off.cancel()  # it will not come to the other passes either
        finally:
            self._passes[number] = Pass(shared.outcome(), seating, shared.crashes(), shared.replaced())

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
        return self.match.tally.hand_finished(self.number, chips_by_seat)

    async def continues(self) -> bool:
        return await self.match.continues(self.number)
