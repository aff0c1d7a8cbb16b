"""A sit-and-go without sockets: installed bots, in long-lived processes, one hand after another.

To its players every hand is a match of one hand, since stacks, blinds and the number of players change; they
find these in its game.  A bot that fails is out, with its chips.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import trio

from engine.poker.match_key import MatchKey, MatchSeed
from engine.poker.rules import format_game
from engine.support.files.shards import ShardOrder, Share
from engine.support.seeds import derive_seed
from server.league.match import Match, match_cards
from server.league.plan import TournamentPlan
from server.league.running.in_process import Staff
from server.league.running.processes import CannotPlay
from server.league.sit_and_go.log import LOG, begin, end, format_head, format_out, hand_cards, take_line
from server.match.in_process.workers import Worker
from server.support.errors import Failure, FailureKind, MatchAborted
from server.support.private_files import PrivateFiles
from server.support.record_file import RecordFile

__all__ = ["SitAndGoRunner"]

_NUMBER: Final = "STATE:0:"
"""How the line of a hand begins that is a match of its own."""


class SitAndGoRunner:
    """Plays sit-and-gos.

    Args:
        plan: of the tournament.
        root: the seed or key from which all cards follow.
        folder: of the tournament.

    *Resource handling*: `close` on every way out.
    """

    def __init__(self, plan: TournamentPlan, root: MatchSeed | MatchKey, folder: Path) -> None:
        self._plan = plan
        self._root = root
        self._staff = Staff(folder)
        self._files = PrivateFiles()

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        table = begin(folder, match, self._plan)
        cards = match_cards(self._root, match, common=self._plan.common_seeds)
        began = trio.current_time()
        with RecordFile(folder / LOG, append=True, opener=self._files.open) as log:
            if log.is_empty:
                log.write(format_head(table))
            worker: Worker | None = None
            try:
                while not table.is_over:
                    order = self._order(table.seating(), format_game(table.game()), cards, table.hands, match)
                    worker = worker or await self._staff.hire(order, duplicate=False)
                    try:
                        line, is_free = await _play_hand(worker, order, table.hands)
                    except MatchAborted as error:
                        raise CannotPlay(error.lines.strip().removeprefix("ERROR: ")) from None
                    log.write(line)
                    take_line(line, table)
                    if not is_free:
                        await worker.end()
                        worker = None
            finally:
                if worker is not None:
                    await self._staff.keep(worker, duplicate=False, is_free=table.is_over)
        end(folder, trio.current_time() - began, {})

    def _order(
        self, names: tuple[str, ...], game: str, cards: MatchSeed | MatchKey, number: int, match: Match
    ) -> ShardOrder:
        seeds = cards.player_seeds(range(len(match.players)))
        players = [self._plan.entrant(name).player for name in names]
        of_hand = hand_cards(cards, number)
        return ShardOrder(
            definition=game,
            bots=tuple([(player.bot, player.settings) for player in players]),
            names=names,
            seeds=tuple([derive_seed(seeds[match.players.index(name)], number) for name in names]),
            cards=of_hand.text if isinstance(of_hand, MatchKey) else str(of_hand.number),
            fixed_seats=True,
        )

    async def close(self) -> None:
        """End the processes."""
        await self._staff.close()


async def _play_hand(worker: Worker, order: ShardOrder, number: int) -> tuple[str, bool]:
    """Play a hand: its line of the log, and whether the worker can play another."""
    readiness = await worker.engage(order)
    failure = readiness.failure
    if failure is None:
        await worker.play(Share(0, 1, 1))
        frame = await worker.frame()
        failure = frame.failure
        if failure is None:
            (line,) = frame.lines
            return f"STATE:{number}:{line.removeprefix(_NUMBER)}", True
    crash = Failure(FailureKind.CRASHED, failure.detail, number)
    return format_out(order.names[failure.seat], crash), False
