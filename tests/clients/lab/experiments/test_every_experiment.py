"""What holds for every experiment, and the tasks, tables and files they are made of."""

from __future__ import annotations

import functools
import json
import math
import os
import signal
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
import pytest
from click.testing import Result

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.commands.lab.experiment import installed_experiments
from clients.core import figure
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.lab.experiments import harness as work
from clients.lab.experiments.command import Options, option
from clients.lab.experiments.harness import Findings, columns, markdown_table, per_cent, plot
from clients.learners.street import agent as street
from clients.reports.plots import Curve, Plot, draw_plot
from engine.learning.deal_pool import DealPool
from engine.poker.rules import load_game
from engine.support.files import write_whole
from engine.support.interruption import SIGNALS
from engine.support.intervals import Estimate
from tests.clients.lab.experiments import runs
from tests.clients.lab.experiments.runs import refused, tasks_done
from tests.engine.learning.pools import small_pool
from tests.support.cases import cases

# --- What holds for every experiment ------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ("street-learner", "killer") else ())
        for name in OURS
    ],
)
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
        patch.setattr("clients.lab.experiments.harness.write_whole", interrupted)
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


@pytest.mark.parametrize(("name", "options", "message"), cases(__file__, "what cannot be done"))
def test_what_cannot_be_done_is_refused_in_one_line(
    name: str, options: str, message: str, tmp_path: Path
) -> None:
    assert message in refused(name, tmp_path / "out", options)
    assert not (tmp_path / "out").exists()


# --- Tasks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "result"), [("x.json", [1.5]), ("x.npz", np.array([1.5]))])
def test_a_result_is_found_again_with_the_same_settings_only(file: str, result: Any, tmp_path: Path) -> None:
    task = work.Task("x", file, {"hands": (3, 4)}, lambda: {"won": result})

    assert task.found_in(tmp_path) is None
    done = task.done_in(tmp_path)

    assert task.found_in(tmp_path) == done == {"won": result}
    assert attrs.evolve(task, played={"hands": (3, 5)}).found_in(tmp_path) is None
    assert attrs.evolve(task, writes=tmp_path / "knowledge").found_in(tmp_path) is None
    (tmp_path / "tasks" / file).write_bytes(b"half of a fi")
    assert task.found_in(tmp_path) is None


def test_only_what_is_missing_is_done_and_told(tmp_path: Path) -> None:
    done: list[int] = []

    def do(number: int) -> Mapping[str, Any]:
        done.append(number)
        return {"number": number}

    tasks = [work.Task(f"no. {n}", f"{n}.json", {}, functools.partial(do, n), n % 2) for n in range(4)]
    tasks[2].done_in(tmp_path)
    lines: list[str] = []

    found = work.Work(tmp_path, progress=lines.append, resume=True).groups(tasks)

    assert found == {0: [{"number": 0}, {"number": 2}], 1: [{"number": 1}, {"number": 3}]}
    assert done == [2, 0, 1, 3]
    assert [line.partition("left: ")[2] for line in lines] == ["no. 0", "no. 1", "no. 3"]


@pytest.mark.parametrize(("first", "seats"), [(5, 10), (1, 10), (2, 6), (3, 9), (1, 2), (4, 10), (9, 10)])
def test_each_kind_sits_in_each_seat_equally_often(first: int, seats: int) -> None:
    passes = work.LineUp(first, seats).passes()

    assert all(sum(seated) == first for seated in passes)
    assert len(set(passes)) == len(passes)
    assert np.ptp(np.array(passes).sum(axis=0)) == 0


def test_five_sit_in_every_other_seat() -> None:
    line_up = work.LineUp(5, 10)

    assert line_up.name == "5 against 5"
    assert line_up.passes() == [(True, False) * 5, (False, True) * 5]


def test_chips_by_seat_are_those_of_the_arena() -> None:
    game = load_game("limit-3p")

    won = work.chips_by_seat(game, [Random(), AlwaysCall(), AlwaysRaise()], 7, 50)

    expected = Arena(game, [Random(), AlwaysCall(), AlwaysRaise()], 7).play(50)
    assert won.sum(axis=0).tolist() == list(expected)
    assert np.abs(won.sum(axis=1)).max() == 0


@pytest.mark.parametrize("first", [1, 2, 3])
def test_bots_of_one_kind_that_play_the_same_win_nothing_from_each_other(first: int) -> None:
    won = work.LineUp(first, 6).play(
        load_game("limit-6p"), lambda seated: [AlwaysCall() for _ in seated], 3, 40
    )

    assert won.tolist() == pytest.approx([0.0] * 40)


def test_what_the_first_kind_wins_the_others_lose() -> None:
    def seated(is_first: tuple[bool, ...], first_is_random: bool) -> list[Agent]:
        return [Random() if first is first_is_random else AlwaysCall() for first in is_first]

    one, others = (
        work.LineUp(first, 3).play(
            load_game("limit-3p"), functools.partial(seated, first_is_random=first == 1), 3, 30
        )
        for first in (1, 2)
    )

    assert (one + 2 * others).tolist() == pytest.approx([0.0] * 30)
    assert one.any()


def test_matches_add_up_and_differ() -> None:
    cut = list(work.matches(250, 100, 1))

    assert [deals for _, deals in cut] == [100, 100, 50]
    assert len({seed for seed, _ in cut}) == 3
    assert cut == list(work.matches(250, 100, 1))


def test_blocks_of_a_long_match_are_all_of_it() -> None:
    number, deals = work.long_matches(300, 100)

    found = work.play_long_match("limit-2p", ("always-raise", "random"), 3, deals)

    assert (number, deals) == (3, 50)
    blocks = work.blocks_of(found)
    assert len(blocks) == work.BLOCKS
    assert sum(block.hands for block in blocks) == 50
    other = work.blocks_of(work.play_long_match("limit-2p", ("random", "always-raise"), 3, deals))
    assert [block.chips for block in blocks] == [-block.chips for block in other]


# --- What experiments hand in -------------------------------------------------------------------------------


def test_a_table_has_as_many_bars_in_each_line() -> None:
    lines = markdown_table(["what", "won"], [["a|b", 1], ["c", None]]).splitlines()

    assert lines == ["| what | won |", "| --- | --- |", "| a\\|b | 1 |", "| c |  |"]


def test_columns_are_fields_or_functions_of_records() -> None:
    rows: list[dict[str, Any]] = [{"who": "a", "won": Estimate(0.5, 0.25, 9)}, {"who": "b"}]

    text = columns({"who": "who", "won": "won", "WHO": lambda row: row["who"].upper()}, rows)

    assert text.splitlines()[2:] == ["| a | +0.500 ± 0.250 | A |", "| b |  | B |"]
    assert per_cent(Estimate(0.5, 0.25, 9)) == "50.0 ± 25.0 %"
    assert per_cent(None) is None


@attrs.frozen
class _Settings(Options):
    hands: int = option(3, "hands")
    wanted: str = option("all", "parts", aside=True)


def test_results_are_written_whole(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    Findings({"won": 0.5}, "# Report\n").write(folder, "x")
    text = Findings({"settings": _Settings(), "won": Estimate(0.25, None, 1)}, "# Report 2\n").write(
        folder, "x"
    )

    results = json.loads((folder / "results.json").read_text())
    assert results == json.loads(text)
    assert list(results) == ["experiment", "version", "settings", "won"]
    assert results["settings"] == {"hands": 3}
    assert results["won"] == {"mean": 0.25, "ci95": None, "samples": 1}
    assert (folder / "results.md").read_text() == "# Report 2\n"
    assert sorted(path.name for path in folder.iterdir()) == ["results.json", "results.md"]


def test_a_number_that_json_does_not_know_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        Findings({"won": math.nan}, "").write(tmp_path, "x")

    assert list(tmp_path.iterdir()) == []


def test_curves_have_bands_where_there_are_estimates() -> None:
    estimates = {1: Estimate(0.5, 0.25, 9), 2: Estimate(0.75, None, 1)}

    found = plot("name", "t", "x", "y", {"one": estimates, "two": {1: 0.5}, "none": {}}, log_x=True)

    assert found.curves == (Curve("one", [1, 2], [0.5, 0.75], [0.25, 0.0]), Curve("two", [1], [0.5]))
    assert found.log_x


@pytest.mark.slow
def test_curves_become_two_pictures_that_are_the_same_each_time(tmp_path: Path) -> None:
    curves = (
        Curve("one", [1, 10, 100], [0.1, 0.2, 0.3], [0.05, 0.04, 0.03]),
        Curve("two", [1, 10], [0.2, 0.1]),
    )
    for name in ("a", "b"):
        files = draw_plot(tmp_path, Plot(name, "t", "x", "y", curves, log_x=True, levels=(("level", 0.25),)))

    assert [file.name for file in files] == ["b.png", "b.svg"]
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")


def test_panels_have_their_names_in_order(tmp_path: Path) -> None:
    curves = (Curve("one", [1, 2], [0.1, 0.2], [0.05, 0.04]), Curve("two", [1, 2], [0.2, 0.1]))

    draw_plot(tmp_path, Plot("won", "t", "", "y", curves, names=("somebody", "somebody else")))

    drawn = (tmp_path / "won.svg").read_text()
    assert drawn.index("<!-- somebody -->") < drawn.index("<!-- somebody else -->")
