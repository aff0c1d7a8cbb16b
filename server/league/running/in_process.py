"""Matches between installed bots without sockets, one after another in long-lived processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import trio

from engine.poker.match_key import MatchKey, MatchSeed
from engine.support.files import write_whole
from protocol import variables
from server.league.match import match_cards
from server.league.plan import Match, TournamentPlan
from server.league.running.processes import CannotPlay, LocalRunner, clear
from server.match.in_process import Worker, WorkersTable, Workforce, Workplace, shard_order
from server.match.launching.processes import Orphanage
from server.match.plan import MatchPlan
from server.records.logs import LOG_FILE, RESULT_FILE
from server.records.results import Pass, player_results
from server.support.console import Console
from server.support.errors import in_words
from server.support.private_files import FILE_MODE, FOLDER_MODE
from server.table.book import CommonDecision, Following, Onlooker
from server.table.config import MatchConfig, OnFailure


class Staff:
    """Processes that play one match after another.

    Args:
        folder: of the tournament; takes what the bots write.

    *Resource handling*: `close` on every way out.
    """

    def __init__(self, folder: Path) -> None:
        self._idle: dict[bool, list[Worker]] = {False: [], True: []}
        # By whether they play duplicate matches, from which bots keep nothing.
        self.place = Workplace(folder / "in-process.err", Orphanage())

    async def hire(self, *, duplicate: bool) -> Worker:
        """An idle worker, perhaps a new one."""
        idle = self._idle[duplicate]
        if idle:
            return idle.pop()
        extra = {variables.DUPLICATE: "0"} if duplicate else {}
        return await Worker.start(attrs.evolve(self.place, variables=extra))

    async def keep(self, worker: Worker, *, duplicate: bool, is_free: bool) -> None:
        """Return a worker; one that may still be busy is ended."""
        if is_free:
            self._idle[duplicate].append(worker)
        else:
            await worker.end()

    async def close(self) -> None:
        """End the processes."""
        for worker in [*self._idle[False], *self._idle[True]]:
            await worker.end()


class StaffedRunner(LocalRunner):
    """What those have in common that play in long-lived processes.

    Args:
        plan: of the tournament.
        root: the seed or key from which all cards follow; None if every match draws keys of its own.
        folder: of the tournament; takes what the bots write.

    *Resource handling*: `close` on every way out.
    """

    def __init__(self, plan: TournamentPlan, root: MatchSeed | MatchKey | None, folder: Path) -> None:
        self._plan = plan
        self._root = root
        self._staff = Staff(folder)

    async def close(self) -> None:
        """End the processes."""
        await self._staff.close()


class InProcessRunner(StaffedRunner):
    """Plays matches in long-lived processes."""

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        if self._root is None:
            clear(folder)  # nobody knows from which keys it was dealt
        of_match = self._of_match(match, folder)
        tally = of_match.new_tally()
        decision = CommonDecision(of_match.num_passes, tally.is_settled)
        passes: dict[int, Pass] = {}

        async def continues() -> bool:
            return await decision.continues() if of_match.num_passes > 1 else not tally.is_settled()

        async def play_one(number: int) -> None:
            def hand_finished(chips_by_seat: Sequence[float]) -> bool:
                if of_match.withheld is not None:
                    of_match.withheld.hand_finished(number)
                return tally.hand_finished(number, chips_by_seat)

            follower = Following(hand_finished, continues)
            passes[number] = await self._play_pass(of_match, number, follower)
            if of_match.withheld is not None:
                of_match.withheld.has_ended(number)
            decision.end()

        faults: list[str] = []
        try:
            async with trio.open_nursery() as nursery:
                for number in range(of_match.num_passes):
                    if of_match.until is None:
                        await play_one(number)
                    else:
                        nursery.start_soon(play_one, number)
        finally:
            if of_match.withheld is not None:
                faults = of_match.withheld.release_all()
        if faults:
            raise CannotPlay(faults[0])
        _write_result(of_match, [passes[number] for number in range(of_match.num_passes)])

    def _of_match(self, match: Match, folder: Path) -> MatchPlan:
        """The plan of a match in a folder, which is created."""
        plan, event = self._plan, self._plan.events[match.event]
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        config = MatchConfig(
            name="match",
            game=event.game,
            game_text=event.name,
            hands=event.hands,
            cards=match_cards(self._root, match, common=plan.common_seeds),
            names=match.players,
            on_failure=OnFailure.FAIR,
            comment_failures=True,
            quiet=True,
        )
        players = tuple([plan.entrant(name).player for name in match.players])
        return MatchPlan(
            config=config,
            players=players,
            folder=folder,
            duplicate=event.duplicate,
            until=event.until,
            luck=plan.luck,
            in_process=True,
        )

    async def _play_pass(self, plan: MatchPlan, number: int, onlooker: Onlooker) -> Pass:
        folder = plan.pass_folder(number)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        log = folder / LOG_FILE
        of_pass = plan.order(number)
        config = attrs.evolve(of_pass.config, is_resumable=True, resumes=log.exists(), append=True)
        order = shard_order(attrs.evolve(of_pass, config=config))
        worker = await self._staff.hire(duplicate=plan.duplicate)

        async def hire() -> Worker:
            return worker

        is_free = False
        try:
            outcome = await WorkersTable(config, Console(), Workforce(order, hire), onlooker).run()
            if outcome.error is not None and not any(seat.failures for seat in outcome.seats):
                raise CannotPlay(in_words(outcome.error))
            is_free = outcome.hands == config.hands and not config.resumes
        finally:
            await self._staff.keep(worker, duplicate=plan.duplicate, is_free=is_free)
        return Pass(outcome, of_pass.players)


def _write_result(plan: MatchPlan, passes: Sequence[Pass]) -> None:
    """``result.json`` of a match that is over."""
    config = plan.config
    seconds = sum(each.outcome.seconds for each in passes)
    hands = sum(each.outcome.hands for each in passes)
    result: dict[str, Any] = {
        "game": config.game_text,
        "hands": hands,
        "deals": min(each.outcome.hands for each in passes),
        "duplicate": plan.duplicate,
        "players": [each.as_json(config.game) for each in player_results(passes, config.names, config.game)],
        "seconds": seconds,
        "hands_per_second": hands / seconds if seconds > 0 else None,
        "in_process": True,
    }
    write_whole(plan.folder / RESULT_FILE, json.dumps(result) + "\n", mode=FILE_MODE)
