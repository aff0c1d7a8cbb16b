"""One game: scripts one after another, restarted after one at which the bot breaks down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import Enum, auto
from typing import Final

import attrs

from clients.lab.check_bot.client import Client, Launch, NotStarted, Order, Pace
from clients.lab.check_bot.conversation import Conversation, DoesNotPlay, Fell, Limits
from clients.lab.check_bot.findings import ADVICE, Examined, seats_check, told
from clients.lab.check_bot.scripts import CheckScript, ScriptedTable
from engine.poker.rules import GameDefinition

Leave = Callable[[ScriptedTable], Awaitable[None]] | None
"""Plays on to where the table is to vanish; without it, it closes after a hand."""

_DECLINES: Final = 2
"""The exit status by which a program says that it cannot do what is asked."""


class SittingEnd(Enum):
    """How a sitting ended."""

    PLAYED = auto()
    DECLINED = auto()
    """The bot says that it does not play this game."""
    FELL_AT_FIRST = auto()
    """It has never answered; or it fell silent, and nobody says what is played."""
    NOT_STARTED = auto()


@attrs.define(eq=False)
class Sitting:
    """Some scripts in one game.

    Args:
        game: what is played.
        text: the game as users name it, or the path of its file.
        where: what to call it in findings.
        findings: takes what is wrong.
        launch: starts the bot.
        limits: of time.
        pace: takes how long answers take.
        seed: of cards and players.
        known: what earlier sittings have found: failed checks are not tried again.
        knows_games: the bot is told on its command line what is played.
        is_named: the user says that the bot plays this.
    """

    _game: GameDefinition
    _text: str
    where: str
    _findings: Examined
    _launch: Launch
    _limits: Limits
    _pace: Pace
    _seed: int
    _known: Examined
    _knows_games: bool
    _is_named: bool
    check: str = attrs.field(default="handshake", init=False)
    """The check being tried."""
    _has_answered: bool = attrs.field(default=False, init=False)
    answers: list[tuple[str, str]] = attrs.field(factory=list, init=False)
    """The states in which the bot was asked, and its answers, on the last connection."""
    why: str = attrs.field(default="", init=False)
    """Why the game was not played, in words."""
    was_silent: bool = attrs.field(default=False, init=False)
    """The bot broke down by saying nothing, with its connection open."""
    memory: list[int] = attrs.field(factory=list, init=False)
    """Bytes of memory after each script, on the last connection."""

    async def run(
        self, scripts: Sequence[CheckScript], leave: Leave = None, closing: str = "close"
    ) -> SittingEnd:
        """Try all scripts, then close the table.

        Args:
            scripts: one after another.
            leave: before the table closes.
            closing: the check that is about the end.
        """
        todo = list(scripts)
        while True:
            label = f"{self.where}-{len(scripts) - len(todo)}".replace(" ", "-")
            order = Order(self._game, self._text, self._seed, self._limits.start, label)
            try:
                async with self._launch(order) as client:
                    self._findings.tried("starts", self.where)
                    ending = await self._sit(client, todo, leave, closing)
            except NotStarted as error:
                return self._not_started(error)
            if ending is not None:
                return ending

    def _not_started(self, error: NotStarted) -> SittingEnd:
        self.why = str(error)
        if error.returncode == _DECLINES and not self._is_named:
            return SittingEnd.DECLINED
        self._findings.fault("starts", self.where, str(error))
        return SittingEnd.NOT_STARTED

    async def _sit(
        self, client: Client, todo: list[CheckScript], leave: Leave, closing: str
    ) -> SittingEnd | None:
        """Play scripts of the list until it is empty, or the bot breaks down: None to restart it."""
        talk = Conversation(
            client, self._game, self.where, self._findings, self._pace, self._limits,
            knows_game=self._knows_games, may_decline=not self._is_named, is_doubtful=self._is_doubtful(),
        )  # fmt: skip
        table = ScriptedTable(talk, self._game, self._seed)
        self.answers, self.memory = talk.answers, []
        check = "handshake"
        try:
            await talk.shake_hands()
            await talk.greet()
            while todo:
                check = self.check = todo[0].check
                if not (self._known.has_failed(check) or self._findings.has_failed(check)):
                    self._findings.tried(check, self.where)
                    await todo[0].run(table)
                    if todo[0].settles:
                        await table.settle()
                self.memory.append(client.memory_bytes() or 0)
                del todo[0]
            check = self.check = closing
            if leave is not None:
                await leave(table)
        except DoesNotPlay as reason:
            self.why = str(reason)
            return SittingEnd.DECLINED
        except Fell as fell:
            return await self._fallen(client, talk, fell, check, todo)
        self._has_answered = self._has_answered or bool(talk.answers)
        await self._close(client, talk, check)
        return SittingEnd.PLAYED

    async def _fallen(
        self, client: Client, talk: Conversation, fell: Fell, check: str, todo: list[CheckScript]
    ) -> SittingEnd | None:
        """Record that the bot has broken down at a check, and find where to continue."""
        end = await client.ended(self._limits.end) if fell.is_gone else None
        self._has_answered = self._has_answered or bool(talk.answers)
        words = str(fell) if end is None else end.words
        shown = f" after it was shown {talk.last_shown}" if fell.is_gone and talk.last_shown else ""
        self.why = words
        self.was_silent = not fell.is_gone
        if end is not None and end.returncode == _DECLINES and not self._is_named and not self._has_answered:
            return SittingEnd.DECLINED
        advice = f"; {ADVICE[check]}" if check in ADVICE else ""
        self._findings.fault(check, self.where, f"{words}{shown}{advice}")
        if not self._has_answered:
            if check != "handshake" and not self._known.was_tried("answers"):
                self._findings.fault("answers", self.where, f"{words}{shown}")
            return SittingEnd.FELL_AT_FIRST
        if self.was_silent and self._is_doubtful():
            return SittingEnd.FELL_AT_FIRST
        if check == seats_check(self._game.num_players):
            return SittingEnd.PLAYED  # everything else would break down in the same way
        del todo[:1]
        return None if todo else SittingEnd.PLAYED

    def _is_doubtful(self) -> bool:
        """Whether a bot that plays something else need not play this: it is not told what is played."""
        is_told = self._is_named or self._knows_games or self._pace.asks_for_game
        return not is_told and self._known.was_tried("answers")

    async def _close(self, client: Client, talk: Conversation, check: str) -> None:
        """Close the table: the bot must end, and after a finished hand in good order."""
        limit = self._limits.end
        if self._known.has_failed(check):
            return
        self._findings.tried(check, self.where)
        await talk.hear_the_rest(limit)
        end = await client.ended(limit)
        if end is None:
            self._findings.fault(check, self.where, told("close", "running", seconds=limit))
        elif end.returncode != 0 and check != "broken-off":
            self._findings.fault(check, self.where, told("close", "status", how=end.words))
