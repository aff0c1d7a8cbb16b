"""Tournaments that tests play in their own process: fast, and killed at any byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import trio

import server.league.running.in_process as in_process
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import make_agent, parse_settings
from clients.core.registry import load_bot
from engine.poker.match_key import parse_match_seed
from engine.poker.rules import HandState, parse_game
from engine.support.files import write_whole
from server.commands.league.tournament import runner_of, tell
from server.league.house import Folder, play
from server.league.plan import TournamentPlan
from server.league.plan_file import parse_plan
from server.league.standings import standings
from server.match.in_process import Worker
from server.match.shards import Readiness, ShardOrder, Share
from server.support.record_file import RecordFile
from server.table.book import FinishedHand

HEAD: Final = """
[tournament]
name = "cup"
format = "round-robin"
seed = 7
in_process = true
[game]
game = "leduc"
hands = 12
matches = 2
"""


def plan_text(*players: str, head: str = HEAD) -> str:
    """A tournament's file."""
    return head + "".join(
        f'[[players]]\nname = "p{k}"\nplayer = "{each}"\n' for k, each in enumerate(players)
    )


def plan_of(text: str) -> TournamentPlan:
    return parse_plan(text, Path("cup.toml"))


class ArenaWorker:
    """A worker without a process: `server.match.in_process.Worker` for a table in this one."""

    def __init__(self) -> None:
        self._hands: Iterator[FinishedHand] = iter(())

    async def engage(self, order: ShardOrder) -> Readiness:
        await trio.lowlevel.checkpoint()
        self._order = order
        game = parse_game(order.definition)
        agents: list[Agent] = []
        for (name, settings), seed in zip(order.bots, order.seeds, strict=True):
            agents.append(make_agent(name, load_bot(name), parse_settings(settings)))
            agents[-1].seed = seed
        dealer = parse_match_seed(order.cards).dealer(game)
        self._arena = Arena(game, agents, 0, names=order.names, seed_agents=False, dealer=dealer)
        return Readiness(tuple(agent.is_stateless for agent in agents))

    async def play(self, share: Share) -> None:
        await trio.lowlevel.checkpoint()
        self._hands = self._played(share)

    def _played(self, share: Share) -> Iterator[FinishedHand]:
        n = len(self._order.names)
        number = 0
        for chunk in share.chunks():
            lines: list[str] = []
            chips: list[tuple[float, ...]] = []
            self._arena.skip(chunk.start - number)
            number = chunk.start

            def count(state: HandState, won: tuple[float, ...]) -> None:
                shift = state.hand_number % n
                chips.append(won[n - shift :] + won[: n - shift])  # noqa: B023 - called before the next chunk

            self._arena.play(len(chunk), record=lines.append, on_hand=count)
            number = chunk.stop
            for line, each in zip(lines, chips, strict=True):
                yield FinishedHand(line, each)

    async def hand(self) -> FinishedHand:
        await trio.lowlevel.checkpoint()
        return next(self._hands)

    async def end(self) -> None:
        await trio.lowlevel.checkpoint()


def use_arena_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on matches in-process are played in this process."""

    async def start(place: object) -> ArenaWorker:
        await trio.lowlevel.checkpoint()
        return ArenaWorker()

    monkeypatch.setattr(Worker, "start", start)


@pytest.fixture
def arena_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches in-process are played in this process."""
    use_arena_workers(monkeypatch)


class Killed(BaseException):
    """As by SIGKILL: nothing is written any more."""


class Kill:
    """Lets a number of bytes be written, and then none: the last write stops in its middle."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, after: float = float("inf")) -> None:
        self.written = 0
        self._after = after
        self._write = RecordFile.write
        self._write_whole = write_whole
        monkeypatch.setattr(RecordFile, "write", lambda file, text: self._record(file, text))
        monkeypatch.setattr(in_process, "write_whole", self._whole)

    def _room(self, size: int) -> int:
        room = max(0, min(size, int(min(self._after - self.written, 1e12))))
        self.written += size
        return room

    def _record(self, file: RecordFile, text: str) -> None:
        room = self._room(len(text))
        self._write(file, text[:room])
        if room < len(text):
            raise Killed

    def _whole(self, path: Path, data: str, **options: Any) -> None:
        if self._room(len(data)) < len(data):
            raise Killed
        self._write_whole(path, data, **options)


def played(
    path: Path, text: str, said: list[str] | None = None, workers: int = 1, *, pages: bool = False
) -> dict[str, Any]:
    """Play a tournament to its end, from wherever it was; returns what it came to, less times."""
    lines: list[str] = [] if said is None else said
    folder = Folder.open(path, plan_of(text), text, lines.append, resume=True)
    try:
        runner = runner_of(folder)

        async def main() -> None:
            try:
                await play(folder, runner, workers)
            finally:
                await runner.close()

        trio.run(main)
        content = (tell if pages else standings)(folder, is_complete=True)
    finally:
        folder.close()
    return {key: value for key, value in content.items() if key != "seconds"}


def played_until_killed(path: Path, text: str, after: int) -> None:
    """Play a tournament until so many bytes have been written, or to its end."""
    with pytest.MonkeyPatch.context() as patch:
        Kill(patch, after)
        try:
            played(path, text)
        except BaseException as error:
            if not _was_killed(error):
                raise


def _was_killed(error: BaseException) -> bool:
    """Whether an exception, perhaps one of a group, is `Killed`."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_was_killed, error.exceptions))
    return isinstance(error, Killed)
