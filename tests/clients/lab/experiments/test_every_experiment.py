"""What holds for every experiment: its options, its files; Ctrl-C and ``--jobs`` change no result."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from click.testing import Result

from clients.commands.lab.experiment import installed_experiments
from clients.core import figure
from clients.learners.street import agent as street
from engine.learning.deal_pool import DealPool
from engine.support.files import write_whole
from engine.support.interruption import SIGNALS
from tests.clients.lab.experiments import runs
from tests.clients.lab.experiments.runs import refused, tasks_done
from tests.engine.learning.pools import small_pool

SMALL: Final[Mapping[str, str]] = {
    "calibration": "--opponent always-call --hands 8 --match-hands 4 --trials 20",
    "circle": "--player always-call --player random --hands 80 --match-hands 40",
    "heuristic": "--variant direct --against always-call --hands 80 --match-hands 40",
    "killer": "--flops 2 --every 877 --rake-hands 10 --rake-bots hand-strength",
    "next-action": "--player always-call --against always-call --hands 10 --held-out 2",
    "poker-learner": "--learner name-learner --against always-call --hands 40 --match-hands 100 --seeds 2",
    "range-of-skill": "--epsilon 2",
    "selective-sampling": "--parts a --game limit-3p --simulating 2,1 --hands 12 --trials 40",
    "sensitivity": "--constants trap --table simple --hands 12",
    "street-learner": "--game limit-2p --hands 200 --match-hands 4 --stop-hands 4 --seeds 2",
}
"""Two tasks or more of each."""

OURS: Final = [name for name, entry in installed_experiments().items() if entry.value.startswith("clients.")]


def run(name: str, out: Path, *options: str) -> Result:
    return runs.run(name, out, SMALL[name], *options)


def few_deals(num_players: int, **_: object) -> DealPool:
    return small_pool(num_players)


@pytest.fixture
def _few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(street, "deal_pool", few_deals)


@pytest.fixture
def _signals_as_before() -> Iterator[None]:
    """A program that is interrupted ignores signals from then on."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.usefixtures("_few_deals", "_signals_as_before")
def test_ctrl_c_and_resume_give_the_results_of_one_go(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes when the second task is done and has not been kept."""
    whole = run(name, tmp_path / "whole", "--no-plots")
    assert whole.exit_code == 0, whole.output
    kept: list[Path] = []

    def interrupted(path: Path, content: str | bytes) -> None:
        if len(kept) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        write_whole(path, content)
        kept.append(path)

    with monkeypatch.context() as patch:
        patch.setattr("clients.lab.experiments.tasks.write_whole", interrupted)
        stopped = run(name, tmp_path / "out", "--no-plots")

    assert stopped.exit_code == 130
    assert "interrupted; --resume continues" in stopped.stderr.splitlines()[-1]
    assert [path.name for path in (tmp_path / "out" / "tasks").iterdir()] == [kept[0].name]
    signal.signal(signal.SIGINT, signal.default_int_handler)

    resumed = run(name, tmp_path / "out", "--resume", "--no-plots")

    assert resumed.exit_code == 0, resumed.output
    assert len(tasks_done(resumed)) == len(tasks_done(whole)) - 1
    texts = [(tmp_path / folder / "results.json").read_text() for folder in ("whole", "out")]
    assert texts[0] == texts[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
@pytest.mark.usefixtures("_few_deals")
def test_tables_pictures_and_numbers_are_there(name: str, tmp_path: Path) -> None:
    result = run(name, tmp_path)

    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "results.json").read_text())["experiment"] == name
    assert result.stdout.rstrip() == (tmp_path / "results.md").read_text().rstrip()
    assert "\n| --- |" in result.stdout
    pictures = {path.stem for path in tmp_path.glob("*.png")}
    assert pictures == {path.stem for path in tmp_path.glob("*.svg")} != set()


@pytest.mark.slow
@pytest.mark.timeout(600)  # processes that load everything, for each of them
@pytest.mark.parametrize("name", [name for name in OURS if name != "street-learner"])  # it deals for a minute
def test_two_processes_find_what_one_finds(name: str, tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        assert run(name, tmp_path / jobs, "--jobs", jobs, "--no-plots").exit_code == 0

    for file in ("results.json", "results.md"):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()


@pytest.mark.parametrize("name", OURS)
def test_options_are_the_same_everywhere(name: str) -> None:
    command = installed_experiments()[name].load()
    options = {text for option in command.params for text in option.opts}

    assert options >= {"--out", "--jobs", "--resume", "--force", "--no-plots", "--json"}
    assert "--seed" in options or name == "range-of-skill"  # in which there is no chance


@pytest.mark.parametrize("name", OURS)
def test_matplotlib_is_asked_for_before_anything_is_played(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure, "find_spec", lambda name: None)

    result = run(name, tmp_path / "x")

    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"riverboat {name}: pictures need matplotlib: pip install 'riverboat[plot]', or --no-plots"
    ]
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", OURS)
def test_results_of_another_experiment_are_not_written_over(name: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("the work of days")

    result = run(name, tmp_path, "--no-plots")

    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"riverboat {name}: {tmp_path} is not empty: --resume or --force, or choose another folder"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("calibration", "--opponent nobody", "--opponent nobody"),
        ("circle", "--player simple", "--player"),
        ("circle", "--player simple --player simple", "--player"),
        ("circle", "--player simple --player simpel", "--player"),
        ("circle", "--player simple --player equilibrium:strategy=none.npz", "--player"),
        ("heuristic", "--against simpel", "simpel"),
        ("killer", "--rake-hands 10 --rake-bots nobody", "nobody"),
        ("next-action", "--player nobody", "nobody"),
        ("next-action", "--against nobody", "nobody"),
        ("poker-learner", "--reading winner=best", "winner=each"),
        ("range-of-skill", "--game limit-2p", "--game"),
        ("range-of-skill", "--epsilon 0", "--epsilon"),
        ("selective-sampling", "--parts z", "there is no part 'z'"),
        ("selective-sampling", "--seed -3", "expected a seed"),
        ("selective-sampling", "--game nolimit-2p", "expected a limit game, got nolimit-2p"),
        ("selective-sampling", "--game no-such-game", "no-such-game"),
        ("selective-sampling", "--game leduc", "expected Texas hold'em, got leduc"),
        ("selective-sampling", "--sampling nobody", "there is no bot 'nobody'"),
        ("selective-sampling", "--sampling sampling:speed=3", "no option 'speed'"),
        ("selective-sampling", "--hands 1", "--hands"),
        ("selective-sampling", "--simulating 5,x", "expected numbers of players such as 5,1, got '5,x'"),
        ("selective-sampling", "--simulating 10", "expected 1 to 9 of 10 players, got 10"),
        *(
            ("sensitivity", f"--instead {x}", "--instead: ")
            for x in ("raises=1", "trap", "trap=x", "trap=nan")
        ),
        ("sensitivity", "--constants raises", "there is no constant 'raises'"),
        *(("street-learner", f"--game {game}", game) for game in ("leduc", "limit-3p", "no-such-game")),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    name: str, options: str, message: str, tmp_path: Path
) -> None:
    assert message in refused(name, tmp_path / "out", options)
    assert not (tmp_path / "out").exists()
