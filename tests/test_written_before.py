"""Files that an earlier riverboat wrote are read with the same content (``tests/golden/written_before``)."""

import json
import shutil
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

import engine
from clients.bots.adaptive import agent as habits_file
from clients.bots.formula.agent import Formula
from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.learners.knowledge_file import journal_path, read_knowledge
from clients.learners.preflop.knowledge import read_base
from clients.learners.street.knowledge import fill_values
from engine.hands.flop_configs import shipped_book
from engine.hands.preflop.tables import shipped_tables
from engine.learning.street import ActionValues
from engine.players.models.player import PlayerModel
from engine.poker.rules import GameDefinition, format_game, load_game, parse_game
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.miximax.habits import reasonable_habits, shipped_changes
from engine.solving.strategy_file import read_checkpoint, read_strategy
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


@pytest.mark.parametrize("name", ["memory.json", "archives/models.json"])
def test_of_opponents_the_statistics_stay_and_models_begin_anew(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts hold no situations, so they cannot be learnt from again; the earlier file stays beside."""
    path = tmp_path / "memory.json"
    shutil.copyfile(WRITTEN / name, path)

    agent = Formula(memory=path)

    agent.close_memory()
    before = json.loads(path.read_text("utf-8"))["players"]
    assert {who: attrs.asdict(known.statistics) for who, known in agent.book.earlier.items()} == {
        who: each["statistics"] for who, each in before.items()
    }
    assert {known.model.state for known in agent.book.earlier.values()} == {PlayerModel().state}
    (line,) = capsys.readouterr().err.splitlines()
    assert f"models of {len(before)} players begin anew" in line
    (kept,) = tmp_path.glob("memory.json.schema*")
    assert kept.read_bytes() == path.read_bytes()


# --- archives: strategies, checkpoints, habits, tables -----------------------------------------------------

ARCHIVES: Final = WRITTEN / "archives"
ARCHIVE_PINS: Final = json.loads((WRITTEN / "archives.json").read_text("utf-8"))
DATA: Final = Path(engine.__file__).parent / "data"


def crc_of(arrays: Mapping[str, NDArray[Any]]) -> int:
    """The CRC-32 of arrays with their names, types and shapes."""
    checksum = 0
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        checksum = zlib.crc32(f"{name} {array.dtype.str} {array.shape}".encode(), checksum)
        checksum = zlib.crc32(array.tobytes(), checksum)
    return checksum


def of_strategy(path: Path) -> dict[str, Any]:
    saved = read_strategy(path)
    arrays = {"policy": saved.strategy.policy}
    found: dict[str, Any] = {"game": format_game(saved.game), "notes": dict(saved.notes)}
    if isinstance(saved.strategy, BucketedStrategy):
        abstraction = saved.strategy.abstraction
        menus = saved.strategy.betting.menus
        sizes = [str(size) for menu in menus for sizes in menu for size in sizes]
        found |= {"kind": abstraction.kind, "sizes": sizes}
        arrays |= abstraction.arrays()
    return found | {"crc32": crc_of(arrays)}


def of_checkpoint(path: Path) -> dict[str, Any]:
    return {"crc32": crc_of(read_checkpoint(path, load_game("kuhn-2p"), {"algorithm": "cfr+"}))}


def of_habits(path: Path) -> dict[str, Any]:
    return {name: crc_of(arrays) for name, arrays in habits_file.load(path).items()}


def of_tables(path: Path) -> dict[str, Any]:
    assert path == DATA / "preflop" / "tables.json"
    shipped = shipped_tables()
    arrays = {"raw_odds": shipped.raw_odds}
    for table in shipped.tables:
        arrays |= {f"{n} {table.players}": a for n, a in attrs.asdict(table).items() if n != "players"}
    return {"made_by": shipped.made_by, "players": len(shipped.tables), "crc32": crc_of(arrays)}


def of_book(path: Path) -> dict[str, Any]:
    assert path == DATA / "preflop" / "flop_book.npz"
    return {"made_by": shipped_book().made_by, "crc32": crc_of({"odds": shipped_book().odds})}


def of_reasonable(path: Path) -> dict[str, Any]:
    game = load_game("nolimit-2p-100bb" if path.stem.endswith("no-limit") else "limit-2p")
    changes = attrs.asdict(shipped_changes())
    return {"crc32": crc_of(reasonable_habits(game).as_arrays()), "changes": crc_of(changes)}


READERS: Final[dict[str, Callable[[Path], dict[str, Any]]]] = {
    "kuhn.npz": of_strategy, "limit.npz": of_strategy, "nolimit.npz": of_strategy,
    "kuhn.npz.checkpoint": of_checkpoint, "habits.npz": of_habits, "learner.npz": content,
    "equilibrium/limit-2p.npz": of_strategy, "equilibrium/limit-2p-against-call.npz": of_strategy,
    "equilibrium/nolimit-2p-100bb.npz": of_strategy, "preflop/tables.json": of_tables,
    "preflop/flop_book.npz": of_book, "miximax/reasonable.npz": of_reasonable,
    "miximax/reasonable-no-limit.npz": of_reasonable,
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_an_archive_is_what_it_was(name: str) -> None:
    path = (DATA if "/" in name else ARCHIVES) / name

    assert READERS[name](path) == ARCHIVE_PINS[name]


# --- matches -----------------------------------------------------------------------------------------------

MATCHES: Final[dict[str, list[tuple[str, tuple[str, ...]]]]] = {
    "plain": [("plain", ("random", "simple", "always-call"))],
    "until": [("until", ("random", "always-call"))],
    "duplicate": [("duplicate/pass-0", ("simple", "random")), ("duplicate/pass-1", ("random", "simple"))],
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
