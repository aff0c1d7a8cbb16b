"""A tournament that was killed, and budgets: so many hands, or so much time."""

from __future__ import annotations

import json
import math
import random
import shutil
from pathlib import Path
from typing import Final

import pytest
import trio
from trio.testing import MockClock

from server.commands.league.tournament import runner_of
from server.league.checking import check_tournament
from server.league.formats.schedule import schedule
from server.league.house import Folder, TournamentFault, play
from server.league.plan import Match
from server.league.report.words import Progress
from server.league.running.processes import Runner
from tests.server.league.houses import HEAD, Kill, plan_of, plan_text, played, played_until_killed

# --- A tournament that was killed comes out as if it had not been -------------------------------------------

PLAYERS = ("random", "always-call", "random:raise=0.6", "always-raise")
TEXT = plan_text(*PLAYERS)


def logs_of(path: Path) -> dict[str, bytes]:
    return {str(log.relative_to(path)): log.read_bytes() for log in path.rglob("match.log")}


def killed_and_resumed(tmp_path: Path, text: str, times: int, seed: int) -> None:
    whole = played(tmp_path / "whole", text)
    with pytest.MonkeyPatch.context() as patch:
        counted = Kill(patch)
        played(tmp_path / "counted", text)
    drawn = random.Random(seed)

    for number in range(times):
        path = tmp_path / f"killed-{number}"
        for after in sorted(drawn.sample(range(counted.written), 2)):  # twice, the second time in the rest
            played_until_killed(path, text, after)
        assert played(path, text) == whole, f"killed {number} with seed {seed}"
        assert logs_of(path) == logs_of(tmp_path / "whole")
        shutil.rmtree(path)


@pytest.mark.usefixtures("arena_workers")
def test_a_tournament_that_was_killed_comes_out_the_same(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, plan_text(*PLAYERS[:3]), 2, 1)


def check_finished_stand(tmp_path: Path, text: str, times: int, seed: int) -> None:
    """Kill a tournament without a seed twice, and play it on: finished matches stand, and all is true."""
    with pytest.MonkeyPatch.context() as patch:
        counted = Kill(patch)
        played(tmp_path / "counted", text)
    drawn = random.Random(seed)

    for number in range(times):
        path = tmp_path / f"killed-{number}"
        finished: dict[str, bytes] = {}
        for after in sorted(drawn.sample(range(counted.written), 2)):
            played_until_killed(path, text, after)
            logs = logs_of(path)
            assert {name: logs.get(name) for name in finished} == finished
            over = [name for name in logs if _is_over(path / name)]
            finished = {name: logs[name] for name in over}
        content = played(path, text, pages=True)
        logs = logs_of(path)
        assert {name: logs[name] for name in finished} == finished, f"killed {number} with seed {seed}"
        assert sum(each["chips"] for each in content["players"] if "chips" in each) == pytest.approx(0)
        assert json.loads((path / "tournament.json").read_text())["cards"] is None
        assert check_tournament(path).problem is None
        shutil.rmtree(path)


def _is_over(log: Path) -> bool:
    """Whether the match of a log is over: it has a result, in its folder or in that of its pass."""
    return any((folder / "result.json").exists() for folder in (log.parent, log.parent.parent))


WITHOUT_SEED = HEAD.replace("seed = 7\n", "")
SIT_AND_GO = WITHOUT_SEED.replace("round-robin", "sit-and-go").replace(
    '"leduc"\nhands = 12', '"nolimit-2p"'
) + ("[sit_and_go]\nstack = 100\n[[sit_and_go.levels]]\nhands = 5\nsmall = 10\n")


@pytest.mark.usefixtures("arena_workers")
@pytest.mark.parametrize("times", [2, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])])
@pytest.mark.parametrize(
    "text",
    [plan_text(*PLAYERS[:3], head=WITHOUT_SEED), plan_text(*PLAYERS[:2], head=SIT_AND_GO)],
    ids=["round robin", "sit-and-go"],
)
def test_without_a_seed_what_was_finished_before_a_kill_stands(tmp_path: Path, text: str, times: int) -> None:
    check_finished_stand(tmp_path, text, times, 7)


UNTIL = HEAD.replace("hands = 12\nmatches = 2", 'hands = 600\nuntil = "decided"')


@pytest.mark.usefixtures("arena_workers")
@pytest.mark.parametrize(("duplicate", "passes"), [("true", 2), ("false", 1)])
def test_matches_end_once_it_is_known_who_is_better_and_come_out_the_same_when_killed(
    duplicate: str, passes: int, tmp_path: Path
) -> None:
    text = plan_text("always-fold", "always-raise", head=f"{UNTIL}duplicate = {duplicate}\n")

    (pair,) = played(tmp_path / "one", text, pages=True)["pairs"]

    assert pair["hands"] < 400
    assert pair["hands"] % passes == 0
    assert check_tournament(tmp_path / "one").problem is None
    killed_and_resumed(tmp_path, text, 1, 5)


@pytest.mark.usefixtures("arena_workers")
def test_matches_end_once_leads_are_known_well_enough(tmp_path: Path) -> None:
    head = UNTIL.replace('"decided"', "9000")

    rough, fine = (
        played(tmp_path / within, plan_text("always-fold", "always-raise", head=head.replace("9000", within)))
        for within in ("9000", "3000")
    )

    assert 20 <= rough["pairs"][0]["hands"] < fine["pairs"][0]["hands"] < 1200


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.usefixtures("arena_workers")
def test_two_hundred_that_were_killed_come_out_the_same(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, TEXT, 200, 2)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("arena_workers")
@pytest.mark.parametrize(
    "head",
    [
        HEAD.replace("round-robin", "swiss").replace("matches = 2\n", ""),
        HEAD.replace("round-robin", "knock-out").replace("matches = 2\n", ""),
        HEAD.replace("matches = 2\n", "") + "[budget]\nhands = 900\nspend = 'halving'\n",
        HEAD.replace('"leduc"', '"kuhn-3p"'),
    ],
)
def test_tournaments_of_other_formats_that_were_killed_come_out_the_same(tmp_path: Path, head: str) -> None:
    killed_and_resumed(tmp_path, plan_text(*PLAYERS, head=head), 20, 3)


@pytest.mark.usefixtures("arena_workers")
def test_files_that_were_cut_off_after_the_end_are_played_again(tmp_path: Path) -> None:
    whole = played(tmp_path / "cup", TEXT)
    before = logs_of(tmp_path / "cup")
    drawn = random.Random(5)
    files = sorted(path for path in (tmp_path / "cup/matches").rglob("*") if path.is_file())
    for path in drawn.sample([path for path in files if path.stat().st_size > 40], 5):
        path.write_bytes(path.read_bytes()[: drawn.randrange(30, path.stat().st_size - 1)])
    said: list[str] = []

    again = played(tmp_path / "cup", TEXT, said)

    assert again == whole
    assert {name: log for name, log in logs_of(tmp_path / "cup").items() if "damaged" not in name} == before
    assert said
    assert all("is damaged, and is played again" in line for line in said)


@pytest.mark.usefixtures("arena_workers")
def test_a_player_who_is_added_costs_only_its_own_matches(tmp_path: Path) -> None:
    played(tmp_path / "cup", TEXT)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "cup").rglob("match.log")}
    larger = plan_text(*PLAYERS, "always-fold")

    added = played(tmp_path / "cup", larger)

    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "cup").rglob("match.log")}
    assert {path: after[path] for path in before} == before
    assert all("p4" in path.parent.parent.name for path in after.keys() - before.keys())
    assert len(after) - len(before) == 4 * 2 * 2  # opponents, matches, passes
    assert added == played(tmp_path / "fresh", larger)


@pytest.mark.usefixtures("arena_workers")
def test_the_order_and_the_number_of_workers_change_nothing(tmp_path: Path) -> None:
    assert played(tmp_path / "one", TEXT, workers=1) == played(tmp_path / "three", TEXT, workers=3)


@pytest.mark.usefixtures("arena_workers")
def test_verify_derives_everything_again_and_finds_what_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "cup"
    content = played(path, TEXT, pages=True)
    assert check_tournament(path).problem is None
    assert check_tournament(path).hands == content["hands"] == 6 * 2 * 2 * 12

    result = json.loads((path / "result.json").read_text())
    result["players"][0]["mbb_per_hand"] += 1
    (path / "result.json").write_text(json.dumps(result))
    assert "players[0].mbb_per_hand: expected" in str(check_tournament(path).problem)

    log = path / "matches/p0-v-p1-001/pass-1/match.log"
    text = log.read_text()
    log.write_text(text.replace("STATE:3:", "STATE:3:f" if "STATE:3:c" in text else "STATE:3:c", 1))
    assert f"{log}:" in str(check_tournament(path).problem)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (TEXT.replace("hands = 12", "hands = 13"), "hands of game 1 was 12"),
        (TEXT.replace("seed = 7", "seed = 8"), "seed was '7'"),
        (TEXT.replace('"always-call"', '"always-fold"'), "player 'p1' was 'always-call'"),
    ],
)
def test_what_was_begun_is_not_changed(tmp_path: Path, changed: str, complaint: str) -> None:
    Folder.open(tmp_path, plan_of(TEXT), TEXT, print, resume=False).close()

    with pytest.raises(TournamentFault, match=complaint):
        Folder.open(tmp_path, plan_of(changed), changed, print, resume=True)


def test_a_folder_is_for_one_tournament(tmp_path: Path) -> None:
    first = Folder.open(tmp_path, plan_of(TEXT), TEXT, print, resume=False)
    with pytest.raises(TournamentFault, match="something else is being played in"):
        Folder.open(tmp_path, plan_of(TEXT), TEXT, print, resume=True)
    first.close()

    with pytest.raises(TournamentFault, match="add --resume to go on with it, or name another folder"):
        Folder.open(tmp_path, plan_of(TEXT), TEXT, print, resume=False)


# --- Budgets ------------------------------------------------------------------------------------------------

TIMED: Final = (
    HEAD.replace("matches = 2\n", "").replace("hands = 12", "hands = 4") + "[budget]\nseconds = 5\n"
)
THREE: Final = ("always-call", "random", "always-raise")


class Slow:
    """A runner whose matches take a second each."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def play(self, match: Match, folder: Path) -> None:
        await trio.sleep(1)
        await self._runner.play(match, folder)


def played_in_time(path: Path, workers: int, lines: list[str]) -> Folder:
    """Play until the time is up, by a clock that jumps."""
    text = plan_text(*THREE, head=TIMED)
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

    folder = played_in_time(tmp_path, workers, lines)

    assert len(folder.played) == 5 * workers
    numbers = [match.number for match in folder.played]
    assert max(numbers) == math.ceil(5 * workers / 3)  # round by round
    assert lines[0] == "3 matches, 0:04 left"
    folder.close()


@pytest.mark.usefixtures("arena_workers")
def test_a_budget_of_time_is_for_all_sittings_together(tmp_path: Path) -> None:
    first = played_in_time(tmp_path, 1, [])
    first.close()
    again = played_in_time(tmp_path, 1, [])
    again.close()
    (tmp_path / "time.json").unlink()  # as if it had been killed: what its matches took is known all the same
    killed = played_in_time(tmp_path, 1, [])
    killed.close()

    assert len(first.played) == 5
    assert set(again.played) == set(first.played) < set(killed.played)


def test_as_many_again_are_known_as_have_been_played() -> None:
    plan = plan_of(plan_text(*THREE, head=TIMED))
    larger = plan_of(plan_text(*THREE, "always-fold", head=TIMED))

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
        *THREE,
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
