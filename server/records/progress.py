"""Running results of a match: counted hand by hand for the verdict, and shown on stderr while it runs."""

from __future__ import annotations

import math
import sys
from array import array
from collections import deque
from collections.abc import Collection, Sequence
from typing import Final

import attrs
import trio

from engine.evidence.verdict import WHENEVER, Adjusted, Goal, Standings, Verdict
from engine.poker.rules import GameDefinition
from engine.support.palette import FAINT_STYLE
from engine.support.text import cut, rate
from server.support.console import say
from server.table.book import rests


@attrs.frozen
class Score:
    """A player's score so far."""

    name: str
    mbb_per_hand: float
    half_width: float | None
    """Half width of an interval that is valid whenever you look, in mbb/h; None if nothing is known yet."""


class Tally:
    """Counts the hands of all passes; a deal counts for the verdict once every pass has played it.

    Args:
        game: the game played.
        names: the players' names, in the order given.
        seatings: for each pass, the player in each seat.
        hands: the most hands that a pass plays.
        goal: what the match is to find out; None to play all hands.
        learners: the indices of players that learn while they play.
    """

    def __init__(
        self,
        game: GameDefinition,
        names: Sequence[str],
        seatings: Sequence[Sequence[int]],
        hands: int,
        goal: Goal | None = None,
        learners: Collection[int] = (),
    ) -> None:
        self._names = tuple(names)
        self._to_mbb = 1000 / game.big_blind if game.big_blind else None
        self._seatings = seatings
        self.goal = goal
        """The goal of the match; None to play all hands."""
        self._standings = Standings(game, names, learners)
        self._has_passes = len(seatings) > 1
        self._rests = rests(hands) if self._has_passes and goal is not None else frozenset()
        self._played = [0] * len(seatings)
        self._totals = [0.0] * len(names)
        self._chips = [array("d") for _ in seatings]
        # By pass, the results of hands, player by player, that wait for other passes to play the same deal.
        self._taken = 0
        # How many numbers of each have been counted.

    @property
    def hands(self) -> int:
        """Finished hands of all passes."""
        return sum(self._played)

    def hand_finished(self, number: int, chips_by_seat: Sequence[float]) -> bool:
        """Count a hand of a pass; returns whether the pass should pause and ask whether to continue."""
        self._played[number] += 1
        won = [0.0] * len(self._names)
        for player, chips in zip(self._seatings[number], chips_by_seat, strict=True):
            won[player] = chips
            self._totals[player] += chips
        if not self._has_passes:
            self._standings.add(won)
            return self.is_settled()
        self._chips[number].extend(won)
        self._take_in()
        return self._played[number] in self._rests

    def _take_in(self) -> None:
        """Count the deals that every pass has played."""
        num_passes, num_players = len(self._chips), len(self._names)
        end = min(map(len, self._chips))
        while self._taken < end:
            start = self._taken
            hands = [chips[start : start + num_players] for chips in self._chips]
            self._standings.add([math.fsum(won) / num_passes for won in zip(*hands, strict=True)])
            self._taken += num_players

    def is_settled(self) -> bool:
        """Whether the match may end before its last hand."""
        return self.goal is not None and self._standings.is_settled(self.goal)

    def has_reached_goal(self) -> bool:
        """Whether the match has found out what it is played for."""
        return self.goal is not None and self._standings.reached(self.goal)

    def verdict(self, adjusted: Adjusted | None = None) -> Verdict:
        """The present verdict.

        Args:
            adjusted: estimates of the leads with luck taken out.
        """
        return self._standings.verdict(self.goal, adjusted=adjusted)

    def verdict_so_far(self) -> Verdict:
        """The verdict on a match that is still being played, which holds whenever one looks."""
        return self._standings.verdict(self.goal or Goal())

    def half_width(self, player: int, mbb_per_hand: float | None) -> float | None:
        """How far a player's true rate may be from a mean, whenever you look, in mbb/h."""
        interval = self._standings.rate(player) if mbb_per_hand is not None else None
        if interval is None or mbb_per_hand is None:
            return None
        return max(interval.high - mbb_per_hand, mbb_per_hand - interval.low)

    def scores(self) -> list[Score]:
        """The players' scores, in the order given; empty before the first hand."""
        if not self.hands or self._to_mbb is None:
            return []
        rates = [total / self.hands * self._to_mbb for total in self._totals]
        has_deals = self._standings.deals > 0
        return [
            Score(name, rate, self.half_width(player, rate) if has_deals else None)
            for player, (name, rate) in enumerate(zip(self._names, rates, strict=True))
        ]


_PROGRESS_S: Final = 0.1
# Between looks.
_WINDOW_S: Final = 10.0
# Over which the speed is measured.
_LEAST_NAME: Final = 8
# To how many characters a name may be cut.
_COLUMNS: Final = 80
_KIND: Final = f"±: {WHENEVER}"


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
                score = Text(line, no_wrap=True, overflow="crop")
                live.update(Group(progress, score, Text(_KIND, style=FAINT_STYLE)), refresh=True)
                await trio.sleep(_PROGRESS_S)
    said = 0
    while True:
        await trio.sleep(_PROGRESS_S)
        pace.note(trio.current_time(), tally.hands)
        tenth = tally.hands * 10 // hands
        if tenth > said:
            kind = "" if said else f"{_KIND}\n"
            said = tenth
            done = f"{tally.hands} of {hands} hands: "
            say(kind + done + score_line(tally.scores(), pace.text(), _COLUMNS - len(done)))


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
        won = " " + rate(score.mbb_per_hand, score.half_width, unit="" if number else "mbb/h")
        before = ", " if line else ""
        room = columns - len(line) - len(before) - len(won)
        if room < min(len(score.name), _LEAST_NAME):
            break
        name = score.name
        if number == 0:  # its name may be long, the pace is worth more than its end
            room = max(room - len(pace) - 2, min(len(name), _LEAST_NAME))
        elif len(line) + len(before) + len(name) + len(won) + 2 + len(pace) > columns:
            break
        line += before + cut(name, room) + won
    if pace and len(line) + 2 * bool(line) + len(pace) <= columns:
        line += (", " if line else "") + pace
    return line
