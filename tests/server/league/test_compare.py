"""``riverboat compare``: what it says of two versions, whatever cuts it short, and what it refuses."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import threading
from array import array
from pathlib import Path
from typing import Any, Final

import pytest
import trio

from engine.evidence.field_test import Bounds
from engine.poker.rules import load_game
from server.commands.league.tournament import runner_of
from server.league.comparing import versions
from server.league.comparing.house import ArmsRunner, Course
from server.league.comparing.plan import ARMS, Comparison, read_field
from server.league.comparing.result import result_of, table_of, write_page
from server.league.comparing.versions import sides_of
from server.league.house import TournamentFault, play
from server.league.match import Played
from server.league.running.cluster import WORKER
from server.records.evidence import Luck
from server.records.logs import open_log
from tests.server.league.houses import Kill, Killed, use_arena_workers
from tests.support.cases import cases
from tests.support.commands import run_here
from tests.support.dealer_process import ROOT, completed

FIELD: Final = ("always-call", "random")


def plan_of(
    old: str, new: str, folder: Path, *against: str, game: str = "limit-2p", **more: Any
) -> Comparison:
    settings: dict[str, Any] = {"bounds": Bounds.parse("gain"), "most_deals": 300, "seed": 3} | more
    return Comparison(
        old=sides_of([old], folder)[0],
        new=sides_of([new], folder)[0],
        opponents=read_field(against or FIELD, None, folder),
        game=load_game(game),
        game_text=game,
        **settings,
    )


def played(plan: Comparison, path: Path) -> dict[str, Any]:
    """Play a comparison to its end, from wherever it was, without processes."""
    with pytest.MonkeyPatch.context() as patch:
        use_arena_workers(patch)
        course = Course(plan, path, print, resume=True)
        try:
            runner = ArmsRunner(course, runner_of)
            trio.run(play, course.folder, runner, 1)
            return result_of(course)
        finally:
            course.folder.close()


@pytest.mark.parametrize("luck", [Luck.EQUITY, Luck.OFF])
def test_a_version_differs_from_itself_by_nothing(tmp_path: Path, luck: Luck) -> None:
    plan = plan_of("random:fold=0.2", "again=random:fold=0.2", tmp_path, luck=luck)

    found = played(plan, tmp_path / "c")

    assert (found["verdict"], found["mbb_per_hand"], found["alike"]) == ("undecided", 0.0, 300)
    assert all(row["mbb_per_hand"] == 0.0 for row in found["opponents"])
    assert found["greatest"] == []


def test_a_gain_is_accepted_and_a_loss_rejected(tmp_path: Path) -> None:
    def found(old: str, new: str, test: str) -> dict[str, Any]:
        bounds = Bounds.parse(test)
        return played(plan_of(old, new, tmp_path, "always-raise", bounds=bounds), tmp_path / old)

    gain = found("always-fold", "always-call", "hold:-900,9")
    loss = found("always-call", "always-fold", "gain:0,900")

    assert (gain["verdict"], loss["verdict"]) == ("accepted", "rejected")
    assert gain["mbb_per_hand"] > 0 > loss["mbb_per_hand"]
    assert gain["deals"] < 300
    assert loss["words"].startswith("NEW loses ")
    assert loss["words"].endswith(
        f" to OLD against this field ({loss['deals']} deals; rejected at gain:0,900)"
    )


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A comparison of versions that differ in some hands, with its folder."""
    folder = tmp_path_factory.mktemp("changed")
    return folder / "c", played(plan_of("always-call", "simple", folder, mirror=True), folder / "c")


def test_both_versions_have_the_same_cards(changed: tuple[Path, dict[str, Any]]) -> None:
    folder, found = changed
    cards = []
    for arm in ("old", "new"):
        logs = sorted((folder / "matches" / arm).rglob("match.log"))
        hands = [hand for log in logs for hand in open_log(log, load_game("limit-2p")).hands()]
        cards.append([hand.state.deal.hole_cards for hand in hands])

    assert cards[0] == cards[1]
    assert found["deals"] == sum(row["deals"] for row in found["opponents"])
    assert found["mirror"]["deals"] > 0


@pytest.mark.parametrize("kind", ["street", "position", "ending", "situation"])
def test_where_it_gains_adds_up_to_the_gain(changed: tuple[Path, dict[str, Any]], kind: str) -> None:
    _, found = changed
    rows = found["where"][kind].values()

    if len(rows) < 12:  # others have been left out
        assert sum(row["mbb_per_hand"] for row in rows) == pytest.approx(found["mbb_per_hand"], abs=1e-6)


def test_the_deals_that_differ_most_are_shown_side_by_side(changed: tuple[Path, dict[str, Any]]) -> None:
    folder, found = changed
    sizes = [abs(deal["mbb"]) for deal in found["greatest"]]

    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 10
    for deal in found["greatest"]:
        for hand in deal["hands"]:
            assert (folder / hand["new"]["log"]).exists()
            assert hand["old"]["rounds"] != hand["new"]["rounds"]
            cards = [[player["cards"] for player in hand[arm]["players"]] for arm in ("old", "new")]
            assert cards[0] == cards[1]
    page = write_page(folder, found).read_text()
    assert found["words"] in page
    assert page.count("<h3>OLD</h3>") == sum(len(deal["hands"]) for deal in found["greatest"])


@pytest.mark.parametrize(
    "after", [1, 900, 20_000, *[pytest.param(n, marks=pytest.mark.slow) for n in range(2000, 200_000, 4000)]]
)
def test_killed_anywhere_it_comes_out_the_same(
    changed: tuple[Path, dict[str, Any]], tmp_path: Path, after: int
) -> None:
    plan = plan_of("always-call", "simple", tmp_path, mirror=True)
    with pytest.MonkeyPatch.context() as patch:
        Kill(patch, after)
        try:
            played(plan, tmp_path / "c")
        except* Killed:
            pass

    assert played(plan, tmp_path / "c") == changed[1]


@pytest.mark.parametrize(("off_by", "named"), [(0.0, []), (900.0, ["w2 (odd)"])])
def test_a_worker_whose_results_deviate_is_named(tmp_path: Path, off_by: float, named: list[str]) -> None:
    course = Course(plan_of("always-call", "simple", tmp_path), tmp_path / "c", print, resume=False)
    dice = random.Random(1)
    for block, arm, place in itertools.product(range(20), ARMS, range(len(FIELD))):
        match, worker = course.match(arm, place, block), f"w{dice.randrange(4)}"
        worker = "w2 (odd)" if worker == "w2" else worker
        # What is won differs much from opponent to opponent, and by version: that is nobody's fault.
        mean = 5000.0 * place + 2000.0 * (arm == "new") + (off_by if "odd" in worker else 0.0)
        won = array("d", [dice.gauss(mean, 3000.0) for _ in range(150)])
        course.folder.played[match] = Played(match, (won, won), 300, 0, {}, {}, 1.0, {})
        course.folder.place(match).mkdir(parents=True)
        (course.folder.place(match) / WORKER).write_text(worker)

    found = result_of(course)

    assert [row["worker"] for row in found["odd_workers"]] == named
    for name in named:
        assert f"worker {name} deviates by +" in table_of(found, tmp_path)
        assert f"Worker {name} deviates by +" in write_page(tmp_path, found).read_text()
    course.folder.close()


def test_a_plan_cannot_be_changed(tmp_path: Path) -> None:
    plan = plan_of("always-call", "simple", tmp_path, most_deals=4)
    first = Course(plan, tmp_path / "c", print, resume=False)
    with pytest.raises(TournamentFault, match="is being played in"):
        Course(plan, tmp_path / "c", print, resume=True)
    first.folder.close()

    def refused(plan: Comparison, *, resume: bool = True) -> str:
        with pytest.raises(TournamentFault) as fault:
            Course(plan, tmp_path / "c", print, resume=resume)
        return str(fault.value)

    assert "add --resume" in refused(plan, resume=False)
    other = plan_of("always-call", "simple", tmp_path, most_deals=4, seed=4)
    assert "it has seed = 3" in refused(other).replace("has seed", "it has seed")
    file = tmp_path / "c" / "plan.toml"
    file.write_text(file.read_text().replace("seed = 3", "seed = 5"))
    assert "was changed after it was written" in refused(plan)


def test_a_field_has_weights(tmp_path: Path) -> None:
    file = tmp_path / "field.toml"
    file.write_text(
        '[[opponents]]\nplayer = "random"\nname = "dice"\nweight = 3\n[[opponents]]\nplayer = "simple"\n'
    )

    field = read_field((), file, tmp_path)

    assert [(side.player.name, side.weight) for side in field] == [("dice", 0.75), ("simple", 0.25)]


@pytest.mark.parametrize("words", cases(__file__, "mistakes"))
def test_mistakes_are_one_line(words: str, tmp_path: Path) -> None:
    call, _, expected = words.partition(" => ")

    done = run_here("compare", *call.split(), folder=tmp_path)

    assert done.exit_code in (1, 2)
    assert expected in done.stderr


BOT: Final = """
import os, socket, sys
table = socket.create_connection((sys.argv[1], int(sys.argv[2])))
table.sendall(b"VERSION:2.0.0\\r\\n")
for line in table.makefile():
    if line.startswith("MATCHSTATE:"):
        if "CRASH" in os.environ and line.split(":")[2] == "7":
            sys.exit(1)
        table.sendall(f"{line.strip()}:ACTION\\r\\n".encode())
"""


def committed_bot(folder: Path, project: str = "") -> Path:
    """The folder of a bot that folds, whose build leaves a line in a file, and which is under git."""
    bot = folder / "bot"
    bot.mkdir()
    build = "sh -c 'sleep 0.1; echo 1 >> built'"
    (bot / "bot.toml").write_text(f'command = "python my.py"\nbuild = "{build}"\n')
    (bot / "my.py").write_text(BOT.replace("ACTION", "f"))
    (bot / "pyproject.toml").write_text(project)
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)
    return bot


def test_comparisons_at_once_share_what_one_of_them_checks_out(tmp_path: Path) -> None:
    text, found = f"{committed_bot(tmp_path)}@HEAD", []
    threads = [threading.Thread(target=lambda: found.append(sides_of([text], tmp_path))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len(found) == 4
    (built,) = [each for each in tmp_path.rglob("built") if each.is_file()]
    assert built.read_text() == "1\n"


def test_a_commit_of_ours_finds_its_bots_where_they_lay_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = '[project]\nversion = "0"\n[project.entry-points."riverboat.bots"]\nrandom = "then:Random"\n'
    monkeypatch.setattr(versions, "OURS", committed_bot(tmp_path, project))
    monkeypatch.setenv("RIVERBOAT_CACHE_DIR", str(tmp_path))

    (side,) = sides_of(["random@HEAD"], tmp_path)

    assert side.player.command is not None
    words = side.player.command[: side.player.command.index("-m")]
    ask = "from engine.support.plugins import declared; print(declared('riverboat.bots')['random'].value)"
    assert subprocess.check_output([*words, "-c", ask], text=True) == "then:Random\n"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_folder_is_compared_with_itself_at_a_commit(tmp_path: Path) -> None:
    bot = committed_bot(tmp_path)
    (bot / "my.py").write_text(BOT.replace("ACTION", "c"))

    done = completed(
        "compare", "./bot@HEAD", "./bot", "--against", "always-raise", "--hands", "20", "--seed", "1",
        "--out", "c", "--json", folder=tmp_path,
    )  # fmt: skip

    assert done.returncode == 5, done.stderr
    found = json.loads(done.stdout)
    assert found["mbb_per_hand"] != 0
    assert list((tmp_path / "c" / "versions").rglob("built"))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_bot_at_a_commit_has_the_seeds_and_options_of_the_one_that_is_there(tmp_path: Path) -> None:
    bot, rest = "random:fold=0.2", "--against always-call --hands 10 --seed 1 --out c --json"

    done = completed("compare", f"{bot}@HEAD", bot, *rest.split(), folder=tmp_path)

    assert done.returncode == 5, done.stderr
    found = json.loads(done.stdout)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    assert found["old"] == f"{bot}@{head.decode()[:10]}"
    assert found["deals"] == found["alike"] == 10


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_deals_in_which_somebody_crashes_are_void_for_both(tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(BOT.replace("ACTION", "c"))

    done = completed(
        "compare", "python my.py", "env CRASH=1 python my.py", "--against", "always-call", "--hands", "40",
        "--seed", "1", "--out", "c", "--json", folder=tmp_path,
    )  # fmt: skip

    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["void"]) == (5, "undecided", 1)
    assert found["failures"] == {"NEW crashed": 1}
    assert found["deals"] == found["alike"] == 7
