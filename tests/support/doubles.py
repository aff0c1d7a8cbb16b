"""Test doubles: a dealer that follows a recorded dialogue, and agents that record."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs
import trio

from clients.lab.testing import Deciding, Recorder
from engine.poker.rules import CALL, Action, GameDefinition, InvalidActionError
from protocol import format_match_state
from protocol.match_state import read_action
from protocol.records import parse_score
from tests.support.dialogue import Receives, Sends, Step, load_dialogue
from tests.support.hands.golden_files import golden_game


@attrs.frozen
class Dialogue:
    """A recorded match as its players see it."""

    game: GameDefinition
    steps: tuple[Step, ...]
    score: tuple[float, ...] | None
    """Chips by seat; None if the match was not finished."""

    def shown_to(self, seat: int) -> list[str]:
        """The states that a seat received, in order."""
        return [
            step.text for step in self.steps if isinstance(step, Receives) and step.seat == seat and step.text
        ]

    def replies_of(self, seat: int) -> dict[str, Action]:
        """The action of each reply of a seat's client, by the state it answered; a call if it is unclear."""
        shown = self.shown_to(seat)
        replies: dict[str, Action] = {}
        for step in self.steps:
            if not isinstance(step, Sends) or step.seat != seat:
                continue
            state, colon, action = step.text.rpartition(":")
            if colon and state in shown:
                try:
                    replies[state] = read_action(action, 0, self.game.is_limit)[0]
                except InvalidActionError:
                    replies[state] = CALL
        return replies


def dialogue(name: str) -> Dialogue:
    """The recorded dialogue of a name, such as ``E1``."""
    recorded = load_dialogue(name)
    game = golden_game(recorded.arguments[1].removesuffix(".game"))
    score = parse_score(recorded.stdout)
    return Dialogue(game, recorded.steps, score[0] if score else None)


class LineReader:
    """Reads lines from a stream, and keeps comments apart."""

    def __init__(self, stream: trio.abc.ReceiveStream) -> None:
        self._stream = stream
        self._data = b""
        self.comments: list[str] = []

    async def next_line(self) -> str | None:
        """The next line without its end; None at the end of the stream."""
        while True:
            line, end, rest = self._data.partition(b"\n")
            if end:
                self._data = rest
                text = line.rstrip(b"\r").decode("ascii")
                if not text.startswith("#"):
                    return text
                self.comments.append(text)
            elif data := await self._stream.receive_some():
                self._data += bytes(data)
            else:
                assert not self._data, f"the client stopped in the middle of {self._data!r}"
                return None


async def follow_dialogue(
    stream: trio.abc.Stream, recorded: Dialogue, seat: int, *, before: Iterable[str] = ()
) -> list[str]:
    """Play the dealer of a dialogue for one seat, then close; returns the replies received.

    Args:
        stream: the connection to the client.
        recorded: the dialogue to follow.
        seat: the seat of the client.
        before: lines to send first, after the client's version.
    """
    reader = LineReader(stream)
    received: list[str] = []
    async with stream:
        assert await reader.next_line() == "VERSION:2.0.0"
        for text in before:
            await stream.send_all(text.encode() + b"\r\n")
        awaited = recorded.replies_of(seat)
        for text in recorded.shown_to(seat):
            await stream.send_all(text.encode() + b"\r\n")
            if text in awaited:
                reply = await reader.next_line()
                if reply is None:
                    break
                received.append(reply)
    return received


def replying(replies: dict[str, Action]) -> Recorder:
    """An agent that plays given actions by match state, calls elsewhere, and records what it is told."""
    return Recorder(Deciding(lambda view: replies.get(format_match_state(view), CALL)))


def python_blocks(markdown: Path) -> Iterator[str]:
    """The Python code blocks of a Markdown file."""
    for block in re.finditer(
        r"^```python\n(.*?)^```$", markdown.read_text("utf-8"), re.DOTALL | re.MULTILINE
    ):
        yield block[1]
