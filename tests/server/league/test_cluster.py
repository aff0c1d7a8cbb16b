"""Matches on the workers of a cluster: what travels, what is refused, and what a dead worker costs."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import zlib
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from click.testing import CliRunner
from compose_spec import PyCompose
from trio.testing import MockClock

import server.commands.league.tournament as command
from server.league.plan import Match
from server.league.running import cluster as running
from server.league.running.processes import CannotPlay, run_match
from tests.support.dealer_process import PATIENCE_S, ROOT, completed, started

FILE: Final = Path(__file__).with_name("cluster.toml").read_text("utf-8")
SIT_AND_GO: Final = FILE.replace("round-robin", "sit-and-go").replace('"leduc"', '"nolimit-3p"')
MATCH = Match(0, 1, ("a", "b"))


class Cluster:
    """As much of a ``distributed.Client`` as we use."""

    def __init__(self, status: str = "running", workers: dict[str, Any] | None = None) -> None:
        self.status = status
        self.workers = workers or {}
        self.keys: list[str] = []
        self.answers: dict[str, running.Report | Exception] = {}
        self.loses_scheduler = False

    def run(self, asked: object, on_error: str) -> dict[str, Any]:
        return self.workers

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 2)

    def submit(self, function: object, errand: running.Errand, *, key: str, **_: object) -> _Task:
        self.keys.append(key)
        task = _Task()
        answer = self.answers.get(errand.label)
        if self.loses_scheduler:
            task.cancel()
        if isinstance(answer, running.Report):
            task.set_result(answer)
        elif answer is not None:
            task.set_exception(answer)
        return task


class _Task(Future[running.Report]):
    def release(self) -> None:
        pass


def runner(cluster: Cluster) -> running.ClusterRunner:
    return running.ClusterRunner(cluster, "tcp://h:1", lambda match: ["leduc"], lambda match: "7")


def test_a_folder_arrives_whole_or_not_at_all(tmp_path: Path) -> None:
    running.unpack(
        {"match.log": zlib.compress(b"hands"), "players/a.err": zlib.compress(b"")}, tmp_path / "a" / "b"
    )

    assert (tmp_path / "a/b/match.log").read_text() == "hands"
    assert (tmp_path / "a/b/players/a.err").stat().st_mode & 0o777 == 0o600
    for name, data, fault in (
        ("match.log", b"nothing of the kind", "returned a damaged match.log"),
        ("../../escaped", zlib.compress(b""), "'../../escaped', which is not below the match folder"),
        ("/etc/passwd", zlib.compress(b""), "'/etc/passwd', which is not below the match folder"),
    ):
        with pytest.raises(ValueError, match=fault):
            running.unpack({name: data}, tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (("no-such-game", "random", "random"), 2, "there is no game 'no-such-game'"),
        (("leduc", "random", "random", "--host", "192.0.2.1"), 1, "could not create listen socket"),
        (("leduc", "random", "random", "--in-process", "--out", "/dev/null/m"), 2, "the match folder"),
    ],
)
async def test_a_match_says_what_goes_wrong_without_a_word_to_be_taken_off(
    words: tuple[str, ...], status: int, why: str, tmp_path: Path
) -> None:
    out = () if "--out" in words else ("--out", str(tmp_path / "m"))
    ended = await run_match([*words, *out], "7", ROOT)

    assert ended.status == status
    assert ended.why.startswith(why)


def test_a_worker_without_our_folder_says_so() -> None:
    report = running.run_errand(running.Errand("a v b", (), "7", "/nowhere/at/all"))

    assert (report.status, report.files) == (2, {})
    assert "there is no folder /nowhere/at/all on" in report.said


@pytest.mark.parametrize(
    ("workers", "words"),
    [
        ({}, "has no workers"),
        ({"w1": running.versions_here() | {"python": "2.7"}}, "worker w1 has python 2.7, here it is"),
        ({"w1": ModuleNotFoundError("No module named 'x'")}, "cannot run riverboat: ModuleNotFoundError"),
    ],
)
def test_workers_that_are_not_what_we_are_are_refused(workers: dict[str, Any], words: str) -> None:
    with pytest.raises(CannotPlay, match=words):
        running._compare_versions(Cluster(workers=workers), "tcp://h:1")


def test_workers_that_are_what_we_are_are_taken() -> None:
    cluster = Cluster(workers={"w1": running.versions_here(), "w2": running.versions_here()})
    running._compare_versions(cluster, "tcp://h:1")

    assert running.num_threads(cluster) == 4


async def test_a_match_comes_back_from_a_worker(tmp_path: Path) -> None:
    cluster = Cluster()
    cluster.answers["a v b, match 1"] = running.Report(
        0, "", {"result.json": zlib.compress(b'{"players": []}')}
    )

    await runner(cluster).play(MATCH, tmp_path / "m")

    assert json.loads((tmp_path / "m/result.json").read_text()) == {"players": []}
    assert cluster.keys[0].endswith(MATCH.id)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (running.Report(1, "the disk is full", {}), "a v b, match 1: the disk is full"),
        (RuntimeError("killed three"), "the cluster did not play it: RuntimeError: killed three"),
    ],
)
async def test_a_match_that_cannot_be_played_is_one_line(
    answer: running.Report | Exception, words: str, tmp_path: Path
) -> None:
    cluster = Cluster()
    cluster.answers["a v b, match 1"] = answer

    with pytest.raises(CannotPlay, match=words):
        await runner(cluster).play(MATCH, tmp_path / "m")


async def test_a_scheduler_that_goes_away_is_one_line(tmp_path: Path, autojump_clock: MockClock) -> None:
    with pytest.raises(CannotPlay, match=r"^the scheduler at tcp://h:1 has gone$"):
        await runner(Cluster(status="connecting")).play(MATCH, tmp_path / "m")


async def test_tasks_that_are_lost_with_their_scheduler_are_the_same_line(tmp_path: Path) -> None:
    cluster = Cluster()
    cluster.loses_scheduler = True

    with pytest.raises(CannotPlay, match=r"^the scheduler at tcp://h:1 has gone$"):
        await runner(cluster).play(MATCH, tmp_path / "m")


@pytest.mark.parametrize(
    ("head", "installed", "words"),
    [
        (FILE, False, "--scheduler needs dask and distributed: pip install 'riverboat[cluster]'"),
        (SIT_AND_GO, True, "--scheduler does not go with a sit-and-go"),
    ],
)
def test_what_a_cluster_cannot_do_is_told_before_a_hand_is_played(
    head: str, installed: bool, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(head)
    monkeypatch.setattr(running, "is_installed", lambda: installed)

    options = ["--scheduler", "tcp://h:1", "--out", str(tmp_path / "o")]
    result = CliRunner().invoke(command.tournament, [str(tmp_path / "cup.toml"), *options])

    assert (result.exit_code, (tmp_path / "o").exists()) == (2, False)
    assert words in result.output


def test_the_clusters_compose_file_is_what_the_specification_wants() -> None:
    content = yaml.safe_load((ROOT / "docker-compose.cluster.yml").read_text())
    parsed = PyCompose.from_json(json.dumps(content))
    parsed.validate()

    assert set(parsed.service_names()) == {"scheduler", "worker", "house"}
    assert "tcp://scheduler:8786" in content["services"]["worker"]["command"]


def table(folder: Path) -> list[tuple[str, float]]:
    content = json.loads((folder / "result.json").read_text())
    assert content["complete"]
    return [(each["name"], each["mbb_per_hand"]) for each in content["players"]]


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.filterwarnings("ignore")  # of Dask's own
def test_a_worker_that_is_killed_costs_only_its_running_matches(tmp_path: Path) -> None:
    import distributed

    make_cluster: Any = distributed.LocalCluster  # it has no types
    (tmp_path / "cup.toml").write_text(FILE)
    with make_cluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        words = ("--out", "far", "--scheduler", cluster.scheduler_address)
        house = started("tournament", "cup.toml", *words, folder=tmp_path)
        assert house.stderr is not None
        while "1 of 6 matches" not in (line := house.stderr.readline()):
            assert line, "it ended without having played a match"
        victim = next(iter(cluster.scheduler.workers.values()))
        with contextlib.suppress(ProcessLookupError):
            os.kill(cluster.workers[victim.name].pid, signal.SIGKILL)
        house.communicate(timeout=5 * PATIENCE_S)

    assert house.returncode == 0
    # The same hands.
    (tmp_path / "cup.toml").write_text(FILE.replace("seed = 7", "seed = 7\nin_process = true"))
    assert completed("tournament", "cup.toml", "--out", "near", folder=tmp_path).returncode == 0
    assert table(tmp_path / "far") == table(tmp_path / "near")
