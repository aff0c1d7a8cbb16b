"""Both ends of the protocol, fed with what is nearly right."""

import functools
import random
from typing import Final

import trio
import trio.testing

import protocol
from clients.bots.baselines import AlwaysCall, Random
from clients.core.guess import GameGuess
from clients.core.session import SessionError, play
from engine.poker.rules import CardDealer, HandView, initial_hand
from protocol.errors import BadMatchState
from protocol.extension import format_game_line
from protocol.match_state import MatchStateReader
from tests.stress.fuzzing.inputs import LOGS, Target, chunks, encoded, log_of, mutated_text, said_and_told


def _dealers_end(rng: random.Random) -> None:
    name = rng.choice(LOGS)
    game = log_of(name).game
    said, _ = said_and_told(name)
    connection = protocol.DealerConnection(game)
    data = b"VERSION:2.0.0\r\n" if rng.random() < 0.9 else b""
    for _ in range(rng.randint(1, 4)):
        data += encoded(mutated_text(rng, said)) + rng.choice((b"\r\n", b"\n", b""))
    state = initial_hand(game, rng.randrange(3), CardDealer(game, rng.randrange(9)).deal())
    view = state.view(rng.randrange(game.num_players))
    for chunk in [*chunks(rng, data), b""]:
        connection.receive_data(chunk)
        while (event := connection.next_event()) is not protocol.NEED_DATA:
            if isinstance(event, protocol.ConnectionClosed):
                return
            if isinstance(event, protocol.Reply) and event.action is not None:
                state.betting.is_legal(event.action)
                state.legal_actions().nearest(event.action)
        if connection.state.value == "watching" and rng.random() < 0.8:
            connection.send(protocol.TurnToAct(view))


def _players_end(rng: random.Random) -> None:
    name = rng.choice(LOGS)
    _, told = said_and_told(name)
    guess = GameGuess()
    game = log_of(name).game if rng.random() < 0.5 else None
    connection = protocol.PlayerConnection(game, guess.candidates)
    connection.send(protocol.Version())
    start = rng.randrange(len(told))
    lines = [mutated_text(rng, [line, *told[:9]], 1) for line in told[start : start + rng.randint(1, 8)]]
    data = b"".join(encoded(line) + b"\r\n" for line in lines)
    for chunk in [*chunks(rng, data), b""]:
        connection.receive_data(chunk)
        while (event := connection.next_event()) is not protocol.NEED_DATA:
            if isinstance(event, protocol.ConnectionClosed):
                return
            if isinstance(event, protocol.StateUpdate | protocol.TurnToAct):
                _use(event.view)


def _use(view: HandView) -> None:
    """What an agent does with a state that was read."""
    assert view.own_cards
    if view.betting.position_to_act is None:
        view.chips_won()
    else:
        view.betting.legal_actions()


def _match_states(rng: random.Random) -> None:
    name = rng.choice(LOGS)
    game = log_of(name).game
    _, told = said_and_told(name)
    reader = MatchStateReader(game)
    start = rng.randrange(len(told))
    for line in told[start : start + 3]:
        text = mutated_text(rng, [line], 2)
        found: list[HandView | None] = []
        for read in (reader.read, functools.partial(protocol.parse_match_state, game=game)):
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
    "#riverboat/1 seat names game clock", "#seat 1", "#names a|b|c", "#clock 10", "#clock nan", "#seat 9",
)  # fmt: skip


def _session(rng: random.Random) -> None:
    """A bot against a dealer that makes mistakes, of ACPC's and of our own notes."""
    name = rng.choice(LOGS)
    _, told = said_and_told(name)
    start = rng.randrange(len(told))
    lines = told[start : start + rng.randint(1, 10)]
    at = rng.randrange(len(lines))
    lines[at] = mutated_text(rng, [lines[at]], 2)
    for _ in range(rng.randint(0, 4)):
        game = f"#game {format_game_line(log_of(name).game)}"
        lines.insert(rng.randint(0, len(lines)), mutated_text(rng, (*_NOTES, game), 2))
    data = b"".join(encoded(line) + b"\r\n" for line in lines)
    agent = rng.choice((AlwaysCall, Random))()
    known = log_of(name).game if rng.random() < 0.3 else None
    trio.run(functools.partial(play, agent, _Ended(chunks(rng, data)), known))


TARGETS: Final = (
    Target("protocol: the dealer's end", _dealers_end, (protocol.RemoteProtocolError,), 0.13, False),
    Target("protocol: the player's end", _players_end, (protocol.RemoteProtocolError,), 0.08, False),
    Target("protocol: match states", _match_states, (), 0.10),
    Target("protocol: sessions of bots", _session, (SessionError,), 0.01),
)
