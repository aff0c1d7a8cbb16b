"""``riverboat knowledge``: tables like 5.5 to 5.8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from clients.bots.baselines import AlwaysCall
from clients.commands.ask.train import knowledge
from clients.core.arena import Arena
from clients.learners.knowledge_file import write_knowledge
from clients.learners.preflop.learner import PreflopLearner
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner
from engine.poker.rules import load_game


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
    result = CliRunner().invoke(knowledge, [str(path), "--json", "--min-updates", "0"])

    report = json.loads(result.output)
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

    rows = json.loads(CliRunner().invoke(knowledge, [str(path), "--json"]).output)["rows"]

    assert {row["last_player"] for row in rows} == {"them"}
    assert all(row["hole_cards"] < 100 and row["winning_hand"] < 100 for row in rows)


def test_what_is_still_in_the_journal_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "hole-cards.npz"
    learner = HoleCardsLearner(knowledge=path)
    Arena(load_game("nolimit-2p"), [learner, AlwaysCall()], 3).play(50)

    assert json.loads(CliRunner().invoke(knowledge, [str(path), "--json"]).output)["hands"] == 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hand", "7xo"], "'7xo' is not a starting hand"),
        (["--hand", "72"], "'72' is not a starting hand"),
        (["--min-updates", "-1"], "-1 is not in the range"),
    ],
)
def test_mistakes_are_one_line(path: Path, arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(knowledge, [str(path), *arguments])

    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert message in result.output


def test_files_that_are_no_knowledge_are_one_line(path: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.npz"
    write_knowledge(foreign, "chess-learner", "chess", {}, {})
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(path.read_bytes()[:-1])
    empty = tmp_path / "empty.npz"
    write_knowledge(empty, "name-learner", "no-limit Texas hold'em", {}, {})
    newer = tmp_path / "newer.npz"
    write_knowledge(newer, "name-learner", "no-limit Texas hold'em", {}, {}, version=9)
    for file, message in [
        (foreign, "a chess-learner has learnt"),
        (damaged, "is not a whole knowledge file"),
        (empty, "is damaged: expected 'keys', an array"),
        (newer, "newer riverboat"),
        (tmp_path / "missing.npz", "no such file"),
    ]:
        result = CliRunner().invoke(knowledge, [str(file)])
        assert (result.exit_code, result.output.count("\n")) == (2, 1)
        assert message in result.output
