"""``riverboat league``: what is kept over many tournaments, the ratings, and where a new player stands."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from server.league.house import Folder
from server.league.ladder.ratings import Placing, Rung, connected, ladder_of
from server.league.ladder.store import Ladder, LadderFault, PairSum
from tests.server.league.houses import HEAD, plan_text, played, use_arena_workers
from tests.support.commands import run_here

FIRST = ("random", "always-call", "always-raise")


def run(*words: str) -> str:
    done = run_here("league", *words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ladder of two tournaments that share a player."""
    path = tmp_path_factory.mktemp("league")
    head = HEAD.replace("matches = 2", "matches = 1")
    other = head.replace("seed = 7", "seed = 8") + (
        '[[players]]\nname = "p0"\nplayer = "random"\n'
        '[[players]]\nname = "new"\nplayer = "random:raise=0.6"\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        use_arena_workers(patch)
        played(path / "one", plan_text(*FIRST, head=head), pages=True)
        played(path / "two", other)
    with Opened(path / "ladder.sqlite") as kept:
        kept.add(Folder.reading(path / "one"))
        kept.add(Folder.reading(path / "two"))
    return path


@pytest.fixture
def ladder(league: Path, tmp_path: Path) -> Path:
    """That ladder, for one test."""
    with Opened(league / "ladder.sqlite") as kept:
        assert kept.games() == ["leduc"]
    return Path(shutil.copy(league / "ladder.sqlite", tmp_path))


class Opened:
    def __init__(self, path: Path) -> None:
        self._ladder = Ladder(path, make=True)

    def __enter__(self) -> Ladder:
        return self._ladder

    def __exit__(self, *_: object) -> None:
        self._ladder.close()


@pytest.mark.usefixtures("arena_workers")
def test_another_version_in_the_file_is_another_player(tmp_path: Path) -> None:
    text = plan_text("random", "always-call", head=HEAD.replace("matches = 2", "matches = 1"))
    for number, version in enumerate(("first", "second", "second")):
        seeded = text.replace("seed = 7", f"seed = {number}").replace(
            '"random"', f'"random"\nversion = "{version}"'
        )
        played(tmp_path / str(number), seeded)
    with Opened(tmp_path / "ladder.sqlite") as kept:
        for number in range(3):
            kept.add(Folder.reading(tmp_path / str(number)))
        rungs = {(rung.name, rung.version): rung for rung in ladder_of(kept, "leduc")}

    assert set(rungs) == {("p0", "first"), ("p0", "second"), ("p1", "")}
    assert rungs["p0", "second"].hands == 2 * rungs["p0", "first"].hands == 48
    assert "random second" in run("show", str(tmp_path / "ladder.sqlite"))


def test_a_ladder_from_before_there_were_versions_is_taken_over(ladder: Path) -> None:
    with Opened(ladder) as kept:
        expected = kept.players(), kept.pairs("leduc")
    db = sqlite3.connect(ladder, isolation_level=None)
    db.executescript(
        """
        PRAGMA legacy_alter_table = ON;
        ALTER TABLE players RENAME TO new_players;
        CREATE TABLE players (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, command TEXT NOT NULL, first_seen TEXT NOT NULL,
            UNIQUE (name, command)
        );
        INSERT INTO players SELECT id, name, command, first_seen FROM new_players;
        DROP TABLE new_players;
        PRAGMA user_version = 1;
        """
    )
    db.close()

    with Opened(ladder) as kept:
        assert (kept.players(), kept.pairs("leduc")) == expected
    with Opened(ladder) as kept:  # for good
        assert (kept.players(), kept.pairs("leduc")) == expected


def test_pairs_of_a_tournament_are_those_of_its_result(ladder: Path, league: Path) -> None:
    result = json.loads((league / "one/result.json").read_text())

    with Opened(ladder) as kept:
        names = {number: player.name for number, player in kept.players().items()}
        pairs = {(names[pair.one], names[pair.other]): pair for pair in kept.pairs("leduc")}

    for pair in result["pairs"]:
        one, other = pair["players"]
        assert pairs[one, other].mean == pytest.approx(pair["mbb_per_hand"])
        assert pairs[one, other].hands == pair["hands"]
        assert pairs[one, other].deals == pair["deals"]
    assert ("p0", "new") in pairs


def test_a_tournament_that_is_added_again_counts_once(ladder: Path, league: Path) -> None:
    before = json.loads(run("show", str(ladder), "--json"))

    run("add", str(ladder), str(league / "one"), str(league / "two"))

    assert json.loads(run("show", str(ladder), "--json")) == before
    assert before["tournaments"] == 2
    assert {player["name"] for player in before["players"]} == {"p0", "p1", "p2", "new"}
    ratings = [player["rating"] for player in before["players"]]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) == pytest.approx(0.0, abs=1e-6)


def test_the_ladder_is_a_table_and_a_page(ladder: Path, tmp_path: Path) -> None:
    assert "leduc: 4 players, 2 tournaments" in run("show", str(ladder))
    page = tmp_path / "ladder.html"
    with sqlite3.connect(ladder) as kept:
        kept.execute("UPDATE players SET command = '/home/kim/students/ann' WHERE name = 'p1'")

    run("show", str(ladder), "--html", str(page))

    text = page.read_text()
    assert "random:raise=0.6" in text
    assert "<code>ann</code>" in text
    assert "http" not in text.replace("http-equiv", "")


@pytest.mark.usefixtures("arena_workers")
def test_another_command_is_another_version(ladder: Path, tmp_path: Path) -> None:
    head = HEAD.replace("seed = 7", "seed = 9")
    # P0 is another program now.
    played(tmp_path / "three", plan_text("always-fold", "always-call", head=head))

    run("add", str(ladder), str(tmp_path / "three"))

    with Opened(ladder) as kept:
        rungs = ladder_of(kept, "leduc")
    assert sorted(rung.command for rung in rungs if rung.name == "p0") == ["always-fold", "random"]


def test_what_is_not_a_ladder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but a text that is long enough to be looked at\n" * 20)
    with pytest.raises(LadderFault, match="not a database"):
        Ladder(tmp_path / "text")
    with pytest.raises(LadderFault, match="there is no ladder"):
        Ladder(tmp_path / "none")


def rung(number: int, rating: float, error: float) -> Rung:
    return Rung(number, f"p{number}", "random", "2026", "", rating, error, 1000, 2000, 3)


def test_the_largest_connected_group_is_rated() -> None:
    def pair(one: int, other: int) -> PairSum:
        return PairSum(one, other, 10, 20, 1.0, 1.0)

    assert connected([pair(1, 2), pair(3, 4), pair(4, 5)]) == [3, 4, 5]
    assert connected([pair(1, 2), pair(3, 4), pair(2, 3)]) == [1, 2, 3, 4]
    assert connected([]) == []


def test_a_new_player_is_placed_where_it_belongs_and_the_interval_holds() -> None:
    """Of 60 placings of simulated players the interval misses as seldom as it says."""
    drawn = random.Random(3)
    ladder = [rung(k, 200.0 * k, 20.0) for k in range(-3, 4)]
    missed = 0
    for _ in range(60):
        truth = drawn.uniform(-500, 500)
        true = {each.name: each.rating + drawn.gauss(0, 20.0) for each in ladder if each.rating is not None}
        placing = Placing(ladder)
        for _ in range(40):
            opponent = placing.next_opponent(50)
            placing.note(opponent, [drawn.gauss(truth - true[opponent], 2000.0) for _ in range(50)])
        placed = placing.placed()
        assert placed is not None
        assert placed.deals == 2000
        missed += abs(placed.rating - truth) > 1.96 * placed.error

    assert missed <= 9  # 3 are expected, with a standard error of 1.7


def test_matches_are_played_where_they_tell_the_most() -> None:
    sure, unsure = rung(1, 0.0, 5.0), rung(2, 0.0, 500.0)
    placing = Placing([sure, unsure])

    for _ in range(10):
        assert placing.next_opponent(50) == "p1"  # what is not known itself tells little
        placing.note("p1", [1000.0, -1000.0] * 25)

    alike = Placing([rung(1, 900.0, 50.0), rung(2, 0.0, 50.0), rung(3, -900.0, 50.0)])
    assert alike.next_opponent(50) == "p2"  # in the middle, as long as nothing is known
    alike.note("p2", [900.0 + 10 * (-1) ** k for k in range(5000)])
    assert alike.next_opponent(50) == "p1"  # who is nearest


@pytest.mark.usefixtures("arena_workers")
def test_a_new_player_plays_and_is_on_the_ladder_then(ladder: Path, tmp_path: Path) -> None:
    words = ["place", str(ladder), "mine=always-call", "--hands", "200", "--match-hands", "25"]
    out = ["--in-process", "--out", str(tmp_path / "placing"), "--json"]

    placed: dict[str, Any] = json.loads(run(*words, *out))
    again: dict[str, Any] = json.loads(run(*words, *out, "--resume"))

    assert (placed["of"], placed["deals"]) == (5, 100)
    assert placed.keys() == again.keys()
    with Opened(ladder) as kept:
        assert "mine" in {each.name for each in kept.players().values()}
