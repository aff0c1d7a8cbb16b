"""Budgets: so many hands, or so much time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import pytest
import trio
from trio.testing import MockClock

from server.commands.league.tournament import runner_of
from server.league.formats.schedule import schedule
from server.league.house import Folder, play
from server.league.plan import Match
from server.league.report.words import Progress
from server.league.running.processes import Runner
from tests.server.league.houses import HEAD, plan_of, plan_text

TIMED: Final = (
    HEAD.replace("matches = 2\n", "").replace("hands = 12", "hands = 4") + "[budget]\nseconds = 5\n"
)
PLAYERS: Final = ("always-call", "random", "always-raise")


class Slow:
    """A runner whose matches take a second each."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def play(self, match: Match, folder: Path) -> None:
        await trio.sleep(1)
        await self._runner.play(match, folder)


def played(path: Path, workers: int, lines: list[str]) -> Folder:
    """Play until the time is up, by a clock that jumps."""
    text = plan_text(*PLAYERS, head=TIMED)
    folder = Folder.open(path, plan_of(text), text, print, resume=True)
    runner = runner_of(folder)

    async def look(progress: Progress) -> None:
        while True:
            await trio.sleep(1.5)
            lines.append(progress.line())

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(look, Progress(folder, trio.current_time))
            await play(folder, Slow(runner), workers)
            nursery.cancel_scope.cancel()
        await runner.close()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    return folder


@pytest.mark.usefixtures("arena_workers")
def test_no_match_is_begun_when_the_time_is_up(tmp_path: Path) -> None:
    workers = 3
    lines: list[str] = []

    folder = played(tmp_path, workers, lines)

    assert len(folder.played) == 5 * workers
    numbers = [match.number for match in folder.played]
    assert max(numbers) == math.ceil(5 * workers / 3)  # round by round
    assert lines[0] == "3 matches, 0:04 left"
    folder.close()


@pytest.mark.usefixtures("arena_workers")
def test_a_budget_of_time_is_for_all_sittings_together(tmp_path: Path) -> None:
    first = played(tmp_path, 1, [])
    first.close()
    again = played(tmp_path, 1, [])
    again.close()
    (tmp_path / "time.json").unlink()  # as if it had been killed: what its matches took is known all the same
    killed = played(tmp_path, 1, [])
    killed.close()

    assert len(first.played) == 5
    assert set(again.played) == set(first.played) < set(killed.played)


def test_as_many_again_are_known_as_have_been_played() -> None:
    plan = plan_of(plan_text(*PLAYERS, head=TIMED))
    larger = plan_of(plan_text(*PLAYERS, "always-fold", head=TIMED))

    first = schedule(plan, {})
    scores = {match: dict.fromkeys(match.players, 0.0) for match in first.matches}
    then = schedule(plan, scores)

    assert not first.is_all
    assert {match.number for match in first.matches} == {1, 2}
    assert {match.number for match in then.matches} == set(range(1, 7))
    assert set(then.matches) <= set(schedule(larger, scores).matches)  # what was played is found again


@pytest.mark.usefixtures("arena_workers")
def test_halving_spends_no_more_than_the_budget_and_most_of_it_on_the_best(tmp_path: Path) -> None:
    text = plan_text(
        *PLAYERS,
        "always-fold",
        head=HEAD.replace("matches = 2\n", "") + "[budget]\nhands = 480\nspend = 'halving'\n",
    )
    folder = Folder.open(tmp_path, plan_of(text), text, print, resume=False)
    runner = runner_of(folder)

    async def main() -> None:
        await play(folder, runner, 2)
        await runner.close()

    trio.run(main)
    folder.close()

    hands = {
        name: sum(each.hands for match, each in folder.played.items() if name in match.players)
        for name in folder.plan.names
    }
    found = folder.schedule()
    assert 360 < sum(hands.values()) / 2 <= 480
    assert found.is_all
    best = [group[0] for group in found.placing]
    assert sorted(best) == sorted(folder.plan.names)
    assert hands[best[0]] == hands[best[1]] > hands[best[2]] == hands[best[3]]
