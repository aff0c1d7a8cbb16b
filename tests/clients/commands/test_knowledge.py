"""``riverboat knowledge``: tables like 5.5 to 5.8."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from clients.bots.baselines import AlwaysCall
from clients.commands.ask.train import knowledge
from clients.core.arena import Arena
from clients.learners.preflop.learner import PreflopLearner
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner
from engine.poker.rules import load_game
from tests.support.commands import reports

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
