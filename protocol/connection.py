"""One seat's conversation, without any I/O: bytes in, events out; events in, bytes out.

::

    connection = DealerConnection(game)                 # or PlayerConnection(game)
    await stream.send_all(connection.send(event))
    connection.receive_data(await stream.receive_some())
    while (event := connection.next_event()) is not NEED_DATA: ...

Both ends keep the same table of states (`protocol.states`); every event, in either direction, passes
through `_process`.  There is no clock here and no policy: what the ACPC dealer tolerates is an event,
and what to do about it (warn, call, give up) is the server's business; what ends a conversation is an
error.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, Literal

from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, GameDefinition, HandView, InvalidActionError
from engine.poker.rules.game_file import wrap_unsigned
from protocol import events, extension, match_state
from protocol.errors import BadMatchState, BadVersion, LineTooLong, LocalProtocolError, RemoteProtocolError
from protocol.framing import MAX_LINE, LineBuffer
from protocol.states import TRANSITIONS, State

_VERSION: Final = re.compile(rb"VERSION:\s*([+-]?\d{1,40})\.\s*([+-]?\d{1,40})\.\s*([+-]?\d{1,40})")
_LINE_END: Final = b"\r\n"
_GREETING_START: Final = b"#riverboat/"
_TO_ACT: Final = State.TO_ACT
_WATCHING: Final = State.WATCHING
# Attributes of an Enum are slow Python, and these two are looked at for every action.


class _NeedData(enum.Enum):
    NEED_DATA = enum.auto()


NEED_DATA: Final = _NeedData.NEED_DATA
"""What `next_event` returns when more bytes must be received first."""
NeedData = Literal[_NeedData.NEED_DATA]


class _Connection:
    """The line buffer and the state that both ends share."""

    def __init__(self) -> None:
        self.lines: Final = LineBuffer()
        """What has been received, and not yet turned into events."""
        self.state = State.AWAITING_VERSION
        """The state of the conversation, which only what is said changes."""

    @property
    def num_buffered(self) -> int:
        """Bytes not yet turned into events; a shell that bounds memory stops receiving at a limit."""
        return len(self.lines)

    def receive_data(self, data: bytes) -> None:
        """Take received bytes; empty bytes mean that the other side has closed.

        Afterwards call `next_event` until it returns `NEED_DATA`.
        """
        self.lines.feed(data)

    def send_failed(self) -> None:
        """A write did not complete: nobody knows what arrived, so nothing more can be said."""
        self.state = State.ERROR

    def _at_end(self) -> events.ConnectionClosed | NeedData:
        """The end of the conversation, or that more bytes must be received first."""
        has_closed = self.lines.at_end and self.state is not State.CLOSED
        return events.ConnectionClosed() if has_closed else NEED_DATA

    def _process(self, kind: type[events.Event]) -> None:
        """Take an event that we say through the table."""
        state = TRANSITIONS[self.state].get(kind)
        if state is None:
            raise self._breach(kind)
        self.state = state

    def _breach(self, kind: type[events.Event]) -> LocalProtocolError:
        now = self.state.value
        return LocalProtocolError(f"{kind.__name__} is not admitted while the conversation is {now!r}")

    def _process_received(self, event: events.Event) -> None:
        """The same for what the other side said: a breach is its fault, and ends the conversation."""
        try:
            self._process(type(event))
        except LocalProtocolError as error:
            raise self._fault(RemoteProtocolError(f"from the other side: {error}")) from None

    def _fault(self, error: RemoteProtocolError) -> RemoteProtocolError:
        self.state = State.ERROR
        return error


class DealerConnection(_Connection):
    """The dealer's end of the conversation with one client.

    Args:
        game: what is being played; None in a room, before the client has a seat.
    """

    def __init__(self, game: GameDefinition | None) -> None:
        super().__init__()
        self._game = game
        self._echo = b""
        self._is_in_room = False  # it has been granted the lobby: its requests are read
        self._plain: dict[bytes, events.Reply] = {}
        if game is not None:
            self.play(game)

    def play(self, game: GameDefinition) -> None:
        """Play another game from now on, or the same with other stacks; only between two hands.

        Raises:
            LocalProtocolError: the client has been asked to act.
        """
        if self.state is State.TO_ACT:
            raise LocalProtocolError("the game cannot change while the client is to act")
        self._game = game
        plain = {b"f": FOLD, b"c": CALL} | ({b"r": LIMIT_RAISE} if game.is_limit else {})
        ends = b"\r\n", b"\n"
        self._plain = {
            b":%s%s" % (text, end): events.Reply(action) for text, action in plain.items() for end in ends
        }
        # What nearly every client sends after the state; it is recognised without parsing.

    def send(self, event: events.OfDealer) -> bytes:
        """The bytes that say `event`; none for the local `TurnWithdrawn`.

        Raises:
            LocalProtocolError: it cannot be said now.
        """
        if isinstance(event, events.StateUpdate | events.TurnToAct):
            message = match_state.format_match_state(event.view).encode("ascii")
            return self.show(message, isinstance(event, events.TurnToAct))
        self._process(type(event))
        if isinstance(event, events.Note):
            return f"#{event.name} {event.text}".encode() + _LINE_END
        if isinstance(event, events.Greeting):
            self._is_in_room |= extension.LOBBY in event.words
            return extension.format_greeting(event.words).encode() + _LINE_END
        if isinstance(event, events.InLobby):
            return f"#lobby {event.reason}".rstrip().encode() + _LINE_END
        if isinstance(event, events.Seated):
            return f"#seated {event.table} {event.seat} {event.stack}".encode() + _LINE_END
        return b""

    def answer_greeting(
        self, words: Iterable[str], offered: Collection[str], notes: Mapping[str, str]
    ) -> tuple[frozenset[str], bytes]:
        """Grant what a greeting asks for.

        Args:
            words: of the greeting.
            offered: what may be granted.
            notes: said at once if they are granted, by name.

        Returns:
            What is granted, and the bytes that say it.
        """
        granted = tuple(dict.fromkeys(word for word in words if word in offered))
        data = self.send(events.Greeting(granted))
        for name, text in notes.items():
            if name in granted:
                data += self.send(events.Note(name, text))
        return frozenset(granted), data

    def show(self, message: bytes, is_turn: bool) -> bytes:
        """The same for a match state that is already text: a `TurnToAct` if `is_turn`, else a `StateUpdate`.

        Args:
            message: what `HandMessages` or `format_match_state` give, without line end.
        """
        kind = events.TurnToAct if is_turn else events.StateUpdate
        state = TRANSITIONS[self.state].get(kind)  # as `_process`, without another call for every message
        if state is None:
            raise self._breach(kind)
        self.state = state
        self._echo = message
        return message + _LINE_END

    def hear(self, data: bytes) -> events.Reply | None:
        """`receive_data`; returns the usual answer at once if it is all that the client has said.

        That answer's event does not keep the line, which is `data`.
        """
        echo = self._echo
        if self.state is _TO_ACT and data.startswith(echo):
            reply = self._plain.get(data[len(echo) :])
            if reply is not None and self.lines.is_empty:
                self.state = _WATCHING
                return reply
        self.receive_data(data)
        return None

    def next_event(self) -> events.Event | NeedData:
        """What the client said next.

        What it says out of turn is kept until it is to act, as with the ACPC dealer, so that an answer sent
        early counts (docs/acpc-dealer.md 5.6); only greetings and, in a room, requests are taken at any time,
        even after comments.  Answer a greeting before asking for the next event: the answer decides what the
        following lines are.

        Raises:
            BadVersion: its first line is not a version.
            RemoteProtocolError: the conversation has already broken down.
        """
        event = self._read_event()
        if event is not NEED_DATA:
            self._process_received(event)
        return event

    def _read_event(self) -> events.Event | NeedData:
        state, lines = self.state, self.lines
        if state is State.ERROR:
            raise RemoteProtocolError("the conversation has broken down")
        if state in (State.WATCHING, State.CLOSED):
            line = lines.take_behind(extension.is_comment, _is_wanted if self._is_in_room else _is_greeting)
        else:
            line = lines.next_line()
        if line is None:
            return self._at_end()
        if state is State.TO_ACT:
            return self._read_answer(line)
        if state is State.AWAITING_VERSION:
            return self._read_version(line)
        if state is State.LOBBY and not extension.is_comment(line):
            return events.UnreadableLine(line)
        return self._read_comment(line)

    def _read_version(self, line: bytes) -> events.Version:
        version = _VERSION.match(line)
        if version is None:
            message = f"expected VERSION:MAJOR.MINOR.REVISION as the first line, got {line[:80]!r}"
            raise self._fault(BadVersion(message, line))
        major, minor, revision = (wrap_unsigned(int(part), 32) for part in version.groups())
        return events.Version(major, minor, revision, line)

    def _read_comment(self, line: bytes) -> events.Event:
        words = extension.parse_greeting(_text(line)) if line.startswith(_GREETING_START) else None
        if words is not None:
            return events.Greeting(words)
        request = extension.parse_request(_text(line)) if self._is_in_room else None
        return events.Comment(line) if request is None else events.Request(*request)

    def _read_answer(self, line: bytes) -> events.Event:
        end = len(self._echo)
        if line.startswith(self._echo) and line[end : end + 1] == b":":
            return self._read_reply(line, _text(line), end)
        if extension.is_comment(line):
            return self._read_comment(line)
        text = _text(line)
        assert self._game is not None  # a state has been shown
        try:
            view, end = match_state.read_match_state(text, self._game)
            expected, _ = match_state.read_match_state(self._echo.decode("ascii"), self._game)
        except BadMatchState:
            return events.UnreadableLine(line)
        if not match_state.same_match_state(view, expected):
            return events.StaleReply(line)
        return self._read_reply(line, text, end)

    def _read_reply(self, line: bytes, text: str, end: int) -> events.Reply:
        """The reply whose echo of the state ends at `end`."""
        if text[end : end + 1] != ":":
            return events.Reply(None, events.Flaw.BAD_FORMAT, line)
        assert self._game is not None  # a state has been shown
        try:
            action, _ = match_state.read_action(text, end + 1, self._game.is_limit)
        except match_state.MissingSizeError:
            return events.Reply(None, events.Flaw.BAD_FORMAT, line)
        except InvalidActionError:
            return events.Reply(None, events.Flaw.UNKNOWN_ACTION, line)
        return events.Reply(action, None, line)


class PlayerConnection(_Connection):
    """A client's end of its conversation with the dealer.

    `game` may be set again before a state has been received, when the server has named it.

    Args:
        game: what is being played; None when nobody has said, and `candidates` must name it.
        candidates: the games that a match state, given as text, may belong to, likeliest first.  Called
            when the text cannot be read as a state of `game`; the first game in which it can be read is the
            game from then on.
    """

    def __init__(
        self, game: GameDefinition | None, candidates: Callable[[str], Iterable[GameDefinition]] | None = None
    ) -> None:
        super().__init__()
        self.game = game
        """The game by which match states are read; None while it is not known."""
        self._reader: match_state.MatchStateReader | None = None
        self._candidates = candidates
        self._echo = b""

    def send(self, event: events.OfPlayer) -> bytes:
        """The bytes that say `event`.

        Send a comment and the reply it belongs to in one write: two small writes can cost 40 ms.

        Raises:
            LocalProtocolError: it cannot be said now, it is a reply without an action, or a comment that the
                dealer would not skip.
        """
        if isinstance(event, events.Reply) and event.action is None:
            raise LocalProtocolError("a reply needs an action")
        if isinstance(event, events.Comment) and not _is_one_comment(event.line):
            raise LocalProtocolError(f"not a comment of one line, with # or ; first: {event.line[:80]!r}")
        request = b""
        if isinstance(event, events.Request):
            request = extension.format_request(event.word, event.text).encode()
            if not _is_one_comment(request):
                raise LocalProtocolError(f"not a request of one line: {event.word} {event.text[:80]!r}")
        self._process(type(event))
        if isinstance(event, events.Reply):
            return b"%s:%s\r\n" % (self._echo, str(event.action).encode("ascii"))
        if isinstance(event, events.Version):
            return b"VERSION:%d.%d.%d\n" % (event.major, event.minor, event.revision)
        if isinstance(event, events.Greeting):
            return extension.format_greeting(event.words).encode() + _LINE_END
        if isinstance(event, events.Request):
            return request + _LINE_END
        return event.line.rstrip(b"\r\n") + _LINE_END

    def next_event(self) -> events.Event | NeedData:
        """What the dealer said next.

        Raises:
            LineTooLong, BadMatchState, RemoteProtocolError: the dealer broke the protocol, or plays a game
                other than ours.
        """
        event = self._read_event()
        if event is not NEED_DATA:
            is_news = isinstance(event, events.StateUpdate | events.TurnToAct | events.InLobby)
            if is_news and self.state is State.TO_ACT:
                self._process(events.TurnWithdrawn)  # the dealer has acted for us
            self._process_received(event)
        return event

    def _read_event(self) -> events.Event | NeedData:
        if self.state is State.ERROR:
            raise RemoteProtocolError("the conversation has broken down")
        line = self.lines.next_line()
        if line is None:
            return self._at_end()
        if not line.endswith(b"\n"):
            if len(line) == MAX_LINE:
                raise self._fault(LineTooLong(f"the dealer sent {MAX_LINE} bytes without a line end"))
            why = f"the dealer closed in the middle of a line: {line[:80]!r}"
            raise self._fault(RemoteProtocolError(why))
        echo = line.rstrip(b"\r\n")
        if extension.is_comment(line):
            text = echo.decode("utf-8", "replace")
            words = extension.parse_greeting(text)
            if words is not None:
                return events.Greeting(words)
            note = extension.parse_note(text)
            if note is None:
                return events.Comment(line)
            if note[0] == "lobby" and self.state is not State.LOBBY:
                return events.InLobby(note[1])
            seated = extension.parse_seated(text) if self.state is State.LOBBY else None
            return events.Note(*note) if seated is None else events.Seated(*seated)
        view = self._read_state(echo.decode("latin-1"))
        self._echo = echo
        return events.TurnToAct(view) if view.is_our_turn else events.StateUpdate(view)

    def _read_state(self, text: str) -> HandView:
        fault = None
        if self.game is not None:
            if self._reader is None or self._reader.game is not self.game:
                self._reader = match_state.MatchStateReader(self.game)
            try:
                return self._reader.read(text)
            except BadMatchState as error:
                fault = error
        for game in self._candidates(text) if self._candidates else ():
            reader = match_state.MatchStateReader(game)
            try:
                view = reader.read(text)
            except BadMatchState as error:
                fault = fault or error
            else:
                self._reader, self.game = reader, game
                return view
        raise self._fault(fault or BadMatchState(f"{text[:80]!r} is not a state of any game we know"))


def _is_greeting(line: bytes) -> bool:
    return line.startswith(_GREETING_START)


def _is_wanted(line: bytes) -> bool:
    """A greeting, or a request to a room."""
    return line.startswith(_GREETING_START) or extension.parse_request(_text(line)) is not None


def _is_one_comment(line: bytes) -> bool:
    body = line.rstrip(b"\r\n")
    return extension.is_comment(body) and b"\n" not in body and len(body) + len(_LINE_END) <= MAX_LINE


def _text(line: bytes) -> str:
    """A line as text for parsing: without line end and, like a C string, up to the first NUL."""
    return line.rstrip(b"\r\n").partition(b"\0")[0].decode("latin-1")
