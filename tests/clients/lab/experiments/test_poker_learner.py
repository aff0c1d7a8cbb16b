"""``riverboat experiment poker-learner``: end to end at reduced size, and what it computes on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from clients.lab.experiments.harness import Task
from clients.lab.experiments.poker_learner.experiment import optimum_against_all_in, score, score_lines
from clients.lab.experiments.poker_learner.training import (
    BOTS,
    LEARNERS,
    SIMPLE_BOT,
    THESIS_LEARNED,
    ThesisSettings,
    all_tasks,
    file_name,
    thesis_rate,
)
from clients.learners.knowledge_file import read_knowledge
from clients.learners.preflop.knowledge import read_base
from clients.learners.preflop.state import ACTIONS, split_key
from engine.hands.equity import preflop_equities
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, STARTING_HAND_OF_COMBO
from engine.poker.rules import load_game
from tests.clients.lab.experiments.runs import Run, run, tasks_done, whole_run

PLAYED = ("name-learner",)
STATE = ("hand", "position", "last_player", "last_action")
SMALL = "--hands 120 --match-hands 100 --seeds 2 --seed 4 --learner name-learner"
ONE = "--hands 60 --match-hands 100 --seeds 1 --learner hole-cards-learner --no-plots"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two runs with one learner, on two processes."""
    return whole_run("poker-learner", tmp_path_factory.mktemp("whole") / "out", SMALL, "--jobs 2 --no-plots")


@pytest.mark.slow
def test_everything_is_there(whole: Run) -> None:
    drawn = whole_run("poker-learner", whole.out, SMALL, "--resume")
    out, printed, results = drawn.out, drawn.printed, drawn.results

    assert (results["settings"]["training_hands"], results["score"]["meet"]["of"]) == (120, 4)
    assert "## What comes out" in printed
    for bot in BOTS:
        assert f"## Against {bot}" in printed
        for learner in PLAYED:
            entry = results["heads_up"][bot][learner]
            for mode in ("learning", "frozen"):
                assert entry[mode]["bb_per_hand"]["hands"] == 200
                assert entry[mode]["bb_per_hand"]["ci95"] > 0
                assert ("share_of_optimum" in entry[mode]) == (bot == "always-all-in")
            assert entry["training"]["hands"] == 240
            for number in (1, 2):
                file = out / "knowledge" / f"{learner}-{file_name(bot)}-{number}.npz"
                assert read_knowledge(file, learner).meta["hands"] == 120
    assert [len(entries["name-learner"]["players"]) for entries in results["competition"].values()] == [5, 6]
    assert {learner: len(rows) for learner, rows in results["learned"].items()} == {
        learner: len(THESIS_LEARNED[learner]) for learner in PLAYED
    }
    # Four bots, learning and frozen; two tables.
    for ending, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        plots = sorted(out.glob(f"*{ending}"))
        assert len(plots) == 10
        assert all(plot.read_bytes().startswith(magic) for plot in plots)


@pytest.mark.slow
def test_bankrolls_are_the_chips_that_were_won(whole: Run) -> None:
    results = whole.results

    for entries in results["heads_up"].values():
        for entry in entries.values():
            series = entry["frozen"]
            end = series["bankroll"][-1]["mean"]  # the mean of two runs of 100 hands
            assert series["bb_per_hand"]["mean"] == pytest.approx(end / 100 / 2)
            assert series["dollars_at_checkpoints"][-1] == pytest.approx(end / 100)
    for entries in results["competition"].values():
        for entry in entries.values():
            means = [player["bb_per_hand"]["mean"] for player in entry["players"].values()]
            assert sum(means) == pytest.approx(0, abs=1e-9)
            assert entry["bb_per_hand"]["mean"] == pytest.approx(means[0])
            assert entry["place"] == 1 + sum(mean > means[0] for mean in means)


@pytest.mark.slow
def test_the_same_figures_with_one_process_and_in_other_company(whole: Run, tmp_path: Path) -> None:
    results = whole.results

    again = whole_run("poker-learner", tmp_path, SMALL, "--learner hole-cards-learner --no-plots").results

    for bot in BOTS:
        assert again["heads_up"][bot]["name-learner"] == results["heads_up"][bot]["name-learner"]
    assert again["learned"]["name-learner"] == results["learned"]["name-learner"]
    for name in again["competition"]:
        assert again["competition"][name]["name-learner"] == results["competition"][name]["name-learner"]


@pytest.mark.slow
def test_a_second_experiment_begins_from_nothing(tmp_path: Path) -> None:
    first, second, other = (
        whole_run("poker-learner", tmp_path, ONE, f"--force --seed {seed}").results for seed in (1, 1, 2)
    )

    assert first == second
    assert other["heads_up"] != first["heads_up"]


def test_a_result_without_its_knowledge_does_not_count(tmp_path: Path) -> None:
    whole = whole_run("poker-learner", tmp_path, ONE)
    sorted((tmp_path / "knowledge").glob("*.npz"))[0].unlink()

    resumed = run("poker-learner", tmp_path, ONE, "--resume")
    other = run("poker-learner", tmp_path, ONE, "--resume --match-hands 101")

    assert resumed.stdout == whole.printed
    assert len(tasks_done(resumed)) == 1  # five of six were there
    assert "bb/hand" in tasks_done(resumed)[0] or "states" in tasks_done(resumed)[0]
    assert len(tasks_done(other)) == 6  # played with other settings: nothing was there


# --- against the outside -----------------------------------------------------------------------------------


def test_the_optimum_against_a_player_who_is_always_all_in() -> None:
    # Every pair of starting hands against every other, all cards out: the exact 169 x 169 matrix; the other
    # hand is random, cards of ours removed.  Fold, or play for 200 chips.
    equities = preflop_equities()
    hands = [(int(high), int(low)) for high, low in zip(COMBO_HIGH, COMBO_LOW, strict=True)]
    of_combo = STARTING_HAND_OF_COMBO.astype(int)
    won = np.zeros(2)
    for combo, (high, low) in enumerate(hands):
        free = np.array([not {high, low} & set(other) for other in hands])
        share = equities[of_combo[combo], of_combo[free]].mean()
        playing = 200 * share - 200 * (1 - share)
        won += [max(playing, -1), max(playing, -2)]  # the small blind, the big blind
    by_position = won / len(hands) / 2  # in big blinds

    assert optimum_against_all_in() == pytest.approx(by_position.mean(), abs=0.005)
    # The optimum is 7.65, 7.77 from the button and 7.52 out of it.
    assert by_position == pytest.approx([7.77, 7.52], abs=0.01)


def test_the_best_response_wins_the_optimum() -> None:
    from clients.bots.baselines import AlwaysAllIn
    from clients.bots.percentiles import starting_hand_percentiles
    from clients.core.agent import Agent
    from clients.core.arena import Arena
    from engine.hands.preflop.tables import shipped_tables
    from engine.poker.combos import starting_hand
    from engine.poker.rules import CALL, FOLD, Action, HandView

    shares = shipped_tables().raw_odds[:, 0]
    assert starting_hand_percentiles(2)

    class BestResponse(Agent):
        def choose_action(self, view: HandView) -> Action:
            playing = 400 * shares[starting_hand(*view.own_cards)] - 200
            return CALL if playing > -view.betting.spent[view.position] else FOLD

    won: list[float] = []
    Arena(load_game("nolimit-2p-100bb"), [BestResponse(), AlwaysAllIn()], 2).play(
        10_000, on_hand=lambda state, chips: won.append(chips[-state.hand_number % 2] / 2)
    )

    error = np.std(won) / len(won) ** 0.5
    assert abs(np.mean(won) - optimum_against_all_in()) < 3 * error
    assert error < 0.7


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_small_run_wins_and_loses_as_the_thesis_does(tmp_path: Path) -> None:
    """Against always-all-in: all four win, the learner of hole cards most, that of the winning hand least."""
    settings = ThesisSettings(4_000, 20_000, 1, 1, frozen=False, bots=("always-all-in",))
    rates = {}
    for task in all_tasks(settings, tmp_path):
        played = task.do()["learning"]
        rates[task.group[1]] = played["chips"] / played["hands"] / 2
    by_rate = sorted(rates, key=rates.__getitem__)

    assert {learner: rate > 0 for learner, rate in rates.items()} == {
        learner: thesis_rate("always-all-in", learner) > 0 for learner in LEARNERS
    }
    assert (by_rate[0], by_rate[-1]) == ("winning-hand-learner", "hole-cards-learner")
    assert rates["hole-cards-learner"] == pytest.approx(
        thesis_rate("always-all-in", "hole-cards-learner"), rel=0.25
    )


def test_the_simple_bot_may_be_read_as_the_one_of_the_testbed(tmp_path: Path) -> None:
    usual = ThesisSettings(60, 100, 1, 1, ("hole-cards-learner",), (), False, (SIMPLE_BOT,))
    listed = attrs.evolve(usual, readings=("simple-bot=listed",))

    results = [all_tasks(settings, tmp_path)[0].do()["learning"] for settings in (usual, listed)]

    assert [each["players"][1] for each in results] == [SIMPLE_BOT, "simple:preflop-only,hands=listed"]
    assert results[0]["bankrolls"] != results[1]["bankrolls"]
    alone = attrs.evolve(listed, readings=("simple-bot=listed", "simple-bot=list-alone"))
    assert alone.seated(BOTS) == (*BOTS[:3], "simple:preflop-only,hands=listed,others=0")


def test_what_comes_out_is_counted() -> None:
    def rates(bot: str, learner: str) -> dict[str, Any]:
        # Half of the thesis's for the last learner, the wrong sign against the last bot, else a tenth more.
        part = -1.0 if bot == BOTS[-1] else 0.5 if learner == LEARNERS[-1] else 1.1
        numbers = {"ci95": 0.1, "hands": 25 * 100_000, "ci95_runs": 0.05}
        return {"learning": {"bb_per_hand": {"mean": part * thesis_rate(bot, learner), **numbers}}}

    learnt = [
        {"percent": percent, "thesis": [82, 0, 18], **dict.fromkeys(STATE, str(percent))}
        for percent in ([100, 0, 0], [0, 50, 50], None)
    ]
    found = score(
        {
            "heads_up": {bot: {learner: rates(bot, learner) for learner in LEARNERS} for bot in BOTS},
            "competition": {"five seats": {learner: {"place": 1} for learner in LEARNERS}},
            "learned": {LEARNERS[0]: learnt},
        }
    )

    assert {kind: (part["come_out"], part["of"]) for kind, part in found.items()} == {
        "meet": (8, 16), "sizes": (9, 16), "places": (3, 4), "rows": (1, 3),
    }  # fmt: skip
    assert found["places"]["not"] == ["winning-hand-learner at five seats"]
    assert any("8 of 16 rates heads-up agree within 95 %" in line for line in score_lines(found))


def _against(bot: str, settings: ThesisSettings, folder: Path) -> tuple[Task, Path]:
    """The task, and the file of what is learnt."""
    (task,) = (task for task in all_tasks(settings, folder) if task.group[2] == bot)
    assert task.writes is not None
    return task, task.writes


def test_readings_reach_the_learners_that_take_them(tmp_path: Path) -> None:
    readings = ("winner=each", "last-action=blind")  # the first is not for this learner
    settings = ThesisSettings(60, 100, 1, 1, ("hole-cards-learner",), readings, frozen=False)
    task, file = _against("always-call", settings, tmp_path)

    found = task.do()

    assert set(found) == {"training", "learning"}
    states = read_base(read_knowledge(file, "hole-cards-learner"), file)[0].states
    assert any(ACTIONS[split_key(key).last_action] == "blind" for key in states)


def test_one_knowledge_base_may_go_through_all_series(tmp_path: Path) -> None:
    """The base of the second bot is that of the first, with more learnt."""
    learnt = {}
    for reading in ("bases=own", "bases=carried"):
        settings = ThesisSettings(60, 100, 1, 1, ("hole-cards-learner",), (reading,), frozen=False)
        task, file = _against(BOTS[1], settings, tmp_path)
        found = task.do()
        learnt[reading] = read_knowledge(file, "hole-cards-learner").meta["hands"]

        carried = reading == "bases=carried"
        assert [each["bot"] for each in found["training"]] == list(BOTS[:2] if carried else BOTS[1:2])

    assert learnt == {"bases=own": 60, "bases=carried": 120}


def test_against_some_bots_there_is_no_competition(tmp_path: Path) -> None:
    words = "--seeds 2 --against always-call --no-frozen"

    whole = whole_run("poker-learner", tmp_path, ONE, words)

    results = whole.results
    assert (list(results["heads_up"]), results["competition"]) == (["always-call"], {})
    assert (
        results["heads_up"]["always-call"]["hole-cards-learner"]["learning"]["bb_per_hand"]["ci95_runs"] > 0
    )
    assert "Against always-call (Table 5.2)" in whole.printed
    assert "frozen |" not in whole.printed
    assert "Competition" not in whole.printed


# --- mistakes ----------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = run("poker-learner", tmp_path / "file" / "x", ONE)

    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "cannot be written" in result.stderr


@pytest.mark.slow
def test_tables_are_there_whatever_happens_to_pictures(tmp_path: Path) -> None:
    (tmp_path / "against-always-call-learning.png").mkdir()  # in the way of the picture

    result = run("poker-learner", tmp_path, SMALL, "--force")

    assert result.exit_code == 2
    assert "against-always-call-learning.png cannot be written" in result.stderr
    assert "## Against always-call" in result.stdout
    assert (tmp_path / "results.md").exists()
