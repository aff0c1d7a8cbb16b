"""A table over the real protocol, in memory: agents behind their sessions, a small dealer before them.

`play_over_wire` plays agents as a match over TCP would, without sockets, processes and a server.
`deal_over_wire` is the dealer alone, for clients that are not agents: it talks to any trio streams, those of
programs included.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import trio
import trio.testing

from clients.core.agent import Agent
from clients.core.arena import Arena, Dealer
from clients.core.session import play
from clients.lab.testing.agents import ClientSeat
from engine.poker.rules import CALL, Action, GameDefinition, HandState, HandView, load_game
from engine.support.seeds import derive_seed
from protocol import NEED_DATA, Comment, DealerConnection, Event, Greeting, Reply, Version
from protocol.extension import introduction


class PlayerLeft(Exception):
    """A client closed its connection before the match was over."""


@attrs.frozen
class PlayedMatch:
    """The outcome of a match over the protocol."""

    hands: tuple[HandState, ...]
    """The ends of the hands, in order."""
    chips: tuple[float, ...]
    """Won by each seat."""
    complaints: tuple[str, ...]
    """What a dealer would warn of: lines that are no answers, actions that had to be corrected."""


async def play_over_wire(
    agents: Sequence[Agent],
    game: str | GameDefinition,
    hands: int,
    *,
    seed: int = 0,
    dealer: Dealer | None = None,
    extension: bool = True,
) -> PlayedMatch:
    """Play a match of agents, each at its end of a connection in memory.

    The same hands as in an `Arena` with the same seed.  What an agent raises comes out as it is.

    Args:
        agents: in seat order, each an object of its own; seeded as the arena does.
        game: a packaged game's name, the path of a game file, or a game.
        hands: how many.
        seed: of the cards and the agents.
        dealer: of the cards, instead of one that deals by `seed`.
        extension: the dealer says seat, names and game, which the ACPC's does not; without, the clients know
            the game, as from their command lines, and find out their seats.

    Raises:
        SessionError: a client could not go on.
        PlayerLeft: one of them left.
    """
    game = load_game(game) if isinstance(game, str) else game
    errors: list[Exception] = []
    played: PlayedMatch | None = None
    pairs = [trio.testing.memory_stream_pair() for _ in agents]

    async def sit(agent: Agent, stream: trio.abc.Stream) -> None:
        try:
            async with stream:
                await play(agent, stream, None if extension else game, extension=extension)
        except Exception as error:  # kept out of the nursery, which would wrap it into a group
            errors.append(error)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for seat, (agent, (stream, _)) in enumerate(zip(agents, pairs, strict=True)):
            agent.seed, agent.seeded = derive_seed(seed, seat), True
            nursery.start_soon(sit, agent, stream)
        try:
            played = await deal_over_wire(
                [stream for _, stream in pairs], game, hands, seed=seed, dealer=dealer
            )
        except PlayerLeft as error:
            await trio.testing.wait_all_tasks_blocked()  # why it left comes first
            errors.append(error)
            nursery.cancel_scope.cancel()
    if errors:
        raise errors[0]
    assert played is not None  # nothing else ends the nursery
    return played


async def deal_over_wire(
    streams: Sequence[trio.abc.Stream],
    game: str | GameDefinition,
    hands: int,
    *,
    seed: int = 0,
    dealer: Dealer | None = None,
    names: Sequence[str] | None = None,
) -> PlayedMatch:
    """Be the dealer of a match, without clocks and without mercy for those who leave; closes the streams.

    Args:
        streams: to a client each, in seat order.
        game: a packaged game's name, the path of a game file, or a game.
        hands: how many.
        seed: of the cards.
        dealer: of the cards, instead of one that deals by `seed`.
        names: of the players, by seat; ``p0``, ``p1`` ... without.

    Raises:
        BadVersion: the first line of a client is not a version.
        PlayerLeft: a client closed its connection.
        ValueError: not one stream for each seat.
    """
    game = load_game(game) if isinstance(game, str) else game
    num_players = game.num_players
    if len(streams) != num_players:
        raise ValueError(f"expected {num_players} streams, one a seat, got {len(streams)}")
    names = names or [f"p{seat}" for seat in range(num_players)]
    complaints: list[str] = []
    chairs: list[_Chair] = []
    for seat, stream in enumerate(streams):
        notes = introduction(game, names, seat)
        chairs.append(_Chair(stream, DealerConnection(game), notes, seat, chairs, complaints))
    ends: list[HandState] = []
    arena = Arena(game, chairs, seed, names=names, seed_agents=False, dealer=dealer)
    try:
        for chair in chairs:
            await chair.shake_hands()
        for _ in range(hands):
            await arena.play_async(1, on_hand=lambda state, chips: ends.append(state))
            await chairs[0].flush_all()
    finally:
        for chair in chairs:
            await chair.stream.aclose()
    return PlayedMatch(tuple(ends), arena.chips, tuple(complaints))


@attrs.define(eq=False, slots=False)
class _Chair(ClientSeat):
    """The dealer's end of one client's connection; messages wait until somebody is to act.

    Args:
        stream: to the client.
        connection: reads what it says.
        notes: for clients who ask for them.
        seat: the client's.
        chairs: all of the table.
        complaints: takes what is wrong.
    """

    stream: trio.abc.Stream
    _connection: DealerConnection
    _notes: dict[str, str]
    seat: int
    _chairs: Sequence[_Chair]
    _complaints: list[str]
    _unsent: bytes = b""

    async def shake_hands(self) -> None:
        """Wait for the client's version."""
        event = await self._next_event()
        if isinstance(event, Version) and not event.is_supported:
            self._complain(f"speaks version {event.major}.{event.minor}, expected 2.0")

    async def choose_action(self, view: HandView) -> Action:
        """The client's action; the table corrects it as the ACPC's dealer does."""
        await self.flush_all()
        while not isinstance(event := await self._next_event(), Reply):
            if not isinstance(event, Comment | Greeting):
                self._complain(f"not an answer: {event}")
        if event.action is None or event.action not in view.legal_actions():
            flaw = "illegal action" if event.flaw is None else event.flaw.value
            self._complain(f"{flaw}: {event.line!r}")
        return event.action or CALL

    async def flush_all(self) -> None:
        """Send what waits, to all clients of the table."""
        for chair in self._chairs:
            await chair.flush()

    async def flush(self) -> None:
        """Send what waits."""
        data, self._unsent = self._unsent, b""
        try:
            await self.stream.send_all(data)
        except trio.BrokenResourceError as error:
            raise self._gone() from error

    async def _next_event(self) -> Event:
        connection = self._connection
        while (event := connection.next_event()) is NEED_DATA:
            try:
                connection.receive_data(bytes(await self.stream.receive_some()))
            except trio.BrokenResourceError as error:
                raise self._gone("the connection broke") from error
        self._heed(event)
        await self.flush()
        return event

    def _send(self, data: bytes) -> None:
        self._unsent += data

    def _gone(self, how: str = "the client closed the connection") -> PlayerLeft:
        return PlayerLeft(f"seat {self.seat}: {how}")

    def _complain(self, what: str) -> None:
        self._complaints.append(f"seat {self.seat}: {what}")
