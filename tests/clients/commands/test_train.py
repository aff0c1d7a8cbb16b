"""``riverboat train`` and ``riverboat knowledge``: what learners leave; and how it is found and compiled."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import IO

import click
import pytest
from click.testing import CliRunner, Result

from clients.bots.baselines import AlwaysCall
from clients.commands.ask.train import knowledge, split_opponents, train as command
from clients.commands.lab import experiment as experiment_command
from clients.commands.lab.experiment import experiment
from clients.commands.lab.kernels import STEPS
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.learners import training
from clients.learners.knowledge_file import journal_path, read_knowledge
from clients.learners.preflop.learner import PreflopLearner
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner
from clients.learners.training import Table, TrainingPlan, make_learner
from engine.poker.rules import load_game
from engine.support.intervals import Winnings
from tests.support.commands import reports, runs
from tests.support.dealer_process import PATIENCE_S, environment, program, run_to_end

# --- `riverboat train` --------------------------------------------------------------------------------------

run, trained = runs(command), reports(command)

BOTS = ("always-call", "always-all-in", "random", "simple")


def quick(save: Path, *arguments: object, hands: int = 300, learner: str = "hole-cards-learner") -> Result:
    return run(learner, "--against", "always-call", "--hands", hands, "--seed", 3, "--save", save, *arguments)


def hands_in(file: Path) -> int:
    hands = read_knowledge(file).meta["hands"]
    assert isinstance(hands, int)
    return hands


# --- training ----------------------------------------------------------------------------------------------


def test_what_is_learnt_is_what_the_same_hands_teach_at_any_table(tmp_path: Path) -> None:
    result = quick(tmp_path / "trained.npz", "--checkpoint-every", 70)
    learner = HoleCardsLearner(tmp_path / "played.npz", journal=False)
    Arena(load_game("nolimit-2p-100bb"), [learner, AlwaysCall()], 3).play(300)
    learner.save_knowledge()

    assert result.exit_code == 0, result.output
    trained, played = read_knowledge(tmp_path / "trained.npz"), read_knowledge(tmp_path / "played.npz")
    assert (trained.digest, trained.meta["hands"]) == (played.digest, 300)


def test_json_is_one_object_and_tells_the_truth(tmp_path: Path) -> None:
    against = ["always-call", "random:fold=0,call=1", "simple:preflop-only", "always-all-in"]

    report = trained(
        "poker-learner", "--against", ",".join(against), "--hands", 200, "--seed", 5,
        "--save", tmp_path / "k.npz",
    )  # fmt: skip

    learner = make_learner("poker-learner", None)
    table = Table(learner, load_game("nolimit-5p-100bb"), report["against"], 5)
    table.play(200)
    assert (report["against"], report["game"]) == (against, "nolimit-5p-100bb")
    assert (report["hands"], report["chips"], report["interrupted"]) == (200, table.winnings.chips, False)
    assert report["mbb_per_hand"] == pytest.approx(table.winnings.chips / 200 / 2 * 1000, abs=0.001)


def test_a_table_counts_what_seat_0_wins() -> None:
    table = Table(make_learner("hole-cards-learner", None), load_game("nolimit-6p-100bb"), ["random"] * 5, 9)

    table.play(50)
    table.play(51)

    assert table.hands == 101
    assert table.winnings.chips == pytest.approx(table.chips_by_seat[0])
    assert sum(table.chips_by_seat) == pytest.approx(0)


def test_resuming_goes_on_with_what_is_known(tmp_path: Path) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    quick(first)
    before = read_knowledge(first).digest

    elsewhere = quick(second, "--resume", first)
    in_place = quick(first, "--resume", first)

    assert elsewhere.exit_code == in_place.exit_code == 0, elsewhere.output + in_place.output
    assert hands_in(first) == hands_in(second) == 600
    assert read_knowledge(first).digest == read_knowledge(second).digest != before


def test_resuming_takes_the_journal_along(tmp_path: Path) -> None:
    played = tmp_path / "played.npz"
    learner = HoleCardsLearner(played)
    Arena(load_game("nolimit-2p-100bb"), [learner, AlwaysCall()], 3).play(40)
    assert journal_path(played).exists()
    (tmp_path / "copy.npz").write_bytes(played.read_bytes())  # as if the program had been killed
    journal_path(tmp_path / "copy.npz").write_bytes(journal_path(played).read_bytes())
    learner.close_knowledge()

    result = quick(tmp_path / "new.npz", "--resume", tmp_path / "copy.npz")

    assert result.exit_code == 0, result.output
    assert hands_in(tmp_path / "new.npz") == 340


def test_opponents_take_turns_at_a_bigger_table(tmp_path: Path) -> None:
    report = trained(
        "hole-cards-learner", "--against", "always-call,random", "--game", "nolimit-6p", "--hands", 20,
        "--seed", 1, "--save", tmp_path / "k.npz",
    )  # fmt: skip

    assert report["against"] == ["always-call", "random"] * 2 + ["always-call"]


@pytest.mark.parametrize(
    ("texts", "opponents"),
    [
        (["simple"], ("simple",)),
        (["simple,random"], ("simple", "random")),
        (["random:fold=0.1,call=1,simple", "random"], ("random:fold=0.1,call=1", "simple", "random")),
        (["simple,nonsense"], ("simple", "nonsense")),  # said to be no bot later
    ],
)
def test_commas_part_bots_and_their_options(texts: list[str], opponents: tuple[str, ...]) -> None:
    assert split_opponents(texts, BOTS) == opponents


def test_a_learner_may_have_its_own_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []

    class Own(Agent):
        def __init__(self, knowledge: Path | None = None, learn: bool = True) -> None:
            self.hands = 0

        def train(self, plan: TrainingPlan) -> Iterator[Winnings]:
            while self.hands < plan.hands:
                self.hands += 10
                yield Winnings(self.hands, 2.0 * self.hands, 4.0 * self.hands)

        def save_knowledge(self) -> None:
            saved.append(self.hands)

    monkeypatch.setattr(training, "load_bot", lambda name: Own)

    result = quick(tmp_path / "own.npz", "--checkpoint-every", 30, "--json", hands=100, learner="own")

    report = json.loads(result.stdout)
    assert saved == [30, 60, 90, 100]
    assert (report["mbb_per_hand"], report["ci95"]) == (1000, 0)


# --- mistakes ----------------------------------------------------------------------------------------------


def test_only_a_learner_is_made() -> None:
    with pytest.raises(OptionError, match="is not a learner"):
        make_learner("always-call", None)


# --- stopped, killed ---------------------------------------------------------------------------------------


def _training(save: Path, *arguments: str) -> subprocess.Popen[str]:
    """A training that never ends by itself, against a bot that no compiled loop knows."""
    line = [sys.executable, "-P", "-m", "server", "train", "hole-cards-learner", "--against", "always-raise"]
    line += ["--hands", "100000000", "--seed", "1", "--save", str(save), *arguments]
    return subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )


def _wait_for_checkpoint(stream: IO[str] | None) -> int:
    """Hands at the next checkpoint that is reported."""
    assert stream is not None
    line = stream.readline()
    assert "saved" in line, line
    return int(line.split()[0])


@pytest.mark.slow
def test_ctrl_c_saves(tmp_path: Path) -> None:
    process = _training(tmp_path / "k.npz", "--checkpoint-every", "500")
    _wait_for_checkpoint(process.stderr)

    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert hands_in(tmp_path / "k.npz") == int(output.split()[1])  # "hole-cards-learner: 1500 hands of ..."


@pytest.mark.parametrize("moments", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_killed_training_loses_one_checkpoint_at_most(tmp_path: Path, moments: int) -> None:
    # While a checkpoint is written, just after, between two: as the dice fall.
    rng = random.Random(moments)
    file = tmp_path / "k.npz"
    known = 0
    process = _training(file, "--checkpoint-every", "500")
    for moment in range(moments):
        checkpoints = rng.randint(1, 3)
        reported = [_wait_for_checkpoint(process.stderr) for _ in range(checkpoints)][-1]
        for _ in range(rng.randrange(200_000)):  # some milliseconds more or less
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)

        hands = hands_in(file)
        assert hands >= known + reported, moment
        assert (hands - known) % 500 == 0
        known = hands
        if moment < moments - 1:
            process = _training(file, "--checkpoint-every", "500", "--resume", str(file))


# --- `riverboat knowledge` ----------------------------------------------------------------------------------

shown = reports(knowledge)


def taught(learner: PreflopLearner, hands: int = 300) -> None:
    Arena(load_game("nolimit-2p"), [learner, AlwaysCall()], 3, names=["us", "them"]).play(hands)
    learner.close_knowledge()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "hole-cards.npz"
    taught(HoleCardsLearner(knowledge=path))
    return path


def test_a_row_for_each_state_of_a_hand_in_percent(path: Path) -> None:
    result = CliRunner().invoke(knowledge, [str(path), "--hand", "27o"])

    title, head, *rows = result.output.splitlines()
    assert result.exit_code == 0
    assert title.startswith("hole-cards-learner, no-limit Texas hold'em: hands 300")
    assert " ".join(head.split()) == "hand position last player last action fold call raise updates"
    assert rows
    for row in rows:
        name, position, *_, fold, call, raise_, updates = row.split()
        assert (name, position in ("early", "late")) == ("72o", True)
        assert sum(int(share.removesuffix("%")) for share in (fold, call, raise_)) in (99, 100, 101)
        assert int(updates) >= 1


def test_json_has_the_same(path: Path) -> None:
    report = shown(path, "--min-updates", "0")

    assert (report["learner"], report["hands"], report["classifier"]) == (
        "hole-cards-learner",
        300,
        "as-meant",
    )
    assert len(report["rows"]) == report["states"]
    assert {row["last_player"] for row in report["rows"]} == {"loose passive", "tight passive"}
    assert {row["last_action"] for row in report["rows"]} == {"call", "raise"}  # all in is a raise


def test_names_and_the_values_of_both_ways_are_shown_where_they_are_learnt(tmp_path: Path) -> None:
    path = tmp_path / "name.npz"
    taught(NameLearner(knowledge=path))

    rows = shown(path)["rows"]

    assert {row["last_player"] for row in rows} == {"them"}
    assert all(row["hole_cards"] < 100 and row["winning_hand"] < 100 for row in rows)


def test_what_is_still_in_the_journal_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "hole-cards.npz"
    learner = HoleCardsLearner(knowledge=path)
    Arena(load_game("nolimit-2p"), [learner, AlwaysCall()], 3).play(50)

    assert shown(path)["hands"] == 50


# --- `riverboat experiment` ---------------------------------------------------------------------------------


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path))
def coin_flips(out: Path) -> None:
    """Flip coins."""
    click.echo(f"flipped into {out}")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages with experiments, one of them broken, and one that is not a command."""
    good = ModuleType("package_with_an_experiment")
    good.__dict__.update(command=coin_flips, number=7)
    monkeypatch.setitem(sys.modules, good.__name__, good)
    entries = [
        EntryPoint("coin-flips", "package_with_an_experiment:command", experiment_command.GROUP),
        EntryPoint("number", "package_with_an_experiment:number", experiment_command.GROUP),
        EntryPoint("broken", "no_such_package:command", experiment_command.GROUP),
    ]
    monkeypatch.setattr(
        experiment_command, "installed_experiments", lambda: {entry.name: entry for entry in entries}
    )


@pytest.mark.usefixtures("installed")
def test_an_experiment_of_an_installed_package_runs() -> None:
    result = CliRunner().invoke(experiment, ["coin-flips", "--out", "here"])

    assert (result.exit_code, result.output) == (0, "flipped into here\n")


@pytest.mark.usefixtures("installed")
def test_broken_experiments_do_not_hide_the_others() -> None:
    result = CliRunner().invoke(experiment, ["--help"])

    assert result.exit_code == 0
    assert "Flip coins." in result.output
    assert "no_such_package" in result.output
    assert "not a click command" in " ".join(result.output.split())


@pytest.mark.usefixtures("installed")
def test_a_broken_experiment_says_why_in_one_line() -> None:
    result = CliRunner().invoke(experiment, ["broken", "--out", "here"])

    assert result.exit_code == 1
    assert "no_such_package" in result.output
    assert result.output.count("\n") == 1


# --- `riverboat kernels` ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_has_been_compiled_is_not_compiled_again() -> None:
    done = run_to_end(program("kernels"), timeout=110, check=True)
    steps = [line for line in done.stderr.splitlines() if line.startswith("kernels: ")]

    assert done.stdout == ""
    count = len(STEPS)
    assert [step.partition(",")[0] for step in steps] == [
        f"kernels: {n} of {count}" for n in range(1, count + 1)
    ]
    code = (
        "from clients.core.arena import Arena; from clients.core.registry import make_bot\n"
        "from engine.poker.rules import load_game\n"
        "bots = [make_bot(name) for name in ('simple', 'formula', 'hand-strength')]\n"
        "Arena(load_game('limit-3p'), bots, 1).play(5)\n"
    )
    after = run_to_end([sys.executable, "-c", code], timeout=110, check=True)
    assert "compiling" not in after.stderr
