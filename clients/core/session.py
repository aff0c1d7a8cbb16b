"""A seat at a table over TCP: the trio shell around `protocol.PlayerConnection`, the same for every agent.

It does not connect and does not print; `clients.core.program` does.  Every reply leaves in one write, and
`trio.SocketStream` sets TCP_NODELAY: two small writes without it cost 40 ms per decision.
"""

from __future__ import annotations

import contextlib
import functools
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import attrs
import trio

import protocol
from clients.core.agent import Agent, begin_decision, checked_action, explained, tell_news, view_at
from clients.core.disclosure import can_disclose, policy_line
from clients.core.guess import GameGuess, RoomSeat, is_same_but_for_chips, name_of
from engine.poker import rules
from engine.support.user_input import parse_finite, printable
from protocol import variables
from protocol.agents.usage import CAPABILITY as USAGE
from protocol.extension import LOBBY, NAME, PERSON, STACKS, TOKEN, UNREHEARSED, parse_game_line
from protocol.policy import CAPABILITY
from protocol.room_game import RoomGame


class SessionError(Exception):
    """The match cannot continue, through no fault of the agent; the message is one line for people."""

    status: Final = 1
    """Of a program that ends for it."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))  # it may quote the house


class Refusal(SessionError):
    """The room does not give us a seat."""


class DealerGone(SessionError):
    """The dealer left in the middle of a hand or before the first one."""


class UnreadableState(SessionError):
    """The dealer said something unreadable; most likely it plays a game other than the one named."""


async def play(
    agent: Agent,
    stream: trio.abc.Stream,
    game: rules.GameDefinition | None = None,
    *,
    fallback: rules.GameDefinition | None = None,
    extension: bool = True,
    token: str | None = None,
    warn: Callable[[str], None] | None = None,
    room: RoomSeat | None = None,
) -> int:
    """Play until the dealer closes the table; returns the number of hands seen to their end.

    Args:
        agent: the one that plays; the caller sets its `seed`.
        stream: connected to a dealer's port for one seat.  The caller closes it.
        game: what is being played.  Without it: what the server says, else `fallback`, else a guess among
            the packaged games based on the states received, corrected when one contradicts it.
        fallback: what is being played unless the server says otherwise.
        extension: ask for `Riverboat's own notes <protocol.extension>`, which an ACPC dealer skips.
        token: the seat's credential, if the server wants one.
        warn: takes the lines people should see: that the game had to be guessed.
        room: if the stream is connected to a room's door, the seat to ask for there.  It is played until the
            room takes it away.

    Raises:
        Refusal: the room does not give us that seat.
        DealerGone: the connection ended in the middle of a hand, or before the first.
        UnreadableState: a line is not a state of the game.
    """
    session = _Session(agent, stream, game, fallback, warn, room)
    try:
        may_change = room is not None or game is None
        words = _words(agent, token, room, may_change=may_change) if extension or room else ()
        return await session.run(words)
    except protocol.BadMatchState as error:
        hint = f"is another game being played? name it with --game, or set {variables.GAME}"
        raise UnreadableState(f"{error} ({hint})") from error
    except protocol.RemoteProtocolError as error:
        raise UnreadableState(str(error)) from error


def _words(agent: Agent, token: str | None, room: RoomSeat | None, *, may_change: bool) -> tuple[str, ...]:
    """The words of the greeting."""
    is_in_room = room is not None
    name = room.name if room is not None else None
    wanted = [
        ("seat", True), ("names", True), ("game", True),
        (STACKS, may_change),
        (LOBBY, is_in_room), (PERSON, is_in_room and agent.is_person), (f"{NAME}{name}", name is not None),
        ("clock", agent.wants_clock),
        (UNREHEARSED, agent.is_stateless),
        (CAPABILITY, can_disclose(agent)), (USAGE, agent.states_usage),
        (f"{TOKEN}{token}", token is not None),
    ]  # fmt: skip
    return tuple(word for word, is_wanted in wanted if is_wanted)


# An agent may think for a long time, or for ever: in its code Ctrl-C works at once
# (`clients.core.program.join_table`).


@trio.lowlevel.disable_ki_protection
def _ask(agent: Agent, view: rules.HandView) -> rules.Action | Awaitable[rules.Action]:
    begin_decision(agent, view)
    return agent.choose_action(view)


@trio.lowlevel.disable_ki_protection
async def _think(chosen: Awaitable[rules.Action]) -> rules.Action:
    return await chosen


_ENDS_A_TURN: Final = protocol.StateUpdate, protocol.TurnToAct, protocol.InLobby, protocol.ConnectionClosed


@attrs.define(eq=False, slots=False)
class _Session:
    _agent: Agent
    _stream: trio.abc.Stream
    _named_game: rules.GameDefinition | None
    _fallback: rules.GameDefinition | None
    _show: Callable[[str], None] | None
    _room: RoomSeat | None

    def __attrs_post_init__(self) -> None:
        game, room = self._named_game or self._fallback, self._room
        self._has_asked = False  # for the room's seat
        self._is_seated = False  # in the room
        self._room_game = RoomGame()
        self._game_changes = room is not None  # from hand to hand, as the house says before each
        self._guess = GameGuess() if game is None and room is None else None
        candidates = self._guess.candidates if self._guess else None
        self._connection = protocol.PlayerConnection(game, candidates)
        self._events: deque[protocol.Event] = deque()  # came while the agent was thinking, and end its turn
        self._fault: protocol.RemoteProtocolError | None = None  # met while the agent was thinking
        # The state of the table, as the agent knows it.
        self._game: rules.GameDefinition | None = None
        self._seat: int | None = None
        self._given_seat: int | None = None
        self._has_fixed_seats = False
        self._hand_number = -1
        self._position = -1
        self._betting: rules.BettingState | None = None
        self._hands_finished = 0
        self._discloses = False  # the house has asked what the agent would do with other hands
        self._tells_usage = False  # and what its decisions cost

    def _warn(self, line: str) -> None:
        if self._show is not None:
            self._show(printable(line))  # it may quote the house

    # --- bytes ---------------------------------------------------------------------------------------

    async def run(self, words: Sequence[str]) -> int:
        connection, agent = self._connection, self._agent
        opening = connection.send(protocol.Version())
        if words:
            opening += connection.send(protocol.Greeting(tuple(words)))
        await self._send(opening)
        events, next_event = self._events, connection.next_event
        while True:
            event = events.popleft() if events else next_event()
            if event is protocol.NEED_DATA:
                await self._receive()
            elif isinstance(event, protocol.StateUpdate):
                self._see(event.view)
            elif isinstance(event, protocol.TurnToAct):
                view = event.view
                self._see(view)
                chosen = _ask(agent, view)
                if not isinstance(chosen, rules.Action) and isinstance(chosen, Awaitable):
                    found = await self._wait_for(chosen)
                    if found is None:
                        continue
                    chosen = found
                action = checked_action(agent, chosen)
                if agent.explains and agent.comment is None:
                    agent.comment = explained(agent, view)
                said = self._comment() + self._policy(view, action) if self._discloses else self._comment()
                await self._send(said + connection.send(protocol.Reply(action)))
            elif isinstance(event, protocol.Note):
                self._note(event)
            elif isinstance(event, protocol.Greeting):
                self._discloses = CAPABILITY in event.words
                self._tells_usage = USAGE in event.words
                self._game_changes |= STACKS in event.words
            elif isinstance(event, protocol.InLobby):
                if self._is_seated:
                    if event.reason:
                        self._warn(event.reason)
                    return self._hands_finished
                await self._ask_for_seat()
            elif isinstance(event, protocol.Seated):
                self._is_seated = True
            elif isinstance(event, protocol.ConnectionClosed):
                return self._ended()

    async def _ask_for_seat(self) -> None:
        """The room has let us in: ask for a seat, once."""
        room = self._room
        if room is not None and not self._has_asked:
            self._has_asked = True
            text = room.table if room.chips is None else f"{room.table} {room.chips}"
            await self._send(self._connection.send(protocol.Request("join", text)))

    def _comment(self) -> bytes:
        """The lines that the agent adds to its action; all leave in one write."""
        agent = self._agent
        comment, agent.comment = agent.comment, None
        usage, agent.usage = agent.usage, None
        said = b""
        if comment is not None:
            said = self._connection.send(protocol.Comment(b"# " + " ".join(comment.split()).encode()))
        if usage is not None and self._tells_usage:
            said += self._connection.send(protocol.Comment(usage.encode()))
        return said

    def _policy(self, view: rules.HandView, action: rules.Action) -> bytes:
        """The agent's strategy at a decision, for the house."""
        line = policy_line(self._agent, view, action)
        return b"" if line is None else self._connection.send(protocol.Comment(line.encode()))

    async def _receive(self) -> None:
        try:
            data = await self._stream.receive_some()
        except trio.BrokenResourceError:
            data = b""  # a reset is an end, too: what came before it counts
        self._connection.receive_data(bytes(data))

    async def _send(self, data: bytes) -> None:
        # The dealer may have left: what it said before that must still be read, then comes the end.
        with contextlib.suppress(trio.BrokenResourceError):
            await self._stream.send_all(data)

    async def _wait_for(self, chosen: Awaitable[rules.Action]) -> rules.Action | None:
        """The action a coroutine finds; None if the dealer continued without us, and it was cancelled."""
        action: rules.Action | None = None
        error: Exception | None = None  # kept out of the nursery, which would wrap it in a group
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_for_withdrawal, nursery.cancel_scope)
            try:
                action = await _think(chosen)
            except Exception as raised:  # raised again below
                error = raised
            nursery.cancel_scope.cancel()
        if error is not None:
            raise error
        if self._fault is not None:
            raise self._fault
        if self._events:
            return None
        return checked_action(self._agent, action)

    @trio.lowlevel.enable_ki_protection
    async def _watch_for_withdrawal(self, thinking: trio.CancelScope) -> None:
        """Read on while the agent thinks, and stop it when the dealer has moved on or left."""
        connection = self._connection
        while True:
            await self._receive()
            try:
                while (event := connection.next_event()) is not protocol.NEED_DATA:
                    if isinstance(event, protocol.Note):
                        self._note(event)
                    elif isinstance(event, _ENDS_A_TURN):
                        self._events.append(event)
            except protocol.RemoteProtocolError as error:
                self._fault = error
            if self._events or self._fault is not None:
                thinking.cancel()
                return

    # --- what reaches the agent ------------------------------------------------------------------------

    def _note(self, note: protocol.Note) -> None:
        if note.name == "seat" and note.text.isdecimal():
            self._given_seat = int(note.text)
        elif note.name == "names":
            names = tuple(printable(note.text).split("|"))
            if self._game_changes and names != self._agent.names:
                self._seat = None  # other players: for the agent another match begins
            self._agent.names = names
        elif self._game_changes and note.name == STACKS:
            self._play_next(self._room_game.with_stacks(note.text))
        elif self._room is not None and note.name in ("refused", "message"):
            if note.name == "refused" and not self._is_seated:
                raise Refusal(f"the room refused: {note.text}")
            self._warn(note.text)
        elif note.name == "clock":
            with contextlib.suppress(ValueError):
                self._agent.seconds_to_act = parse_finite(note.text)
        elif note.name == "game" and self._named_game is None:
            try:
                game = parse_game_line(note.text, "the server's #game line")
            except rules.GameDefinitionError as error:
                self._warn(f"{error}; going by what is dealt")
                return
            if self._guess is not None:
                self._guess.settle()
                self._guess = None
            self._play_next(self._room_game.with_game(game) if self._game_changes else game)

    def _play_next(self, game: rules.GameDefinition | None) -> None:
        """Take over the game of the next hand, if it may differ from the last."""
        if game != self._connection.game:
            self._connection.game = game

    @trio.lowlevel.disable_ki_protection
    def _see(self, view: rules.HandView) -> None:
        """Tell the agent what is new in a state."""
        betting, last = view.betting, self._betting
        is_same = view.hand_number == self._hand_number and view.position == self._position
        goes_on = last is not None and is_same and (betting.game is last.game or betting.game == last.game)
        self._betting = betting
        begin = functools.partial(self._start_hand, view)
        if tell_news(self._agent, view, last if goes_on else None, begin) and betting.position_to_act is None:
            self._hands_finished += 1
            self._agent.hand_finished(view)

    def _start_hand(self, view: rules.HandView) -> None:
        game = view.game
        seat = self._find_seat(view)
        self._hand_number, self._position = view.hand_number, view.position
        if self._game_changes and self._game is not None and is_same_but_for_chips(game, self._game):
            self._game = self._agent.game = game
        if seat != self._seat or game != self._game:
            if game != self._game and self._guess is not None:
                first = "nobody says what is being played: guessing"
                again = "the first guess at what is being played was wrong: now guessing"
                self._warn(f"{first if self._game is None else again} {name_of(game)}")
            self._seat, self._game = seat, game
            agent = self._agent
            agent.game, agent.seat = game, seat
            agent.match_started(game, seat)
        self._agent.hand_started(view_at(view, rules.initial_betting(game)))

    def _find_seat(self, view: rules.HandView) -> int:
        """Our seat, at the start of a hand (docs/acpc-dealer.md 5.4)."""
        num_players = view.game.num_players
        if self._given_seat is not None:
            return self._given_seat
        if self._seat is not None and view.position == self._position:
            # Positions move by one each hand; one that does not belongs to a table with fixed seats.
            self._has_fixed_seats |= (view.hand_number - self._hand_number) % num_players != 0
        return view.position if self._has_fixed_seats else (view.position + view.hand_number) % num_players

    def _ended(self) -> int:
        if self._room is not None and not self._is_seated:
            raise DealerGone("the room closed the connection before it gave us a seat")
        if self._betting is None:
            if self._room is not None:
                return 0
            raise DealerGone("the dealer closed the connection before the first hand")
        if not self._betting.is_finished:
            raise DealerGone(f"the dealer closed the connection in the middle of hand {self._hand_number}")
        return self._hands_finished
