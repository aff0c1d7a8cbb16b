"""Every reader of what comes from outside, fed with what is nearly right: see `tests.stress.fuzz`.

A target takes a generator, makes one input, shows it to the reader, and checks what comes out.  The errors
that are documented are those of its row in `TARGETS`; any other is a finding.
"""

from __future__ import annotations

import functools
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs
import click
import numpy as np
import trio
import trio.testing

from clients.bots.baselines import AlwaysCall, Random
from clients.bots.formula.memory import InvalidMemoryError, format_memory, parse_memory
from clients.bots.sampling.config import parse_bet_sizes
from clients.guess import GameGuess
from clients.human.input_line import Move, Nonsense, RaiseBy, RaiseTo, action_of, parse_line
from clients.human.keyboard_lines import LineAssembler, TelnetDecoder
from clients.human.telnet import read_listen_address
from clients.learners.journal import JournalError, journal_path, read_journal
from clients.learners.knowledge_file import KnowledgeError, KnowledgeFile, write_knowledge
from clients.learners.preflop import knowledge as preflop_knowledge
from clients.learners.street import knowledge as street_knowledge
from clients.options import OptionError
from clients.program import ProgramError, read_host, read_port, read_seed
from clients.registry import UnknownBot, installed_bots, make_bot
from clients.session import SessionError, play
from engine.card_text import parse_written_cards
from engine.cards import InvalidCardError
from engine.combos import parse_starting_hand
from engine.files.formats import format_arrays, parse_arrays
from engine.learning.street import ActionValues
from engine.opponents.models.specific import SpecificModel
from engine.opponents.statistics import PlayerStatistics
from engine.rules import (
    CardDealer,
    GameDefinition,
    GameDefinitionError,
    HandState,
    HandView,
    IllegalActionError,
    format_game,
    initial_hand,
    load_game,
    packaged_games,
    parse_betting,
    parse_game,
)
from protocol import (
    NEED_DATA,
    ConnectionClosed,
    DealerConnection,
    PlayerConnection,
    RemoteProtocolError,
    Reply,
    StateUpdate,
    TurnToAct,
    Version,
    parse_match_state,
)
from protocol.errors import BadMatchState
from protocol.records import TransactionError, parse_hand, parse_score, parse_transaction
from protocol.state_reader import MatchStateReader
from server.commands import riverboat
from server.console import SilentConsole
from server.dealer_command import UsageError, _WantsUsage, configure
from server.errors import MatchAborted
from server.launching.players import PlayerError, parse_players
from server.table.match import MatchServer
from tests.stress.mutations import NUMBERS, chunks, mutated_bytes, mutated_text
from tests.support.hands.golden_files import GOLDEN, GoldenLog, golden_log
from tests.support.hands.strategies import choose
from tests.support.tables import conversations, match_config

_LOGS: Final = (
    "random.holdem.limit.2p.reverse_blinds.0",
    "random.holdem.nolimit.3p.0",
    "random.leduc.0",
    "random.kuhn.limit.3p.0",
    "random.holdem.limit.3p.0",
)
_HANDS: Final = 30
"""Of each golden log."""


@attrs.frozen
class Target:
    """One reader of what comes from outside."""

    name: str
    run: Callable[[random.Random], object]
    documented: tuple[type[BaseException], ...]
    share: float
    """Of all inputs."""
    is_for_people: bool = True
    """Its errors are lines that people see."""


# --- what real inputs look like --------------------------------------------------------------------------


@functools.cache
def _log(name: str) -> GoldenLog:
    return golden_log(name)


def _any_log(rng: random.Random) -> GoldenLog:
    return _log(rng.choice(_LOGS))


@functools.cache
def _said_and_told(name: str) -> tuple[list[str], list[str]]:
    """Lines that clients and the dealer say in the match of a log."""
    log = _log(name)
    said, told = conversations(log.game, log.records[:_HANDS])
    return _lines(b"".join(said)), _lines(b"".join(map(bytes, told)))


def _lines(data: bytes) -> list[str]:
    return data.decode("ascii").splitlines()


@functools.cache
def _games() -> tuple[str, ...]:
    texts = [format_game(load_game(name)) for name in packaged_games()]
    return (*texts, *[path.read_text("utf-8", "surrogateescape") for path in sorted(GOLDEN.glob("*.game"))])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape" if "\udcff" in text else "replace")


# --- protocol --------------------------------------------------------------------------------------------


def _dealers_end(rng: random.Random) -> None:
    name = rng.choice(_LOGS)
    game = _log(name).game
    said, _ = _said_and_told(name)
    connection = DealerConnection(game)
    data = b"VERSION:2.0.0\r\n" if rng.random() < 0.9 else b""
    for _ in range(rng.randint(1, 4)):
        data += _encoded(mutated_text(rng, said)) + rng.choice((b"\r\n", b"\n", b""))
    state = initial_hand(game, rng.randrange(3), CardDealer(game, rng.randrange(9)).deal())
    view = state.view(rng.randrange(game.num_players))
    for chunk in [*chunks(rng, data), b""]:
        connection.receive_data(chunk)
        while (event := connection.next_event()) is not NEED_DATA:
            if isinstance(event, ConnectionClosed):
                return
            if isinstance(event, Reply) and event.action is not None:
                state.betting.is_legal(event.action)
                state.legal_actions().nearest(event.action)
        if connection.state.value == "watching" and rng.random() < 0.8:
            connection.send(TurnToAct(view))


def _players_end(rng: random.Random) -> None:
    name = rng.choice(_LOGS)
    _, told = _said_and_told(name)
    guess = GameGuess()
    game = _log(name).game if rng.random() < 0.5 else None
    connection = PlayerConnection(game, guess.candidates)
    connection.send(Version())
    start = rng.randrange(len(told))
    lines = [mutated_text(rng, [line, *told[:9]], 1) for line in told[start : start + rng.randint(1, 8)]]
    data = b"".join(_encoded(line) + b"\r\n" for line in lines)
    for chunk in [*chunks(rng, data), b""]:
        connection.receive_data(chunk)
        while (event := connection.next_event()) is not NEED_DATA:
            if isinstance(event, ConnectionClosed):
                return
            if isinstance(event, StateUpdate | TurnToAct):
                _use(event.view)


def _use(view: HandView) -> None:
    """What an agent does with a state that was read."""
    assert view.own_cards
    if view.betting.position_to_act is None:
        view.chips_won()
    else:
        view.betting.legal_actions()


def _match_states(rng: random.Random) -> None:
    name = rng.choice(_LOGS)
    game = _log(name).game
    _, told = _said_and_told(name)
    reader = MatchStateReader(game)
    start = rng.randrange(len(told))
    for line in told[start : start + 3]:
        text = mutated_text(rng, [line], 2)
        found: list[HandView | None] = []
        for read in (reader.read, functools.partial(parse_match_state, game=game)):
            try:
                found.append(read(text))
            except BadMatchState:
                found.append(None)
        assert found[0] == found[1], f"read one after the other and alone: {found}"


class _Ended(trio.abc.HalfCloseableStream):
    """A stream that says something in pieces and ends."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self.sent = 0

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        return self._pieces.pop(0) if self._pieces else b""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        self.sent += len(data)

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


_NOTES: Final = (
    "#riverboat/1 seat names game clock",
    "#seat 1",
    "#names a|b|c",
    "#clock 10",
    "#clock nan",
    "#seat 9",
)


def _session(rng: random.Random) -> None:
    """A bot against a dealer that makes mistakes, of ACPC's and of our own notes."""
    name = rng.choice(_LOGS)
    _, told = _said_and_told(name)
    start = rng.randrange(len(told))
    lines = told[start : start + rng.randint(1, 10)]
    at = rng.randrange(len(lines))
    lines[at] = mutated_text(rng, [lines[at]], 2)
    for _ in range(rng.randint(0, 4)):
        game = "#game " + format_game(_log(name).game).strip().replace("\n", ";")
        lines.insert(rng.randint(0, len(lines)), mutated_text(rng, (*_NOTES, game), 2))
    data = b"".join(_encoded(line) + b"\r\n" for line in lines)
    agent = rng.choice((AlwaysCall, Random))()
    known = _log(name).game if rng.random() < 0.3 else None
    trio.run(functools.partial(play, agent, _Ended(chunks(rng, data)), known))


# --- files -----------------------------------------------------------------------------------------------


def _game_files(rng: random.Random) -> None:
    data = _encoded(mutated_text(rng, _games()))
    game = parse_game(data, "some.game")
    assert parse_game(format_game(game)) == game
    if rng.random() < 0.2:
        _play_a_hand(game, rng)


def _play_a_hand(game: GameDefinition, rng: random.Random) -> None:
    state: HandState = initial_hand(game, 0, CardDealer(game, rng.randrange(2**32)).deal())
    for _ in range(400):
        if state.is_finished:
            state.chips_won()
            return
        state = state.apply(choose(rng.randrange(2**16), state.legal_actions()))


def _log_lines(rng: random.Random) -> None:
    log = _any_log(rng)
    line = mutated_text(rng, log.text.splitlines(keepends=True)[:60])
    record = parse_hand(line)
    parse_score(line)
    if record is not None:
        parse_betting(log.game, record.betting)


@functools.cache
def _transactions(name: str) -> list[str]:
    """Lines of the transaction log of a golden log's match."""
    lines = []
    for record in _log(name).records[:_HANDS]:
        for _, _, action in parse_betting(_log(name).game, record.betting).steps():
            lines.append(f"{action} {record.hand_number} 1795244896.520175 1795244896.520224\n")
    return lines


def _transaction_lines(rng: random.Random) -> None:
    name = rng.choice(_LOGS)
    entry = parse_transaction(mutated_text(rng, _transactions(name)), _log(name).game.is_limit)
    assert abs(entry.seconds) < 1e60


_FOLDER: Path = Path()


def set_folder(folder: Path) -> None:
    """Where targets that need files put them."""
    global _FOLDER
    _FOLDER = folder


def _resumed_matches(rng: random.Random) -> None:
    """A match that goes on from a damaged transaction log, as far as nobody has to be asked."""
    name = rng.choice(_LOGS)
    entries = _transactions(name)[: rng.randint(1, 60)]
    if rng.random() < 0.8:
        at = rng.randrange(len(entries))
        entries = [
            *entries[:at],
            mutated_text(rng, [entries[at], *_transactions(name)[:5]], 2),
            *entries[at + 1 :],
        ]
    tlog = _FOLDER / "resumed.tlog"
    tlog.write_bytes(_encoded("".join(entries)))
    log = _FOLDER / "resumed.log"
    log.write_bytes(_encoded(mutated_text(rng, ["".join(_log(name).text.splitlines(keepends=True)[:9])], 2)))
    config = match_config(
        _log(name).game, 20, _log(name).seed, log_path=log, transaction_path=tlog, append=True
    )
    server = MatchServer(config, SilentConsole())
    server._records.open()
    try:
        server._records.begin_replay()
        trio.run(_replay, server)
    finally:
        server._records.close()


async def _replay(server: MatchServer) -> None:
    """The hands of a transaction log, as long as nobody has to be asked."""
    dealer = server._config.cards.dealer(server._config.game)
    for hand_number in range(server._config.hands):
        if not server._records.is_replaying:
            return
        with trio.move_on_after(0):  # live play would wait for players: it is cancelled at once
            await server._play_hand(hand_number, dealer)


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
        game = load_game(_STREET_GAME)
        arrays: dict[str, Any] = {
            "places": np.array([4, 9], np.int32),
            "values": np.array([0.5, 1], np.float32),
            "counts": np.array([3, 1], np.int32),
        }
        meta: dict[str, Any] = {"hands": 7, "game": format_game(game)}
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
    with KnowledgeFile(path, None) as file:
        knowledge = file.read()
    assert knowledge is not None
    if knowledge.kind == street_knowledge.KIND:
        try:
            street_knowledge.fill_values(ActionValues.unlearnt(load_game(_STREET_GAME)), knowledge)
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
    "[8,[[2,0,0.25,4]]]",
    "[8,[[2,0,0.25,4],[3,1,-0.5,1]]]",
    "[12,[[3,1,1,1,1,1,1]],0,[]]",
    '[12,[[3,1,1,1,1,1,1]],0,["a","b"]]',
    "[1e400,[[0,0,NaN,1]]]",
)


def _write_journal(rng: random.Random, path: Path) -> None:
    """A journal that goes on from the file, with records whose checksums are right, whatever they say."""
    try:
        with KnowledgeFile(path, None) as file:
            knowledge = file.read()
    except KnowledgeError:
        return
    assert knowledge is not None
    data = f"riverboat journal 1 {knowledge.digest}\n".encode()
    for _ in range(rng.randint(0, 3)):
        payload = _encoded(mutated_text(rng, _RECORDS, 3)).replace(b"\n", b" ")
        data += b"%08x %s\n" % (zlib.crc32(payload), payload)
    if rng.random() < 0.3:
        data = mutated_bytes(rng, (data,))
    journal_path(path).write_bytes(data)


def _journals(rng: random.Random) -> None:
    payload = _encoded(mutated_text(rng, _RECORDS, 2)).replace(b"\n", b" ")
    whole = b"riverboat journal 1 abcdef\n%08x %s\n" % (zlib.crc32(payload), payload)
    path = _FOLDER / "some.journal"
    path.write_bytes(mutated_bytes(rng, (whole, whole + whole[27:]), 3))
    for record in read_journal(path).records:
        assert isinstance(record, str)


@functools.cache
def _memory() -> str:
    return format_memory({name: (SpecificModel(), PlayerStatistics()) for name in ("them", "you")})


def _memories(rng: random.Random) -> None:
    if rng.random() < 0.5:
        parse_memory(mutated_text(rng, (_memory(),)))
        return
    data = json.loads(_memory())
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
    parse_memory(json.dumps(data))


# --- people ----------------------------------------------------------------------------------------------

_TYPED: Final = (
    "c", "call", "check", "f", "fold", "r", "raise", "raise to 300", "r 300", "r +200", "r by 50", "r pot",
    "r half", "all in", "?", "help", "odds", "table", "history", "last", "quit", "q", "", "raise 4294967296",
)  # fmt: skip


@functools.cache
def _views(name: str) -> tuple[HandView, ...]:
    """States of a golden log's match in which somebody is to act."""
    _, told = _said_and_told(name)
    game = _log(name).game
    views = [parse_match_state(line, game) for line in told[:80]]
    return tuple(view for view in views if view.betting.position_to_act == view.position)


def _typed_lines(rng: random.Random) -> None:
    intention = parse_line(mutated_text(rng, _TYPED))
    if isinstance(intention, Move | RaiseTo | RaiseBy):
        view = rng.choice(_views(rng.choice(_LOGS)))
        action = action_of(intention, view)
        assert isinstance(action, Nonsense) or view.betting.is_legal(action)


def _typed_bytes(rng: random.Random) -> None:
    samples = [line.encode() + end for line in _TYPED for end in (b"\r\n", b"\n", b"\r\0")]
    samples += [
        b"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0",
        b"\xff\xf4\xff\xfd\x06",
        b"\x03",
        b"\x04",
        b"\x7f",
    ]
    data = b"".join(mutated_bytes(rng, samples, 3) for _ in range(rng.randint(1, 6)))
    decoder, assembler = TelnetDecoder(), LineAssembler()
    typed = list(assembler.feed(decoder.feed(data)))
    pieces, slow = TelnetDecoder(), LineAssembler()
    in_pieces = [item for chunk in chunks(rng, data) for item in slow.feed(pieces.feed(chunk))]
    assert typed + assembler.finish() == in_pieces + slow.finish(), "the same bytes in other pieces"
    assert decoder.window == pieces.window


# --- command lines ---------------------------------------------------------------------------------------

_DEALER_WORDS: Final = (
    "match", "limit-2p", "100", "1", "a", "b", "c", "-q", "-l", "-L", "-T", "-t", "-a", "-f", "-p", "0,0",
    "--host", "127.0.0.1", "--t_response", "--t_hand", "1000", "--t_per_hand", "--start_timeout", "-1",
    "--handshake_timeout", "--seat-token", "x,y", "1=x", "--on-failure", "fold", "abort", "random",
    "kuhn-3p", "--", "-qlTa",
)  # fmt: skip


def _dealers_command_line(rng: random.Random) -> None:
    words = ["match", "limit-2p", "100", "1", "a", "b"][: rng.randint(0, 6)]
    words += [rng.choice(_DEALER_WORDS) for _ in range(rng.randint(0, 6))]
    spoilt = [mutated_text(rng, [word], 1) if rng.random() < 0.3 else word for word in words]
    configure([word.replace("\0", "") for word in spoilt])  # which no command line can hold


@functools.cache
def _commands() -> tuple[tuple[str, click.Command], ...]:
    context = click.Context(riverboat)
    found = []
    for name in riverboat.list_commands(context):
        command = riverboat.get_command(context, name)
        if command is not None:
            found.append((name, command))
            if isinstance(command, click.Group):
                for sub_name in command.list_commands(context):
                    sub = command.get_command(context, sub_name)
                    if sub is not None:
                        found.append((f"{name} {sub_name}", sub))
    return tuple(found)


_ARGUMENTS: Final = (
    "limit-2p", "formula", "always-call", "127.0.0.1", "4000", "AsKs", "Js8c4s", "rc/cr", "3", "0.5",
    "x.npz", "wait", "a=b", "formula:tightness=1", *NUMBERS,
)  # fmt: skip


def _command_lines(rng: random.Random) -> None:
    """Parsed as click parses them; nothing is run."""
    name, command = rng.choice(_commands())
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("-")]
    words = []
    for _ in range(rng.randint(0, 8)):
        word = rng.choice(options) if options and rng.random() < 0.5 else rng.choice(_ARGUMENTS)
        words.append(mutated_text(rng, [word], 1) if rng.random() < 0.3 else word)
    with command.make_context(name, words) as context:
        assert context is not None


_WORDS: Final = (
    "AsKs", "7h9h", "10h", "7♥9♥", "Js8c4s", "72o", "A7s", "TT", "half+pot+all-in", "1/2", "127.0.0.1",
    "localhost", "[::1]:80", "127.0.0.1:4000", "4000", "random", "17", "x=wait", "a=formula:tightness=1",
    "python bot.py 'x y'",
)  # fmt: skip


def _words(rng: random.Random) -> None:
    """Single words of command lines: cards, hands, sizes, hosts, ports, seeds, players."""
    word = mutated_text(rng, _WORDS)
    read = rng.choice(_WORD_READERS)
    read(word)


_WORD_READERS: Final[tuple[Callable[[str], object], ...]] = (
    parse_written_cards,
    parse_starting_hand,
    parse_bet_sizes,
    read_host,
    read_port,
    read_seed,
    read_listen_address,
    lambda word: parse_players([word, word], {"formula", "always-call"}),
)


@functools.cache
def _bots() -> tuple[str, ...]:
    names = installed_bots()
    written = [f"{name}:knowledge=none" for name in names if name.endswith("learner")]
    return (
        *names, *written, "random:fold=0.1,call=0.5", "hand-strength:call=0.2,bet=0.5,raise=0.7",
        "sampling:trials=100,model=none,bet_sizes=half+pot", "simple:preflop-only",
        "street-learner:explore=0.5", "formula:tightness=1,noise=0,model=generic",
        "poker-learner:choose=greedy,classifier=as-played",
    )  # fmt: skip


def _specs_of_bots(rng: random.Random) -> None:
    spec = mutated_text(rng, _bots(), 3)
    if "knowledge" in spec and "=none" not in spec:  # no files are made with such names
        return
    if "memory" in spec or "\0" in spec:
        return
    make_bot(spec)


TARGETS: Final = (
    Target("protocol: the dealer's end", _dealers_end, (RemoteProtocolError,), 0.13, False),
    Target("protocol: the player's end", _players_end, (RemoteProtocolError,), 0.08, False),
    Target("protocol: match states", _match_states, (), 0.10),
    Target("protocol: sessions of bots", _session, (SessionError,), 0.01),
    Target("game files", _game_files, (GameDefinitionError,), 0.12),
    Target("logs", _log_lines, (ValueError, IllegalActionError), 0.12),
    Target("transaction logs", _transaction_lines, (TransactionError,), 0.14, False),
    Target("resumed matches", _resumed_matches, (MatchAborted,), 0.005, False),
    Target("archives of arrays", _archives_of_arrays, (ValueError,), 0.03),
    Target("knowledge files", _knowledge_files, (KnowledgeError,), 0.002),
    Target("journals", _journals, (JournalError,), 0.03),
    Target("memory files", _memories, (InvalidMemoryError,), 0.005),
    Target("typed lines", _typed_lines, (), 0.085),
    Target("typed bytes", _typed_bytes, (), 0.05),
    Target("the dealer's command line", _dealers_command_line, (UsageError, _WantsUsage), 0.04, False),
    Target("command lines", _command_lines, (click.UsageError, click.exceptions.Exit), 0.02, False),
    Target("words", _words, (InvalidCardError, ValueError, ProgramError, PlayerError), 0.03),
    Target("specs of bots", _specs_of_bots, (OptionError, UnknownBot), 0.003),
)
"""All readers; the shares add up to one."""
