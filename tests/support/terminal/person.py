"""A person at the table, for tests: a screen that can be read, and lines that are typed."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import attrs
import trio

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.human.agent import Human
from clients.human.style import PLAIN, Style
from engine.poker.rules import Action, GameDefinition, HandView
from tests.support.hands.golden_files import GOLDEN

TRANSCRIPTS: Final = GOLDEN / "terminal"
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;]*m")
_VARYING: Final = (
    (re.compile(r"\bport \d+"), "port PORT"),
    (re.compile(r"(?<=The hands are in )\S+(?=\.)"), "FOLDER/match.log"),
)


class ScreenText:
    """A screen that keeps everything written to it."""

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style
        self._pieces: list[str] = []
        self._written: list[str] = []

    @property
    def text(self) -> str:
        """All that a terminal would show, typed lines included."""
        return "".join(self._pieces)

    @property
    def written(self) -> str:
        """All that the program wrote."""
        return "".join(self._written)

    def write(self, text: str) -> None:
        """Write text to the screen."""
        self._pieces.append(text)
        self._written.append(text)

    def echo(self, line: str) -> None:
        """Show a line that is being typed."""
        self._pieces.append(line + "\n")


class Watched(Human):
    """A person whose actions are recorded, and must be legal."""

    def __init__(self, screen: ScreenText, hands: int | None = None) -> None:
        super().__init__(screen, hands)
        self.screen = screen
        self.actions: list[Action] = []
        self.views: list[HandView] = []

    async def choose_action(self, view: HandView) -> Action:
        action = await super().choose_action(view)
        assert action in view.legal_actions()
        self.actions.append(action)
        self.views.append(view)
        return action


@attrs.frozen
class Sitting:
    """The result of a match that somebody typed."""

    human: Watched
    log: list[str]
    """The lines of the match log."""

    @property
    def text(self) -> str:
        """All that was shown on the screen."""
        return self.human.screen.text


async def type_match(
    game: GameDefinition,
    opponents: Iterable[Agent],
    hands: int,
    seed: int,
    lines: Callable[[Human], Iterator[str]],
    style: Style = PLAIN,
) -> Sitting:
    """Play a match in the arena in which the person in seat 0 types a line at every question.

    Args:
        game: the game.
        opponents: the agents in the other seats.
        hands: the most hands to play; the match also ends when there are no more lines.
        seed: the seed of the cards and the bots.
        lines: makes the lines to type, in order.
        style: the style of the screen.
    """
    human = Watched(ScreenText(style), hands)
    arena = Arena(game, [human, *opponents], seed)
    log: list[str] = []

    async def type_lines() -> None:
        for line in lines(human):
            await human.has_question.wait()
            human.screen.echo(line)
            human.hear(line)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(human.work_out_odds)
        nursery.start_soon(type_lines)
        await arena.play_async(hands, record=log.append)
        nursery.cancel_scope.cancel()
    return Sitting(human, log)


def without_escapes(text: str) -> str:
    """A text without its escape sequences for colours."""
    return _ESCAPE.sub("", text)


def check_transcript(name: str, text: str) -> None:
    """Compare a text with a golden transcript.

    With REGENERATE=1 in the environment the transcript is written first.  Ports and folders, which differ
    from run to run, are masked.
    """
    text = text.replace("\r\n", "\n")
    for pattern, mask in _VARYING:
        text = pattern.sub(mask, text)
    path = TRANSCRIPTS / f"{name}.txt"
    if os.environ.get("REGENERATE"):
        TRANSCRIPTS.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")
