"""``riverboat solve`` and ``riverboat exploitability``: small games, solved, measured and saved."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import attrs
import numpy as np
import pytest

from clients.bots.baselines import AlwaysFold
from clients.commands.solve.exploitability import exploitability
from clients.commands.solve.solve import solve
from clients.core.agent import Agent, ProbabilityTriple
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.lab.exploitability.asking import AskedAgent, policy_of_agent
from clients.lab.exploitability.local_response import LocalBestResponse
from engine.poker.rules import Action, HandView, format_game, load_game
from engine.solving.game_tree import game_tree
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.solver import Solver
from engine.solving.strategy_file import checkpoint_path, read_strategy, write_strategy
from tests.support.cases import cases
from tests.support.commands import reports, runs
from tests.support.dealer_process import PATIENCE_S, environment, program

# --- `riverboat solve` --------------------------------------------------------------------------------------

run, solved = runs(solve), reports(solve)


def test_a_game_is_solved_and_saved(tmp_path: Path) -> None:
    report = solved("leduc", "--save", tmp_path / "l.npz")

    assert (report["iterations"], report["algorithm"], report["interrupted"]) == (1000, "cfr+", False)
    assert report["exploitability"] < 0.26
    assert report["value"] == pytest.approx(-85.606, abs=0.1)
    saved = read_strategy(tmp_path / "l.npz", load_game("leduc"))
    assert saved.notes == {"game": "leduc", "algorithm": "cfr+", "iterations": 1000}


def test_a_game_file_of_ones_own_is_solved(tmp_path: Path) -> None:
    game = tmp_path / "mine.game"
    text = "GAMEDEF\nnolimit\nnumPlayers=2\nnumRounds=1\nstack=4 4\nblind=1 2\nnumSuits=1\nnumRanks=4\n"
    game.write_text(f"{text}numHoleCards=1\nnumBoardCards=0\nEND GAMEDEF\n")

    assert solved(game, "--save", tmp_path / "s.npz", "--iterations", 500)["exploitability"] < 1


@pytest.mark.parametrize("algorithm", ["cfr+", "mcfr"])
def test_going_on_gives_the_same_as_never_stopping(algorithm: str, tmp_path: Path) -> None:
    options = ["leduc", "--algorithm", algorithm, "--seed", 5]
    run(*options, "--iterations", 300, "--save", tmp_path / "whole.npz")

    run(*options, "--iterations", 120, "--save", tmp_path / "parts.npz")
    result = run(*options, "--iterations", 300, "--save", tmp_path / "parts.npz", "--resume")

    assert result.exit_code == 0, result.output
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    assert parts.read_bytes() == whole.read_bytes()
    assert checkpoint_path(parts).read_bytes() == checkpoint_path(whole).read_bytes()


def test_raises_may_differ_by_round_and_by_number(tmp_path: Path) -> None:
    game, file = tmp_path / "short.game", tmp_path / "s.npz"
    game.write_text(format_game(attrs.evolve(load_game("nolimit-2p"), stacks=(500, 500))))
    options = ["--abstraction", "percentiles", "--buckets", 2, "--save", file, "--bets"]
    solved(game, *options, "pot,half+pot:all-in", "--iterations", 2)

    saved = read_strategy(file)
    assert isinstance(saved.strategy, BucketedStrategy)
    assert saved.notes["sizes"] == [[[1.0]], [[0.5, 1.0], ["all-in"]]]
    assert saved.strategy.betting.menus == (((1.0,),), ((0.5, 1.0), (math.inf,)))
    result = run(game, *options, "pot,pot:half", "--iterations", 4, "--resume")
    assert "was made with sizes" in result.output
    for text, message in (
        ("a,b,c,d,e", "four rounds at most"),
        ("pot,,half", "sizes joined by +"),
        ("pot:", "sizes joined"),
        ("pot:-1", "sizes joined"),
    ):
        assert message in run(game, *options, text, "--force").output


def one_raise(folder: Path) -> Path:
    """The file of a game: limit hold'em with one raise in each round."""
    (folder / "one-raise.game").write_text(
        format_game(attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1)))
    )
    return folder / "one-raise.game"


@pytest.mark.slow
def test_limit_holdem_is_solved_on_boards(tmp_path: Path) -> None:
    game, save = one_raise(tmp_path), tmp_path / "s.npz"
    options = ["--save", save, "--abstraction", "percentiles"]
    first = run(game, *options, "--buckets", 3, "--iterations", 1, "--json")
    more = run(game, *options, "--buckets", "3,3,3", "--iterations", 2, "--jobs", 2, "--resume", "--json")
    other = run(game, *options, "--buckets", 4, "--iterations", 2, "--resume")
    small = run("leduc", "--save", tmp_path / "x.npz", "--algorithm", "pcs")

    assert (first.exit_code, more.exit_code) == (0, 0), first.output + more.output
    report = json.loads(more.stdout)
    assert (report["algorithm"], report["iterations"], report["exploitability"]) == ("pcs", 2, None)
    assert read_strategy(save).notes["buckets"] == [3, 3, 3]
    assert (other.exit_code, small.exit_code) == (2, 2)
    assert "was made with buckets [3, 3, 3], expected [4, 4, 4]" in other.stderr
    assert "--algorithm pcs solves limit hold'em for two" in small.stderr


@pytest.mark.slow
def test_limit_holdem_is_solved_against_an_opponent_with_finer_buckets(tmp_path: Path) -> None:
    game = one_raise(tmp_path)
    options = [game, "--buckets", "3,4,5", "--board-classes", "3,5,4", "--clusters", "6,7"]
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"

    first = run(*options, "--iterations", 4, "--save", whole)
    run(*options, "--iterations", 1, "--save", parts)
    run(*options, "--iterations", 4, "--save", parts, "--resume", "--jobs", 2)
    other = run(*options[:-1], "6,8", "--iterations", 5, "--save", parts, "--resume")

    assert first.exit_code == 0, first.output
    assert parts.read_bytes() == whole.read_bytes()
    saved = read_strategy(whole)
    assert (saved.notes["abstraction"], saved.notes["clusters"]) == ("clusters", [6, 7])
    assert isinstance(saved.strategy, BucketedStrategy)
    assert saved.strategy.abstraction.num_buckets == (169, 9, 20, 20)
    assert "was made with clusters [6, 7], expected [6, 8]" in other.stderr


def test_the_learning_curve_of_a_small_game_is_exact(tmp_path: Path) -> None:
    curve = solved("leduc", "--save", tmp_path / "l.npz", "--plot", tmp_path / "l.svg")["curve"]

    points = {point["iterations"]: point["exploitability"] for point in curve}
    assert (list(points)[:3], list(points)[-1]) == ([1, 2, 3], 1000)
    assert (tmp_path / "l.svg").read_text().startswith("<?xml")
    for iterations in (1, 16):  # as of a run that ends there
        alone = solved("leduc", "--iterations", iterations, "--save", tmp_path / f"{iterations}.npz")
        assert alone["exploitability"] == points[iterations]


def test_a_learning_curve_changes_nothing_and_goes_on_with_the_run(tmp_path: Path) -> None:
    run("kuhn-2p", "--iterations", 300, "--save", tmp_path / "plain.npz")

    options = ["kuhn-2p", "--save", tmp_path / "drawn.npz", "--plot", tmp_path / "k.svg"]
    first = solved(*options, "--iterations", 100)
    second = solved(*options, "--iterations", 300, "--resume")

    assert (tmp_path / "drawn.npz").read_bytes() == (tmp_path / "plain.npz").read_bytes()
    assert first["curve"][-1]["iterations"] == 100
    assert second["curve"][0]["iterations"] > 100
    assert second["curve"][-1] == {
        "iterations": 300, "exploitability": second["exploitability"], "upper": None
    }  # fmt: skip


@pytest.mark.slow
def test_the_learning_curve_of_limit_holdem_has_two_bounds(tmp_path: Path) -> None:
    game = one_raise(tmp_path)

    curve = solved(
        game, "--save", tmp_path / "s.npz", "--abstraction", "percentiles", "--buckets", 5,
        "--iterations", 250, "--plot", tmp_path / "s.svg",
    )["curve"]  # fmt: skip

    assert [point["iterations"] for point in curve] == [125, 250]
    assert all(point["exploitability"] < point["upper"] for point in curve)
    assert (tmp_path / "s.svg").exists()


def killed(save: Path, number: int) -> tuple[int, str]:
    """A run that would take long, ended by a signal once it has saved something."""
    arguments = ["solve", "leduc", "--iterations", "1000000", "--save", str(save), "--checkpoint-every", "0"]
    process = subprocess.Popen(
        program(*arguments), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = ""
    for line in process.stderr:  # one for each checkpoint
        said += line
        if ", saved" in line and not line.startswith("1 "):
            break
    process.send_signal(number)
    said += process.communicate(timeout=PATIENCE_S)[1]
    return process.returncode, said


def test_a_run_that_was_killed_goes_on_to_the_same_end(tmp_path: Path) -> None:
    save = tmp_path / "killed.npz"
    status, _ = killed(save, signal.SIGKILL)
    with np.load(checkpoint_path(save)) as state:
        had = int(state["iterations"])

    result = run("leduc", "--iterations", had + 50, "--save", save, "--resume")

    assert (status, result.exit_code) == (-signal.SIGKILL, 0), result.output
    run("leduc", "--iterations", had + 50, "--save", tmp_path / "whole.npz")
    assert save.read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_ctrl_c_saves_and_says_so(tmp_path: Path) -> None:
    save = tmp_path / "stopped.npz"

    status, said = killed(save, signal.SIGINT)

    assert status == 130
    assert "Traceback" not in said
    assert read_strategy(save).notes["iterations"] >= 1


def test_a_time_limit_is_kept(tmp_path: Path) -> None:
    start = time.monotonic()
    report = solved("kuhn-2p", "--minutes", 0.005, "--save", tmp_path / "k.npz")

    assert report["seconds"] >= 0.3
    assert time.monotonic() - start < PATIENCE_S


def test_no_file_is_replaced_without_being_asked_to(tmp_path: Path) -> None:
    save = tmp_path / "k.npz"
    run("kuhn-2p", "--iterations", 10, "--save", save)
    before = save.read_bytes()

    refused = run("kuhn-2p", "--iterations", 20, "--save", save)

    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "k.npz is there already: --resume, --force, or choose another file" in refused.stderr
    assert save.read_bytes() == before
    assert run("kuhn-2p", "--iterations", 20, "--save", save, "--force").exit_code == 0
    assert save.read_bytes() != before


def test_former_names_of_options_still_work_with_a_warning(tmp_path: Path) -> None:
    said = run("leduc", "--save", tmp_path / "x.npz", "--slips=0.1", "--no-answers", "--textures", "4").stderr

    assert said.splitlines() == [
        "--slips is called --trembles now; the old name goes with the next release",
        "--no-answers is called --no-best-responses now; the old name goes with the next release",
        "--textures is called --board-classes now; the old name goes with the next release",
        "riverboat solve: --board-classes is for hold'em",
    ]
    assert not {"--slips", "--answers", "--textures"} & set(run("--help").stdout.split())


# --- `riverboat exploitability` -----------------------------------------------------------------------------

measure = runs(exploitability)
measured = reports(exploitability)


@pytest.mark.parametrize(("bot", "game", "expected"), cases(__file__, "as exploitable as published"))
def test_bots_are_as_exploitable_as_published(bot: str, game: str, expected: float) -> None:
    report = measured(bot, "--game", game)

    assert report["exploitability"] == pytest.approx(expected, abs=0.001 if expected > 1 else 0.01)
    assert (report["game"], report["method"], report["se"]) == (game, "exact", 0.0)
    assert report["upper"] == report["exploitability"] == pytest.approx(sum(report["responses"]) / 2)


def test_a_strategy_file_knows_its_game(tmp_path: Path) -> None:
    solver = Solver(game_tree(load_game("leduc")))
    solver.run(1000)
    write_strategy(tmp_path / "l.npz", solver.average(), {"game": "leduc"})

    report = measured(tmp_path / "l.npz")

    assert report["game"] == "leduc"
    assert report["exploitability"] < 0.26
    assert report["value"] == pytest.approx(-85.606, abs=0.1)
    by_bot = measured(f"equilibrium:strategy={tmp_path / 'l.npz'}", "--game", "leduc")
    assert by_bot["exploitability"] == pytest.approx(report["exploitability"])


def test_without_json_it_is_a_few_lines() -> None:
    result = measure("always-fold", "--game", "kuhn-3p")

    assert result.stdout.splitlines()[0] == "always-fold in kuhn-3p: 2000.000 mbb/h, exact"
    assert len(result.stdout.splitlines()) == 4


class Remembers(Agent):
    """Calls once it has seen a raise in the hand, else raises; checks that it is told all there is."""

    def hand_started(self, view: HandView) -> None:
        assert (view.betting.text, view.board) == ("", ())
        self.seen = 0
        self.raises = 0

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        self.seen += 1
        self.raises += action.kind == "r"

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        assert view.position == (self.seat + view.hand_number) % 2
        assert self.seen == len(view.betting.steps())
        can_raise = view.legal_actions().can_raise
        return ProbabilityTriple(0, 0, 1) if can_raise and not self.raises else ProbabilityTriple(0, 1, 0)


def test_an_agent_sees_the_hand_before_it_is_asked() -> None:
    tree = game_tree(load_game("leduc"))

    policy = policy_of_agent("me", Remembers(), tree)

    for node in tree.decisions:
        raised = "r" in node.betting.text
        assert (node.slots(policy)[node.actions.index(("c", None))] == (1.0 if raised else 0.0)).all()


@pytest.mark.slow
def test_on_flops_there_is_a_lower_and_an_upper_bound() -> None:
    """1163.5 is published and recomputed; two flops with two turns each say it to some 100 mbb/h."""
    report = measured("always-call", "--game", "limit-2p", "--method", "flops", "--flops", 2, "--turns", 2)

    assert (report["game"], report["method"], report["value"]) == ("limit-2p", "flops", None)
    assert report["exploitability"] == pytest.approx(sum(report["responses"]) / 2)
    assert abs(report["exploitability"] - 1163.5) < 3 * report["se"] < 1000
    assert report["upper"] > report["exploitability"]


@pytest.mark.slow
def test_little_is_won_from_the_shipped_strategy() -> None:
    """By 96 flops it is between 97 and 179 mbb/h; four say it to some hundred."""
    report = measured("equilibrium", "--game", "limit-2p", "--flops", 4, "--turns", 2)

    assert report["exploitability"] < report["upper"] < 500


def test_local_best_response_wins_no_more_than_the_best() -> None:
    """Of who always calls it wins all there is, though it sees the others' cards no more than anybody."""
    call = measured("always-call", "--game", "leduc", "--method", "lbr", "--hands", 500)
    best = measured("equilibrium", "--game", "leduc", "--method", "lbr", "--hands", 150)

    assert abs(call["exploitability"] - 1466.7) < 3.5 * call["se"] < 400
    assert best["exploitability"] < 3.5 * best["se"]
    assert (call["method"], call["hands"], call["value"], call["upper"]) == ("lbr", 500, None, None)


@pytest.mark.parametrize("setting", [2, 3, 4])
def test_who_always_folds_loses_750_once_raises_are_tried(setting: int) -> None:
    """It folds its small blind, and its big blind to the first raise."""
    report = measured("always-fold", "--game", "nolimit-2p", "--setting", setting, "--hands", 8)

    assert (report["won"], report["setting"]) == (pytest.approx(750), setting)


def test_who_always_folds_loses_250_where_nobody_raises() -> None:
    """Half a big blind in one seat; in the other all is checked, which in the mean wins nothing."""
    game, ended = load_game("nolimit-2p"), []
    fold = AlwaysFold()
    response = LocalBestResponse(AskedAgent("it", fold, game), setting=1)
    Arena(game, [response, fold], 7).play(20, on_hand=lambda state, _: ended.append(state.betting.text))

    assert Counter(ended) == {"f": 10, "cc/cc/cc/cc": 10}


def test_raises_that_are_not_made_may_be_valued_by_another_bot() -> None:
    words = "always-call", "--game", "nolimit-2p", "--setting", 2, "--hands", 8
    usual, same, other = (
        measured(*words, *more) for more in ((), ("--choose", "always-call"), ("--choose", "always-fold"))
    )

    assert usual == same
    assert other["won"] != usual["won"]  # it bets whatever it holds, since it expects folds


def test_options_of_a_method_choose_it() -> None:
    assert measured("always-call", "--game", "leduc", "--hands", 2)["method"] == "lbr"


def test_an_agent_that_says_nothing_about_itself_is_refused() -> None:
    with pytest.raises(OptionError, match="me does not say how likely it folds, calls and raises"):
        policy_of_agent("me", Agent(), game_tree(load_game("kuhn-2p")))
