"""Every reader of files, fed with what is nearly right."""

import contextlib
import functools
import json
import random
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import trio
import trio.testing

from clients.bots.memory_file import KIND, SCHEMA_VERSION, archive_of, recall
from clients.bots.opponent_book import OpponentBook
from clients.commands.solve.spot_files import read_spot
from clients.core.one_line import CommandError
from clients.lab.benchmark.config import load_benchmark
from clients.learners.knowledge_file import KnowledgeError, KnowledgeFile, journal_path, read_journal
from clients.learners.preflop import knowledge as preflop_knowledge
from clients.learners.street import knowledge as street_knowledge
from engine.learning.street import ActionValues
from engine.poker import rules
from engine.support.files.archive import ArchiveError, decode_archive
from engine.support.files.formats import format_arrays, parse_arrays
from protocol.records import TransactionError, parse_hand, parse_score, parse_transaction
from server.league.plan_file import parse_plan
from server.match.launching.players import PlayerError, format_bot_file, read_bot_file
from server.records.formats.reading import read_hands
from server.records.formats.said import FormatError
from server.records.logs import LogError
from server.room.config import RoomError, load_room
from server.support.console import Console
from server.support.errors import MatchAborted
from server.support.toml_text import FileMistake, read_text
from server.table.match import MatchHands, MatchServer
from tests.stress.fuzzing.inputs import (
    HANDS,
    LOGS,
    Target,
    any_log,
    encoded,
    games,
    log_of,
    mutated_bytes,
    mutated_text,
)
from tests.support.hands.golden_files import GOLDEN
from tests.support.hands.strategies import choose
from tests.support.knowledge import write_knowledge
from tests.support.tables import match_config
from tests.test_architecture import ROOT


def _game_files(rng: random.Random) -> None:
    data = encoded(mutated_text(rng, games()))
    game = rules.parse_game(data, "some.game")
    assert rules.parse_game(rules.format_game(game)) == game
    if rng.random() < 0.2:
        _play_a_hand(game, rng)


def _play_a_hand(game: rules.GameDefinition, rng: random.Random) -> None:
    state: rules.HandState = rules.initial_hand(game, 0, rules.CardDealer(game, rng.randrange(2**32)).deal())
    for _ in range(400):
        if state.is_finished:
            state.chips_won()
            return
        state = state.apply(choose(rng.randrange(2**16), state.legal_actions()))


def _log_lines(rng: random.Random) -> None:
    log = any_log(rng)
    line = mutated_text(rng, log.text.splitlines(keepends=True)[:60])
    record = parse_hand(line)
    parse_score(line)
    if record is not None:
        rules.parse_betting(log.game, record.betting)


def _hand_histories(rng: random.Random) -> None:
    """Files of hands in every format; a hand that is read loses no chips."""
    seed = rng.choice(sorted((GOLDEN / "histories").iterdir()))
    path = _FOLDER / f"some{seed.suffix}"
    path.write_bytes(encoded(mutated_text(rng, [seed.read_text("utf-8")])))
    for hand in read_hands(path, None):
        assert isinstance(hand, FormatError) or abs(sum(hand.chips)) < 1e-3


@functools.cache
def _transactions(name: str) -> list[str]:
    """Lines of the transaction log of a golden log's match."""
    lines = []
    for record in log_of(name).records[:HANDS]:
        for _, _, action in rules.parse_betting(log_of(name).game, record.betting).steps():
            lines.append(f"{action} {record.hand_number} 1795244896.520175 1795244896.520224\n")
    return lines


def _transaction_lines(rng: random.Random) -> None:
    name = rng.choice(LOGS)
    entry = parse_transaction(mutated_text(rng, _transactions(name)), log_of(name).game.is_limit)
    assert abs(entry.seconds) < 1e60


_FOLDER: Path = Path()


def set_folder(folder: Path) -> None:
    """Where targets that need files put them."""
    global _FOLDER
    _FOLDER = folder


def _resumed_matches(rng: random.Random) -> None:
    """A match that goes on from a damaged transaction log, as far as nobody has to be asked."""
    name = rng.choice(LOGS)
    entries = _transactions(name)[: rng.randint(1, 60)]
    if rng.random() < 0.8:
        at = rng.randrange(len(entries))
        entries = [
            *entries[:at], mutated_text(rng, [entries[at], *_transactions(name)[:5]], 2), *entries[at + 1 :],
        ]  # fmt: skip
    tlog = _FOLDER / "resumed.tlog"
    tlog.write_bytes(encoded("".join(entries)))
    log = _FOLDER / "resumed.log"
    log.write_bytes(encoded(mutated_text(rng, ["".join(log_of(name).text.splitlines(keepends=True)[:9])], 2)))
    config = match_config(
        log_of(name).game, 20, log_of(name).seed, log_path=log, transaction_path=tlog, append=True
    )
    server = MatchServer(config, Console())
    server.records.open()
    try:
        server.records.begin_replay()
        trio.run(_replay, server, clock=trio.testing.MockClock(autojump_threshold=0))
    finally:
        server.records.close()


async def _replay(server: MatchServer) -> None:
    """The hands of a transaction log, as long as nobody has to be asked."""
    server.table.start()
    hands = MatchHands(server)
    dealer = server.config.cards.dealer(server.config.game)
    for hand_number in range(server.config.hands):
        if not server.records.is_replaying:
            return
        with trio.move_on_after(1):  # live play waits for players, and time jumps to the end of that
            await hands.play_hand(hand_number, dealer)


@functools.cache
def _archives() -> tuple[bytes, ...]:
    arrays = {
        "header": np.array("{}"),
        "values": np.arange(12, dtype=np.int32).reshape(4, 3),
        "e": np.zeros((0, 2)),
    }
    return (format_arrays(arrays), format_arrays({"x": np.ones(3)}))


def _archives_of_arrays(rng: random.Random) -> None:
    data = mutated_bytes(rng, _archives())
    for array in parse_arrays(data).values():
        assert array.nbytes <= len(data)


_STREET_GAME: Final = "limit-2p"
_PREFLOP_GAME: Final = "limit Texas hold'em"


def _knowledge_files(rng: random.Random) -> None:
    """Files that are whole, with a right digest, and hold what no learner has learnt; and damaged ones."""
    path = _FOLDER / "knowledge.npz"
    journal_path(path).unlink(missing_ok=True)
    if rng.random() < 0.5:
        game = rules.load_game(_STREET_GAME)
        arrays: dict[str, Any] = {
            "places": np.array([4, 9], np.int32),
            "values": np.array([0.5, 1], np.float32),
            "counts": np.array([3, 1], np.int32),
        }
        meta: dict[str, Any] = {"hands": 7, "game": rules.format_game(game)}
        kind, text = street_knowledge.KIND, street_knowledge.describe_game(game)
    else:
        arrays = {"keys": np.array([3, 17], np.int32), "values": np.ones((2, 6), np.int32)}
        meta = {"hands": 7, "names": [], "notes": {"classifier": "as-meant"}}
        kind, text = "poker-learner", _PREFLOP_GAME
    if rng.random() < 0.8:
        _spoil(rng, arrays, meta)
    try:
        write_knowledge(path, kind, text, arrays, meta)
    except (ValueError, TypeError, RecursionError):  # what cannot be written need not be read
        return
    if rng.random() < 0.3:
        path.write_bytes(mutated_bytes(rng, (path.read_bytes(),)))
    if rng.random() < 0.5:
        _write_journal(rng, path)
    with contextlib.closing(KnowledgeFile(path, None)) as file:
        knowledge = file.read()
    assert knowledge is not None
    if knowledge.kind == street_knowledge.KIND:
        try:
            street_knowledge.fill_values(ActionValues.unlearnt(rules.load_game(_STREET_GAME)), knowledge)
        except (TypeError, ValueError) as error:  # as `StreetKnowledge.begin` takes them
            raise KnowledgeError(f"{path} is damaged: {error}") from error
    else:
        preflop_knowledge.read_base(knowledge, path)


_ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, -1, 0, 2**31, 2**63, 10**400, float("nan"), float("inf"), 0.5, "", "x", "\ud800", [], {},
    [[]], ["a", "a"], [1, 2, 3], {"a": 1},
)  # fmt: skip
_ODD_ARRAYS: Final = (
    np.zeros(0), np.zeros((2, 2)), np.array(3), np.array(["x"]), np.array([-1, -1], np.int32),
    np.array([2**31 - 1, 2**31 - 1], np.int32), np.array([np.nan, np.inf], np.float32),
    np.array([9, 4], np.int32), np.array([1j]), np.array([True, False]), np.zeros((2, 6), np.int64) - 5,
    np.array([2**62, 1], np.int64), np.array([b"x"]), np.array(["2020-01-01"], "datetime64[D]"),
)  # fmt: skip


def _spoil(rng: random.Random, arrays: dict[str, Any], meta: dict[str, Any]) -> None:
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.6:
            arrays[rng.choice([*arrays, "more"])] = rng.choice(_ODD_ARRAYS)
        else:
            meta[rng.choice([*meta, "more"])] = rng.choice(_ODD_VALUES)
    if rng.random() < 0.2:
        arrays.pop(rng.choice([*arrays]))
    if rng.random() < 0.2:
        meta.pop(rng.choice([*meta]))


_RECORDS: Final = (
    "[8,[[2,0,0.25,4]]]", "[8,[[2,0,0.25,4],[3,1,-0.5,1]]]", "[12,[[3,1,1,1,1,1,1]],0,[]]",
    '[12,[[3,1,1,1,1,1,1]],0,["a","b"]]', "[1e400,[[0,0,NaN,1]]]",
)  # fmt: skip


def _write_journal(rng: random.Random, path: Path) -> None:
    """A journal that goes on from the file, with records whose checksums are right, whatever they say."""
    try:
        with contextlib.closing(KnowledgeFile(path, None)) as file:
            knowledge = file.read()
    except KnowledgeError:
        return
    assert knowledge is not None
    data = f"riverboat journal 1 {knowledge.digest}\n".encode()
    for _ in range(rng.randint(0, 3)):
        payload = encoded(mutated_text(rng, _RECORDS, 3)).replace(b"\n", b" ")
        data += b"%08x %s\n" % (zlib.crc32(payload), payload)
    if rng.random() < 0.3:
        data = mutated_bytes(rng, (data,))
    journal_path(path).write_bytes(data)


def _journals(rng: random.Random) -> None:
    payload = encoded(mutated_text(rng, _RECORDS, 2)).replace(b"\n", b" ")
    whole = b"riverboat journal 1 abcdef\n%08x %s\n" % (zlib.crc32(payload), payload)
    path = _FOLDER / "some.journal"
    path.write_bytes(mutated_bytes(rng, (whole, whole + whole[27:]), 3))
    for record in read_journal(path)[1]:
        assert isinstance(record, str)


@functools.cache
def _memory() -> str:
    book = OpponentBook("player", 0.0)
    book.earlier.update({name: book.stranger() for name in ("them", "you")})
    return archive_of([book]).encode().decode()


def _remembered(text: str) -> None:
    archive = decode_archive(text.encode("utf-8", "replace"), KIND, SCHEMA_VERSION, "models.json")
    recall(archive, [OpponentBook("player", 0.0)])


def _memories(rng: random.Random) -> None:
    if rng.random() < 0.5:
        _remembered(mutated_text(rng, (_memory(),)))
        return
    data = json.loads(_memory())
    del data["digest"]
    holder: Any = data
    while True:  # down to some place in it
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            break
        key = rng.choice(keys)
        if isinstance(holder[key], dict | list) and rng.random() < 0.8:
            holder = holder[key]
            continue
        holder[key] = rng.choice(_ODD_VALUES)
        break
    _remembered(json.dumps(data))


_MISTAKES_IN_TOML: Final = (FileMistake, RoomError, CommandError, PlayerError)
_READERS_OF_TOML: Final[dict[str, Callable[[Path], object]]] = {
    "room.toml": load_room,
    "plan.toml": lambda path: parse_plan(read_text(path), path),
    "benchmark.toml": load_benchmark,
    "spot.toml": read_spot,
    "bot.toml": lambda path: read_bot_file(path.parent),
}


@functools.cache
def _tables_of_toml() -> tuple[str, ...]:
    """The files that the documents show, and one of a bot."""
    shown = [path.read_text("utf-8") for path in sorted(ROOT.glob("docs/**/*.md"))]
    blocks = [block for text in shown for block in re.findall(r"(?ms)^```toml[^\n]*\n(.*?)^```$", text)]
    assert len(blocks) > 5
    return (*blocks, format_bot_file("ann", "make", "./ann --fast"))


def _toml_files(rng: random.Random) -> None:
    name = rng.choice(list(_READERS_OF_TOML))
    path = _FOLDER / name
    path.write_bytes(encoded(mutated_text(rng, _tables_of_toml())))
    _READERS_OF_TOML[name](path)


TARGETS: Final = (
    Target("TOML files", _toml_files, _MISTAKES_IN_TOML, 0.03),
    Target("game files", _game_files, (rules.GameDefinitionError,), 0.09),
    Target("logs", _log_lines, (ValueError, rules.IllegalActionError), 0.1),
    Target("hand histories", _hand_histories, (LogError, FormatError), 0.02),
    Target("transaction logs", _transaction_lines, (TransactionError,), 0.14, False),
    Target("resumed matches", _resumed_matches, (MatchAborted,), 0.005, False),
    Target("archives of arrays", _archives_of_arrays, (ValueError,), 0.03),
    Target("knowledge files", _knowledge_files, (KnowledgeError,), 0.002),
    Target("journals", _journals, (ArchiveError,), 0.03),
    Target("memory files", _memories, (ArchiveError,), 0.005),
)
