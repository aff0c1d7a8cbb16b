"""Files that an earlier riverboat wrote are read with the same content (``tests/golden/written_before``)."""

from __future__ import annotations

import json
import shutil
import zlib
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from clients.bots.formula import memory
from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.learners.journal import journal_path
from clients.learners.knowledge_file import read_knowledge
from clients.learners.preflop.knowledge import read_base
from clients.learners.street.knowledge import fill_values
from engine.learning.street import ActionValues
from engine.poker.rules import GameDefinition, load_game, parse_game
from engine.support.intervals import half_width
from protocol.records import parse_hand, parse_score
from tests.support.hands.golden_files import GOLDEN, GoldenLog, read_log, rebuilt_log
from tests.support.tables import always, match_config, play_match

WRITTEN: Final = GOLDEN / "written_before"
PINS: Final = json.loads((WRITTEN / "knowledge.json").read_text("utf-8"))


def content(path: Path) -> dict[str, Any]:
    """What a knowledge file holds, in the form of ``knowledge.json``."""
    knowledge = read_knowledge(path)
    found: dict[str, Any] = {"kind": knowledge.kind, "game": knowledge.game}
    states: list[list[Any]]
    if knowledge.kind == "street-learner":
        learnt = ActionValues.unlearnt(parse_game(knowledge.meta["game"]))
        fill_values(learnt, knowledge)
        values, counts = learnt.values.ravel(), learnt.counts.ravel()
        places = np.flatnonzero(counts)
        states = [[int(place), values[place].item().hex(), int(counts[place])] for place in places]
        found["hands"] = learnt.hands
    else:
        base, notes = read_base(knowledge, path)
        states = [[key, *base.states[key]] for key in sorted(base.states)]
        found |= {"hands": base.hands, "names": base.names, "notes": dict(notes)}
    checksum = zlib.crc32(json.dumps(states).encode())
    return found | {"states": len(states), "first_states": states[:2], "crc32": checksum}


@pytest.mark.parametrize("name", PINS)
def test_knowledge_is_what_it_was(name: str) -> None:
    path = WRITTEN / "knowledge" / name

    assert content(path) | {"records": len(read_knowledge(path).records)} == PINS[name]


@pytest.mark.parametrize("name", [name for name in PINS if PINS[name]["records"]])
def test_a_learner_takes_the_journal_into_its_file_and_plays_on(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for file in (WRITTEN / "knowledge").glob(f"{name}*"):
        shutil.copyfile(file, tmp_path / file.name)
    game = load_game("nolimit-3p" if name.startswith("poker") else "limit-2p")

    learner = make_bot(f"{PINS[name]['kind']}:knowledge={path}")
    learner.match_started(game, 0)

    assert not journal_path(path).exists()
    assert content(path) | {"records": 60} == PINS[name]


def test_a_learner_of_another_kind_refuses_the_file() -> None:
    path = WRITTEN / "knowledge" / "poker-learner.npz"

    with pytest.raises(OptionError, match="holds what a poker-learner has learnt, expected a name-learner's"):
        make_bot(f"name-learner:knowledge={path},learn=off")


def test_opponent_models_are_what_they_were() -> None:
    text = (WRITTEN / "memory.json").read_text("utf-8")

    remembered = memory.parse_memory(text)

    assert list(remembered) == ["simple"]
    before = json.loads(text)["players"]["simple"]
    now = json.loads(memory.format_memory(remembered))["players"]["simple"]
    assert now["statistics"] == before["statistics"]
    kept = before["model"].keys() - {"noise_evidence"}
    assert {name: now["model"][name] for name in kept} == {name: before["model"][name] for name in kept}
    assert not np.any(now["model"]["details"])  # which were not counted then
    assert not np.any(now["model"]["noise_evidence"])  # folds and raises were not told apart then
    assert memory.parse_memory(memory.format_memory(remembered))["simple"][0].as_dict() == now["model"]
    assert remembered["simple"][1].hands == 200


MATCHES: Final[dict[str, list[tuple[str, tuple[str, ...]]]]] = {
    "plain": [("plain", ("random", "simple", "always-call"))],
    "until": [("until", ("random", "always-call"))],
    "duplicate": [
        ("duplicate/pass-0", ("simple", "random")),
        ("duplicate/pass-1", ("random", "simple")),
    ],
}
"""Logs by match folder, and who sits where in each."""


def match_log(folder: str) -> tuple[GoldenLog, GameDefinition]:
    """A log of a match folder, taken apart, and its game."""
    text = (WRITTEN / "matches" / folder / "match.log").read_text("ascii")
    game = load_game(text.split()[3])
    return read_log(text, game), game


@pytest.mark.parametrize("folder", [folder for logs in MATCHES.values() for folder, _ in logs])
def test_a_log_holds_the_hands_of_its_game_and_seed(folder: str) -> None:
    log, _ = match_log(folder)

    text = log.text.replace("# ended after 250 of 600 hands\n", "")  # of --until
    assert rebuilt_log(log) == text


@pytest.mark.parametrize("match", MATCHES)
def test_a_result_is_the_sum_of_its_logs(match: str) -> None:
    result = json.loads((WRITTEN / "matches" / match / "result.json").read_text("utf-8"))
    logs = [(match_log(folder), seats) for folder, seats in MATCHES[match]]

    for player in result["players"]:
        deals: list[list[float]] = []
        for (log, game), seats in logs:
            assert log.names == seats
            won = [
                dict(zip(record.names, record.chips, strict=True))[player["name"]] for record in log.records
            ]
            deals.append([chips * 1000 / game.big_blind for chips in won])
        means = [float(np.mean(deal)) for deal in zip(*deals, strict=True)]
        critical_value = result["until"]["critical_value"] if "until" in result else 1.959964
        assert result["deals"] == len(means)
        assert player["mbb_per_hand"] == pytest.approx(np.mean(means))
        assert player["ci95"] == pytest.approx(half_width(means, critical_value))


async def test_an_interrupted_match_goes_on_as_it_did(tmp_path: Path) -> None:
    for file in (WRITTEN / "matches" / "interrupted").iterdir():
        shutil.copyfile(file, tmp_path / file.name)
    config = match_config(
        "limit-2p",
        40,
        13,
        game_text="limit-2p",
        names=("random", "raiser"),
        log_path=tmp_path / "match.log",
        transaction_path=tmp_path / "match.tlog",
        append=True,
    )

    table, _ = await play_match(config, [always(config.game, "c")] * 2)
    outcome = await table.outcome()

    expected = (WRITTEN / "matches" / "resumed" / "match.log").read_text("ascii")
    written = (tmp_path / "match.log").read_text("ascii")
    hands = [line for line in expected.splitlines() if parse_hand(line) is not None]
    assert [line for line in written.splitlines() if parse_hand(line) is not None] == hands
    assert len(hands) == 40
    assert written.splitlines()[-1] == expected.splitlines()[-1]
    score = parse_score(expected.splitlines()[-1])
    assert score is not None
    assert outcome.chips_by_seat == tuple(score[0])
