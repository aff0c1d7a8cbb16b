"""Plays a sit-and-go over sockets: its players are launched like those of a match."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import attrs
import trio

from engine.poker.match_key import MatchKey, MatchSeed
from server.league.match import Match, match_cards
from server.league.plan import Rule, TournamentPlan
from server.league.running.processes import CannotPlay
from server.league.sit_and_go.log import LOG, begin, end
from server.league.sit_and_go.table import SitAndGoServer
from server.match.launching.announcement import Announcer
from server.match.launching.launcher import Patience
from server.match.launching.limits import parse_limits
from server.match.launching.orphanage import Orphanage
from server.match.launching.sandbox import Sandbox
from server.match.sharing.staffed_table import House, PassOrder, StaffedTable
from server.records.results import DecisionTimes
from server.support.console import FileConsole
from server.support.errors import MatchAborted
from server.support.private_files import PrivateFiles
from server.support.record_file import Opener, RecordFile
from server.table.config import MatchConfig, OnFailure, TimeLimits
from server.table.rules.sit_and_go import MOST_HANDS, SitAndGoTable

__all__ = ["SeatedRunner", "table_config"]

_REAP_S: Final = 5.0


class SeatedRunner:
    """Plays sit-and-gos with players of every kind.

    Args:
        plan: of the tournament.
        root: the seed or key from which all cards follow.
        folder: of the tournament, which players in sandboxes cannot see.

    *Resource handling*: `close` on every way out.
    """

    def __init__(self, plan: TournamentPlan, root: MatchSeed | MatchKey, folder: Path) -> None:
        self._plan = plan
        self._root = root
        self._folder = folder
        self._files = PrivateFiles()
        self._orphanage = Orphanage.open()
        self._tables = 0

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        table = begin(folder, match, self._plan)
        console = FileConsole(folder / "dealer.err", self._files.open)
        self._tables += 1
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_reaping)
                await self._play(table, match, folder, console)
                nursery.cancel_scope.cancel()
        except MatchAborted as error:
            raise CannotPlay(f"{match.label}: {_words(error.lines)}") from None
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
        servers: list[SitAndGoServer] = []

        def make(config: MatchConfig) -> SitAndGoServer:
            leaving = plan.failures.rule in (Rule.FORFEIT, Rule.DISQUALIFY)
            servers.append(SitAndGoServer(config, console, table, failing_is_leaving=leaving))
            return servers[0]

        order = PassOrder(
            0,
            table_config(plan, match, table, cards, folder / LOG, self._files.open),
            tuple(players),
            tuple([seeds[name] for name in table.left]),
            {},
            folder / "players",
        )
        staffed = StaffedTable(self._house(console), order, make)
        server = servers[0]
        staffed.open()
        await staffed.run()
        outcome = server.outcome()
        if outcome.error is not None:
            raise MatchAborted(outcome.error)
        times: dict[str, Any] = {}
        for seat in outcome.seats:
            taken = DecisionTimes.of(seat.decision_times)
            times[seat.name] = None if taken is None else attrs.asdict(taken)
        lines = server.crash_lines(staffed.crashes())
        if lines:
            with RecordFile(folder / LOG, append=True, opener=self._files.open) as log:
                log.write(lines)
        end(folder, outcome.seconds, times)

    def _house(self, console: FileConsole) -> House:
        plan = self._plan
        limits, failures = plan.limits, plan.failures
        recover = failures.restarts if failures.rule is Rule.RESTART else 0
        process_limits = None if limits.process is None else parse_limits(limits.process)
        return House(
            lambda line: console.err(f"{line}\n"),
            Announcer(None),
            self._orphanage,
            self._files,
            Patience(limits.start_time, recover, process_limits),
            Sandbox(self._folder) if limits.sandbox else None,
        )

    async def _keep_reaping(self) -> None:
        while True:
            await trio.sleep(_REAP_S)
            self._orphanage.reap()

    async def close(self) -> None:
        """Do nothing: nothing is left running."""


def table_config(
    plan: TournamentPlan,
    match: Match,
    table: SitAndGoTable,
    cards: MatchSeed | MatchKey,
    log: Path,
    opener: Opener,
) -> MatchConfig:
    """The match configuration of a sit-and-go, for the players who are still in."""
    limits = plan.limits
    return MatchConfig(
        name="match",
        game=table.game(),
        game_text=plan.events[match.event].name,
        hands=MOST_HANDS,
        cards=cards,
        names=table.left,
        limits=TimeLimits(
            response=limits.response_time,
            first_response=limits.first_response_time,
            hand=limits.hand_time,
            per_hand=limits.match_time,
            grace=limits.grace,
        ),
        on_failure=OnFailure.FOLD,
        reveals_key=False,  # these cards are to be dealt in other matches
        log_path=log,
        append=True,
        carries_chips=True,
        opener=opener,
        quiet=True,
    )


def _words(lines: str) -> str:
    """The words of the lines that end a match."""
    return "; ".join(lines.strip().splitlines()).removeprefix("ERROR: ")
