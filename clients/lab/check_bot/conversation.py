"""What the bot is shown, and what its lines mean.

The dealer of a match is forgiving: it skips lines that do not answer its question and corrects illegal
actions. This one does the same, so that an examination continues after a fault, and notes what it has
forgiven.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final

import attrs
import trio

from clients.lab.check_bot.client import Client, Pace, Sender
from clients.lab.check_bot.findings import Examined, told
from engine.poker.rules import CALL, Action, GameDefinition, HandView, InvalidActionError
from engine.poker.situations import why_illegal
from protocol import BadMatchState, BadVersion, DealerConnection, Version, format_match_state
from protocol.extension import UNREHEARSED, introduction, is_comment, parse_greeting
from protocol.framing import LineBuffer
from protocol.match_state import MissingSizeError, read_action, read_match_state, same_match_state

_GRANTED: Final = ("seat", "names", "game", "clock", UNREHEARSED)
_SHOWN: Final = 300
# Characters of a line that a detail quotes.
_KEPT_STATES: Final = 400
_PATIENCE: Final = 2.0
# How many times the limit we wait for a late answer.
_CHUNK: Final = 64 * 1024


class Fell(Exception):
    """The bot cannot continue: it is silent, or gone."""

    def __init__(self, what: str, *, is_gone: bool = False) -> None:
        super().__init__(what)
        self.is_gone = is_gone


class DoesNotPlay(Exception):
    """The bot cannot know the game, and speaks another one's language; the message says which."""


@attrs.frozen
class Limits:
    """How long a bot may take, in seconds."""

    response: float = 10.0
    first_response: float = 60.0
    """For the first decision of a connection, if longer: programs load what they need during it."""
    start: float = 60.0
    """To connect, and to say its version."""
    end: float = 10.0
    """To end when the table has closed; the ACPC granted as much."""
    slow: float = 3.0
    """How long others think when that is being checked."""


class _Shown(Enum):
    """The bot's reaction to a state."""

    WATCHED = auto()
    ASKED = auto()
    ANSWERED = auto()
    WITHDRAWN = auto()


@attrs.define(eq=False)
class _AskedState:
    """A state that the bot is to answer."""

    view: HandView
    limit: float
    began: float
    arrivals: list[float] = attrs.Factory(list)
    """When pieces of what it says arrived."""
    other: str | None = None
    """An answer to another state, which may be meant for this one."""
    complaint: tuple[bytes, str] | None = None
    """An answer that was not asked for, and how."""
    is_behind: bool = False
    """Answers to earlier states came first: several writes are then correct."""


@attrs.define(eq=False)
class Conversation:
    """The dealer's end of one connection with the bot.

    Args:
        client: the bot.
        game: what is played.
        where: what to call it in findings.
        findings: takes what is wrong.
        pace: takes how long answers took.
        limits: of time.
        knows_game: the bot knows what is played; otherwise its sizes are not faults.
        may_decline: the bot may turn out not to play this kind of game.
        is_doubtful: if the bot says nothing, it does not play this kind of game.
    """

    _client: Client
    _game: GameDefinition
    _where: str
    _findings: Examined
    _pace: Pace
    _limits: Limits
    knows_game: bool
    _may_decline: bool
    _is_doubtful: bool
    _connection: DealerConnection = attrs.field(init=False)
    """Reads the version, and answers greetings."""
    _lines: LineBuffer = attrs.field(factory=LineBuffer, init=False)
    sender: Sender = attrs.field(init=False)
    """Sends states to it."""
    _states: dict[tuple[int, str], _Shown] = attrs.field(factory=dict, init=False)
    _question: _AskedState | None = attrs.field(default=None, init=False)
    answers: list[tuple[str, str]] = attrs.field(factory=list, init=False)
    """The states in which it was asked, and its answers, in order."""
    last_shown: str = attrs.field(default="", init=False)
    """The last state that it was shown."""

    def __attrs_post_init__(self) -> None:
        self._connection = DealerConnection(self._game)
        self.sender = Sender(self._client.stream, self._limits.response)

    # --- what it is shown ----------------------------------------------------------------------------------

    async def show(self, view: HandView) -> None:
        """Show it a state; if it is to act, `answer` comes next.

        Raises:
            Fell: it is gone, or does not read.
        """
        self.last_shown = format_match_state(view)
        self._remember(view, _Shown.ASKED if view.is_our_turn else _Shown.WATCHED)
        line = self.last_shown.encode("ascii") + b"\r\n"
        with self._sending():
            await self.sender.send_line(line, waits_for_answer=view.is_our_turn)

    async def flush(self) -> None:
        """Send what was held back; raises as `show` does."""
        with self._sending():
            await self.sender.flush()

    @contextlib.contextmanager
    def _sending(self) -> Iterator[None]:
        try:
            yield
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Fell("closed its connection", is_gone=True) from None
        except trio.TooSlowError:
            raise Fell("does not read what it is sent") from None

    def withdraw(self, view: HandView) -> None:
        """Note that the dealer acts in its place: an answer that still comes is not a fault."""
        self._remember(view, _Shown.WITHDRAWN)

    def _remember(self, view: HandView, what: _Shown) -> None:
        self._states[view.hand_number, view.betting.text] = what
        if len(self._states) > _KEPT_STATES:
            del self._states[next(iter(self._states))]

    # --- what it says --------------------------------------------------------------------------------------

    async def shake_hands(self) -> None:
        """Read its version.

        Raises:
            Fell: it says something else, or nothing.
        """
        self._findings.tried("handshake", self._where)
        line = await self._next_line(trio.current_time() + self._limits.start)
        if line is None:
            raise Fell(told("handshake", "silent", seconds=self._limits.start))
        self._connection.receive_data(line)
        try:
            event = self._connection.next_event()
        except BadVersion:
            raise Fell(told("handshake", "wrong", line=_quoted(line))) from None
        if isinstance(event, Version) and not event.is_supported:
            self._fault("handshake", "other", line=_quoted(line))

    async def answer(self, view: HandView) -> Action:
        """What the bot does in the state it was last shown, corrected if it is not legal.

        Raises:
            Fell: no answer came, or its connection was closed.
            DoesNotPlay: it raises without a size in a no-limit game, and cannot know that it plays one.
        """
        await self.flush()
        limits = self._limits
        limit = limits.response if self.answers else max(limits.response, limits.first_response)
        self._client.acknowledge(at_once=False)
        self._question = question = _AskedState(view, limit, trio.current_time())
        try:
            text = await self._hear_answer(question)
        finally:
            self._question = None
        seconds = trio.current_time() - question.began
        for check in ("answers", "echo", "turn", "legal-actions", "time", "one-write"):
            self._findings.tried(check, self._where)
        if not self._pace.echoes_wrongly:  # otherwise it was we who waited for another answer
            (self._pace.seconds if self.answers else self._pace.first).append(seconds)
            if seconds > limit:
                self._fault("time", "late", seconds=seconds, state=format_match_state(view), limit=limit)
        self._remember(view, _Shown.ANSWERED)
        self.answers.append((format_match_state(view), text))
        return self._judged(text, view)

    async def _hear_answer(self, question: _AskedState) -> str:
        """The part of the answer after the state, colon included."""
        # If it may turn out not to play at all, there is no point in finding out how late it would be.
        is_doubtful = self._is_doubtful or (self._may_decline and not self.answers)
        patience = question.limit * (1.0 if is_doubtful else _PATIENCE)
        deadline = question.began + patience
        while True:
            line = await self._next_line(deadline)
            if line is None:
                if question.other is not None:
                    return self._wrong_echo(question.other, question.view)
                state = format_match_state(question.view)
                raise Fell(told("answers", "silent", seconds=patience, state=state))
            if is_comment(line):
                await self._heed(line)
            elif (text := self._read_answer(line, question)) is not None:
                return text
            elif question.other is not None:
                deadline = min(deadline, trio.current_time() + self._limits.response)

    def _read_answer(self, line: bytes, question: _AskedState) -> str | None:
        """The part after the state of a line that answers a question; None if the line does not."""
        view = question.view
        text = line.rstrip(b"\r\n").decode("utf-8", "replace")
        try:
            echoed, end = read_match_state(text, self._game)
        except BadMatchState:
            self._fault("echo", "nothing", line=_quoted(line))
            return _behind(text) if ":" in text else None
        if same_match_state(echoed, view):
            if question.complaint is not None:
                self._fault("turn", "twice", line=_quoted(question.complaint[0]), how=question.complaint[1])
            if len(question.arrivals) > 1 and not question.is_behind:
                pace = self._pace
                gaps = pace.late_gaps if pace.wants_late_acknowledgement else pace.prompt_gaps
                gaps.append(question.arrivals[-1] - question.arrivals[0])
            return text[end:]
        key = (echoed.hand_number, echoed.betting.text)
        before = self._states.get(key)
        question.is_behind = True
        if before is _Shown.WITHDRAWN:
            return None
        if before is None or key == (view.hand_number, view.betting.text) or self._pace.echoes_wrongly:
            return self._wrong_echo(text, view)
        question.other = text
        how = "a second time" if before is _Shown.ANSWERED else "although it was not to act"
        question.complaint = line, how
        return None

    def _wrong_echo(self, text: str, view: HandView) -> str:
        self._pace.echoes_wrongly = True
        self._fault("echo", "other", state=format_match_state(view), said=text[:_SHOWN])
        return _behind(text)

    def _judged(self, text: str, view: HandView) -> Action:
        """The action in the text after a state, corrected as a dealer does."""
        legal = view.legal_actions()
        state, said = format_match_state(view), text[:_SHOWN]
        if not text.startswith(":"):
            self._fault("legal-actions", "colon", state=state, said=said)
            return CALL
        try:
            action, _ = read_action(text, 1, self._game.is_limit)
        except MissingSizeError:
            if self._may_decline and not self.knows_game:
                raise DoesNotPlay("it raises without a size, as in limit games") from None
            self._fault("legal-actions", "size", state=state, said=said)
            return CALL
        except InvalidActionError:
            self._fault("legal-actions", "none", state=state, said=said)
            return CALL
        wrong = why_illegal(action, legal)
        if wrong is not None and (self.knows_game or wrong.key != "most"):
            detail = f"in {state} it {wrong.message}{_hint(wrong.key, action, view)}"
            self._findings.fault("legal-actions", self._where, detail)
        return legal.nearest(action)

    async def _heed(self, line: bytes) -> None:
        """Answer a greeting as a table does."""
        words = parse_greeting(line.decode("utf-8", "replace").strip())
        if words is None:
            return
        self._pace.greets = True
        if "game" in words:
            self.knows_game = self._pace.asks_for_game = True
        names = ["you", *(f"p{seat}" for seat in range(1, self._game.num_players))]
        _, said = self._connection.answer_greeting(words, _GRANTED, introduction(self._game, names, 0))
        with self._sending(), trio.fail_after(self._limits.response):
            await self._client.stream.send_all(said)

    async def greet(self, within_s: float = 0.05) -> None:
        """Give it a moment to ask for more than the ACPC's protocol has, before it is shown anything."""
        deadline = trio.current_time() + within_s
        while (line := self._lines.next_line() or await self._receive_line(deadline)) is not None:
            if is_comment(line):
                await self._heed(line)
            else:
                self._fault("turn", "early", line=_quoted(line))

    async def hear_the_rest(self, within_s: float) -> None:
        """Say that nothing more comes, and read what it still says."""
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError, Fell):
            await self.flush()
            await self._client.stream.send_eof()
            deadline = trio.current_time() + within_s
            while (line := await self._next_line(deadline)) is not None:
                if not is_comment(line):
                    self._fault("turn", "unasked", line=_quoted(line))

    async def _next_line(self, deadline: float) -> bytes | None:
        """Its next line; None if none comes in time.

        Raises:
            Fell: it has closed its connection.
        """
        line = self._lines.next_line()
        return line if line is not None else await self._receive_line(deadline)

    async def _receive_line(self, deadline: float) -> bytes | None:
        with trio.CancelScope(deadline=deadline):
            while True:
                try:
                    data = bytes(await self._client.stream.receive_some(_CHUNK))
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    data = b""
                self._lines.feed(data)
                if self._question is not None:
                    self._question.arrivals.append(trio.current_time())
                    if not self._pace.wants_late_acknowledgement:
                        self._client.acknowledge(at_once=True)
                line = self._lines.next_line()
                if line is not None:
                    return line
                if not data:
                    raise Fell("closed its connection", is_gone=True)
        return None

    def _fault(self, check: str, text: str, **values: Any) -> None:
        self._findings.fault(check, self._where, told(check, text, **values))


def _behind(text: str) -> str:
    """The last colon and what follows it."""
    return ":" + text.rpartition(":")[2]


def _hint(key: str, action: Action, view: HandView) -> str:
    """The likely meaning of a raise that is too small."""
    if key != "least" or action.raise_to is None:
        return ""
    total = view.betting.max_spent + action.raise_to
    return told("legal-actions", "total", by=action.raise_to, total=total)


def _quoted(line: bytes) -> str:
    text = line.rstrip(b"\r\n").decode("utf-8", "replace")
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
