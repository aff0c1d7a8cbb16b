"""Plays sit-and-gos: over sockets with players launched for them, or in long-lived processes.

To an installed bot without sockets every hand is a match of one hand, since stacks, blinds and the number of
players change; it finds these in its game.  If it fails there, it is out, with its chips.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import attrs
import trio

from engine.poker.match_key import MatchKey, MatchSeed
from engine.poker.rules import format_game
from engine.support.seeds import derive_seed
from server.league.match import match_cards
from server.league.plan import Match, Rule, TournamentPlan
from server.league.running.in_process import StaffedRunner
from server.league.running.processes import CannotPlay, LocalRunner, sandbox_of
from server.league.sit_and_go import log as logs
from server.league.sit_and_go.table import SitAndGoHands
from server.match.in_process import BotFailed, Worker
from server.match.launching.confinement import parse_limits
from server.match.launching.launcher import Terms
from server.match.launching.processes import Orphanage
from server.match.plan import PassOrder
from server.match.shards import ShardOrder, Share
from server.match.sharing.staffed_table import Announcer, House, StaffedTable
from server.records.logs import LOG_FILE
from server.records.match_defaults import time_limits
from server.support.console import FileConsole
from server.support.errors import Failure, FailureKind, MatchAborted, in_words
from server.support.private_files import open_private
from server.support.record_file import RecordFile
from server.support.talk import beside
from server.table.config import MatchConfig, OnFailure
from server.table.match import MatchServer
from server.table.rules.sit_and_go import MOST_HANDS, SitAndGoTable

_NUMBER: Final = "STATE:0:"
"""How the line of a hand begins that is a match of its own."""
_REAP_S: Final = 5.0
# Between two looks for orphans.


class SitAndGoRunner(StaffedRunner):
    """Plays sit-and-gos in long-lived processes."""

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        table = logs.begin(folder, match, self._plan)
        cards = match_cards(self._root, match, common=self._plan.common_seeds)
        began = trio.current_time()
        with RecordFile(folder / LOG_FILE, append=True, opener=open_private) as log:
            log.write(logs.format_begin(table, cards, is_new=log.is_empty))
            worker: Worker | None = None
            try:
                while not table.is_over:
                    order = self._order(table.seating(), format_game(table.game()), cards, table.hands, match)
                    worker = worker or await self._staff.hire(duplicate=False)
                    try:
                        line, is_free = await _play_hand(worker, order, table.hands)
                    except MatchAborted as error:
                        raise CannotPlay(in_words(error.lines)) from None
                    log.write(logs.format_before(line, cards, table.hands, table.game()) + line)
                    logs.take_line(line, table)
                    if not is_free:
                        await worker.end()
                        worker = None
            finally:
                if worker is not None:
                    await self._staff.keep(worker, duplicate=False, is_free=table.is_over)
        logs.end(folder, trio.current_time() - began, {}, {})

    def _order(
        self, names: tuple[str, ...], game: str, cards: MatchSeed | MatchKey, number: int, match: Match
    ) -> ShardOrder:
        seeds = cards.player_seeds(range(len(match.players)))
        players = [self._plan.entrant(name).player for name in names]
        of_hand = logs.hand_cards(cards, number)
        return ShardOrder(
            definition=game,
            bots=tuple([(player.bot, player.settings) for player in players]),
            names=names,
            seeds=tuple([derive_seed(seeds[match.players.index(name)], number) for name in names]),
            cards=of_hand.text,
            fixed_seats=True,
        )


async def _play_hand(worker: Worker, order: ShardOrder, number: int) -> tuple[str, bool]:
    """Play a hand: its line of the log, and whether the worker can play another."""
    failure = (await worker.engage(order)).failure
    if failure is None:
        await worker.play(Share(0, 1, 1))
        try:
            hand = await worker.hand()
        except BotFailed as error:
            failure = error.failure
        else:
            return f"STATE:{number}:{hand.line.removeprefix(_NUMBER)}", True
    crash = Failure(FailureKind.CRASHED, failure.detail, number)
    return logs.format_out(order.names[failure.seat], crash), False


class SeatedRunner(LocalRunner):
    """Plays sit-and-gos with players of every kind.

    Args:
        plan: of the tournament.
        root: the seed or key from which all cards follow; None if every match draws keys of its own.
        folder: of the tournament, which players in sandboxes cannot see.

    *Resource handling*: `close` on every way out.
    """

    def __init__(self, plan: TournamentPlan, root: MatchSeed | MatchKey | None, folder: Path) -> None:
        self._plan = plan
        self._root = root
        self._folder = folder
        self._orphanage = Orphanage()
        self._tables = 0

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        table = logs.begin(folder, match, self._plan)
        console = FileConsole(folder / "dealer.err")
        self._tables += 1
        try:
            async with beside(self._keep_reaping):
                await self._play(table, match, folder, console)
        except MatchAborted as error:
            raise CannotPlay(f"{match.label}: {in_words(error.lines)}") from None
        finally:
            self._tables -= 1
            if not self._tables:  # with several, nobody could tell to which an orphan belongs
                self._orphanage.empty()
            console.close()

    async def _play(self, table: SitAndGoTable, match: Match, folder: Path, console: FileConsole) -> None:
        """Continue from where the log ends."""
        plan = self._plan
        players = [plan.entrant(name).player for name in table.left]
        cards = match_cards(self._root, match, common=plan.common_seeds)
        seeds = dict(zip(match.players, cards.player_seeds(range(len(match.players))), strict=True))
        made: list[SitAndGoHands] = []

        def make(config: MatchConfig) -> MatchServer:
            leaving = plan.failures.rule in (Rule.ACPC, Rule.DISQUALIFY)
            made.append(SitAndGoHands(config, console, table, failing_is_leaving=leaving))
            return made[0].server

        order = PassOrder(
            number=0,
            players=tuple(range(len(players))),
            config=table_config(plan, match, table, cards, folder / LOG_FILE),
            seated=tuple(players),
            seeds=tuple([seeds[name] for name in table.left]),
            output=folder / "players",
        )
        staffed = StaffedTable(self._house(console), order, make)
        staffed.open()
        await staffed.run()
        outcome = staffed.server.outcome()
        if outcome.error is not None:
            raise MatchAborted(outcome.error)
        times = {seat.name: seat.decision_times.in_short() for seat in outcome.seats}
        lines = made[0].crash_lines(staffed.launcher.crashes())
        if lines:
            with RecordFile(folder / LOG_FILE, append=True, opener=open_private) as log:
                log.write(lines)
        changes = {
            seat.name: {"answers": len(seat.decision_times), **seat.changes}
            for seat in outcome.seats
            if seat.changes
        }
        logs.end(folder, outcome.seconds, times, changes)

    def _house(self, console: FileConsole) -> House:
        plan = self._plan
        limits, failures = plan.limits, plan.failures
        recover = failures.restarts if failures.rule in (Rule.RESTART, Rule.PATIENT) else 0
        process_limits = None if limits.process is None else parse_limits(limits.process)
        sandbox = sandbox_of(plan, self._folder) if limits.sandbox else None
        terms = Terms(limits.start_time, recover, process_limits, sandbox, plan.grants)
        return House(lambda line: console.err(f"{line}\n"), Announcer(None), self._orphanage, terms)

    async def _keep_reaping(self) -> None:
        while True:
            await trio.sleep(_REAP_S)
            self._orphanage.reap()


def table_config(
    plan: TournamentPlan, match: Match, table: SitAndGoTable, cards: MatchSeed | MatchKey, log: Path
) -> MatchConfig:
    """The match configuration of a sit-and-go, for the players who are still in."""
    return MatchConfig(
        name="match",
        game=table.game(),
        game_text=plan.events[match.event].name,
        hands=MOST_HANDS,
        cards=cards,
        names=table.left,
        limits=time_limits(attrs.asdict(plan.limits)),
        on_failure=OnFailure.FAIR,
        log_path=log,
        append=True,
        carries_chips=True,
        opener=open_private,
        quiet=True,
    )
