"""A tournament that was killed comes out as if it had not been."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from server.league.checking import check_tournament
from server.league.house import Folder, TournamentFault
from tests.server.league.houses import HEAD, Kill, plan_of, plan_text, played, played_until_killed

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
    with pytest.raises(TournamentFault, match="another tournament is being played in"):
        Folder.open(tmp_path, plan_of(TEXT), TEXT, print, resume=True)
    first.close()

    with pytest.raises(TournamentFault, match="add --resume to go on with it, or name another folder"):
        Folder.open(tmp_path, plan_of(TEXT), TEXT, print, resume=False)
