"""Shows the progress and the score of a match while it runs, on stderr, since stdout is for results."""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Sequence
from typing import Final

import click
import trio

from server.records.tally import Score, Tally

_PROGRESS_S: Final = 0.1
# Between looks.
_WINDOW_S: Final = 10.0
# Over which the speed is measured.
_LEAST_NAME: Final = 8
# To how many characters a name may be cut.
_COLUMNS: Final = 80


async def show_progress(tally: Tally, hands: int) -> None:
    """Show the progress of a match: a bar and a score line on a terminal, otherwise a line for each tenth.

    Args:
        tally: the tally of the match that is being played.
        hands: the most hands that it plays, over all passes.
    """
    pace = Pace(hands, at_most=tally.goal is not None)
    if sys.stderr.isatty():
        from rich.console import Console, Group
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.text import Text

        console = Console(stderr=True)
        progress = Progress(TextColumn("hands"), BarColumn(), MofNCompleteColumn(), console=console)
        bar = progress.add_task("hands", total=hands)
        with Live(console=console, transient=True, auto_refresh=False) as live:
            while True:
                pace.note(trio.current_time(), tally.hands)
                progress.update(bar, completed=tally.hands)
                line = score_line(tally.scores(), pace.text(), console.width)
                live.update(Group(progress, Text(line, no_wrap=True, overflow="crop")), refresh=True)
                await trio.sleep(_PROGRESS_S)
    said = 0
    while True:
        await trio.sleep(_PROGRESS_S)
        pace.note(trio.current_time(), tally.hands)
        tenth = tally.hands * 10 // hands
        if tenth > said:
            said = tenth
            done = f"{tally.hands} of {hands} hands: "
            with contextlib.suppress(OSError):  # nobody reads it; the match continues
                click.echo(done + score_line(tally.scores(), pace.text(), _COLUMNS - len(done)), err=True)


class Pace:
    """Measures how fast hands are finished, and estimates how long the rest will take.

    Args:
        hands: how many hands are played.
        at_most: whether there may be fewer.
    """

    def __init__(self, hands: int, *, at_most: bool) -> None:
        self._hands = hands
        self._at_most = at_most
        self._noted: deque[tuple[float, int]] = deque()

    def note(self, now: float, done: int) -> None:
        """Note that `done` hands are finished at the time `now`, in seconds."""
        noted = self._noted
        if not done:
            noted.clear()  # still waiting for the players: no hand is being played
        noted.append((now, done))
        while len(noted) > 2 and noted[1][0] <= now - _WINDOW_S:
            noted.popleft()

    def text(self) -> str:
        """``1760 hands/s, 0:32 left``; empty while nothing is known."""
        if len(self._noted) < 2:
            return ""
        (start, before), (now, done) = self._noted[0], self._noted[-1]
        if now <= start or done <= before:
            return ""
        speed = (done - before) / (now - start)
        left = clock_time((self._hands - done) / speed)
        shown = f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}"
        return f"{shown} hands/s, {'at most ' if self._at_most else ''}{left} left"


def clock_time(seconds: float) -> str:
    """``0:32``, ``12:05``, ``3:00:00``."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def score_line(scores: Sequence[Score], pace: str, columns: int) -> str:
    """The players' scores and the pace in one line.

    Of two players only the first is shown, since the other's score is its negative; of more players as many
    as there is room for, the best first.

    Args:
        scores: the scores in the order of the players.
        pace: the text of the pace, which is added if there is room.
        columns: the greatest length of the line.
    """
    if len(scores) > 2:
        shown = sorted(scores, key=lambda score: -score.mbb_per_hand)
    else:
        shown = list(scores[:1])
    line = ""
    for number, score in enumerate(shown):
        rate = f" {score.mbb_per_hand:+z.1f}"
        rate += f" ± {score.half_width:.1f}" if score.half_width is not None else ""
        rate += " mbb/h" if number == 0 else ""
        before = ", " if line else ""
        room = columns - len(line) - len(before) - len(rate)
        if room < min(len(score.name), _LEAST_NAME):
            break
        name = score.name
        if number == 0:  # its name may be long, the pace is worth more than its end
            room = max(room - len(pace) - 2, min(len(name), _LEAST_NAME))
        elif len(line) + len(before) + len(name) + len(rate) + 2 + len(pace) > columns:
            break
        line += before + (name if len(name) <= room else name[: room - 1] + "…") + rate
    if pace and len(line) + 2 * bool(line) + len(pace) <= columns:
        line += (", " if line else "") + pace
    return line
